"""Particle damper without a lid: loss factor and apparent mass over acceleration (Ferreyra et al. 2020, arXiv 2007.07961)."""
import cmath
import math

TITLE = "Loss factor and effective mass over acceleration"
FREQUENCIES = [10, 20, 40]
GRAVITY, G = 9.81, 9.80665  # of the model, and of accelerations in g
ACCELERATIONS = [1.3, 1.6, 2, 2.5, 3.2, 4, 5, 6.5]


def landing(start, gamma):
    """Phase of the impact of a ball that leaves the plate sin(phase) at `start`; positions over A, times in phase."""
    def gap(t):
        return math.sin(start) + math.cos(start) * t - t * t / (2 * gamma) - math.sin(start + t)
    low = 1e-3
    while gap(low + 0.01) > 0:
        low += 0.01
    high = low + 0.01
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0 else (low, middle)
    return start + low


def bouncing_ball(gamma, cycles=400):
    """Energy per cycle over m (A w)^2 and effective mass over m of a ball without restitution on the plate A sin(w t) with
    A w^2 = gamma g. It leaves the plate when that falls faster than the ball would; contact forces are -m (g + a), and an
    impact gives m times the difference of the velocities. Sums over many cycles: beyond gamma = 3.3 flights are longer than a
    period, and of different lengths."""
    start, energy, force = math.asin(1 / gamma), 0, 0j
    phase, end = start, start + 2 * math.pi * cycles
    while phase < end:
        land = landing(phase, gamma)
        speed = math.cos(phase) - (land - phase) / gamma - math.cos(land)  # of the ball to the plate, over A w
        energy += 0.5 * speed * speed
        force += speed * cmath.exp(-1j * land)  # on the plate, which the ball pushes down: speed < 0
        turns = math.floor((land - start) / (2 * math.pi))
        inside = start + 2 * math.pi * turns  # the last time before at which it would have left
        if math.sin(land) > 1 / gamma:
            phase = land  # it leaves at once
            continue
        leave = start + 2 * math.pi * (turns + 1) if land > inside else inside
        steps = 400
        for k in range(steps):  # rests on the plate from `land` to `leave`: force -(1/gamma - sin) in m A w^2
            t = land + (leave - land) * (k + 0.5) / steps
            force -= (1 / gamma - math.sin(t)) * cmath.exp(-1j * t) * (leave - land) / steps
        phase = leave
    turns = (phase - start) / (2 * math.pi)
    harmonic = force / (math.pi * turns)  # first harmonic, in m A w^2; the velocity has cos, 1
    power = -0.5 * harmonic
    return energy / turns, 2 * power.imag


def write(page):
    page.text("""
A particle damper without a lid (`tests/validation/models/open-damper.yaml`: 80 rigid glass balls of 2 mm in a box of
8 x 8 mm, restitution 0.3), shaken vertically, by `maraca map` at three frequencies over the acceleration gamma = A w^2/g.
Ferreyra et al. 2020 (arXiv 2007.07961) find by simulations that loss factor and apparent mass of such dampers do not depend
on frequency or dimension as long as grains are stiff, that the loss factor is that of a ball without restitution on the
plate, which falls as 1/gamma in the end, and that the mass falls as well and becomes negative. Here the loss factor is
the energy per cycle over pi m_p A_V^2, m_p being the mass of all grains, and the mass is the effective one over m_p. The
columns `ball` are that of the ball, from its equations (its flights last longer than a period beyond gamma = 3.3). One
bed:""")
    rows, _ = page.study("map", "open-damper", "--frequency", ",".join(map(str, FREQUENCIES)) + " Hz", "--acceleration",
                         ",".join(map(str, ACCELERATIONS)) + " g", "--skip", "8", "--periods", "24")
    found = {(row["constants.f[Hz]"], row["acceleration[g]"]): row for row in rows}
    table, losses, masses, balls = [], {}, {}, []
    for gamma in ACCELERATIONS:
        energy, mass = bouncing_ball(gamma * G / GRAVITY)
        balls.append((energy / math.pi, mass))
        for f in FREQUENCIES:
            row = found[f, gamma]
            speed = 2 * math.pi * f * row["amplitude_m[m]"]
            losses.setdefault(f, []).append(row["energy_J[J]"] / (math.pi * row["mass_kg[kg]"] * speed ** 2))
            masses.setdefault(f, []).append(row["effective_mass_ratio[1]"])
        table.append([f"{gamma:g}"] + [f"{losses[f][-1]:.3f}" for f in FREQUENCIES] + [f"{balls[-1][0]:.3f}"]
                     + [f"{masses[f][-1]:.3f}" for f in FREQUENCIES] + [f"{balls[-1][1]:.3f}"])
    page.table(["gamma"] + [f"loss, {f} Hz" for f in FREQUENCIES] + ["ball"] + [f"mass, {f} Hz" for f in FREQUENCIES]
               + ["ball"], table)
    for name, label, values, which in ("loss", "loss factor", losses, 0), ("mass", "effective mass / m_p", masses, 1):
        page.plot(f"universal-{name}", f"Damper without a lid: {label}", "gamma", label,
                  [(f"{f} Hz", ACCELERATIONS, values[f], "marked") for f in FREQUENCIES]
                  + [("one ball without restitution", ACCELERATIONS, [b[which] for b in balls])])
    spread = [max(losses[f][k] for f in FREQUENCIES) / min(losses[f][k] for f in FREQUENCIES) - 1
              for k in range(len(ACCELERATIONS))]
    for k, gamma in enumerate(ACCELERATIONS):
        page.check(f"gamma = {gamma:g}: loss factors of three frequencies apart", spread[k], high=0.05 if gamma <= 4 else 0.3)
        apart = max(masses[f][k] for f in FREQUENCIES) - min(masses[f][k] for f in FREQUENCIES)
        page.check(f"gamma = {gamma:g}: effective masses apart", apart, high=0.12)
    for k, gamma in enumerate(ACCELERATIONS):
        mean = sum(losses[f][k] for f in FREQUENCIES) / len(FREQUENCIES)
        page.check(f"gamma = {gamma:g}: loss factor, bed over ball", mean / balls[k][0], 0.8, 1.2)
