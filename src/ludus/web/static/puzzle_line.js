// A puzzle that a whole line of moves solves: the score at its end, and where a dead end began.

import { button } from "./dom.js";
import { solvedDay } from "./puzzle_log.js";
import { isDay } from "./puzzle_source.js";
import { truth } from "./puzzle_truth.js";
import { capital } from "./words.js";

export class WholeLine {
  constructor(puzzles) {
    this.puzzles = puzzles;
    this.table = puzzles.table;
  }

  // `made` is null for a position of somebody's own, which counts nowhere.
  update(made) {
    const { puzzles } = this;
    const { position } = this.table;
    const { log } = puzzles;
    puzzles.after.replaceChildren();
    if (!position.over) {
      if (made) puzzles.said.textContent = puzzles.helped();
      return;
    }
    if (position.result !== "solved") return;
    if (made) puzzles.count(!log.wrong && !log.hints);
    const score = Math.max(0, 10 * position.moves.length - 2 * log.undone - 10 * log.hints);
    puzzles.said.textContent = `Solved. Score ${score}: ${position.moves.length} captures, ${log.undone} taken back, ${log.hints} hints.`;
    if (isDay(made?.name) && !solvedDay(made.name)) puzzles.said.textContent += " This browser keeps nothing, so the day is not counted.";
    puzzles.stand();
    puzzles.after.replaceChildren(button("Next puzzle", () => puzzles.fresh(), { class: "main" }));
  }

  // No move is left, and it is not solved: which one was wrong?
  async played() {
    const { puzzles, table } = this;
    if (!table.position.over || table.position.result === "solved") return;
    puzzles.note({ wrong: puzzles.log.wrong + 1 });
    puzzles.count(false);
    puzzles.stand();
    table.tell("No capture is left.", "no");
    puzzles.said.textContent = "No capture is left. Looking for the move that gave it away …";
    await this.stands();
  }

  // Whether it can still be solved; if not, which move gave it away, and what would have kept it.
  async stands() {
    const { puzzles, table } = this;
    const { at, moves } = table.state;
    for (let back = 0; back <= at; back += 1) {
      const found = await truth(table, at - back);
      if (found.late()) return;
      if (!found.known) {
        puzzles.said.replaceChildren(`${capital(found.why || "that cannot be told")}. `, button("Try again", () => this.stands()));
        return;
      }
      if (found.value !== 1) continue;
      if (!back) return puzzles.say("It can be solved.");
      const kept = found.moves.find((entry) => entry.value === 1)?.move;
      puzzles.said.textContent = `Move ${at - back + 1}, ${moves[at - back]}, gave it away: after ${kept} it could still be solved.`;
      const words = back === 1 ? "Take it back" : `Take ${back} moves back`;
      puzzles.after.replaceChildren(button(words, () => {
        puzzles.tookBack();
        table.go({ moves: moves.slice(0, at - back), at: at - back, resigned: null });
      }));
      return;
    }
    puzzles.said.textContent = "This puzzle cannot be solved at all.";
  }
}
