// Against whom, at which level; and, folded away, what else can be set: the game, its options, who sits where.

import { HUMAN } from "./address.js";
import { button, h, section, select } from "./dom.js";
import { bare, capital, levelOf, levelWord } from "./words.js";

const SIMULATIONS = [16, 32, 100, 400]; // a move, of an agent that searches by its own network
export const USUAL = 100;

export class Seats {
  static tab = "game";

  constructor(table) {
    this.table = table;
    this.levels = h("div", {});
    this.box = h("div", {});
    this.settings = h("details", { class: "settings" }, h("summary", {}, "Settings"), this.box);
    this.element = section("Opponent", this.levels, this.settings);
  }

  update() {
    const { table } = this;
    const alone = table.game.seats.length === 1;
    this.element.querySelector("h2").textContent = alone ? "Board" : "Opponent";
    this.levels.replaceChildren(...(alone ? [] : this.choices()));
    const focused = this.box.contains(document.activeElement) && document.activeElement.getAttribute("data-name");
    this.box.replaceChildren(
      this.games(),
      ...table.game.options.map((option) => this.option(option)),
      ...(alone ? [] : table.game.seats.map((name, seat) => this.seat(name, seat))),
    );
    if (focused) this.box.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
  }

  // The levels, and a person on the other side.
  choices() {
    const { table } = this;
    const { opponents } = table.game;
    const seat = table.other();
    const player = table.state.players[seat];
    const now = levelOf(table.game, table.options(), player);
    const chips = opponents.map((opponent) => {
      const words = Object.entries(opponent.options).map(([name, value]) => `${name} ${value}`).join(", ");
      const pressed = String(opponent.level === now);
      return button(levelWord(opponent.level), () => this.meet(opponent), { "aria-pressed": pressed, title: words });
    });
    const person = button("A person here", () => this.sit(HUMAN, 0), { "aria-pressed": String(player.agent === HUMAN) });
    const strange = player.agent !== HUMAN && !now;
    return [
      h("div", { class: "chips", role: "group", "aria-label": "Level" }, chips, person),
      ...(strange ? [h("p", { class: "legend" }, `Now: ${player.agent}`)] : []),
    ];
  }

  sit(agent, chance) {
    const { table } = this;
    const players = table.state.players.map((player, seat) => (seat === table.other() ? { agent, seconds: 1, chance } : player));
    table.go({ players });
  }

  // An opponent of a level; on another board if it plays on one.
  meet({ agent, chance, options }) {
    const { table } = this;
    const now = table.options();
    const same = Object.entries(options).every(([name, value]) => now[name] === value);
    if (same) return this.sit(agent, chance);
    const fresh = { start: null, moves: [], at: 0, resigned: null, puzzle: null };
    const players = table.state.players.map((player, seat) => (seat === table.other() ? { agent, seconds: 1, chance } : player));
    table.go({ ...fresh, options: { ...table.state.options, ...options }, players });
  }

  games() {
    const { table } = this;
    const games = table.view === "puzzles" ? table.puzzlers() : table.games;
    const entries = games.map((game) => [game.name, game.title]);
    return select("Game", entries, table.state.game, (name) => this.begin(name, {}), { "data-name": "game" });
  }

  // Another game, or the same under other options: from its start.
  begin(name, options) {
    const { table } = this;
    const other = name !== table.state.game;
    const game = table.games.find((known) => known.name === name);
    const person = { agent: HUMAN, seconds: 1, chance: 0 };
    const players = game.seats.map((_, seat) => (!other && table.state.players[seat]) || { ...person });
    const fresh = { start: null, moves: [], at: 0, resigned: null, puzzle: null };
    table.state = { ...table.state, ...fresh, game: name, options, players };
    for (const player of players) {
      if (player.agent !== HUMAN && !table.agents().includes(bare(player.agent))) Object.assign(player, person);
    }
    if (players.every((player) => player.agent === HUMAN)) table.settle();
    table.go({});
  }

  option(option) {
    const { table } = this;
    const value = table.options()[option.name];
    const set = (next) => this.begin(table.state.game, { ...table.state.options, [option.name]: next });
    const name = { "data-name": `o.${option.name}` };
    const label = capital(option.name);
    if (typeof option.default === "boolean") {
      const box = h("input", { type: "checkbox", checked: value, onchange: () => set(box.checked), ...name });
      return h("label", { class: "check", title: option.help }, box, h("span", {}, label));
    }
    if (option.choices.length) return select(label, option.choices.map((text) => [text, text]), value, set, name);
    const box = h("input", { type: "number", min: option.low, max: option.high, value, title: option.help, ...name });
    box.addEventListener("change", () => {
      const number = Number.parseInt(box.value, 10);
      if (Number.isFinite(number)) set(Math.min(option.high, Math.max(option.low, number)));
    });
    return h("label", {}, h("span", {}, label), box);
  }

  seat(name, seat) {
    const { table } = this;
    const player = table.state.players[seat];
    const change = (changes) => {
      const players = table.state.players.map((known, at) => (at === seat ? { ...known, ...changes } : known));
      table.go({ players });
    };
    const agents = [[HUMAN, "a person"], ...table.agents().map((agent) => [agent, agent])];
    const agent = bare(player.agent);
    if (!agents.some(([value]) => value === agent)) agents.push([agent, agent]);
    const pick = (value) => change({ agent: table.searches(value) ? `${value}@${USUAL}` : value, chance: 0 });
    const parts = [select(capital(name), agents, agent, pick, { "data-name": `p${seat}` })];
    if (table.searches(agent)) {
      const far = player.agent.slice(agent.length);
      const efforts = [["", "does not look ahead"], ...SIMULATIONS.map((count) => [`@${count}`, `${count} positions a move`])];
      if (!efforts.some(([value]) => value === far)) efforts.push([far, far.slice(1)]);
      parts.push(select("searches", efforts, far, (value) => change({ agent: agent + value })));
    }
    if (/^alphabeta:[\d.]+s/.test(player.agent)) {
      const seconds = [0.1, 0.3, 1, 3, 10].map((value) => [String(value), `${value} s a move`]);
      parts.push(select("thinks", seconds, String(player.seconds), (value) => change({ seconds: Number(value) })));
    }
    if (player.agent !== HUMAN) {
      const chances = [["0", "plays its best"], ["0.1", "one move in ten by chance"]];
      chances.push(["0.2", "two in ten by chance"], ["0.35", "one in three by chance"], ["0.5", "every other by chance"]);
      if (!chances.some(([value]) => Number(value) === player.chance)) chances.push([String(player.chance), `${Math.round(player.chance * 100)}% by chance`]);
      parts.push(select("strength", chances, String(player.chance), (value) => change({ chance: Number(value) })));
    }
    return h("fieldset", { class: "seat" }, h("legend", {}, `Seat ${name}`), ...parts);
  }
}
