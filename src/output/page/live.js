"use strict";
// A run that goes on, at the address that maraca run --live prints: the same page, whose plots and replay grow.
const live = {
  pause: 500, // between two looks at the state [ms]

  start() {
    if (location.protocol !== "http:" || !location.pathname.endsWith("/live")) return;
    document.getElementById("live").hidden = false;
    document.getElementById("title").textContent = document.title = "A run that goes on";
    document.getElementById("live-stop").addEventListener("click", live.stop);
    live.look(performance.now() + 2000);
  },

  async stop() {
    document.getElementById("live-stop").disabled = true;
    live.say("Stopping.");
    await fetch("stop", {method: "POST"});
  },

  say(text) { document.getElementById("live-state").textContent = text; },

  // The data are fetched every two seconds, or at longer intervals, so that fetching and drawing take a twentieth of the time at most.
  async look(next) {
    let state = null;
    try {
      state = await (await fetch("state")).json();
    } catch (error) {
      live.say("The program does not answer any more. Its results are in the result folder.");
      document.getElementById("live-stop").disabled = true;
      return;
    }
    page.state = state;
    document.getElementById("live-progress").value = state.duration > 0 ? state.time / state.duration : 0;
    if (state.ended) return live.end(state);
    if (!document.getElementById("live-stop").disabled)
      live.say(`${readable(state.time, "s")} of ${readable(state.duration, "s")} simulated, ${readable(state.elapsed, "s")} of wall-clock time`);
    if (performance.now() >= next) {
      const begin = performance.now();
      const answer = await fetch("data");
      if (answer.ok) {
        data.source = new DOMParser().parseFromString(await answer.text(), "text/html");
        await page.showData(null);
      }
      next = performance.now() + Math.max(2000, 20 * (performance.now() - begin));
    }
    setTimeout(() => live.look(next), live.pause);
  },

  end(state) {
    live.say(state.message);
    document.getElementById("live-stop").disabled = true;
    if (state.report) location.replace("report");
  },
};
