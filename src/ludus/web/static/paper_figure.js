// One figure of a paper: its claims with their verdicts, and its curves. They are asked for when they come into sight.

import { ask } from "./api.js";
import { Chart } from "./charts/chart.js";
import { button, h } from "./dom.js";
import { tag } from "./papers.js";

export class PaperFigure {
  constructor(paper, about) {
    this.paper = paper;
    this.about = about;
    this.charts = [];
    this.trial = about.verdict === "chosen";
    this.anchor = `figure-${about.id}`;
    this.place = h("div", { class: "charts figure-charts" });
    this.why = h("p", { class: "why", role: "alert" });
    const claims = about.claims.map((claim) => h("li", { class: "claim" },
      h("div", {}, tag(claim.verdict), " ", h("b", {}, claim.claim)),
      claim.found ? this.found(claim.found) : null,
      this.trust(claim)));
    const made = about.device ? `Made on ${about.device}. ` : "";
    const again = h("p", { class: "legend" }, `${made}Again: `, h("code", {}, `ludus reproduce ${paper} ${about.id}`));
    const said = h("div", { class: "judged" }, h("ul", { class: "claims" }, claims), again);
    this.inside = h("div", { class: "figure-body" }, said, h("div", { class: "shown" }, this.why, this.place, ...this.table(), this.picture()));
    const title = `${about.title}`;
    this.element = this.trial
      ? h("details", { class: "panel paper-figure", id: this.anchor }, h("summary", {}, title), this.inside)
      : h("section", { class: "panel paper-figure", id: this.anchor },
          h("h2", {}, title, " ", h("span", { class: "legend" }, about.id)), this.inside);
    if (this.trial) this.element.addEventListener("toggle", () => this.element.open && this.load());
  }

  // How far the runs behind a claim can be trusted.
  trust({ networks, remark }) {
    if (!networks && !remark) return null;
    const alive = networks ? [h("span", { class: "legend" }, `Networks alive: ${networks}`), " "] : [];
    return h("p", { class: "trust" }, alive, remark ? h("span", { class: "tag warn" }, remark) : null);
  }

  // What was found, a line for each part; long ones fold away.
  found(text) {
    const parts = text.split("; ");
    const list = (some) => h("ul", { class: "found" }, some.map((part) => h("li", {}, part)));
    if (parts.length <= 3) return list(parts);
    return h("details", {}, h("summary", { class: "legend" }, `What was found, in ${parts.length} parts`), list(parts));
  }

  table() {
    const [head, ...rows] = this.about.table;
    if (!head) return [];
    const heads = head.map((cell) => h("th", { scope: "col" }, cell));
    const body = rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row" }, first), cells.map((cell) => h("td", {}, cell))));
    const box = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${this.about.title}: table` },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body)));
    return [h("details", {}, h("summary", {}, "The table"), box)];
  }

  // The study's own picture is fetched when it is looked at.
  picture() {
    const { picture, title } = this.about;
    if (!picture) return null;
    this.drawn = h("details", { class: "drawn" }, h("summary", {}, "The picture that the study drew"));
    this.drawn.addEventListener("toggle", () => {
      if (!this.drawn.open || this.drawn.querySelector("img")) return;
      const image = h("img", { src: picture, alt: `${title}, as it was reproduced`, class: "paper" });
      this.drawn.append(h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `${title}: picture` }, image));
    });
    return this.drawn;
  }

  watch() {
    if (this.trial) return;
    this.seen = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.load();
    }, { rootMargin: "400px" });
    this.seen.observe(this.element);
  }

  leave() {
    this.seen?.disconnect();
    for (const chart of this.charts) chart.leave();
  }

  async load() {
    if (this.asked) return;
    this.asked = true;
    this.seen?.disconnect();
    this.place.replaceChildren(h("p", { class: "legend spin" }, "The curves come "));
    try {
      const found = await ask("figure", { paper: this.paper, figure: this.about.id });
      this.draw(found);
    } catch (error) {
      this.asked = false;
      const again = button("Try again", () => this.load());
      this.place.replaceChildren();
      this.why.replaceChildren(`Its curves do not come: ${error.message} `, again);
    }
  }

  draw({ charts, unit, why }) {
    this.why.textContent = "";
    this.place.replaceChildren(...(why ? [h("p", { class: "legend" }, why)] : []));
    if (!charts.length && this.drawn) this.drawn.open = true; // the picture says it
    this.charts = charts.map((chart) => {
      const title = chart.panel ? `${chart.panel}: ${chart.title}` : chart.title;
      return new Chart({ ...chart, title, unit }, { height: charts.length > 2 ? 190 : 240 });
    });
    this.place.classList.toggle("many", charts.length > 2);
    this.place.append(...this.charts.map((chart) => chart.element));
    const seeds = Math.max(0, ...charts.flatMap((chart) => chart.curves.map((curve) => curve.count)));
    if (seeds > 1) this.place.append(h("p", { class: "legend" }, `Means of ${seeds} seeds with their 95% intervals; a thin line is a seed. Point at a curve, or use the arrow keys, for its values.`));
  }
}
