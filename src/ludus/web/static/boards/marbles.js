// One to three marbles in a line are chosen, then a direction; where everything would go is shown before it does.

import { s } from "../dom.js";
import { Frame } from "./frame.js";

const MOST = 3;

export class MarblesBoard extends Frame {
  drawPiece(letter, cell) {
    const side = this.geometry.sides[letter];
    const [cx, cy] = [this.x(cell.x), this.x(cell.y)];
    return [
      s("circle", { cx, cy, r: 41, class: `stone seat${side}` }),
      s("circle", { cx: cx - 13, cy: cy - 13, r: 8, class: `shine seat${side}` }),
    ];
  }

  fresh() {
    this.chosen = [];
    this.aim = null;
  }

  aside(name) {
    return this.chosen.includes(name) ? ["chosen"] : [];
  }

  // The moves of exactly these marbles.
  options() {
    const wanted = [...this.chosen].sort().join(" ");
    return this.moves((way) => [...way.take].sort().join(" ") === wanted);
  }

  clicked(name) {
    const own = this.geometry.sides[this.position.shown.pieces[name]] === this.position.player;
    if (!own) {
      // Pointing at where a direction leads is as good as pointing at its arrow.
      const cell = this.at.get(name);
      const near = this.options().filter(([, way]) => Math.hypot(way.at[0] - cell.x, way.at[1] - cell.y) < 0.1);
      if (near.length === 1) return this.hooks.play(near[0][0]);
      this.hooks.tell(`${name} is not one of your marbles.`, "no");
      return;
    }
    if (this.chosen.includes(name)) this.chosen = this.chosen.filter((other) => other !== name);
    else this.chosen = this.joined(name);
    this.aim = null;
    this.redraw();
    const ways = this.options().length;
    this.hooks.tell(`${this.chosen.join(" ") || "Nothing"} chosen; ${ways} directions. Tab goes to the arrows.`);
  }

  // With those chosen before, if they lie in a line side by side; a marble between two is chosen with them.
  joined(name) {
    const cells = [...this.chosen, name].map((other) => this.at.get(other));
    if (cells.length === 1) return [name];
    const sets = this.position.ways.map((way) => way.take).filter((take) => take.length <= MOST);
    const wanted = cells.map((cell) => cell.name);
    const fits = sets.filter((take) => wanted.every((other) => take.includes(other)));
    if (fits.length) return [...fits.sort((a, b) => a.length - b.length)[0]];
    return [name];
  }

  drawOver() {
    for (const [name, parts] of this.cells) {
      parts.ring.classList.toggle("chosen", this.chosen.includes(name));
    }
    if (!this.open || !this.chosen.length) return;
    if (this.aim) this.preview(this.aim);
    for (const [move, way] of this.options()) this.arrow(move, way);
  }

  arrow(move, way) {
    const from = this.at.get(way.goes[0][0]);
    const to = this.at.get(way.goes[0][1]);
    const turn = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
    const [x, y] = [this.x(way.at[0]), this.x(way.at[1])];
    const shape = s("path", { d: "M-22 -13 L2 -13 L2 -26 L28 0 L2 26 L2 13 L-22 13 Z" });
    const place = `translate(${x} ${y}) rotate(${turn})`;
    const reach = s("circle", { r: 34, class: "reach" });
    const arrow = s("g", { class: "arrow", role: "button", tabindex: "0", "aria-label": way.words, transform: place });
    arrow.append(reach, shape);
    arrow.addEventListener("click", () => this.hooks.play(move));
    arrow.addEventListener("pointerenter", () => this.show(way));
    arrow.addEventListener("pointerleave", () => this.show(null));
    arrow.addEventListener("focus", () => this.show(way));
    arrow.addEventListener("blur", () => this.show(null));
    arrow.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.hooks.play(move);
      } else if (event.key === "Escape") {
        this.cancel();
        this.cells.get(this.focused).group.focus();
      }
    });
    this.over.append(arrow);
  }

  // Only the ghosts are drawn anew, so that the arrow under the pointer stays where it is.
  show(way) {
    this.aim = way;
    this.ghosts?.remove();
    if (way) this.preview(way);
  }

  preview(way) {
    this.ghosts = s("g", { class: "ghosts" });
    for (const [from, to] of way.goes) {
      const side = this.geometry.sides[this.position.shown.pieces[from]];
      const start = this.at.get(from);
      if (to) {
        const cell = this.at.get(to);
        const at = { cx: this.x(cell.x), cy: this.x(cell.y), r: 41 };
        this.ghosts.append(s("circle", { ...at, class: `stone ghost seat${side}` }));
      } else {
        const [x, y] = [this.x(start.x), this.x(start.y)];
        this.ghosts.append(s("path", { d: `M${x - 24} ${y - 24}l48 48m0 -48l-48 48`, class: "off" }));
      }
    }
    this.over.prepend(this.ghosts);
  }

  cancel() {
    this.fresh();
    this.redraw();
  }
}
