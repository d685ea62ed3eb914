# One of the cases of M. Dosta et al. 2024 (doi:10.1016/j.cpc.2023.109066) by Yade (Debian package yade), from the very bed that Maraca
# starts with, with its law (Hertz and Mindlin, restitution by MatchMaker) and step:
#
#     maraca run examples/dosta-penetration.yaml --set record.end=true --set simulate.duration=1.2ms -o start.run
#     yade -n -x -j 2 tests/validation/dosta_yade.py penetration start.run/end-bed.csv out.csv
#
# It writes the time and the position of the ball (penetration) or the number of grains above the orifice (silo).
# scripts/validation/dosta.py holds what came out.
import csv
import math
import sys

case, start, result = sys.argv[1:4]
soft = float(sys.argv[4]) if len(sys.argv) > 4 else (10 if case == "penetration" else 100)
second = len(sys.argv) > 5 and sys.argv[5] == "M2"
rows = [{k.split("[")[0]: float(v) for k, v in row.items()} for row in csv.DictReader(open(start))]

steel = O.materials.append(FrictMat(young=210e9 / soft, poisson=0.2, density=7200, label="steel"))
grain = O.materials.append(FrictMat(young=(0.5e9 if second else 1e9) / soft, poisson=0.2, density=2000 if second else 2500, label="grain"))
with_grain, with_steel = (0.4, 0.4) if second else (0.5, 0.3), (0.4, 0.2)  # restitution, friction
both = [(grain, grain, with_grain), (grain, steel, with_steel), (steel, steel, (0.6, 0.5))]

if case == "penetration":
    box = [(-0.05, 0.05), (-0.03, 0.03), (0, 0.2)]
    for axis, ends in enumerate(box):
        for end in ends:
            O.bodies.append(utils.wall(end, axis=axis, material="steel"))
    diameter, base, duration, every = 2 * rows[0]["radius"], 2e-3, 0.1, 5e-4
    step = 0.5e-6 * diameter / base * math.sqrt(soft)
else:
    R, hole, sides = 0.1, 0.03, 60
    corner = 1 / math.cos(math.pi / sides)  # walls touch the circle
    O.bodies.append(geom.facetCylinder((0, 0, 0.07 + 0.3), R * corner, 0.6, segmentsNumber=sides, wallMask=4, material="steel"))
    O.bodies.append(geom.facetCone((0, 0, 0.035), R * corner, hole * corner, 0.07, segmentsNumber=sides, wallMask=4, material="steel"))
    diameter, base, duration, every = 2 * rows[0]["radius"], 4e-3, 5.0, 0.05
    step = (2e-6 if second else 1.5e-6) * diameter / base * math.sqrt(soft)

grains = []
for row in rows:
    large = row["radius"] > 0.75 * diameter
    body = utils.sphere([row[k] for k in "xyz"], row["radius"], material="steel" if large else "grain")
    body.state.vel = [row[k] for k in ("vx", "vy", "vz")]
    body.state.angVel = [row[k] for k in ("wx", "wy", "wz")]
    grains.append(O.bodies.append(body))
ball = grains[max(range(len(rows)), key=lambda k: rows[k]["radius"])]

O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb(), Bo1_Wall_Aabb()], verletDist=0.05 * diameter),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom(hertzian=True), Ig2_Wall_Sphere_ScGeom(hertzian=True)],
        [Ip2_FrictMat_FrictMat_MindlinPhys(en=MatchMaker(matches=tuple((a, b, c[0]) for a, b, c in both)),
                                           frictAngle=MatchMaker(matches=tuple((a, b, math.atan(c[1])) for a, b, c in both)))],
        [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(damping=0, gravity=(0, 0, -9.81))]
O.dt = step

left = set(grains)


def measure():
    if case == "penetration":
        return O.bodies[ball].state.pos[2]
    for k in [k for k in left if O.bodies[k].state.pos[2] < -0.06]:
        O.bodies.erase(k)
        left.remove(k)
    return sum(O.bodies[k].state.pos[2] > 0 for k in left)


with open(result, "w") as out:
    out.write("t[s],%s\n" % ("z[m]" if case == "penetration" else "retained"))
    for k in range(round(duration / every) + 1):
        if k > 0:
            O.run(round(k * every / step) - O.iter, True)
        out.write("%.6g,%.9g\n" % (O.time, measure()))
        out.flush()
