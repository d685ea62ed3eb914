"""M. Dosta et al., Comparing open-source DEM frameworks for simulations of common bulk processes, Comput. Phys. Commun. 296 (2024)
109066, doi:10.1016/j.cpc.2023.109066. The set-up is that of the scripts with which YADE took part (Debian package yade 2023.02a, examples
DEM2020Benchmark), and of the box of MercuryDPM's (OSPenetration)."""
import math

from measures import between, mean

TITLE = "Open-source DEM benchmark"
G = 9.81
COARSE = {"penetration": "5 mm", "silo": "14 mm", "drum": "4 mm"}  # diameter, diameter, radius of M1
BALL, START, SPEED = 10e-3, 150e-3, 5.0  # radius, height at the start [m], [m/s]

# Height of the ball [mm] every 5 ms from the moment at which it is START - 0.96 mm high, by YADE 2023.02a from the same bed of M1, d = 5 mm
# (tests/validation/dosta_yade.py).
YADE_BALL = [149.04, 123.91, 98.53, 72.91, 47.04, 39.75, 40.78, 41.61, 42.25, 42.68, 42.87, 42.84, 42.56, 42.04, 41.28, 40.27, 39.02, 37.54, 35.82, 33.9]


def at(series, name, time):
    """By a straight line between two samples."""
    for k in range(1, len(series["t"])):
        if series["t"][k] >= time - 1e-12:
            a, b = series["t"][k - 1], series["t"][k]
            return series[name][k - 1] + (series[name][k] - series[name][k - 1]) * (time - a) / (b - a)
    return series[name][-1]


def slope(xs, ys):
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def penetration(page):
    page.text(f"""
**Ball.** `examples/dosta-penetration.yaml` with grains of {COARSE["penetration"]}, ten times softer: a steel ball of 20 mm falls into a bed at
5 m/s. The ball comes at 1 ms. Until it hits, it must be where it falls freely.""")
    rows, curves = [], []
    for second, material in ((0, "M1"), (1, "M2")):
        series, summary = page.run("dosta-penetration", f"constants.d={COARSE['penetration']}", f"constants.second={second}",
                                   "frames.every=50 ms")
        series["z"] = [z if n else START for z, n in zip(series["bed.ball.center.z"], series["bed.ball.count"])]
        fall = 0.018
        free = START - SPEED * (fall - 1e-3) - 0.5 * G * (fall - 1e-3) ** 2
        page.check(f"{material}: where the ball falls freely, off by [m]", abs(at(series, "z", fall) - free), high=1e-4)
        page.check(f"{material}: ledger", summary["energy"]["relative_error"], high=1e-3)
        page.check(f"{material}: lowest place of the ball, above the bottom [m]", min(series["z"]) - BALL, low=0)
        rows.append([material] + [f"{1e3 * at(series, 'z', t):.1f}" for t in (0.02, 0.025, 0.03, 0.05, 0.075, 0.1)]
                    + [f"{100 * summary['grains']['bed']['largest_overlap']:.0f} %"])
        curves.append((material, [1e3 * t for t in series["t"]], [1e3 * z for z in series["z"]]))
        if material == "M1":
            lag = 1e-3 + 0.96e-3 / SPEED  # of YADE's clock
            own = [1e3 * at(series, "z", 5e-3 * k + lag) for k in range(1, len(YADE_BALL))]
            apart = max(abs(a - b) for a, b in zip(own, YADE_BALL[1:]))
            page.check("M1: YADE's ball and ours, apart by at most [mm]", apart, high=5)
            curves.append(("M1, YADE", [5 * k + 1e3 * lag for k in range(len(YADE_BALL))], YADE_BALL, "points"))
    page.table(["height of the ball [mm] at", "20 ms", "25 ms", "30 ms", "50 ms", "75 ms", "100 ms", "largest overlap"], rows)
    page.text(f"""YADE 2023.02a, a program of the benchmark, from the same bed of M1 with the same law, step and restitution: its ball and ours are never more
than {apart:.1f} mm apart in the 0.1 s, {100 * apart / 120:.1f} % of the way.""")
    page.plot("dosta-penetration", "Ball in a bed", "t [ms]", "height of the ball [mm]", curves)


def silo(page):
    page.text(f"""
**Silo.** `examples/dosta-silo.yaml` with grains of {COARSE["silo"]}, 20 times softer: three tenths of the mass of the benchmark, 3.1 kg of M1 or 2.5 kg of M2, in a silo of
200 mm over a funnel of 45 degrees. The flow is the slope of the mass that has passed the orifice from 0.1 to 0.6 s. C is that of Beverloo's
law with a bulk density of 0.6 of the grains' and k = 1.4: for flat bottoms it is 0.58; a funnel of 45 degrees lets a little more pass.""")
    rows, curves, flows = [], [], {}
    for second, radius in ((0, 30), (1, 30)):
        material = f"M{second + 1}"
        series, summary = page.run("dosta-silo", f"constants.d={COARSE['silo']}", f"constants.second={second}", f"constants.orifice={radius} mm",
                                   "constants.fill=0.3", "constants.soft=20", "record.every=10 ms", "frames.every=5 s", "simulate.duration=0.6 s")
        count = series["retained"][0]
        part = between(series, 0.1, 0.6)
        flow = slope(part["t"], part["orifice.mass"])
        density, d = 2500 - 500 * second, 1e-3 * float(COARSE["silo"].split()[0])
        C = flow / (0.6 * density * math.sqrt(G) * (2e-3 * radius - 1.4 * d) ** 2.5)
        left = summary["flow"]["out"]["out_count"] + summary["grains"]["bed"]["count"]
        page.check(f"{material}: grains that left and that are there", left, count, count)
        page.check(f"{material}: C of Beverloo's law", C, 0.5, 0.8)
        page.check(f"{material}: ledger", summary["energy"]["relative_error"], high=1e-3)
        flows[material] = flow
        rows.append([material] + [f"{100 * at(series, 'retained', t) / count:.1f} %" for t in (0.15, 0.3, 0.45, 0.6)]
                    + [f"{flow:.3f}", f"{C:.2f}"])
        curves.append((material, series["t"], [100 * n / count for n in series["retained"]]))
    page.table(["in the silo after", "0.15 s", "0.3 s", "0.45 s", "0.6 s", "flow [kg/s]", "C"], rows)
    page.plot("dosta-silo", "Grains in a silo", "t [s]", "grains above the orifice [%]", curves)


def drum(page):
    series, summary = page.run("dosta-drum", f"constants.r={COARSE['drum']}", "frames.every=5 s")
    last = between(series, 3.0, 5.0)
    work, losses = series["energy.work"], [sum(parts) for parts in zip(*(series["bed.dissipated." + name] for name in ("impact", "friction", "rolling")))]
    first = next(k for k, t in enumerate(series["t"]) if t >= 3.0 - 1e-9)
    share = (losses[-1] - losses[first]) / (work[-1] - work[first])
    center = [sum(sum(m * x for m, x in zip(last[f"bed.{kind}.mass"], last[f"bed.{kind}.center.{c}"])) for kind in ("M1", "M2")) for c in "xz"]
    angle = math.degrees(math.atan(abs(center[0] / center[1])))  # of the centre of mass of all grains, from the vertical
    mixing = [mean(between(series, begin, begin + 1)["bed.mixing"]) for begin in (0, 4)]
    page.text(f"""
**Drum.** `examples/dosta-drum.yaml` with M1 of {COARSE["drum"]} radius and M2 of twice that, 25 times softer, M2 above M1 at the start, in a drum of 200 mm at 2 rad/s for
5 s. Lacey's index of mixing, and the centres of mass of both materials.""")
    page.table(["t [s]", "mixing", "M1: x, z [mm]", "M2: x, z [mm]"],
               [[f"{t}", f"{at(series, 'bed.mixing', t):.2f}"]
                + [f"{1e3 * at(series, f'bed.{m}.center.x', t):.1f}, {1e3 * at(series, f'bed.{m}.center.z', t):.1f}" for m in ("M1", "M2")]
                for t in (0.1, 1, 2, 3, 4, 5)])
    page.text(f"""From 3 s on, impacts, friction and rolling take {100 * share:.1f} % of the work of the drum; the difference is that of a bed that moves. Its centre of mass then
stands {angle:.0f} degrees from the vertical, the dynamic angle of repose. The index of mixing is {mixing[0]:.2f} in the first second and {mixing[1]:.2f} in the last one, on
average. In the paper's Fig. 9 the centres are between 0 and 70 mm from the middle, and from 17 to 78 mm below it.""")
    page.plot("dosta-drum", "Centres of mass in a drum", "x [mm]", "z [mm]",
              [(m, [1e3 * x for x in series[f"bed.{m}.center.x"]], [1e3 * z for z in series[f"bed.{m}.center.z"]]) for m in ("M1", "M2")])
    page.check("mixing in the last second less that in the first", mixing[1] - mixing[0], low=0.1)
    for kind in "M1", "M2":  # the axes of Fig. 9; it turns the other way
        page.check(f"{kind}: furthest from the middle along x [m]", max(abs(x) for x in series[f"bed.{kind}.center.x"]), 0.03, 0.0701)
        page.check(f"{kind}: lowest place [m]", min(series[f"bed.{kind}.center.z"]), low=-0.0782)
    page.check("losses over work of the drum", share, 0.95, 1.05)
    page.check("angle of repose [deg]", angle, 10, 40)
    page.check("ledger", summary["energy"]["relative_error"], high=1e-3)


def write(page):
    page.text("""
The three cases of M. Dosta et al. 2024 (doi:10.1016/j.cpc.2023.109066), with its materials M1 and M2 (E = 1 and 0.5 GPa, 2500 and 2000 kg/m^3,
Poisson's ratio 0.2, friction 0.3 and 0.4, restitution 0.5 and 0.4; 0.2 and 0.45 between them; 0.2 and 0.4 on steel), Hertz's and Mindlin's laws. Materials,
speeds, times and steps are those of the scripts with which YADE took part (Debian package yade), the box of the ball is that of MercuryDPM's driver. Radius,
length and filling of the drum, and 45 degrees of the funnel, are not written there; they are ours. Grains are fewer, larger and softer than in the benchmark, as is said
for each case, so that each runs within a minute; the published curves are a spreadsheet (doi:10.5281/zenodo.8252892) and not repeated here.""")
    penetration(page)
    silo(page)
    drum(page)
