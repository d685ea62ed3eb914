"""Which coupling scheme survives at which mass ratio: runs of the two-mass oscillator beside what the maps say.

TIGHT is doi:10.1016/j.mechmachtheory.2020.104181."""
import json
import math
import subprocess

from measures import mean

TITLE = ""
PAGE = "docs/theory/stability.md"
RATIOS = [0.01, 0.1, 0.5, 1, 2, 5, 10, 100, 1000]
STEP, DURATION, RHO = 1e-4, 0.5, 0.6
# name, settings of the run, words for `maraca stability`
SCHEMES = [("loose", [], ["--scheme", "loose"]),
           ("explicit, original", ["coupling.inputs=original"], ["--scheme", "explicit", "--inputs", "original"]),
           ("explicit, index-1", ["coupling.inputs=index-1"], ["--scheme", "explicit", "--inputs", "index-1"]),
           ("multirate", [], ["--scheme", "multirate"]),
           ("overlapped", [], ["--scheme", "overlapped"]),
           ("tight, plain", ["coupling.acceleration=none"], None),
           ("tight", [], ["--scheme", "tight"]),
           ("monolithic", [], ["--scheme", "monolithic"]),
           ("condensed", [], ["--scheme", "condensed"])]


def error(series, ratio):
    """L1 of x2 (TIGHT Eq. 34)."""
    omega = math.sqrt(5000 / (1 + ratio))
    exact = [0.1 / omega * math.sin(omega * t) for t in series["t"]]
    return mean([abs(a - b) for a, b in zip(series["box.x"], exact)]) / mean([abs(b) for b in exact])


def radius(page, words, ratio):
    point = f"{math.sqrt(5000) * STEP}"
    done = subprocess.run([page.program, "stability", *words, "--mass-ratio", f"{ratio}", "--rho", f"{RHO}:{RHO}:1",
                           "--omega-h", f"{point}:{point}:1", "--frequency-ratio", "0", "--json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["radius"][0][0]


def write(page):
    page.text(f"""
**By runs** of `examples/two-mass.yaml` (rho_inf = {RHO}, h = 0.1 ms, {DURATION} s): the L1 error of x2 where the scheme came
to the end, otherwise at which step its divergence was caught, with the growth per step that the map predicts. `tight,
plain` is the fixed point without acceleration, as published, with at most 50 rounds.""")
    rows = []
    for ratio in RATIOS:
        row = [f"{ratio:g}"]
        for name, settings, words in SCHEMES:
            series, summary = page.run("two-mass", f"coupling.scheme={name.split(',')[0]}", *settings,
                                       f"simulate.step={STEP} s", f"simulate.duration={DURATION} s",
                                       f"record.every={STEP} s", f"constants.m2={ratio} kg",
                                       f"mechanism.integrator.rho_inf={RHO}", "record.series=[box]", may_fail=True)
            survives = summary["status"] == "OK"
            growth = radius(page, words, ratio) if words else None
            row.append(f"{error(series, ratio):.1e}" if survives
                       else f"step {summary['steps']}" + (f" ({growth:.3g})" if growth else ""))
            if growth and abs(growth - 1) > 5e-3 or name in ("condensed", "tight"):
                page.check(f"r_m = {ratio:g}, {name} survives (radius {growth:.4g})", survives, *[growth < 1 + 1e-6] * 2)
        rows.append(row)
    page.table(["r_m"] + [name for name, _, _ in SCHEMES], rows)
