// A run at play against itself, at any age: game after game, each move by the weights that were chosen.

import { ask } from "./api.js";
import { make } from "./boards/index.js";
import { button, h } from "./dom.js";

const [PACE, REST] = [600, 2500]; // milliseconds after a move, and after a game
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Watching {
  // `run` has {game, options, name}; `sides` are the agents of both seats
  constructor(run, sides) {
    this.run = run;
    this.sides = sides;
    this.asking = new AbortController();
    this.said = h("p", { class: "status" }, "One moment.");
    this.why = h("p", { class: "why", role: "alert" });
    this.place = h("div", { class: "watched" });
    this.hold = button("Pause", () => this.pause(), { class: "quiet" });
    const how = "The first move of each side is by chance, so that no two games are alike.";
    this.element = h("div", { class: "watching" },
      h("div", { class: "row" }, this.said, this.hold), this.place, this.why, h("p", { class: "legend" }, how));
    this.go();
  }

  leave() {
    this.asking.abort();
  }

  get left() {
    return this.asking.signal.aborted;
  }

  // Others play on: a new game begins at once.
  seat(sides) {
    if (sides.join() === this.sides.join()) return;
    this.sides = sides;
    this.again = true;
  }

  pause() {
    this.paused = !this.paused;
    this.hold.textContent = this.paused ? "Go on" : "Pause";
    this.hold.setAttribute("aria-pressed", String(Boolean(this.paused)));
  }

  async go() {
    while (!this.left) {
      try {
        this.again = false;
        await this.game();
        this.why.textContent = "";
      } catch (error) {
        if (error.name === "AbortError") return;
        this.why.textContent = `It does not play just now: ${error.message}`; // before its first weights are written
      }
      for (let waited = 0; waited < REST && !this.again; waited += 100) await pause(100);
    }
  }

  ask(name, body) {
    return ask(name, body, this.asking.signal);
  }

  async game() {
    const { game, options } = this.run;
    const state = { game, options, moves: [], seed: (Math.random() * 2 ** 32) >>> 0 };
    if (!this.component) {
      this.component = make(await this.ask("board", { game, options }), { play() {}, tell() {}, say() {} });
      this.place.replaceChildren(this.component.element);
    }
    let position = await this.ask("position", state);
    this.show(position);
    while (!position.over && !this.left && !this.again) {
      const chance = state.moves.length < 2 ? 1 : 0;
      const agent = this.sides[position.player];
      const [found] = await Promise.all([this.ask("move", { ...state, agent, chance }), pause(PACE)]);
      while ((document.hidden || this.paused) && !this.left && !this.again) await pause(200); // nobody looks
      state.moves.push(found.move);
      position = await this.ask("position", state);
      this.show(position);
    }
  }

  show(position) {
    this.why.textContent = "";
    const number = `Move ${position.moves.length + 1}: `;
    this.said.textContent = position.over ? position.sentence : `${number}${position.seats[position.player]} to move`;
    this.component.update(position, { open: false, legal: false, heat: null, layers: [], animate: true });
  }
}
