// What this browser remembers of puzzles: days, the rating of each game, and the best rushes. Nothing leaves it.

const DAYS = "ludus.days";
const RATINGS = "ludus.ratings";
const BEST = "ludus.rushes";
const OPEN = "ludus.puzzle";

function read(key, usual) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? usual;
  } catch {
    return usual;
  }
}

// Whether it could be kept.
function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

// --- days ---

export function today(now = new Date()) {
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

export function days() {
  const found = read(DAYS, []);
  return Array.isArray(found) ? found.filter((day) => /^\d{4}-\d\d-\d\d$/.test(day)) : [];
}

export const solvedDay = (day) => days().includes(day) || keep(DAYS, [...days(), day].slice(-2000));

// Days in a row that were solved, up to today or yesterday.
export function streak(solved = days(), now = today()) {
  const known = new Set(solved);
  const day = new Date(`${now}T12:00:00Z`);
  const text = () => day.toISOString().slice(0, 10);
  if (!known.has(text())) day.setUTCDate(day.getUTCDate() - 1);
  let count = 0;
  while (known.has(text())) {
    count += 1;
    day.setUTCDate(day.getUTCDate() - 1);
  }
  return count;
}

// --- the rating: Glicko, where a puzzle is an opponent whose rating is known ---

export const [START, UNSURE, SUREST, PUZZLE_DEVIATION] = [1000, 350, 50, 30];
const Q = Math.log(10) / 400;

// The chance that a player of this rating solves a puzzle of that one.
export const expected = (mine, theirs, g = 1) => 1 / (1 + 10 ** ((-g * (mine - theirs)) / 400));

// A rating after one puzzle. Glickman, "The Glicko system" (1995), one game a period.
export function rated({ rating, deviation, count }, puzzle, solved) {
  const g = 1 / Math.sqrt(1 + (3 * Q * Q * PUZZLE_DEVIATION * PUZZLE_DEVIATION) / (Math.PI * Math.PI));
  const chance = expected(rating, puzzle, g);
  const certain = Q * Q * g * g * chance * (1 - chance);
  const spread = 1 / (deviation * deviation) + certain;
  return {
    rating: rating + (Q / spread) * g * ((solved ? 1 : 0) - chance),
    deviation: Math.max(SUREST, Math.sqrt(1 / spread)),
    count: count + 1,
  };
}

export function rating(game) {
  const found = read(RATINGS, {})[game];
  const fine = found && [found.rating, found.deviation, found.count].every(Number.isFinite);
  return fine ? found : { rating: START, deviation: UNSURE, count: 0 };
}

export function rate(game, puzzle, solved) {
  const after = rated(rating(game), puzzle, solved);
  return keep(RATINGS, { ...read(RATINGS, {}), [game]: after }) ? after : null;
}

export function forget(game) {
  const known = read(RATINGS, {});
  delete known[game];
  keep(RATINGS, known);
}

// --- the puzzle that is open: its help and whether it has counted already; and rushes ---

export function opened(name) {
  const found = read(OPEN, {});
  return found.name === name ? found : { name, hints: 0, undone: 0, wrong: 0, counted: false };
}

export const keepOpen = (state) => keep(OPEN, state);

export const best = (game) => Number(read(BEST, {})[game]) || 0;

export const keepBest = (game, score) => score > best(game) && keep(BEST, { ...read(BEST, {}), [game]: score });
