// A rush: as many puzzles as can be solved in three minutes. Three wrong ones end it. It survives a reload.

import { ask } from "./api.js";
import { about, write } from "./address.js";
import { button, h, say, section } from "./dom.js";
import { best, keepBest } from "./puzzle_log.js";
import { anew } from "./puzzle_source.js";

const [SECONDS, STRIKES, SHOWN] = [180, 3, 450]; // and the milliseconds for which an answer is seen
const EACH = 4; // puzzles of a level before the next one
const KEY = "ludus.rush";
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export class Rush {
  constructor(puzzles) {
    this.puzzles = puzzles;
    this.on = false;
    this.clock = h("b", { class: "big", role: "timer" });
    this.score = h("span", {});
    this.lives = h("span", { class: "lives" });
    this.bar = h("div", { class: "rush-bar", hidden: true }, this.clock, this.score, this.lives, button("End it", () => this.end(), { class: "quiet" }));
    this.why = h("p", { class: "why", role: "alert" });
    this.card = h("div", {});
    this.element = section("Rush", this.card, this.why);
    this.element.hidden = true;
  }

  leave() {
    clearInterval(this.timer);
    this.left = true;
  }

  get table() {
    return this.puzzles.table;
  }

  // Begin, or go on with the one that a reload has interrupted.
  async start(resumed = false) {
    const { table } = this;
    const before = resumed ? kept() : null;
    const goes = before && before.game === table.state.game && before.ends > Date.now() && !before.over;
    this.state = goes ? before : { game: table.state.game, ends: 0, solved: 0, strikes: 0, list: [], over: false, next: null };
    this.on = true;
    this.puzzles.waiting();
    this.card.replaceChildren(h("p", {}, "Solve as many as you can. The puzzles get harder; the third wrong answer ends it."));
    this.element.hidden = false;
    await this.next(resumed);
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), 200);
  }

  keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(this.state));
    } catch {
      // a browser that keeps nothing plays on without it
    }
  }

  level(number) {
    const { levels } = this.table.game;
    return levels[Math.min(levels.length - 1, Math.floor(number / EACH))];
  }

  // The next puzzle; the one after it is fetched while this one is being solved.
  async next(resumed = false) {
    const { puzzles, state, table } = this;
    const number = state.list.length;
    const name = state.next || anew(this.level(number));
    state.next = name;
    this.why.textContent = "";
    try {
      const made = await puzzles.source.newest(state.game, puzzles.options(state.game), name);
      if (!made || this.left || !this.on) return;
      if (!state.ends) state.ends = Date.now() + 1000 * SECONDS;
      this.keep();
      this.busy = false;
      if (resumed && !table.position) { // nothing is shown yet: the table shows it by itself
        puzzles.open(made);
        Object.assign(table.state, puzzles.changes(made), { rush: "1" });
        history.replaceState(null, "", write(table.state));
      } else await puzzles.show(made, { rush: "1" }, true);
      this.then = anew(this.level(number + 1));
      puzzles.source.fetch(state.game, puzzles.options(state.game), this.then).catch(() => null);
    } catch (error) {
      this.why.replaceChildren(`The next puzzle does not come: ${error.message} `, button("Try again", () => this.next()));
    }
  }

  async played(move) {
    const { made } = this.puzzles;
    if (this.busy || !this.on) return;
    if (made.answers.length) return this.answered(made.answers.includes(move), made);
    const { position } = this.table;
    if (position.over) return this.answered(position.result === "solved", made);
    const asked = position.position;
    const found = await ask("truth", about(this.table.state)).catch(() => ({ known: false }));
    if (asked !== this.table.position.position || made !== this.puzzles.made || this.busy) return;
    if (found.known && found.value !== 1) this.answered(false, made);
  }

  async answered(right, made) {
    const { state, table } = this;
    this.busy = true;
    state.list.push({ name: made.name, rating: made.rating, right });
    if (right) state.solved += 1;
    else state.strikes += 1;
    state.next = this.then || null;
    this.keep();
    this.tick();
    const sure = right ? "Right." : made.answers.length ? `Wrong: ${made.answers[0]} wins.` : "Wrong: now it cannot be solved.";
    table.tell(sure, right ? "good" : "no");
    await pause(right ? SHOWN : 3 * SHOWN);
    if (this.left || !this.on) return;
    if (state.strikes >= STRIKES) this.end();
    else this.next();
  }

  tick() {
    const { state } = this;
    if (!this.on) return;
    const left = state.ends ? Math.max(0, Math.ceil((state.ends - Date.now()) / 1000)) : SECONDS;
    this.clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    this.clock.classList.toggle("tone-bad", left <= 20);
    this.score.textContent = `${state.solved} solved`;
    this.lives.textContent = `${STRIKES - state.strikes} of ${STRIKES} lives`;
    if (state.ends && left <= 0) this.end();
  }

  // Whether a puzzle was one of the rush.
  had(name) {
    return Boolean(this.state && (this.on || this.state.list.some((entry) => entry.name === name)));
  }

  stop() {
    clearInterval(this.timer);
    this.on = false;
  }

  update() {
    this.bar.hidden = !this.on;
    this.element.hidden = !this.on && !this.state?.over;
    this.tick();
  }

  end() {
    const { state } = this;
    if (!this.on) return;
    this.stop();
    state.over = true;
    this.keep();
    const before = best(state.game);
    keepBest(state.game, state.solved);
    const record = state.solved > before ? (before ? `A record: ${before} before.` : "Your first mark.") : `Your best is ${before}.`;
    const said = `${state.solved} solved, ${state.strikes} wrong.`;
    say(`The rush is over. ${said}`);
    const rows = state.list.map(({ name, rating, right }) => h("li", {},
      h("a", { href: `/?${new URLSearchParams({ view: "puzzles", game: state.game, puzzle: name })}` }, `${rating}, ${name.split("-")[0]}`), " ",
      h("span", { class: right ? "tone-good" : "tone-bad" }, right ? "solved" : "wrong")));
    this.card.replaceChildren(
      h("p", {}, h("span", { class: "big" }, said), " ", record),
      h("div", { class: "row" }, button("Another rush", () => this.start(), { class: "main" })),
      rows.length ? h("details", { open: true }, h("summary", {}, "The puzzles"), h("ol", { class: "list" }, rows)) : null);
    this.table.tabs.open("puzzle");
    this.table.go({ rush: null }, true);
  }
}
