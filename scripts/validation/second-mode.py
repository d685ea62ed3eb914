"""TIGHT 5.2.3 (doi:10.1016/j.mechmachtheory.2020.104181), Figs. 19 and 20."""
from measures import between, component, half_range, rms

TITLE = "Cantilever with a damper: the second mode"
LATE = (0.5, 2.0)


def write(page):
    page.text("""
`examples/cantilever-damper-127hz.yaml`: 2 N at 127 Hz, clearance 4 mm, h = 10 us; damping of the beam that fades away
until 0.4 s takes out the swinging that gravity starts. With the mass of the grains fixed to the shell:
`tests/validation/models/cantilever-lumped-127hz.yaml`. The paper finds resonance with the fixed mass, and that grains
suppress it (Figs. 19 and 20, which are curves). The second frequency is 127.86 Hz here and 127.46 Hz there, so that
127.4 Hz are as far from resonance here as 127 Hz there. Displacement and velocity in 0.5 to 2 s: amplitude of the line
at the frequency of the force, r.m.s. of the velocity, range of the displacement, and what is left of the swinging in
the first mode.""")
    rows, found, curves, spectra = [], {}, [], []
    for name, model, f in (("mass fixed", "cantilever-lumped-127hz", 127), ("grains", "cantilever-damper-127hz", 127),
                           ("mass fixed", "cantilever-lumped-127hz", 127.4), ("grains", "cantilever-damper-127hz", 127.4)):
        series, _ = page.run(model, f"constants.f={f} Hz")
        late = between(series, *LATE)
        lines = [component(late["t"], late[signal], f) for signal in ("shell.y", "shell.vy")]
        slow = component(late["t"], late["shell.y"], 15.6)
        found[name, f] = lines
        rows.append([name, f"{f} Hz", f"{1e3 * lines[0]:.3f}", f"{lines[1]:.3f}", f"{rms(late['shell.vy']):.3f}",
                     f"{1e3 * half_range(late['shell.y']):.2f}", f"{1e3 * slow:.3f}"])
        if f != 127:
            continue
        curves.append((name, series["t"], series["shell.vy"]))
        fs = [100 + 0.5 * k for k in range(109)]
        spectra.append((name, fs, [component(late["t"], late["shell.vy"], x) for x in fs]))
    page.table(["", "force at", "y there [mm]", "v there [m/s]", "v, r.m.s. [m/s]", "y, half range [mm]", "y at 15.6 Hz [mm]"],
               rows)
    page.plot("second-mode", "Velocity of the shell at 127 Hz", "t [s]", "m/s", curves)
    page.plot("second-mode-spectrum", "Its spectrum, 0.5 to 2 s", "f [Hz]", "m/s", spectra)
    for f in 127, 127.4:
        for k, what in enumerate(("y", "v")):
            page.check(f"{what} at {f} Hz, grains over fixed mass", found["grains", f][k] / found["mass fixed", f][k], high=0.4)
