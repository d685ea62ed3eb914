"use strict";
// The page of a study: curves with intervals, maps, the history of a search, the certificate; and the runs behind each value.
const study = {
  words: {sweep: "Sweep", response: "Frequency response", map: "Damping map", optimise: "Optimisation", fit: "Fit", certify: "Error bars",
          size: "Stiffness of contacts"},

  // One line per point, or per row of a point: {labels: {column: value}, measures, point, row}
  lines(found) {
    const lines = [];
    found.points.forEach((point, index) => {
      const names = found.columns.map(column => column.name);
      const rows = point.rows || [{measures: point.measures}];
      rows.forEach((row, number) => {
        const labels = {};
        for (const name of names) labels[name] = name in point.settings ? point.settings[name] : row[name];
        lines.push({labels, measures: row.measures || {}, point, index, row: point.rows ? number : -1});
      });
    });
    return lines;
  },

  measures(lines) {
    const found = new Map();
    for (const line of lines) for (const [name, one] of Object.entries(line.measures)) if (!found.has(name)) found.set(name, one.unit);
    return found;
  },

  unit(column) { return column.unit && column.unit !== "1" ? column.unit : ""; },
  axis(column) { return study.unit(column) ? `${column.name} [${column.unit}]` : column.name; },
  short(name) { return name.slice(name.lastIndexOf(".") + 1); },
  value(column, value) { return typeof value === "number" ? readable(value, study.unit(column)) : String(value); },
  different(lines, name) { return [...new Set(lines.map(line => line.labels[name]))]; },
  isScattered(found) { return found.study === "optimise" || found.study === "fit"; },

  head(found) {
    const left = found.planned - found.done, file = found.model.split("/").pop();
    const text = left > 0 ? `${found.done} of ${found.planned} runs are done; the study goes on or was stopped. Open the page again for newer results.`
      : `All ${found.done} runs are done${found.failed > 0 ? `, ${found.failed} of them failed` : ""}.`;
    page.head(`${study.words[found.study] || found.study} of ${file}`, text, left <= 0 && found.failed === 0);
    if (found.failed > 0) {
      const reasons = found.points.flatMap(point => point.runs.filter(run => run.status !== "OK").map(run => run.message || run.status));
      page.warn([...new Set(reasons)].slice(0, 8));
    }
  },

  // ---- headline facts ----------------------------------------------------------------------------
  withInterval(value, interval, unit) {
    return readable(value, unit) + (interval > 0 && value !== 0 ? ` \u00b1 ${Number((100 * interval / Math.abs(value)).toPrecision(2))} %` : "");
  },

  cards(found, lines) {
    const cards = [], best = found.optimum, fit = found.fit, sizing = found.sizing, certificate = data.element("certificate");
    if (best) {
      const unit = study.measures(lines).get(best.fact);
      cards.push([study.withInterval(best.value, best.interval, unit), `${best.goal} ${best.fact}, with beds that the search has not seen`]);
      for (const [name, value] of Object.entries(best.values))
        cards.push([study.value(found.columns.find(column => column.name === name) || {}, value), name]);
      cards.push([`${Math.round(100 * best.sureness)} %`, "probability that it is the best of the finalists"]);
      cards.push([String(best.candidates), `candidates; ${best.end}`]);
    }
    for (const [name, one] of Object.entries(fit ? fit.values : {}))
      cards.push([readable(one.value, ""), `${name}: ${one.lower_open ? "below " : ""}${readable(one.lower, "")} to ${readable(one.upper, "")}${one.upper_open ? " or more" : ""} (95 %)`]);
    if (sizing)
      cards.push([readable(sizing.stiffness_N_per_m, "N/m"), "least stiffness of contacts"], [readable(sizing.speed_up, ""), "times longer steps than with the reference"],
                 [readable(sizing.eta, ""), "eta: largest overlap over radius"], [readable(sizing.beta, ""), "beta: largest overlap over that of one grain"]);
    if (certificate)
      for (const [name, one] of Object.entries(certificate.numbers))
        cards.push([study.withInterval(one.value, one.error, one.unit), `${name}: ${one.good ? "good" : "not good enough"}`]);
    if (cards.length === 0) study.extremes(found, lines, cards);
    page.cardsOf(cards.slice(0, 12));
  },

  extremes(found, lines, cards) {
    const first = study.measures(lines).entries().next().value;
    if (!first) return;
    const values = lines.filter(line => line.measures[first[0]] && Number.isFinite(line.measures[first[0]].mean));
    values.sort((a, b) => a.measures[first[0]].mean - b.measures[first[0]].mean);
    for (const [line, word] of [[values[0], "smallest"], [values[values.length - 1], "largest"]]) {
      if (!line) continue;
      const one = line.measures[first[0]];
      cards.push([study.withInterval(one.mean, one.interval, first[1]), `${word} ${first[0]}, at ${study.place(found, line)}`]);
    }
    cards.push([String(found.done), `runs of ${found.points.length} points`]);
  },

  place(found, line) {
    return found.columns.map(column => `${study.short(column.name)} = ${study.value(column, line.labels[column.name])}`).join(", ");
  },

  // ---- the runs behind a value -------------------------------------------------------------------
  report(run) { return run.key && (data.kept || []).includes(run.key) ? `points/${run.key}/run/report.html` : null; },

  showRuns(found, line, measure, unit) {
    const box = document.getElementById("runs"), plan = data.element("plan");
    const rows = line.point.runs.map(run => {
      const value = run.values && run.values[measure], number = Array.isArray(value) ? value[line.row] : value, href = study.report(run);
      return make("tr", {}, make("td", {}, String(run.bed)), make("td", {}, run.status === "OK" ? readable(number, unit) : run.message || run.status),
                  make("td", {}, href ? make("a", {href, target: "_blank", rel: "noopener"}, "open its report") : ""));
    });
    box.textContent = "";
    box.append(make("h3", {}, `Runs behind ${study.place(found, line)}`),
               make("table", {}, make("tr", {}, ...["bed", study.short(measure), ""].map(word => make("th", {scope: "col"}, word))), ...rows));
    const quoted = word => /^[\w.=\/-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
    if (plan && plan.points && plan.points[line.index]) {
      const words = [...plan.overrides, ...plan.points[line.index]].map(word => ` --set ${quoted(word)}`).join("");
      box.append(make("p", {class: "note"}, "The first bed again, as a run of its own:"), make("pre", {}, `maraca run ${quoted(plan.model)}${words}`));
    }
    if (!line.point.runs.some(run => study.report(run)))
      box.append(make("p", {class: "note"}, "With --keep a study keeps the report of each run, and this page opens it."));
  },

  // ---- curves ------------------------------------------------------------------------------------
  // Series over one column, one for each combination of the others.
  curves(found, lines, over, measure) {
    const others = found.columns.filter(column => column.name !== over.name), groups = new Map();
    for (const line of lines) {
      const key = JSON.stringify(others.map(column => line.labels[column.name]));
      if (!groups.has(key)) groups.set(key, []);
      if (line.measures[measure] && Number.isFinite(line.measures[measure].mean)) groups.get(key).push(line);
    }
    return [...groups.values()].filter(group => group.length > 0).map(group => ({
      name: others.map(column => `${study.short(column.name)} = ${study.value(column, group[0].labels[column.name])}`).join(", ") || measure, group}));
  },

  drawCurves(element, legend, found, lines, over, measure, unit, logs, pick) {
    const scattered = study.isScattered(found), curves = study.curves(found, lines, over, measure);
    const texts = study.different(lines, over.name).filter(value => typeof value !== "number");
    const place = line => texts.length > 0 ? texts.indexOf(line.labels[over.name]) : line.labels[over.name];
    const parts = scattered ? [{name: measure, group: lines.filter(line => line.measures[measure] && Number.isFinite(line.measures[measure].mean))}] : curves;
    const series = parts.map(one => ({name: one.name, points: one.group.map(line => {
      const {mean, interval} = line.measures[measure];
      return {x: place(line), y: mean, low: mean - (interval || 0), high: mean + (interval || 0), line};
    })}));
    return plots.bands(element, legend, series, {xlabel: study.axis(over), ylabel: unit && unit !== "1" ? `${measure} [${unit}]` : measure,
                                                 texts, scattered, logs, pick: point => pick(point.line)});
  },

  // ---- a map -------------------------------------------------------------------------------------
  // The two columns with the most numbers; null: there are none.
  mapColumns(found, lines) {
    const able = found.columns.filter(column => column.unit !== null && study.different(lines, column.name).length > 1);
    return able.length >= 2 && !study.isScattered(found) ? able.slice(-2) : null;
  },

  drawMap(found, lines, columns, measure, unit, pick) {
    const sorted = column => study.different(lines, column.name).sort((a, b) => a - b).map(value => ({value, text: study.value(column, value)}));
    const others = found.columns.filter(column => !columns.includes(column));
    const groups = new Map();
    for (const line of lines) {
      const key = others.map(column => `${study.short(column.name)} = ${study.value(column, line.labels[column.name])}`).join(", ");
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(line);
    }
    return [...groups].map(([key, group]) => make("div", {}, key ? make("h3", {}, key) : "", heat.table(sorted(columns[0]), sorted(columns[1]),
      {x: study.axis(columns[0]), y: study.axis(columns[1]), value: measure, unit}, (x, y) => {
        const line = group.find(one => one.labels[columns[0].name] === x.value && one.labels[columns[1].name] === y.value);
        if (!line) return null;
        const one = line.measures[measure] || {mean: NaN}, href = line.point.runs.map(study.report).find(report => report);
        return {value: one.mean, text: readable(one.mean, unit), href, pick: () => pick(line),
                title: `${study.place(found, line)}: ${study.withInterval(one.mean, one.interval, unit)}${href ? " (opens the report of the run)" : ""}`};
      })));
  },

  // ---- tables ------------------------------------------------------------------------------------
  pointTable(found, lines, measures) {
    const shown = [...measures].slice(0, 8);
    const head = make("tr", {}, ...found.columns.map(column => make("th", {scope: "col"}, study.axis(column))), make("th", {scope: "col"}, "runs"),
                      ...shown.map(([name]) => make("th", {scope: "col"}, name)));
    const rows = lines.map(line => make("tr", {}, ...found.columns.map(column => make("td", {}, study.value(column, line.labels[column.name]))),
      make("td", {}, String(line.point.done) + (line.point.failed > 0 ? `, ${line.point.failed} failed` : "")),
      ...shown.map(([name, unit]) => make("td", {}, line.measures[name] ? study.withInterval(line.measures[name].mean, line.measures[name].interval, unit) : "-"))));
    return make("details", {open: lines.length <= 30 ? "" : null}, make("summary", {}, `All ${lines.length} lines`), make("div", {class: "wide"}, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))));
  },

  certificate(certificate) {
    const parts = Object.keys(Object.values(certificate.numbers)[0] || {}).filter(name => !["value", "unit", "error", "good"].includes(name));
    const head = make("tr", {}, ...["number", "value", "error", ...parts, "verdict"].map(word => make("th", {scope: "col"}, word)));
    const rows = Object.entries(certificate.numbers).map(([name, one]) => make("tr", {}, make("th", {scope: "row"}, name), make("td", {}, readable(one.value, one.unit)),
      make("td", {}, readable(one.error, one.unit)), ...parts.map(part => make("td", {}, one[part] === null ? "-" : readable(one[part], one.unit))),
      make("td", {class: one.good ? "good" : "bad"}, one.good ? "good" : "not good enough")));
    return page.section("certificate", "Certificate", make("p", {class: "note"}, `How far each number may be off, for each reason and in all; good up to ${readable(100 * certificate.limit, "")} % of the value.`),
                        make("div", {class: "wide"}, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))));
  },

  // What a search has tried, in its order, and the best so far.
  history(found, lines) {
    const {fact, goal} = found.optimum, unit = study.measures(lines).get(fact), plot = make("div", {class: "plot"}), legend = make("div", {class: "legend"});
    const section = page.section("history", "History of the search", plot, legend);
    let best = NaN;
    const tried = [], front = [];
    lines.forEach((line, k) => {
      const one = line.measures[fact];
      if (!one || !Number.isFinite(one.mean)) return;
      if (!(goal === "smallest" ? best <= one.mean : best >= one.mean)) best = one.mean;
      tried.push({x: k + 1, y: one.mean, low: one.mean - (one.interval || 0), high: one.mean + (one.interval || 0), line});
      front.push({x: k + 1, y: best, low: best, high: best, line});
    });
    page.history = plots.bands(plot, legend, [{name: fact, points: tried, scattered: true}, {name: "best so far", points: front, steps: true}],
      {xlabel: "candidate", ylabel: unit && unit !== "1" ? `${fact} [${unit}]` : fact, texts: [], logs: {}, pick: point => study.showRuns(found, point.line, fact, unit)});
    return section;
  },

  // ---- the whole ---------------------------------------------------------------------------------
  start() {
    const found = data.element("study");
    if (!found) return;
    data.kept = data.element("kept");
    if (found.left_out) return page.head("A study", `Its ${readable(found.left_out, "")} bytes of results are more than the budget of the page: see study.json.`, true);
    const lines = study.lines(found), measures = study.measures(lines), certificate = data.element("certificate");
    study.head(found);
    study.cards(found, lines);
    page.lines = lines;
    if (certificate && Object.keys(certificate.numbers).length > 0) study.certificate(certificate);
    if (found.optimum) study.history(found, lines);
    if (measures.size > 0) study.browse(found, lines, measures);
    page.factsOf(Object.assign({}, found, {points: undefined}));
    page.repeat(`Maraca ${found.version}. The folder of the study has all its results: study.csv, study.json; the model is ${found.model}.`);
  },

  browse(found, lines, measures) {
    const numeric = found.columns.filter(column => study.different(lines, column.name).length > 1);
    const overs = numeric.length > 0 ? numeric : found.columns, map = study.mapColumns(found, lines);
    const most = [...overs].sort((a, b) => study.different(lines, b.name).length - study.different(lines, a.name).length)[0];
    const choose = (label, values, chosen) => {
      const select = make("select", {}, ...values.map(([value, text]) => make("option", {value, selected: value === chosen ? "" : null}, text)));
      return [make("label", {}, `${label} `, select), select];
    };
    const [kindBox, kind] = choose("Show", [...(map ? [["map", "map"]] : []), ["curves", "curves"]], found.study === "map" && map ? "map" : "curves");
    const wanted = found.optimum ? found.optimum.fact : found.study === "map" ? "damping_ratio" : null;
    const [measureBox, measure] = choose("of", [...measures.keys()].map(name => [name, name]), wanted);
    const [overBox, over] = choose("over", overs.map(column => [column.name, column.name]), most && most.name);
    const check = text => { const input = make("input", {type: "checkbox"}); return [make("label", {}, input, " " + text), input]; };
    const [logXBox, logX] = check("log across"), [logYBox, logY] = check("log upwards");
    const plot = make("div", {class: "plot"}), saves = page.exportButtons(() => page.graph, plot, "study"), legend = make("div", {class: "legend"}), area = make("div", {}, plot, legend), mapArea = make("div", {});
    const draw = () => {
      const unit = measures.get(measure.value), pick = line => study.showRuns(found, line, measure.value, unit), asMap = kind.value === "map";
      for (const element of [overBox, logXBox, logYBox, saves, area]) element.hidden = asMap;
      mapArea.hidden = !asMap;
      mapArea.textContent = "";
      if (asMap) mapArea.append(...study.drawMap(found, lines, map, measure.value, unit, pick));
      else page.graph = study.drawCurves(plot, legend, found, lines, overs.find(column => column.name === over.value), measure.value, unit, {x: logX.checked, y: logY.checked}, pick);
    };
    page.section("results", "Results", make("div", {class: "bar"}, kindBox, measureBox, overBox, logXBox, logYBox, saves), area, mapArea,
                 make("div", {id: "runs", "aria-live": "polite"}, make("p", {class: "note"}, (data.kept || []).length > 0 && map
                   ? "A cell of the map opens the report of its first run in a new tab; all runs behind it are then listed here." : "Choose a point or a cell for the runs behind it.")),
                 study.pointTable(found, lines, measures));
    for (const element of [kind, measure, over, logX, logY]) element.addEventListener("change", draw);
    draw();
  },
};
