// One to three marbles in a line are chosen, then a direction; where everything would go is shown before it does.
// Or they are dragged: along the line to choose it, and on in the direction.

import { s } from "../dom.js";
import { Frame } from "./frame.js";

const MOST = 3;
const AIM = Math.cos(Math.PI / 5); // how near a drag has to be to a direction

export class MarblesBoard extends Frame {
  constructor(geometry, hooks) {
    super(geometry, hooks);
    if (this.still) return;
    this.svg.addEventListener("pointerdown", (event) => this.pressed(event));
    this.svg.addEventListener("pointermove", (event) => this.dragged(event));
    this.svg.addEventListener("pointerup", (event) => this.released(event));
    this.svg.addEventListener("pointercancel", () => this.dropped());
  }

  drawPiece(letter, cell) {
    return this.round(cell, 42, this.geometry.sides[letter]);
  }

  fresh() {
    this.picked = []; // what the person has pointed at
    this.chosen = []; // and what moves with it
    this.aim = null;
    this.drag = null;
  }

  next() {
    return "Choose one to three of your marbles in a line, or drag them.";
  }

  aside(name) {
    return this.chosen.includes(name) ? ["chosen"] : [];
  }

  own(name) {
    return this.geometry.sides[this.position.shown.pieces[name]] === this.position.player;
  }

  // The moves of exactly these marbles.
  options() {
    const wanted = [...this.chosen].sort().join(" ");
    return this.moves((way) => [...way.take].sort().join(" ") === wanted);
  }

  clicked(name) {
    if (this.swallow) return; // the end of a drag is no click
    if (!this.own(name)) {
      // Pointing at where a direction leads is as good as pointing at its arrow.
      const cell = this.at.get(name);
      const near = this.options().filter(([, way]) => Math.hypot(way.at[0] - cell.x, way.at[1] - cell.y) < 0.1);
      if (near.length === 1) return this.hooks.play(near[0][0]);
      this.hooks.tell(this.chosen.length ? `${this.chosen.join(" ")} cannot go to ${name}.` : `${name} is not one of your marbles.`, "no");
      return;
    }
    if (this.picked.includes(name)) this.pick(this.picked.filter((other) => other !== name));
    else this.pick(this.together([...this.picked, name]) ? [...this.picked, name] : [name]);
    this.explain();
  }

  // The smallest set of marbles that move together and holds these.
  together(names) {
    const sets = this.position.ways.map((way) => way.take).filter((take) => take.length <= MOST && names.every((name) => take.includes(name)));
    return sets.sort((a, b) => a.length - b.length)[0];
  }

  // One marble that cannot move alone stays alone; a marble between two, or in front of two, goes with them.
  pick(names) {
    this.picked = names;
    const found = names.length ? this.together(names) : null;
    this.chosen = found && (names.length > 1 || found.length === 1) ? [...found] : [...names];
    this.aim = null;
    this.redraw();
  }

  explain() {
    const names = this.chosen.join(" ");
    const ways = this.options().length;
    const keys = matchMedia("(hover: hover)").matches ? " (Tab leads there)" : "";
    if (!names) this.hooks.tell(this.next());
    else if (ways) this.hooks.tell(`${names} chosen: ${ways} direction${ways > 1 ? "s" : ""}. Choose an arrow${keys}.`);
    else this.hooks.tell(`${names} cannot move alone: choose the marbles in front of it too.`);
  }

  drawOver() {
    for (const [name, parts] of this.cells) parts.ring.classList.toggle("chosen", this.chosen.includes(name));
    if (!this.open || !this.chosen.length) return;
    if (this.aim) this.preview(this.aim);
    for (const [move, way] of this.options()) this.arrow(move, way);
  }

  arrow(move, way) {
    const turn = (Math.atan2(...this.step(way).reverse()) * 180) / Math.PI;
    const [x, y] = [this.x(way.at[0]), this.x(way.at[1])];
    const shape = s("path", { d: "M-22 -13 L2 -13 L2 -26 L28 0 L2 26 L2 13 L-22 13 Z" });
    const place = `translate(${x} ${y}) rotate(${turn})`;
    const reach = s("circle", { r: 46, class: "reach" });
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

  // The direction of a move: the way that its first marble goes.
  step(way) {
    const [from, to] = way.goes[0].map((name) => this.at.get(name));
    return [to.x - from.x, to.y - from.y];
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

  // --- dragging -------------------------------------------------------------------------------------------------------

  pressed(event) {
    this.swallow = false;
    const name = event.target.closest?.(".spot")?.dataset.cell;
    if (!this.open || !event.isPrimary || event.button || !name || !this.own(name)) return;
    this.drag = { from: name, point: this.pointOf(event), kept: this.chosen.includes(name) && this.options().length > 0, moved: false };
    if (event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  }

  dragged(event) {
    const { drag } = this;
    if (!drag) return;
    const point = this.pointOf(event);
    if (!drag.moved && Math.hypot(point[0] - drag.point[0], point[1] - drag.point[1]) < 0.35) return;
    drag.moved = true;
    const over = this.nearest(point);
    if (!drag.kept && over) {
      // Along own marbles the line grows; beyond them, it moves.
      const line = this.own(over) ? this.line(drag.from, over) : null;
      if (line && this.together(line)) {
        if (line.join() !== this.picked.join()) this.pick(line);
      } else if (!this.picked.includes(drag.from)) this.pick([drag.from]);
    }
    this.show(this.towards(drag, point));
  }

  // The option whose direction the drag has, once it has left the marbles that it drags.
  towards(drag, point) {
    const start = drag.kept ? drag.point : [this.at.get(this.picked.at(-1) ?? drag.from)].map(({ x, y }) => [x, y])[0];
    const [dx, dy] = [point[0] - start[0], point[1] - start[1]];
    const far = Math.hypot(dx, dy);
    if (far < 0.45) return null;
    const fit = (way) => {
      const [x, y] = this.step(way);
      return (x * dx + y * dy) / (far * Math.hypot(x, y));
    };
    const found = this.options().map(([, way]) => [fit(way), way]).filter(([good]) => good > AIM);
    return found.length ? found.reduce((best, other) => (other[0] > best[0] ? other : best))[1] : null;
  }

  released() {
    const { drag, aim } = this;
    this.drag = null;
    if (!drag?.moved) return;
    this.swallow = true;
    setTimeout(() => {
      this.swallow = false;
    }, 50);
    const found = aim && this.options().find(([, way]) => way === aim);
    if (found) this.hooks.play(found[0]);
    else this.explain();
  }

  dropped() {
    this.drag = null;
    this.show(null);
  }

  // The own marbles from one to another in a straight line, if there are at most three.
  line(from, to) {
    const [a, b] = [this.at.get(from), this.at.get(to)];
    const steps = Math.round(Math.hypot(b.x - a.x, b.y - a.y));
    if (steps >= MOST) return null;
    const names = [];
    for (let k = 0; k <= steps; k += 1) {
      const share = steps ? k / steps : 0;
      const name = this.nearest([a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share], 0.1);
      if (!name || !this.own(name)) return null;
      names.push(name);
    }
    return names;
  }
}
