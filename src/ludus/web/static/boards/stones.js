// A stone is put on a cell. Where cells are too small for a finger, it aims first and taps once more.

import { s } from "../dom.js";
import { Frame } from "./frame.js";
import { Loupe } from "./loupe.js";

export class StonesBoard extends Frame {
  constructor(geometry, hooks) {
    super(geometry, hooks);
    if (!this.still) this.loupe = new Loupe(this, (name) => this.entered(name), (name) => this.aimed(name));
  }

  drawPiece(letter, cell) {
    return this.round(cell, 39, this.geometry.sides[letter]);
  }

  fresh() {
    this.ghost = null;
    this.waiting = null; // the cell that a finger has aimed at
  }

  next() {
    return this.loupe.needed() ? "Touch the board and slide to aim." : "Choose an empty cell.";
  }

  free(name) {
    return this.moves((way) => way.put[0] === name)[0];
  }

  entered(name) {
    this.ghost = this.open && this.free(name) ? name : null;
    if (this.position) this.drawOver();
  }

  // A finger has aimed: the stone waits there for a second tap.
  aimed(name) {
    this.skip = true; // the click of this very touch
    setTimeout(() => {
      this.skip = false;
    }, 60);
    if (!this.free(name)) return this.refuse(name);
    if (this.waiting === name) return this.hooks.play(this.free(name)[0]);
    this.waiting = name;
    this.hooks.tell(`Tap ${name} once more to play there.`);
  }

  drawOver() {
    this.over.replaceChildren();
    const chain = this.position.shown.chain.map((name) => this.at.get(name));
    if (chain.length) {
      const points = chain.map((cell) => `${this.x(cell.x)},${this.x(cell.y)}`).join(" ");
      this.over.append(s("polyline", { points, class: "joined" }));
    }
    const last = this.position.last?.put[0];
    if (last) {
      const cell = this.at.get(last);
      this.over.append(s("circle", { cx: this.x(cell.x), cy: this.x(cell.y), r: 10, class: "lastdot" }));
    }
    if (this.ghost) {
      const cell = this.at.get(this.ghost);
      const at = { cx: this.x(cell.x), cy: this.x(cell.y), r: 37 };
      this.over.append(s("circle", { ...at, class: `stone ghost seat${this.position.player}` }));
    }
  }

  clicked(name, event) {
    if (this.skip && event.type === "click") return;
    const found = this.free(name);
    if (found) this.hooks.play(found[0]);
    else this.refuse(name);
  }

  refuse(name) {
    this.hooks.tell(this.letterAt(name) ? `${name} is taken.` : `${name} is not open to you.`, "no");
  }
}
