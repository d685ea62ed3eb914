"""Opens pages of runs in Chromium: what they show is what the files hold, and nothing is fetched."""
import csv
import json
import os
import pathlib
import struct
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PROGRAM = os.environ["MARACA_PROGRAM"]
HOSTILE = '</script><script>document.title="taken"</script><img src=x onerror=alert(1)>'

MODEL = """
maraca: 1
title: TITLE
gravity: 0 -9.81 0 m/s^2
materials:
  lead: {density: 11344 kg/m^3, friction: 0.5, restitution: 0.5}
  steel: {density: 7800 kg/m^3, young: 210 GPa, poisson: 0.3}
mechanism:
  beams:
    arm: {from: 0 0 0 mm, to: 100 0 0 mm, elements: 3, section: {rectangle: 10 2 mm}, material: steel}
  bodies: {can: {node: arm.end, mass: 50 g, inertia: 5 5 5 kg*mm^2}}
  joints: {root: {clamp: arm.start}}
  forces: {shaker: {at: can, force: [0, 0.5 N*sin(2*pi*50*t/(1 s)), 0]}}
grains:
  bed:
    port: can
    wall: {cylinder: {radius: 10 mm, height: 12 mm, axis: y}}
    particles: {radius: 1.5 mm, count: 40, material: lead}
    packing: {random: {seed: 2}}
    method: nonsmooth
simulate: {duration: 0.1 s, step: 0.2 ms}
record: {every: 0.2 ms, series: [can.y, bed.center, bed.load.fy, root.fy, energy]}
"""

DRUM = """
maraca: 1
title: A drum
gravity: 0 0 -9.81 m/s^2
materials: {stone: {density: 2600 kg/m^3, friction: 0.5, restitution: 0.2}}
ports: {drum: {rotation: {axis: y, angle: 6 rad/s*t}}}
grains:
  bed:
    port: drum
    wall: {box: {size: 60 60 60 mm}}
    particles: {shape: {box: 8 8 8 mm}, count: 6, material: stone}
    packing: {random: {seed: 2}}
    method: nonsmooth
simulate: {duration: 0.1 s, step: 0.5 ms}
record: {every: 5 ms, series: [bed.center]}
"""
STUDY = """
maraca: 1
title: A box on a spring
constants: {k: 900 N/m, c: 1 N*s/m, X: 1 mm}
inputs: {frequency: 10 Hz, phase: 0 rad}
mechanism:
  bodies:
    foot: {mass: 1 kg, inertia: 1 1 1 g*m^2, position: 0 0 0 mm}
    box: {mass: 200 g, inertia: 1 1 1 g*m^2, position: 50 0 0 mm}
  joints:
    drive: {prismatic: foot, axis: x, position: X*sin(2*pi*frequency*t + phase)}
    slide: {prismatic: box, axis: x}
  springs: {s: {between: [foot, box], stiffness: k, damping: c}}
simulate: {duration: 1 s, step: 1 ms}
record: {every: 2 ms, series: [box.x, foot.x, energy]}
"""


def frames_of(path):
    """Times and grains of the first part in replay.bin."""
    data, at, found = path.read_bytes(), 0, []
    while at < len(data):
        size, clock, _parts, length = struct.unpack_from("=QdII", data, at)
        shape, count = struct.unpack_from("=II", data, at + 24 + length)
        assert shape == 0
        found.append((clock, struct.unpack_from(f"={3 * count}f", data, at + 32 + length)))
        at += 8 + size
    return found


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                     "--window-size=800,900"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        cls.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def run_model(self, name, text, *words):
        pathlib.Path(name + ".yaml").write_text(text)
        subprocess.run([PROGRAM, "run", name + ".yaml", "-q", "-o", name + ".run", *words], check=True)
        return pathlib.Path(name + ".run")

    def open(self, page):
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.browser.get("file://" + str(page.resolve()))
        for _ in range(300):
            if self.js("return typeof page === 'object' && page.ready"):
                break
            time.sleep(0.1)
        else:
            self.fail("the page is not ready")
        self.assertEqual(self.browser.get_log("browser"), [])
        asked = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        addresses = {event["params"]["request"]["url"] for event in asked if event["method"] == "Network.requestWillBeSent"}
        self.assertTrue(all(address.startswith(("file://", "data:", "blob:")) for address in addresses), addresses)

    def js(self, script, *words):
        return self.browser.execute_script(script, *words)

    def test_run(self):
        folder = self.run_model("damper", MODEL.replace("TITLE", "A damper"))
        page = folder / "report.html"
        self.assertLess(page.stat().st_size, 3e6)
        self.open(page)
        self.assertEqual(self.browser.title, "A damper")
        self.assertIn("complete", self.js("return document.getElementById('verdict').textContent"))

        # every control has a name, every plot a description; nothing is wider than a phone
        nameless = self.js(
            "return [...document.querySelectorAll('select, input, button, canvas[role], .plot')].filter(e => e.offsetParent && !(e.closest('label')"
            "  || e.getAttribute('aria-label') || (e.tagName === 'BUTTON' && e.textContent.trim()))).map(e => e.outerHTML.slice(0, 80))")
        self.assertEqual(nameless, [])
        self.browser.set_window_size(400, 900)
        self.wait_for("innerWidth < 500 && document.documentElement.scrollWidth <= innerWidth")
        self.browser.set_window_size(800, 900)
        self.wait_for("document.querySelector('#plot canvas').clientWidth > 700")

        # plots: the values of series.csv
        with open(folder / "series.csv", newline="") as file:
            rows = list(csv.reader(file))
        names = self.js("return page.series.names")
        self.assertEqual([f"{name}[{unit}]" for name, unit in zip(names, self.js("return page.series.units"))], rows[0])
        for c in (1, 3):
            column = self.js("return Array.from(page.series.columns[arguments[0]])", c)
            self.assertEqual(column, [float(row[c]) for row in rows[1:]])
        drawn = self.js("return page.graph.rawData_ ? page.graph.numRows() : 0")
        self.assertEqual(drawn, len(rows) - 1)
        self.assertEqual(self.js("return page.graph.getValue(7, 1)"), float(rows[8][1]))
        # spectrum: the peak is at the frequency of the shaker
        self.js("document.getElementById('transform').value = 'spectrum';"
                "document.getElementById('transform').dispatchEvent(new Event('change'))")
        peak = self.js("let best = 1; const g = page.graph;"
                       "for (let i = 1; i < g.numRows(); i++) if (g.getValue(i, 1) > g.getValue(best, 1)) best = i;"
                       "return g.getValue(best, 0)")
        self.assertAlmostEqual(peak, 50, delta=12)

        self.move_along(len(rows) - 1)
        # the error of the ledger over the same time, as series.csv has it
        column = [name.split("[")[0] for name in rows[0]].index("energy.error")
        self.assertEqual(self.js("return page.graphs.errors.getValue(9, 1)"), float(rows[10][column]))
        self.js("page.graphs.energy.updateOptions({dateWindow: [0.02, 0.04]})")
        self.assertEqual(self.js("return page.graphs.errors.xAxisRange()"), [0.02, 0.04])

        # replay: the last frame, and a picked grain with its coordinates
        frames = frames_of(folder / "replay.bin")
        count = self.js("return page.replay.frames.length")
        self.assertEqual(count, len(frames))
        self.js("document.getElementById('scrub').value = arguments[0];"
                "document.getElementById('scrub').dispatchEvent(new Event('input'))", count - 1)
        self.assertEqual(self.js("return page.replay.index"), count - 1)
        self.js("page.replay.placeCamera(true); page.replay.draw()")
        picked = self.js(
            "const r = page.replay, part = r.frames[r.index].parts[0], stage = document.getElementById('stage');"
            "for (let i = 0; i < part.count; i++) {"
            "  const p = new THREE.Vector3(part.places[3*i], part.places[3*i+1], part.places[3*i+2]).project(r.camera);"
            "  const found = r.pick((p.x + 1) / 2 * stage.clientWidth, (1 - p.y) / 2 * stage.clientHeight);"
            "  if (found && found.grain === i) return r.pickedNumbers();"
            "} return null")
        self.assertIsNotNone(picked)
        self.assertEqual(self.js("return page.replay.path.geometry.attributes.position.count"), count)
        last = frames[-1][1]
        width = max(max(places) for _time, places in frames) - min(min(places) for _time, places in frames)
        for k, axis in enumerate("xyz"):
            self.assertAlmostEqual(picked[axis], last[3 * picked["grain"] + k], delta=width / 32767)

        # before the first step there are no forces, and no arrows
        seen = self.js("page.replay.show(0); const n = Object.values(page.replay.arrows).filter(a => a.visible).length;"
                       "page.replay.show(arguments[0]); return [n, Object.keys(page.replay.arrows).length]", count - 1)
        self.assertEqual(seen, [0, 1])

        # a node, its path, and the forces at ports and joints: those of series.csv
        node = self.js(
            "const r = page.replay, part = r.frames[r.index].parts.find(p => p.name === 'nodes'), k = part.names.indexOf('arm.start');"
            "r.placeCamera(false); const stage = document.getElementById('stage');"
            "const p = new THREE.Vector3(...part.places.subarray(3*k, 3*k+3)).project(r.camera);"
            "r.pick((p.x + 1) / 2 * stage.clientWidth, (1 - p.y) / 2 * stage.clientHeight); return r.pickedNumbers()")
        self.assertTrue(node["node"].startswith("arm."))
        self.assertAlmostEqual(node["x"], 0, delta=1e-6)
        for part, column in (("ports", "bed.load.fy"), ("joints", "root.fy")):
            force = self.js("return Array.from(page.replay.frames[page.replay.index].parts.find(p => p.name === arguments[0]).values)", part)
            self.assertAlmostEqual(force[1], float(rows[-1][[name.split("[")[0] for name in rows[0]].index(column)]), delta=1e-5 * abs(force[1]) + 1e-9)
            self.js("document.getElementById('forces').value = arguments[0]; document.getElementById('forces').dispatchEvent(new Event('change'))", part)
            seen = self.js(
                "const r = page.replay, size = r.frames.map(f => Math.hypot(...f.parts.find(p => p.name === arguments[0]).values));"
                "r.show(size.indexOf(Math.max(...size))); return Object.values(r.arrows).filter(a => a.visible).length", part)
            self.assertEqual(seen, 1)
            self.js("page.replay.show(arguments[0])", count - 1)

        # pixels: more than the background
        colours = self.js(
            "const c = page.replay.renderer.domElement, gl = c.getContext('webgl'), w = c.width, h = c.height;"
            "page.replay.draw(); const p = new Uint8Array(4*w*h); gl.readPixels(0,0,w,h,gl.RGBA,gl.UNSIGNED_BYTE,p);"
            "const s = new Set(); for (let i = 0; i < p.length; i += 4) if (p[i+3] === 255) s.add(p[i]*65536+p[i+1]*256+p[i+2]);"
            "return s.size")
        self.assertGreater(colours, 20)

        self.shot("run")
        # playing reaches the end
        self.js("document.getElementById('speed').value = '4'; page.replay.show(arguments[0]);"
                "document.getElementById('play').click()", count - 30)
        for _ in range(100):
            if self.js("return page.replay.index") == count - 1:
                break
            time.sleep(0.1)
        self.assertEqual(self.js("return page.replay.index"), count - 1)

    def move_along(self, rows):
        """A plot that is zoomed by dragging, moved sideways with the shift key, and shown as a whole by a double click."""
        self.js("document.getElementById('transform').value = 'time';"
                "document.getElementById('transform').dispatchEvent(new Event('change'))")
        plot, mouse = self.browser.find_element("id", "plot"), lambda: ActionChains(self.browser, duration=20)
        self.js("arguments[0].scrollIntoView({block: 'center'})", plot)
        mouse().move_to_element_with_offset(plot, 0, 0).click_and_hold().move_by_offset(50, 0).pause(0.05).move_by_offset(50, 0).release().perform()
        self.wait_for("page.graph.isZoomed('x')")
        zoomed = self.js("return page.graph.xAxisRange()")
        self.assertLess(zoomed[1] - zoomed[0], 0.03)
        mouse().move_to_element_with_offset(plot, 0, 0).key_down(Keys.SHIFT).click_and_hold().move_by_offset(-150, 0).release().key_up(
            Keys.SHIFT).perform()
        self.wait_for(f"page.graph.xAxisRange()[0] !== {zoomed[0]!r}")
        moved = self.js("return page.graph.xAxisRange()")
        self.assertGreater(moved[0], zoomed[0] + 0.002)
        self.assertAlmostEqual(moved[1] - moved[0], zoomed[1] - zoomed[0], delta=1e-9)
        drawn = self.js("return [page.graph.getValue(0, 0), page.graph.getValue(page.graph.numRows() - 1, 0)]")
        self.assertTrue(drawn[0] <= moved[0] and drawn[1] >= min(moved[1], 0.1), (drawn, moved))
        mouse().move_to_element_with_offset(plot, 0, 0).double_click().perform()
        self.wait_for("!page.graph.isZoomed('x')")
        self.assertEqual(self.js("return [page.graph.numRows(), page.graph.isZoomed('x')]"), [rows, False])

    def test_axes_of_a_drum(self):
        folder = self.run_model("drum", DRUM)
        self.open(folder / "report.html")
        # in the axes of the drum its walls stand still, although it turns
        spread = ("const r = page.replay; let most = 0; const at = [];"
                  "for (let i = 0; i < r.frames.length; i += 60) { r.show(i);"
                  "  const k = r.frames[i].parts.findIndex(p => p.name.endsWith('-walls'));"
                  "  at.push(Array.from(r.objects[k].children[0].geometry.attributes.position.array)); }"
                  "for (const one of at) one.forEach((v, k) => { most = Math.max(most, Math.abs(v - at[0][k])); }); return most")
        self.assertGreater(self.js(spread), 0.005)
        self.js("document.getElementById('axes').selectedIndex = 1; document.getElementById('axes').dispatchEvent(new Event('change'))")
        self.assertLess(self.js(spread), 1e-5)
        # bodies with faces have the colours of their grains; a section leaves some of them out
        self.js("document.getElementById('colour').value = 'number'; document.getElementById('colour').dispatchEvent(new Event('change'))")
        colours = self.js("const r = page.replay, k = r.frames[0].parts.findIndex(p => p.name.endsWith('-bodies'));"
                          "const c = r.objects[k].children[0].geometry.attributes.color.array; const s = new Set();"
                          "for (let i = 0; i < c.length; i += 3) s.add(c.slice(i, i + 3).join()); return [s.size, new Set(r.frames[0].parts[k].owner).size]")
        self.assertEqual(colours, [6, 6])
        self.js("document.getElementById('cut-axis').value = 'x'; document.getElementById('cut-axis').dispatchEvent(new Event('change'));"
                "document.getElementById('cut').value = 500; document.getElementById('cut').dispatchEvent(new Event('input'))")
        self.assertEqual(self.js("return page.replay.planes.length"), 1)
        # contact forces: m |dv/h - g| of the last step, and none before anything touches
        forces = self.js("return page.replay.frames.map(f => Math.max(...f.parts.find(p => p.shape === 0).forces))")
        self.assertEqual(forces[0], 0)
        self.assertGreater(max(forces), 0)
        self.shot("drum")

    def test_saved_files(self):
        folder = self.run_model("saved", MODEL.replace("TITLE", "saved").replace("0.1 s, step", "20 ms, step"))
        self.open(folder / "report.html")
        self.js("window.saved = {}; window.save = (name, blob) => { window.saved[name] = blob; };"
                "document.getElementById('csv').click(); document.getElementById('png').click()")
        text = self.browser.execute_async_script("const done = arguments[0]; window.saved['signals.csv'].text().then(done)")
        with open(folder / "series.csv", newline="") as file:
            rows = list(csv.reader(file))
        wanted = [[float(row[0]), float(row[1])] for row in rows[1:]]
        self.assertEqual([[float(word) for word in line.split(",")] for line in text.strip().split("\n")[1:]], wanted)
        size = self.browser.execute_async_script(
            "const done = arguments[0]; const look = () => window.saved['signals.png'] ? createImageBitmap(window.saved['signals.png'])"
            ".then(b => done([b.width, b.height])) : setTimeout(look, 50); look()")
        self.assertGreater(min(size), 200)
        # the mean over a stretch, and a logarithmic axis
        self.js("document.getElementById('transform').value = 'mean'; document.getElementById('window').value = '0.005';"
                "document.getElementById('transform').dispatchEvent(new Event('change'))")
        drawn = self.js("return page.graph.getValue(60, 1)")
        inside = [y for x, y in wanted[:61] if wanted[60][0] - x < 0.005]
        self.assertAlmostEqual(drawn, sum(inside) / len(inside), delta=1e-9)
        self.js("document.getElementById('log').checked = true; document.getElementById('log').dispatchEvent(new Event('change'))")
        self.assertTrue(self.js("return page.graph.getOption('logscale')"))

    def start_live(self, name, *words):
        pathlib.Path(name + ".yaml").write_text(MODEL.replace("TITLE", name).replace("0.1 s, step", "1000 s, step").replace("every: 0.2 ms", "every: 10 ms"))
        run = subprocess.Popen([PROGRAM, "run", name + ".yaml", "-q", "--live", "--threads", "1", "-o", name + ".run", *words],
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run, run.stderr.readline().split()[-1]

    def wait_for(self, script, seconds=60):
        for _ in range(10 * seconds):
            if self.js("return " + script):
                return
            time.sleep(0.1)
        self.fail("never: " + script)

    def test_live(self):
        run, address = self.start_live("live")
        self.assertRegex(address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/live$")
        self.browser.get_log("browser")
        self.browser.get(address)
        self.wait_for("typeof page === 'object' && page.ready && page.state && page.state.time > 0")
        rows, frames = self.js("return [page.series.rows, page.replay.frames.length]")
        self.wait_for(f"page.series.rows > {rows} && page.replay.frames.length >= {frames}")
        self.assertEqual(self.js("return page.graph.numRows() > 0"), True)
        self.assertGreater(self.js("return document.getElementById('live-progress').value"), 0)
        self.assertTrue((pathlib.Path("live.run") / "series.csv").exists())
        self.js("document.getElementById('live-stop').click()")
        self.wait_for("location.pathname.endsWith('/report') && typeof page === 'object' && page.ready")
        self.assertIn("did not get to its end", self.js("return document.getElementById('verdict').textContent"))
        self.assertEqual(run.wait(60), 1)  # stopped by the user
        self.assertTrue((pathlib.Path("live.run") / "checkpoint.h5").exists())
        self.assertEqual(self.browser.get_log("browser"), [])

    def test_live_refuses(self):
        run, address = self.start_live("guarded")
        port, token = address.split("/")[2].split(":")[1], address.split("/")[3]
        wrong = ("1" if token[0] == "0" else "0") + token[1:]

        def status(path, method="GET", **headers):
            request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method, headers=headers)
            try:
                return urllib.request.urlopen(request, timeout=30).status
            except urllib.error.HTTPError as refused:
                return refused.code
        self.assertEqual(status(f"/{token}/state"), 200)
        for path in ("/", "/state", f"/{wrong}/state", f"/{token}", f"/{token[:-1]}/state", f"/{wrong}/stop"):
            self.assertEqual(status(path), 403, path)
        self.assertEqual(status(f"/{wrong}/stop", "POST"), 403)
        self.assertEqual(status(f"/{token}/stop"), 405)
        self.assertEqual(status(f"/{token}/../../etc/passwd"), 404)
        self.assertEqual(status(f"/{token}/report"), 404)
        # another site's page, led here by its name or by a form
        self.assertEqual(status(f"/{token}/state", Host=f"example.org:{port}"), 403)
        self.assertEqual(status(f"/{token}/stop", "POST", Origin="http://example.org"), 403)
        self.assertIsNone(run.poll())
        self.assertEqual(status(f"/{token}/stop", "POST", Origin=f"http://127.0.0.1:{port}"), 202)
        while status(f"/{token}/report") != 200:  # the run ends once the page has its report
            self.assertIsNone(run.poll())
            time.sleep(0.05)
        self.assertEqual(run.wait(60), 1)

    def test_hostile_title(self):
        folder = self.run_model("hostile", MODEL.replace("TITLE", json.dumps(HOSTILE)).replace("0.1 s, step", "2 ms, step"))
        self.open(folder / "report.html")
        self.assertEqual(self.browser.title, HOSTILE)
        self.assertEqual(self.js("return document.getElementById('title').textContent"), HOSTILE)
        self.assertEqual(self.js("return document.images.length"), 0)

    def test_thinned(self):
        folder = self.run_model("thin", MODEL.replace("TITLE", "thin"))
        subprocess.run([PROGRAM, "report", "thin.run", "-o", "thin.html", "--budget", "0.05"], check=True,
                       stdout=subprocess.DEVNULL)
        self.open(pathlib.Path("thin.html"))
        self.assertIn("samples", self.js("return document.getElementById('thinned').textContent"))
        self.assertIn("recorded frames", self.js("return document.getElementById('scale').textContent"))
        with open(folder / "series.csv", newline="") as file:
            column = [float(row[1]) for row in list(csv.reader(file))[1:]]
        kept = self.js("return Array.from(page.series.columns[1])")
        self.assertLess(len(kept), len(column) / 2)
        self.assertAlmostEqual(max(kept), max(column), delta=1e-9)  # nothing of the envelope is lost
        self.assertAlmostEqual(min(kept), min(column), delta=1e-9)

    # ---- studies and other commands ------------------------------------------------------------------
    def maraca(self, *words, status=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def sections(self):
        return self.js("return [...document.querySelectorAll('section')].filter(s => !s.hidden).map(s => s.id)")

    def test_sweep_and_its_runs(self):
        pathlib.Path("sweep.yaml").write_text(STUDY)
        self.maraca("sweep", "sweep.yaml", "--vary", "constants.k=600,900,1500 N/m", "--vary", "constants.c=1,2 N*s/m", "--keep", "-q",
                    "--measure", "energy.kinetic,energy.elastic", "-o", "a.sweep")
        self.open(pathlib.Path("a.sweep/report.html"))
        self.assertIn("All 6 runs are done", self.js("return document.getElementById('verdict').textContent"))
        with open("a.sweep/study.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        # curves: the values of study.csv, one curve per dashpot
        drawn = self.js("return page.graph.series_.map(one => one.points.map(p => [p.x, p.y]))")
        self.assertEqual(len(drawn), 2)
        for number, dashpot in enumerate((1, 2)):
            wanted = [[float(row["constants.k[N/m]"]), float(row["energy.kinetic[J]"])] for row in rows if float(row["constants.c[N*s/m]"]) == dashpot]
            self.assertEqual(drawn[number], wanted)
        # the map: a cell opens the run behind it
        self.js("const s = document.querySelector('#section-results select'); s.value = 'map'; s.dispatchEvent(new Event('change'))")
        cells = self.js("return [...document.querySelectorAll('table.heat td > *')].map(c => [c.textContent, c.getAttribute('href')])")
        self.assertEqual(len(cells), 6)
        for _text, link in cells:
            self.assertTrue((pathlib.Path("a.sweep") / link).exists(), link)
        self.js("document.querySelector('table.heat td > *').addEventListener('click', e => e.preventDefault(), true);"
                "document.querySelector('table.heat td > *').click()")
        self.assertIn("Runs behind", self.js("return document.getElementById('runs').textContent"))
        self.assertIn("maraca run sweep.yaml --set", self.js("return document.getElementById('runs').textContent"))
        self.shot("sweep")
        self.open(pathlib.Path("a.sweep") / cells[0][1])
        self.assertIn("complete", self.js("return document.getElementById('verdict').textContent"))

    def test_map_opens_its_runs(self):
        text = MODEL[:MODEL.index("mechanism:")] + MODEL[MODEL.index("grains:"):]
        text = text.replace("TITLE", "A map").replace("grains:", "constants: {f: 50 Hz, A: 1 mm}\nports: {can: {position: [0, A*sin(2*pi*f*t), 0]}}\ngrains:")
        pathlib.Path("map.yaml").write_text(text.replace("can.y, bed.center, bed.load.fy, root.fy, energy", "bed.load.fy, energy"))
        self.maraca("map", "map.yaml", "--frequency", "40,50 Hz", "--amplitude", "1,2 mm", "--skip", "1", "--periods", "2", "--beds", "2", "-q", "-o", "a.map")
        self.open(pathlib.Path("a.map/report.html"))
        links = self.js("return [...document.querySelectorAll('table.heat td > *')].map(c => c.getAttribute('href'))")
        self.assertEqual(len(links), 4)
        for link in links:  # the report of the first bed, and nothing else of it
            self.assertEqual(os.listdir((pathlib.Path("a.map") / link).parent), ["report.html"])
        self.assertEqual(len(list(pathlib.Path("a.map").rglob("points/*/run"))), 4)
        self.shot("map")
        self.open(pathlib.Path("a.map") / links[0])
        self.assertIn("complete", self.js("return document.getElementById('verdict').textContent"))
        self.assertAlmostEqual(self.js("return page.series.columns[0][page.series.rows - 1]"), 3 / 40, delta=1e-9)  # three cycles

    def test_failed_runs_are_named(self):
        pathlib.Path("failing.yaml").write_text(STUDY)
        self.maraca("sweep", "failing.yaml", "--vary", "constants.k=600 N/m,-5 kg", "-q", "--measure", "energy.kinetic", "-o", "f.sweep")
        self.open(pathlib.Path("f.sweep/report.html"))
        self.assertIn("1 of them failed", self.js("return document.getElementById('verdict').textContent"))
        self.assertIn("warnings", self.sections())

    def test_response_and_damping(self):
        pathlib.Path("response.yaml").write_text(STUDY)
        self.maraca("response", "response.yaml", "--frequency", "8:14:4 Hz", "--signal", "box.x", "--reference", "foot.x", "-q", "-o", "a.response")
        self.open(pathlib.Path("a.response/report.html"))
        with open("a.response/study.csv", newline="") as file:
            wanted = [float(row["amplitude[m]"]) for row in csv.DictReader(file)]
        self.assertEqual(self.js("return page.graph.series_[0].points.map(p => p.y)"), wanted)
        self.shot("response")
        self.maraca("run", "response.yaml", "-q", "-o", "free.run", "--set", "constants.X=0 m", "--set", "mechanism.bodies.box.velocity=[0.3 m/s, 0, 0]")
        self.maraca("damping", "free.run", "--signal", "box.x", "-o", "a.damping")
        self.open(pathlib.Path("a.damping/report.html"))
        self.assertEqual(self.sections()[1:4], ["section-ratio", "section-amplitude", "section-spectrum"])
        # "k 900 N/m, m 0.2 kg, c 1 N s/m": zeta = c / (2 sqrt(k m))
        for ratio in self.js("return page.graphs.ratio.series_[0].points.map(p => p.y)"):
            self.assertAlmostEqual(ratio, 1 / (2 * (900 * 0.2) ** 0.5), delta=2e-3)
        self.shot("damping")

    def test_certify_and_optimise(self):
        pathlib.Path("certify.yaml").write_text(STUDY)
        self.maraca("certify", "certify.yaml", "-q", "--measure", "energy.kinetic", "--to", "90", "-o", "a.certify")
        self.open(pathlib.Path("a.certify/report.html"))
        text = self.js("return document.getElementById('section-certificate').textContent")
        self.assertIn("energy.kinetic", text)
        self.assertIn("good", text)
        self.shot("certify")
        self.maraca("optimise", "certify.yaml", "--vary", "constants.k=600:1500 N/m", "--minimise", "energy.kinetic", "--candidates", "6", "-q",
                    "--beds", "1", "-o", "a.optimise")
        self.open(pathlib.Path("a.optimise/report.html"))
        best = self.js("return page.history.series_[1].points.map(p => p.y)")
        self.assertEqual(best, sorted(best, reverse=True))
        found = json.loads(pathlib.Path("a.optimise/study.json").read_text())["optimum"]["value"]
        self.assertAlmostEqual(min(best), found, delta=1e-9 * abs(found))
        self.shot("optimise")

    def test_commands(self):
        pathlib.Path("command.yaml").write_text(STUDY)
        self.maraca("modes", "command.yaml", "-o", "a.modes")
        self.open(pathlib.Path("a.modes/report.html"))
        frames = self.js("return page.replay.frames.map(f => Array.from(f.parts[0].places))")
        self.assertEqual(len(frames), 48)
        moved = max(abs(a - b) for a, b in zip(frames[0], frames[24]))
        self.assertAlmostEqual(moved, 2 * 0.1 * 0.05, delta=1e-4)  # there and back, a tenth of the mechanism's 50 mm
        self.shot("modes")
        self.maraca("stability", "--scheme", "loose", "--rho", "0:1:5", "--omega-h", "1:5:9", "-o", "loose.html")
        self.open(pathlib.Path("loose.html"))
        found = json.loads(self.maraca("stability", "--scheme", "loose", "--rho", "0:1:5", "--omega-h", "1:5:9", "--json"))
        self.js("page.map.move(3, 7)")
        self.assertIn(f"{found['radius'][3][7]:.6f}"[:7], self.js("return document.querySelector('#section-map output').textContent"))
        self.shot("stability")
        pathlib.Path("advise.yaml").write_text(MODEL.replace("TITLE", "advice"))
        self.maraca("advise", "advise.yaml", "-o", "advice.html")
        self.open(pathlib.Path("advice.html"))
        self.assertEqual(self.sections()[1:4], ["section-steps-bed", "section-schemes-can", "section-advice"])
        schemes = json.loads(self.maraca("advise", "advise.yaml", "--json"))["coupling"]["ports"]["can"]["schemes"]
        told = self.js("return [...document.querySelectorAll('#section-schemes-can tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent])")
        self.assertEqual(told, [[name, "stable" if one["stable"] else "unstable"] for name, one in schemes.items()])
        self.shot("advice")
        self.maraca("compare", "command.yaml", "--schemes", "fine:simulate.step=0.5 ms,coarse:simulate.step=1 ms", "-q", "-o", "a.compare")
        self.open(pathlib.Path("a.compare/report.html"))
        names = self.js("return page.tables.map(one => one.name)")
        self.assertEqual(names, ["fine", "coarse"])
        with open("a.compare/coarse/series.csv", newline="") as file:
            rows = list(csv.reader(file))[1:]
        self.assertEqual(self.js("return Array.from(page.tables[1].table.columns[1])"), [float(row[1]) for row in rows])
        self.assertEqual(self.js("return page.graphs.overlay.getLabels()"), ["t [s]", "fine", "coarse"])
        self.shot("compare")

    def test_hostile_study(self):
        pathlib.Path("evil.yaml").write_text(STUDY.replace("A box", json.dumps(HOSTILE)[1:-1]))
        os.makedirs("h.sweep", exist_ok=True)
        self.maraca("sweep", "evil.yaml", "--vary", "title=<img src=x onerror=alert(1)>,<b>b</b>", "--measure", "energy.kinetic", "-q", "-o", "h.sweep")
        self.open(pathlib.Path("h.sweep/report.html"))
        self.assertEqual(self.js("return document.images.length + document.querySelectorAll('#section-results b').length"), 0)
        self.assertIn("<img src=x", self.js("return document.getElementById('section-results').textContent"))

    def test_report_of_folder(self):
        pathlib.Path("again.yaml").write_text(STUDY)
        self.maraca("sweep", "again.yaml", "--vary", "constants.k=600,900 N/m", "--measure", "energy.kinetic", "-q", "-o", "again.sweep")
        self.maraca("report", "again.sweep", "-o", "again.html")
        self.open(pathlib.Path("again.html"))
        self.assertEqual(self.js("return page.lines.length"), 2)
        self.maraca("report", ".", status=2)

    def shot(self, name):
        """Kept for people to look at: the whole page, of the last test run."""
        if not os.environ.get("MARACA_SHOTS"):
            return
        height = self.js("return Math.min(3000, document.documentElement.scrollHeight + 150)")
        self.browser.set_window_size(800, height)
        self.browser.save_screenshot(os.path.join(os.environ["MARACA_SHOTS"], name + ".png"))
        self.browser.set_window_size(800, 900)

    def test_without_grains(self):
        text = MODEL[:MODEL.index("grains:")] + MODEL[MODEL.index("simulate:"):].replace("bed.center, bed.load.fy, ", "")
        self.open(self.run_model("bare", text.replace("TITLE", "bare")) / "report.html")
        self.assertGreater(self.js("return page.replay.frames.length"), 10)


if __name__ == "__main__":
    unittest.main()
