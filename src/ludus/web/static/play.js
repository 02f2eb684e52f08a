// The table: a game in the address, people and agents in its seats, and what is known of it beside the board.

import { HUMAN, about, read, write } from "./address.js";
import { ask, get } from "./api.js";
import { make } from "./boards/index.js";
import { banner, h, say } from "./dom.js";
import { Controls } from "./controls.js";
import { Puzzles } from "./puzzles.js";
import { Review } from "./review.js";
import { Seats, USUAL } from "./seats.js";
import { Understand } from "./understand.js";

export async function open(main, known, view) {
  const table = new Table(main, known, view);
  await table.revisit();
  return table;
}

class Table {
  constructor(main, known, view) {
    this.main = main;
    this.games = known.games;
    this.view = view;
    this.runs = [];
    this.pace = 0.6; // seconds between the moves of two agents
    this.paused = false;
    this.legal = false;
    this.position = null;
    this.asking = new AbortController();
    const order = [Seats, Controls, Puzzles, Understand, Review];
    if (view === "puzzles") order.sort((a, b) => (b === Puzzles) - (a === Puzzles) || (a === Seats) - (b === Seats));
    this.panels = order.map((Panel) => new Panel(this));
  }

  // --- what the router wants to know ------------------------------------------------------------------------------

  keeps(view) {
    return view === this.view;
  }

  leave() {
    this.asking.abort();
    this.left = true;
  }

  // The address has changed.
  async revisit() {
    this.state = read(location.search, this.view === "puzzles" ? this.puzzlers() : this.games);
    this.state.view = this.view;
    if (!this.state.named) this.settle();
    try {
      this.runs = (await get("runs")).runs;
    } catch {
      this.runs = [];
    }
    await this.refresh();
  }

  puzzlers() {
    const found = this.games.filter((game) => game.puzzles);
    return found.length ? found : this.games;
  }

  // A first visit: against the best agent that comes with the game.
  settle() {
    const best = this.agents().find((name) => name.startsWith(`${this.state.game}/`));
    if (this.state.players.length !== 2 || !best) return;
    this.state.players[1].agent = this.searches(best) ? `${best}@${USUAL}` : best;
  }

  get game() {
    return this.games.find((game) => game.name === this.state.game);
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

  // --- the game -----------------------------------------------------------------------------------------------------

  // Changes the state, and the address with it; `replace` makes no step to go back to.
  go(changes, replace = false) {
    Object.assign(this.state, changes);
    const url = write(this.state);
    if (replace) history.replaceState(null, "", url);
    else if (url !== location.pathname + location.search) history.pushState(null, "", url);
    return this.refresh();
  }

  async refresh() {
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    try {
      await this.board(asking.signal);
      const position = await ask("position", about(this.state), asking.signal);
      if (asking.signal.aborted) return;
      this.show(position);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.refused(error);
      return;
    }
    await this.answer(asking.signal);
  }

  // A game that cannot be shown: an address that somebody has changed by hand.
  refused(error) {
    banner(`This cannot be shown: ${error.message}`);
    if (!this.position) {
      const anew = h("a", { href: `/?view=${this.view}&game=${encodeURIComponent(this.state.game)}` }, "Begin a new game.");
      const why = h("p", {}, `This cannot be shown: ${error.message} `, anew);
      this.drawn = null;
      this.main.replaceChildren(h("h1", {}, this.state.game), why);
    }
  }

  async board(signal) {
    const key = JSON.stringify([this.state.game, this.options()]);
    if (this.drawn === key) return;
    const geometry = await ask("board", { game: this.state.game, options: this.state.options }, signal);
    if (signal.aborted) return;
    this.drawn = key;
    this.component = make(geometry, { play: (move) => this.play(move), say });
    this.layout();
  }

  layout() {
    const title = h("h1", {}, this.game.name);
    this.status = h("p", { class: "status", role: "status" });
    this.extra = h("div", { class: "tools" });
    const left = h("div", { class: "left" }, title, this.status, this.component.element, this.extra);
    const right = h("div", { class: "right" }, ...this.panels.map((panel) => panel.element));
    this.main.replaceChildren(h("div", { class: "table" }, left, right));
  }

  show(position) {
    this.position = position;
    if (!this.state.start && this.game.seats.length === 1) {
      // A puzzle that was drawn by chance: from now on it is this one.
      this.state.start = position.start;
      history.replaceState(null, "", write(this.state));
    }
    this.status.textContent = this.sentence();
    document.title = `${this.game.name} · Ludus`;
    this.draw();
    for (const panel of this.panels) panel.update();
    this.offer();
  }

  // The board alone, when only what is shown on it has changed.
  draw(heat = this.heat) {
    this.heat = heat;
    this.component.update(this.position, { open: this.mine(), legal: this.legal, heat: heat || null });
  }

  // Moves that no cell stands for, such as swap.
  offer() {
    const ways = this.position.ways;
    const rest = this.position.legal.filter((_, at) => ways && !ways[at].put.length && !ways[at].take.length);
    const buttons = this.mine() ? rest.map((move) => this.moveButton(move)) : [];
    this.extra.replaceChildren(...buttons);
  }

  moveButton(move) {
    const words = this.position.ways?.[this.position.legal.indexOf(move)]?.words;
    return h("button", { type: "button", onclick: () => this.play(move), title: words }, move);
  }

  latest() {
    return this.state.at === this.state.moves.length;
  }

  // Whether a person is to move here. Back in the game, a move of either side begins another line.
  mine() {
    if (this.position.over) return false;
    return !this.latest() || this.state.players[this.position.player].agent === HUMAN;
  }

  sentence() {
    const { position, state } = this;
    const back = this.latest() ? "" : ` (move ${state.at} of ${state.moves.length})`;
    if (position.over) return position.sentence + back;
    const alone = position.seats.length === 1;
    const { agent } = state.players[position.player];
    if (alone) return `Your move${back}`;
    const who = position.seats[position.player];
    return agent === HUMAN ? `${who} to move${back}` : `${who} to move: ${agent}${back}`;
  }

  async play(move) {
    const moves = [...this.state.moves.slice(0, this.state.at), move];
    say(`${this.position.seats[this.position.player]} plays ${move}`);
    this.heat = null;
    await this.go({ moves, at: moves.length, resigned: null });
    for (const panel of this.panels) panel.played?.();
  }

  // The move of an agent whose turn it is.
  async answer(signal) {
    const { position, state } = this;
    if (position.over || !this.latest() || this.left) return;
    const player = state.players[position.player];
    if (player.agent === HUMAN) return;
    const alone = state.players.every((other) => other.agent !== HUMAN);
    if (alone && this.paused) return;
    this.status.textContent = `${this.sentence()} … thinking`;
    try {
      const asked = { ...about(state), agent: player.agent, chance: player.chance };
      if (/^alphabeta:[\d.]+s/.test(player.agent)) asked.seconds = player.seconds;
      if (/^alphabeta:1s/.test(player.agent)) asked.agent = player.agent.replace("1s", `${player.seconds}s`);
      const [found] = await Promise.all([
        ask("move", asked, signal),
        new Promise((done) => setTimeout(done, alone ? this.pace * 1000 : 150)),
      ]);
      if (signal.aborted) return;
      say(`${position.seats[position.player]} plays ${found.move}`);
      const moves = [...state.moves, found.move];
      this.heat = null;
      await this.go({ moves, at: moves.length }, alone);
    } catch (error) {
      if (error.name !== "AbortError") this.status.textContent = `${player.agent} does not move: ${error.message}`;
    }
  }
}
