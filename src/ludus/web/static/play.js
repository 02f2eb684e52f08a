// The table: a game in the address, people and agents in its seats, the board, and what is known of it beside it.

import { Actions } from "./actions.js";
import { HUMAN, about, read, write } from "./address.js";
import { ask, get } from "./api.js";
import { make } from "./boards/index.js";
import { banner, button, h, say } from "./dom.js";
import { Controls } from "./controls.js";
import { Desk } from "./desk.js";
import { keep } from "./keep.js";
import { Moves } from "./moves.js";
import { Puzzles } from "./puzzles.js";
import { Records } from "./records.js";
import { Review } from "./review.js";
import { Seats } from "./seats.js";
import { sound } from "./sound.js";
import { Stage } from "./stage.js";
import { Tabs } from "./tabs.js";
import { Tour } from "./tour.js";
import { Understand } from "./understand.js";
import { Variations } from "./variations.js";
import { Warm } from "./warm.js";
import { agentWords } from "./words.js";

// Which panels stand in which tab, in this order.
const PANELS = {
  play: [Moves, Variations, Understand, Review, Controls, Records, Seats],
  puzzles: [Puzzles, Moves, Variations, Controls, Records, Understand, Review],
};
const TABS = { puzzle: "Puzzle", moves: "Moves", analysis: "Analysis", game: "Game" };

export async function open(main, known, view) {
  const table = new Table(main, known, view);
  await table.revisit();
  return table;
}

class Table extends Desk {
  constructor(main, known, view) {
    super(known.games, view);
    this.main = main;
    this.pace = 0.6; // seconds between the moves of two agents
    this.paused = false;
    this.warm = new Warm(this);
    this.asking = new AbortController();
    this.keys = new AbortController();
    this.state = this.read();
    document.addEventListener("keydown", (event) => this.keyed(event), { signal: this.keys.signal });
  }

  // --- what the router wants to know ------------------------------------------------------------------------------

  keeps(view) {
    return view === this.view;
  }

  leave() {
    this.asking.abort();
    this.keys.abort();
    this.left = true;
    this.tour?.leave();
    for (const panel of this.panels || []) panel.leave?.();
  }

  read() {
    const state = read(location.search, this.view === "puzzles" ? this.puzzlers() : this.games);
    return { ...state, view: this.view };
  }

  // The address has changed. Whoever goes back in it waits for nobody: an agent moves only when it is told to.
  async revisit(wandering = false) {
    this.state = this.read();
    this.waits = wandering;
    if (!this.panels) this.furnish();
    this.tour?.leave();
    this.tour = this.state.tour ? await Tour.of(this) : null;
    if (!this.state.named && this.view !== "puzzles") this.settle();
    try {
      this.runs = (await get("runs")).runs;
    } catch {
      this.runs = [];
    }
    for (const panel of this.panels) await panel.arrive?.(); // whoever decides what is shown
    await this.refresh();
  }

  furnish() {
    this.panels = PANELS[this.view].map((Panel) => new Panel(this));
    const ids = Object.keys(TABS).filter((id) => this.panels.some((panel) => panel.constructor.tab === id));
    const entries = ids.map((id) => ({ id, title: TABS[id], panels: this.panels.filter((panel) => panel.constructor.tab === id) }));
    this.tabs = new Tabs(entries, (id, before) => this.turned(id, before));
    this.actions = new Actions(this);
  }

  turned(id, before) {
    for (const panel of this.panels) {
      if (panel.constructor.tab === before) panel.closed?.();
      if (panel.constructor.tab === id) panel.opened?.();
    }
  }

  // --- the game -----------------------------------------------------------------------------------------------------

  // Changes the state, and the address with it; `replace` makes no step to go back to.
  go(changes, replace = false) {
    Object.assign(this.state, changes);
    this.waits = false;
    const url = write(this.state);
    if (replace) history.replaceState(null, "", url);
    else if (url !== location.pathname + location.search) history.pushState(null, "", url);
    if (this.view === "play" && this.state.moves.length && !this.tour) {
      keep("last", `${url}\n${this.game.title}, move ${this.state.moves.length}`);
    }
    return this.refresh();
  }

  async refresh() {
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    try {
      const [position] = await Promise.all([ask("position", about(this.state), asking.signal), this.board(asking.signal)]);
      if (asking.signal.aborted) return;
      this.show(position);
    } catch (error) {
      if (error.name === "AbortError") return;
      asking.abort(); // whatever else was asked for it
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
      this.main.replaceChildren(h("h1", {}, this.game.title), why);
    }
  }

  async board(signal) {
    const key = JSON.stringify([this.state.game, this.options()]);
    if (this.drawn === key) return;
    const geometry = await ask("board", { game: this.state.game, options: this.state.options }, signal);
    if (signal.aborted) return;
    this.drawn = key;
    this.position = null;
    this.layers.clear();
    const hooks = { play: (move) => this.play(move), say, tell: (text, kind) => this.tell(text, kind) };
    this.component = make(geometry, hooks);
    this.layout();
  }

  layout() {
    this.stage = new Stage(this);
    const rail = h("div", { class: "rail" }, this.stage.result, this.tabs.list, this.tabs.body, this.actions.element);
    const looks = this.geometry.kind === "lay" ? "by-colours" : "by-stones";
    this.element = h("div", { class: `table ${looks} ${this.view}` }, this.stage.element, rail);
    for (const panel of this.panels) panel.mounted?.(this.stage);
    this.main.replaceChildren(this.element);
  }

  show(position) {
    const before = this.position;
    const same = before && before.position === position.position && before.moves.length === position.moves.length;
    if (!same) this.layers.clear();
    this.position = position;
    if (!this.state.start && this.game.seats.length === 1) {
      // A puzzle that was drawn by chance: from now on it is this one.
      this.state.start = position.start;
      history.replaceState(null, "", write(this.state));
    }
    if (!same) this.stage.chance(null);
    this.stage.status.textContent = this.sentence();
    this.stage.update();
    document.title = `${this.game.title} · Ludus`;
    this.draw();
    this.stage.clear(this.mine() ? this.component.next?.() || "" : "");
    this.warm.update();
    for (const panel of this.panels) panel.update();
    this.actions.update();
    this.offer();
    this.tour?.update();
    this.over(before, position, same);
  }

  // Sounds, and the end of a game.
  over(before, position, same) {
    const further = before && position.moves.length === before.moves.length + 1 && position.start === before.start;
    if (further) {
      const off = (from) => Object.values(from.shown?.lost || {}).reduce((sum, count) => sum + count, 0);
      sound.play(off(position) > off(before) ? "taken" : "move");
    }
    this.stage.ended();
    if (!position.over || same || !further) return;
    const person = this.state.players.findIndex((player) => player.agent === HUMAN);
    const won = position.returns[Math.max(0, person)];
    setTimeout(() => sound.play(won > 0 ? "won" : won < 0 ? "lost" : "drawn"), 250);
    for (const panel of this.panels) panel.ended?.();
  }

  // --- moves ----------------------------------------------------------------------------------------------------------

  // Moves that no cell stands for, such as swap.
  offer() {
    const ways = this.position.ways;
    const rest = this.position.legal.filter((_, at) => ways && !ways[at].put.length && !ways[at].take.length);
    const buttons = this.mine() ? rest.map((move) => this.moveButton(move)) : [];
    if (this.waits && this.turn() !== HUMAN && !this.position.over && this.latest()) {
      buttons.push(button("Let it move", () => this.go({}, true)));
    }
    this.stage.extra.replaceChildren(...buttons);
  }

  moveButton(move) {
    const words = this.position.ways?.[this.position.legal.indexOf(move)]?.words;
    return h("button", { type: "button", onclick: () => this.play(move), title: words }, move);
  }

  latest() {
    return this.state.at === this.state.moves.length;
  }

  // The agent whose turn it is, or a person.
  turn() {
    return this.state.players[this.position.player].agent;
  }

  // Whether a person is to move here. Back in the game, a move of either side begins another line.
  mine() {
    if (this.position.over) return false;
    return !this.latest() || this.waits || this.held || this.turn() === HUMAN;
  }

  sentence() {
    const { position, state } = this;
    const back = this.latest() ? "" : ` (move ${state.at} of ${state.moves.length})`;
    if (position.over) return position.sentence + back;
    const alone = position.seats.length === 1;
    if (alone) return `Your move${back}`;
    const player = state.players[position.player];
    const name = player.agent === HUMAN ? "" : `: ${agentWords(this.game, player, this.options()).who}`;
    return `${position.seats[position.player]} to move${name}${back}`;
  }

  step(by) {
    const at = Math.min(this.state.moves.length, Math.max(0, this.state.at + by));
    if (at !== this.state.at) return this.go({ at }, true);
  }

  // The arrow keys go through the game, unless something that is focused wants them.
  keyed(event) {
    if (!this.position || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest?.("input, select, textarea, [role=tablist], svg.board, .scroll")) return;
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.step(by);
  }

  async play(move) {
    if (this.tour && !this.tour.allows(move)) return;
    const { moves: known, at: ply } = this.state;
    const other = ply < known.length;
    say(`${this.position.seats[this.position.player]} plays ${move}`);
    if (other && known[ply] === move) return this.go({ at: ply + 1 });
    if (other) for (const panel of this.panels) panel.branched?.({ moves: known, at: ply, move });
    const moves = [...known.slice(0, ply), move];
    await this.go({ moves, at: moves.length, resigned: null });
    for (const panel of this.panels) panel.played?.(move);
  }

  // The move of an agent whose turn it is. It belongs to the step before it: going back leads to a person's turn.
  async answer(signal) {
    const { position, state } = this;
    if (position.over || !this.latest() || this.left || this.waits || this.held) return;
    const player = state.players[position.player];
    if (player.agent === HUMAN) return;
    const alone = state.players.every((other) => other.agent !== HUMAN);
    if (alone && this.paused) return;
    this.stage.status.textContent = `${this.sentence()} … thinking`;
    try {
      await this.warm.until(player.agent);
      if (signal.aborted) return;
      const asked = { ...about(state), agent: player.agent, chance: player.chance };
      if (/^alphabeta:[\d.]+s/.test(player.agent)) asked.seconds = player.seconds;
      if (/^alphabeta:1s/.test(player.agent)) asked.agent = player.agent.replace("1s", `${player.seconds}s`);
      const [found] = await Promise.all([
        ask("move", asked, signal),
        new Promise((done) => setTimeout(done, alone ? this.pace * 1000 : 350)),
      ]);
      if (signal.aborted) return;
      say(`${position.seats[position.player]} plays ${found.move}`);
      const moves = [...state.moves, found.move];
      await this.go({ moves, at: moves.length }, true);
    } catch (error) {
      if (error.name !== "AbortError") this.warm.offer(position.player, error);
    }
  }
}
