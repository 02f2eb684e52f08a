// A game with its branches as text or in a format of the game's own: saved, and gone on with.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { button, h, say } from "./dom.js";

export class Records {
  static tab = "game";

  constructor(table) {
    this.table = table;
    this.why = h("p", { class: "why", role: "alert" });
    this.text = h("textarea", { rows: 6, "aria-label": "The game as text", spellcheck: "false" });
    this.buttons = h("div", { class: "row" });
    const accept = ".txt,.sgf,text/plain,application/x-go-sgf";
    const file = h("input", { type: "file", accept, "aria-label": "A saved game" });
    file.addEventListener("change", () => this.open(file));
    const kept = h("details", {}, h("summary", {}, "Save and load"), this.buttons, this.text);
    kept.append(h("div", { class: "row" }, button("Go on with this text", () => this.load(this.text.value)), file));
    this.element = h("section", { class: "panel" }, kept, this.why);
  }

  update() {
    const { formats = [] } = this.table.game;
    this.why.textContent = "";
    this.buttons.replaceChildren(
      button("Show as text", () => this.save("", false)),
      button("Save to a file", () => this.save("", true)),
      ...formats.map((format) => button(`Save as ${format.toUpperCase()}`, () => this.save(format, true))),
    );
  }

  async save(format, asFile) {
    const { state } = this.table;
    const players = state.players.map((player) => player.agent);
    const asked = { ...about(state, state.moves.length), branches: state.branches || [], players };
    if (format) asked.format = format;
    try {
      const { text, format: ending } = await ask("record", asked);
      this.text.value = text;
      if (!asFile) return;
      const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      h("a", { href: url, download: `${state.game}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    } catch (error) {
      this.why.textContent = error.message;
    }
  }

  async open(file) {
    if (file.files[0]) this.load(await file.files[0].text());
    file.value = "";
  }

  async load(text) {
    try {
      const { game, options, start, moves, branches, seats } = await ask("load", { text });
      const players = seats.map(() => ({ agent: HUMAN, seconds: 1, chance: 0 }));
      say("Loaded.");
      const fresh = { resigned: null, puzzle: null };
      await this.table.go({ game, options, start, moves, at: moves.length, players, branches, ...fresh });
    } catch (error) {
      this.why.textContent = error.message;
    }
  }
}
