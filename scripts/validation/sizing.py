"""DAMPER 2.2 and 3.3, Table 5 (doi:10.3390/pr10071247): how soft contacts may be, for several of its configurations."""
import json
import os

TITLE = "Stiffness sizing"
# name: settings of saeki-smooth.yaml, published eta and beta
CASES = {
    "Saeki's original": ([], 0.11, 2.7),
    "bigger particles": (["grains.damper.particles.radius=6 mm", "grains.damper.particles.count=25"], 0.3, 3.0),
    "double amplitude": (["constants.X=2 mm"], 0.4, 2.5),
    "half of the friction": (["constants.mu=0.26"], 0.25, 2.8),
    "longer cavity": (["constants.long=78 mm"], 0.3, 2.3),
    "gravity along the motion": (["gravity=-9.8 0 0 m/s^2"], 0.11, 2.8),
}


def write(page):
    page.text("""
`maraca size tests/validation/models/saeki-smooth.yaml` for six of the twelve configurations of DAMPER Table 5, three beds each,
with the material's 90.6 kN/m as the reference, 2 s near the resonance (11 Hz). The paper looks at transfer functions over
frequency and reads its constants from plots; here the measure is the amplitude of the box at that frequency, which may change by
10 %. The paper's conclusion is that an overlap of a tenth of the radius and beta = 3 are safe for all of them.""")
    rows = []
    for name, (settings, eta, beta) in CASES.items():
        words = ["--beds", str(page.beds), "--within", "10", "--reference", "90.6 kN/m", "--decades", "3", "--levels", "7",
                 "--measure", "amplitudes.box.amplitude_m"]
        for setting in settings:
            words += ["--set", setting]
        _, seconds = page.study("size", "saeki-smooth", *words)
        with open(os.path.join(page.results, "study.json")) as file:
            sized = json.load(file)["sizing"]
        rows.append([name, f"{sized['eta']:.2f}", f"{eta:g}", f"{sized['beta']:.2f} +- {sized['beta_interval']:.2f}", f"{beta:g}",
                     f"{1e-3 * sized['stiffness_N_per_m']:.3g}", f"{sized['speed_up']:.1f}", f"{seconds:.0f}"])
        page.check(f"{name}: eta", sized["eta"], low=0.1)
        page.check(f"{name}: beta", sized["beta"], high=3.0)
    page.table(["configuration", "eta", "published", "beta", "published", "least stiffness [kN/m]", "speed-up of the step", "processor time [s]"],
               rows)
