// A piece is taken, then the one that it captures.

import { s } from "../dom.js";
import { Frame } from "./frame.js";

// Silhouettes in a square of 100, drawn for this page.
const SHAPES = {
  P: "M50 22a13 13 0 0 1 8 23c7 6 9 16 11 27H31c2-11 4-21 11-27a13 13 0 0 1 8-23zM26 76h48v10H26z",
  R: "M28 18h11v8h6v-8h10v8h6v-8h11v20l-8 7v22l6 7H30l6-7V45l-8-7zM24 77h52v9H24z",
  N: "M34 74c0-15 13-19 14-31-5 4-11 9-17 9-6 1-10-4-8-9 4-9 11-15 14-25l7-7 5 8c18 2 28 20 26 55zM26 77h50v9H26z",
  B: "M50 10a6 6 0 0 1 4 10c13 9 19 24 10 37l-4 6 5 9H35l5-9-4-6c-9-13-3-28 10-37a6 6 0 0 1 4-10zM27 76h46v10H27z",
  Q: "M16 30a6 6 0 1 1 6 5l9 17 2-24a6 6 0 1 1 6 0l11 22 11-22a6 6 0 1 1 6 0l2 24 9-17a6 6 0 1 1 6-5L72 70H28zM27 75h46v11H27z",
  K: "M46 8h8v7h7v8h-7v9c22-8 38 12 20 32l-5 7H31l-5-7c-18-20-2-40 20-32v-9h-7v-8h7zM27 75h46v11H27z",
};

export class PiecesBoard extends Frame {
  drawPiece(letter, cell, name) {
    const [x, y] = [this.x(cell.x) - 50, this.x(cell.y) - 50];
    const shape = s("path", { d: SHAPES[letter], transform: `translate(${x} ${y})`, class: "man" });
    const count = this.position.shown.counts[name];
    const badge = s("text", { x: x + 88, y: y + 20, class: "number" }, String(count || ""));
    return count ? [shape, badge] : [shape];
  }

  next() {
    return "Choose a piece that can capture.";
  }

  fresh() {
    this.taken = null;
  }

  aside(name) {
    if (this.taken === name) return ["chosen"];
    return this.taken && this.targets().has(name) ? ["can be captured"] : [];
  }

  targets() {
    return new Set(this.moves((way) => way.take[0] === this.taken).map(([, way]) => way.put[0]));
  }

  hints() {
    return this.taken ? this.targets() : new Set(this.position.ways.map((way) => way.take[0]));
  }

  drawOver() {
    for (const [name, parts] of this.cells) {
      parts.ring.classList.toggle("chosen", this.taken === name);
      parts.ring.classList.toggle("target", Boolean(this.taken) && this.targets().has(name));
    }
  }

  clicked(name) {
    const [found] = this.taken ? this.moves((way) => way.take[0] === this.taken && way.put[0] === name) : [];
    if (found) {
      this.taken = null;
      this.hooks.play(found[0]);
      return;
    }
    const can = this.moves((way) => way.take[0] === name).length;
    this.taken = can && this.taken !== name ? name : null;
    this.redraw();
    if (this.taken) this.hooks.tell(`${name} chosen; it can capture on ${[...this.targets()].join(", ")}.`);
    else if (can) this.hooks.tell("Nothing is chosen.");
    else this.hooks.tell(`Nothing on ${name} can capture.`, "no");
  }

  cancel() {
    this.taken = null;
    this.redraw();
  }
}
