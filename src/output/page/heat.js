"use strict";
// Maps of a quantity over two others: as a table whose cells can be chosen, or as a picture where there are many.
const heat = {
  // viridis, by a polynomial (the same as that of the spheres): readable in print and by colour-blind people
  colour(t) {
    const c = [[0.2777, 0.0054, 0.3341], [0.1051, 1.4046, 1.3846], [-0.3309, 0.2148, 0.0951], [-4.6342, -5.7991, -19.3324],
               [6.2283, 14.1799, 56.6906], [4.7764, -13.7451, -65.3530], [-5.4355, 4.6459, 26.3124]];
    const rgb = [0, 0, 0];
    for (let k = 6; k >= 0; k--) for (let i = 0; i < 3; i++) rgb[i] = rgb[i] * t + c[k][i];
    return rgb.map(value => Math.round(255 * Math.min(1, Math.max(0, value))));
  },

  // Part of the range, 0 to 1; by equal factors where it spans more than a decade.
  scale(values) {
    const finite = values.filter(Number.isFinite), least = Math.min(...finite), most = Math.max(...finite);
    const log = least > 0 && most > 10 * least, place = log ? Math.log : Number;
    return {least, most, log, part: value => most > least ? (place(value) - place(least)) / (place(most) - place(least)) : 0.5};
  },

  legend(scale, words, unit) {
    const bar = make("canvas", {class: "heat-bar", width: 200, height: 1, "aria-hidden": "true"}), pen = bar.getContext("2d");
    for (let i = 0; i < 200; i++) {
      pen.fillStyle = `rgb(${heat.colour(i / 199)})`;
      pen.fillRect(i, 0, 1, 1);
    }
    return make("p", {class: "note heat-legend"}, `${words}: ${readable(scale.least, unit)} `, bar,
                ` ${readable(scale.most, unit)}${scale.log ? ", colours by equal factors" : ""}`);
  },

  // xs, ys: {value, text}; cell(x, y): {value, text, href, pick} or null. Rows from the largest y down, as in a diagram.
  table(xs, ys, labels, cell) {
    const cells = ys.map(y => xs.map(x => cell(x, y)));
    const scale = heat.scale(cells.flat().filter(one => one).map(one => one.value));
    const body = make("tbody", {});
    for (let r = ys.length - 1; r >= 0; r--) {
      const row = make("tr", {}, make("th", {scope: "row"}, ys[r].text));
      for (const one of cells[r]) {
        if (!one || !Number.isFinite(one.value)) {
          row.append(make("td", {class: "heat-none"}, one ? heat.button(one, "failed", null) : "-"));
          continue;
        }
        row.append(make("td", {}, heat.button(one, one.text, heat.colour(scale.part(one.value)))));
      }
      body.append(row);
    }
    const foot = make("tr", {}, make("td", {}), ...xs.map(x => make("th", {scope: "col"}, x.text)));
    const words = `${labels.value} over ${labels.x} (across) and ${labels.y} (upwards)`;
    const table = make("table", {class: "heat", "aria-label": words}, body, make("tfoot", {}, foot));
    return make("div", {}, make("p", {class: "note"}, words), make("div", {class: "wide"}, table), heat.legend(scale, labels.value, labels.unit));
  },

  button(one, text, colour) {
    const element = one.href ? make("a", {href: one.href, target: "_blank", rel: "noopener"}, text) : make("button", {}, text);
    if (colour) {
      element.style.background = `rgb(${colour})`;
      element.style.color = colour[0] * 0.3 + colour[1] * 0.6 + colour[2] * 0.1 > 120 ? "#000" : "#fff";
    }
    element.title = one.title;
    element.addEventListener("click", one.pick);
    return element;
  },
};
