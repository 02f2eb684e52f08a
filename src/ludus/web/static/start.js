// The start: a card for each game, with a board, a line of what it is about, and its levels.

import { get } from "./api.js";
import { still } from "./boards/index.js";
import { h } from "./dom.js";
import { kept } from "./keep.js";
import { levelWord } from "./words.js";

export async function open(main, known) {
  const cards = known.games.map(card);
  const lead = "The opponents learned by playing themselves; the perfect ones are proved. Where a game is solved, you can see the truth.";
  main.replaceChildren(
    h("div", { class: "start" },
      h("h1", {}, "Play something that taught itself."),
      h("p", { class: "lead" }, lead),
      h("div", { class: "cards" }, cards.map(({ element }) => element)),
      h("div", { class: "also" }, also(known)),
    ),
  );
  draw(cards);
  return {};
}

// The boards come by themselves: nothing waits for them, and nothing moves when they are there.
async function draw(cards) {
  try {
    const pictures = await get("pictures");
    for (const { game, place } of cards) {
      const found = pictures[game.name];
      const board = found && still(found.geometry, found.shown, `A board of ${game.title}`);
      place.replaceChildren(board ? board.element : h("span", {}, game.title.charAt(0)));
    }
  } catch {
    // without pictures, the cards have their words
  }
}

export function address(game, opponent) {
  const said = new URLSearchParams({ view: "play", game: game.name });
  for (const [name, value] of Object.entries(opponent?.options || {})) said.set(`o.${name}`, String(value));
  if (opponent) said.set("p1", opponent.agent);
  if (opponent?.chance) said.set("c1", String(opponent.chance));
  return `/?${said}`;
}

function card(game) {
  const place = h("div", { class: "picture", "aria-hidden": "true" });
  const puzzle = game.seats.length === 1 && game.puzzles;
  const levels = puzzle
    ? game.levels.map((level) => [level, `/?${new URLSearchParams({ view: "puzzles", game: game.name, level })}`])
    : game.opponents.map((opponent) => [opponent.level, address(game, opponent)]);
  const [first] = levels;
  const chips = levels.map(([level, href], at) =>
    h("a", { href, class: at ? "" : "first", "aria-label": `${game.title}, ${level}` }, levelWord(level)));
  const how = `/?${new URLSearchParams({ view: "play", game: game.name, tour: "1" })}`;
  const element = h("article", { class: "panel gamecard" },
    h("a", { class: "open", href: first ? first[1] : address(game), tabindex: "-1", "aria-hidden": "true" }, place),
    h("h2", {}, h("a", { href: first ? first[1] : address(game) }, game.title)),
    h("p", {}, game.about),
    h("div", { class: "chips" }, chips),
    h("p", { class: "how" }, game.tour ? h("a", { href: how, "aria-label": `Show me how ${game.title} is played` }, "Show me how") : null),
  );
  return { game, place, element };
}

// What else there is: the game that was left, the day's puzzle, an agent that learns.
function also(known) {
  const found = [];
  const last = kept("last");
  if (last) {
    const [href, words] = last.split("\n");
    if (href?.startsWith("/?") && words) found.push(["Go on where you were", words, href]);
  }
  if (known.games.some((game) => game.puzzles)) found.push(["Puzzle of the day", "One for everybody, another every day. Your streak is kept here.", "/?view=puzzles&day=1"]);
  if (known.demo) {
    const title = known.games.find((game) => game.name === known.demo)?.title;
    found.push(["Watch one learn", `From nothing to a strong player of ${title} in two minutes, on this machine.`, "/?view=learn"]);
  }
  if (!last) found.push(["The papers", "What was claimed of such agents, done again and checked.", "/?view=papers"]);
  return found.map(([title, words, href]) => h("a", { class: "panel", href }, h("strong", {}, title), h("span", {}, words)));
}
