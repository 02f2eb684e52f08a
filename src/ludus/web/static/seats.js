// What is played, and who sits where.

import { HUMAN } from "./address.js";
import { h, section, select } from "./dom.js";
import { bare } from "./words.js";

const SIMULATIONS = [16, 32, 100, 400]; // a move, of an agent that searches by its own network
export const USUAL = 100;

export class Seats {
  static tab = "game";

  constructor(table) {
    this.table = table;
    this.element = section("Settings");
    this.box = h("div", {});
    this.element.append(this.box);
  }

  update() {
    const { table } = this;
    const alone = table.game.seats.length === 1;
    this.box.replaceChildren(
      this.games(),
      ...table.game.options.map((option) => this.option(option)),
      ...(alone ? [] : table.game.seats.map((name, seat) => this.seat(name, seat))),
    );
  }

  games() {
    const { table } = this;
    const games = table.view === "puzzles" ? table.puzzlers() : table.games;
    const entries = games.map((game) => [game.name, game.title]);
    return select("Game", entries, table.state.game, (name) => this.begin(name, {}));
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
      if (player.agent !== HUMAN && !table.agents().includes(bare(player.agent))) player.agent = HUMAN;
    }
    if (players.every((player) => player.agent === HUMAN)) table.settle();
    table.go({});
  }

  option(option) {
    const { table } = this;
    const value = table.options()[option.name];
    const set = (next) => this.begin(table.state.game, { ...table.state.options, [option.name]: next });
    if (typeof option.default === "boolean") {
      const box = h("input", { type: "checkbox", checked: value, onchange: () => set(box.checked) });
      return h("label", { class: "check", title: option.help }, box, h("span", {}, option.name));
    }
    if (option.choices.length) return select(option.name, option.choices.map((text) => [text, text]), value, set);
    const box = h("input", { type: "number", min: option.low, max: option.high, value, title: option.help });
    box.addEventListener("change", () => {
      const number = Number.parseInt(box.value, 10);
      if (Number.isFinite(number)) set(Math.min(option.high, Math.max(option.low, number)));
    });
    return h("label", {}, h("span", {}, option.name), box);
  }

  seat(name, seat) {
    const { table } = this;
    const player = table.state.players[seat];
    const change = (changes) => {
      const players = table.state.players.map((other, at) => (at === seat ? { ...other, ...changes } : other));
      table.go({ players });
    };
    const known = [HUMAN, ...table.agents()];
    const agent = bare(player.agent);
    if (!known.includes(agent)) known.push(agent);
    const sit = (next) => change({ agent: table.searches(next) ? `${next}@${USUAL}` : next });
    const parts = [select(name, known.map((each) => [each, each]), agent, sit)];
    if (table.searches(agent)) {
      const far = player.agent.slice(agent.length);
      const efforts = [["", "does not look ahead"], ...SIMULATIONS.map((count) => [`@${count}`, `${count} simulations a move`])];
      if (!efforts.some(([value]) => value === far)) efforts.push([far, far.slice(1)]);
      parts.push(select("searches", efforts, far, (value) => change({ agent: agent + value })));
    }
    if (/^alphabeta:[\d.]+s/.test(player.agent)) {
      const seconds = [0.1, 0.3, 1, 3, 10].map((value) => [String(value), `${value} s a move`]);
      parts.push(select("thinks", seconds, String(player.seconds), (value) => change({ seconds: Number(value) })));
    }
    if (player.agent !== HUMAN) {
      const chances = [["0", "plays its best"], ["0.1", "one move in ten by chance"]];
      chances.push(["0.3", "three in ten by chance"], ["0.6", "six in ten by chance"]);
      parts.push(select("strength", chances, String(player.chance), (value) => change({ chance: Number(value) })));
    }
    return h("fieldset", { class: "seat" }, h("legend", {}, `Seat ${name}`), ...parts);
  }
}
