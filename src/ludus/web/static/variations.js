// The tree of a game: another move from an earlier position starts a branch, and what was there stays one.

import { write } from "./address.js";

const LONGEST = 1500; // characters of branches in the address; the oldest go first

const shared = (a, b) => {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count += 1;
  return count;
};

// Branches as whole lines of moves, and back: after so many moves of the game, these.
export const wholes = (moves, branches) => branches.map((branch) => [...moves.slice(0, branch.ply), ...branch.moves]);

export function relative(moves, lines) {
  const kept = [];
  for (const line of [...lines].reverse()) {
    if ([moves, ...kept].some((other) => shared(line, other) === line.length)) continue; // a part of another line
    kept.unshift(line);
  }
  return kept.map((line) => ({ ply: shared(line, moves), moves: line.slice(shared(line, moves)) }));
}

export function shorten(branches) {
  const found = [...branches];
  const long = () => found.reduce((sum, branch) => sum + branch.moves.join(".").length + 4, 0);
  while (long() > LONGEST) found.shift();
  return found;
}

export class Variations {
  static tab = "moves";

  constructor(table) {
    this.table = table;
    this.element = document.createElement("div");
    this.element.hidden = true;
    this.trying = false; // while a person tries to do better, nothing is kept
  }

  key() {
    const { game, options, start, seed, puzzle } = this.table.state;
    return JSON.stringify([game, options, start, seed, puzzle]);
  }

  update() {
    const { state } = this.table;
    if (this.trying) return;
    const key = this.key();
    const given = state.branches || [];
    let lines = wholes(state.moves, given);
    if (key === this.known && given === this.given) {
      lines = [...this.lines];
      const { moves } = this;
      const common = shared(moves, state.moves);
      if (common < moves.length && common < state.moves.length) lines.push(moves);
    }
    const branches = shorten(relative(state.moves, lines));
    this.known = key;
    this.moves = [...state.moves];
    this.lines = wholes(state.moves, branches);
    if (JSON.stringify(branches) !== JSON.stringify(given)) {
      state.branches = branches;
      history.replaceState(null, "", write(state));
    }
    this.given = state.branches;
    this.show();
  }

  show() {
    const branches = this.table.state.branches || [];
    const shown = JSON.stringify(branches);
    if (shown === this.shown) return;
    this.shown = shown;
    this.table.branches(branches.map(({ ply, moves }) => ({ ply: ply + 1, moves })));
  }
}
