"""DAMPER 3.4 (doi:10.3390/pr10071247): a damping map with its two zones, by friction law and by stiffness."""

TITLE = "Damping map"
FREQUENCIES = [5, 10, 20, 50]
CONTACT = "grains.damper.contact={{normal: linear, tangential: {}, stiffness: sized, sizing: {{overlap: {} %, beta: 3}}}}"
VARIANTS = {"directional, eta = 2 %": ("directional", 2), "elastic, eta = 2 %": ("elastic", 2),
            "directional, eta = 5 %": ("directional", 5), "directional, eta = 10 %": ("directional", 10)}


def write(page):
    page.text("""
`examples/damping-map.yaml` (500 steel balls, 30 mm of free height, shaken vertically) on a coarse grid: equivalent damping
ratio for a mass ratio of 1 % [%], with the standard deviation from cycle to cycle over the mean. The paper finds two zones of
high damping and little scatter: the bouncing bed, where the amplitude is above half of the clearance (15 mm), and the
beginning fluidisation from 1.5 to 4 g, which does not depend on frequency; neither friction law nor stiffness move them.""")
    maps, seconds = {}, {}
    for name, (friction, eta) in VARIANTS.items():
        maps[name], seconds[name] = page.study(
            "map", "damping-map", "--frequency", ",".join(map(str, FREQUENCIES)) + " Hz", "--acceleration", "0.8:10..50:6:log g", "--skip", "8",
            "--periods", "10", "--set", CONTACT.format(friction, eta))
    first = maps["directional, eta = 2 %"]
    zones, rows, changes = ["solid", "bouncing bed", "fluidised"], [], {name: [] for name in VARIANTS}
    for k, line in enumerate(first):
        f, g, A = line["constants.f[Hz]"], line["acceleration[g]"], line["amplitude_m[m]"]
        zone = zones[int(line["zone[1]"])]
        main = A > 0.015 or 1.5 <= g <= 4
        row = [f"{f:g}", f"{g:.2f}", f"{1e3 * A:.2f}", zone]
        for name, lines in maps.items():
            zeta = lines[k]["damping_ratio[1]"]
            row.append(f"{100 * zeta:.3f}, {lines[k]['energy_deviation_J[J]'] / lines[k]['energy_J[J]']:.0%}")
            if main:
                changes[name].append(abs(zeta - line["damping_ratio[1]"]) / max(zeta, line["damping_ratio[1]"]))
        rows.append(row)
        if g < 1:
            page.check(f"{f:g} Hz, {g:g} g: damping ratio over that of its row", line["damping_ratio[1]"] / best(first, f), high=0.05)
        if A > 0.02:
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


def best(lines, f):
    return max(line["damping_ratio[1]"] for line in lines if line["constants.f[Hz]"] == f)
