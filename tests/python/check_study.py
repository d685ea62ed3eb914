"""Studies from Python: the tables of the program, with units; errors as exceptions; nothing left behind."""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import maraca
import numpy

PROGRAM = os.environ["MARACA_PROGRAM"]

MASS = """
maraca: 1
constants: {c: 2 N*s/m, k: 100 N/m, f: 1 Hz}
mechanism:
  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-1 0 0 m, 0 0 0 m], stiffness: k, damping: c}}
  forces: {push: {at: box, force: [1 N*cos(2*pi*f*t), 0, 0]}}
simulate: {duration: 0.15 s, step: 1 ms}
record: {every: 10 ms, series: [box.x]}
"""

DECAY = """
maraca: 1
constants: {c: 0.3 N*s/m, k: 350 N/m}
mechanism:
  bodies: {box: {mass: 50 g, inertia: 10 10 10 g*mm^2, velocity: 0.5 0 0 m/s}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-100 0 0 mm, 0 0 0 mm], stiffness: k, damping: c}}
simulate: {duration: 0.6 s, step: 1 ms}
record: {every: 1 ms, series: [box.x]}
"""

SHAKEN = """
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {f: 20 Hz, A: 2 mm}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.3}}
ports: {shaker: {position: [0, 0, A*sin(2*pi*f*t)]}}
grains:
  damper:
    port: shaker
    wall: {box: {size: 10 10 12 mm}}
    particles: {radius: 1 mm, count: 8, material: steel}
    packing: {random: {seed: 1}}
    method: nonsmooth
simulate: {duration: 0.1 s, step: 0.2 ms}
"""

SOFT = SHAKEN.replace("restitution: 0.3}", "restitution: 0.3, young: 200 MPa, poisson: 0.3}").replace("0.1 s, step: 0.2 ms", "0.25 s") \
    .replace("method: nonsmooth", "method: smooth\n    contact: {normal: linear, tangential: directional, stiffness: sized}") \
    + "periods: {port: shaker, skip: 1}\n"


class Studies(unittest.TestCase):
    def setUp(self):
        for name, text in (("mass", MASS), ("decay", DECAY), ("shaken", SHAKEN), ("soft", SOFT)):
            pathlib.Path(f"{name}.yaml").write_text(text)

    def test_sweep(self):
        grid = {"constants.c": ([1, 4, 16], "N*s/m"), "constants.k": "50:100:2 N/m"}
        seen = []
        found = maraca.sweep("mass.yaml", grid, "ours.sweep", measures=["energy.dampers"],
                             progress=lambda done, planned: seen.append((done, planned)))
        subprocess.run([PROGRAM, "sweep", "mass.yaml", "--vary", "constants.c=1,4,16 N*s/m", "--vary", "constants.k=50:100:2 N/m",
                        "--measure", "energy.dampers", "-q", "-o", "program.sweep"], check=True, stdout=subprocess.PIPE)
        for name in ("study.csv", "study.json"):
            self.assertEqual(pathlib.Path("ours.sweep", name).read_bytes(), pathlib.Path("program.sweep", name).read_bytes())
        self.assertEqual(found.units["energy.dampers"], "J")
        numpy.testing.assert_array_equal(found["constants.c"], [1, 1, 4, 4, 16, 16])
        numpy.testing.assert_array_equal(found["constants.k"], [50, 100] * 3)
        self.assertTrue((found["energy.dampers"] > 0).all())
        self.assertIn("6 of 6 runs done", found.report)
        self.assertEqual(found.facts["done"], 6)
        self.assertTrue(all(done <= planned == 6 for done, planned in seen), seen)
        again = maraca.read("ours.sweep")
        self.assertEqual(again.names, found.names)
        numpy.testing.assert_array_equal(again["energy.dampers"], found["energy.dampers"])
        self.assertEqual(again.json, found.json)

    def test_sweep_of_a_model_without_folder(self):
        own = tempfile.mkdtemp()  # that no other test writes to
        kept, tempfile.tempdir = tempfile.tempdir, own
        self.addCleanup(setattr, tempfile, "tempdir", kept)
        model = maraca.load("shaken.yaml", {"simulate.duration": "50 ms"}, A="3 mm")
        found = maraca.sweep(model, ["constants.f=15,25 Hz"], beds=2, measures="energy.impact", threads=1)
        self.assertIsNone(found.folder)
        self.assertEqual(os.listdir(own), [])
        one = maraca.load("shaken.yaml", {"simulate.duration": "50 ms"}, A="3 mm", f="25 Hz").run()
        self.assertEqual(found.json["points"][1]["runs"][0]["values"]["energy.impact"], one.facts["energy.impact"])
        self.assertTrue((found["energy.impact.interval"] > 0).all())

    def test_words_and_failures(self):
        """Failed points are told and do not stop the others."""
        found = maraca.sweep("mass.yaml", {"mechanism.integrator.rho_inf": [0, 0.5], "constants.k": (numpy.array([50.0, -1e9]), "N/m")})
        self.assertEqual(len(found["failed"]), 4)
        self.assertEqual(list(found["failed"]), [0, 1, 0, 1], found.report)
        certificate = maraca.certify("mass.yaml", limit=0.5)
        self.assertEqual(certificate["variant"][0], "as it is")

    def test_response(self):
        found = maraca.response("mass.yaml", "box.x", ([0.8, 1.2, 1.6], "Hz"))
        for f, amplitude in zip(found["constants.f"], found["amplitude"]):
            w = 2 * math.pi * f
            self.assertAlmostEqual(amplitude, 1 / abs(complex(100 - w * w, 2 * w)), delta=2e-2 * amplitude)
        self.assertEqual(found.units["amplitude"], "m")

    def test_map_and_respond(self):
        found = maraca.map("shaken.yaml", [20], acceleration="0.5,4,12 g", folder="ours.map", skip=4, periods=8)
        mass = 8 * 7800 * 4 / 3 * math.pi * 1e-9
        self.assertAlmostEqual(found.element["mass_kg"], mass, delta=1e-12)
        self.assertEqual(len(found.element["entries"]), 3)
        pathlib.Path("modes.csv").write_text("f[Hz],damping[1],mass[kg]\n20,1e-2,1\n")
        both = maraca.respond("modes.csv", ["2*ours.map/element.json"], 5, "18:22:41 Hz", "ours.respond")
        self.assertEqual(both.units["up"], "m")
        self.assertEqual(len(both["f"]), 41)
        self.assertTrue((both["up"] > 0).all())
        numpy.testing.assert_array_equal(maraca.read("ours.respond")["up"], both["up"])
        alone = maraca.respond("modes.csv", ["ours.map/element.json"], "5 N", numpy.linspace(18, 22, 41))
        self.assertGreater(max(alone["up"]), max(both["up"]))

    def test_certify(self):
        found = maraca.certify("mass.yaml", measures="energy.dampers")
        numbers = found.certificate["numbers"]["energy.dampers"]
        self.assertTrue(numbers["good"])
        self.assertLess(numbers["error"], 0.05 * numbers["value"])
        doubted = maraca.certify("mass.yaml", limit=1e-12, measures="energy.dampers")
        self.assertFalse(doubted.certificate["numbers"]["energy.dampers"]["good"])

    def test_optimise(self):
        found = maraca.optimise("mass.yaml", {"constants.c": "1:100 N*s/m"}, maximise="energy.dampers", candidates=12)
        fine = maraca.sweep("mass.yaml", {"constants.c": "1:100:25 N*s/m"}, measures="energy.dampers")
        self.assertGreater(found.json["optimum"]["value"], 0.99 * max(fine["energy.dampers"]))
        self.assertEqual(found.json["optimum"]["goal"], "largest")

    def test_fit_and_damping(self):
        maraca.load("decay.yaml").run("decay.run")
        found = maraca.fit("decay.run/series.csv", "decay.yaml", {"constants.c": "0.1:1:log N*s/m", "constants.k": "200:800 N/m"},
                           "box.x")
        values = found.json["fit"]["values"]
        for name, truth in (("constants.c", 0.3), ("constants.k", 350)):
            self.assertTrue(values[name]["lower"] <= truth <= values[name]["upper"], values)
        decay = maraca.damping("decay.run", "box.x")
        self.assertAlmostEqual(decay.json["whole"]["damping_ratio"], 0.3 / 2 / math.sqrt(350 * 0.05), delta=1e-3)
        self.assertEqual(decay.units["amplitude"], "m")

    def test_size(self):
        found = maraca.size("soft.yaml", measures="periods.dissipated_mean_J", levels=3, decades=1)
        self.assertIn("sizing", found.json)

    def test_errors(self):
        with self.assertRaisesRegex(maraca.MaracaError, "amplitudes or accelerations"):
            maraca.map("shaken.yaml", "20 Hz")
        with self.assertRaisesRegex(maraca.MaracaError, "constants.q"):
            maraca.sweep("mass.yaml", {"constants.q": [1, 2]})
        with self.assertRaises(maraca.ModelError) as caught:
            maraca.sweep("mass.yaml", {"constants.k": "50,100 N/m"}, values={"simulate.step": "1 kg"})
        self.assertTrue(caught.exception.diagnostics)
        with self.assertRaises(FileNotFoundError):
            maraca.sweep("nothing.yaml", {"constants.k": "50,100 N/m"})
        with self.assertRaisesRegex(ValueError, "needs a model file"):
            maraca.sweep(maraca.parse(MASS), {"constants.k": "50,100 N/m"})
        with self.assertRaises(TypeError):
            maraca.sweep("mass.yaml", {"constants.k": "50,100 N/m"}, bedz=3)
        with self.assertRaisesRegex(FileNotFoundError, "no result folder"):
            maraca.read(".")
        with self.assertRaisesRegex(ZeroDivisionError, "by zero"):
            maraca.sweep("mass.yaml", {"constants.k": "50,100 N/m"}, progress=lambda done, planned: 1 / 0)

    def test_interrupt(self):
        """Ctrl-C ends a study, which goes on from there."""
        script = ("import maraca, signal, threading, os\n"
                  "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                  "try:\n"
                  "    maraca.sweep('mass.yaml', {'constants.k': '50,100 N/m'}, 'long.sweep', values={'simulate.duration': '3000 s'})\n"
                  "except KeyboardInterrupt:\n"
                  "    print('interrupted')\n")
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, timeout=100)
        self.assertEqual(done.stdout, "interrupted\n")
        self.assertTrue(list(pathlib.Path("long.sweep").glob("points/*/run/checkpoint*")))


if __name__ == "__main__":
    unittest.main()
