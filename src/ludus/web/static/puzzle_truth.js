// What is true of a position of a puzzle: which moves keep the win, or keep it solvable.

import { about } from "./address.js";
import { ask } from "./api.js";

// After so many moves; `of` is the position that was shown when it was asked, to tell late answers.
export async function truth(table, plies) {
  const of = table.position.position;
  const asked = about({ ...table.state, resigned: null }, plies);
  const found = await ask("truth", asked).catch((error) => ({ known: false, why: error.message.replace(/\.$/, "") }));
  return { ...found, late: () => table.left || of !== table.position.position };
}
