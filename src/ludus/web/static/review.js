// The review of the game: each position judged as it comes, mistakes marked in the list, and a walk through them.

import { about } from "./address.js";
import { percent } from "./chances.js";
import { button, h, section } from "./dom.js";
import { graph } from "./graph.js";
import { Lesson } from "./lesson.js";
import { parts } from "./stream.js";
import { Understand } from "./understand.js";

const NAMES = { "??": "blunder", "?": "mistake", "?!": "inaccuracy" };
const TONES = { "??": "bad", "?": "bad", "?!": "doubt" };
const LONG = 20; // plies that are judged before the rest is told to take longer

export class Review {
  static tab = "analysis";

  constructor(table) {
    this.table = table;
    this.found = null; // {key, moves, rows, marks, head}
    this.lesson = new Lesson(table, this);
    this.said = h("p", { role: "status", class: "legend" });
    this.place = h("div", {});
    this.list = h("ol", { class: "list mistakes", "aria-label": "Mistakes" });
    this.buttons = h("div", { class: "row" });
    this.element = section("Review", this.buttons, this.said, this.place, this.list, this.lesson.element);
  }

  get agent() {
    return this.table.panel(Understand)?.first || "";
  }

  key(moves = this.table.state.moves) {
    const { game, options, start, seed } = this.table.state;
    return JSON.stringify([game, options, start, seed, moves]);
  }

  leave() {
    this.asking?.abort();
  }

  review() {
    this.run();
    this.element.scrollIntoView?.({ block: "nearest" });
  }

  // Another game: what was found is of the last one. Another line of this game keeps what its beginning has in common.
  update() {
    const { table } = this;
    this.element.hidden = table.game.seats.length === 1;
    if (this.element.hidden) return;
    this.lesson.update();
    if (this.found && this.found.frame !== this.key([])) {
      this.asking?.abort();
      this.found = null;
      this.said.textContent = "";
      table.tabs.badge("moves", "");
    }
    if (!this.lesson.on) this.note();
    this.draw();
  }

  // How many moves of the line on the board are those of the game that was judged.
  common() {
    const { moves } = this.found;
    const now = this.table.state.moves;
    const differs = moves.findIndex((move, at) => now[at] !== move);
    return differs < 0 ? moves.length : differs;
  }

  played(move) {
    this.lesson.played(move);
  }

  async run() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const { state } = this.table;
    const moves = [...state.moves];
    const found = (this.found = { key: this.key(), frame: this.key([]), moves, rows: new Array(moves.length + 1).fill(null), marks: [], head: {}, running: true });
    this.said.textContent = "Looking at the game …";
    this.draw();
    try {
      await parts("review", { ...about(state, moves.length), agent: this.agent }, (part) => this.take(found, part), asking.signal);
      found.done = true;
    } catch (error) {
      if (error.name === "AbortError") return;
      found.error = error.message;
    } finally {
      found.running = false;
    }
    if (found !== this.found) return;
    this.tell();
    this.draw();
    this.note();
  }

  // One part of the answer.
  take(found, part) {
    if (part.done) return;
    if (part.plies !== undefined && part.ply === undefined) {
      found.head = part;
      return;
    }
    found.rows[part.ply] = part;
    found.marks = part.marks;
    if (found !== this.found) return;
    this.tell();
    this.draw();
    this.note();
  }

  tell() {
    const { found } = this;
    const known = found.rows.filter(Boolean).length;
    if (found.running) {
      const longer = found.rows.some((row) => row?.by === "longer") ? ", looking longer where it is in doubt" : "";
      const rest = known < found.rows.length && found.rows.length > LONG ? "; you can go on meanwhile" : "";
      this.said.textContent = `${known} of ${found.rows.length} positions judged${longer}${rest} …`;
      return;
    }
    const why = found.head.why ? ` ${found.head.why}.` : "";
    if (found.error) this.said.textContent = `${known} of ${found.rows.length} positions are judged; then: ${found.error}${why}`;
    else this.said.textContent = `${this.summary()}${why}`;
  }

  summary() {
    const { found } = this;
    const known = found.rows.filter((row) => row && row.chance !== null);
    if (!known.length) return "Nobody here can judge this game.";
    const proved = known.filter((row) => row.proved).length;
    const by = proved === known.length ? "all proved" : `${proved} proved, the others by ${found.head.analyst}`;
    const counts = Object.entries(NAMES).map(([sign, name]) => [found.marks.filter((mark) => mark.sign === sign).length, name]);
    const words = counts.filter(([count]) => count).map(([count, name]) => `${count} ${count === 1 ? name : name === "inaccuracy" ? "inaccuracies" : `${name}s`}`);
    return `${words.length ? words.join(", ") : "No mistake was found"} (${known.length} positions: ${by}).`;
  }

  // A mark in words: what was lost, and by whom it is known.
  words(mark) {
    const lost = mark.proved ? { "1,0": "gave the win away", "1,0.5": "let the win slip to a draw", "0.5,0": "lost a drawn game" }[`${mark.before},${mark.after}`] : null;
    return lost || `from ${percent(mark.before)} to ${percent(mark.after)}`;
  }

  // The marks in the list of moves, as far as the line on the board is the one that was judged.
  note() {
    const { found, table } = this;
    const common = found ? this.common() : 0;
    const shown = (found?.marks || []).filter((mark) => mark.ply <= common);
    const marks = new Map(shown.map((mark) => [mark.ply, { sign: mark.sign, tone: TONES[mark.sign], words: `${NAMES[mark.sign]}: ${this.words(mark)}` }]));
    const key = JSON.stringify([...marks]);
    if (key === this.noted) return;
    this.noted = key;
    table.annotate(marks.size ? marks : null);
    table.tabs.badge("moves", marks.size ? String(marks.size) : "");
  }

  draw() {
    const { found, table } = this;
    const { state } = table;
    const other = found && found.key !== this.key();
    const label = found?.running ? "Stop" : other ? "Review this line" : found?.error ? "Try again" : found ? "Review again" : "Review the game";
    const act = () => (found?.running ? this.asking.abort() || this.stopped() : this.run());
    const mistakes = found && !found.running ? found.marks.filter((mark) => mark.sign !== "?!") : [];
    this.buttons.hidden = this.lesson.on;
    this.buttons.replaceChildren(
      button(label, act, { disabled: !state.moves.length, class: found ? "" : "main" }),
      ...(mistakes.length ? [button("Learn from your mistakes", () => this.lesson.begin(mistakes), { class: "main" })] : []),
    );
    if (!found) {
      this.place.replaceChildren();
      this.list.replaceChildren();
      if (!state.moves.length) this.said.textContent = "After some moves, this says which were mistakes.";
      return;
    }
    const marks = new Map(found.marks.map((mark) => [mark.ply, { tone: TONES[mark.sign], words: `${NAMES[mark.sign]}: ${this.words(mark)}` }]));
    const common = this.common();
    const go = (ply) => table.go(ply <= common ? { at: ply } : { moves: found.moves, at: ply }, true);
    this.place.replaceChildren(graph({ rows: found.rows, marks, moves: found.moves, at: Math.min(state.at, found.moves.length), seats: table.game.seats, go }));
    this.list.hidden = this.lesson.on;
    this.list.replaceChildren(...found.marks.map((mark) => this.entry(mark, go)));
    this.show();
  }

  stopped() {
    this.found.running = false;
    this.found.error = "you stopped it.";
    this.tell();
    this.draw();
  }

  entry(mark, go) {
    const { found } = this;
    const best = found.rows[mark.ply - 1].best;
    const instead = best && best !== found.moves[mark.ply - 1] ? h("span", { class: "instead" }, "better: ", h("b", {}, best)) : null;
    return h("li", { class: "mistake" },
      button(`${mark.ply}. ${found.moves[mark.ply - 1]}`, () => go(mark.ply), { class: "quiet" }),
      h("b", { class: `tone-${TONES[mark.sign]}` }, mark.sign),
      h("span", { class: "lost" }, this.words(mark)),
      instead,
      mark.proved ? h("span", { class: "tag true" }, "proved") : null,
    );
  }

  // On the board: after a mistake, what would have been better is seen before it; and the bar, while nobody analyses.
  show() {
    const { found, table } = this;
    const { state, position } = table;
    if (this.lesson.on || !position) return table.paint("review", null);
    const same = state.at <= this.common();
    const row = same ? found.rows[state.at] : null;
    const mark = same && found.marks.find((each) => each.ply === state.at + 1);
    if (!table.analysing()) {
      const first = row?.chance ?? null;
      table.chance(first === null ? null : { first, proved: row.proved, words: `${percent(first, row.proved)} for ${table.game.seats[0]}${row.proved ? ", proved" : ""}` });
    }
    const best = mark && row?.best && row.best !== found.moves[state.at] && !table.analysing();
    const key = best ? `${state.at} ${row.best}` : "";
    if (key === this.shown && (!best || table.layers.has("review"))) return;
    this.shown = key;
    table.paint("review", best ? { best: [{ move: row.best, text: "best", rank: 1, words: "better than what was played" }] } : null);
  }
}
