// The moves so far, and what can be done with the game: take back, resign, swap, save, load, type a move.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { button, check, h, say, section, select } from "./dom.js";

export class Controls {
  constructor(table) {
    this.table = table;
    this.typed = h("input", { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: "false", id: "typed" });
    const form = h("form", { class: "row", onsubmit: (event) => this.type(event) });
    form.append(h("label", { for: "typed" }, "Type a move"), this.typed, h("button", { type: "submit" }, "Play it"));
    this.why = h("p", { class: "why", role: "alert" });
    this.list = h("ol", { class: "moves", "aria-label": "Moves so far" });
    this.every = h("details", {}, h("summary", {}, "All legal moves"));
    this.row = h("div", { class: "row" });
    this.steps = h("div", { class: "row" });
    this.text = h("textarea", { rows: 6, "aria-label": "The game as text", spellcheck: "false" });
    const file = h("input", { type: "file", accept: ".txt,text/plain", "aria-label": "A saved game" });
    file.addEventListener("change", () => this.open(file));
    const kept = h("details", {}, h("summary", {}, "Save and load"));
    kept.append(
      h("div", { class: "row" },
        button("Show as text", () => this.save(false)),
        button("Save to a file", () => this.save(true)),
      ),
      this.text,
      h("div", { class: "row" }, button("Go on with this text", () => this.load(this.text.value)), file),
    );
    this.element = section("Moves", this.steps, this.list, form, this.why, this.every, this.row, kept);
  }

  update() {
    const { table } = this;
    const { state, position } = table;
    const agents = state.players.filter((player) => player.agent !== HUMAN).length;
    const pairs = state.moves.map((move, at) => this.entry(move, at));
    this.list.replaceChildren(...pairs);
    const current = this.list.querySelector("[aria-current]");
    if (current) this.list.scrollTop = current.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
    const to = (at) => () => table.go({ at }, true);
    this.steps.replaceChildren(
      button("«", to(0), { "aria-label": "To the start", disabled: state.at === 0 }),
      button("‹", to(Math.max(0, state.at - 1)), { "aria-label": "A move back", disabled: state.at === 0 }),
      button("›", to(Math.min(state.moves.length, state.at + 1)), { "aria-label": "A move on", disabled: table.latest() }),
      button("»", to(state.moves.length), { "aria-label": "To the end", disabled: table.latest() }),
      check("Show legal moves", table.legal, (on) => {
        table.legal = on;
        table.draw();
      }),
    );
    this.typed.disabled = !table.mine();
    this.why.textContent = "";
    const legal = table.mine() ? position.legal.map((move) => table.moveButton(move)) : [];
    const summary = h("summary", {}, `All legal moves (${position.legal.length})`);
    this.every.replaceChildren(summary, h("div", { class: "many" }, legal));
    if (!position.ways) this.every.open = true; // there is no other way to point at a move
    const alone = position.seats.length === 1;
    const stuck = position.over || !table.latest() || !table.mine();
    this.row.replaceChildren(
      button("Take back", () => this.back(), { disabled: !state.moves.length }),
      button("New game", () => this.anew()),
      button("New game from here", () => table.go({ start: position.position, moves: [], at: 0, resigned: null })),
      ...(alone ? [] : [button("Swap sides", () => this.swap())]),
      button(alone ? "Give up" : "Resign", () => this.resign(), { disabled: stuck }),
      ...(agents === state.players.length && !alone ? this.pacing() : []),
    );
  }

  entry(move, at) {
    const { table } = this;
    const current = at === table.state.at - 1;
    const go = () => table.go({ at: at + 1 }, true);
    const seat = table.position.seats.length > 1 ? `${at + 1}. ` : "";
    return h("li", {}, button(`${seat}${move}`, go, { "aria-current": current ? "step" : null }));
  }

  pacing() {
    const { table } = this;
    const paces = [["0", "as fast as it goes"], ["0.3", "quick"], ["0.6", "steady"], ["1.5", "slow"]];
    return [
      button(table.paused ? "Go on" : "Pause", () => {
        table.paused = !table.paused;
        table.go({}, true);
      }),
      select("Pace", paces, String(table.pace), (value) => {
        table.pace = Number(value);
      }),
    ];
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

  // Back to before the last move of a person; if there is none, one move.
  back() {
    const { state, position } = this.table;
    let at = state.moves.length - 1;
    const people = (ply) => state.players[position.players[ply]]?.agent === HUMAN;
    const human = state.players.some((player) => player.agent === HUMAN);
    while (human && at > 0 && this.table.latest() && !people(at)) at -= 1;
    this.table.heat = null;
    for (const panel of this.table.panels) panel.tookBack?.();
    this.table.go({ moves: state.moves.slice(0, at), at, resigned: null });
  }

  anew() {
    const seed = (Math.random() * 2 ** 32) >>> 0;
    this.table.heat = null;
    this.table.go({ start: null, moves: [], at: 0, resigned: null, seed, puzzle: null });
  }

  swap() {
    const [first, second] = this.table.state.players;
    this.table.go({ players: [second, first] });
  }

  resign() {
    const { position } = this.table;
    this.table.go({ resigned: position.seats[position.player] });
  }

  async save(asFile) {
    try {
      const { text } = await ask("record", about(this.table.state));
      this.text.value = text;
      if (!asFile) return;
      const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      h("a", { href: url, download: `${this.table.state.game}.txt` }).click();
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
      const found = await ask("load", { text });
      const players = found.seats.map(() => ({ agent: HUMAN, seconds: 1, chance: 0 }));
      const { game, options, start, moves } = found;
      say("Loaded.");
      await this.table.go({ game, options, start, moves, at: moves.length, players, resigned: null, puzzle: null });
    } catch (error) {
      this.why.textContent = error.message;
    }
  }
}
