// What all boards share: cells that can be seen, heard, pointed at and walked over with the arrow keys.

import { h, round, s } from "../dom.js";

const UNIT = 100; // of a cell's width
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Frame {
  // hooks: play(move), say(text), changed()
  constructor(geometry, hooks) {
    this.geometry = geometry;
    this.hooks = hooks;
    this.position = null;
    this.open = false; // whether a person may move
    this.cells = new Map();
    this.at = new Map(geometry.cells.map((cell) => [cell.name, cell]));
    this.focused = geometry.cells[0].name;
    const box = `0 0 ${geometry.width * UNIT} ${geometry.height * UNIT}`;
    this.under = s("g", {});
    this.ground = s("g", {});
    this.rings = s("g", { class: "rings" });
    this.standing = s("g", { class: "standing" });
    this.over = s("g", { class: "over" });
    const label = "Board; arrow keys walk over it, Enter chooses";
    this.svg = s("svg", { viewBox: box, role: "group", "aria-label": label, class: `board ${geometry.kind}` });
    this.svg.append(this.under, this.ground, this.rings, this.standing, this.over);
    this.tools = h("div", { class: "tools" });
    this.element = h("div", { class: "boardbox" }, this.svg, this.tools);
    this.drawRims();
    this.drawNotes();
    for (const cell of geometry.cells) this.drawCell(cell);
    this.svg.addEventListener("keydown", (event) => this.keyed(event));
  }

  x(value) {
    return value * UNIT;
  }

  drawRims() {
    for (const rim of this.geometry.rims) {
      const points = rim.points.map(([x, y]) => `${this.x(x)},${this.x(y)}`).join(" ");
      this.under.append(s("polyline", { points, class: "rim edge" }));
      this.under.append(s("polyline", { points, class: `rim seat${rim.seat}` }));
    }
  }

  drawNotes() {
    for (const [x, y, text] of this.geometry.notes) {
      this.under.append(s("text", { x: this.x(x), y: this.x(y), class: "note", "aria-hidden": "true" }, text));
    }
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
    heat.setAttribute("class", "heat");
    const ring = this.outline(cell, 0.95);
    ring.setAttribute("class", "ring");
    const piece = s("g", { class: "piece" });
    const mark = s("g", { class: "mark" });
    // What can be pointed at lies below; what stands on it is drawn over all cells, and lets pointers through.
    const group = s("g", { class: "spot", role: "button", tabindex: "-1", "data-cell": cell.name });
    group.append(back, heat);
    this.rings.append(ring);
    this.standing.append(piece, mark);
    group.addEventListener("click", (event) => this.open && this.clicked(cell.name, event));
    group.addEventListener("pointerenter", (event) => event.pointerType !== "touch" && this.entered(cell.name));
    group.addEventListener("focus", () => {
      ring.classList.toggle("focus", group.matches(":focus-visible"));
      this.rove(cell.name);
      this.entered(cell.name);
    });
    group.addEventListener("blur", () => ring.classList.remove("focus"));
    this.ground.append(group);
    this.cells.set(cell.name, { group, heat, piece, mark, ring });
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

  // A new position. `view`: {open, legal (whether to show what may be done), heat: Map of cell to {value, text}}
  update(position, view) {
    const same = this.position?.position === position.position && this.open === view.open;
    this.position = position;
    this.open = view.open;
    this.view = view;
    if (!same) this.fresh();
    this.redraw();
  }

  redraw() {
    const last = this.position.last;
    const touched = new Set(last ? [...last.put, ...last.then.slice(1), ...last.goes.map(([, to]) => to)] : []);
    const chain = new Set(this.position.shown.chain);
    const hints = this.view.legal && this.open ? this.hints() : new Set();
    this.over.replaceChildren();
    for (const [name, parts] of this.cells) {
      const letter = this.letterAt(name);
      parts.ring.classList.toggle("last", touched.has(name));
      parts.ring.classList.toggle("chain", chain.has(name));
      parts.ring.classList.toggle("hint", hints.has(name));
      parts.piece.replaceChildren(...(letter ? this.drawPiece(letter, this.at.get(name), name) : []));
      parts.mark.replaceChildren(...(hints.has(name) ? [this.dot(this.at.get(name))] : []));
      parts.group.setAttribute("aria-label", this.spoken(name, letter, touched, chain));
      parts.group.setAttribute("aria-disabled", String(!this.open));
      this.warm(parts, this.view.heat?.get(name), this.at.get(name), letter);
    }
    this.rove(this.focused);
    this.drawOver();
  }

  warm(parts, heat, cell, letter) {
    parts.heat.style.fill = heat ? heat.color : "";
    parts.heat.style.fillOpacity = heat ? 0.75 : 0;
    if (heat) {
      const y = this.x(cell.y) + UNIT * (letter ? 0.36 : 0.08); // below what stands there
      parts.mark.append(s("text", { x: this.x(cell.x), y, class: "number", "aria-hidden": "true" }, heat.text));
    }
  }

  dot(cell) {
    return s("circle", { cx: this.x(cell.x), cy: this.x(cell.y), r: UNIT * 0.13, class: "dot" });
  }

  letterAt(name) {
    return this.position.shown.pieces[name];
  }

  spoken(name, letter, touched, chain) {
    const what = letter ? this.geometry.pieces[letter] : "empty";
    const heat = this.view.heat?.get(name);
    const more = [
      touched.has(name) ? "last move" : "",
      chain.has(name) ? "winning chain" : "",
      this.position.shown.counts[name] ? `has captured ${this.position.shown.counts[name]} times` : "",
      heat ? `best move here ${heat.text}` : "",
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
