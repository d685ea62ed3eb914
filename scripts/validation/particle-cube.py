"""MULTIRATE 3.1, Table I (doi:10.1108/EC-07-2017-0246): a particle hits a cube that is free to move."""
TITLE = "A particle against a cube"
CUBE, SPEED, RESTITUTION = 10, 2, 0.5
MASSES = (0.01, 0.02, 0.1, 1, 2, 10)  # kg
PUBLISHED = ("0.141, 0.672", "0.130, 0.642", "0.365, 0.783", "4.31, 0.943", "10.8, 2.09", "22.7, 7.84")  # particle, cube


def write(page):
    page.text("""
`examples/particle-cube.yaml`: a particle hits a cube of 10 kg with 2 m/s, restitution 0.5. Errors of both velocities
after the impact against Eqs. 17 and 18, in per cent; EDEM took walls for infinitely heavy
(`tests/coupling/test_particle_cube.c` has other exchange steps).""")
    rows = []
    for mass, published in zip(MASSES, PUBLISHED):
        particle = SPEED * (mass - RESTITUTION * CUBE) / (mass + CUBE)
        cube = mass * SPEED * (1 + RESTITUTION) / (mass + CUBE)
        row = [f"{mass:g} kg", f"{particle:.4f}, {cube:.4f}", published]
        for method in ("smooth", "nonsmooth"):
            series, _ = page.run("particle-cube", f"constants.mp={mass:g} kg", f"grains.particle.method={method}")
            errors = [100 * (series["particle.velocity.x"][-1] / particle - 1),
                      100 * (series["cube.vx"][-1] / cube - 1)]
            row.append(", ".join(f"{error:.1e}" for error in errors))
            page.check(f"{mass:g} kg, {method}: larger error [%]", max(abs(error) for error in errors), high=0.5)
        rows.append(row)
    page.table(["particle", "theory, particle and cube [m/s]", "published [%]", "smooth [%]", "rigid [%]"], rows)
