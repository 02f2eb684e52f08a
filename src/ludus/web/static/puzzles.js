// Puzzles: by level or of the day, with a goal, hints, and the reason why a move was wrong. `rush` has three minutes of them.

import { HUMAN, about, write } from "./address.js";
import { ask } from "./api.js";
import { button, h, section, select } from "./dom.js";
import { keepOpen, opened, rate, rating, solvedDay, today } from "./puzzle_log.js";
import { Source, anew, isDay, suited, wanted } from "./puzzle_source.js";
import { Standing } from "./puzzle_standing.js";
import { Rush } from "./rush.js";
import { capital } from "./words.js";

const REPLY = 650; // milliseconds until a wrong move is answered
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Puzzles {
  static tab = "puzzle";

  constructor(table) {
    this.table = table;
    this.source = new Source();
    this.made = null; // the puzzle of the address
    this.log = opened("");
    this.standing = new Standing();
    this.goal = h("p", { class: "goal" });
    this.head = h("div", { class: "puzzle-head" }, this.goal);
    this.controls = h("div", {});
    this.said = h("p", { role: "status", class: "said" });
    this.why = h("p", { class: "why", role: "alert" });
    this.after = h("div", { class: "row" });
    this.rush = new Rush(this);
    const panel = section("Puzzle", this.controls, this.said, this.why, this.after);
    this.element = h("div", {}, this.rush.element, panel, this.standing.element);
    this.panel = panel;
  }

  leave() {
    this.rush.leave();
  }

  // --- which puzzle ---------------------------------------------------------------------------------------------------

  // Before anything is shown: the puzzle that the address names, or a new one.
  async begin() {
    const { table } = this;
    if (table.view !== "puzzles") return;
    const said = new URLSearchParams(location.search);
    if (!table.state.named) this.sit(table.games.find((game) => game.puzzles && game.seats.length === 1) || table.game);
    const { state } = table;
    if (said.get("rush")) return this.rush.on ? null : this.rush.start(true);
    if (this.rush.on) this.rush.stop();
    if (wanted(state.puzzle)) return this.place(state.puzzle, true);
    if (said.get("day")) return this.place(today());
    if (!state.start) return this.place(anew(this.level()));
    this.made = null; // a position of somebody's own
  }

  sit(game) {
    const players = game.seats.map(() => ({ agent: HUMAN, seconds: 1, chance: 0 }));
    Object.assign(this.table.state, { game: game.name, options: {}, start: null, moves: [], at: 0, resigned: null, puzzle: null, players });
  }

  // The level that was chosen, or that suits this person.
  level(game = this.table.game, chosen = this.table.state.level) {
    return game.levels.includes(chosen) ? chosen : suited(game.levels, rating(game.name).rating);
  }

  // Puts a puzzle into the address without showing it; `keep` keeps the moves that were made in it.
  async place(name, keep = false) {
    const { state } = this.table;
    this.waiting();
    try {
      const made = await this.source.newest(state.game, this.options(state.game), name);
      if (!made || this.table.left) return;
      const kept = keep && state.start === made.position;
      this.open(made);
      Object.assign(state, this.changes(made), kept ? { moves: state.moves, at: state.at } : {});
      history.replaceState(null, "", write(state));
    } catch (error) {
      this.failed(error, () => this.fresh());
    }
  }

  // Until the first puzzle is there.
  waiting() {
    if (this.table.position) return;
    const more = h("span", { class: "legend" }, "The first one on this machine takes half a minute.");
    this.table.main.replaceChildren(h("div", { class: "screen" }, h("h1", {}, "Puzzles"), h("p", { class: "spin" }, "Making a puzzle "), more));
  }

  // Another puzzle, now: the newest wish alone counts.
  async fresh({ name = null, game = this.table.state.game, level = this.table.state.level } = {}) {
    const known = this.table.games.find((other) => other.name === game);
    const asked = name || anew(this.level(known, level));
    this.why.textContent = "";
    this.said.textContent = "Making a puzzle …";
    this.after.replaceChildren();
    try {
      const made = await this.source.newest(game, this.options(game), asked);
      if (!made || this.table.left) return;
      this.show(made, { level });
    } catch (error) {
      this.said.textContent = "";
      this.failed(error, () => this.fresh({ name, game, level }));
    }
  }

  show(made, changes = {}, replace = false) {
    this.open(made);
    this.said.textContent = "";
    const known = this.table.games.find((other) => other.name === made.game);
    if (known.name !== this.table.state.game) this.sit(known);
    return this.table.go({ ...this.changes(made), ...changes }, replace);
  }

  changes(made) {
    return { options: made.options, start: made.position, moves: [], at: 0, resigned: null, puzzle: made.name };
  }

  // A puzzle's own help so far is kept, so that it survives a reload.
  open(made) {
    this.made = made;
    this.gained = null;
    this.log = opened(`${made.game} ${made.name}`);
    if (this.rush.had(made.name)) this.log.counted = true;
  }

  // The options of a request: where puzzles are made, those of the board; where they are kept, each has its own.
  options(game) {
    const { state } = this.table;
    return game === state.game && !this.made?.answers?.length ? state.options : {};
  }

  failed(error, again) {
    this.why.replaceChildren(`No puzzle came: ${error.message} `, button("Try again", again));
  }

  // --- what is shown --------------------------------------------------------------------------------------------------

  // The goal stands above the board, and is there before the pieces are: nothing moves when they come.
  mounted(stage) {
    stage.row.before(this.head, this.rush.bar);
    this.heading(this.made);
    this.rush.update();
  }

  update() {
    const { table, made } = this;
    this.rush.update();
    this.panel.hidden = this.rush.on;
    const mine = made && made.game === table.state.game && made.name === table.state.puzzle;
    this.heading(mine ? made : null);
    this.furnish();
    this.standing.update(table.game, this.gained);
    if (this.rush.on) return;
    if (!mine) {
      this.after.replaceChildren();
      this.ended(null);
    } else if (made.answers.length) this.judged(made);
    else this.ended(made);
  }

  heading(made) {
    if (!made) {
      const alone = this.table.game.seats.length === 1;
      this.goal.replaceChildren(alone ? "Every move captures, until one piece is left." : "A position of your own.");
      return;
    }
    const tags = [capital(made.level), `rating ${made.rating}`, ...(made.day ? [`the puzzle of ${made.day}`] : [])];
    this.goal.replaceChildren(h("span", {}, made.goal), " ", h("span", { class: "tags" }, tags.map((text) => h("span", { class: "tag" }, text))));
  }

  furnish() {
    const { table } = this;
    const games = table.puzzlers().map((game) => [game.name, game.title]);
    const levels = [["", "that suits you"], ...table.game.levels.map((level) => [level, level])];
    const alone = table.game.seats.length === 1;
    this.controls.replaceChildren(
      ...(games.length > 1 ? [select("Game", games, table.state.game, (game) => this.fresh({ game, level: "" }))] : []),
      select("Level", levels, table.game.levels.includes(table.state.level) ? table.state.level : "", (level) => this.fresh({ level })),
      h("div", { class: "row" },
        button("New puzzle", () => this.fresh(), { class: "main" }),
        button("Today's puzzle", () => this.fresh({ name: today() })),
        button("Rush: three minutes", () => this.rush.start()),
        ...(alone ? [button("Can it still be solved?", () => this.stands())] : []),
      ),
    );
  }

  // --- one right move -------------------------------------------------------------------------------------------------

  // All that is said follows from the moves, so that a reload says it again.
  judged(made) {
    const [first] = this.table.state.moves;
    this.after.replaceChildren();
    if (!first) {
      this.said.textContent = this.helped();
      return;
    }
    const others = Object.keys(made.replies).length;
    const right = made.answers.includes(first);
    this.count(right);
    this.said.replaceChildren(...(right ? this.praise(first, others) : this.refuted(made, first)));
    const next = button("Next puzzle", () => this.fresh(), { class: "main" });
    const retry = button("Try again", () => this.table.go({ moves: [], at: 0, resigned: null }));
    const end = button("See how it ends", () => this.playOut());
    const over = this.table.position.over;
    this.after.replaceChildren(...(right ? [next, this.against()] : [retry, ...(over ? [] : [end]), next]));
  }

  praise(first, others) {
    return [h("b", { class: "tone-good" }, `Right: ${first}`), ` wins, and each of the ${others} other moves loses. `, this.proved()];
  }

  refuted(made, first) {
    const { position } = this.table;
    const other = position.seats[1 - position.players[0]];
    const reply = made.replies[first];
    return [h("b", { class: "tone-bad" }, `${first} loses`), `: ${other} answers ${reply} and wins, whatever follows. `, this.proved()];
  }

  proved() {
    return h("span", { class: "tag true", title: "The solver has followed every line." }, "proved");
  }

  against() {
    const { state } = this.table;
    const said = new URLSearchParams({ view: "play", game: state.game });
    for (const [name, value] of Object.entries(state.options)) said.set(`o.${name}`, String(value));
    said.set("start", state.start);
    said.set("moves", state.moves.join("."));
    const seat = this.table.position.players[0];
    said.set(`p${1 - seat}`, "perfect");
    return h("a", { class: "button", href: `/?${said}` }, "Play it out against perfect play");
  }

  // --- moves that were made -------------------------------------------------------------------------------------------

  async played(move) {
    const { table, made } = this;
    if (!made || made.name !== table.state.puzzle) return;
    if (this.rush.on) return this.rush.played(move);
    if (!made.answers.length) return this.dead();
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
    const { table, made } = this;
    const winner = 1 - table.position.players[0];
    if (table.state.moves.length === 1) await this.reply(table.state.moves[0]);
    while (!table.left && !table.position.over && table.state.puzzle === made.name) {
      const { state, position } = table;
      const found = await this.truth(state.moves.length);
      const all = found.moves || [];
      const good = position.player === winner ? all.filter((entry) => entry.value === 1) : all;
      if (!found.known || !good.length) {
        this.why.textContent = `It cannot be played out here: ${found.why || "nothing is known of this position"}.`;
        return;
      }
      const move = this.closest(good.map((entry) => entry.move), state.moves.at(-1));
      const moves = [...state.moves, move];
      await table.go({ moves, at: moves.length }, true);
      await pause(REPLY);
    }
  }

  // Of these moves the one whose cells lie nearest to those of the last.
  closest(moves, last) {
    const { at } = this.table.component;
    const cells = (move) => [...at.values()].filter((cell) => move.split(/[^a-z0-9]/).includes(cell.name));
    const [from] = cells(last);
    const far = (move) => {
      const [to] = cells(move);
      return from && to ? Math.hypot(from.x - to.x, from.y - to.y) : 0;
    };
    return moves.reduce((best, move) => (far(move) < far(best) ? move : best));
  }

  // --- a line of moves ------------------------------------------------------------------------------------------------

  ended(made) {
    const { position } = this.table;
    if (!position.over) {
      if (made) this.said.textContent = this.helped();
      return;
    }
    if (position.result !== "solved") return;
    if (made) this.count(!this.log.wrong && !this.log.hints);
    const score = Math.max(0, 10 * position.moves.length - 2 * this.log.undone - 10 * this.log.hints);
    this.said.textContent = `Solved. Score ${score}: ${position.moves.length} captures, ${this.log.undone} taken back, ${this.log.hints} hints.`;
    if (isDay(made?.name) && !solvedDay(made.name)) this.said.textContent += " This browser keeps nothing, so the day is not counted.";
    this.standing.update(this.table.game, this.gained);
    this.after.replaceChildren(button("Next puzzle", () => this.fresh(), { class: "main" }));
  }

  // No capture is left, and more than one piece: which move was wrong?
  async dead() {
    const { table } = this;
    const { position } = table;
    if (!position.over || position.result === "solved") return;
    this.note({ wrong: this.log.wrong + 1 });
    this.count(false);
    this.standing.update(table.game, this.gained);
    table.tell("No capture is left.", "no");
    this.said.textContent = "No capture is left. Looking for the move that gave it away …";
    await this.stands();
  }

  helped() {
    const { hints, undone, wrong } = this.log;
    const parts = [[hints, "hint"], [undone, "taken back"], [wrong, "dead end"]].filter(([many]) => many);
    return parts.map(([many, what]) => `${many} ${what}${many > 1 && what !== "taken back" ? "s" : ""}`).join(", ");
  }

  tookBack() {
    if (this.made && !this.made.answers.length) this.note({ undone: this.log.undone + 1 });
  }

  note(changes) {
    this.log = { ...this.log, ...changes };
    keepOpen(this.log);
  }

  // A puzzle counts once for the rating: at the first right or wrong end of it.
  count(right) {
    if (this.log.counted || !this.made) return;
    const before = rating(this.made.game).rating;
    const after = rate(this.made.game, this.made.rating, right);
    this.gained = after ? after.rating - before : null;
    this.note({ counted: true });
    this.standing.update(this.table.game, this.gained);
    if (right && isDay(this.made.name)) solvedDay(this.made.name);
  }

  // --- help -----------------------------------------------------------------------------------------------------------

  async hint() {
    const { table, made } = this;
    if (this.rush.on) return table.tell("A rush gives no hints.", "no");
    this.note({ hints: this.log.hints + 1 });
    if (made) this.count(false);
    if (made?.answers.length && !table.state.moves.length) return this.few(made);
    const { state } = table;
    const found = await this.truth(state.at);
    if (state !== table.state || found.at !== table.state.at || found.of !== table.position.position) return;
    const good = found.moves?.find((entry) => entry.value === 1);
    if (!good) return this.stands();
    const words = made?.answers.length ? "wins." : "keeps it solvable.";
    this.say(`${good.move} ${words}`);
    this.ring([good.move]);
  }

  // One right move among three, and at the second hint alone.
  few(made) {
    const [answer] = made.answers;
    const others = Object.keys(made.replies).sort();
    const turn = made.seed % others.length;
    const among = this.log.hints > 1 ? [answer] : [answer, others[turn], others[(turn + Math.ceil(others.length / 2)) % others.length]].sort();
    this.say(this.log.hints > 1 ? `${answer} wins.` : `It is one of ${among.join(", ")}.`);
    this.ring(among);
  }

  say(text) {
    this.said.textContent = text;
    this.table.tell(text, "good");
  }

  ring(moves) {
    const { position } = this.table;
    const ways = moves.map((move) => position.ways?.[position.legal.indexOf(move)]).filter(Boolean);
    this.table.paint("hint", { ring: ways.flatMap((way) => [...way.take, ...way.put]) });
  }

  // Whether it can still be solved; if not, which move gave it away, and what would have kept it.
  async stands() {
    const { table } = this;
    const { at, moves } = table.state;
    const here = table.position.position;
    for (let back = 0; back <= at; back += 1) {
      const found = await this.truth(at - back);
      if (here !== table.position.position) return;
      if (!found.known) {
        this.said.textContent = `${capital(found.why || "that cannot be told")}.`;
        return;
      }
      if (found.value !== 1) continue;
      if (!back) return this.say("It can be solved.");
      const kept = found.moves.find((entry) => entry.value === 1)?.move;
      const move = moves[at - back];
      this.said.textContent = `Move ${at - back + 1}, ${move}, gave it away: after ${kept} it could still be solved.`;
      const steps = back === 1 ? "Take it back" : `Take ${back} moves back`;
      this.after.replaceChildren(button(steps, () => {
        this.tookBack();
        table.go({ moves: moves.slice(0, at - back), at: at - back, resigned: null });
      }));
      return;
    }
    this.said.textContent = "This puzzle cannot be solved at all.";
  }

  async truth(plies) {
    const of = this.table.position.position;
    const asked = about({ ...this.table.state, resigned: null }, plies);
    const found = await ask("truth", asked).catch((error) => ({ known: false, why: error.message.replace(/\.$/, "") }));
    return { ...found, at: plies, of };
  }
}
