// Agents get ready while somebody looks at the board: a first move compiles, once on each machine, and that is said.

import { HUMAN } from "./address.js";
import { ask } from "./api.js";
import { button } from "./dom.js";
import { bare } from "./words.js";

const SOON = 600; // milliseconds after which waiting is explained
const COUNTS = [400, 100, 32, 16]; // simulations, each step less

export class Warm {
  constructor(table) {
    this.table = table;
    this.ready = new Map(); // by agent and game, a promise
  }

  key(agent) {
    const { game, options } = this.table.state;
    return JSON.stringify([game, options, agent]);
  }

  // A position is shown: whoever will move here, and has not, gets ready.
  update() {
    const { state, position } = this.table;
    if (position.over) return;
    for (const { agent } of state.players) {
      if (agent === HUMAN || agent === "random" || this.ready.has(this.key(agent))) continue;
      this.ready.set(this.key(agent), this.begin(agent));
    }
  }

  async begin(agent) {
    const { table } = this;
    const { game, options } = table.state;
    const words = `${bare(agent)} gets ready: its first move compiles, once on each machine`;
    const timer = setTimeout(() => table.warming(words), SOON);
    try {
      await ask("warm", { game, options, agent });
    } catch {
      // its move says what is wrong
    }
    clearTimeout(timer);
    if (table.stage?.next.textContent === words) {
      table.warming(null);
      table.stage.clear(table.mine() ? table.component.next?.() || "" : "");
    }
  }

  until(agent) {
    return this.ready.get(this.key(agent));
  }

  // A move that did not come: once more, or with less search.
  offer(seat, error) {
    const { table } = this;
    const player = table.state.players[seat];
    const known = less(player);
    const change = (changes) => table.go({ players: table.state.players.map((other, at) => (at === seat ? { ...other, ...changes } : other)) }, true);
    table.stage.status.textContent = `${player.agent} does not move: ${error.message}`;
    table.stage.extra.replaceChildren(
      button("Try again", () => table.go({}, true)),
      ...(known ? [button(known.words, () => change(known.changes))] : []),
    );
  }
}

// The same player with less search; null where there is none to leave out.
export function less(player) {
  const count = Number(player.agent.match(/@(\d+)$/)?.[1]);
  if (count) {
    const next = COUNTS.find((each) => each < count);
    const agent = bare(player.agent) + (next ? `@${next}` : "");
    return { words: next ? `Let it search less: ${next} simulations` : "Let it play without a search", changes: { agent } };
  }
  if (!/^alphabeta:[\d.]+s/.test(player.agent) || player.seconds <= 0.1) return null;
  const seconds = Math.max(0.1, Math.round(10 * (player.seconds / 3)) / 10);
  return { words: `Let it think less: ${seconds} s`, changes: { seconds } };
}
