// A stone is put on a cell.

import { s } from "../dom.js";
import { Frame } from "./frame.js";

export class StonesBoard extends Frame {
  drawPiece(letter, cell) {
    const side = this.geometry.sides[letter];
    const [cx, cy] = [this.x(cell.x), this.x(cell.y)];
    return [s("circle", { cx, cy, r: 36, class: `stone seat${side}` })];
  }

  fresh() {
    this.ghost = null;
  }

  entered(name) {
    this.ghost = this.open && this.moves((way) => way.put[0] === name).length ? name : null;
    if (this.position) this.drawOver();
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
      this.over.append(s("circle", { cx: this.x(cell.x), cy: this.x(cell.y), r: 9, class: "lastdot" }));
    }
    if (this.ghost) {
      const cell = this.at.get(this.ghost);
      const at = { cx: this.x(cell.x), cy: this.x(cell.y), r: 36 };
      this.over.append(s("circle", { ...at, class: `stone ghost seat${this.position.player}` }));
    }
  }

  clicked(name) {
    const [found] = this.moves((way) => way.put[0] === name);
    if (found) this.hooks.play(found[0]);
    else this.hooks.tell(`${name} is taken.`, "no");
  }
}
