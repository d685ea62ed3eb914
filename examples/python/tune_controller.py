"""Tunes a control force on a machine with grains: which gain leaves the least vibration?

    make python && python3 examples/python/tune_controller.py

A box on a spring with lead balls in it is shaken by a force. A controller reads its velocity at each step and sets the input
`u`, a force u = -gain * (velocity a moment ago): sensors and actuators take 2 ms. A small gain does little, a large one makes
the delayed loop unstable, limited by the 20 N that the actuator gives. `# %%` begins a cell for notebooks and editors; the
picture needs matplotlib (Debian: python3-matplotlib).
"""
# %% The machine
import collections

import maraca
import numpy

model = maraca.parse("""
maraca: 1
gravity: 0 -9.81 0 m/s^2
materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0}}
inputs: {u: {unit: N, default: 0}}
mechanism:
  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  forces: {shaker: {at: box, force: [u + 0.5 N*sin(2*pi*5*t/(1 s)) - 200 N/m*box.x, 0, 0]}}
grains:
  bed: {port: box, wall: {box: {size: 30 20 20 mm}}, particles: {radius: 2 mm, count: 30, material: lead},
        packing: {random: {seed: 2}}, method: nonsmooth}
simulate: {duration: 1.5 s, step: 0.5 ms}
""")


# %% One run with a controller: r.m.s. of the box's position in its second half [mm]
def vibration(gain, delay=2e-3):
    sim = model.start(threads=1)
    past, x = collections.deque([0.0] * round(delay / sim.step_size)), []
    while not sim.done:
        past.append(sim["box.vx"])
        sim.inputs["u"] = max(-20.0, min(20.0, -gain * past.popleft()))
        sim.step()
        x.append(sim["box.x"])
    return 1e3 * numpy.sqrt(numpy.mean(numpy.square(x[len(x) // 2:])))


# %% Which gain is best?
gains = [0, 2, 5, 10, 20, 40, 80, 160, 320]
found = [vibration(gain) for gain in gains]
for gain, rms in zip(gains, found):
    print(f"gain {gain:3d} N s/m: {rms:.3f} mm r.m.s.")
print(f"best gain: {gains[numpy.argmin(found)]} N s/m")

# %% The picture
from matplotlib import pyplot  # noqa: E402

pyplot.semilogy(gains, found, "o-")
pyplot.xlabel("gain [N s/m]")
pyplot.ylabel("vibration [mm r.m.s.]")
pyplot.savefig("tune_controller.svg")
