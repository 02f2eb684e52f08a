// Chances to win, verdicts and probabilities in words: one unit each, and never one for another.

const VERDICTS = { 1: "win", 0: "draw", "-1": "loss" };

// A chance from 0 to 1 as people read it; only what is proved is 0% or 100%.
export function percent(chance, proved = false) {
  if (chance === null || chance === undefined) return "";
  const whole = Math.round(100 * chance);
  return `${proved ? whole : Math.min(99, Math.max(1, whole))}%`;
}

// A probability: small ones keep a digit.
export function share(probability) {
  if (probability === null || probability === undefined) return "";
  const hundred = 100 * probability;
  return hundred >= 10 || hundred === 0 ? `${Math.round(hundred)}%` : hundred < 0.1 ? "<0.1%" : `${hundred.toFixed(1)}%`;
}

// A verdict of the exact solution with the moves to the end, where they are known.
export function verdict(entry, short = false) {
  if (!entry || entry.value === null || entry.value === undefined) return "";
  const word = VERDICTS[entry.value];
  if (!entry.plies) return word;
  return short ? `${word} ${entry.plies}` : `${word} in ${entry.plies} ${entry.plies === 1 ? "move" : "moves"}`;
}

export const kind = (entry) => (entry && entry.value !== null && entry.value !== undefined ? VERDICTS[entry.value] : "");

// The chance of the first seat, of a chance that the side to move has.
export function ofFirst(chance, player) {
  if (chance === null || chance === undefined) return null;
  return player === 0 ? chance : 1 - chance;
}

// What the bar says: of which seat, and how surely.
export function barWords(seats, first, proved) {
  if (first === null) return "Chance to win: not known";
  const [side, chance] = first >= 0.5 ? [seats[0], first] : [seats[1], 1 - first];
  if (proved) return first === 0.5 ? "A draw, proved" : `${side} wins, proved`;
  return `${side} wins with ${percent(chance)}`;
}
