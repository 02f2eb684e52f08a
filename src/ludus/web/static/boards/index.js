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
