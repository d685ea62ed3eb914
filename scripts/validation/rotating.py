"""TIGHT 5.2.4 (doi:10.1016/j.mechmachtheory.2020.104181), Figs. 21 to 24."""
import math
import os

import vtp
from measures import between, half_range, mean, rms

TITLE = "Cantilever with a damper: turning"
LATE = (1.0, 2.0)
SPEED = 2 * math.pi


def frames(page):
    """(t, positions in the container's axes, positions in the world's), frame by frame."""
    folder, pictures = os.path.join(page.results, "frames"), []
    for name in sorted(name for name in os.listdir(folder) if name.startswith("damper-0")):
        world = vtp.read(os.path.join(folder, name))
        own = vtp.read(os.path.join(folder, name.replace("damper", "damper-container")))
        pictures.append((world["TimeValue"], own["Points"], world["Points"]))
    return pictures


def turn(vector, point):
    """By a rotation vector (Rodrigues)."""
    angle = math.sqrt(sum(a * a for a in vector))
    if angle == 0:
        return point
    n, c, s = [a / angle for a in vector], math.cos(angle), math.sin(angle)
    along = sum(a * b for a, b in zip(n, point))
    cross = (n[1] * point[2] - n[2] * point[1], n[2] * point[0] - n[0] * point[2], n[0] * point[1] - n[1] * point[0])
    return tuple(c * p + s * x + (1 - c) * along * a for p, x, a in zip(point, cross, n))


def axes_agree(page, series, pictures):
    """The two sets of frames differ by the recorded motion of the shell."""
    worst = 0
    for t, own, world in pictures[::20]:
        k = min(range(len(series["t"])), key=lambda i: abs(series["t"][i] - t))
        place = [series[f"shell.{a}"][k] for a in "xyz"]
        angles = [series[f"shell.r{a}"][k] for a in "xyz"]
        for a, b in zip(own, world):
            worst = max([worst] + [abs(x + p - q) for x, p, q in zip(turn(angles, a), place, b)])
    page.check("frames in both axes, apart by [m]", worst, high=1e-9)


def extreme(series, pictures, begin, end, best):
    """The picture nearest to the top or the bottom of an oscillation."""
    part = between(series, begin, end)
    at = part["t"][part["shell.y"].index(best(part["shell.y"]))]
    return min(pictures, key=lambda picture: abs(picture[0] - at))


def heights(series, pictures):
    """Of the grains in the container, on the average near the tops and near the bottoms of its swings [mm]."""
    late = between(series, *LATE)
    zero, size, found = mean(late["shell.y"]), half_range(late["shell.y"]), ([], [])
    for t, own, _ in pictures:
        k = min(range(len(series["t"])), key=lambda i: abs(series["t"][i] - t))
        away = (series["shell.y"][k] - zero) / size
        if t >= LATE[0] and abs(away) > 0.6:
            found[away < 0].append(middle(own, 1))
    return mean(found[0]), mean(found[1])


def middle(points, axis):
    return 1e3 * mean([point[axis] for point in points])


def write(page):
    page.text("""
`examples/cantilever-damper-rotating.yaml`: the shaft turns with 2 pi rad/s about the vertical, 0.25 N at 15.5 Hz,
clearance 8 mm. The paper finds that grains still suppress the vibration along the axis, less than without rotation,
and that they pile up outwards. y of the shell in 1 to 2 s, about its mean; place of the grains' centre in the axes of
the container (x outwards, y up):""")
    runs = {"mass fixed": (page.run("cantilever-lumped-rotating")[0], None)}
    record = "record.series=[shell.x, shell.y, shell.z, shell.rx, shell.ry, shell.rz]"
    for name, setting in ("grains", f"constants.turning={SPEED} rad/s"), ("grains, not turning", "constants.turning=0 rad/s"):
        series, _ = page.run("cantilever-damper-rotating", setting, record)
        runs[name] = series, frames(page)
        axes_agree(page, *runs[name])
    rows, sizes, outward, up, snapshots = [], {}, {}, {}, {}
    for name, (series, pictures) in runs.items():
        late = between(series, *LATE)
        sizes[name] = rms(late["shell.y"])
        row = [name, f"{1e3 * sizes[name]:.3f}", f"{1e3 * half_range(late['shell.y']):.3f}"]
        if pictures:
            outward[name] = mean([middle(own, 0) for t, own, _ in pictures if t >= LATE[0]])
            top, bottom = extreme(series, pictures, 0.55, 0.65, max), extreme(series, pictures, 1.55, 1.65, min)
            snapshots[name] = [pictures[0], top, bottom]
            up[name] = heights(series, pictures)
            row += [f"{outward[name]:.2f}", f"{up[name][0]:.2f}", f"{up[name][1]:.2f}"]
        rows.append(row + [""] * (6 - len(row)))
    page.table(["", "r.m.s. of y [mm]", "half range [mm]", "grains outwards [mm]", "grains up, tops of the swings [mm]",
                "bottoms of the swings [mm]"], rows)
    series = runs["grains"][0]
    page.plot("rotating-path", "Trajectory of the shell, seen from above, 1 to 1.5 s", "x [mm]", "z [mm]",
              [(name, *([1e3 * v for v in between(s, 1, 1.5)[a]] for a in ("shell.x", "shell.z")))
               for name, (s, _) in runs.items() if name != "grains, not turning"])
    page.plot("rotating-y", "Height of the shell", "t [s]", "mm",
              [(name, s["t"], [1e3 * v for v in s["shell.y"]]) for name, (s, _) in runs.items()])
    for name, pictures in snapshots.items():
        word = "turning" if name == "grains" else "still"
        page.plot(f"rotating-grains-{word}", f"Grains in the container's axes, {word}", "outwards [mm]", "up [mm]",
                  [(f"{t:.2f} s", [1e3 * p[0] for p in own], [1e3 * p[1] for p in own], "points")
                   for t, own, _ in pictures])
    radius = [math.hypot(x, z) for x, z in zip(series["shell.x"], series["shell.z"])]
    behind = [math.remainder(math.atan2(-z, x) - SPEED * t, 2 * math.pi)
              for t, x, z in zip(series["t"], series["shell.x"], series["shell.z"])]
    page.text(f"""
The shell goes round at a radius of {1e3 * min(radius):.2f} to {1e3 * max(radius):.2f} mm and is at most
{1e3 * max(abs(a) for a in behind):.2f} mrad off the angle of the shaft. Positions of the grains in both sets of frames
are the same to 1e-9 m when those of the container are moved by the recorded motion of the shell.""")
    page.check("radius [m]", max(radius), 0.249, 0.251)
    page.check("behind the shaft [rad]", max(abs(a) for a in behind), high=0.01)
    page.check("y, grains over fixed mass", sizes["grains"] / sizes["mass fixed"], high=0.5)
    page.check("y, turning over not turning", sizes["grains"] / sizes["grains, not turning"], low=1.02)
    page.check("outwards, turning [mm]", outward["grains"], low=1)
    page.check("outwards, not turning [mm]", abs(outward["grains, not turning"]), high=0.3)
    for name, (top, bottom) in up.items():
        page.check(f"{name}: grains higher at the bottoms of the swings than at their tops by [mm]", bottom - top, low=0.2)
