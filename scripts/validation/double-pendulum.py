"""EXPLICIT 4.2 (doi:10.1007/s11044-022-09829-w): a double pendulum cut at its revolute joint."""
import math

TITLE = "Double pendulum cut at its hinge"
WHOLE = """maraca: 1
gravity: 0 -9.81 0 m/s^2
mechanism:
  integrator: {rho_inf: 1, tolerance: 1e-9}
  bodies:
    upper: {position: 0.2 0 0 m, rotation: {axis: z, angle: 90 deg}, velocity: 0 0.1 0 m/s,
            angular_velocity: 0 0 0.5 rad/s, mass: 1 kg, inertia: 1 1 1 kg*m^2}
    lower: {position: 0.6 0 0 m, rotation: {axis: z, angle: 90 deg}, velocity: 0 0.3 0 m/s,
            angular_velocity: 0 0 0.5 rad/s, mass: 1 kg, inertia: 1 1 1 kg*m^2}
  joints:
    pivot: {revolute: upper, at: 0 0 0 m, axis: z}
    hinge: {revolute: [upper, lower], at: 0.4 0 0 m, axis: z}
simulate: {duration: 5 s, step: 0.25 ms}
record: {every: 5 ms, series: [upper.rz, upper.wz, lower.wz]}
"""
SCHEMES = [("explicit", "index-1"), ("explicit", "index-2"), ("explicit", "index-3"), ("explicit", "original"),
           ("loose", None), ("tight", None), ("condensed", None), ("monolithic", None), ("multirate", None),
           ("overlapped", None)]


def off(a, b):
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b)) / sum(y * y for y in b))


def write(page):
    page.text("""
`examples/double-pendulum.yaml`: the lower link is a container that turns freely at the port. R.m.s. difference to both
links in one mechanism, over the r.m.s., in 5 s at 1 ms: angle and rate of the upper link, rate of the lower one. (The
paper shows curves that lie on each other; `tests/validation/test_double_pendulum.c` also finds the first order.)""")
    path = page.folder + "/whole.yaml"
    with open(path, "w") as file:
        file.write(WHOLE)
    whole, _ = page.run(path)
    rows, curves = [], [("one mechanism", whole["t"], whole["lower.wz"])]
    for scheme, inputs in SCHEMES:
        settings = [f"coupling.scheme={scheme}"] + ([f"coupling.inputs={inputs}"] if inputs else [])
        series, summary = page.run("double-pendulum", *settings)
        rows.append([scheme + (f", {inputs}" if inputs else "")]
                    + [f"{off(series[name], whole[name]):.1e}" for name in ("upper.rz", "upper.wz", "lower.wz")]
                    + [f"{summary['coupling']['largest_gap_m']:.1e}"])
        if (scheme, inputs) in SCHEMES[:1] or scheme == "condensed":
            curves.append((scheme, series["t"], series["lower.wz"]))
    page.table(["scheme", "angle, upper", "rate, upper", "rate, lower", "gap at the hinge [m]"], rows)
    page.plot("double-pendulum", "Angular velocity of the lower link", "t [s]", "rad/s", curves)
