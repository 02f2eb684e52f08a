// What is marked on a board beside its pieces: the best moves as ghosts or arrows, verdicts and heat on cells.

import { s } from "../dom.js";
import { walk } from "./outline.js";

const UNIT = 100;
let masks = 0;

const at = (board, name) => {
  const cell = board.at.get(name);
  return [cell.x * UNIT, cell.y * UNIT];
};
const path = (points) => points.map(([x, y]) => `${x},${y}`).join(" ");

// A label on a disc, at a point.
function label([x, y], text, rank) {
  if (!text) return [];
  const wide = Math.max(26, 11 + 7 * text.length);
  const back = s("rect", { x: x - wide, y: y - 21, width: 2 * wide, height: 42, rx: 21, class: `said rank${rank}` });
  return [back, s("text", { x, y: y + 1, class: "said-text" }, text)];
}

// The outline of a piece that lies along a line of cells.
function outline(points, wide, cap) {
  const id = `outline-${(masks += 1)}`;
  const line = (stroke, width) =>
    s("polyline", { points: path(points), fill: "none", stroke, "stroke-width": width, "stroke-linejoin": cap === "round" ? "round" : "miter", "stroke-linecap": cap });
  const all = { x: -UNIT, y: -UNIT, width: 30 * UNIT, height: 30 * UNIT };
  const mask = s("mask", { id, maskUnits: "userSpaceOnUse", ...all }, line("white", wide), line("black", wide - 16));
  const drawn = line("currentColor", wide);
  drawn.setAttribute("mask", `url(#${id})`);
  return [mask, drawn];
}

function arrow(from, to, rank) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy) || 1;
  const [u, v] = [dx / long, dy / long];
  const [tip, neck] = [to, [to[0] - u * 30, to[1] - v * 30]];
  const head = [tip, [neck[0] - v * 22, neck[1] + u * 22], [neck[0] + v * 22, neck[1] - u * 22]];
  const line = s("line", { x1: from[0], y1: from[1], x2: neck[0], y2: neck[1], class: `best shaft rank${rank}` });
  return [line, s("polygon", { points: path(head), class: `best head rank${rank}` })];
}

const KINDS = {
  stones(board, way, text, rank) {
    const [cx, cy] = at(board, way.put[0]);
    return [s("circle", { cx, cy, r: 38, class: `best body rank${rank}` }), ...label([cx, cy], text, rank)];
  },
  lay(board, way, text, rank) {
    const points = walk(board, way.put);
    const moved = way.then.length === 2 ? arrow(at(board, way.then[0]), at(board, way.then[1]), rank) : [];
    return [...outline(points, 96 - 10 * rank, "square"), ...moved, ...label(points[rank % points.length], text, rank)];
  },
  marbles(board, way, text, rank) {
    const points = way.take.map((name) => at(board, name));
    const [from, to] = [at(board, way.goes[0][0]), at(board, way.goes[0][1])];
    const step = [to[0] - from[0], to[1] - from[1]];
    // From the marble that leads: the one that is farthest along the way.
    const ahead = [...points].sort((a, b) => b[0] * step[0] + b[1] * step[1] - a[0] * step[0] - a[1] * step[1]);
    const sideways = points.length > 1 && Math.abs((points[1][0] - points[0][0]) * step[1] - (points[1][1] - points[0][1]) * step[0]) > 100;
    const start = sideways ? points[Math.floor(points.length / 2)] : ahead[0];
    const end = [start[0] + step[0], start[1] + step[1]];
    const ring = outline(points.length > 1 ? points : [points[0], [points[0][0] + 0.1, points[0][1]]], 90, "round");
    return [...ring, ...arrow(start, end, rank), ...label(start, text, rank)];
  },
  pieces(board, way, text, rank) {
    const [from, to] = [at(board, way.take[0]), at(board, way.put[0])];
    const middle = [from[0] + (to[0] - from[0]) * 0.45, from[1] + (to[1] - from[1]) * 0.45];
    return [...arrow(from, to, rank), ...label(middle, text, rank)];
  },
};

// One of the best moves, by the board's kind; `rank` 1 is the best.
function best(board, { move, text, rank = 1 }) {
  const way = board.position.ways?.[board.position.legal.indexOf(move)];
  if (!way || !KINDS[board.geometry.kind] || !(way.put.length || way.take.length)) return null;
  return s("g", { class: `choice rank${rank}` }, KINDS[board.geometry.kind](board, way, text || "", rank));
}

// A line of moves to come, as numbers on its cells, where a move is a cell's name; else its first move.
function line(board, moves) {
  if (board.geometry.kind !== "stones") return [best(board, { move: moves[0], text: "1" })];
  return moves.filter((move) => board.at.has(move)).map((move, k) => {
    const [cx, cy] = at(board, move);
    const side = (board.position.player + k) % 2;
    const stone = s("circle", { cx, cy, r: 34, class: `stone seat${side} planned` });
    return s("g", {}, stone, s("text", { x: cx, y: cy + 1, class: "number" }, String(k + 1)));
  });
}

// All that is marked, the best move on top.
export function drawMarks(board, layers) {
  const found = [];
  for (const layer of layers) {
    for (const choice of [...(layer.best || [])].sort((a, b) => (b.rank || 1) - (a.rank || 1))) found.push(best(board, choice));
    if (layer.line?.length) found.push(...line(board, layer.line));
    for (const [name, { text, tone }] of layer.cells || []) {
      if (!text || !board.at.has(name)) continue;
      const [x, y] = at(board, name);
      const low = board.letterAt(name) ? 36 : 0; // below what stands there
      found.push(s("text", { x, y: y + low, class: `number ${tone || ""}`, "aria-hidden": "true" }, text));
    }
  }
  return found.filter(Boolean);
}

// By cell, what the marks say to those who hear the page.
export function spokenMarks(board, layers) {
  const found = new Map();
  const add = (name, words) => words && found.set(name, [...(found.get(name) || []), words]);
  for (const layer of layers) {
    for (const { move, text, rank, words } of layer.best || []) {
      const way = board.position.ways?.[board.position.legal.indexOf(move)];
      const name = way && (way.put[0] || way.take[0]);
      if (name) add(name, `move ${rank || 1} of the best${words || text ? `, ${words || text}` : ""}`);
    }
    for (const [name, { text, words }] of layer.cells || []) add(name, words ?? (text ? `best move here ${text}` : ""));
    for (const [name, { words }] of layer.heat || []) add(name, words);
  }
  return found;
}
