"""The Python module against the program: the same numbers, errors as exceptions, nothing left behind."""
import gc
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest
import weakref

import maraca
import numpy

PROGRAM = os.environ["MARACA_PROGRAM"]
EXAMPLES = pathlib.Path(os.environ["MARACA_PROJECT"], "examples")

BOX = """
maraca: 1
gravity: 0 -9.81 0 m/s^2
constants: {k: 200 N/m}
materials: {lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0}}
inputs: {u: {unit: N, default: 0.5}}
mechanism:
  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2, position: 10 0 0 mm}}
  joints: {guide: {prismatic: box, axis: x}}
  forces: {spring: {at: box, force: [u - k*box.x, 0, 0]}}
grains:
  bed:
    port: box
    wall: {box: {size: 30 20 20 mm}}
    particles: {radius: 2 mm, count: 30, material: lead}
    packing: {random: {seed: 2}}
    method: nonsmooth
simulate: {duration: 40 ms, step: 0.2 ms}
record: {every: 1 ms, series: [box.x, box.vx, bed.load.fx, energy]}
"""


class SameAsTheProgram(unittest.TestCase):
    def setUp(self):
        pathlib.Path("box.yaml").write_text(BOX)

    def test_run(self):
        subprocess.run([PROGRAM, "run", "box.yaml", "-q", "-o", "program.run"], check=True)
        program, ours = maraca.read("program.run"), maraca.load("box.yaml").run("python.run")
        self.assertEqual(program.names, ours.names)
        self.assertEqual(program.units, ours.units)
        for name in program:
            numpy.testing.assert_array_equal(program[name], ours[name])
        self.assertEqual(program.facts["steps"], ours.facts["steps"])
        self.assertIn("energy", ours.report)
        bare = maraca.load("box.yaml").run()  # nothing on disk: more digits than in the file
        numpy.testing.assert_allclose(bare["box.x"], ours["box.x"], rtol=1e-8)

    def test_steps(self):
        run = maraca.load("box.yaml").run()
        sim = maraca.load("box.yaml").start()
        self.assertEqual(sim.step_size, 0.2e-3)
        for k, t in enumerate(run.time):
            sim.advance(t)
            self.assertEqual(sim.time, t)
            self.assertEqual(sim["box.x"], run["box.x"][k])
            self.assertEqual(sim.value(sim.handle("box.vx")), run["box.vx"][k])
        self.assertTrue(sim.done)
        self.assertEqual(sim.steps, 200)

    def test_overrides(self):
        model = maraca.load("box.yaml", {"simulate.duration": 0.002}, k="100 N/m")
        self.assertIn("100 N/m", model.text())
        self.assertEqual(model.run().time[-1], 0.002)
        with self.assertRaisesRegex(maraca.ModelError, "kk"):
            maraca.load("box.yaml", kk=3)


class LiveSimulation(unittest.TestCase):
    def setUp(self):
        self.model = maraca.parse(BOX)

    def test_save_and_restore(self):
        sim = self.model.start()
        sim.step(50)
        state = sim.save()
        sim.step(50)
        wanted = sim["box.x"], sim.grains["bed"].positions
        for _ in range(2):
            sim.restore(state)
            self.assertEqual(sim.time, state.time)
            sim.step(50)
            self.assertEqual(sim["box.x"], wanted[0])
            numpy.testing.assert_array_equal(sim.grains["bed"].positions, wanted[1])

    def test_inputs(self):
        sim = self.model.start()
        self.assertEqual(sim.inputs["u"], 0.5)
        self.assertEqual(list(sim.inputs), ["u"])
        sim.inputs["u"] = -3
        self.assertEqual(sim.inputs["u"], -3)
        other = self.model.start()
        sim.step(20)
        other.step(20)
        self.assertLess(sim["box.x"], other["box.x"] - 1e-5)
        with self.assertRaisesRegex(maraca.MaracaError, "'u' cannot be nan"):
            sim.inputs["u"] = float("nan")
        with self.assertRaisesRegex(KeyError, "no input 'v'"):
            sim.inputs["v"] = 1

    def test_grains_outlive_the_name_of_their_simulation(self):
        grains = self.model.start(keep_orientation=True).grains["bed"]
        gc.collect()
        self.assertEqual(grains.positions.shape, (30, 3))
        self.assertEqual(grains.orientations.shape, (30, 4))
        numpy.testing.assert_allclose(numpy.linalg.norm(grains.orientations, axis=1), 1)
        numpy.testing.assert_array_equal(grains.ids, numpy.arange(30))
        numpy.testing.assert_array_equal(grains.radii, 2e-3)
        self.assertEqual(len(grains), 30)
        positions = grains.positions
        copy = positions.copy()
        grains._simulation.step(20)
        numpy.testing.assert_array_equal(positions, copy)  # of the instant at which they were asked for
        self.assertGreater(abs(grains.positions - copy).max(), 0)

    def test_is_freed(self):
        sim = self.model.start()
        gone = weakref.ref(sim)
        del sim
        gc.collect()
        self.assertIsNone(gone())

    def test_several_at_once(self):
        def work(results, k):
            sim = self.model.start(threads=1)
            sim.advance(0.01)
            results[k] = sim["box.x"]
        results = {}
        threads = [threading.Thread(target=work, args=(results, k)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(results.values())), 1)
        self.assertEqual(len(results), 3)

    def test_one_thread_at_a_time(self):
        sim = self.model.start(threads=1)
        inside, over = threading.Event(), threading.Event()

        def hold():
            with sim._alone:
                inside.set()
                over.wait()
        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait()
        try:
            for use in (sim.step, lambda: sim.advance(1), lambda: sim["box.x"], sim.save, lambda: sim.grains["bed"].positions):
                with self.assertRaisesRegex(RuntimeError, "in use by another thread"):
                    use()
        finally:
            over.set()
            thread.join()
        sim.step(2)
        with self.assertRaises(ValueError):
            sim.step(-1)
        with self.assertRaises(ValueError):
            sim.advance(float("nan"))

    def test_ports_and_nodes(self):
        sim = self.model.start()
        sim.step(10)
        motion, (force, moment) = sim.ports["box"]
        self.assertEqual(motion.position[0], sim["box.x"])
        self.assertEqual(sim.nodes["box"].velocity[0], sim["box.vx"])
        self.assertEqual((force.shape, moment.shape), ((3,), (3,)))
        self.assertEqual(sim.signals()["box.x"], "m")

    def test_names(self):
        sim = self.model.start()
        with self.assertRaisesRegex(KeyError, "did you mean 'box.vx'"):
            sim["box.vxx"]
        with self.assertRaisesRegex(KeyError, "no bed of grains 'bid'"):
            sim.grains["bid"]


class Errors(unittest.TestCase):
    def test_model_file(self):
        pathlib.Path("wrong.yaml").write_text(BOX.replace("mass: 0.2 kg", "mass: 0.2 m"))
        with self.assertRaises(maraca.ModelError) as caught:
            maraca.load("wrong.yaml")
        found = caught.exception.diagnostics[0]
        self.assertEqual((found.file, found.line), ("wrong.yaml", 8))
        self.assertIn("kg", found.text)
        self.assertEqual(caught.exception.status, "MODEL")
        self.assertIn("wrong.yaml:8:", str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            maraca.load("not-there.yaml")

    def test_run_that_fails(self):
        pathlib.Path("taken").write_text("")
        with self.assertRaises(maraca.MaracaError) as caught:
            maraca.parse(BOX).run("taken")
        self.assertEqual(caught.exception.status, "FOLDER")

    def test_interrupt(self):
        """Ctrl-C in a long run: a checkpoint is left, and the run can be resumed to the same end."""
        script = ("import maraca, signal, threading, os\n"
                  "threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n"
                  "    maraca.load('long.yaml').run('long.run')\n"
                  "except KeyboardInterrupt:\n"
                  "    print('interrupted')\n")
        pathlib.Path("long.yaml").write_text(BOX.replace("duration: 40 ms", "duration: 1000 s"))
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, timeout=100)
        self.assertEqual(done.stdout, "interrupted\n")
        self.assertTrue(list(pathlib.Path("long.run").glob("checkpoint*")))

    def test_exception_in_progress(self):
        def progress(time, duration):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough"):
            maraca.parse(BOX, values={"simulate.duration": "1000 s"}).run(progress=progress)


class Spring(maraca.Driver):
    """A box on a spring along x, by the implicit midpoint rule."""
    name = "rig"

    def __init__(self, mass=0.2, stiffness=200.0, x=0.01):
        self.mass, self.stiffness = mass, stiffness
        self.state = numpy.array([x, 0.0, x, 0.0, 0.0])  # x, v, those at the end of the step, its length
        self.signals = {"x": ("m", self.state[:1])}

    def begin(self, t, h):
        self.state[4] = h
        self._solve(0)

    def _solve(self, force):
        x, v, _, _, h = self.state
        matrix = self.mass + h * h * self.stiffness / 4
        self.state[3] = v + h * (force - self.stiffness * (x + h * v / 2)) / matrix
        self.state[2] = x + h * (v + self.state[3]) / 2

    def motion(self, port):
        _, _, x, v, _ = self.state
        return maraca.Motion(position=[x, 0, 0], velocity=[v, 0, 0])

    def advance(self, loads):
        self._solve(loads[0, 0])

    def commit(self):
        self.state[:2] = self.state[2:4]

    def energy(self):
        return {"kinetic": self.mass * self.state[1]**2 / 2, "elastic": self.stiffness * self.state[0]**2 / 2}


OWN = BOX[:BOX.index("inputs:")] + """
ports: {tip: {partner: rig}}
grains:
  bed:
    port: tip
    wall: {box: {size: 30 20 20 mm}}
    particles: {radius: 2 mm, count: 5, material: lead}
    packing: {random: {seed: 2}}
    method: nonsmooth
coupling: {scheme: tight}
simulate: {duration: 20 ms, step: 0.2 ms}
"""


class OwnPartners(unittest.TestCase):
    def test_driver_alone(self):
        """Without grains at it, the spring swings as its own rule says."""
        text = OWN.replace("count: 5", "count: 1").replace("density: 11344 kg/m^3", "density: 1e-9 kg/m^3")
        sim = maraca.parse(text).start([Spring()])
        sim.step(100)
        omega = 2 / 0.2e-3 * numpy.arctan(0.2e-3 / 2 * numpy.sqrt(200 / 0.2))
        self.assertAlmostEqual(sim["rig.x"], 0.01 * numpy.cos(omega * sim.time), delta=1e-9)

    def test_against_a_mechanism(self):
        sim = maraca.parse(OWN).start([Spring()])
        box = BOX.replace("default: 0.5", "default: 0").replace("count: 30", "count: 5")
        other = maraca.parse(box, values={"coupling.scheme": "tight", "mechanism.integrator.rho_inf": 1}).start()
        for _ in range(10):
            sim.step(10)
            other.step(10)
            self.assertAlmostEqual(sim["rig.x"], other["box.x"], delta=2e-5)

    def test_state(self):
        sim = maraca.parse(OWN).start([Spring()])
        sim.step(10)
        state = sim.save()
        sim.step(40)
        wanted = sim["rig.x"]
        sim.restore(state)
        sim.step(40)
        self.assertEqual(sim["rig.x"], wanted)

    def test_exception(self):
        class Broken(Spring):
            def advance(self, loads):
                raise ZeroDivisionError("broken")
        sim = maraca.parse(OWN).start([Broken()])
        with self.assertRaisesRegex(ZeroDivisionError, "broken"):
            sim.step(5)

    def test_follower(self):
        """A weight that hangs on the box by its own rule: the spring of the box carries it."""
        class Pull(maraca.Follower):
            name = "pull"
            ports = ["box"]

            def step(self, h, ports, mobility):
                return numpy.array([[0.4 * h, 0, 0, 0, 0, 0]])
        text = BOX[:BOX.index("grains:")] + "coupling: {scheme: loose}\n" + BOX[BOX.index("simulate:"):]
        text = text.replace(", bed.load.fx", "").replace("default: 0.5", "default: 0").replace(
            "spring: {at: box, force: [u - k*box.x, 0, 0]}", "spring: {at: box, force: [u - k*box.x - 20 N*s/m*box.vx, 0, 0]}")
        sim = maraca.parse(text, values={"simulate.duration": "2 s"}).start([Pull()])
        sim.advance(2)
        self.assertAlmostEqual(sim["box.x"], 0.4 / 200, delta=1e-6)


class Reading(unittest.TestCase):
    def test_without_the_library(self):
        maraca.parse(BOX).run("box.run")
        script = "import maraca; r = maraca.read('box.run'); print(len(r.time), r.units['box.x'], r.facts['steps'])"
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "MARACA_LIBRARY": "/nowhere/libmaraca.so"})
        self.assertEqual(done.stdout.split(), ["41", "m", "200"])
        script = "import maraca; maraca.parse('maraca: 1')"
        done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "MARACA_LIBRARY": "/nowhere/libmaraca.so"})
        self.assertIn("ImportError: /nowhere/libmaraca.so", done.stderr)

    def test_examples(self):
        model = maraca.load(EXAMPLES / "cantilever.yaml")
        self.assertAlmostEqual(model.modes(1)[0]["frequency_hz"], 15.62, delta=0.05)
        self.assertIn("Beam arm", model.describe())
        self.assertIn("arm.end.y", model.signals())


if __name__ == "__main__":
    unittest.main()
