// The screens of the page, by the `view` of the address. Those with `nav` stand in the header, in this order.

export const SCREENS = {
  start: { title: "Ludus", module: "./start.js" },
  play: { title: "Play", nav: "Play", href: "/", module: "./play.js" },
  puzzles: { title: "Puzzles", nav: "Puzzles", href: "/?view=puzzles", module: "./play.js" },
  learn: { title: "Watch", nav: "Watch", href: "/?view=learn", module: "./learn.js" },
  papers: { title: "Papers", nav: "Papers", href: "/?view=papers", module: "./papers.js" },
};

// What an address asks for; a game that is named is played.
export function viewOf(search) {
  const said = new URLSearchParams(search);
  const view = said.get("view") || (said.get("game") ? "play" : "start");
  return SCREENS[view] ? view : "start";
}
