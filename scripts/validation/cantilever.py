"""TIGHT 5.2.2 (doi:10.1016/j.mechmachtheory.2020.104181), Figs. 17 and 18."""
import math

from measures import between, half_range, off, rms

TITLE = "Cantilever with a damper: clearances"
LATE = (1.0, 2.0)
CLEARANCES = [4, 6, 8, 10]


def resonance(times, frequency):
    """Velocity of Eq. 35's mass, at rest until 0.25 N pull at 15.5 Hz."""
    mass, w, own = 0.24 * 0.11767 + 0.0555, 2 * math.pi * 15.5, 2 * math.pi * frequency
    size = 0.25 / mass / (own * own - w * w)
    return [size * w * (math.cos(w * t) - math.cos(own * t)) for t in times]


def lumped(page):
    page.text("""
`examples/cantilever-damper.yaml` is shaken by 0.25 N at 15.5 Hz, h = 0.1 ms, against the one mass on a spring of TIGHT
Eq. 35 with the same bed by the monolithic scheme (`tests/validation/models/cantilever-reduced.yaml`). With the mass of
the grains fixed to the shell (Fig. 17) the beam follows the one mass, which has the formula of an undamped resonance:""")
    beam, _ = page.run("cantilever-lumped")
    eq35, own = (off(beam["shell.vy"], resonance(beam["t"], f)) for f in (15.618, 15.631))
    page.text(f"""
the velocities over 2 s differ by {100 * eq35:.1f} % (r.m.s. over r.m.s.), because the beam has 15.631 Hz and Eq. 35 has
15.618 Hz, which beat differently with 15.5 Hz; with the beam's frequency in the formula they differ by {100 * own:.1f} %.""")
    page.check("beam against one mass, grains lumped: velocity", eq35, high=0.1)
    page.check("the same with the beam's frequency", own, high=0.03)
    return beam, rms(between(beam, *LATE)["shell.vy"])


def write(page):
    beam, without = lumped(page)
    page.text("""
With grains. The paper's result: beam and one mass agree; in 1 to 2 s the amplitude falls with the clearance h_c up to
8 mm and does not change beyond. R.m.s. velocity of the shell [mm/s] and amplitude of its displacement [mm] in 1 to
2 s:""")
    rows, sizes, curves, velocities = [], {}, {}, {}
    for clearance in CLEARANCES:
        row = [f"{clearance} mm"]
        for name, model in ("beam", "cantilever-damper"), ("one mass", "cantilever-reduced"):
            series, _ = page.run(model, f"constants.clearance={clearance} mm")
            late = between(series, *LATE)
            size = rms(late["shell.vy"])
            sizes[name, clearance] = size
            row.append(f"{1e3 * size:.1f}, {1e3 * half_range(late['shell.y']):.2f}")
            xs, ys = curves.setdefault(name, ([], []))
            xs.append(clearance), ys.append(1e3 * size)
            velocities.setdefault(clearance, []).append((name, series["t"], [1e3 * v for v in series["shell.vy"]]))
        row.append(f"{sizes['beam', clearance] / sizes['one mass', clearance] - 1:+.1%}")
        rows.append(row)
    rows.append(["lumped", f"{1e3 * without:.1f}, {1e3 * half_range(between(beam, *LATE)['shell.y']):.2f}", "", ""])
    page.table(["clearance", "beam, condensed", "one mass, monolithic", "difference"], rows)
    for clearance in 4, 8:
        page.plot(f"cantilever-{clearance}mm", f"Velocity of the shell, clearance {clearance} mm", "t [s]", "mm/s",
                  velocities[clearance])
    page.plot("cantilever-clearance", "R.m.s. velocity in 1 to 2 s", "clearance [mm]", "mm/s",
              [(name, *curve) for name, curve in curves.items()])
    for clearance in CLEARANCES:
        page.check(f"{clearance} mm: beam over one mass", sizes["beam", clearance] / sizes["one mass", clearance], 0.9, 1.1)
    for name in "beam", "one mass":
        page.check(f"{name}: 6 mm over 4 mm", sizes[name, 6] / sizes[name, 4], high=0.97)
        page.check(f"{name}: 8 mm over 6 mm", sizes[name, 8] / sizes[name, 6], high=0.97)
        page.check(f"{name}: 10 mm over 8 mm", sizes[name, 10] / sizes[name, 8], 0.85, 1.15)
    page.check("8 mm over lumped", sizes["beam", 8] / without, high=0.5)
