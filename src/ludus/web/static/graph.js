// The chance to win over the game, for a named side: above the middle it is ahead. Marks are buttons; a click goes there.

import { percent } from "./chances.js";
import { h, s } from "./dom.js";

const [WIDE, HIGH] = [360, 132];
const [LEFT, RIGHT, TOP, BOTTOM] = [38, 8, 8, 18]; // for the numbers at the edges

// rows: by ply {chance (of the first seat), proved} or null; marks: by ply {sign, tone}
export function graph({ rows, marks, moves, at, seats, go }) {
  const last = Math.max(1, rows.length - 1);
  const x = (ply) => LEFT + ((WIDE - LEFT - RIGHT) * ply) / last;
  const y = (chance) => TOP + (HIGH - TOP - BOTTOM) * (1 - chance);
  const label = `Chance to win of ${seats[0]} over the game`;
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": label, class: "chances" });
  svg.append(s("rect", { x: LEFT, y: TOP, width: WIDE - LEFT - RIGHT, height: HIGH - TOP - BOTTOM, class: "field" }));
  for (const piece of areas(rows)) {
    const line = piece.map(([ply, chance]) => `${x(ply)},${y(chance)}`).join(" ");
    const [from, to] = [x(piece[0][0]), x(piece.at(-1)[0])];
    svg.append(s("polygon", { points: `${from},${y(0)} ${line} ${to},${y(0)}`, class: "area" }));
    svg.append(s("polyline", { points: line, class: "curve" }));
  }
  for (const [chance, text] of [[1, "100%"], [0.5, "50%"], [0, "0%"]]) {
    svg.append(s("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(chance), y2: y(chance), class: "axis" }));
    svg.append(s("text", { x: LEFT - 6, y: y(chance) + 4, class: "tick end" }, text));
  }
  for (const ply of ticks(last)) svg.append(s("text", { x: x(ply), y: HIGH - 5, class: "tick mid" }, String(ply)));
  svg.append(s("line", { x1: x(at), x2: x(at), y1: TOP, y2: HIGH - BOTTOM, class: "now" }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDE;
    go(Math.min(last, Math.max(0, Math.round(((place - LEFT) / (WIDE - LEFT - RIGHT)) * last))));
  });
  rows.forEach((row, ply) => row && row.chance !== null && (marks.has(ply) || ply === at) && svg.append(point(row, ply)));
  return h("figure", { class: "graph" }, svg, h("figcaption", { class: "legend" }, `Up is good for ${seats[0]}, down for ${seats[1]}.`));

  function point(row, ply) {
    const mark = marks.get(ply);
    const move = ply ? `${ply}. ${moves[ply - 1]}` : "start";
    const words = `${move}: ${percent(row.chance, row.proved)} for ${seats[0]}${mark ? `, ${mark.words}` : ""}`;
    const kind = `point ${mark ? `marked tone-${mark.tone}` : ""} ${ply === at ? "here" : ""}`;
    const dot = s("g", { role: "button", tabindex: "0", "aria-label": words, class: kind });
    const chosen = (event) => {
      event.preventDefault();
      event.stopPropagation();
      go(ply);
    };
    dot.addEventListener("click", chosen);
    dot.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && chosen(event));
    dot.append(s("title", {}, words), s("circle", { cx: x(ply), cy: y(row.chance), r: 13, class: "reach" }), s("circle", { cx: x(ply), cy: y(row.chance), r: 5.5 }));
    return dot;
  }
}

// Runs of positions that are known, each drawn by itself.
function areas(rows) {
  const found = [];
  let run = [];
  rows.forEach((row, ply) => {
    if (row && row.chance !== null) run.push([ply, row.chance]);
    else {
      if (run.length) found.push(run);
      run = [];
    }
  });
  if (run.length) found.push(run);
  return found;
}

function ticks(last) {
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => last / each <= 8) || 200;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, k) => k * step);
}
