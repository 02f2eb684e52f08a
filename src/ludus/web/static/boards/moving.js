// Pieces that move: from where they stood to where they stand, unless the person's machine asks for less motion.

const UNIT = 100;
const PACE = 240; // milliseconds

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const follows = (one, other) => other.moves?.length === one.moves?.length + 1 && other.start === one.start;

// A step on or back is shown as a motion; any other change is not.
export function move(board, before, now) {
  if (calm() || document.hidden || !before.moves || !now.moves) return;
  if (follows(before, now) && now.last) run(board, before, now.last, false);
  else if (follows(now, before) && before.last) run(board, now, before.last, true);
}

function run(board, early, way, back) {
  for (const [from, to] of paths(board, way)) {
    if (to === null) {
      if (!back) fallOff(board, early, way, from);
    } else if (from === null) {
      if (!back) appear(board, to);
    } else if (back) slide(board, to, from);
    else slide(board, from, to);
  }
}

// From and to of every piece that moves; from nowhere, where it is put down, and to nowhere, off the board.
function paths(board, way) {
  const { kind } = board.geometry;
  if (kind === "pieces") return [[way.take[0], way.put[0]]];
  if (kind === "stones") return way.put.map((name) => [null, name]);
  if (kind === "marbles") return way.goes;
  // A laid piece is drawn with the first of its cells.
  const drawn = board.geometry.cells.find(({ name }) => way.put.includes(name)).name;
  return [[null, drawn], ...(way.then.length === 2 ? [way.then] : [])];
}

function between(board, from, to) {
  const [a, b] = [board.at.get(from), board.at.get(to)];
  return [(b.x - a.x) * UNIT, (b.y - a.y) * UNIT];
}

function slide(board, from, to) {
  const [dx, dy] = between(board, to, from);
  const { piece } = board.cells.get(to);
  board.standing.append(piece); // over all that stands still
  piece.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration: PACE, easing: "ease-out" });
}

function appear(board, name) {
  const cell = board.at.get(name);
  const [x, y] = [cell.x * UNIT, cell.y * UNIT];
  const large = `translate(${x}px, ${y}px) scale(${board.geometry.kind === "lay" ? 1.12 : 1.35}) translate(${-x}px, ${-y}px)`;
  board.cells.get(name).piece.animate([{ transform: large, opacity: 0.2 }, { transform: "none", opacity: 1 }], { duration: PACE * 0.7, easing: "ease-in" });
}

// A piece that is pushed over the edge goes on, and fades.
function fallOff(board, early, way, name) {
  const leading = way.goes.find(([, to]) => to !== null);
  const [dx, dy] = between(board, leading[0], leading[1]);
  const drawn = board.drawPiece(early.shown.pieces[name], board.at.get(name), name);
  board.over.append(...drawn);
  const far = [{ transform: "none", opacity: 1 }, { transform: `translate(${1.3 * dx}px, ${1.3 * dy}px)`, opacity: 0 }];
  for (const part of drawn) part.animate(far, { duration: 2 * PACE, easing: "ease-in", fill: "forwards" }).finished.then(() => part.remove(), () => {});
}
