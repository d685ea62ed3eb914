"""DAMPER 2.4 and 3.5 (doi:10.3390/pr10071247): beam with a particle damper on a controlled shaker."""
import re

TITLE = "Beam on a controlled shaker"
LEVELS = {0.5: "6.1:6.8:8 Hz", 0.75: "6.14:6.62:25 Hz", 1: "5.9:6.8:10 Hz", 1.25: "5.8:6.8:11 Hz", 1.5: "5.8:6.8:11 Hz",
          2.5: "5.9:6.8:10 Hz"}
CLOSER = {0.75: ["--tolerance", "0.02"]}  # the damping grows steeply with the level there
PUBLISHED = {0.75: "2.32 % (directional), 2.40 % (elastic friction), 2.32 % (Chrono); measured 1.31 %",
             1.25: "the measured maximum"}


def write(page):
    page.text("""
DAMPER 2.4 and 3.5: an aluminium beam with 120 steel balls of 3 mm in a can near its end, shaken so that the acceleration near
the can has a given r.m.s. value at every frequency. Model: `examples/beam-shaker.yaml`, with the paper's directional
friction, sized contacts and coefficients; one bed. At 0.75 g the level is held to 2 % instead of 5 %, because there
the damping grows steeply with the level, and frequencies are 0.02 Hz apart, as in the paper's experiment. The command of the second line is

    maraca response examples/beam-shaker.yaml --frequency '6.14:6.62:25 Hz' --signal tip.ay --control 'tip.ay=0.75 g' \\
        --drive F --tolerance 0.02

and the others have other levels and frequencies. The damping ratio is that of the half-power bandwidth of acceleration over
force. The maximum is where the paper has it.

At 0.75 g, close to where the bed begins to move, the damping scatters, and it may depend on what the grains have been through
(one bed, run once each way, does not prove it): the same bed has 2.60 % with nine frequencies that are 0.075 Hz apart, and 2.12 % with the 25 that are 0.02 Hz apart, and the two
need 0.361 and 0.294 N at the same 6.4 Hz, after 4 and 13 other frequencies. The paper's three values lie between. That the
grains arrange themselves during the search for the force is what it supposes to be the reason why its own values are higher than
the measured one. Three beds with nine frequencies had 2.33 to 2.99 %, 2.65 % of their mean curve. A parabola
fitted to all points above half of the power, instead of one through the three next to the peak, gives 2.2 % with 25
frequencies, whether from the first harmonic or from the r.m.s. value, and 2.5 to 2.7 % with nine.""")
    rows, ratios = [], {}
    levels = LEVELS if page.writes else {0.75: LEVELS[0.75]}  # a level takes some eight minutes of processor time
    started = [page.start_study("response", "beam-shaker", "--frequency", frequencies, "--signal", "tip.ay", "--control",
                                f"tip.ay={level:g} g", "--drive", "F", *CLOSER.get(level, []), "--threads", "1")
               for level, frequencies in levels.items()]
    for level, one in zip(levels, started):
        lines = page.end_study(*one)
        held = sum(line["converged[1]"] == 1 for line in lines)
        found = re.search(r"damping ratio ([\d.]+) %, natural frequency ([\d.]+) Hz(; not to be trusted: (.*))?", page.report)
        none = re.search(r"no half-power bandwidth: (.*)", page.report)
        peak = max(lines, key=lambda line: line["amplitude[m/s^2]"] / line["drive[N]"])
        if found:
            ratios[level] = float(found[1])
        rows.append([f"{level:g} g", f"{found[1]} %" if found else "none", (found[4] or "") if found else none[1],
                     f"{peak['inputs.frequency[Hz]']:g} Hz", f"{peak['amplitude[m/s^2]'] / peak['drive[N]']:.1f}",
                     f"{held} of {len(lines)}", PUBLISHED.get(level, "")])
    page.table(["level", "damping ratio", "doubt", "peak at", "acceleration over force there [1/kg]", "level held at", "published"], rows)
    page.plot("beam-shaker", "Damping ratio over the level", "level [g]", "%",
              [("half-power bandwidth", list(ratios), list(ratios.values()), "marked")])
    # Published 2.32 to 2.40, and single beds scatter by 0.33 about their mean.
    page.check("damping ratio at 0.75 g [%]", ratios.get(0.75, float("nan")), 1.8, 2.7)
    if page.writes:
        page.check("level of the largest damping ratio [g]", max(ratios, key=ratios.get), 1, 1.5)
