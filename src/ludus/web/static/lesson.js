// Learn from your mistakes: back to each of them, and find something better.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { button, h } from "./dom.js";
import { Variations } from "./variations.js";

const NEAR = 0.1; // of the chance to win that a good try may lose, where nothing is proved

export class Lesson {
  constructor(table, review) {
    this.table = table;
    this.review = review;
    this.on = false;
    this.said = h("p", { role: "status" });
    this.buttons = h("div", { class: "row" });
    this.element = h("div", { class: "lesson" }, this.said, this.buttons);
    this.element.hidden = true;
  }

  // Of a person's own mistakes if one side is an agent's, else of both sides'.
  begin(mistakes) {
    const { table } = this;
    const { state } = table;
    const seat = (mark) => this.review.found.rows[mark.ply - 1].player;
    const own = mistakes.filter((mark) => state.players[seat(mark)].agent === HUMAN);
    this.marks = own.length ? own : mistakes;
    this.keep(true);
    this.element.hidden = false;
    this.moves = [...this.review.found.moves];
    this.players = state.players;
    this.resigned = state.resigned;
    this.go(0);
  }

  // While somebody tries, nobody answers and no branch is kept.
  keep(on) {
    const { table } = this;
    this.on = on;
    table.held = on;
    const tree = table.panel(Variations);
    if (tree) tree.trying = on;
  }

  end() {
    const { table } = this;
    this.element.hidden = true;
    const { moves, resigned } = this;
    table.paint("lesson", null);
    table.go({ moves, at: moves.length, resigned }, true).then(() => {
      this.keep(false);
      this.review.update();
    });
  }

  get mark() {
    return this.marks[this.number];
  }

  async go(number) {
    const { table } = this;
    this.number = number;
    if (!this.mark) return this.end();
    this.tried = null;
    const { ply } = this.mark;
    await table.go({ moves: this.moves, at: ply - 1, resigned: null }, true);
    const side = table.game.seats[this.review.found.rows[ply - 1].player];
    this.tell(`Mistake ${number + 1} of ${this.marks.length}. As ${side} you played ${this.moves[ply - 1]} here, ${this.review.words(this.mark)}. Find something better.`);
    table.paint("lesson", { ring: this.cells(this.moves[ply - 1]) });
    this.show(false);
  }

  cells(move) {
    const { position } = this.table;
    const way = position.ways?.[position.legal.indexOf(move)];
    return way ? [...(way.put.length ? way.put : way.take)] : [];
  }

  tell(text) {
    this.said.textContent = text;
    this.table.tell(text, "next");
  }

  show(solved) {
    const last = this.number === this.marks.length - 1;
    this.buttons.replaceChildren(
      ...(solved ? [] : [button("Try again", () => this.go(this.number), { disabled: !this.tried }), button("Show it", () => this.solve())]),
      button(last ? "Done" : "Next mistake", () => this.go(this.number + 1), { class: solved ? "main" : "" }),
      ...(last ? [] : [button("Stop", () => this.end(), { class: "quiet" })]),
    );
  }

  async solve() {
    const { table } = this;
    const row = this.review.found.rows[this.mark.ply - 1];
    await this.go(this.number);
    table.paint("lesson", { best: [{ move: row.best, text: "best", rank: 1, words: "the best move" }] });
    this.tell(row.best ? `${row.best} was the move${row.line.length > 1 ? `: ${row.line.join(" ")}` : ""}.` : "Nobody here knows the move.");
    this.show(true);
  }

  // A position of the lesson is on the board: a move from it is a try.
  update() {
    if (this.on && this.table.state.at > this.moves.length) this.end();
  }

  async played(move) {
    if (!this.on || this.table.state.at !== this.mark.ply) return;
    this.tried = move;
    this.show(false);
    if (move === this.moves[this.mark.ply - 1]) return this.tell("That is what you played. Try another move.");
    const row = this.review.found.rows[this.mark.ply - 1];
    this.tell(`Looking at ${move} …`);
    const good = await this.judge(move, row);
    if (this.tried !== move) return;
    if (good === null) return this.tell(`Nobody here can judge ${move}.`);
    if (good) this.tell(move === row.best ? `Right: ${move} is the best move.` : `${move} is good too${row.best ? `; ${row.best} was the other answer` : ""}.`);
    else this.tell(`${move} is no better. Try again.`);
    this.show(good);
  }

  // Whether a try keeps what there was: proved where it can be, else by a search of the position after it.
  async judge(move, row) {
    if (move === row.best) return true;
    const { state } = this.table;
    const before = row.player === 0 ? row.chance : 1 - row.chance;
    try {
      if (row.proved) {
        const truth = await ask("truth", about({ ...state, moves: this.moves, resigned: null }, this.mark.ply - 1));
        const entry = truth.known && truth.moves.find((known) => known.move === move);
        if (entry && entry.value !== null) return (1 + entry.value) / 2 >= before;
      }
      const { analyst } = this.review.found.head;
      if (!analyst) return null;
      const asked = { ...about(state), agent: analyst, lines: 0 };
      const found = this.table.position.over ? null : await ask("opinion", asked);
      const after = found ? 1 - found.chance : (1 + this.table.position.returns[row.player]) / 2;
      return after >= before - NEAR;
    } catch {
      return null;
    }
  }
}
