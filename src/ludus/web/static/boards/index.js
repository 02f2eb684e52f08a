// One component for each kind of board; a kind that nobody knows is shown as text.

import { LayBoard } from "./lay.js";
import { MarblesBoard } from "./marbles.js";
import { PiecesBoard } from "./pieces.js";
import { StonesBoard } from "./stones.js";
import { TextBoard } from "./text.js";

const KINDS = { lay: LayBoard, stones: StonesBoard, marbles: MarblesBoard, pieces: PiecesBoard };

export function make(geometry, hooks) {
  return new (KINDS[geometry.kind] || TextBoard)(geometry, hooks);
}

// A position as a picture: nothing on it can be chosen.
export function still(geometry, shown, label) {
  const Kind = KINDS[geometry.kind];
  if (!Kind) return null;
  const board = new Kind(geometry);
  board.update({ shown: { chain: [], counts: {}, lost: {}, ...shown }, ways: [], legal: [], last: null, player: 0 }, { open: false, legal: false });
  board.svg.setAttribute("aria-label", label);
  return board;
}
