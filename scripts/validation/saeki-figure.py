"""TIGHT Fig. 14 (doi:10.1016/j.mechmachtheory.2020.104181): Saeki's damper over frequency."""
import math

TITLE = "Saeki's damper over frequency"
FREQUENCIES = "8:16:17 Hz"
COUNTS = {200: "m_r = 0.092", 250: "m_r = 0.115"}
# DAMPER Table 5 (doi:10.3390/pr10071247) has Saeki's grains with this restitution; contacts are sized with its constants.
SMOOTH = ["grains.damper.method=smooth", "materials.acrylic.restitution=0.896",
          "grains.damper.contact={normal: linear, tangential: directional, stiffness: sized, "
          "sizing: {overlap: 10 %, beta: 3, speed: 0.7 m/s}}"]


def without_grains(f, mass=0.293, k=1602.7, c=0.116, X=1e-3):
    """R.m.s. of the box for good, with its foot moving by X."""
    w = 2 * math.pi * f
    return X / math.sqrt(2) * math.hypot(k, c * w) / math.hypot(k - mass * w * w, c * w)


def response(page, model, *settings, words=()):
    words = ["--frequency", FREQUENCIES, "--signal", "box.x", "--reference", "foot.x", *words]
    for setting in settings:
        words += ["--set", setting]
    return page.study("response", model, *words)


def size(page, row):
    spread = f" +- {1e3 * row['rms.interval[m]']:.2f}" if page.beds > 1 else ""
    return f"{1e3 * row['rms[m]']:.2f}{spread}"


def empty(page):
    rows, seconds = response(page, "saeki-empty", words=["--steady", "0.002", "--most", "1000"])
    off = max(abs(row["rms[m]"] / without_grains(row["inputs.frequency[Hz]"]) - 1) for row in rows)
    page.check("no grains: r.m.s. against the formula", off, high=0.005)
    return [row["rms[m]"] for row in rows], seconds, off


def write(page):
    beds = "one bed" if page.beds == 1 else f"mean of {page.beds} beds with half of its 95 % interval"
    page.text(f"""
TIGHT Fig. 14: r.m.s. of the box over frequency, by `maraca response` from 8 to 16 Hz upwards (17 frequencies, each until the
response is steady), {beds} [mm]. Rigid grains are `examples/saeki.yaml` as it
is; smooth ones have the restitution of DAMPER Table 5, 0.896, and contacts sized with its constants. In the paper, as in
Saeki's experiment, grains suppress the resonance, 250 of them more than 200, and below it the box moves a little more than
without them.""")
    none, seconds, off = empty(page)
    curves, total = {}, seconds
    for method, settings in ("rigid", []), ("smooth", SMOOTH):
        for count, name in COUNTS.items():
            rows, seconds = response(page, "saeki", f"grains.damper.particles.count={count}", *settings,
                                     words=["--beds", str(page.beds), "--stationary", "12"])
            curves[method, count] = rows, seconds
            total += seconds if method == "rigid" else 0
    frequencies = [row["inputs.frequency[Hz]"] for row in rows]
    page.table(["f [Hz]", "none"] + [f"{method}, {COUNTS[count]}" for method, count in curves],
               [[f"{f:g}", f"{1e3 * none[k]:.2f}"] + [size(page, rows[k]) for rows, _ in curves.values()] for k, f in enumerate(frequencies)])
    seconds = ", ".join(f"{method} {count} grains {curves[method, count][1]:.0f} s" for method, count in curves)
    page.text(f"""
Without grains the r.m.s. is that of the formula for one mass to {100 * off:.2f} %. Processor time: {seconds}; the paper's three
curves with rigid grains {total:.0f} s in all.""")
    bare = [8 + 0.02 * k for k in range(401)]
    page.plot("saeki-figure", "R.m.s. of the box over frequency", "f [Hz]", "mm",
              [(f"{method}, {COUNTS[count]}", frequencies, [1e3 * row["rms[m]"] for row in rows], "marked")
               for (method, count), (rows, _) in curves.items()]
              + [("no grains", [f for f in bare if without_grains(f) < 0.02], [1e3 * without_grains(f) for f in bare if without_grains(f) < 0.02])])
    for method in "rigid", "smooth":
        top = {count: max(row["rms[m]"] for row in curves[method, count][0]) for count in COUNTS}
        page.check(f"{method}: 250 grains against 200, highest r.m.s.", top[250] / top[200], high=0.99)
        page.check(f"{method}: highest r.m.s. against none at 11.77 Hz", top[200] / without_grains(11.77), high=0.2)
        for count in COUNTS:
            k = frequencies.index(10)
            page.check(f"{method}: {count} grains at 10 Hz against none", curves[method, count][0][k]["rms[m]"] / none[k], 1.0, 1.45)
    for count in COUNTS:
        apart = [abs(a["rms[m]"] / b["rms[m]"] - 1) for a, b in zip(curves["rigid", count][0], curves["smooth", count][0])]
        page.check(f"{count} grains: rigid against smooth, mean difference", sum(apart) / len(apart), high=0.15)
