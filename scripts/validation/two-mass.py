"""TIGHT 4.1 and Table 1 (doi:10.1016/j.mechmachtheory.2020.104181), EXPLICIT 4.1 (doi:10.1007/s11044-022-09829-w)."""
import math

TITLE = "Two masses held together by the coupling"
PUBLISHED = {1e-3: (3.23e-2, 1732), 1e-4: (3.29e-3, 13957), 1e-5: (3.30e-4, 87733)}


def run(page, h, duration, ratio, rho, *settings, may_fail=False):
    return page.run("two-mass", f"simulate.step={h} s", f"simulate.duration={duration} s", f"record.every={h} s",
                    f"constants.m2={ratio} kg", f"mechanism.integrator.rho_inf={rho}", *settings,
                    "record.series=[box]", may_fail=may_fail)


def error(series, ratio, what="x"):
    """L1 of position or velocity (TIGHT Eq. 34)."""
    omega = math.sqrt(5000 / (1 + ratio))
    exact = [0.1 / omega * math.sin(omega * t) if what == "x" else 0.1 * math.cos(omega * t) for t in series["t"]]
    name = "box.x" if what == "x" else "box.vx"
    return sum(abs(a - b) for a, b in zip(series[name], exact)) / sum(abs(b) for b in exact)


def table_1(page):
    page.text("""
`examples/two-mass.yaml`: a mass on a spring in the mechanism, a container on the grains' side, no grains;
`tests/coupling/test_two_mass.c`. L1 error of x2 in 0.1 s at omega01^2 = 5000 /s^2, r_m = 1, rho_inf = 0.6 (TIGHT
Table 1), and how often the grains' side was solved.""")
    rows, curves = [], {"tight, published": ([], []), "tight": ([], []), "condensed": ([], [])}
    for h, (published, solves) in PUBLISHED.items():
        row = [f"{h:g} s", f"{published:.2e}, {solves}"]
        for scheme in "tight", "condensed":
            series, summary = run(page, h, 0.1, 1, 0.6, f"coupling.scheme={scheme}")
            off = error(series, 1)
            row.append(f"{off:.2e}, {summary['coupling']['grain_solves']}")
            curves[scheme][0].append(h), curves[scheme][1].append(off)
        curves["tight, published"][0].append(h), curves["tight, published"][1].append(published)
        rows.append(row)
    page.table(["step", "tight, published", "tight", "condensed"], rows)
    page.plot("two-mass-order", "Error against the step", "step [s]", "L1 error of x2",
              [(name, *curve) for name, curve in curves.items()], log=True)


def ratios(page):
    page.text("The condensed scheme at other mass ratios (allowed: 2e-3, 2e-5, 2e-7):")
    rows = []
    for ratio in 0.01, 0.1, 1, 10, 100, 1000:
        rows.append([f"{ratio:g}"] + [f"{error(run(page, h, 0.1, ratio, 0.6)[0], ratio):.2e}" for h in (1e-3, 1e-4, 1e-5)])
    page.table(["r_m", "1e-3 s", "1e-4 s", "1e-5 s"], rows)


def inputs(page):
    page.text("""
EXPLICIT 4.1.3: rho_inf = 0.56, 0.5 s, L1 errors of position and velocity (Figs. 8 and 9: the original inputs diverge,
the modified ones are of first order).""")
    rows = []
    for name in "original", "index-3", "index-2", "index-1":
        row = [name]
        for h in 1e-3, 1e-4, 1e-5:
            series, summary = run(page, h, 0.5, 1, 0.56, "coupling.scheme=explicit", f"coupling.inputs={name}", may_fail=True)
            stopped = summary["status"] != "OK"
            row.append(f"diverged at {summary['time_s']:.3g} s" if stopped
                       else f"{error(series, 1):.2e}, {error(series, 1, 'v'):.2e}")
        rows.append(row)
    page.table(["inputs", "1e-3 s", "1e-4 s", "1e-5 s"], rows)


def write(page):
    table_1(page)
    ratios(page)
    inputs(page)
    page.text("Which scheme is stable at which mass ratio: [stability.md](theory/stability.md#which-scheme-is-stable-for-which-mass-ratio).")
