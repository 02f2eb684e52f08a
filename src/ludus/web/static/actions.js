// The bar of actions: under the rail, and under the thumb on a phone.

import { h } from "./dom.js";
import { sign } from "./signs.js";

export class Actions {
  constructor(table) {
    this.table = table;
    const { state } = table;
    const make = (name, text, action) => h("button", { type: "button", onclick: action }, sign(name), h("span", {}, text));
    this.undo = make("undo", "Take back", () => table.controls().back());
    this.back = make("back", "Back", () => table.step(-1));
    this.forward = make("forward", "Forward", () => table.step(1));
    this.hint = make("hint", "Hint", () => table.hint());
    this.analyse = make("analyse", "Analyse", () => table.analyse());
    const all = [this.undo, this.back, this.forward, this.hint];
    if (table.tabs.has("analysis")) all.push(this.analyse);
    this.element = h("div", { class: "acts", role: "group", "aria-label": "Actions", "data-game": state.game }, all);
  }

  update() {
    const { table } = this;
    const { state, position } = table;
    this.undo.disabled = !state.moves.length;
    this.back.disabled = state.at === 0;
    this.forward.disabled = table.latest();
    this.hint.disabled = position.over || !table.mine();
    this.analyse.setAttribute("aria-pressed", String(table.analysing()));
  }
}
