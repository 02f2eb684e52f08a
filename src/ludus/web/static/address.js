// The whole game as an address: it can be shared, reloaded and gone back to.

export const HUMAN = "human";

// What a page of this address shows; what is not said has its usual value.
export function read(search, games) {
  const said = new URLSearchParams(search);
  const known = games.find((game) => game.name === said.get("game"));
  const game = known || games[0];
  const options = {};
  for (const option of game.options) {
    const text = said.get(`o.${option.name}`);
    if (text === null) continue;
    if (typeof option.default === "boolean") options[option.name] = text === "true" || text === "True";
    else if (typeof option.default === "number") options[option.name] = Number.parseInt(text, 10) || 0;
    else options[option.name] = text;
  }
  const moves = (said.get("moves") || "").split(".").filter(Boolean);
  const at = Math.min(moves.length, Math.max(0, Number.parseInt(said.get("at") ?? moves.length, 10) || 0));
  const players = game.seats.map((_, seat) => ({
    agent: said.get(`p${seat}`) || HUMAN,
    seconds: bounded(said.get(`s${seat}`), 0.05, 20, 1),
    chance: bounded(said.get(`c${seat}`), 0, 1, 0),
  }));
  return {
    view: said.get("view") || "play",
    named: Boolean(known),
    game: game.name,
    options,
    start: said.get("start") || null,
    moves,
    at,
    players,
    seed: Number.parseInt(said.get("seed") || "0", 10) >>> 0,
    resigned: said.get("resigned"),
    puzzle: said.get("puzzle"),
    level: said.get("level"),
    branches: branchesOf(said.get("b")),
    rush: said.get("rush"),
    tour: said.get("tour") === "1",
    run: said.get("run"),
  };
}

// Branches, as "after so many moves: these moves".
function branchesOf(text) {
  const found = (text || "").split("~").map((branch) => branch.match(/^(\d{1,6}):(.+)$/)).filter(Boolean);
  return found.map(([, ply, moves]) => ({ ply: Number(ply), moves: moves.split(".").filter(Boolean) }));
}

function bounded(text, low, high, usual) {
  const value = Number.parseFloat(text);
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : usual;
}

export function write(state) {
  const said = new URLSearchParams();
  said.set("view", state.view);
  said.set("game", state.game);
  for (const [name, value] of Object.entries(state.options)) said.set(`o.${name}`, String(value));
  if (state.start) said.set("start", state.start);
  if (state.moves.length) said.set("moves", state.moves.join("."));
  if (state.at !== state.moves.length) said.set("at", String(state.at));
  state.players.forEach((player, seat) => {
    if (player.agent !== HUMAN) said.set(`p${seat}`, player.agent);
    if (player.seconds !== 1) said.set(`s${seat}`, String(player.seconds));
    if (player.chance) said.set(`c${seat}`, String(player.chance));
  });
  if (state.seed) said.set("seed", String(state.seed));
  if (state.resigned) said.set("resigned", state.resigned);
  if (state.puzzle) said.set("puzzle", state.puzzle);
  if (state.level) said.set("level", state.level);
  const tree = (state.branches || []).map(({ ply, moves }) => `${ply}:${moves.join(".")}`);
  if (tree.length) said.set("b", tree.join("~"));
  if (state.rush) said.set("rush", state.rush);
  if (state.tour) said.set("tour", "1");
  return `/?${said}`;
}

// What a request says of the game, as far as a ply.
export function about(state, plies = state.at) {
  const asked = { game: state.game, options: state.options, moves: state.moves.slice(0, plies), seed: state.seed };
  if (state.start) asked.start = state.start;
  if (state.resigned && plies === state.moves.length) asked.resigned = state.resigned;
  return asked;
}
