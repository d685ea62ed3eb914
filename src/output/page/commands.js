"use strict";
// Pages of commands that run no study: respond, damping, modes, stability, advise, compare.
const commands = {
  // ---- maraca respond ----------------------------------------------------------------------------
  async respond() {
    const found = data.element("respond"), table = await data.table("respond-curves");
    if (!found || !table) return;
    const column = name => table.columns[table.names.indexOf(name)], f = column("f");
    const points = (name, low, high) => Array.from(f, (x, k) => ({x, y: column(name)[k], low: column(low || name)[k], high: column(high || name)[k]}));
    const series = [{name: "with dampers, upwards (and band)", points: points("up", "lower", "upper")}, {name: "with dampers, downwards", points: points("down")},
                    {name: "without dampers", points: points("without")}, {name: "mass of the grains fixed", points: points("fixed")}];
    page.head("Response of a structure with dampers", "Harmonic balance with the damper elements of maps; no simulation was run.", true);
    const largest = name => { let k = 0; column(name).forEach((value, i) => { if (value > column(name)[k]) k = i; }); return k; };
    page.cardsOf([["up", "with dampers"], ["without", "without dampers"], ["fixed", "with the mass of the grains fixed"]].map(([name, words]) =>
      [readable(column(name)[largest(name)], "m"), `largest amplitude ${words}, at ${readable(f[largest(name)], "Hz")}`]));
    commands.curves("curves", "Amplitude over frequency", series, {xlabel: "frequency [Hz]", ylabel: "amplitude [m]", logs: {y: true}, bare: true});
    const outside = column("outside").filter(value => value > 0).length;
    if (outside > 0) page.warn([`At ${outside} of ${f.length} frequencies the amplitude is outside of the map: values of its ends were taken, and the band means little there.`]);
    page.factsOf(found);
  },

  // ---- maraca damping ----------------------------------------------------------------------------
  async damping() {
    const found = data.element("damping"), decay = await data.table("decay"), spectrum = await data.table("spectrum");
    if (!found || !decay) return;
    const column = (table, name) => table.columns[table.names.indexOf(name)], unit = decay.units[decay.names.indexOf("amplitude")];
    page.head("Damping of a free decay", `${decay.rows} stretches of the decay were evaluated.`, decay.rows > 0);
    page.cardsOf(page.flat(found, "", []).filter(([name, value]) => typeof value === "number" && !name.startsWith("rows")).slice(0, 8).map(([name, value]) => [readable(value, ""), name]));
    const zeta = d => d / Math.sqrt(4 * Math.PI ** 2 + d * d), amplitude = column(decay, "amplitude");
    const decrement = column(decay, "decrement"), interval = column(decay, "decrement.interval"), ratio = column(decay, "damping_ratio");
    const number = value => Number.isFinite(value) ? value : 0;
    commands.curves("ratio", "Damping ratio over amplitude", [{name: "damping ratio (95 % interval)", points: Array.from(amplitude, (x, k) =>
      ({x, y: ratio[k], low: zeta(decrement[k] - number(interval[k])), high: zeta(decrement[k] + number(interval[k]))}))}], {xlabel: `amplitude [${unit}]`, ylabel: "damping ratio"});
    const t = decay.columns[0];
    commands.curves("amplitude", "Amplitude over time", [{name: "amplitude", points: Array.from(t, (x, k) => ({x, y: amplitude[k]}))}], {xlabel: "t [s]", ylabel: `amplitude [${unit}]`, logs: {y: true}});
    if (spectrum && spectrum.rows > 1)
      commands.curves("spectrum", "Spectrum", [{name: "amplitude", points: Array.from(spectrum.columns[0], (x, k) => ({x, y: spectrum.columns[1][k]}))}],
                      {xlabel: "frequency [Hz]", ylabel: `amplitude [${unit}]`, logs: {y: true}, bare: true});
    page.factsOf(found);
  },

  // A section with one plot.
  curves(id, title, series, options) {
    const plot = make("div", {class: "plot"}), legend = make("div", {class: "legend"}), check = make("input", {type: "checkbox"});
    check.checked = Boolean(options.logs && options.logs.y);
    const draw = () => {
      const graph = plots.bands(plot, legend, series, Object.assign({texts: [], pick: () => {}}, options, {logs: {y: check.checked}}));
      page.graphs[id] = page.graph = graph;
    };
    page.section(id, title, make("div", {class: "bar"}, make("label", {}, check, " log axis"), page.exportButtons(() => page.graphs[id], plot, id)), plot, legend);
    check.addEventListener("change", draw);
    draw();
  },

  // ---- maraca modes ------------------------------------------------------------------------------
  modes() {
    const found = data.element("modes"), shapes = data.element("shapes");
    if (!found) return;
    const states = {start: "the start of the model", equilibrium: "its equilibrium", "steady rotation": "its steady rotation", frozen: "an instant of its motion, frozen: they hold for that instant only"};
    page.head(found.title || "Modes", `${found.modes.length} ${found.modes.length === 1 ? "mode" : "modes"} about ${states[found.state] || found.state}.`, found.state !== "frozen");
    const rows = found.modes.map((mode, k) => {
      const name = mode.kind === "vibration" ? readable(mode.frequency_hz, "Hz") : mode.kind === "rigid" ? "rigid" : mode.real_per_s > 0 ? "unstable" : "creeps back";
      const button = make("button", {}, `${k + 1}`);
      button.addEventListener("click", () => commands.showMode(k));
      button.setAttribute("aria-label", `Show mode ${k + 1}`);
      return make("tr", {}, make("td", {}, shapes ? button : String(k + 1)), make("td", {}, name), make("td", {}, mode.kind === "vibration" && Math.abs(mode.damping_ratio) > 5e-7 ? readable(mode.damping_ratio, "") : mode.kind === "vibration" ? "0" : "-"),
                  make("td", {}, `${mode.most_along} ${Math.round(100 * mode.most_share)} %`), make("td", {}, mode.largest_at || ""));
    });
    page.section("modes", "Modes", make("div", {class: "wide"}, make("table", {}, make("thead", {}, make("tr", {}, ...["mode", "frequency", "damping ratio", "moves along", "most at"].map(word => make("th", {scope: "col"}, word)))),
                                                  make("tbody", {}, ...rows))));
    page.factsOf(Object.assign({}, found, {modes: undefined}));
    if (!shapes || shapes.points.length === 0) return;
    commands.shapes = shapes;
    commands.modeRows = rows;
    document.getElementById("details").before(document.getElementById("replay"));
    document.getElementById("replay-title").textContent = "Shape";
    document.getElementById("picked").textContent = "Drag turns, the wheel zooms. Grey: at rest.";
    for (const element of document.querySelectorAll(".of-run")) element.hidden = true;
    commands.showMode(found.modes.findIndex(mode => mode.kind === "vibration") < 0 ? 0 : found.modes.findIndex(mode => mode.kind === "vibration"));
  },

  // One period in 48 frames, which are played over and over.
  modeFrames(number) {
    const {points, corners, ends, marks, modes} = commands.shapes, {real, imaginary} = modes[number], frames = [], rest = Float32Array.from(points.flat());
    for (let p = 0; p < 48; p++) {
      const c = Math.cos(2 * Math.PI * p / 48), s = Math.sin(2 * Math.PI * p / 48), places = new Float32Array(3 * points.length), box = [Infinity, -Infinity, Infinity, -Infinity, Infinity, -Infinity];
      points.forEach((point, i) => point.forEach((value, k) => {
        const at = value + c * real[i][k] - s * imaginary[i][k];
        places[3 * i + k] = at;
        box[2 * k] = Math.min(box[2 * k], at);
        box[2 * k + 1] = Math.max(box[2 * k + 1], at);
      }));
      frames.push({time: p / 48, parts: [{name: "mechanism", shape: 1, count: points.length, places, box, corners, ends, marks, renewed: p === 0},
        {name: "at rest", shape: 1, count: points.length, places: rest, box: commands.boxOf(points), corners, ends, marks: [], renewed: p === 0}]});
    }
    return frames;
  },

  boxOf(points) { return [0, 1, 2].flatMap(k => [Math.min(...points.map(point => point[k])), Math.max(...points.map(point => point[k]))]); },

  showMode(number) {
    const frames = commands.modeFrames(number);
    commands.mode = number;
    if (page.renewReplay) page.renewReplay({frames, frames_of_file: frames.length, mode: number});
    else page.renewReplay = startReplay({frames, frames_of_file: frames.length, loop: true, mode: number});
    commands.modeRows.forEach((row, k) => row.classList.toggle("chosen", k === number));
    if (page.replay && !matchMedia("(prefers-reduced-motion: reduce)").matches) page.replay.play(true);
  },

  // ---- maraca stability --------------------------------------------------------------------------
  stability() {
    const found = data.element("stability");
    if (!found) return;
    const part = found.stable_points / found.points;
    page.head(`Stability of the ${found.scheme} scheme`, `Stable at ${found.stable_points} of ${found.points} points of the map.`, part === 1);
    page.cardsOf([[readable(found.largest_radius, ""), `largest spectral radius, at rho_inf = ${readable(found.largest_radius_at.rho, "")}, omega h = ${readable(found.largest_radius_at.omega_h, "")}`],
                  [readable(found.mass_ratio, ""), "mass ratio, grains over mechanism"], [readable(found.frequency_ratio, ""), "frequency ratio"], [readable(found.xi1, ""), "damping ratio of the mechanism"]]);
    const picture = make("canvas", {class: "map", tabindex: "0", role: "img", "aria-label": "Map of the spectral radius over omega h (across) and rho_inf (upwards). Arrow keys move the mark, whose values stand below."});
    const values = make("output", {class: "legend", "aria-live": "polite"});
    page.section("map", "Spectral radius", picture, values, make("p", {class: "note"}, "Blue: stable, errors do not grow. Orange: errors grow, the darker the faster; white line: radius 1. omega h: frequency of the mechanism times the step."));
    commands.drawStability(picture, values, found);
    page.factsOf(Object.assign({}, found, {radius: undefined, contraction: undefined, rho: undefined, omega_h: undefined}));
  },

  // Two hues that colour-blind people can tell apart: blue up to the limit, orange beyond.
  stabilityColour(radius, tolerance, least, most) {
    const mix = (a, b, t) => a.map((value, k) => Math.round(value + Math.min(1, Math.max(0, t)) * (b[k] - value)));
    if (radius <= 1 + tolerance) return mix([8, 69, 148], [198, 219, 239], least < 1 ? (radius - least) / (1 - least) : 1);
    return mix([253, 208, 162], [127, 39, 4], Math.log(radius) / Math.log(Math.max(most, 1.0001)));
  },

  drawStability(picture, values, found) {
    const {rho, omega_h: x, radius, tolerance} = found, all = radius.flat().filter(Number.isFinite), least = Math.min(...all), most = Math.max(...all);
    const log = x.length > 2 && x[0] > 0 && Math.abs(x[2] / x[1] - x[1] / x[0]) < 1e-6 && x[1] - x[0] < 0.999 * (x[2] - x[1]);
    const left = 60, bottom = 44, top = 8, mark = {row: 0, column: 0};
    const draw = () => {
      const width = picture.clientWidth, height = picture.clientHeight, ratio = Math.min(2, window.devicePixelRatio), ink = getComputedStyle(picture).color;
      picture.width = width * ratio;
      picture.height = height * ratio;
      const pen = picture.getContext("2d"), w = (width - left - 8) / x.length, h = (height - bottom - top) / rho.length;
      pen.scale(ratio, ratio);
      radius.forEach((row, r) => row.forEach((value, c) => {
        pen.fillStyle = `rgb(${commands.stabilityColour(value, tolerance, least, most)})`;
        pen.fillRect(left + c * w, height - bottom - (r + 1) * h, w + 0.5, h + 0.5);
      }));
      pen.strokeStyle = "#fff";
      pen.lineWidth = 1.5;
      const stable = (r, c) => radius[r][c] <= 1 + tolerance;
      pen.beginPath();
      for (let r = 0; r < rho.length; r++) for (let c = 0; c < x.length; c++) {
        const px = left + (c + 1) * w, py = height - bottom - (r + 1) * h;
        if (c + 1 < x.length && stable(r, c) !== stable(r, c + 1)) { pen.moveTo(px, py); pen.lineTo(px, py + h); }
        if (r + 1 < rho.length && stable(r, c) !== stable(r + 1, c)) { pen.moveTo(px - w, py); pen.lineTo(px, py); }
      }
      pen.stroke();
      pen.fillStyle = ink;
      pen.font = "13px system-ui, sans-serif";
      pen.textAlign = "center";
      const steps = Math.min(x.length, Math.max(2, Math.floor(width / 90)));
      for (let k = 0; k < steps; k++) {
        const c = Math.round(k * (x.length - 1) / (steps - 1));
        pen.fillText(plots.label(Number(x[c].toPrecision(3))), left + (c + 0.5) * w, height - bottom + 16);
      }
      pen.fillText("omega h" + (log ? " (equal factors)" : ""), left + (width - left) / 2, height - 6);
      pen.textAlign = "right";
      for (let k = 0; k < 6; k++) {
        const r = Math.round(k * (rho.length - 1) / 5);
        pen.fillText(plots.label(Number(rho[r].toPrecision(3))), left - 6, height - bottom - (r + 0.5) * h + 4);
      }
      pen.save();
      pen.translate(12, (height - bottom) / 2);
      pen.rotate(-Math.PI / 2);
      pen.textAlign = "center";
      pen.fillText("rho_inf", 0, 0);
      pen.restore();
      pen.strokeStyle = "#000";
      pen.strokeRect(left + mark.column * w, height - bottom - (mark.row + 1) * h, w, h);
      const value = radius[mark.row][mark.column];
      values.textContent = `rho_inf ${plots.label(rho[mark.row])}, omega h ${plots.label(x[mark.column])}: spectral radius ${Number(value.toPrecision(10))}, ${stable(mark.row, mark.column) ? "stable" : "unstable"}`;
    };
    const move = (row, column) => {
      mark.row = Math.max(0, Math.min(rho.length - 1, row));
      mark.column = Math.max(0, Math.min(x.length - 1, column));
      draw();
    };
    picture.addEventListener("pointermove", event => {
      const frame = picture.getBoundingClientRect(), w = (frame.width - left - 8) / x.length, h = (frame.height - bottom - top) / rho.length;
      move(Math.floor((frame.height - bottom - (event.clientY - frame.top)) / h), Math.floor((event.clientX - frame.left - left) / w));
    });
    picture.addEventListener("keydown", event => {
      const steps = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0]};
      if (!(event.key in steps)) return;
      move(mark.row + steps[event.key][0], mark.column + steps[event.key][1]);
      event.preventDefault();
    });
    page.map = {move, mark};
    new ResizeObserver(draw).observe(picture);
    draw();
  },

  // ---- maraca advise -----------------------------------------------------------------------------
  advise() {
    const found = data.element("advice");
    if (!found) return;
    page.head(`Advice: ${found.title || "a model"}`, "Steps, stiffness of contacts and coupling schemes for this model.", true);
    const cards = [[readable(found.step_s, "s"), "step of the model"]];
    for (const [bed, one] of Object.entries(found.grains || {})) {
      cards.push([readable(one.steps && one.steps.suggested_s, "s"), `suggested step for ${bed}, governed by ${one.steps && one.steps.governed_by}`]);
      if (one.stiffness && one.stiffness.speed_up > 1) cards.push([readable(one.stiffness.speed_up, ""), `times longer steps of ${bed} with softer contacts`]);
    }
    page.cardsOf(cards);
    for (const [bed, one] of Object.entries(found.grains || {})) commands.stepTable(bed, one);
    for (const [port, one] of Object.entries(found.coupling && found.coupling.ports || {})) commands.schemeTable(port, one);
    page.section("advice", "In words", make("pre", {class: "all"}, data.element("report")));
    page.factsOf(found);
  },

  // Critical steps of a bed, by each criterion that applies to its method.
  stepTable(bed, one) {
    const rows = Object.entries(one.steps || {}).filter(([, step]) => step && typeof step === "object" && step.of_this_method).map(([name, step]) =>
      make("tr", {class: step.governs ? "chosen" : null}, make("th", {scope: "row"}, name), make("td", {}, readable(step.limit_s, "s")), make("td", {}, readable(step.factor, "")),
           make("td", {}, readable(step.step_s, "s")), make("td", {}, step.governs ? "governs" : "")));
    if (rows.length === 0) return;
    page.section("steps-" + bed, `Steps of ${bed}`, make("div", {class: "wide"}, make("table", {}, make("thead", {}, make("tr", {}, ...["criterion", "limit", "part of it", "step", ""].map(word => make("th", {scope: "col"}, word)))), make("tbody", {}, ...rows))));
  },

  // Which coupling schemes are stable at a port.
  schemeTable(port, one) {
    const rows = Object.entries(one.schemes || {}).map(([name, scheme]) =>
      make("tr", {}, make("th", {scope: "row"}, name), make("td", {class: scheme.stable ? "good" : "bad"}, scheme.stable ? "stable" : "unstable"), make("td", {}, scheme.radius === null ? "-" : String(Number(scheme.radius.toPrecision(7)))),
           make("td", {}, scheme.largest_stable_rho_inf === null ? "none" : readable(scheme.largest_stable_rho_inf, ""))));
    if (rows.length === 0) return;
    page.section("schemes-" + port, `Coupling schemes at ${port}`, make("p", {class: "note"}, `Grains over the mass that they feel, along ${one.axis}: ${readable(one.mass_ratio, "")}.`),
                 make("div", {class: "wide"}, make("table", {}, make("thead", {}, make("tr", {}, ...["scheme", "", "spectral radius", "largest stable rho_inf"].map(word => make("th", {scope: "col"}, word)))), make("tbody", {}, ...rows))));
  },

  // ---- maraca compare ----------------------------------------------------------------------------
  async compare() {
    const found = data.element("compare"), variants = data.element("variants");
    if (!found) return;
    const failed = found.variants.filter(one => one.status !== "OK");
    page.head(`Comparison: ${found.model.split("/").pop()}`, `${found.variants.length} variants, measured against ${found.reference}.` + (failed.length > 0 ? ` ${failed.length} did not get to the end.` : ""), failed.length === 0);
    page.warn(failed.map(one => `${one.name}: ${one.message || one.status}`));
    commands.compareTables(found);
    page.factsOf(Object.assign({}, found, {variants: undefined}));
    const tables = [];
    for (const one of variants || []) {
      const table = await data.unpackTable(one.table);
      if (table.rows > 0) tables.push({name: one.name, table});
    }
    const order = found.variants.map(one => one.name);
    tables.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
    if (tables.length > 0) page.tables = commands.overlay(tables, "overlay", "Series of all variants");
  },

  compareTables(found) {
    const number = value => value === null || value === undefined ? "-" : readable(value, "");
    const rows = found.variants.map(one => make("tr", {}, make("th", {scope: "row"}, one.name), make("td", {class: one.status === "OK" ? "" : "bad"}, one.outcome || one.status),
      ...[one.steps, one.solves_per_step, one.wall_seconds, one.port_energy_error_share].map(value => make("td", {}, number(value)))));
    const names = Object.keys((found.variants[0] || {}).difference || {});
    const differences = names.map(name => make("tr", {}, make("th", {scope: "row"}, name), ...found.variants.slice(1).map(one => make("td", {}, number(one.difference && one.difference[name])))));
    const head = words => make("thead", {}, make("tr", {}, ...words.map(word => make("th", {scope: "col"}, word))));
    page.section("runs-table", "Runs", make("div", {class: "wide"}, make("table", {}, head(["variant", "outcome", "steps", "grain solves per step", "wall-clock seconds", "energy error at the ports"]), make("tbody", {}, ...rows))));
    page.section("differences", "Differences of the series", make("p", {class: "note"}, `R.m.s. of the difference to ${found.reference} over its r.m.s. value.`),
                 make("div", {class: "wide"}, make("table", {}, head(["series", ...found.variants.slice(1).map(one => one.name)]), make("tbody", {}, ...differences))));
  },

  // What a run measured of each period of its drive.
  async periods() {
    const table = await data.table("periods");
    if (table && table.rows > 1) page.periods = commands.overlay([{name: "of each period", table}], "periods", "Period by period");
  },

  // One column of several tables, chosen from a list, over the first column.
  overlay(tables, id, title) {
    const first = tables[0].table, plot = make("div", {class: "plot"}), legend = make("div", {class: "legend"});
    const select = make("select", {}, ...first.names.slice(1).map((name, k) => make("option", {value: name}, `${name}${first.units[k + 1] && first.units[k + 1] !== "1" ? ` [${first.units[k + 1]}]` : ""}`)));
    const source = () => {
      const able = tables.filter(one => one.table.names.includes(select.value));
      return {parts: able.map(one => ({x: one.table.columns[0], y: one.table.columns[one.table.names.indexOf(select.value)]})), labels: able.map(one => one.name), xlabel: first.units[0] && first.units[0] !== "1" ? `${first.names[0]} [${first.units[0]}]` : first.names[0]};
    };
    const draw = plots.make(plot, legend, source, () => ({connectSeparatedPoints: true}));
    const redraw = () => { page.graphs[id] = draw(); };
    page.section(id, title, make("div", {class: "bar"}, make("label", {}, "Series ", select), page.exportButtons(() => page.graphs[id], plot, id)), plot, legend);
    if (first.names.includes("dissipated")) select.value = "dissipated";
    select.addEventListener("change", redraw);
    redraw();
    return tables;
  },
};
