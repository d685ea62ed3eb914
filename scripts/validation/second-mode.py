"""TIGHT 5.2.3 (doi:10.1016/j.mechmachtheory.2020.104181), Figs. 19 and 20."""
from measures import between, component, half_range, rms

TITLE = "Cantilever with a damper: the second mode"
LATE = (0.5, 2.0)


def write(page):
    page.text("""
`examples/cantilever-damper-127hz.yaml`: 2 N at 127 Hz, clearance 4 mm, h = 10 us; damping of the beam that fades away
until 0.4 s takes out the swinging that gravity starts. With the mass of the grains fixed to the shell:
`tests/validation/models/cantilever-lumped-127hz.yaml`. The paper finds resonance with the fixed mass, and that grains
suppress it (Figs. 19 and 20, which are curves). Displacement and velocity in 0.5 to 2 s: amplitude of the line at
127 Hz, and r.m.s. of the velocity.""")
    rows, found, curves, spectra = [], {}, [], []
    for name, model in ("mass fixed", "cantilever-lumped-127hz"), ("grains", "cantilever-damper-127hz"):
        series, _ = page.run(model)
        late = between(series, *LATE)
        lines = [component(late["t"], late[signal], 127) for signal in ("shell.y", "shell.vy")]
        slow = component(late["t"], late["shell.y"], 15.6)
        found[name] = lines + [rms(late["shell.vy"]), slow]
        rows.append([name, f"{1e6 * lines[0]:.2f}", f"{1e3 * lines[1]:.2f}", f"{1e3 * found[name][2]:.2f}",
                     f"{1e6 * half_range(late['shell.y']):.1f}", f"{1e6 * slow:.2f}"])
        curves.append((name, series["t"], [1e3 * v for v in series["shell.vy"]]))
        fs = [100 + 0.5 * k for k in range(109)]
        spectra.append((name, fs, [1e3 * component(late["t"], late["shell.vy"], f) for f in fs]))
    page.table(["", "y at 127 Hz [um]", "v at 127 Hz [mm/s]", "v, r.m.s. [mm/s]", "y, half range [um]",
                "y at 15.6 Hz [um]"], rows)
    page.plot("second-mode", "Velocity of the shell at 127 Hz", "t [s]", "mm/s", curves)
    page.plot("second-mode-spectrum", "Its spectrum, 0.5 to 2 s", "f [Hz]", "mm/s", spectra)
    page.check("v at 127 Hz, grains over fixed mass", found["grains"][1] / found["mass fixed"][1], high=0.5)
    page.check("y at 127 Hz, grains over fixed mass", found["grains"][0] / found["mass fixed"][0], high=0.5)
