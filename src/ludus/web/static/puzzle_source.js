// Where puzzles come from. A puzzle has a name, which the address holds: "beginner-4711" or a day, "2026-11-19".

import { ask } from "./api.js";

const DAY = /^\d{4}-\d\d-\d\d$/;

export const anew = (level) => `${level}-${(Math.random() * 2 ** 32) >>> 0}`;

export const isDay = (name) => DAY.test(name || "");

// What a request says of a name; null if it is no puzzle's.
export function wanted(name) {
  if (isDay(name)) return { day: name };
  const found = /^([\w ]+)-(\d{1,10})$/.exec(name || "");
  return found ? { level: found[1], seed: Number(found[2]) } : null;
}

// The level that suits a rating, the easiest first.
export function suited(levels, rating) {
  const from = [0, 1050, 1300, 1600];
  const at = from.filter((least) => rating >= least).length - 1;
  return levels[Math.min(levels.length - 1, at)];
}

export class Source {
  constructor() {
    this.asked = 0;
    this.known = new Map();
  }

  // A puzzle; one that was asked for before is not asked for again.
  fetch(game, options, name) {
    const key = JSON.stringify([game, options, name]);
    if (!this.known.has(key)) {
      if (this.known.size > 60) this.known.clear();
      const found = ask("puzzle", { game, options, ...wanted(name) }).then((made) => ({ ...made, name, game }));
      found.catch(() => this.known.delete(key));
      this.known.set(key, found);
    }
    return this.known.get(key);
  }

  // The same, for whoever waits for it: null if another was asked for meanwhile.
  async newest(game, options, name) {
    const number = (this.asked += 1);
    try {
      const made = await this.fetch(game, options, name);
      return number === this.asked ? made : null;
    } catch (error) {
      if (number === this.asked) throw error;
      return null;
    }
  }
}
