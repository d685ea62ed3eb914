"""DAMPER 3.4 (doi:10.3390/pr10071247): a damping map with its two zones, by friction law and by stiffness."""

import itertools
import math

TITLE = "Damping map"
FREQUENCIES = [5, 10, 20, 50]
CLEARANCE = 0.03  # [m]
CONTACT = "grains.damper.contact={{normal: linear, tangential: {}, stiffness: sized, sizing: {{overlap: {} %, beta: 3}}}}"
VARIANTS = {"directional, eta = 2 %": ("directional", 2), "elastic, eta = 2 %": ("elastic", 2),
            "directional, eta = 5 %": ("directional", 5), "directional, eta = 10 %": ("directional", 10)}


def write(page):
    page.text("""
`examples/damping-map.yaml` (500 steel balls, 30 mm of free height, shaken vertically) on a coarse grid: equivalent damping
ratio for a mass ratio of 1 % [%], with the standard deviation from cycle to cycle over the mean. The paper finds two zones of
high damping and little scatter: the bouncing bed, where the amplitude is above half of the clearance (15 mm), and the
beginning fluidisation from 1.5 to 4 g, which does not depend on frequency; neither friction law nor stiffness move them.""")
    maps, seconds, first = {}, {}, []
    for name, (friction, eta) in VARIANTS.items():
        # 5 Hz takes two thirds of the time: of one variant only.
        begin, top = (FREQUENCIES, "10..50") if not first else (FREQUENCIES[1:], f"{top_of(FREQUENCIES[1]):.12g}..50")
        lines, seconds[name] = page.study(
            "map", "damping-map", "--frequency", ",".join(map(str, begin)) + " Hz", "--acceleration", f"0.8:{top}:6:log g", "--skip", "8",
            "--periods", "10", "--set", CONTACT.format(friction, eta))
        first = first or lines
        maps[name] = {(line["constants.f[Hz]"], round(line["acceleration[g]"], 6)): line for line in lines}
    zones, rows, changes = ["solid", "bouncing bed", "fluidised"], [], {name: [] for name in VARIANTS}
    for line in first:
        f, g, A = line["constants.f[Hz]"], line["acceleration[g]"], line["amplitude_m[m]"]
        zone = zones[int(line["zone[1]"])]
        main = A > 0.015 or 1.5 <= g <= 4
        row = [f"{f:g}", f"{g:.2f}", f"{1e3 * A:.2f}", zone]
        for name, lines in maps.items():
            other = lines.get((f, round(g, 6)))
            if not other:
                row.append("")
                continue
            zeta = other["damping_ratio[1]"]
            row.append(f"{100 * zeta:.3f}, {other['energy_deviation_J[J]'] / other['energy_J[J]']:.0%}")
            if main:
                changes[name].append(abs(zeta - line["damping_ratio[1]"]) / max(zeta, line["damping_ratio[1]"]))
        rows.append(row)
        if g < 1:
            page.check(f"{f:g} Hz, {g:g} g: damping ratio over that of its row", line["damping_ratio[1]"] / best(first, f), high=0.05)
        if A > 0.015 and A * throw(g) > 1.5 * CLEARANCE:
            page.check(f"{f:g} Hz, {g:.2f} g, {1e3 * A:.1f} mm: bouncing bed", line["zone[1]"], 1, 1)
    page.table(["f [Hz]", "acceleration [g]", "A [mm]", "zone"] + list(VARIANTS), rows)
    means = {name: sum(values) / len(values) for name, values in changes.items()}
    page.text("Differences to the first in the two zones, mean: " + ", ".join(
        f"{name} {100 * means[name]:.0f} %" for name in list(VARIANTS)[1:]) + ". Processor time: " + ", ".join(
            f"{name} {value:.0f} s" for name, value in seconds.items()) + ".")
    for f in FREQUENCIES[2:]:
        top = max((line for line in first if line["constants.f[Hz]"] == f and line["amplitude_m[m]"] < 0.012),
                  key=lambda line: line["damping_ratio[1]"])
        page.check(f"{f:g} Hz: acceleration of the largest damping ratio below the bouncing bed [g]", top["acceleration[g]"], 1.3, 5)
    for name, mean in list(means.items())[1:]:
        page.check(f"{name}: mean difference in the zones", mean, high=0.15)
    page.plot("damping-map", "Equivalent damping ratio, mass ratio 1 %", "acceleration [g]", "%",
              [(f"{f:g} Hz", [line["acceleration[g]"] for line in first if line["constants.f[Hz]"] == f],
                [100 * line["damping_ratio[1]"] for line in first if line["constants.f[Hz]"] == f], "marked") for f in FREQUENCIES])


def top_of(f):
    """The largest acceleration at a frequency [g], as the map has it."""
    return 10 + 40 * (f - FREQUENCIES[0]) / (FREQUENCIES[-1] - FREQUENCIES[0])


def throw(gamma):
    """How high a block that does not rebound is thrown above the floor, over the amplitude: it leaves where the floor
    falls faster than gravity, at sin(phase) = 1/gamma."""
    if gamma <= 1:
        return 0
    start = math.asin(1 / gamma)
    heights = (math.sin(start) + math.cos(start) * t - t * t / (2 * gamma) - math.sin(start + t)
               for t in (0.01 * k for k in range(1, int(300 * gamma))))
    return max(itertools.takewhile(lambda height: height > 0, heights))


def best(lines, f):
    return max(line["damping_ratio[1]"] for line in lines if line["constants.f[Hz]"] == f)
