// The value over the game, as the first seat sees it, with mistakes marked: exactly where the truth is known.

import { about } from "./address.js";
import { ask } from "./api.js";
import { button, h, round, s, section } from "./dom.js";

const [WIDE, HIGH, EDGE] = [600, 200, 30];
const BLUNDER = 0.4; // of an agent's value, where nothing better is known

export class Review {
  static tab = "analysis";

  constructor(table) {
    this.table = table;
    this.known = new Map(); // what was found, by the moves before
    this.button = button("Review the game", () => this.run());
    this.said = h("p", { role: "status" });
    this.graph = h("div", { class: "graph" });
    this.element = section("Value over the game", this.button, this.said, this.graph);
  }

  get agent() {
    return this.table.panels.find((panel) => panel.first !== undefined)?.first;
  }

  key(plies) {
    const { game, options, start, moves } = this.table.state;
    return JSON.stringify([game, options, start, moves.slice(0, plies), this.agent]);
  }

  update() {
    this.element.hidden = this.table.game.seats.length === 1;
    this.button.disabled = !this.table.state.moves.length;
    if (!this.table.state.moves.length) {
      this.graph.replaceChildren();
      this.said.textContent = "";
    } else this.draw();
  }

  review() {
    return this.run();
  }

  async run() {
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const { state } = this.table;
    const count = state.moves.length;
    for (let plies = 0; plies <= count; plies += 1) {
      if (asking.signal.aborted || this.table.left) return;
      if (this.known.has(this.key(plies))) continue;
      this.said.textContent = `Looking at move ${plies} of ${count} …`;
      const asked = about({ ...state, resigned: null }, plies);
      const question = (name, more) => ask(name, { ...asked, ...more }, asking.signal).catch(() => null);
      const [position, opinion, truth] = await Promise.all([
        question("position", {}),
        this.agent ? question("opinion", { agent: this.agent }) : null,
        question("truth", {}),
      ]);
      if (!position) continue;
      const sign = position.player === 0 ? 1 : -1;
      const ended = position.over ? position.returns[0] : null;
      this.known.set(this.key(plies), {
        player: position.player,
        value: ended ?? (opinion?.value === undefined ? null : opinion.value * sign),
        truth: ended ?? (truth?.known ? truth.value * sign : null),
      });
      this.draw();
    }
    this.said.textContent = this.summary();
    this.draw();
  }

  rows() {
    const { state } = this.table;
    return Array.from({ length: state.moves.length + 1 }, (_, plies) => this.known.get(this.key(plies)));
  }

  // The plies whose move gave something away, and how surely.
  mistakes(rows) {
    const found = [];
    for (let ply = 1; ply < rows.length; ply += 1) {
      const [before, after] = [rows[ply - 1], rows[ply]];
      if (!before || !after) continue;
      const sign = before.player === 0 ? 1 : -1;
      if (before.truth !== null && after.truth !== null) {
        if (before.truth * sign > after.truth * sign) found.push([ply, "exact"]);
      } else if (before.value !== null && after.value !== null && (before.value - after.value) * sign > BLUNDER) {
        found.push([ply, "thought"]);
      }
    }
    return found;
  }

  summary() {
    const mistakes = this.mistakes(this.rows());
    const exact = mistakes.filter(([, kind]) => kind === "exact");
    const list = mistakes.map(([ply]) => `${ply}. ${this.table.state.moves[ply - 1]}`).join(", ");
    if (!mistakes.length) return "No mistake was found.";
    const many = `${exact.length} exact mistake${exact.length === 1 ? "" : "s"}`;
    return `${many}, ${mistakes.length - exact.length} by opinion: ${list}.`;
  }

  draw() {
    const rows = this.rows();
    const values = rows.flatMap((row) => (row ? [row.value, row.truth] : [])).filter((value) => value !== null);
    if (!values.length) return this.graph.replaceChildren();
    const most = Math.max(1, ...values.map(Math.abs));
    const x = (ply) => EDGE + ((WIDE - 2 * EDGE) * ply) / Math.max(1, rows.length - 1);
    const y = (value) => HIGH / 2 - ((HIGH / 2 - 18) * value) / most;
    const label = "Value over the game for the first seat";
    const svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": label });
    for (const value of [most, 0, -most]) {
      svg.append(s("line", { x1: EDGE, x2: WIDE - EDGE, y1: y(value), y2: y(value), class: "axis" }));
      svg.append(s("text", { x: EDGE - 4, y: y(value) + 4, class: "tick end" }, String(Math.round(value * 10) / 10)));
    }
    for (const kind of ["value", "truth"]) {
      const known = rows.map((row, ply) => [row?.[kind] ?? null, ply]).filter(([value]) => value !== null);
      const points = known.map(([value, ply]) => `${x(ply)},${y(value)}`).join(" ");
      svg.append(s("polyline", { points, class: `curve ${kind}` }));
    }
    const mistakes = new Map(this.mistakes(rows));
    rows.forEach((row, ply) => {
      const value = row?.truth ?? row?.value;
      if (value === null || value === undefined) return;
      const wrong = mistakes.get(ply);
      const move = ply ? this.table.state.moves[ply - 1] : "start";
      const fault = { exact: ", an exact mistake", thought: ", a mistake by opinion" }[wrong] || "";
      const label = `${ply ? `${ply}. ` : ""}${move}: ${round(value)}${fault}`;
      const go = () => this.table.go({ at: ply }, true);
      const here = this.table.state.at === ply ? "here" : "";
      const kind = `point ${wrong || ""} ${here}`;
      const dot = s("g", { role: "button", tabindex: "0", "aria-label": label, class: kind, onclick: go });
      dot.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        go();
      });
      dot.append(s("title", {}, label), s("circle", { cx: x(ply), cy: y(value), r: 5 }));
      if (wrong) dot.append(s("text", { x: x(ply), y: y(value) - 9, class: "cross" }, wrong === "exact" ? "✗" : "?"));
      svg.append(dot);
    });
    const lines = `Solid: exact. Dashed: ${this.agent || "no agent"}. ✗ an exact mistake, ? one by opinion.`;
    const legend = h("p", { class: "legend" }, `${lines} Up is good for ${this.table.position.seats[0]}.`);
    this.graph.replaceChildren(svg, legend);
  }
}
