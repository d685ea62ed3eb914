"use strict";
// Data of the page: elements with JSON, packed numbers.
const data = {
  source: document, // that the elements are in; of a run that goes on, the newest that was fetched
  element(id) {
    const element = data.source.getElementById("data-" + id);
    return element ? JSON.parse(element.textContent) : null;
  },

  async unpack(text) {
    const plain = atob(text), bytes = new Uint8Array(plain.length);
    for (let i = 0; i < plain.length; i++) bytes[i] = plain.charCodeAt(i);
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

  // Frames with parts: {name, shape, count, places: x, y, z of each}. Grains (shape 0) have speeds, forces, radii, ids and kinds;
  // lines and polygons (1, 2) corners, ends and marks; named points (3) values, `width` of each, and names.
  async replay() {
    const found = data.element("replay");
    if (!found) return null;
    found.frames = JSON.parse(new TextDecoder().decode(await data.unpack(found.index)));
    if (found.frames.length === 0) return null;
    const buffer = await data.unpack(found.data), bytes = new Uint8Array(buffer);
    let at = 0;
    const copied = (kind, count) => {
      const values = new kind(buffer.slice(at, at + 4 * count));
      at += 4 * count;
      return values;
    };
    // `field` of `fields` numbers of each point, between low and high; `last`: levels of the frame before, which this one differs from
    const scaled = (values, field, fields, count, low, high, top, last, difference) => {
      const scale = high > low ? (high - low) / top : 0, wide = top > 255;
      for (let i = 0; i < count; i++) {
        let level = bytes[at + i] + (wide ? 256 * bytes[at + count + i] : 0);
        if (last) {
          if (difference) level = last[i] + (level & 1 ? -(level + 1) / 2 : level / 2);
          last[i] = level;
        }
        values[fields * i + field] = low + scale * level;
      }
      at += (wide ? 2 : 1) * count;
    };
    const last = [], levels = [];
    const grains = (part, k) => {
      if (!levels[k] || levels[k][0].length !== part.count) levels[k] = [0, 1, 2, 3, 4].map(() => new Uint16Array(part.count));
      part.places = new Float32Array(3 * part.count);
      part.speeds = new Float32Array(part.count);
      part.forces = new Float32Array(part.count);
      for (let f = 0; f < 5; f++) {
        const [low, high, top] = found.ranges[k] ? found.ranges[k].slice(3 * f, 3 * f + 3) : [0, 0, 65535];
        scaled(f < 3 ? part.places : f === 3 ? part.speeds : part.forces, f < 3 ? f : 0, f < 3 ? 3 : 1, part.count, low, high, top, levels[k][f], part.difference);
      }
      if (part.renewed) [part.radii, part.ids, part.kinds] = [copied(Float32Array, part.count), copied(Int32Array, part.count), copied(Int32Array, part.count)];
    };
    const shape = part => {
      part.places = new Float32Array(3 * part.count);
      for (let c = 0; c < 3; c++) scaled(part.places, c, 3, part.count, part.box[2 * c], part.box[2 * c + 1], 65535, null, false);
      if (part.renewed) [part.corners, part.ends, part.marks] = part.indices.map(count => copied(Int32Array, count));
    };
    const named = part => {
      part.places = new Float32Array(3 * part.count);
      part.values = new Float32Array(part.width * part.count);
      for (let c = 0; c < 3; c++) scaled(part.places, c, 3, part.count, part.box[2 * c], part.box[2 * c + 1], 65535, null, false);
      for (let c = 0; c < part.width; c++) scaled(part.values, c, part.width, part.count, part.span[2 * c], part.span[2 * c + 1], 65535, null, false);
      if (part.renewed) part.names = part.names.split("\n");
    };
    for (const frame of found.frames)
      frame.parts.forEach((part, k) => {
        if (part.shape === 0) grains(part, k);
        else if (part.shape === 3) named(part);
        else shape(part);
        if (!part.renewed) for (const name of ["radii", "ids", "kinds", "names", "corners", "ends", "marks", "cells"]) if (last[k][name]) part[name] = last[k][name];
        last[k] = part;
      });
    delete found.data;
    delete found.index;
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
