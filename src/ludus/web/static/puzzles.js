// Puzzles: by level, of the day, with hints; the streak of days is kept in this browser alone.

import { about } from "./address.js";
import { ask } from "./api.js";
import { button, h, say, section, select } from "./dom.js";

const KEY = "ludus.days";

function today() {
  const now = new Date();
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function days() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) || "[]");
    return Array.isArray(found) ? found.filter((day) => /^\d{4}-\d\d-\d\d$/.test(day)) : [];
  } catch {
    return [];
  }
}

// Days in a row that were solved, up to today or yesterday.
export function streak(solved, now = today()) {
  const known = new Set(solved);
  const day = new Date(`${now}T12:00:00Z`);
  const text = () => day.toISOString().slice(0, 10);
  if (!known.has(text())) day.setUTCDate(day.getUTCDate() - 1);
  let count = 0;
  while (known.has(text())) {
    count += 1;
    day.setUTCDate(day.getUTCDate() - 1);
  }
  return count;
}

export class Puzzles {
  static tab = "puzzle";

  constructor(table) {
    this.table = table;
    this.level = "";
    this.hints = 0;
    this.undos = 0;
    this.controls = h("div", {});
    this.said = h("p", { role: "status", class: "said" });
    this.counted = h("p", {});
    this.element = section("Puzzle", this.controls, this.said, this.counted);
  }

  update() {
    const { game, state, position } = this.table;
    this.element.hidden = !game.puzzles;
    if (!game.puzzles) return;
    const levels = game.levels.map((level) => [level, level]);
    this.level = game.levels.includes(this.level) ? this.level : game.levels[0];
    this.controls.replaceChildren(
      select("Level", levels, this.level, (level) => {
        this.level = level;
      }),
      h("div", { class: "row" },
        button("New puzzle", () => this.fresh({ level: this.level, seed: (Math.random() * 2 ** 32) >>> 0 })),
        button("Today's puzzle", () => this.fresh({ day: today() })),
        button("Hint", () => this.hint(), { disabled: position.over && position.result === "solved" }),
        button("Can it still be solved?", () => this.stands()),
      ),
    );
    const run = streak(days());
    this.counted.textContent = `Days in a row: ${run}. Days solved: ${days().length}.`;
    if (position.over && position.result === "solved") this.solved(state, position);
  }

  solved(state, position) {
    const score = Math.max(0, 10 * position.moves.length - 2 * this.undos - 10 * this.hints);
    const help = `${this.undos} undone, ${this.hints} hints`;
    this.said.textContent = `Solved. Score ${score}: ${position.moves.length} captures, ${help}.`;
    if (state.puzzle && /^\d{4}-\d\d-\d\d$/.test(state.puzzle) && !days().includes(state.puzzle)) {
      try {
        localStorage.setItem(KEY, JSON.stringify([...days(), state.puzzle].slice(-2000)));
      } catch {
        this.said.textContent += " This browser keeps nothing, so the day is not counted.";
      }
      this.counted.textContent = `Days in a row: ${streak(days())}. Days solved: ${days().length}.`;
    }
  }

  tookBack() {
    this.undos += 1;
    this.said.textContent = "";
  }

  played() {
    if (!this.table.position.over) this.said.textContent = "";
    else if (this.table.position.result !== "solved") this.said.textContent = "No capture is left: take moves back.";
  }

  async fresh(wanted) {
    const { state, game } = this.table;
    this.said.textContent = "Making a puzzle …";
    try {
      const made = await ask("puzzle", { game: game.name, options: state.options, ...wanted });
      this.hints = this.undos = 0;
      const left = `${made.final[0]} on ${made.final[1]}`;
      const day = made.day ? `, the puzzle of ${made.day}` : "";
      this.said.textContent = `${made.level}, ${made.pieces} pieces${day}. It ends with ${left}.`;
      await this.table.go({ start: made.position, moves: [], at: 0, resigned: null, puzzle: made.day || null });
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  async hint() {
    this.hints += 1;
    const found = await this.truth(this.table.state.at);
    const good = found.moves?.find((entry) => entry.value === 1);
    if (good) {
      const { position, component } = this.table;
      this.said.textContent = `${good.move} keeps it solvable.`;
      component.point(position.ways?.[position.legal.indexOf(good.move)] || null);
    } else await this.stands();
    say(this.said.textContent);
  }

  // Whether it can still be solved; if not, how far to go back.
  async stands() {
    const { at } = this.table.state;
    for (let back = 0; back <= at; back += 1) {
      const found = await this.truth(at - back);
      if (!found.known) {
        this.said.textContent = `${found.why || "That cannot be told"}.`;
        return;
      }
      if (found.value === 1) {
        const moves = back === 1 ? "a move" : `${back} moves`;
        this.said.textContent = back ? `It can no longer be solved: take ${moves} back.` : "It can be solved.";
        return;
      }
    }
    this.said.textContent = "This puzzle cannot be solved at all.";
  }

  truth(plies) {
    const asked = about({ ...this.table.state, resigned: null }, plies);
    return ask("truth", asked).catch((error) => ({ known: false, why: error.message }));
  }
}
