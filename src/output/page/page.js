"use strict";
// The page of a run: verdict, headline facts, replay, signals, energy, details.
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

  cards(summary) {
    const cards = [];
    for (const [port, found] of Object.entries(summary.amplitudes || {})) {
      cards.push([readable(found.amplitude_m, "m"), `amplitude of ${port} along ${found.axis} (half peak to peak) in the last ${readable(found.seconds, "s")}`]);
      if (Number.isFinite(found.lumped_amplitude_m) && found.amplitude_m > 0)
        cards.push([readable(found.lumped_amplitude_m, "m"), `with the mass of the grains fixed to ${port}`]);
      if (found.power_w) cards.push([readable(found.power_w, "W"), `dissipated by the grains at ${port} (equivalent dashpot ${readable(found.dashpot_ns_per_m, "N s/m")})`]);
    }
    for (const [bed, found] of Object.entries(summary.grains || {}))
      cards.push([String(found.count), `grains in ${bed}, ${readable(found.mass_kg, "kg")}`]);
    cards.push([readable(summary.time_s, "s"), `simulated in ${summary.steps} steps of ${readable(summary.options && summary.options.step_s, "s")}`]);
    cards.push([readable(summary.wall_seconds, "s"), "of wall-clock time"]);
    return cards;
  },

  fill(summary) {
    const box = id => document.getElementById(id);
    document.title = summary.title || "Maraca";
    box("title").textContent = summary.title || "A run of Maraca";
    const energy = summary.energy || {}, done = summary.status === "OK";
    box("verdict").className = done && energy.verdict === "good" ? "good" : "bad";
    box("verdict").textContent = !done ? `The run did not get to its end: ${summary.message || summary.status}.`
      : `The run is complete. Energy balance: ${energy.verdict || "not known"}; numerical dissipation: ${energy.numerical_verdict || "not known"}.`;
    const warnings = summary.warnings || [];
    box("warnings").hidden = warnings.length === 0;
    for (const text of warnings) {
      const item = document.createElement("li");
      item.textContent = text;
      box("warning-list").append(item);
    }
    for (const [value, words] of page.cards(summary)) {
      const card = document.createElement("div"), number = document.createElement("b"), note = document.createElement("span");
      card.className = "card";
      number.textContent = value;
      note.textContent = words;
      card.append(number, note);
      box("cards").append(card);
    }
    for (const [name, value] of page.flat(summary, "", [])) {
      const row = box("facts").insertRow();
      row.insertCell().textContent = name;
      row.insertCell().textContent = value === null ? "not known" : String(value);
    }
    box("repeat").textContent = `Maraca ${summary.version}, model ${summary.model_hash}. Save the model above as model.yaml and run: maraca run model.yaml`;
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
    page.ready = true;
    live.start();
  },
};
