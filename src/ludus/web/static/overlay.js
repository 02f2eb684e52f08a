// Runs laid over each other: runs of one setting are seeds, drawn as their mean with a band.

import { ask } from "./api.js";
import { Chart } from "./charts/chart.js";
import { button, h, section } from "./dom.js";

export class Overlay {
  constructor() {
    this.asked = 0;
    this.charts = [];
    this.said = h("p", { class: "legend" });
    this.why = h("p", { class: "why", role: "alert" });
    this.place = h("div", { class: "charts" });
    this.element = section("Runs over each other", this.said, this.why, this.place);
    this.element.hidden = true;
  }

  leave() {
    this.asked += 1;
    for (const chart of this.charts) chart.leave();
    this.charts = [];
  }

  async show(names) {
    const asked = (this.asked += 1);
    this.element.hidden = !names.length;
    if (!names.length) return;
    try {
      const found = await ask("compare", { runs: names });
      if (asked !== this.asked) return;
      this.draw(found);
    } catch (error) {
      if (asked !== this.asked) return;
      this.why.replaceChildren(`These runs cannot be compared: ${error.message} `, button("Try again", () => this.show(names)));
    }
  }

  draw({ charts, unit, left_out }) {
    this.why.textContent = left_out.join(" ");
    const band = charts.some((chart) => chart.curves.some((curve) => curve.count > 1));
    this.said.textContent = band
      ? "Runs that differ in their seed alone are one curve: the mean, its 95% interval, and each seed as a thin line."
      : "Choose more runs of the list. Those that differ in their seed alone become one curve with a band.";
    if (this.charts.length !== charts.length) {
      for (const chart of this.charts) chart.leave();
      this.charts = charts.map((chart) => new Chart({ ...chart, unit }));
      this.place.replaceChildren(...this.charts.map((chart) => chart.element));
    } else charts.forEach((chart, k) => this.charts[k].show({ ...chart, unit }));
  }
}
