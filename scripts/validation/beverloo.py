"""W. A. Beverloo, H. A. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961) 260-269, doi:10.1016/0009-2509(61)85030-6."""
import math

from measures import between

TITLE = "Flow out of a silo"
DIAMETERS = [18, 22, 26, 30]  # of the orifice [mm]
GRAIN = 4.0  # mean diameter [mm]
K = 1.4  # the ring at the rim where no grain's centre passes, over the grain's diameter
BEGIN, END = 0.2, 0.6  # [s]: the flow is steady, and the silo is not yet empty


def slope(xs, ys):
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def write(page):
    page.text(f"""
`examples/silo.yaml`: 3000 glass spheres of 3.8 to 4.2 mm in a silo of 60 mm with a flat bottom, through an orifice of width
D. Beverloo's law is W = C rho sqrt(g) (D - k d)^2.5, with the bulk density rho; k = {K}, C lies between 0.55 and 0.65. The
flow is the mass that crosses the orifice from {BEGIN} to {END} s. What the silo has lost by the scale under it, the force
on its walls over g, is compared with the mass that was counted.""")
    rows, widths, flows = [], [], []
    bulk = 2500 * 0.6
    for D in DIAMETERS:
        series, summary = page.run("silo", f"constants.D={D} mm", "simulate.duration=0.6 s")
        steady = between(series, BEGIN, END)
        flow = (steady["orifice.mass"][-1] - steady["orifice.mass"][0]) / (steady["t"][-1] - steady["t"][0])
        width = 1e-3 * (D - K * GRAIN)
        C = flow / (bulk * math.sqrt(9.81) * width**2.5)
        feed = summary["grains"]["bed"]["count"] + summary["flow"]["scale"]["out_count"]
        page.check(f"D = {D} mm: grains in the silo and grains that left", feed, 3000, 3000)
        page.check(f"D = {D} mm: C", C, 0.45, 0.75)
        page.check(f"D = {D} mm: balance of energy", summary["energy"]["relative_error"], high=1e-3)
        # On average over the steady flow the walls carry what is above the orifice, but for what falls freely in it.
        weight = -sum(steady["bed.load.fz"]) / len(steady["bed.load.fz"]) / 9.81
        inside = sum(h - (o - s) for h, o, s in zip(steady["bed.holdup.mass"], steady["orifice.mass"], steady["scale.mass"]))
        inside /= len(steady["t"])
        rows.append([f"{D}", f"{flow:.4f}", f"{C:.3f}", f"{1e3 * weight:.1f}", f"{1e3 * inside:.1f}", f"{weight / inside - 1:.2%}"])
        page.check(f"D = {D} mm: mass by the scale against the counted one", weight / inside, 0.98, 1.02)
        widths.append(math.log(width))
        flows.append(math.log(flow))
    exponent = slope(widths, flows)
    page.table(["D [mm]", "flow [kg/s]", "C", "mass by the force on the walls [g]", "counted [g]", "difference"], rows)
    page.text(f"The exponent, by least squares over the four widths, is {exponent:.3f}.")
    page.check("exponent", exponent, 2.375, 2.625)
