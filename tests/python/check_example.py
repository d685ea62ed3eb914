"""The example runs, and its controller has a best gain between too little and too much."""
import os
import pathlib
import re
import subprocess
import sys
import unittest


class Example(unittest.TestCase):
    def test_tune_controller(self):
        script = os.path.join(os.environ["MARACA_PROJECT"], "examples", "python", "tune_controller.py")
        picture = subprocess.run([sys.executable, "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0
        done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "MPLBACKEND": "svg"})
        found = [float(number) for number in re.findall(r"([\d.]+) mm r.m.s.", done.stdout)]
        self.assertEqual(len(found), 9, done.stderr)
        best = found.index(min(found))
        self.assertTrue(0 < best < len(found) - 1, done.stdout)
        self.assertLess(found[best], 0.5 * found[0])
        self.assertGreater(found[-1], 1.3 * found[best])  # limited by what the actuator gives
        if picture:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("<svg", pathlib.Path("tune_controller.svg").read_text())
        else:
            self.assertIn("No module named 'matplotlib'", done.stderr)
