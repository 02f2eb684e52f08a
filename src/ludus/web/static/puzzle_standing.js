// How this person stands: the rating of a game, the days in a row, the best rush. All of it stays in this browser.

import { button, h, section } from "./dom.js";
import { best, days, forget, rating, streak } from "./puzzle_log.js";

export class Standing {
  constructor() {
    this.said = h("div", {});
    this.counted = h("p", { class: "days" });
    const how = [
      "A puzzle has a rating of its own: 600, and 100 more each time that a plain search visits twice as many positions before it knows all.",
      "You begin at 1000. Each puzzle is a game against its rating: solved, you gain; your first wrong move, dead end or hint loses it. It counts once, and puzzles of a rush do not count.",
      "How much you gain or lose follows Glicko's rule: much while little is known of you (the number after ±), less later, and more against a puzzle that you were not expected to solve.",
      "Each game has a rating of its own. This browser keeps them, and nobody else.",
    ];
    this.how = h("details", {}, h("summary", {}, "How the rating is computed"), how.map((text) => h("p", { class: "legend" }, text)));
    this.row = h("div", { class: "row" });
    this.element = section("How you stand", this.said, this.counted, this.how, this.row);
  }

  update(game, gained = null) {
    const { rating: number, deviation, count } = rating(game.name);
    const change = gained === null ? "" : ` (${gained < 0 ? "−" : "+"}${Math.abs(Math.round(gained))})`;
    const sure = `± ${Math.round(1.96 * deviation)}, after ${count} ${count === 1 ? "puzzle" : "puzzles"} of ${game.title}`;
    const rush = best(game.name) ? `Best rush: ${best(game.name)}.` : "";
    this.said.replaceChildren(
      h("p", {}, h("span", { class: "big rating" }, `${Math.round(number)}${change}`), " ", h("span", { class: "legend" }, sure)));
    this.counted.textContent = `Days in a row: ${streak()}. Days solved: ${days().length}. ${rush}`;
    const reset = button("Reset the rating", () => {
      const sure = button("Reset it: really", () => {
        forget(game.name);
        this.update(game);
      });
      this.row.replaceChildren(sure, button("Keep it", () => this.update(game)));
      sure.focus();
    }, { class: "quiet" });
    this.row.replaceChildren(...(count ? [reset] : []));
  }
}
