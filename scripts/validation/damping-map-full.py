"""DAMPER 3.4 (doi:10.3390/pr10071247): the damping map on the paper's grid, 50 minutes of processor time."""

TITLE = "Damping map, the whole grid"
LONG = True
FREQUENCIES = "5,6,7.5,10,12.5,15,20,25,35,50,70,90,100"
CLEARANCE = 0.03  # [m]
BOUNCING, FLUIDISED = 1, 2


def write(page):
    lines, _ = page.study("map", "damping-map", "--frequency", FREQUENCIES, "--acceleration", "0.8:10..100:21:log g",
                          "--skip", "10", "--periods", "10")
    rows, bouncing, between = [], [], []
    for f in sorted({line["constants.f[Hz]"] for line in lines}):
        row = [line for line in lines if line["constants.f[Hz]"] == f]
        begun = next((k for k, line in enumerate(row) if line["zone[1]"] == BOUNCING), len(row))
        fluid = largest(row[:begun])
        rows.append([f"{f:g}", f"{fluid['acceleration[g]']:.2f}", f"{percent(fluid):.3f}", f"{100 * scatter(fluid):.1f} %"])
        if f >= 10:
            page.check(f"{f:g} Hz: acceleration of the largest damping ratio before the bed bounces [g]", fluid["acceleration[g]"], 1.5, 4)
        found = [line for line in row if line["zone[1]"] == BOUNCING]
        bouncing += [scatter(line) for line in found if line["amplitude_m[m]"] > CLEARANCE / 2]
        between += [scatter(line) for line in row if line["zone[1]"] == FLUIDISED and line["acceleration[g]"] > 6]
        best = largest(found) if found else None
        rows[-1] += [f"{1e3 * best['amplitude_m[m]']:.1f}", f"{best['acceleration[g]']:.1f}", f"{percent(best):.3f}",
                     f"{100 * scatter(best):.1f} %"] if best else ["", "", "", ""]
        for line in row:
            if line["amplitude_m[m]"] > 0.6 * CLEARANCE and line["acceleration[g]"] > 2.5:
                page.check(f"{f:g} Hz, {1e3 * line['amplitude_m[m]']:.1f} mm: bouncing bed", line["zone[1]"], BOUNCING, BOUNCING)
    page.text(f"""
`maraca map examples/damping-map.yaml` on 13 frequencies by 21 accelerations, 273 points of 10 cycles each after 10 that are left
out (the command is in [studies.md](studies.md), what it takes in [performance.md](performance.md)). Damping ratio for a mass ratio
of 1 %, with the standard deviation from cycle to cycle over the mean. The two zones of the paper: fluidisation has its largest
damping between 1.5 and 4 g whatever the frequency, and the bed bounces as a whole where the amplitude comes to half of the
clearance (15 mm) and more. The scatter is {100 * bar(bouncing):.1f} % there on average, and {100 * bar(between):.0f} % at the points above 6 g
that are in neither.""")
    page.table(["f [Hz]", "fluidised, at [g]", "damping ratio [%]", "scatter", "bouncing, at [mm]", "[g]", "damping ratio [%]", "scatter"], rows)
    page.check("mean scatter of the bouncing bed over that between the zones", bar(bouncing) / bar(between), high=0.1)
    page.plot("damping-map-full", "Equivalent damping ratio, mass ratio 1 %", "acceleration [g]", "%",
              [(f"{f:g} Hz", [line["acceleration[g]"] for line in lines if line["constants.f[Hz]"] == f],
                [percent(line) for line in lines if line["constants.f[Hz]"] == f], "marked") for f in (5, 10, 20, 35, 100)])


def largest(lines):
    return max(lines, key=lambda line: line["damping_ratio[1]"])


def percent(line):
    return 100 * line["damping_ratio[1]"]


def scatter(line):
    return line["energy_deviation_J[J]"] / line["energy_J[J]"]


def bar(values):
    return sum(values) / len(values)
