// A puzzle with one right move: praise, or the refutation of a wrong one, played out to the end if somebody asks.

import { button, h } from "./dom.js";
import { solvedDay } from "./puzzle_log.js";
import { isDay } from "./puzzle_source.js";
import { truth } from "./puzzle_truth.js";

const REPLY = 650; // milliseconds until a wrong move is answered
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class OneMove {
  constructor(puzzles) {
    this.puzzles = puzzles;
    this.table = puzzles.table;
  }

  get made() {
    return this.puzzles.made;
  }

  // All that is said follows from the moves, so that a reload says it again.
  update() {
    const { puzzles, table, made } = this;
    const [first] = table.state.moves;
    if (!first) {
      puzzles.after.replaceChildren();
      puzzles.said.textContent = puzzles.helped();
      return;
    }
    const others = Object.keys(made.replies).length;
    const right = made.answers.includes(first);
    puzzles.count(right);
    if (right && isDay(made.name) && solvedDay(made.name)) puzzles.stand();
    puzzles.said.replaceChildren(...(right ? this.praise(first, others) : this.refuted(first)));
    const next = button("Next puzzle", () => puzzles.fresh(), { class: "main" });
    const retry = button("Try again", () => table.go({ moves: [], at: 0, resigned: null }));
    const end = button("See how it ends", () => this.playOut());
    puzzles.after.replaceChildren(...(right ? [next, this.against()] : [retry, ...(table.position.over ? [] : [end]), next]));
  }

  praise(first, others) {
    return [h("b", { class: "tone-good" }, `Right: ${first}`), ` wins, and each of the ${others} other moves loses. `, this.proved()];
  }

  refuted(first) {
    const { position } = this.table;
    const other = position.seats[1 - position.players[0]];
    const reply = this.made.replies[first];
    return [h("b", { class: "tone-bad" }, `${first} loses`), `: ${other} answers ${reply} and wins, whatever follows. `, this.proved()];
  }

  proved() {
    return h("span", { class: "tag true", title: "The solver has followed every line." }, "proved");
  }

  against() {
    const { state, position } = this.table;
    const said = new URLSearchParams({ view: "play", game: state.game });
    for (const [name, value] of Object.entries(state.options)) said.set(`o.${name}`, String(value));
    said.set("start", state.start);
    said.set("moves", state.moves.join("."));
    said.set(`p${1 - position.players[0]}`, "perfect");
    return h("a", { class: "button", href: `/?${said}` }, "Play it out against perfect play");
  }

  async played(move) {
    const { table, made } = this;
    if (table.state.moves.length !== 1 || made.answers.includes(move)) return;
    table.tell(`${move} loses`, "no");
    await pause(REPLY);
    if (!table.left && table.state.moves.join() === move && table.state.puzzle === made.name) await this.reply(move);
  }

  reply(move) {
    const moves = [move, this.made.replies[move]];
    return this.table.go({ moves, at: 2 }, true);
  }

  // The rest of a lost line: the winner by the truth, the loser beside the last stone.
  async playOut() {
    const { puzzles, table, made } = this;
    const winner = 1 - table.position.players[0];
    if (table.state.moves.length === 1) await this.reply(table.state.moves[0]);
    table.tell("The solver plays it out; its first answer may take half a minute.");
    while (!table.left && !table.position.over && table.state.puzzle === made.name) {
      const { state, position } = table;
      const found = await truth(table, state.moves.length);
      if (found.late()) return;
      const all = found.moves || [];
      const good = position.player === winner ? all.filter((entry) => entry.value === 1) : all;
      if (!found.known || !good.length) {
        const again = button("Try again", () => this.playOut());
        puzzles.why.replaceChildren(`It cannot be played out: ${found.why || "nothing is known of this position"}. `, again);
        return;
      }
      const move = this.closest(good.map((entry) => entry.move), state.moves.at(-1));
      const moves = [...state.moves, move];
      await table.go({ moves, at: moves.length }, true);
      await pause(REPLY);
    }
  }

  // Of these moves the one whose cell lies nearest to that of the last.
  closest(moves, last) {
    const { at } = this.table.component;
    const from = at.get(last);
    const far = (move) => (from && at.has(move) ? Math.hypot(from.x - at.get(move).x, from.y - at.get(move).y) : 0);
    return moves.reduce((best, move) => (far(move) < far(best) ? move : best));
  }
}
