// The start: a card for each game.

import { h } from "./dom.js";

export async function open(main, known) {
  const cards = known.games.map((game) => h("article", { class: "panel" }, h("h2", {}, h("a", { href: `/?view=play&game=${encodeURIComponent(game.name)}` }, game.title)), h("p", {}, game.about)));
  main.replaceChildren(h("h1", {}, "Play something that taught itself."), h("div", { class: "cards" }, cards));
  return {};
}
