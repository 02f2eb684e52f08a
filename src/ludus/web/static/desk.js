// What panels may ask of a table: who can sit at it, what is marked on its board, what is said under it.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { Controls } from "./controls.js";
import { Moves } from "./moves.js";
import { USUAL } from "./seats.js";

export class Desk {
  constructor(games, view) {
    this.games = games;
    this.view = view;
    this.runs = [];
    this.panels = null;
    this.position = null;
    this.legal = false; // whether what may be done is shown
    this.layers = new Map(); // what is marked on the board, by who marks it
  }

  panel(Panel) {
    return this.panels.find((panel) => panel instanceof Panel);
  }

  controls() {
    return this.panel(Controls);
  }

  puzzlers() {
    const found = this.games.filter((game) => game.puzzles);
    return found.length ? found : this.games;
  }

  // A first visit, or another board: against an agent that suits it, the easiest first.
  settle() {
    if (this.state.players.length !== 2) return;
    const options = this.options();
    const fits = ({ options: wanted }) => Object.entries(wanted).every(([name, value]) => options[name] === value);
    const level = (this.game.opponents || []).find(fits);
    const best = this.agents().find((name) => name.startsWith(`${this.state.game}/`));
    if (level) Object.assign(this.state.players[1], { agent: level.agent, chance: level.chance });
    else if (best) this.state.players[1].agent = this.searches(best) ? `${best}@${USUAL}` : best;
  }

  get game() {
    return this.games.find((game) => game.name === this.state.game);
  }

  get geometry() {
    return this.component.geometry;
  }

  options() {
    const usual = Object.fromEntries(this.game.options.map((option) => [option.name, option.default]));
    return { ...usual, ...this.state.options };
  }

  // Who can play this game under these options.
  agents() {
    const options = this.options();
    const fits = (bound) => Object.entries(bound).every(([name, value]) => options[name] === value);
    // Those first that have learned this very board, or one that is near it.
    const off = (learned) => Object.entries(learned).reduce((sum, [name, value]) => sum + Math.abs(options[name] - value || 0), 0);
    const fitting = this.game.shipped.filter((agent) => fits(agent.options));
    const shipped = fitting.sort((a, b) => off(a.learned) - off(b.learned)).map((agent) => agent.name);
    const good = this.runs.filter((run) => run.game === this.game.name && run.state !== "damaged");
    const mine = good.filter((run) => fits(run.bound || {}));
    return [...shipped, ...this.game.searchers, ...this.game.solvers, "random", ...mine.map((run) => run.name)];
  }

  // Whether an agent can search by its own network.
  searches(name) {
    return [...this.game.shipped, ...this.runs].some((agent) => agent.name === name && agent.searches);
  }

  // Which seat is not the person's.
  other() {
    const person = this.state.players.findIndex((player) => player.agent === HUMAN);
    return person < 0 ? 1 : 1 - person;
  }

  // --- the board and what is said of it ------------------------------------------------------------------------------

  // The board alone, when only what is marked on it has changed.
  draw() {
    this.component.update(this.position, { open: this.mine(), legal: this.legal, layers: [...this.layers.values()] });
  }

  // What somebody marks on the board, for this position alone; null takes it away.
  paint(owner, layer) {
    if (layer) this.layers.set(owner, layer);
    else if (!this.layers.delete(owner)) return;
    this.draw();
  }

  point(move) {
    const at = move === null ? -1 : this.position.legal.indexOf(move);
    this.component.point(this.position.ways?.[at] || null, move);
  }

  tell(text, kind = "next") {
    this.stage?.tell(text, kind);
  }

  chance(known) {
    this.stage.chance(known);
  }

  annotate(marks) {
    this.marks = marks;
    this.panel(Moves)?.update();
  }

  branches(lines) {
    this.lines = lines;
    this.panel(Moves)?.update();
  }

  warming(text) {
    this.stage.warming?.(text);
  }

  analysing() {
    return Boolean(this.panels.find((panel) => panel.analysing)?.analysing());
  }

  analyse() {
    const panel = this.panels.find((known) => known.analyse);
    const on = !this.analysing();
    if (on) this.tabs.open("analysis");
    panel?.analyse(on);
    this.actions.update();
  }

  review() {
    this.tabs.open("analysis");
    this.panels.find((panel) => panel.review)?.review();
  }

  hint() {
    const panel = this.panels.find((known) => known.hint);
    return panel ? panel.hint() : this.advise();
  }

  // The best move as far as the best agent knows, drawn on the board.
  async advise() {
    const [agent] = this.agents().filter((name) => name !== "random");
    const { signal } = this.asking;
    this.tell("Looking for a good move …");
    try {
      const { moves } = await ask("opinion", { ...about(this.state), agent }, signal);
      if (signal.aborted || !moves?.length) return;
      this.paint("hint", { best: [{ move: moves[0].move, rank: 1 }] });
      this.tell(`${moves[0].move} is what ${agent} would play.`);
    } catch (error) {
      if (error.name !== "AbortError") this.tell(error.message, "no");
    }
  }
}
