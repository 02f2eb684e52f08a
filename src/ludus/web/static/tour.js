// The first moves of a game, made together with a person who has never played it.

import { HUMAN } from "./address.js";
import { ask } from "./api.js";
import { button, h } from "./dom.js";
import { address } from "./start.js";

const PAUSE = 1100; // milliseconds before the other side moves

export class Tour {
  constructor(table, steps) {
    this.table = table;
    this.steps = steps;
  }

  // The tour of a game that has one, and the state that it begins with.
  static async of(table) {
    try {
      const { steps, last, options, start } = await ask("tour", { game: table.state.game });
      const tour = new Tour(table, steps);
      tour.last = last;
      const players = table.game.seats.map(() => ({ agent: HUMAN, seconds: 1, chance: 0 }));
      const known = table.state.moves.every((move, at) => move === steps[at]?.move) ? table.state.moves : [];
      Object.assign(table.state, { options, start, players, moves: known, at: known.length, resigned: null });
      return tour;
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return null; // without a tour it is a game
    }
  }

  get step() {
    return this.steps[this.table.state.at];
  }

  update() {
    clearTimeout(this.waiting);
    const { table, step } = this;
    if (!step) return table.stage.clear(this.last);
    table.stage.clear(step.words);
    if (step.mine) table.paint("tour", { best: [{ move: step.move, rank: 1, words: "the move to make now" }] });
    else this.waiting = setTimeout(() => this.table.tour === this && this.table.go({ moves: [...table.state.moves, step.move], at: table.state.at + 1 }, true), PAUSE);
  }

  // Whether a move is the one to make now; the tour goes one way.
  allows(move) {
    if (!this.step || this.step.move === move) return true;
    this.table.tell(this.step.mine ? `Not ${move} this time.` : "The other side moves now.", "no");
    return false;
  }

  leave() {
    clearTimeout(this.waiting);
  }

  over() {
    return !this.step;
  }

  // What the card at the end offers.
  ending() {
    const { table } = this;
    const [first] = table.game.opponents;
    const level = table.game.levels[0];
    const puzzles = `/?${new URLSearchParams({ view: "puzzles", game: table.game.name, level })}`;
    const href = first ? address(table.game, first) : puzzles;
    return [h("a", { class: "button main", href }, first ? "Play a game" : "Solve a puzzle"), button("Once more", () => table.go({ moves: [], at: 0 }, true))];
  }
}
