// A game that does not say how it looks: its board as text. Moves are typed, or chosen from the list.

import { h } from "../dom.js";

export class TextBoard {
  constructor(geometry) {
    this.geometry = geometry;
    this.drawn = h("pre", { class: "textboard", tabindex: "0", "aria-label": "Board" });
    this.tools = h("div", { class: "tools" });
    this.element = h("div", { class: "boardbox" }, this.drawn);
  }

  update(position) {
    this.drawn.textContent = position.text;
  }

  next() {
    return "Choose a move from the list, or type it.";
  }

  point() {}
}
