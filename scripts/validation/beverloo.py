"""W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961) 260-269, doi:10.1016/0009-2509(61)85030-6."""
import math

from measures import between

TITLE = "Flow out of a silo"
GRAIN, DENSITY, G = 4.0, 2500, 9.81  # mean diameter [mm], [kg/m^3], [m/s^2]
K = 1.4  # the ring at the rim where no grain's centre passes, over the grain's diameter
RADIUS, COUNT = 32, 4000  # of the silo [mm]
CASES = [(20, 1.0), (23, 0.6), (26, 0.55), (30, 0.5)]  # width of the orifice [mm], and the end of the run [s]
BEGIN = 0.12  # [s]: the gate is gone, and the flow is steady
BEDS = 3  # random beds of each width: their flows scatter by 0.5 to 4 %, and the exponent of three is good to 1 %
LEFT = 0.6  # share of the grains above which it stays so


def line(xs, ys):
    """Slope and intercept by least squares."""
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)
    return slope, my - slope * mx


def steady(series):
    """From BEGIN until the silo holds less than LEFT of its grains."""
    full = series["bed.holdup.mass"][0]
    end = next((t for t, m in zip(series["t"], series["orifice.mass"]) if m > (1 - LEFT) * full), series["t"][-1])
    return between(series, BEGIN, end)


def scale(part, flow):
    """Mass in the silo by the force on its walls, and as it was counted [kg]. What is above the orifice has the momentum
    balance F = M g - W v + dP/dt: W v leaves with the grains; its own momentum P hardly changes while the flow is steady."""
    count = len(part["t"])
    force = -sum(part["bed.load.fz"]) / count
    inside = sum(h - (o - s) for h, o, s in zip(part["bed.holdup.mass"], part["orifice.mass"], part["scale.mass"])) / count
    leaving = sum(part["orifice.velocity"]) / count
    return (force + flow * leaving) / G, inside, force / G


def one(page, D, end, seed):
    """What a bed gives: flow [kg/s], bulk density [kg/m^3], masses by the scale and counted [kg]."""
    series, summary = page.run("silo", f"constants.D={D} mm", f"constants.R={RADIUS} mm", f"constants.grains={COUNT}",
                               f"simulate.duration={end} s", "simulate.step=15 us", "record.every=2 ms", "meters.orifice.window=50 ms",
                               "grains.bed.contact.stiffness=5 kN/m", f"grains.bed.packing.settle.seed={seed}",
                               "record.series=[orifice, scale, bed.holdup, bed.load.fz, bed.height, energy]")
    name = f"D = {D} mm, bed {seed}"
    part = steady(series)
    flow, _ = line(part["t"], part["orifice.mass"])
    feed = summary["grains"]["bed"]["count"] + summary["flow"]["scale"]["out_count"]
    weight, inside, bare = scale(part, flow)
    page.check(f"{name}: grains in the silo and grains that left", feed, COUNT, COUNT)
    page.check(f"{name}: balance of energy", summary["energy"]["relative_error"], high=1e-3)
    page.check(f"{name}: mass by the scale against the counted one", weight / inside, 0.995, 1.005)
    height = series["bed.height"][0] - 0.5e-3 * GRAIN
    return {"flow": flow, "rho": series["bed.holdup.mass"][0] / (math.pi * (1e-3 * RADIUS) ** 2 * height), "weight": weight,
            "inside": inside, "bare": bare, "steady": f"{part['t'][0]:.2f} to {part['t'][-1]:.2f}"}


def write(page):
    page.text(f"""
`examples/silo.yaml` with {COUNT} glass spheres of 3.8 to 4.2 mm in a silo of {2 * RADIUS} mm with a flat bottom, through an
orifice of width D. Beverloo's law is W = C rho sqrt(g) (D - k d)^2.5, with the bulk density rho at rest. The flow is the
mass that crosses the orifice, from {BEGIN} s on until {100 * (1 - LEFT):.0f} % have left: the bed is then still higher than
the orifice is wide. Narrower orifices than 5 d flow in bursts, and shallow beds more slowly; both would be taken for
another exponent. rho is measured: in so narrow a silo the bed is looser than the 0.6 of a wide one. The exponent is the slope of log W over log (D - k d) with k = {K}; that of a straight line of W^(2/5) over D
gives the k that fits best. What the silo weighs by the force on its walls is compared with the mass that was counted; what leaves
takes momentum with it, W v, which is added. Flows are means of {BEDS} beds, with the standard deviation of single beds; the
exponent has the standard error that follows from it. Masses are those of the first bed, the difference is the largest of all.""")
    rows, widths, flows, errors, rho = [], [], [], [], 0
    for D, end in CASES:
        beds = [one(page, D, end, seed) for seed in range(1, BEDS + 1)]
        count = len(beds)
        flow = sum(bed["flow"] for bed in beds) / count
        spread = (sum((bed["flow"] - flow) ** 2 for bed in beds) / max(count - 1, 1)) ** 0.5
        rho = rho or sum(bed["rho"] for bed in beds) / count
        C = flow / (rho * math.sqrt(G) * (1e-3 * (D - K * GRAIN)) ** 2.5)
        page.check(f"D = {D} mm: C", C, 0.5, 0.7)
        first = beds[0]
        rows.append([f"{D}", first["steady"], f"{flow:.4f} +- {spread:.4f}", f"{C:.3f}", f"{1e3 * first['bare']:.1f}",
                     f"{1e3 * first['weight']:.1f}", f"{1e3 * first['inside']:.1f}",
                     f"{max(abs(bed['weight'] / bed['inside'] - 1) for bed in beds):.2%}"])
        widths.append(D)
        flows.append(flow)
        errors.append(spread / flow / count**0.5)
    logs = [math.log(D - K * GRAIN) for D in widths]
    exponent, _ = line(logs, [math.log(W) for W in flows])
    weights = [x - sum(logs) / len(logs) for x in logs]
    error = sum((w * e) ** 2 for w, e in zip(weights, errors)) ** 0.5 / sum(w * w for w in weights)
    slope, start = line(widths, [W**0.4 for W in flows])
    fitted = -start / slope / GRAIN
    page.table(["D [mm]", "steady [s]", "flow W [kg/s]", "C", "force over g [g]", "with W v [g]", "counted [g]", "difference"], rows)
    page.text(f"The bulk density is {rho:.0f} kg/m^3. The exponent is {exponent:.3f} +- {error:.3f}; k that fits best is {fitted:.2f}.")
    page.plot("beverloo", "Flow out of a silo", "D - k d [mm]", "kg/s",
              [("measured", [D - K * GRAIN for D in widths], flows),
               ("exponent 2.5", [D - K * GRAIN for D in widths],
                [flows[-1] * ((D - K * GRAIN) / (widths[-1] - K * GRAIN)) ** 2.5 for D in widths])], log=True)
    page.check("exponent", exponent, 2.375, 2.625)
    page.check("k that fits best", fitted, 1.0, 1.8)
