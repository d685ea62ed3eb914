"use strict";
// The replay: grains as spheres or bodies with faces, walls translucent, the mechanism as lines, drawn by three.js.
//
// Grains with faces are two parts of a frame: "NAME", their centres, and "NAME-bodies", their faces. Only the latter are
// drawn; the former are what can be picked.
// A sphere is one point sprite: its fragments find the sphere's surface and write its depth, so that 1e5 of them need no
// geometry.
const sphereVertex = `
  attribute float radius; attribute float value;
  uniform float height; uniform vec3 cutAxis; uniform float cutAt;
  varying float vValue; varying float vRadius; varying vec3 vCenter; varying float vCut;
  void main() {
    vec4 eye = modelViewMatrix * vec4(position, 1.0);
    vCenter = eye.xyz; vRadius = radius; vValue = value;
    vCut = dot(cutAxis, position) - cutAt;
    gl_Position = projectionMatrix * eye;
    gl_PointSize = 1.15 * height * projectionMatrix[1][1] * radius / -eye.z;
  }`;
const sphereFragment = `
  uniform mat4 projection;
  varying float vValue; varying float vRadius; varying vec3 vCenter; varying float vCut;
  // viridis, by a polynomial: readable in print and by colour-blind people
  vec3 colour(float t) {
    const vec3 c0 = vec3(0.2777, 0.0054, 0.3341), c1 = vec3(0.1051, 1.4046, 1.3846), c2 = vec3(-0.3309, 0.2148, 0.0951),
      c3 = vec3(-4.6342, -5.7991, -19.3324), c4 = vec3(6.2283, 14.1799, 56.6906), c5 = vec3(4.7764, -13.7451, -65.3530),
      c6 = vec3(-5.4355, 4.6459, 26.3124);
    return c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * (c5 + t * c6)))));
  }
  void main() {
    if (vCut > 0.0) discard;
    vec2 p = 1.15 * (2.0 * gl_PointCoord - 1.0);
    p.y = -p.y;
    float r2 = dot(p, p);
    if (r2 > 1.0) discard;
    vec3 n = vec3(p, sqrt(1.0 - r2));
    vec4 clip = projection * vec4(vCenter + vRadius * n, 1.0);
    gl_FragDepthEXT = 0.5 * clip.z / clip.w + 0.5;
    float light = 0.35 + 0.65 * max(0.0, dot(n, normalize(vec3(0.4, 0.7, 0.6))));
    gl_FragColor = vec4(light * (vValue < 0.0 ? vec3(1.0, 0.25, 0.2) : colour(vValue)), 1.0);
  }`;

class Replay {
  constructor(frames, stage) {
    this.frames = frames;
    this.stage = stage;
    this.scene = new THREE.Scene();
    this.renderer = new THREE.WebGLRenderer({antialias: true, alpha: true, preserveDrawingBuffer: true});
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.001, 1000);
    stage.append(this.renderer.domElement);
    this.controls = new THREE.OrbitControls(this.camera, this.renderer.domElement);
    this.controls.addEventListener("change", () => this.draw());
    this.index = 0;
    this.colour = "speed";
    this.follow = false;
    this.picked = null;
    this.cut = {axis: new THREE.Vector3(), at: 0};
    this.planes = []; // of the section, for bodies
    this.renderer.localClippingEnabled = true;
    this.offset = [0, 0, 0];
    this.findRanges();
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 0.75), this.camera);
    const lamp = new THREE.DirectionalLight(0xffffff, 0.6); // above the shoulder of the viewer
    lamp.position.set(0.4, 0.7, 0.6);
    this.camera.add(lamp);
    this.faced = new Set(frames[0].parts.filter(part => Replay.isBodies(part)).map(part => part.name.replace(/-bodies$/, "")));
    this.objects = frames[0].parts.map(part => this.makeObject(part));
    this.path = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: 0xd55e00}));
    this.path.visible = false;
    this.scene.add(this.path);
    this.placeCamera();
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
    this.show(0);
  }

  findRanges() {
    this.fastest = 0;
    this.smallest = Infinity;
    this.largest = 0;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const frame of this.frames)
      for (const part of frame.parts) {
        if (part.count === 0) continue;
        for (let c = 0; c < 3; c++) {
          low[c] = Math.min(low[c], part.box[2 * c]);
          high[c] = Math.max(high[c], part.box[2 * c + 1]);
        }
        if (part.shape === 0) {
          this.fastest = Math.max(this.fastest, part.speed[1]);
          if (part.renewed)
            for (const r of part.radii) {
              this.smallest = Math.min(this.smallest, r);
              this.largest = Math.max(this.largest, r);
            }
        }
      }
    this.low = low;
    this.high = high;
  }

  static isBodies(part) { return part.shape === 2 && part.name.endsWith("-bodies"); }

  makeObject(part) {
    const geometry = new THREE.BufferGeometry();
    if (part.shape === 0) {
      const material = new THREE.ShaderMaterial({
        uniforms: {height: {value: 1}, projection: {value: this.camera.projectionMatrix},
                   cutAxis: {value: this.cut.axis}, cutAt: {value: 0}},
        vertexShader: sphereVertex, fragmentShader: sphereFragment, extensions: {fragDepth: true}});
      const object = new THREE.Points(geometry, material);
      object.frustumCulled = false;
      object.visible = !this.faced.has(part.name);
      this.scene.add(object);
      return object;
    }
    const group = new THREE.Group(), bodies = Replay.isBodies(part);
    if (bodies)
      group.add(new THREE.Mesh(geometry, new THREE.MeshPhongMaterial({color: 0xa89a86, flatShading: true, side: THREE.DoubleSide,
                                                                      shininess: 8, clippingPlanes: this.planes})));
    if (part.shape === 2 && !bodies)
      group.add(new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({color: 0x7a8ba3, transparent: true, opacity: 0.12,
                                                                      side: THREE.DoubleSide, depthWrite: false})));
    const line = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({color: part.shape === 2 ? 0x8796ab : part.name === "at rest" ? 0x9aa3ad : 0x2f6db5, transparent: true,
                                   opacity: part.shape === 2 ? 0.35 : 1}));
    line.visible = !bodies;
    group.add(line);
    if (part.shape === 1)
      group.add(new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({color: 0xd55e00, size: 7, sizeAttenuation: false})));
    group.children.forEach(child => { child.frustumCulled = false; });
    this.scene.add(group);
    return group;
  }

  // Lines or outlines of polygons, as pairs of corners; polygons as fans of triangles.
  static cells(part) {
    const lines = [], triangles = [];
    let first = 0;
    for (const end of part.ends) {
      for (let k = first; k + 1 < end; k++) lines.push(part.corners[k], part.corners[k + 1]);
      if (part.shape === 2) {
        lines.push(part.corners[end - 1], part.corners[first]);
        for (let k = first + 1; k + 1 < end; k++) triangles.push(part.corners[first], part.corners[k], part.corners[k + 1]);
      }
      first = end;
    }
    return {lines, triangles};
  }

  places(part) {
    const [x, y, z] = this.offset, out = new Float32Array(part.places);
    if (this.follow) for (let i = 0; i < out.length; i += 3) { out[i] -= x; out[i + 1] -= y; out[i + 2] -= z; }
    return out;
  }

  // How far the walls have moved since the first frame: in the container's axes this is taken off.
  moved(frame) {
    const mean = which => {
      const walls = which.parts.find(part => part.shape === 2 && part.count > 0), sum = [0, 0, 0];
      if (!walls) return sum;
      for (let i = 0; i < walls.places.length; i++) sum[i % 3] += walls.places[i] / walls.count;
      return sum;
    };
    const now = mean(frame), start = mean(this.frames[0]);
    return now.map((value, k) => value - start[k]);
  }

  values(part) {
    const values = new Float32Array(part.count);
    for (let i = 0; i < part.count; i++) {
      if (this.colour === "speed") values[i] = this.fastest > 0 ? part.speeds[i] / this.fastest : 0;
      if (this.colour === "size") values[i] = this.largest > this.smallest ? (part.radii[i] - this.smallest) / (this.largest - this.smallest) : 0.5;
      if (this.colour === "number") values[i] = part.count > 1 ? i / (part.count - 1) : 0.5;
    }
    if (this.picked && this.picked.part === part.name && this.picked.grain < part.count) values[this.picked.grain] = -1;
    return values;
  }

  show(index) {
    this.index = Math.max(0, Math.min(this.frames.length - 1, index));
    const frame = this.frames[this.index];
    this.offset = this.follow ? this.moved(frame) : [0, 0, 0];
    frame.parts.forEach((part, k) => {
      const object = this.objects[k], places = this.places(part);
      if (part.shape === 0) {
        object.geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
        object.geometry.setAttribute("radius", new THREE.BufferAttribute(part.radii, 1));
        object.geometry.setAttribute("value", new THREE.BufferAttribute(this.values(part), 1));
        return;
      }
      const attribute = new THREE.BufferAttribute(places, 3), {lines, triangles} = part.cells || (part.cells = Replay.cells(part));
      for (const child of object.children) {
        child.geometry.setAttribute("position", attribute);
        child.geometry.setIndex(child.isMesh ? triangles : child.isLineSegments ? lines : Array.from(part.marks));
      }
    });
    this.drawPath();
    this.draw();
  }

  drawPath() {
    this.path.visible = this.picked !== null;
    if (!this.picked) return;
    const points = [];
    for (const frame of this.frames) {
      const part = frame.parts.find(one => one.name === this.picked.part);
      if (!part || this.picked.grain >= part.count) continue;
      const moved = this.follow ? this.moved(frame) : [0, 0, 0];
      for (let c = 0; c < 3; c++) points.push(part.places[3 * this.picked.grain + c] - moved[c]);
    }
    this.path.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
  }

  // The box of what is to be seen: of everything in all frames, or of the grains and walls in the frame that is shown.
  box(grains) {
    if (!grains) return [this.low, this.high];
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const part of this.frames[this.index].parts)
      if (part.shape === 0 && part.count > 0)
        for (let c = 0; c < 3; c++) {
          low[c] = Math.min(low[c], part.box[2 * c] - this.largest - this.offset[c]);
          high[c] = Math.max(high[c], part.box[2 * c + 1] + this.largest - this.offset[c]);
        }
    return low[0] <= high[0] ? [low, high] : [this.low, this.high];
  }

  placeCamera(grains) {
    const [low, high] = this.box(grains), middle = low.map((value, c) => (value + high[c]) / 2);
    const size = Math.max(1e-6, Math.hypot(...low.map((value, c) => high[c] - value)));
    this.controls.target.set(...middle);
    this.camera.up.set(0, ...(page.upAxis === "y" ? [1, 0] : [0, 1]));
    const away = page.upAxis === "y" ? [0.5, 0.45, 1] : [0.6, -1, 0.45], length = Math.hypot(...away);
    this.camera.position.set(...middle.map((m, c) => m + 1.25 * size * away[c] / length));
    const all = Math.hypot(...this.low.map((value, c) => this.high[c] - value));
    this.camera.near = size / 500;
    this.camera.far = 20 * Math.max(size, all);
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  resize() {
    const width = this.stage.clientWidth, height = this.stage.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  draw() {
    const height = this.renderer.domElement.height;
    for (const object of this.objects)
      if (object.isPoints) {
        object.material.uniforms.height.value = height;
        object.material.uniforms.cutAt.value = this.cut.at;
      }
    this.renderer.render(this.scene, this.camera);
  }

  // The nearest grain whose sphere the ray through this point of the stage meets; null: none.
  pick(x, y) {
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(2 * x / this.stage.clientWidth - 1, 1 - 2 * y / this.stage.clientHeight), this.camera);
    const {origin, direction} = ray.ray;
    let nearest = Infinity, found = null;
    for (const part of this.frames[this.index].parts) {
      if (part.shape !== 0) continue;
      const places = this.places(part);
      for (let i = 0; i < part.count; i++) {
        const d = [places[3 * i] - origin.x, places[3 * i + 1] - origin.y, places[3 * i + 2] - origin.z];
        const {x, y, z} = this.cut.axis;
        if (x + y + z > 0 && x * places[3 * i] + y * places[3 * i + 1] + z * places[3 * i + 2] > this.cut.at) continue;
        const along = d[0] * direction.x + d[1] * direction.y + d[2] * direction.z;
        const beside = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 - along ** 2;
        if (along > 0 && beside < part.radii[i] ** 2 && along < nearest) {
          nearest = along;
          found = {part: part.name, grain: i};
        }
      }
    }
    this.picked = found;
    this.show(this.index);
    return found;
  }

  // What is known of the picked grain in the frame that is shown.
  pickedNumbers() {
    if (!this.picked) return null;
    const part = this.frames[this.index].parts.find(one => one.name === this.picked.part), i = this.picked.grain;
    if (!part || i >= part.count) return null;
    return {bed: part.name, grain: i, x: part.places[3 * i], y: part.places[3 * i + 1], z: part.places[3 * i + 2],
            speed: part.speeds[i], radius: part.radii[i]};
  }
}

function startReplay(found) {
  const box = id => document.getElementById(id);
  box("replay").hidden = false;
  let replay;
  try {
    replay = new Replay(found.frames, box("stage"));
  } catch (error) {
    box("stage").textContent = "This browser cannot draw in three dimensions (WebGL is missing).";
    return null;
  }
  page.replay = replay;
  const frames = found.frames, duration = () => frames[frames.length - 1].time - frames[0].time;
  box("scrub").max = frames.length - 1;
  const tell = () => {
    box("scrub").value = replay.index;
    box("clock").textContent = found.loop ? `mode ${found.mode + 1}, ${Math.round(360 * frames[replay.index].time)}\u00b0` : readable(frames[replay.index].time, "s");
    const grain = replay.pickedNumbers();
    if (grain)
      box("picked").textContent = `Grain ${grain.grain} of ${grain.bed}: x ${readable(grain.x, "m")}, y ${readable(grain.y, "m")}, `
        + `z ${readable(grain.z, "m")}, speed ${readable(grain.speed, "m/s")}, radius ${readable(grain.radius, "m")}; its path is drawn.`;
  };
  const go = index => { replay.show(index); tell(); };
  let playing = false, started = 0, from = 0;
  const length = () => Math.max(2, Math.min(20, frames.length / 20)) / Number(box("speed").value); // of the whole, on the wall clock [s]
  const tick = now => {
    if (!playing) return;
    let at = from + (now - started) / 1000 / length() * (frames.length - 1);
    if (found.loop) at %= frames.length;
    if (!found.loop && at >= frames.length - 1) { playing = false; box("play").textContent = "Play"; go(frames.length - 1); return; }
    if (Math.floor(at) !== replay.index) go(Math.floor(at));
    requestAnimationFrame(tick);
  };
  const play = wanted => {
    if (wanted === playing) return;
    playing = !playing;
    box("play").textContent = playing ? "Stop" : "Play";
    if (!playing) return;
    from = replay.index >= frames.length - 1 ? 0 : replay.index;
    started = performance.now();
    requestAnimationFrame(tick);
  };
  replay.play = play;
  box("play").addEventListener("click", () => play());
  box("scrub").addEventListener("input", () => { playing = false; box("play").textContent = "Play"; go(Number(box("scrub").value)); });
  box("speed").addEventListener("change", () => { from = replay.index; started = performance.now(); });
  box("colour").addEventListener("change", () => { replay.colour = box("colour").value; legend(); go(replay.index); });
  box("look").addEventListener("change", () => { replay.placeCamera(box("look").value === "grains"); replay.draw(); });
  box("axes").addEventListener("change", () => { replay.follow = box("axes").value === "container"; go(replay.index); });
  const cut = () => {
    const axis = "xyz".indexOf(box("cut-axis").value || "-");
    box("cut").disabled = axis < 0;
    replay.cut.axis.set(0, 0, 0);
    replay.planes.length = 0;
    if (axis >= 0) {
      replay.cut.axis.setComponent(axis, 1);
      replay.cut.at = replay.low[axis] + Number(box("cut").value) / 1000 * (replay.high[axis] - replay.low[axis]);
      replay.planes.push(new THREE.Plane(replay.cut.axis.clone().negate(), replay.cut.at));
    }
    replay.draw();
  };
  box("cut-axis").addEventListener("change", cut);
  box("cut").addEventListener("input", cut);
  const legend = () => {
    const words = {speed: `Colour: speed, 0 (dark) to ${readable(replay.fastest, "m/s")} (bright).`,
                   size: `Colour: radius, ${readable(replay.smallest, "m")} (dark) to ${readable(replay.largest, "m")} (bright).`,
                   number: "Colour: number of the grain, 0 (dark) to the last (bright)."};
    const thinned = found.frames_of_file > frames.length ? ` ${frames.length} of ${found.frames_of_file} recorded frames are in this page.` : "";
    if (found.loop) { box("scale").textContent = "Largest displacement drawn as a tenth of the mechanism's size."; return; }
    box("scale").textContent = (replay.largest > 0 && replay.faced.size === 0 ? words[replay.colour] : "") + ` ${frames.length} frames over ${readable(duration(), "s")}.` + thinned;
  };
  let pressed = null;
  box("stage").addEventListener("pointerdown", event => { pressed = [event.clientX, event.clientY]; });
  box("stage").addEventListener("pointerup", event => {
    if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    const frame = box("stage").getBoundingClientRect();
    replay.pick(event.clientX - frame.left, event.clientY - frame.top);
    tell();
  });
  box("stage").addEventListener("keydown", event => {
    const steps = {ArrowRight: 1, ArrowLeft: -1, Home: -frames.length, End: frames.length};
    if (event.key === " ") play();
    else if (event.key in steps) go(replay.index + steps[event.key]);
    else return;
    event.preventDefault();
  });
  legend();
  tell();
  // Newer frames of the same run; who looks at the last one goes on to the new last one.
  return newer => {
    const atEnd = !playing && replay.index === frames.length - 1;
    found.frames_of_file = newer.frames_of_file;
    found.mode = newer.mode;
    frames.splice(0, frames.length, ...newer.frames);
    replay.findRanges();
    box("scrub").max = frames.length - 1;
    legend();
    go(atEnd ? frames.length - 1 : Math.min(replay.index, frames.length - 1));
  };
}
