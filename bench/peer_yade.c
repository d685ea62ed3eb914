// YADE (Debian package yade), on one thread. It has no cylinder: the side is 48 rectangles around it, of two
// triangles each, the ends are planes. The law is Hertz-Mindlin with its own way of adding up the tangential
// force (in steps of the force, not of the displacement).
#include "bench/peer.h"

#include <string.h>

static const char script[] =
    "import math, time\n"
    "exec(open('numbers.py').read())\n"
    "steel = O.materials.append(FrictMat(young=young, poisson=poisson, density=density,\n"
    "                                    frictionAngle=math.atan(friction)))\n"
    "for line in open('grains'):\n"
    "    v = [float(word) for word in line.split()]\n"
    "    b = utils.sphere(v[0:3], diameter/2, material=steel)\n"
    "    b.state.vel, b.state.angVel = v[3:6], v[6:9]\n"
    "    O.bodies.append(b)\n"
    "sides = 48\n"
    "moving = O.bodies.append(geom.facetCylinder((0, 0, height), 0.0125/math.cos(math.pi/sides), 0.025,\n"
    "                                            segmentsNumber=sides, wallMask=4, material=steel))\n"
    "for end in (-0.0125, 0.0125):\n"
    "    moving.append(O.bodies.append(utils.wall(height + end, axis=2, material=steel)))\n"
    "O.engines = [\n"
    "    ForceResetter(),\n"
    "    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb(), Bo1_Wall_Aabb()], verletDist=skin/2),\n"
    "    InteractionLoop(\n"
    "        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],\n"
    "        [Ip2_FrictMat_FrictMat_MindlinPhys(en=1.0, es=1.0)], [Law2_ScGeom_MindlinPhys_Mindlin()]),\n"
    "    HarmonicMotionEngine(A=(0, 0, amplitude), f=(0, 0, frequency), fi=(0, 0, math.pi + phase), "
    "ids=moving),\n"
    "    NewtonIntegrator(damping=0, gravity=(0, 0, -gravity))]\n"
    "O.dt = step\n"
    "O.run(1, True)\n"
    "wall, cpu = time.time(), time.process_time()\n"
    "O.run(steps, True)\n"
    "print('MARACA', time.time() - wall, time.process_time() - cpu, flush=True)\n";

static bool write_input(const PeerJob *job) {
    FILE *file = fopen("script.py", "w");
    if (!file) return false;
    fputs(script, file);
    if (fclose(file) != 0 || !(file = fopen("numbers.py", "w"))) return false;
    fprintf(file, "young, poisson, density, friction = %g, %g, %g, %g\n", BOX_YOUNG, BOX_POISSON, BOX_DENSITY,
            BOX_FRICTION);
    fprintf(file, "amplitude, frequency, gravity = %g, %g, %g\n", BOX_AMPLITUDE, BOX_FREQUENCY, BOX_GRAVITY);
    fprintf(file, "diameter, step, steps, skin = %.17g, %.17g, %lld, %.17g\n", job->size->diameter,
            job->size->step, (long long)job->steps, job->skin);
    fprintf(file, "height, phase = %.17g, %.17g\n", box_motion(job->size, job->start->step).position.z,
            BOX_OMEGA * job->size->step * (double)job->start->step);
    if (fclose(file) != 0 || !(file = fopen("grains", "w"))) return false;
    for (int64_t i = 0; i < job->start->count; i++)
        for (int c = 0; c < 9; c++)
            fprintf(file, "%.17g%c", job->start->values[9 * i + c], c < 8 ? ' ' : '\n');
    return fclose(file) == 0;
}

static bool read_output(const PeerJob *job, FILE *output, PeerResult *result) {
    char line[512];
    bool found = false;
    (void)job;
    while (fgets(line, sizeof line, output))
        found = sscanf(line, "MARACA %lf %lf", &result->wall, &result->cpu) == 2 || found;
    return found;
}

const Peer peer_yade = {
    .name = "yade",
    .program = "yade",
    .remark = "Hertz-Mindlin of its own kind, same step and start, side wall of 96 triangles",
    .share = 0.03,
    .write = write_input,
    .arguments = (const char *const[]){"yade", "-n", "-x", "-j1", "script.py", NULL},
    .read = read_output,
};
