// What all boards share: cells that can be seen, heard, pointed at and walked over with the arrow keys.

import { h, s } from "../dom.js";
import { drawMarks, spokenMarks } from "./marks.js";
import { move } from "./moving.js";
import { Wood } from "./wood.js";

const UNIT = 100; // of a cell's width
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Frame extends Wood {
  // hooks: play(move), say(text), tell(text, kind); without `play` it is a picture, and nothing on it can be chosen
  constructor(geometry, hooks = {}) {
    super(geometry, !hooks.play);
    this.hooks = { say() {}, tell() {}, ...hooks };
    this.position = null;
    this.open = false; // whether a person may move
    this.cells = new Map();
    this.at = new Map(geometry.cells.map((cell) => [cell.name, cell]));
    this.focused = geometry.cells[0].name;
    this.ground = s("g", {});
    this.rings = s("g", { class: "rings" });
    this.standing = s("g", { class: "standing" });
    this.marks = s("g", { class: "marks", "aria-hidden": "true" });
    this.over = s("g", { class: "over" });
    const label = "Board; arrow keys walk over it, Enter chooses";
    this.svg.setAttribute("role", this.still ? "img" : "group");
    this.svg.setAttribute("aria-label", label);
    this.body = s("g", { id: `board-${this.number}` }, this.under, this.ground, this.rings, this.standing, this.marks, this.over);
    this.svg.append(this.body);
    this.tools = h("div", { class: "tools" });
    this.element = h("div", { class: "boardbox" }, this.svg);
    for (const cell of geometry.cells) this.drawCell(cell);
    this.svg.addEventListener("keydown", (event) => this.keyed(event));
  }

  drawCell(cell) {
    const back = this.outline(cell);
    back.setAttribute("class", cell.dark ? "cell dark" : "cell");
    const heat = this.outline(cell, 0.98);
    heat.setAttribute("class", "warmth");
    const ring = this.outline(cell, 0.95);
    ring.setAttribute("class", "ring");
    const piece = s("g", { class: "piece" });
    const mark = s("g", { class: "mark" });
    // What can be pointed at lies below; what stands on it is drawn over all cells, and lets pointers through.
    const use = this.still ? {} : { class: "spot", role: "button", tabindex: "-1", "data-cell": cell.name };
    const group = s("g", use);
    group.append(back, heat);
    this.rings.append(ring);
    this.standing.append(piece, mark);
    if (!this.still) this.listen(group, cell, ring);
    this.ground.append(group);
    this.cells.set(cell.name, { group, heat, piece, mark, ring });
  }

  listen(group, cell, ring) {
    group.addEventListener("click", (event) => {
      if (this.open) this.clicked(cell.name, event);
      // Whoever points needs no focus here: the arrow keys go through the game then. A laid piece is turned by keys.
      if (event.pointerType && this.geometry.kind !== "lay") group.blur();
    });
    group.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.entered(cell.name));
    group.addEventListener("focus", () => {
      ring.classList.toggle("focus", group.matches(":focus-visible"));
      this.rove(cell.name);
      this.entered(cell.name);
    });
    group.addEventListener("blur", () => ring.classList.remove("focus"));
  }

  // Where on the board a pointer is, in cells.
  pointOf(event) {
    const matrix = this.svg.getScreenCTM().inverse();
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    return [x / UNIT, y / UNIT];
  }

  // The cell at a point.
  nearest([x, y], within = 0.55) {
    const far = (cell) => Math.hypot(cell.x - x, cell.y - y);
    const cell = this.geometry.cells.reduce((best, other) => (far(other) < far(best) ? other : best));
    return far(cell) <= within ? cell.name : null;
  }

  // Exactly one cell can be tabbed to; the arrow keys go on from there.
  rove(name) {
    this.cells.get(this.focused)?.group.setAttribute("tabindex", "-1");
    this.focused = name;
    this.cells.get(name).group.setAttribute("tabindex", "0");
  }

  keyed(event) {
    const name = event.target.dataset?.cell;
    if (!name) return;
    if (ARROWS[event.key]) {
      event.preventDefault();
      const next = this.beside(name, ARROWS[event.key]);
      if (next) this.cells.get(next).group.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (this.open) this.clicked(name, event);
    } else if (event.key === "Escape") {
      this.cancel();
    }
  }

  // The nearest cell in a direction, straight ahead before aside.
  beside(name, [dx, dy]) {
    const from = this.at.get(name);
    let best = null;
    let least = Infinity;
    for (const cell of this.geometry.cells) {
      const [x, y] = [cell.x - from.x, cell.y - from.y];
      const [ahead, aside] = [x * dx + y * dy, Math.abs(x * dy) + Math.abs(y * dx)];
      if (ahead < 0.3 || aside > ahead + 0.01) continue;
      const cost = ahead + aside;
      if (cost < least - 1e-9) [best, least] = [cell.name, cost];
    }
    return best;
  }

  // A new position. `view`: {open, legal (whether to show what may be done), layers (what is marked on the board)}
  update(position, view) {
    const before = this.position;
    const same = before && before.position === position.position && this.open === view.open;
    this.position = position;
    this.open = view.open;
    this.view = { layers: [], ...view };
    if (!same) this.fresh();
    this.redraw();
    if (before && !this.still) move(this, before, position);
  }

  redraw() {
    const { last } = this.position;
    const touched = new Set(last ? [...last.put, ...last.then.slice(1), ...last.goes.map(([, to]) => to)] : []);
    const chain = new Set(this.position.shown.chain);
    const hints = this.view.legal && this.open ? this.hints() : new Set();
    const { layers } = this.view;
    const ringed = new Set(layers.flatMap((layer) => layer.ring || []));
    const heat = new Map(layers.flatMap((layer) => [...(layer.heat || [])]));
    const words = this.still ? new Map() : spokenMarks(this, layers);
    this.over.replaceChildren();
    for (const [name, parts] of this.cells) {
      const letter = this.letterAt(name);
      parts.ring.classList.toggle("last", touched.has(name));
      parts.ring.classList.toggle("chain", chain.has(name));
      parts.ring.classList.toggle("hint", hints.has(name));
      parts.ring.classList.toggle("marked", ringed.has(name));
      parts.ring.classList.remove("pointed");
      parts.piece.replaceChildren(...(letter ? this.drawPiece(letter, this.at.get(name), name) : []));
      parts.mark.replaceChildren(...(hints.has(name) ? [this.dot(this.at.get(name))] : []));
      parts.heat.style.fillOpacity = heat.has(name) ? 0.1 + 0.6 * heat.get(name).share : 0;
      if (this.still) continue;
      parts.group.setAttribute("aria-label", this.spoken(name, letter, touched, chain, words.get(name) || []));
      parts.group.setAttribute("aria-disabled", String(!this.open));
    }
    this.marks.replaceChildren(...drawMarks(this, layers));
    if (!this.still) this.rove(this.focused);
    this.drawOver();
  }

  dot(cell) {
    return s("circle", { cx: this.x(cell.x), cy: this.x(cell.y), r: UNIT * 0.13, class: "dot" });
  }

  letterAt(name) {
    return this.position.shown.pieces[name];
  }

  spoken(name, letter, touched, chain, marked) {
    const what = letter ? this.geometry.pieces[letter] : "empty";
    const more = [
      touched.has(name) ? "last move" : "",
      chain.has(name) ? "winning chain" : "",
      this.position.shown.counts[name] ? `has captured ${this.position.shown.counts[name]} times` : "",
      ...marked,
      ...this.aside(name),
    ].filter(Boolean);
    return [`${name}, ${what}`, ...more].join(", ");
  }

  // What a component adds: words for a cell, what may be chosen, what lies over the board.
  aside() {
    return [];
  }

  hints() {
    const ways = this.position.ways;
    return new Set(ways.flatMap((way) => (way.take.length ? way.take : way.put)));
  }

  // What to do next, for the line under the board.
  next() {
    return "";
  }

  drawPiece() {
    return [];
  }

  drawOver() {}

  fresh() {}

  entered() {}

  clicked() {}

  cancel() {}

  // The moves whose ways pass a test, as [move, way].
  moves(test = () => true) {
    return this.position.ways.map((way, at) => [this.position.legal[at], way]).filter(([, way]) => test(way));
  }

  // Show where a move goes, for whoever points at it in a list; null shows none.
  point(way) {
    for (const [name, parts] of this.cells) {
      const on = way && [...way.take, ...way.put, ...way.then, ...way.goes.map(([, to]) => to)].includes(name);
      parts.ring.classList.toggle("pointed", Boolean(on));
    }
  }
}
