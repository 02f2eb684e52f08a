// What all boards share: cells that can be seen, heard, pointed at and walked over with the arrow keys.

import { h, round, s } from "../dom.js";
import { drawMarks, spokenMarks } from "./marks.js";
import { move } from "./moving.js";

const UNIT = 100; // of a cell's width
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

let boards = 0; // how many there are in this document: what has a name in one has another in the next

// The points that a string around all of them would touch, in order.
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const side = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) => {
    const found = [];
    for (const point of list) {
      while (found.length > 1 && side(found.at(-2), found.at(-1), point) <= 0) found.pop();
      found.push(point);
    }
    return found.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

export class Frame {
  // hooks: play(move), say(text), tell(text, kind); without `play` it is a picture, and nothing on it can be chosen
  constructor(geometry, hooks = {}) {
    this.geometry = geometry;
    this.hooks = { say() {}, tell() {}, ...hooks };
    this.still = !hooks.play;
    this.position = null;
    this.open = false; // whether a person may move
    this.cells = new Map();
    this.at = new Map(geometry.cells.map((cell) => [cell.name, cell]));
    this.focused = geometry.cells[0].name;
    const box = this.box().join(" ");
    this.under = s("g", {});
    this.ground = s("g", {});
    this.rings = s("g", { class: "rings" });
    this.standing = s("g", { class: "standing" });
    this.marks = s("g", { class: "marks", "aria-hidden": "true" });
    this.over = s("g", { class: "over" });
    const label = "Board; arrow keys walk over it, Enter chooses";
    this.svg = s("svg", { viewBox: box, role: this.still ? "img" : "group", "aria-label": label, class: `board ${geometry.kind}` });
    this.number = boards += 1;
    this.body = s("g", { id: `board-${this.number}` }, this.under, this.ground, this.rings, this.standing, this.marks, this.over);
    this.svg.append(this.body);
    this.tools = h("div", { class: "tools" });
    this.element = h("div", { class: "boardbox" }, this.svg);
    this.drawLight();
    this.drawSlab();
    this.drawRims();
    this.drawNotes();
    for (const cell of geometry.cells) this.drawCell(cell);
    this.svg.addEventListener("keydown", (event) => this.keyed(event));
  }

  x(value) {
    return value * UNIT;
  }

  // What is drawn, no more: the cells with the wood around them, and the notes.
  box() {
    const { cells, notes } = this.geometry;
    const square = this.geometry.shape === "square";
    const outside = square && !this.still ? notes.map(([x, y]) => [x, y, 0.12]) : [];
    const around = [...cells.map(({ x, y }) => [x, y, square ? 0.62 : 1]), ...outside];
    const low = (k) => Math.min(...around.map((point) => point[k] - point[2]));
    const high = (k) => Math.max(...around.map((point) => point[k] + point[2]));
    return [low(0), low(1), high(0) - low(0), high(1) - low(1)].map((value) => Math.round(value * UNIT));
  }

  // The wood that all cells lie on: what a string around them would enclose, drawn wider.
  drawSlab() {
    const { cells, shape } = this.geometry;
    if (shape === "square") {
      const [xs, ys] = [cells.map(({ x }) => this.x(x)), cells.map(({ y }) => this.x(y))];
      const [x, y] = [Math.min(...xs) - UNIT / 2, Math.min(...ys) - UNIT / 2];
      const [width, height] = [Math.max(...xs) + UNIT / 2 - x, Math.max(...ys) + UNIT / 2 - y];
      this.under.append(s("rect", { x, y, width, height, class: "slab square" }));
      return;
    }
    const points = hull(cells.map(({ x, y }) => [this.x(x), this.x(y)]));
    this.under.append(s("polygon", { points: points.join(" "), class: "slab" }));
  }

  // What a stone is made of: lit from above at the left.
  drawLight() {
    const stops = [["0%", "lit"], ["45%", "half"], ["100%", "full"]];
    const make = (seat) =>
      s("radialGradient", { id: this.light(seat), cx: "36%", cy: "30%", r: "75%", class: `light seat${seat}` },
        stops.map(([offset, kind]) => s("stop", { offset, class: kind })));
    this.svg.append(s("defs", {}, make(0), make(1)));
  }

  light(seat) {
    return `light-${this.number}-${seat}`;
  }

  // A stone or a marble: its colour, and the light on it.
  round(cell, r, side) {
    const at = { cx: this.x(cell.x), cy: this.x(cell.y), r };
    return [s("circle", { ...at, class: `stone seat${side}` }), s("circle", { ...at, class: "shine", fill: `url(#${this.light(side)})` })];
  }

  drawRims() {
    for (const rim of this.geometry.rims) {
      const points = rim.points.map(([x, y]) => `${this.x(x)},${this.x(y)}`).join(" ");
      this.under.append(s("polyline", { points, class: `rim seat${rim.seat}` }));
    }
  }

  // Coordinates: on the wood, beside the nearest cell; a board of squares has them outside.
  drawNotes() {
    if (this.still) return;
    const [, , wide, high] = this.box();
    const size = Math.max(10, 0.024 * Math.min(wide, high));
    for (const [x, y, text] of this.notes()) {
      const note = s("text", { x: this.x(x), y: this.x(y), class: `note ${this.geometry.shape}`, "aria-hidden": "true" }, text);
      note.style.fontSize = `${size}px`;
      this.under.append(note);
    }
  }

  notes() {
    if (this.geometry.shape === "square") return this.geometry.notes;
    return this.geometry.notes.map(([x, y, text]) => {
      const far = (cell) => Math.hypot(cell.x - x, cell.y - y);
      const cell = this.geometry.cells.reduce((best, other) => (far(other) < far(best) ? other : best));
      const share = 0.77 / far(cell);
      return [cell.x + (x - cell.x) * share, cell.y + (y - cell.y) * share, text];
    });
  }

  outline(cell, share = 1) {
    const [x, y] = [this.x(cell.x), this.x(cell.y)];
    if (this.geometry.shape === "square") {
      const side = UNIT * share;
      return s("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side });
    }
    if (this.geometry.shape === "round") return s("circle", { cx: x, cy: y, r: UNIT * 0.47 * share });
    const radius = (UNIT / Math.sqrt(3)) * share;
    const corners = [0, 1, 2, 3, 4, 5].map((k) => {
      const turn = (Math.PI / 3) * k;
      return `${x + radius * Math.sin(turn)},${y - radius * Math.cos(turn)}`;
    });
    return s("polygon", { points: corners.join(" ") });
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
    group.addEventListener("click", (event) => this.open && this.clicked(cell.name, event));
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

// Where moves that are rated highest begin: each cell has the best of its moves.
export function heatOf(position, rated, text = (value) => round(value, 2)) {
  const best = new Map();
  for (const { move, value } of rated) {
    const way = position.ways?.[position.legal.indexOf(move)];
    if (!way || value === null || value === undefined) continue;
    for (const name of new Set([...way.take, ...way.put])) {
      if (!best.has(name) || best.get(name) < value) best.set(name, value);
    }
  }
  const values = [...best.values()];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const heat = new Map();
  for (const [name, value] of best) {
    const share = high > low ? (value - low) / (high - low) : 0.5;
    heat.set(name, { value, text: text(value), color: shade(share) });
  }
  return heat;
}

// From blue (worst) by grey to orange (best): told apart by the colour-blind, and a number stands beside it.
function shade(share) {
  const from = share < 0.5 ? [0, 90, 160] : [200, 200, 200];
  const to = share < 0.5 ? [200, 200, 200] : [230, 130, 0];
  const part = share < 0.5 ? share * 2 : share * 2 - 1;
  return `rgb(${from.map((low, k) => Math.round(low + (to[k] - low) * part)).join(",")})`;
}
