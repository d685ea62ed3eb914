"use strict";
// The replay: grains as spheres or bodies with faces, walls translucent, the mechanism as lines, drawn by three.js.
//
// Grains with faces are two parts of a frame: "NAME", their centres, and "NAME-bodies", their faces. Only the latter are
// drawn; the former are what can be picked, and drawn if they are spheres, which have no faces.
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
    if (radius == 0.0) gl_Position = vec4(0.0, 0.0, 2.0, 1.0); // nowhere: it has faces
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

// To which grain each point of the surfaces of grains belongs: `marks` has the number of points up to the last one of each.
function grainsOfPoints(part) {
  const owner = new Int32Array(part.count);
  let first = 0;
  part.marks.forEach((end, grain) => { owner.fill(grain, first, end); first = end; });
  return owner;
}

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
    this.container = null; // name of the bed in whose axes everything is shown; null: the world's
    this.arrowKinds = [];  // "ports", "joints"
    this.picked = null;
    this.cut = {axis: new THREE.Vector3(), at: 0};
    this.planes = []; // of the section, for bodies
    this.renderer.localClippingEnabled = true;
    this.findRanges();
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x667788, 0.75), this.camera);
    const lamp = new THREE.DirectionalLight(0xffffff, 0.6); // above the shoulder of the viewer
    lamp.position.set(0.4, 0.7, 0.6);
    this.camera.add(lamp);
    this.objects = frames[0].parts.map(part => this.makeObject(part));
    this.arrows = {};
    this.path = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: 0xd55e00}));
    this.path.visible = false;
    this.path.frustumCulled = false;
    this.scene.add(this.path);
    const axes = new THREE.AxesHelper(0.12 * this.size);
    axes.position.set(...this.low.map(value => value - 0.04 * this.size));
    this.scene.add(axes);
    this.viewed = this.size;
    new ResizeObserver(() => this.resize()).observe(stage);
    this.resize();
    this.placeCamera();
    this.show(0);
  }

  findRanges() {
    this.fastest = this.strongest = this.largest = this.highest = 0;
    this.smallest = Infinity;
    this.longest = {ports: 0, joints: 0};
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (const frame of this.frames)
      for (const part of frame.parts) {
        if (part.shape === 3) {
          if (part.name in this.longest)
            for (let i = 0; i < part.count; i++) this.longest[part.name] = Math.max(this.longest[part.name], Math.hypot(...part.values.subarray(3 * i, 3 * i + 3)));
          continue;
        }
        if (part.count === 0) continue;
        for (let c = 0; c < 3; c++) {
          low[c] = Math.min(low[c], part.box[2 * c]);
          high[c] = Math.max(high[c], part.box[2 * c + 1]);
        }
        if (part.shape === 0) {
          for (const v of part.speeds) if (v > this.fastest) this.fastest = v;
          for (const f of part.forces) if (f > this.strongest) this.strongest = f;
          if (part.renewed)
            for (let i = 0; i < part.count; i++) {
              this.smallest = Math.min(this.smallest, part.radii[i]);
              this.largest = Math.max(this.largest, part.radii[i]);
              this.highest = Math.max(this.highest, part.ids[i]);
            }
        }
      }
    this.low = low[0] <= high[0] ? low : [-1, -1, -1];
    this.high = low[0] <= high[0] ? high : [1, 1, 1];
    this.size = Math.max(1e-6, Math.hypot(...this.low.map((value, c) => this.high[c] - value)));
  }

  static isBodies(part) { return part.shape === 2 && part.name.endsWith("-bodies"); }

  makeObject(part) {
    if (part.shape === 0) return this.makeSpheres(part);
    if (part.shape === 1) return this.makeMechanism(part);
    if (part.shape === 2) return this.makeSurface(part);
    return null;
  }

  makeSpheres(part) {
    const material = new THREE.ShaderMaterial({
      uniforms: {height: {value: 1}, projection: {value: this.camera.projectionMatrix},
                 cutAxis: {value: this.cut.axis}, cutAt: {value: 0}},
      vertexShader: sphereVertex, fragmentShader: sphereFragment, extensions: {fragDepth: true}});
    const object = new THREE.Points(new THREE.BufferGeometry(), material);
    object.frustumCulled = false;
    this.scene.add(object);
    return object;
  }

  makeSurface(part) {
    const group = new THREE.Group(), bodies = Replay.isBodies(part), geometry = new THREE.BufferGeometry();
    group.add(bodies
      ? new THREE.Mesh(geometry, new THREE.MeshPhongMaterial({vertexColors: THREE.VertexColors, flatShading: true, side: THREE.DoubleSide, shininess: 8, clippingPlanes: this.planes}))
      : new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({color: 0x7a8ba3, transparent: true, opacity: 0.12, side: THREE.DoubleSide, depthWrite: false})));
    const line = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: 0x8796ab, transparent: true, opacity: 0.35}));
    if (bodies) Object.assign(line.material, {color: new THREE.Color(0x000000), clippingPlanes: this.planes});
    line.visible = !bodies || part.ends.length < 30000;
    group.add(line);
    group.children.forEach(child => { child.frustumCulled = false; });
    this.scene.add(group);
    return group;
  }

  // Beams as tubes, links and springs as thin rods, bodies as balls; very many as lines.
  makeMechanism(part) {
    const group = new THREE.Group(), rest = part.name === "at rest";
    let first = 0, beams = 0, rods = 0;
    for (const end of part.ends) {
      if (end - first > 2) beams += end - first - 1; else rods += end - first - 1;
      first = end;
    }
    group.simple = rest || beams + rods > 3000;
    if (group.simple) group.add(new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({color: rest ? 0x9aa3ad : 0x2f6db5})));
    const solid = (geometry, colour, count) => {
      const mesh = new THREE.InstancedMesh(geometry, new THREE.MeshPhongMaterial({color: colour, shininess: 20}), Math.max(1, count));
      mesh.count = 0;
      mesh.frustumCulled = false;
      group.add(mesh);
      return mesh;
    };
    if (!group.simple) {
      group.beams = solid(new THREE.CylinderBufferGeometry(1, 1, 1, 10), 0x2f6db5, beams);
      group.rods = solid(new THREE.CylinderBufferGeometry(1, 1, 1, 6), 0x7b8794, rods);
    }
    if (!rest) group.bodies = solid(new THREE.SphereBufferGeometry(1, 16, 12), 0xd55e00, part.marks.length);
    group.children.forEach(child => { child.frustumCulled = false; });
    this.scene.add(group);
    return group;
  }

  showMechanism(group, part, places) {
    const point = i => new THREE.Vector3(places[3 * i], places[3 * i + 1], places[3 * i + 2]), up = new THREE.Vector3(0, 1, 0), matrix = new THREE.Matrix4();
    const rod = (mesh, a, b, radius) => {
      const along = b.clone().sub(a), length = along.length();
      if (!(length > 0)) return;
      matrix.compose(a.clone().add(b).multiplyScalar(0.5), new THREE.Quaternion().setFromUnitVectors(up, along.divideScalar(length)), new THREE.Vector3(radius, length, radius));
      mesh.setMatrixAt(mesh.count++, matrix);
    };
    if (group.simple) {
      const {lines} = part.cells || (part.cells = Replay.cells(part)), line = group.children[0];
      line.geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
      line.geometry.setIndex(lines);
    } else {
      group.beams.count = group.rods.count = 0;
      let first = 0;
      for (const end of part.ends) {
        for (let k = first; k + 1 < end; k++)
          rod(end - first > 2 ? group.beams : group.rods, point(part.corners[k]), point(part.corners[k + 1]), (end - first > 2 ? 0.006 : 0.0035) * this.viewed);
        first = end;
      }
      group.beams.instanceMatrix.needsUpdate = group.rods.instanceMatrix.needsUpdate = true;
    }
    if (!group.bodies) return;
    group.bodies.count = 0;
    for (const mark of part.marks) {
      const ball = 0.011 * this.viewed;
      matrix.compose(point(mark), new THREE.Quaternion(), new THREE.Vector3(ball, ball, ball));
      group.bodies.setMatrixAt(group.bodies.count++, matrix);
    }
    group.bodies.instanceMatrix.needsUpdate = true;
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

  // ---- axes --------------------------------------------------------------------------------------
  // From the world's axes to those of the container, put back to where it was in the first frame; null: the world's.
  transform(frame) {
    if (this.container === null) return null;
    const pose = which => {
      const part = which.parts.find(one => one.shape === 3 && one.name === "containers"), k = part ? part.names.indexOf(this.container) : -1;
      if (k < 0) return null;
      const [w, x, y, z] = part.values.subarray(4 * k, 4 * k + 4);
      return new THREE.Matrix4().compose(new THREE.Vector3(...part.places.subarray(3 * k, 3 * k + 3)), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
    };
    const now = pose(frame), start = pose(this.frames[0]);
    return now && start ? start.multiply(new THREE.Matrix4().getInverse(now)) : null;
  }

  places(part, transform) {
    const out = new Float32Array(part.places);
    if (!transform) return out;
    const m = transform.elements;
    for (let i = 0; i < out.length; i += 3) {
      const x = out[i], y = out[i + 1], z = out[i + 2];
      out[i] = m[0] * x + m[4] * y + m[8] * z + m[12];
      out[i + 1] = m[1] * x + m[5] * y + m[9] * z + m[13];
      out[i + 2] = m[2] * x + m[6] * y + m[10] * z + m[14];
    }
    return out;
  }

  // ---- colours -----------------------------------------------------------------------------------
  // Kinds of grains in all beds: "bed" or "bed, kind 2".
  kinds() {
    const found = [];
    for (const part of this.frames[0].parts)
      if (part.shape === 0) for (const kind of [...new Set(part.kinds)].sort((a, b) => a - b)) found.push({part: part.name, kind});
    return found;
  }

  values(part) {
    const values = new Float32Array(part.count), kinds = this.colour === "kind" ? this.kinds() : [];
    for (let i = 0; i < part.count; i++) {
      if (this.colour === "speed") values[i] = this.fastest > 0 ? part.speeds[i] / this.fastest : 0;
      if (this.colour === "force") values[i] = this.strongest > 0 ? Math.sqrt(part.forces[i] / this.strongest) : 0;
      if (this.colour === "size") values[i] = this.largest > this.smallest ? (part.radii[i] - this.smallest) / (this.largest - this.smallest) : 0.5;
      if (this.colour === "number") values[i] = this.highest > 0 ? part.ids[i] / this.highest : 0.5;
      if (this.colour === "kind") values[i] = (kinds.findIndex(one => one.part === part.name && one.kind === part.kinds[i]) + 0.5) / Math.max(1, kinds.length);
    }
    if (this.picked && this.picked.part === part.name) {
      const i = part.ids.indexOf(this.picked.id);
      if (i >= 0) values[i] = -1;
    }
    return values;
  }

  bodyColours(part, frame) {
    const centres = frame.parts.find(one => one.shape === 0 && one.name === part.name.replace(/-bodies$/, "")), values = this.values(centres);
    const owner = part.owner || (part.owner = grainsOfPoints(part)), colours = new Float32Array(3 * part.count);
    const table = Array.from(values, value => value < 0 ? [255, 64, 51] : heat.colour(value));
    for (let i = 0; i < part.count; i++) for (let c = 0; c < 3; c++) colours[3 * i + c] = (table[owner[i]] || [168, 154, 134])[c] / 255;
    return colours;
  }

  // Grains with faces are not drawn as spheres: their radius is 0 here.
  static sphereRadii(part, frame) {
    const bodies = frame.parts.find(one => Replay.isBodies(one) && one.name === `${part.name}-bodies`);
    return bodies ? part.radii.map((radius, i) => bodies.marks[i] > (i > 0 ? bodies.marks[i - 1] : 0) ? 0 : radius) : part.radii;
  }

  // ---- a frame -----------------------------------------------------------------------------------
  show(index) {
    this.index = Math.max(0, Math.min(this.frames.length - 1, index));
    const frame = this.frames[this.index], transform = this.transform(frame);
    frame.parts.forEach((part, k) => {
      const object = this.objects[k];
      if (!object) return;
      const places = this.places(part, transform);
      if (part.shape === 0) {
        object.geometry.setAttribute("position", new THREE.BufferAttribute(places, 3));
        object.geometry.setAttribute("radius", new THREE.BufferAttribute(Replay.sphereRadii(part, frame), 1));
        object.geometry.setAttribute("value", new THREE.BufferAttribute(this.values(part), 1));
        return;
      }
      if (part.shape === 1) { this.showMechanism(object, part, places); return; }
      const attribute = new THREE.BufferAttribute(places, 3), {lines, triangles} = part.cells || (part.cells = Replay.cells(part));
      const colours = Replay.isBodies(part) ? this.bodyColours(part, frame) : null;
      for (const child of object.children) {
        child.geometry.setAttribute("position", attribute);
        if (colours && child.isMesh) child.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
        if (child.cells !== part.corners) child.geometry.setIndex(child.isMesh ? triangles : lines);
        child.cells = part.corners;
      }
    });
    this.showArrows(frame, transform);
    this.drawPath();
    this.draw();
  }

  // Forces, the longest of all frames a quarter of the picture's size.
  showArrows(frame, transform) {
    const turn = new THREE.Matrix4();
    if (transform) turn.extractRotation(transform);
    for (const arrow of Object.values(this.arrows)) arrow.visible = false;
    const most = Math.max(...this.arrowKinds.map(kind => this.longest[kind]), 0);
    if (!(most > 0)) return;
    for (const part of frame.parts) {
      if (part.shape !== 3 || !this.arrowKinds.includes(part.name)) continue;
      const places = this.places(part, transform);
      part.names.forEach((name, i) => {
        const key = part.name + "/" + name, force = new THREE.Vector3(...part.values.subarray(3 * i, 3 * i + 3)).applyMatrix4(turn), length = 0.25 * this.size * force.length() / most;
        if (!this.arrows[key]) this.scene.add(this.arrows[key] = new THREE.ArrowHelper(new THREE.Vector3(0, 1, 0), new THREE.Vector3(), 1, part.name === "ports" ? 0x009e73 : 0xcc79a7));
        const arrow = this.arrows[key];
        arrow.visible = length > 1e-3 * this.size;
        if (!arrow.visible) return;
        arrow.position.set(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
        arrow.setDirection(force.normalize());
        arrow.setLength(length, Math.min(0.3 * length, 0.03 * this.size), Math.min(0.15 * length, 0.015 * this.size));
      });
    }
  }

  // Where in a part the picked grain or node is; -1: it is not there.
  static find(part, picked) {
    if (!part || part.name !== picked.part) return -1;
    return picked.node === undefined ? part.ids.indexOf(picked.id) : part.names.indexOf(picked.node);
  }

  drawPath() {
    this.path.visible = this.picked !== null;
    if (!this.picked) return;
    const points = [];
    for (const frame of this.frames) {
      const part = frame.parts.find(one => one.name === this.picked.part && (one.shape === 0 || one.shape === 3)), i = part ? Replay.find(part, this.picked) : -1;
      if (i < 0) continue;
      const at = new THREE.Vector3(...part.places.subarray(3 * i, 3 * i + 3)), transform = this.transform(frame);
      if (transform) at.applyMatrix4(transform);
      points.push(at.x, at.y, at.z);
    }
    this.path.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
  }

  // The box of what is to be seen: of everything in all frames, or of the grains in the frame that is shown.
  box(grains) {
    if (!grains) return [this.low, this.high];
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], transform = this.transform(this.frames[this.index]);
    for (const part of this.frames[this.index].parts) {
      if (part.shape !== 0) continue;
      this.places(part, transform).forEach((value, k) => {
        low[k % 3] = Math.min(low[k % 3], value - this.largest);
        high[k % 3] = Math.max(high[k % 3], value + this.largest);
      });
    }
    return low[0] <= high[0] ? [low, high] : [this.low, this.high];
  }

  placeCamera(grains) {
    const [low, high] = this.box(grains), middle = low.map((value, c) => (value + high[c]) / 2);
    const size = Math.max(1e-6, Math.hypot(...low.map((value, c) => high[c] - value)));
    this.controls.target.set(...middle);
    this.camera.up.set(0, ...(page.upAxis === "y" ? [1, 0] : [0, 1]));
    const away = page.upAxis === "y" ? [0.5, 0.45, 1] : [0.6, -1, 0.45], length = Math.hypot(...away);
    this.viewed = size;
    this.camera.near = size / 500;
    this.camera.far = 20 * Math.max(size, this.size);
    this.camera.updateProjectionMatrix();
    // As near as lets all corners of the box be seen. Nothing is drawn meanwhile.
    this.still = true;
    let distance = 1.4 * size;
    for (let tries = 0; tries < 6; tries++) {
      this.camera.position.set(...middle.map((m, c) => m + distance * away[c] / length));
      this.controls.update();
      this.camera.updateMatrixWorld();
      let widest = 0;
      for (let k = 0; k < 8; k++) {
        const corner = new THREE.Vector3(...[0, 1, 2].map(c => k >> c & 1 ? high[c] : low[c])).project(this.camera);
        widest = Math.max(widest, Math.abs(corner.x), Math.abs(corner.y));
      }
      distance = Math.max(0.3 * size, distance * (1 + (widest / 0.88 - 1) * 0.8));
    }
    this.still = false;
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
    if (this.still) return;
    const height = this.renderer.domElement.height;
    for (const object of this.objects)
      if (object && object.isPoints) {
        object.material.uniforms.height.value = height;
        object.material.uniforms.cutAt.value = this.cut.at;
      }
    this.renderer.render(this.scene, this.camera);
  }

  // The nearest grain whose sphere the ray through this point of the stage meets, or a node near it; null: none.
  pick(x, y) {
    const ray = new THREE.Raycaster(), frame = this.frames[this.index], transform = this.transform(frame);
    ray.setFromCamera(new THREE.Vector2(2 * x / this.stage.clientWidth - 1, 1 - 2 * y / this.stage.clientHeight), this.camera);
    const {origin, direction} = ray.ray, cut = this.cut.axis;
    let nearest = Infinity, found = null;
    for (const part of frame.parts) {
      if (part.shape !== 0) continue;
      const places = this.places(part, transform);
      for (let i = 0; i < part.count; i++) {
        const d = [places[3 * i] - origin.x, places[3 * i + 1] - origin.y, places[3 * i + 2] - origin.z];
        if (cut.x + cut.y + cut.z > 0 && cut.x * places[3 * i] + cut.y * places[3 * i + 1] + cut.z * places[3 * i + 2] > this.cut.at) continue;
        const along = d[0] * direction.x + d[1] * direction.y + d[2] * direction.z;
        const beside = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 - along ** 2;
        if (along > 0 && beside < part.radii[i] ** 2 && along < nearest) {
          nearest = along;
          found = {part: part.name, id: part.ids[i], grain: i};
        }
      }
    }
    this.picked = found || this.pickNode(x, y, frame, transform);
    this.show(this.index);
    return this.picked;
  }

  // The node that is drawn nearest to this point, within ten pixels.
  pickNode(x, y, frame, transform) {
    const part = frame.parts.find(one => one.shape === 3 && one.name === "nodes");
    let nearest = 10, found = null;
    if (!part) return null;
    const places = this.places(part, transform);
    part.names.forEach((name, i) => {
      const at = new THREE.Vector3(places[3 * i], places[3 * i + 1], places[3 * i + 2]).project(this.camera);
      const away = Math.hypot((at.x + 1) / 2 * this.stage.clientWidth - x, (1 - at.y) / 2 * this.stage.clientHeight - y);
      if (away < nearest) [nearest, found] = [away, {part: "nodes", node: name}];
    });
    return found;
  }

  // What is known of the picked grain or node in the frame that is shown, in the world's axes.
  pickedNumbers() {
    if (!this.picked) return null;
    const part = this.frames[this.index].parts.find(one => one.name === this.picked.part && (one.shape === 0 || one.shape === 3)), i = part ? Replay.find(part, this.picked) : -1;
    if (i < 0) return null;
    const place = {x: part.places[3 * i], y: part.places[3 * i + 1], z: part.places[3 * i + 2]};
    if (this.picked.node !== undefined) return Object.assign(place, {node: this.picked.node, speed: Math.hypot(...part.values.subarray(3 * i, 3 * i + 3))});
    return Object.assign(place, {bed: part.name, grain: this.picked.id, speed: part.speeds[i], force: part.forces[i], radius: part.radii[i]});
  }
}

function startReplay(found) {
  const box = id => document.getElementById(id);
  box("replay").hidden = false;
  if (!document.createElement("canvas").getContext("webgl")) {
    box("stage").textContent = "This browser cannot draw in three dimensions (WebGL is missing).";
    return null;
  }
  const replay = new Replay(found.frames, box("stage"));
  page.replay = replay;
  const frames = found.frames, duration = () => frames[frames.length - 1].time - frames[0].time;
  box("scrub").max = frames.length - 1;
  const tell = () => {
    box("scrub").value = replay.index;
    box("clock").textContent = found.loop ? `mode ${found.mode + 1}, ${Math.round(360 * frames[replay.index].time)}\u00b0` : readable(frames[replay.index].time, "s");
    const one = replay.pickedNumbers();
    if (one)
      box("picked").textContent = `${one.node === undefined ? `Grain ${one.grain} of ${one.bed}` : `Node ${one.node}`}: x ${readable(one.x, "m")}, y ${readable(one.y, "m")}, `
        + `z ${readable(one.z, "m")}, speed ${readable(one.speed, "m/s")}`
        + (one.node === undefined ? `, contact force ${readable(one.force, "N")}, radius ${readable(one.radius, "m")}` : "") + "; its path is drawn.";
    else if (replay.picked) box("picked").textContent = "What was chosen is not there in this frame.";
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
  box("look").addEventListener("change", () => { replay.placeCamera(box("look").value === "grains"); go(replay.index); });
  const containers = found.frames[0].parts.find(part => part.shape === 3 && part.name === "containers");
  for (const name of containers ? containers.names : []) box("axes").append(make("option", {value: name}, `of the container of ${name}`));
  box("axes").addEventListener("change", () => { replay.container = box("axes").selectedIndex > 0 ? box("axes").value : null; go(replay.index); });
  const arrows = () => {
    replay.arrowKinds = box("forces").value === "both" ? ["ports", "joints"] : box("forces").value ? [box("forces").value] : [];
    legend();
    go(replay.index);
  };
  box("forces").addEventListener("change", arrows);
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
    const grains = replay.largest > 0, bar = () => heat.legend({least: 0, most: 0}, "", "").querySelector("canvas");
    const ends = {speed: ["speed", "0", readable(replay.fastest, "m/s")], force: ["resultant of the contact forces (root scale)", "0", readable(replay.strongest, "N")],
                  size: ["radius", readable(replay.smallest, "m"), readable(replay.largest, "m")], number: ["number", "0", String(replay.highest)]}[replay.colour];
    box("scale").textContent = "";
    if (found.loop) { box("scale").textContent = "Largest displacement drawn as a tenth of the mechanism's size."; return; }
    if (grains && ends) box("scale").append(`Colour: ${ends[0]}, ${ends[1]} `, bar(), ` ${ends[2]}. `);
    if (grains && !ends) {
      const kinds = replay.kinds();
      kinds.forEach((one, k) => {
        const mark = make("span", {class: "swatch", "aria-hidden": "true"});
        mark.style.background = `rgb(${heat.colour((k + 0.5) / kinds.length)})`;
        box("scale").append(mark, ` ${one.part}${kinds.filter(other => other.part === one.part).length > 1 ? `, kind ${one.kind + 1}` : ""} `);
      });
    }
    const most = Math.max(...replay.arrowKinds.map(kind => replay.longest[kind]), 0);
    if (most > 0) box("scale").append(`Longest arrow: ${readable(most, "N")}. `);
    box("scale").append(`Axes: x red, y green, z blue. ${frames.length} frames over ${readable(duration(), "s")}.`
      + (found.frames_of_file > frames.length ? ` ${frames.length} of ${found.frames_of_file} recorded frames are in this page.` : ""));
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
  for (const kind of ["joints", "ports"])
    if (replay.longest[kind] > 0) box("forces").value = kind;
    else box("forces").querySelector(`[value=${kind}]`).disabled = true;
  arrows();
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
