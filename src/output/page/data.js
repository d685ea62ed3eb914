"use strict";
// Data of the page: elements with JSON, packed numbers.
const data = {
  source: document, // that the elements are in; of a run that goes on, the newest that was fetched
  element(id) {
    const element = data.source.getElementById("data-" + id);
    return element ? JSON.parse(element.textContent) : null;
  },

  async unpack(text) {
    const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  },

  // {names, units, rows, columns: one typed array per column, stretch, rows_of_file}
  async table(id) {
    const found = data.element(id);
    return found ? data.unpackTable(found) : null;
  },

  async unpackTable(found) {
    const buffer = await data.unpack(found.data);
    const kind = found.type === "float32" ? Float32Array : Float64Array;
    found.columns = found.names.map((_, c) => new kind(buffer, c * found.rows * kind.BYTES_PER_ELEMENT, found.rows));
    delete found.data;
    return found;
  },

  // Frames with parts: {name, shape, count, places, speeds, radii, corners, ends, marks}; places are numbers x, y, z.
  async replay() {
    const found = data.element("replay");
    if (!found || found.frames.length === 0) return null;
    const buffer = await data.unpack(found.data), bytes = new Uint8Array(buffer);
    let at = 0;
    const scaled = (count, low, high) => {
      const values = new Float32Array(count), scale = (high - low) / 65535;
      for (let i = 0; i < count; i++) values[i] = low + scale * (bytes[at + i] + 256 * bytes[at + count + i]);
      at += 2 * count;
      return values;
    };
    const copied = (kind, count) => {
      const values = new kind(buffer.slice(at, at + 4 * count));
      at += 4 * count;
      return values;
    };
    const last = [];
    for (const frame of found.frames) {
      frame.parts.forEach((part, k) => {
        const axes = [0, 1, 2].map(c => scaled(part.count, part.box[2 * c], part.box[2 * c + 1]));
        part.places = new Float32Array(3 * part.count);
        for (let i = 0; i < part.count; i++) for (let c = 0; c < 3; c++) part.places[3 * i + c] = axes[c][i];
        if (part.shape === 0) part.speeds = scaled(part.count, part.speed[0], part.speed[1]);
        if (part.renewed && part.shape === 0) part.radii = copied(Float32Array, part.count);
        if (part.renewed && part.shape !== 0)
          [part.corners, part.ends, part.marks] = part.indices.map(count => copied(Int32Array, count));
        if (!part.renewed) for (const name of ["radii", "corners", "ends", "marks"]) part[name] = last[k][name];
        last[k] = part;
      });
    }
    delete found.data;
    return found;
  },
};

// An element of the page: attributes that are null are left out; children are elements or texts.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Numbers for people: three digits more than enough, with a prefix of the unit where that is usual.
const prefixes = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
function readable(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "not known";
  if (value === 0) return "0" + (unit ? " " + unit : "");
  if (!["m", "s", "N", "J", "W", "Hz", "m/s", "Pa", "kg"].includes(unit))
    return String(Number(value.toPrecision(4))) + (unit && unit !== "1" ? " " + unit : "");
  if (unit === "kg") [value, unit] = [value * 1000, "g"];
  const [scale, prefix] = prefixes.find(([size]) => Math.abs(value) >= size) || prefixes[prefixes.length - 1];
  return String(Number((value / scale).toPrecision(4))) + " " + prefix + unit;
}
