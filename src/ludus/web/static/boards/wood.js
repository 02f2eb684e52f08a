// What a board is made of: the wood under its cells, its edges, its coordinates, and the light on its stones.

import { s } from "../dom.js";

const UNIT = 100; // of a cell's width

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

export class Wood {
  constructor(geometry, still) {
    this.geometry = geometry;
    this.still = still;
    this.number = boards += 1;
    this.under = s("g", {});
    this.svg = s("svg", { viewBox: this.box().join(" "), class: `board ${geometry.kind}` });
    this.drawLight();
    this.drawSlab();
    this.drawRims();
    this.drawNotes();
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
      const share = 0.8 / far(cell);
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
}
