"use strict";
// The page: what it shows follows from the data that it holds. Of a run: verdict, headline facts, replay, signals, energy,
// details; study.js and commands.js have the others.
const page = {
  upAxis: "z",
  ready: false,

  // Every value of the summary with its place: "energy.kinetic".
  flat(tree, name, found) {
    if (tree !== null && typeof tree === "object")
      for (const [key, value] of Object.entries(tree)) page.flat(value, name ? name + "." + key : key, found);
    else found.push([name, tree]);
    return found;
  },

  graphs: {},

  // ---- parts that all kinds of pages have --------------------------------------------------------
  head(title, verdict, good) {
    document.title = title;
    document.getElementById("title").textContent = title;
    document.getElementById("verdict").className = good ? "good" : "bad";
    document.getElementById("verdict").textContent = verdict;
  },

  warn(texts) {
    document.getElementById("warnings").hidden = texts.length === 0;
    for (const text of texts) document.getElementById("warning-list").append(make("li", {}, text));
  },

  cardsOf(cards) {
    document.getElementById("results").hidden = cards.length === 0;
    for (const [value, words] of cards)
      document.getElementById("cards").append(make("div", {class: "card"}, make("b", {}, value), make("span", {}, words)));
  },

  factsOf(tree) {
    for (const [name, value] of page.flat(tree, "", [])) {
      const row = document.getElementById("facts").insertRow();
      row.append(make("th", {scope: "row"}, name), make("td", {}, value === null ? "not known" : String(value)));
    }
  },

  repeat(text) { document.getElementById("repeat").textContent = text; },

  // A section before the details.
  section(id, title, ...children) {
    const section = make("section", {id: "section-" + id, "aria-labelledby": id + "-heading"}, make("h2", {id: id + "-heading"}, title), ...children);
    document.getElementById("details").before(section);
    return section;
  },

  exportButtons(graph, plot, name) {
    const png = make("button", {}, "PNG"), csv = make("button", {}, "CSV");
    png.setAttribute("aria-label", "Save the plot as PNG");
    csv.setAttribute("aria-label", "Save the values as CSV");
    png.addEventListener("click", () => savePicture(graph(), plot, name));
    csv.addEventListener("click", () => saveTable(graph(), name));
    return make("span", {}, png, " ", csv);
  },

  // ---- a run -------------------------------------------------------------------------------------
  cards(summary) {
    const cards = [];
    for (const [port, found] of Object.entries(summary.amplitudes || {})) {
      if (found.vibrates) cards.push([readable(found.amplitude_m, "m"), `amplitude of ${port} along ${found.axis} (half peak to peak) in the last ${readable(found.seconds, "s")}`]);
      if (Number.isFinite(found.amplitude_without_grains_m) && found.amplitude_m > 0)
        cards.push([readable(found.amplitude_without_grains_m, "m"), `with the mass of the grains fixed to ${port}`]);
      if (found.power_w) cards.push([readable(found.power_w, "W"), `dissipated by the grains at ${port}` + (found.dashpot_ns_per_m ? ` (equivalent dashpot ${readable(found.dashpot_ns_per_m, "N s/m")})` : "")]);
      if (found.damping_ratio) cards.push([`${(100 * found.damping_ratio).toPrecision(3)} %`, `damping ratio of the free vibration of ${port}, at ${readable(found.frequency_hz, "Hz")}`]);
    }
    for (const [port, found] of Object.entries(summary.drives || {}))
      cards.push([readable(found.power_w, "W"), `given to the grains by ${port}` + (found.turns ? `, at ${found.speed_rpm.toPrecision(4)} rpm and ${readable(found.torque_n_m, "N m")}` : "")]);
    for (const [bed, found] of Object.entries(summary.grains || {}))
      cards.push([String(found.count), `grains in ${bed}, ${readable(found.mass_kg, "kg")}`]);
    cards.push([readable(summary.time_s, "s"), `simulated in ${summary.steps} steps of ${readable(summary.options && summary.options.step_s, "s")}`]);
    cards.push([readable(summary.wall_seconds, "s"), "of wall-clock time"]);
    return cards;
  },

  fill(summary) {
    const energy = summary.energy || {}, done = summary.status === "OK";
    page.head(summary.title || "A run of Maraca", !done ? `The run did not get to its end: ${summary.message || summary.status}.`
      : `The run is complete. Energy balance: ${energy.verdict || "not known"}; numerical dissipation: ${energy.numerical_verdict || "not known"}.`,
      done && energy.verdict === "good");
    page.warn(summary.warnings || []);
    page.cardsOf(page.cards(summary));
    page.factsOf(summary);
    page.repeat(`Maraca ${summary.version}, model ${summary.model_hash}. Save the model above as model.yaml and run: maraca run model.yaml`);
  },

  text(id, text) {
    if (!text) return;
    document.getElementById(id).textContent = text;
    document.getElementById(id + "-box").hidden = false;
  },

  // Replay, signals and energy from the data at hand; called again, they go on with the newer data.
  async showData(summary) {
    const replay = await data.replay(), series = await data.table("series");
    if (replay && page.renewReplay) page.renewReplay(replay);
    else if (replay) page.renewReplay = startReplay(replay);
    if (!series || series.rows === 0 || series.names.length < 2) return;
    if (page.series) {
      Object.assign(page.series, series);
      for (const draw of page.drawings) draw(true);
      return;
    }
    page.series = series;
    page.drawings = [startSignals(series), startEnergy(series, summary)].filter(draw => draw);
  },

  async start() {
    const summary = data.element("summary"), model = data.element("model");
    if (summary) page.fill(summary);
    page.text("report", data.element("report"));
    page.text("model", model);
    // Which way is up: against gravity, where the model has it along an axis.
    const gravity = /^gravity:\s*\[?\s*([-\d.e]+)[^-\d]+([-\d.e]+)[^-\d]+([-\d.e]+)/m.exec(model || "");
    if (gravity && Math.abs(Number(gravity[2])) > Math.abs(Number(gravity[3]))) page.upAxis = "y";
    await page.showData(summary);
    await commands.periods();
    study.start();
    await commands.respond();
    await commands.damping();
    commands.modes();
    commands.stability();
    commands.advise();
    await commands.compare();
    page.ready = true;
    live.start();
  },
};
