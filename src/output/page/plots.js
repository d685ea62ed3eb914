"use strict";
// Plots of the recorded series, by dygraphs. Long series are reduced to what the screen can show, anew at every zoom: the
// smallest and the largest value of each pixel's width.
const plots = {
  pixels: 1500, // of a plot, at most
  // safe for the colour-blind, and to be told from the paper
  colours: matchMedia("(prefers-color-scheme: dark)").matches ? ["#56b4e9", "#e8843c", "#2fbf94", "#dd9cc1", "#f0c24b", "#9ccbf2", "#c2a169", "#aeb4bd"]
    : ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"],

  // Rows [x, y1, y2, ...] between two times, at most two per pixel.
  reduced(x, columns, from, to, pixels) {
    let first = 0, end = x.length;
    while (first < end && x[first] < from) first++;
    while (end > first && x[end - 1] > to) end--;
    first = Math.max(0, first - 1);
    end = Math.min(x.length, end + 1);
    const stretch = Math.max(1, Math.ceil((end - first) / pixels)), rows = [];
    if (stretch <= 2) {
      for (let i = first; i < end; i++) rows.push([x[i], ...columns.map(column => column[i])]);
      return rows;
    }
    for (let i = first; i < end; i += stretch) {
      const stop = Math.min(end, i + stretch), low = [x[i]], high = [x[(i + stop - 1) >> 1]];
      for (const column of columns) {
        let least = Infinity, most = -Infinity;
        for (let k = i; k < stop; k++) {
          if (column[k] < least) least = column[k];
          if (column[k] > most) most = column[k];
        }
        low.push(least);
        high.push(most);
      }
      rows.push(low, high);
    }
    return rows;
  },

  // Rows of {x, columns}, or of {parts: [{x, y}]}, whose places differ: gaps are null.
  rows(current, from, to, pixels = plots.pixels) {
    if (!current.parts) return plots.reduced(current.x, current.columns, from, to, pixels);
    const merged = new Map();
    current.parts.forEach((part, k) => {
      for (const [x, y] of plots.reduced(part.x, [part.y], from, to, pixels)) {
        if (!merged.has(x)) merged.set(x, [x, ...current.parts.map(() => null)]);
        merged.get(x)[k + 1] = y;
      }
    });
    return [...merged.values()].sort((a, b) => a[0] - b[0]);
  },

  // A curve with more points than pixels, as one bar per pixel: a path that goes up and down that often takes half a second
  // to draw without a graphics card, its bars some milliseconds.
  bars(curve) {
    const pen = curve.drawingContext, step = 1 / Math.max(1, Math.round(devicePixelRatio || 1));
    if (curve.points.length < 1.2 * curve.plotArea.w / step) return Dygraph.Plotters.linePlotter(curve);
    let column = null, top = 0, bottom = 0, last = NaN;
    const half = curve.strokeWidth / 2, draw = () => { if (column !== null) pen.fillRect(column, top - half, step, bottom - top + 2 * half); };
    pen.fillStyle = curve.color;
    for (const {canvasx, canvasy} of curve.points) {
      if (!Number.isFinite(canvasy)) { draw(); column = null; last = NaN; continue; }
      const at = Math.floor(canvasx / step) * step;
      if (at !== column) {
        draw();
        column = at;
        top = bottom = Number.isFinite(last) ? last : canvasy;
      }
      top = Math.min(top, canvasy);
      bottom = Math.max(bottom, canvasy);
      last = canvasy;
    }
    draw();
  },

  range(current) {
    const all = current.parts ? current.parts.map(part => part.x) : [current.x];
    return [Math.min(...all.map(x => x[0])), Math.max(...all.map(x => x[x.length - 1]))];
  },

  // Curves with intervals: series are {name, points: [{x, y, low, high}], scattered}; options {xlabel, ylabel, texts: of the places
  // 0, 1, ..., scattered, logs: {x, y}, bare: without marks, pick(point)}. An interval that reaches below zero is cut on a log axis.
  bands(element, legend, series, options) {
    const logY = options.logs && options.logs.y, least = Math.min(...series.flatMap(one => one.points.map(point => point.y)).filter(y => y > 0));
    const merged = new Map(), nothing = series.map(() => null);
    series.forEach((one, k) => one.points.forEach(point => {
      if (logY && !(point.y > 0)) return;
      if (!merged.has(point.x)) merged.set(point.x, [point.x, ...nothing]);
      const low = Number.isFinite(point.low) ? point.low : point.y, high = Number.isFinite(point.high) ? point.high : point.y;
      merged.get(point.x)[k + 1] = [logY ? Math.max(low, least / 3) : low, point.y, high];
    }));
    const rows = [...merged.values()].sort((a, b) => a[0] - b[0]);
    element.textContent = "";
    if (rows.length === 0) { element.append(make("p", {class: "note"}, "There is nothing to draw yet.")); return null; }
    const marks = !options.bare, styles = {}, names = series.map((one, k) => series.findIndex(other => other.name === one.name) === k ? one.name : `${one.name} (${k + 1})`);
    series.forEach((one, k) => { styles[names[k]] = one.scattered || options.scattered ? {strokeWidth: 0, drawPoints: true, pointSize: 4} : one.steps ? {stepPlot: true, drawPoints: false} : {}; });
    const wide = rows[rows.length - 1][0] - rows[0][0], pad = wide > 0 ? 0.02 * wide : 0.5, log = options.logs && options.logs.x && rows[0][0] > 0;
    const text = value => options.texts[Math.round(value)] === undefined ? "" : plots.safe(options.texts[Math.round(value)]);
    const graph = new Dygraph(element, rows, {
      labels: [options.xlabel, ...names], customBars: true, connectSeparatedPoints: true, drawPoints: marks, pointSize: 3, highlightCircleSize: 5,
      labelsDiv: legend, legend: "always", colors: plots.colours, strokeWidth: 1.6, axisLabelWidth: 70, xlabel: plots.safe(options.xlabel), ylabel: plots.safe(options.ylabel),
      logscale: logY, series: styles, animatedZooms: false, interactionModel: plots.hands(), labelsKMB: false, gridLineColor: plots.grid(),
      dateWindow: log ? [rows[0][0] / 1.05, rows[rows.length - 1][0] * 1.05] : [rows[0][0] - pad, rows[rows.length - 1][0] + pad],
      axes: {x: Object.assign({axisLabelFormatter: options.texts.length > 0 ? text : plots.label, valueFormatter: options.texts.length > 0 ? text : plots.label, logscale: log},
                              options.texts.length > 0 ? {ticker: () => options.texts.map((label, v) => ({v, label: plots.safe(label)}))} : {}),
             y: {axisLabelFormatter: plots.label, valueFormatter: plots.label, axisLabelWidth: 84}},
      pointClickCallback: (event, point) => {
        const one = series[names.indexOf(point.name)].points.find(other => other.x === point.xval);
        if (one) options.pick(one);
      },
    });
    graph.series_ = series;
    plots.describe(element, names, options.xlabel);
    return graph;
  },

  // For screen readers.
  describe(element, names, over) {
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", `Plot of ${names.join(", ")} over ${over}. Drag to zoom, double click for the whole range.`);
  },

  grid() { return getComputedStyle(document.body).getPropertyValue("--line").trim() || "#ddd"; },

  // Amplitude of each frequency: Hann window, length of a power of two, evenly spaced samples (interpolated where not).
  spectrum(time, values) {
    const count = 2 ** Math.floor(Math.log2(time.length));
    if (count < 4) return {x: [0], y: [0]};
    const span = time[time.length - 1] - time[0], step = span / (count - 1);
    const re = new Float64Array(count), im = new Float64Array(count);
    let k = 0, mean = 0;
    for (let i = 0; i < count; i++) {
      const t = time[0] + i * step;
      while (k + 2 < time.length && time[k + 1] < t) k++;
      const width = time[k + 1] - time[k], part = width > 0 ? Math.min(1, Math.max(0, (t - time[k]) / width)) : 0;
      re[i] = values[k] + part * (values[k + 1] - values[k]);
      mean += re[i] / count;
    }
    for (let i = 0; i < count; i++) re[i] = (re[i] - mean) * (1 - Math.cos(2 * Math.PI * i / count)); // mean of the window: 1
    plots.transform(re, im);
    const x = new Float64Array(count / 2), y = new Float64Array(count / 2);
    for (let i = 0; i < count / 2; i++) {
      x[i] = i / (count * step);
      y[i] = 2 / count * Math.hypot(re[i], im[i]);
    }
    return {x, y};
  },

  // Fast Fourier transform in place, decimation in time.
  transform(re, im) {
    const n = re.length;
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) {
        [re[i], re[j]] = [re[j], re[i]];
        [im[i], im[j]] = [im[j], im[i]];
      }
    }
    for (let size = 2; size <= n; size *= 2) {
      const angle = -2 * Math.PI / size;
      for (let start = 0; start < n; start += size)
        for (let k = 0; k < size / 2; k++) {
          const c = Math.cos(angle * k), s = Math.sin(angle * k), a = start + k, b = a + size / 2;
          const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
          re[b] = re[a] - x; im[b] = im[a] - y;
          re[a] += x; im[a] += y;
        }
    }
  },

  // Mean over the last `length` seconds.
  mean(time, values, length) {
    const y = new Float64Array(values.length);
    let sum = 0, first = 0;
    for (let i = 0; i < values.length; i++) {
      sum += values[i];
      while (first < i && time[i] - time[first] >= length) sum -= values[first++];
      y[i] = sum / (i - first + 1);
    }
    return y;
  },

  // dygraphs takes titles of axes and labels of ticks for markup; names of series it escapes itself.
  safe(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;"); },

  label(value) {
    const size = Math.abs(value), number = Number(value.toPrecision(6));
    return size !== 0 && (size < 1e-3 || size >= 1e6) ? number.toExponential().replace("e+", "e") : String(number);
  },

  // One finger moves along a plot that is zoomed and otherwise scrolls the page; two zoom.
  hands() {
    const usual = Dygraph.defaultInteractionModel;
    return Object.assign({}, usual, {
      touchstart: (event, graph, context) => {
        const one = event.touches.length === 1;
        usual.touchstart({touches: event.touches, preventDefault() { if (!one) event.preventDefault(); }}, graph, context);
        if (one) context.touchDirections = {x: graph.isZoomed("x"), y: false};
      },
    });
  },

  // A plot that can be zoomed. `source()` gives {x, columns, labels, xlabel}; returns a function that draws again: the whole
  // range, or, if told to keep it, the one that was chosen. Plots in its list `others` show the same range.
  // dygraphs has the rows of what is shown and no more: when that is moved sideways, or the whole is asked for, others are needed.
  make(element, legend, source, options) {
    let graph = null, current = null, shown = null;
    const wide = () => Math.min(plots.pixels, Math.max(300, Math.round(element.clientWidth * (devicePixelRatio || 1))));
    const redraw = (from, to) => {
      const whole = plots.range(current), all = from <= whole[0] && to >= whole[1];
      shown = all ? whole : [from, to];
      graph.updateOptions({file: plots.rows(current, shown[0], shown[1], wide()), dateWindow: all ? null : shown});
    };
    const chosen = (from, to) => {
      const range = graph.isZoomed("x") ? [from, to] : plots.range(current);
      for (const one of [draw, ...draw.others]) one.zoom(range);
    };
    const moved = (one, first) => {
      if (first || !graph || one !== graph || !graph.isZoomed("x")) return;
      const [from, to] = graph.xAxisRange();
      if (from === shown[0] && to === shown[1]) return;
      for (const other of [draw, ...draw.others]) other.zoom([from, to]);
    };
    const draw = keep => {
      const range = keep && graph && graph.isZoomed("x") ? graph.xAxisRange() : null;
      current = source();
      const labels = current.labels;
      if (graph) graph.destroy();
      element.textContent = "";
      if (labels.length === 0) { graph = null; return null; }
      const [from, to] = shown = plots.range(current);
      graph = new Dygraph(element, plots.rows(current, from, to, wide()), Object.assign({
        plotter: plots.bars, labels: [current.xlabel, ...labels], labelsDiv: legend, legend: "always", colors: plots.colours,
        animatedZooms: false, strokeWidth: 1.3, gridLineColor: plots.grid(),  axisLabelWidth: 70, xlabel: plots.safe(current.xlabel),
        zoomCallback: chosen, drawCallback: moved, interactionModel: plots.hands(), labelsKMB: false,
        axes: {x: {axisLabelFormatter: plots.label, valueFormatter: plots.label}, y: {axisLabelFormatter: plots.label, valueFormatter: plots.label, axisLabelWidth: 64}},
      }, options()));
      plots.describe(element, labels, current.xlabel);
      if (range) redraw(range[0], range[1]);
      return graph;
    };
    draw.zoom = range => { if (graph) redraw(range[0], range[1]); };
    draw.others = [];
    return draw;
  },
};

function startSignals(table) {
  const box = id => document.getElementById(id), names = table.names, chosen = new Set();
  for (let c = 1; c < names.length && chosen.size < 1; c++) if (!names[c].startsWith("energy.")) chosen.add(c);
  if (chosen.size === 0 && names.length > 1) chosen.add(1);
  const label = c => names[c] + (table.units[c] && table.units[c] !== "1" ? " [" + table.units[c] + "]" : "");
  const source = () => {
    const kind = box("transform").value, list = [...chosen].sort((a, b) => a - b), time = table.columns[0];
    const labels = list.map(label);
    if (kind === "spectrum") {
      const all = list.map(c => plots.spectrum(time, table.columns[c]));
      return {x: all.length ? all[0].x : time, columns: all.map(one => one.y), labels, xlabel: "frequency [Hz]"};
    }
    const length = Number(box("window").value);
    const columns = list.map(c => kind === "mean" && length > 0 ? plots.mean(time, table.columns[c], length) : table.columns[c]);
    return {x: time, columns, labels, xlabel: "t [s]"};
  };
  let graph = null;
  const draw = plots.make(box("plot"), box("legend"), source, () => ({logscale: box("log").checked}));
  const redraw = keep => {
    box("window").hidden = box("transform").value !== "mean";
    graph = draw(keep === true);
    page.graph = graph;
  };
  for (let c = 1; c < names.length; c++) {
    const row = document.createElement("label"), check = document.createElement("input");
    check.type = "checkbox";
    check.checked = chosen.has(c);
    check.addEventListener("change", () => { if (check.checked) chosen.add(c); else chosen.delete(c); redraw(); });
    row.append(check, " " + label(c));
    box("signals").append(row);
  }
  for (const id of ["transform", "log", "window"]) box(id).addEventListener("change", redraw);
  box("reset").addEventListener("click", redraw);
  box("png").addEventListener("click", () => savePicture(graph, box("plot"), "signals"));
  box("csv").addEventListener("click", () => {
    const {x, columns, labels, xlabel} = source(), lines = [[xlabel, ...labels].map(word => '"' + word.replace(/"/g, '""') + '"').join(",")];
    for (let i = 0; i < x.length; i++) lines.push([x[i], ...columns.map(column => column[i])].join(","));
    save("signals.csv", new Blob([lines.join("\n") + "\n"], {type: "text/csv"}));
  });
  if (table.stretch > 1)
    box("thinned").textContent = `Of ${table.rows_of_file} samples, the smallest and the largest of each ${table.stretch} are shown. `
      + "series.csv in the result folder has all of them.";
  box("plots").hidden = false;
  redraw();
  return redraw;
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// What a plot shows as a table.
function saveTable(graph, name) {
  if (!graph) return;
  const quoted = word => '"' + String(word).replace(/"/g, '""') + '"', labels = graph.getLabels(), bars = Array.isArray(graph.getValue(0, 1)) || graph.getOption("customBars");
  const lines = [[labels[0], ...labels.slice(1).flatMap(label => bars ? [label + " lower", label, label + " upper"] : [label])].map(quoted).join(",")];
  for (let r = 0; r < graph.numRows(); r++)
    lines.push([graph.getValue(r, 0), ...labels.slice(1).flatMap((_, k) => {
      const value = graph.getValue(r, k + 1);
      return bars ? value || ["", "", ""] : [value === null ? "" : value];
    })].join(","));
  save(`${name}.csv`, new Blob([lines.join("\n") + "\n"], {type: "text/csv"}));
}

// The canvases of the plot, one over the other, on the colour of the page; labels beside them are texts of the page and drawn on
// top, and the names of the curves below.
function savePicture(graph, element, name) {
  if (!graph) return;
  const canvases = element.querySelectorAll("canvas");
  const picture = document.createElement("canvas"), scale = canvases[0].width / element.clientWidth, room = 24 * scale;
  picture.width = canvases[0].width;
  picture.height = canvases[0].height + room;
  const pen = picture.getContext("2d"), ratio = picture.width / element.clientWidth, frame = element.getBoundingClientRect(), style = getComputedStyle(document.body);
  pen.fillStyle = style.backgroundColor;
  pen.fillRect(0, 0, picture.width, picture.height);
  for (const canvas of canvases) pen.drawImage(canvas, 0, 0, picture.width, picture.height - room);
  pen.fillStyle = style.color;
  pen.font = 13 * ratio + "px sans-serif";
  for (const text of element.querySelectorAll(".dygraph-axis-label, .dygraph-xlabel")) {
    const place = text.getBoundingClientRect();
    pen.fillText(text.textContent, (place.left - frame.left) * ratio, (place.bottom - frame.top - 3) * ratio);
  }
  let across = 10 * ratio;
  graph.getLabels().slice(1).forEach((label, k) => {
    pen.fillStyle = plots.colours[k % plots.colours.length];
    pen.fillText(label, across, picture.height - 7 * ratio);
    across += pen.measureText(label).width + 16 * ratio;
  });
  picture.toBlob(blob => save(`${name}.png`, blob));
}

// The ledger: where the energy is and where it went, one on the other.
function startEnergy(table, summary) {
  const wanted = ["kinetic", "potential", "elastic", "impact", "friction", "rolling", "dampers"];
  const words = {kinetic: "kinetic", potential: "potential, above its lowest", elastic: "elastic", impact: "dissipated by impacts", friction: "dissipated by friction",
                 rolling: "dissipated by rolling", dampers: "dissipated by dampers"};
  const found = wanted.map(name => [name, table.names.indexOf("energy." + name)])
    .filter(([, c]) => c > 0 && table.columns[c].some(value => value !== table.columns[c][0] || (value !== 0 && table.names[c] !== "energy.potential")));
  if (found.length === 0) return null;
  document.getElementById("energy").hidden = false;
  const columns = () => found.map(([name, c]) => {
    const least = name === "potential" ? table.columns[c].reduce((a, b) => Math.min(a, b), Infinity) : 0;
    return Float64Array.from(table.columns[c], value => Math.max(0, value - least));
  });
  const draw = plots.make(document.getElementById("energy-plot"), document.getElementById("energy-legend"),
    () => ({x: table.columns[0], columns: columns(), labels: found.map(([name]) => words[name] + " [J]"), xlabel: "t [s]"}),
    () => ({stackedGraph: true, fillGraph: true, ylabel: "energy [J]",
            plotter: [Dygraph.Plotters.fillPlotter, plots.bars]}));
  page.graphs.energy = draw();
  const errors = startEnergyErrors(table);
  if (errors) draw.others.push(errors), errors.others.push(draw);
  const energy = summary && summary.energy;
  if (energy)
    document.getElementById("energy-note").textContent =
      `The balance closes to ${Number((energy.relative_error || 0).toPrecision(2))} of the ${readable(energy.in_play, "J")} in play: `
      + `${energy.verdict}. Numerical dissipation: ${Number((energy.numerical_share || 0).toPrecision(2))} of it, ${energy.numerical_verdict}.`;
  return keep => { draw(keep); if (errors) errors(keep); };
}

// What the ledger is off by, on a scale of its own: what is missing, and what the computation has taken or given.
function startEnergyErrors(table) {
  const words = {error: "missing from the balance", algorithm: "numerical dissipation", ports: "error of the exchange at ports", stabilisation: "removing overlaps"};
  const found = Object.keys(words).map(name => [name, table.names.indexOf("energy." + name)])
    .filter(([name, c]) => c > 0 && (name === "error" || table.columns[c].some(value => value !== 0)));
  if (found.length === 0) return null;
  document.getElementById("energy-errors").hidden = false;
  const draw = plots.make(document.getElementById("energy-error-plot"), document.getElementById("energy-error-legend"),
    () => ({x: table.columns[0], columns: found.map(([, c]) => table.columns[c]), labels: found.map(([name]) => words[name] + " [J]"), xlabel: "t [s]"}),
    () => ({ylabel: "error [J]", includeZero: true}));
  page.graphs.errors = draw();
  return draw;
}
