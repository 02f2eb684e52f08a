// A magnifying glass for fingers: where cells are small, a touch shows them larger above the finger, and aims.

import { h, s } from "../dom.js";

const SMALL = 32; // pixels of a cell's width, under which a finger hides it
const SIZE = 132; // pixels of the glass

export class Loupe {
  // `aimed(name)` is told of the cell under the finger, and `left(name)` of the last when the finger goes.
  constructor(board, aimed, left) {
    this.board = board;
    this.aimed = aimed;
    this.left = left;
    this.view = s("svg", { "aria-hidden": "true" }, s("use", { href: `#${board.body.id}` }));
    this.element = h("div", { class: "loupe", hidden: true, "aria-hidden": "true" }, this.view, h("span", { class: "aimed" }));
    board.element.append(this.element);
    board.svg.addEventListener("pointerdown", (event) => this.down(event));
    board.svg.addEventListener("pointermove", (event) => this.name && this.follow(event));
    board.svg.addEventListener("pointerup", () => this.up());
    board.svg.addEventListener("pointercancel", () => this.away());
    new ResizeObserver(() => board.svg.classList.toggle("small", this.needed())).observe(board.svg);
  }

  // How wide a cell is on the screen.
  needed() {
    const matrix = this.board.svg.getScreenCTM();
    return Boolean(matrix) && matrix.a * 100 < SMALL && matchMedia("(pointer: coarse)").matches;
  }

  down(event) {
    if (event.pointerType !== "touch" || !this.board.open || !this.needed()) return;
    this.follow(event);
  }

  follow(event) {
    const point = this.board.pointOf(event);
    const name = this.board.nearest(point, 0.9);
    if (!name) return;
    this.name = name;
    const [x, y] = point;
    this.view.setAttribute("viewBox", `${x * 100 - 160} ${y * 100 - 160} 320 320`);
    const box = this.board.element.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    // Above the finger; below it where there is no room.
    const above = event.clientY > SIZE + 60;
    this.element.style.left = `${Math.min(box.width - SIZE, Math.max(0, left - SIZE / 2))}px`;
    this.element.style.top = `${above ? top - SIZE - 34 : top + 40}px`;
    this.element.lastChild.textContent = name;
    this.element.hidden = false;
    this.aimed(name);
  }

  up() {
    if (!this.name) return;
    const { name } = this;
    this.away();
    this.left(name);
  }

  away() {
    this.name = null;
    this.element.hidden = true;
  }
}
