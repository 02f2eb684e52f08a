// A run at play against itself as it stands: game after game, each move by the weights that it has at that moment.

import { ask } from "./api.js";
import { make } from "./boards/index.js";
import { h, section } from "./dom.js";

const [PACE, REST] = [600, 2500]; // milliseconds after a move, and after a game
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Watching {
  constructor(run) {
    this.run = run;
    this.asking = new AbortController();
    this.said = h("p", { class: "status" }, "One moment.");
    this.place = h("div", {});
    const how = "The first move of each side is by chance, so that no two games are alike; all others are its own.";
    this.element = section("The game it plays now", this.said, this.place, h("p", { class: "legend" }, how));
    this.go();
  }

  leave() {
    this.asking.abort();
  }

  get left() {
    return this.asking.signal.aborted;
  }

  async go() {
    while (!this.left) {
      try {
        await this.game();
      } catch (error) {
        if (error.name === "AbortError") return;
        this.said.textContent = `It does not play yet: ${error.message}`; // before its first weights are written
      }
      await pause(REST);
    }
  }

  ask(name, body) {
    return ask(name, body, this.asking.signal);
  }

  async game() {
    const { game, options, name } = this.run;
    const state = { game, options, moves: [], seed: (Math.random() * 2 ** 32) >>> 0 };
    if (!this.component) {
      this.component = make(await this.ask("board", { game, options }), { play() {}, say() {} });
      this.place.replaceChildren(this.component.element);
    }
    let position = await this.ask("position", state);
    this.show(position);
    while (!position.over && !this.left) {
      const chance = state.moves.length < 2 ? 1 : 0;
      const [found] = await Promise.all([this.ask("move", { ...state, agent: name, chance }), pause(PACE)]);
      if (document.hidden) await this.seen();
      state.moves.push(found.move);
      position = await this.ask("position", state);
      this.show(position);
    }
  }

  // Nobody looks: nothing is played.
  seen() {
    return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
  }

  show(position) {
    const number = `Move ${position.moves.length + 1}: `;
    this.said.textContent = position.over ? position.sentence : `${number}${position.seats[position.player]} to move`;
    this.component.update(position, { open: false, legal: false, heat: null });
  }
}
