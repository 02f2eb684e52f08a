// The moves of the game, with what a review says of them, and the lines that were left.

import { about } from "./address.js";
import { ask } from "./api.js";
import { button, h } from "./dom.js";

export class Moves {
  static tab = "moves";

  constructor(table) {
    this.table = table;
    this.list = h("ol", { class: "moves", "aria-label": "Moves so far" });
    this.none = h("p", { class: "legend" });
    this.typed = h("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", id: "typed" });
    const form = h("form", { class: "row", onsubmit: (event) => this.type(event) });
    form.append(h("label", { for: "typed" }, "Type a move"), this.typed, h("button", { type: "submit" }, "Play it"));
    this.why = h("p", { class: "why", role: "alert" });
    this.every = h("details", {}, h("summary", {}, "All legal moves"));
    this.element = h("section", { class: "panel" }, h("h2", { class: "unseen" }, "Moves"), this.none, this.list, form, this.why, this.every);
  }

  update() {
    const { table } = this;
    const { state, position } = table;
    const two = position.seats.length === 2;
    this.none.textContent = state.moves.length ? "" : "No move yet.";
    this.list.classList.toggle("single", !two);
    this.list.replaceChildren(...state.moves.map((move, at) => this.entry(move, at, two)));
    this.follow();
    this.typed.disabled = !table.mine();
    this.why.textContent = "";
    const legal = table.mine() ? position.legal.map((move) => table.moveButton(move)) : [];
    const summary = h("summary", {}, `All legal moves (${position.legal.length})`);
    this.every.replaceChildren(summary, h("div", { class: "many" }, legal));
    if (!position.ways) this.every.open = true; // there is no other way to point at a move
  }

  // The move on the board stays in sight, where the list scrolls by itself.
  follow() {
    const current = this.list.querySelector("[aria-current]");
    const box = this.list.closest(".tabbody");
    if (!current || !box || box.scrollHeight <= box.clientHeight) return;
    const [here, frame] = [current.getBoundingClientRect(), box.getBoundingClientRect()];
    if (here.top < frame.top || here.bottom > frame.bottom) box.scrollTop += here.top - frame.top - frame.height / 2;
  }

  entry(move, at, two) {
    const { table } = this;
    const mark = table.marks?.get(at + 1);
    const sign = mark?.sign ? [" ", h("b", { class: mark.tone ? `tone-${mark.tone}` : "" }, mark.sign)] : [];
    const words = mark?.words ? [h("span", { class: "unseen" }, `, ${mark.words}`)] : [];
    const current = at === table.state.at - 1 ? "step" : null;
    const go = () => table.go({ at: at + 1 }, true);
    const number = !two ? [] : at % 2 === 0 ? [h("i", {}, `${at / 2 + 1}.`)] : [];
    const shown = button("", go, { "aria-current": current, title: mark?.words });
    shown.append(move, ...sign, ...words);
    return h("li", {}, number, shown, this.branches(at + 1));
  }

  branches(ply) {
    const { table } = this;
    const lines = (table.lines || []).filter((line) => line.ply === ply);
    return lines.map(({ moves, note }) => {
      const before = table.state.moves.slice(0, ply - 1);
      const go = (length) => table.go({ moves: [...before, ...moves], at: before.length + length, resigned: null });
      const steps = moves.map((move, at) => button(move, () => go(at + 1)));
      return h("div", { class: "branch" }, "or ", steps, note ? h("span", {}, note) : null);
    });
  }

  async type(event) {
    event.preventDefault();
    const { table } = this;
    const move = this.typed.value.trim();
    if (!move || !table.mine()) return;
    const asked = { ...about(table.state), moves: [...table.state.moves.slice(0, table.state.at), move] };
    delete asked.resigned;
    try {
      const found = await ask("position", asked);
      this.typed.value = "";
      await table.play(found.moves.at(-1));
      this.typed.focus();
    } catch (error) {
      this.why.textContent = error.message;
    }
  }
}
