// What can be done with a game as a whole: begin anew, swap, resign; the pace of two agents.

import { HUMAN } from "./address.js";
import { button, check, h, section, select } from "./dom.js";

export class Controls {
  static tab = "game";

  constructor(table) {
    this.table = table;
    this.row = h("div", { class: "row" });
    this.legal = h("div", {});
    this.guide = h("pre", { class: "guide", tabindex: "0" });
    const rules = h("details", {}, h("summary", {}, "Rules"), this.guide);
    this.element = section("This game", this.row, this.legal, rules);
  }

  update() {
    const { table } = this;
    const { state, position } = table;
    const agents = state.players.filter((player) => player.agent !== HUMAN).length;
    const alone = position.seats.length === 1;
    const stuck = position.over || !table.latest() || !table.mine();
    this.guide.textContent = table.game.guide;
    this.row.replaceChildren(
      button("New game", () => this.anew()),
      ...(alone ? [] : [button("Swap sides", () => this.swap())]),
      button(alone ? "Give up" : "Resign", () => this.resign(), { disabled: stuck }),
      button("New game from here", () => table.go({ start: position.position, moves: [], at: 0, resigned: null, branches: [] })),
      ...(agents === state.players.length && !alone ? this.pacing() : []),
    );
    this.legal.replaceChildren(
      check("Show legal moves", table.legal, (on) => {
        table.legal = on;
        table.draw();
      }),
    );
  }

  pacing() {
    const { table } = this;
    const paces = [["0", "as fast as it goes"], ["0.3", "quick"], ["0.6", "steady"], ["1.5", "slow"]];
    return [
      button(table.paused ? "Go on" : "Pause", () => {
        table.paused = !table.paused;
        table.go({}, true);
      }),
      select("Pace", paces, String(table.pace), (value) => {
        table.pace = Number(value);
      }),
    ];
  }

  // Back to before the last move of a person; if there is none, one move.
  back() {
    const { state, position } = this.table;
    let at = state.moves.length - 1;
    const people = (ply) => state.players[position.players[ply]]?.agent === HUMAN;
    const human = state.players.some((player) => player.agent === HUMAN);
    while (human && at > 0 && this.table.latest() && !people(at)) at -= 1;
    for (const panel of this.table.panels) panel.tookBack?.();
    this.table.go({ moves: state.moves.slice(0, at), at, resigned: null });
  }

  anew(changes = {}) {
    const seed = (Math.random() * 2 ** 32) >>> 0;
    this.table.go({ start: null, moves: [], at: 0, resigned: null, seed, puzzle: null, branches: [], ...changes });
  }

  // The same once more, with the other side beginning.
  rematch() {
    const { start, players } = this.table.state;
    this.anew({ start, players: [...players].reverse() });
  }

  swap() {
    const [first, second] = this.table.state.players;
    this.table.go({ players: [second, first] });
  }

  resign() {
    const { position } = this.table;
    this.table.go({ resigned: position.seats[position.player] });
  }
}
