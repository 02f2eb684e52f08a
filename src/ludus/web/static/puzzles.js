// Puzzles: by level or of the day, with a goal, hints, and the reason why a move was wrong. `rush` has three minutes of them.

import { HUMAN, write } from "./address.js";
import { button, h, section, select } from "./dom.js";
import { refill } from "./focus.js";
import { WholeLine } from "./puzzle_line.js";
import { keepOpen, opened, rate, rating, today } from "./puzzle_log.js";
import { OneMove } from "./puzzle_move.js";
import { Source, anew, isDay, suited, wanted } from "./puzzle_source.js";
import { Standing } from "./puzzle_standing.js";
import { truth } from "./puzzle_truth.js";
import { Rush } from "./rush.js";
import { capital } from "./words.js";

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
    this.oneMove = new OneMove(this);
    this.wholeLine = new WholeLine(this);
    const panel = section("Puzzle", this.controls, this.said, this.why, this.after);
    this.element = h("div", {}, this.rush.element, panel, this.standing.element);
    this.panel = panel;
  }

  leave() {
    this.rush.leave();
  }

  // --- which puzzle ---------------------------------------------------------------------------------------------------

  // Before anything is shown: the puzzle that the address names, or a new one.
  async arrive() {
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
    if (this.rush.had(made.name)) this.note({ counted: true });
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
    this.stand();
    if (this.rush.on) return;
    if (mine && made.answers.length) this.oneMove.update();
    else this.wholeLine.update(mine ? made : null);
  }

  stand() {
    this.standing.update(this.table.game, this.gained);
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
    refill(this.controls,
      ...(games.length > 1 ? [select("Game", games, table.state.game, (game) => this.fresh({ game, level: "" }))] : []),
      select("Level", levels, table.game.levels.includes(table.state.level) ? table.state.level : "", (level) => this.fresh({ level })),
      h("div", { class: "row" },
        button("New puzzle", () => this.fresh(), { class: "main" }),
        button("Today's puzzle", () => this.fresh({ name: today() })),
        button("Rush: three minutes", () => this.rush.start()),
        ...(alone ? [button("Can it still be solved?", () => this.wholeLine.stands())] : []),
      ),
    );
  }

  // --- moves, and help --------------------------------------------------------------------------------------------------

  async played(move) {
    const { table, made } = this;
    if (!made || made.name !== table.state.puzzle) return;
    if (this.rush.on) return this.rush.played(move);
    return made.answers.length ? this.oneMove.played(move) : this.wholeLine.played();
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
    this.stand();
  }

  async hint() {
    const { table, made } = this;
    if (this.rush.on) return table.tell("A rush gives no hints.", "no");
    this.note({ hints: this.log.hints + 1 });
    if (made) this.count(false);
    if (made?.answers.length && !table.state.moves.length) return this.few(made);
    const found = await truth(table, table.state.at);
    if (found.late()) return;
    const good = found.moves?.find((entry) => entry.value === 1);
    if (!good) return made?.answers.length ? this.say("No move wins any more: go back.") : this.wholeLine.stands();
    this.say(`${good.move} ${made?.answers.length ? "wins." : "keeps it solvable."}`);
    this.ring([good.move]);
  }

  // One right move among three, and at the second hint alone.
  few(made) {
    const [answer] = made.answers;
    const others = Object.keys(made.replies).sort();
    const turn = made.seed % others.length;
    const some = [answer, others[turn], others[(turn + Math.ceil(others.length / 2)) % others.length]].sort();
    const among = this.log.hints > 1 ? [answer] : some;
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
}
