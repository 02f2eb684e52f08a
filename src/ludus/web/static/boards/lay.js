// A piece of several squares is turned, flipped and laid, with a preview; then another piece may be carried elsewhere.
// Nothing counts before both parts are done.

import { button, s } from "../dom.js";
import { Frame } from "./frame.js";
import { around, straight, walk } from "./outline.js";

// An L by its corner: two squares along one direction, one along another. Eight ways to lie.
const TURNS = [[1, 0], [0, 1], [-1, 0], [0, -1]];
const lying = (x, y, side) => [[0, 0], [x, y], [2 * x, 2 * y], [-y * side, x * side]];
const SHAPES = TURNS.flatMap(([x, y]) => [1, -1].map((side) => lying(x, y, side)));

export class LayBoard extends Frame {
  constructor(geometry, hooks) {
    super(geometry, hooks);
    this.shape = 0;
    this.svg.addEventListener("wheel", (event) => {
      if (!this.open || this.laid) return;
      event.preventDefault();
      this.turn(event.deltaY > 0 ? 2 : -2);
    }, { passive: false });
    this.svg.addEventListener("contextmenu", (event) => {
      if (!this.open) return;
      event.preventDefault();
      this.turn(2);
    });
    this.svg.addEventListener("pointerleave", () => {
      if (!this.svg.contains(document.activeElement) && !this.laid) {
        this.anchor = null;
        if (this.position) this.drawOver();
      }
    });
    this.buttons = [
      button("Turn (R)", () => this.turn(2)),
      button("Flip (F)", () => this.turn(1)),
      button("Lay it", () => this.lay()),
      button("Leave the neutral pieces", () => this.finish([])),
      button("Take the L up again", () => this.cancel()),
    ];
    this.tools.append(...this.buttons);
  }

  fresh() {
    this.anchor = null;
    this.laid = null; // the four squares, once they are chosen
    this.carried = null; // the neutral piece that is in the hand
  }

  next() {
    return "Point where your piece's corner goes, turn it until it fits, and lay it.";
  }

  letter() {
    return Object.keys(this.geometry.sides).find((key) => this.geometry.sides[key] === this.position.player);
  }

  squares(anchor = this.anchor, shape = this.shape) {
    const from = this.at.get(anchor);
    return SHAPES[shape].map(([x, y]) => this.near(from.x + x, from.y + y)?.name);
  }

  near(x, y) {
    return this.geometry.cells.find((cell) => Math.abs(cell.x - x) < 0.1 && Math.abs(cell.y - y) < 0.1);
  }

  fits(squares) {
    const wanted = [...squares].sort().join(" ");
    return !squares.includes(undefined) && this.moves((way) => [...way.put].sort().join(" ") === wanted).length > 0;
  }

  turn(by) {
    // Even numbers turn, odd ones flip.
    this.shape = by === 1 ? this.shape ^ 1 : (this.shape + by + SHAPES.length) % SHAPES.length;
    this.redraw();
    this.tell();
  }

  tell() {
    if (!this.anchor) return;
    const squares = this.squares();
    this.hooks.say(`L on ${squares.filter(Boolean).join(" ")}${this.fits(squares) ? "" : ", which is not free"}.`);
  }

  keyed(event) {
    if (this.open && !this.laid && (event.key === "r" || event.key === "R")) this.turn(event.shiftKey ? -2 : 2);
    else if (this.open && !this.laid && (event.key === "f" || event.key === "F")) this.turn(1);
    else super.keyed(event);
  }

  entered(name) {
    if (!this.position || !this.open || this.laid) return;
    this.anchor = name;
    this.drawOver();
    if (document.activeElement?.dataset?.cell === name) this.tell();
  }

  clicked(name, event) {
    if (this.laid) return this.carry(name);
    const tapped = event.type === "click" && matchMedia("(hover: none)").matches; // of a browser that does not tell
    const touch = event.pointerType ? event.pointerType === "touch" : tapped;
    const again = this.anchor === name && (!touch || this.tapped === name);
    this.anchor = name;
    this.tapped = name;
    if (this.fits(this.squares())) {
      // A finger has no preview before it taps: the first tap shows, the second lays.
      if (again || !touch) return this.lay();
    } else {
      const found = SHAPES.findIndex((_, shape) => this.fits(this.squares(name, shape)));
      if (found >= 0) {
        this.shape = found;
        this.hooks.tell("It was turned so that it fits; once more lays it.");
      } else this.hooks.tell(`No L with its corner on ${name} fits.`, "no");
    }
    this.redraw();
  }

  lay() {
    if (!this.anchor || !this.fits(this.squares())) {
      this.hooks.tell("The L does not fit there.", "no");
      return;
    }
    this.laid = this.squares();
    this.tapped = null;
    this.redraw();
    this.hooks.tell("Laid. Now choose a neutral piece and where it goes, or leave them.");
    if (this.element.contains(document.activeElement)) this.buttons[3].focus();
  }

  rests() {
    const wanted = [...this.laid].sort().join(" ");
    return this.moves((way) => [...way.put].sort().join(" ") === wanted);
  }

  carry(name) {
    if (!this.carried) {
      if (!this.rests().some(([, way]) => way.then[0] === name)) return this.hooks.tell("Choose a neutral piece first.", "no");
      this.carried = name;
      this.hooks.tell(`Neutral piece on ${name} in hand; choose where it goes.`);
      return this.redraw();
    }
    if (this.carried === name) this.carried = null;
    else if (this.rests().some(([, way]) => way.then[0] === this.carried && way.then[1] === name)) {
      return this.finish([this.carried, name]);
    } else this.hooks.tell(`${name} is not free.`, "no");
    this.redraw();
  }

  finish(then) {
    const [found] = this.rests().filter(([, way]) => way.then.join(" ") === then.join(" "));
    if (found) this.hooks.play(found[0]);
  }

  cancel() {
    this.laid = null;
    this.carried = null;
    this.redraw();
  }

  // Once the L is laid, it is seen where it lies.
  letterAt(name) {
    const letter = super.letterAt(name);
    if (!this.laid) return letter;
    if (this.laid.includes(name)) return this.letter();
    return letter === this.letter() ? undefined : letter;
  }

  aside(name) {
    if (this.carried === name) return ["in hand"];
    return this.laid?.includes(name) ? ["your L, not yet counted"] : [];
  }

  hints() {
    if (!this.laid) return new Set(this.position.ways.flatMap((way) => way.put));
    const carried = this.rests().map(([, way]) => way.then);
    return new Set(carried.filter((then) => then.length).map((then) => (this.carried ? then[1] : then[0])));
  }

  drawPiece(letter, cell, name) {
    const [x, y] = [this.x(cell.x), this.x(cell.y)];
    const side = this.geometry.sides[letter];
    if (side === undefined) return [s("circle", { cx: x, cy: y, r: 30, class: "neutral" })];
    // The whole piece is one outline, drawn with its first square; its letter stands where it bends.
    const names = this.geometry.cells.map((other) => other.name).filter((other) => this.letterAt(other) === letter);
    if (names[0] !== name) return [];
    const line = walk(this, names);
    const bend = line[line.length > 3 ? (straight(line.slice(0, 3)) ? 2 : 1) : 0];
    const points = around(line, 32).join(" ");
    return [
      s("polygon", { points, class: `tile seat${side}` }),
      s("text", { x: bend[0], y: bend[1] + 1, class: "letter", "aria-hidden": "true" }, letter),
    ];
  }

  drawOver() {
    this.over.replaceChildren();
    const choosing = this.open && !this.laid;
    this.buttons[0].hidden = this.buttons[1].hidden = this.buttons[2].hidden = !choosing;
    this.buttons[3].hidden = this.buttons[4].hidden = !(this.open && this.laid);
    for (const [name, parts] of this.cells) parts.ring.classList.toggle("chosen", this.carried === name);
    if (choosing && this.anchor) {
      const squares = this.squares();
      const kind = this.fits(squares) ? "fits" : "misfits";
      for (const name of squares.filter(Boolean)) {
        const shape = this.outline(this.at.get(name), 0.8);
        shape.setAttribute("class", `lays ${kind} seat${this.position.player}`);
        this.over.append(shape);
      }
    }
  }
}
