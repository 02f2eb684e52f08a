// What agents think of every move here, and what is true.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { heatOf } from "./boards/frame.js";
import { button, check, h, round, section, select } from "./dom.js";
import { bare } from "./words.js";

const FEW = 10;
const SIGNS = { 1: "win", 0: "draw", "-1": "loss" };

export class Understand {
  static tab = "analysis";

  constructor(table) {
    this.table = table;
    this.first = null;
    this.second = "";
    this.exact = true;
    this.on = false;
    this.heat = "agent";
    this.whole = false;
    this.controls = h("div", {});
    this.found = h("div", { role: "region", "aria-label": "What is thought of each move" });
    this.beat = h("p", { role: "status" });
    this.element = section("Understand", this.controls, this.found, this.beat);
  }

  analysing() {
    return this.on;
  }

  analyse(on) {
    this.on = on;
    this.update();
  }

  update() {
    const { table } = this;
    this.asking?.abort();
    const agents = table.agents().filter((name) => name !== "random" && !name.startsWith("minimax"));
    const seated = table.state.players.map((player) => bare(player.agent)).find((agent) => agents.includes(agent));
    if (!agents.includes(this.first)) this.first = seated || agents[0] || "";
    if (this.second && !agents.includes(this.second)) this.second = "";
    const entries = agents.map((name) => [name, name]);
    const set = (changes) => {
      Object.assign(this, changes);
      this.update();
    };
    const others = [["", "nobody"], ...entries];
    const shown = [["agent", "the agent's values"], ["truth", "exact verdicts"], ["", "nothing"]];
    const beaten = this.first && table.game.seats.length > 1;
    this.controls.replaceChildren(
      check("Show what is thought of each move", this.on, (on) => set({ on })),
      ...(entries.length ? [select("Agent", entries, this.first, (first) => set({ first }))] : []),
      ...(entries.length > 1 ? [select("and beside it", others, this.second, (second) => set({ second }))] : []),
      check("Exact verdicts", this.exact, (exact) => set({ exact })),
      select("On the board", shown, this.heat, (heat) => set({ heat })),
      ...(beaten ? [button(`Shortest line that beats ${this.first}`, () => this.refute())] : []),
    );
    if (!this.on || table.position.over) {
      this.found.replaceChildren(...(this.on ? [h("p", {}, "The game is over.")] : []));
      if (table.heat) table.draw(null);
      return;
    }
    this.think();
  }

  async think() {
    const { table } = this;
    const asking = (this.asking = new AbortController());
    const asked = about(table.state);
    this.found.replaceChildren(h("p", {}, "Thinking …"));
    const question = (name, more) => ask(name, { ...asked, ...more }, asking.signal).catch((error) => ({ error }));
    const [first, second, truth] = await Promise.all([
      this.first ? question("opinion", { agent: this.first }) : null,
      this.second ? question("opinion", { agent: this.second }) : null,
      this.exact ? question("truth", {}) : null,
    ]);
    if (asking.signal.aborted) return;
    this.answers = { first, second, truth };
    this.show();
  }

  show() {
    const { first, second, truth } = this.answers;
    const { table } = this;
    const liked = new Map((first?.moves || []).map((entry) => [entry.move, entry]));
    const other = new Map((second?.moves || []).map((entry) => [entry.move, entry]));
    const worth = new Map((truth?.moves || []).map((entry) => [entry.move, entry]));
    const order = liked.size ? [...liked.keys()] : worth.size ? [...worth.keys()] : table.position.legal;
    const rows = order.slice(0, this.whole ? undefined : FEW).map((move) => this.row(move, liked, other, worth));
    const heads = ["Move", ...(first ? [this.first] : []), ...(second ? [this.second] : []), ...(truth ? ["Truth"] : [])];
    const head = h("tr", {}, heads.map((text) => h("th", { scope: "col" }, text)));
    const notes = [this.note(first, this.first), this.note(second, this.second), this.note(truth, "Truth")].filter(Boolean);
    const more = button(this.whole ? "Fewer" : `All ${order.length}`, () => {
      this.whole = !this.whole;
      this.show();
    });
    const list = h("table", {}, h("thead", {}, head), h("tbody", {}, rows));
    const scroll = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Moves and values" }, list);
    this.found.replaceChildren(...notes, scroll, ...(order.length > FEW ? [more] : []));
    const rated = this.heat === "truth" ? truth?.moves : this.heat === "agent" ? first?.moves || truth?.moves : null;
    const words = rated && rated === truth?.moves ? (value) => this.word(value) : undefined;
    table.draw(rated?.length && table.position.ways ? heatOf(table.position, rated, words) : null);
  }

  word(value) {
    if (this.table.game.seats.length === 1) return value > 0 ? "✓" : "✗";
    return { 1: "W", 0: "D", "-1": "L" }[value];
  }

  note(answer, who) {
    if (!answer) return null;
    if (answer.error) return h("p", { class: "why" }, `${who}: ${answer.error.message}`);
    if (answer.known === false) return h("p", {}, `${who}: ${answer.why}.`);
    if (answer.summary) return h("p", {}, `${who}: ${answer.summary} for the side to move.`);
    const counted = answer.counted ? ` ${answer.counted}` : "";
    const ahead = answer.depth ? `, ${answer.depth} plies ahead` : "";
    return h("p", {}, `${who}: ${round(answer.value)}${counted} for the side to move${ahead}.`);
  }

  row(move, liked, other, worth) {
    const { table } = this;
    const way = table.position.ways?.[table.position.legal.indexOf(move)];
    const name = table.mine() ? button(move, () => table.play(move), { title: way?.words }) : h("span", {}, move);
    const cells = [h("th", { scope: "row" }, name)];
    for (const [map, answer] of [[liked, this.answers.first], [other, this.answers.second]]) {
      if (!answer) continue;
      const entry = map.get(move);
      const line = entry?.line ? h("small", {}, entry.line.join(" ")) : null;
      cells.push(h("td", {}, entry && entry.value !== null ? round(entry.value, 3) : "", line));
    }
    if (this.answers.truth) {
      const entry = worth.get(move);
      const plies = entry?.plies ? ` in ${entry.plies}` : "";
      const kind = entry?.value === undefined || entry?.value === null ? "" : SIGNS[entry.value];
      cells.push(h("td", { class: `verdict ${kind}` }, entry?.word ? `${entry.word}${plies}` : ""));
    }
    const point = (on) => table.component.point(on && way ? way : null);
    const [on, off] = [() => point(true), () => point(false)];
    return h("tr", { onpointerenter: on, onpointerleave: off, onfocusin: on, onfocusout: off }, cells);
  }

  // The shortest line that beats the agent, as a game to go through.
  async refute() {
    const { table } = this;
    this.beat.textContent = "Following every line …";
    try {
      const { game, options } = table.state;
      const found = await ask("refutation", { game, options, agent: this.first });
      if (!found.line.length) {
        const unknown = `${this.first} ${found.summary}; no line is known that beats it.`;
        this.beat.textContent = found.unbeatable ? `No line beats ${this.first}: it ${found.summary}.` : unknown;
        return;
      }
      const anyone = found.lost_anyway ? " (as anyone would be, in that seat)" : "";
      const line = `in ${found.line.length} moves${anyone}: ${found.line.join(" ")}`;
      this.beat.textContent = `${this.first} is beaten as ${found.seat} ${line}`;
      const players = table.state.players.map((player) => ({ ...player, agent: HUMAN }));
      await table.go({ start: null, moves: found.line, at: 0, players, resigned: null });
      this.playOut(found.line.length);
    } catch (error) {
      this.beat.textContent = error.message;
    }
  }

  async playOut(length) {
    const { table } = this;
    for (let at = 1; at <= length; at += 1) {
      const before = table.state;
      await new Promise((done) => setTimeout(done, 900));
      if (table.left || table.state !== before || table.state.at !== at - 1) return;
      await table.go({ at }, true);
    }
  }
}
