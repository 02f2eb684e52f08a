// Which screen is shown, in which light, and whether it is heard.

import { get } from "./api.js";
import { banner, h } from "./dom.js";
import { sign } from "./signs.js";
import { SCREENS, viewOf } from "./screens.js";
import { sound } from "./sound.js";
import { keep, kept } from "./keep.js";

const main = document.getElementById("main");
let games = null;
let shown = null;

function nav(view) {
  const links = Object.entries(SCREENS).filter(([, screen]) => screen.nav);
  const here = view === "start" ? "play" : view;
  document.querySelector("header nav").replaceChildren(
    ...links.map(([name, { nav, href }]) => h("a", { href, "aria-current": name === here ? "page" : null }, nav)),
  );
}

async function show(event) {
  const view = viewOf(location.search);
  nav(view);
  try {
    const coming = import(SCREENS[view].module); // while the games are asked for
    games = games || (await get("games"));
    if (shown?.keeps?.(view)) return await shown.revisit(event?.type === "popstate");
    shown?.leave?.();
    shown = null;
    const module = await coming;
    document.title = view === "start" ? "Ludus" : `${SCREENS[view].title} · Ludus`;
    shown = await module.open(main, games, view);
  } catch (error) {
    if (error.name !== "AbortError") banner(`This did not work: ${error.message}`);
  }
}

function themed() {
  const choice = document.documentElement.dataset.theme;
  return choice || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function light(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  const next = themed() === "dark" ? "light" : "dark";
  const button = document.getElementById("theme");
  button.replaceChildren(sign(next === "light" ? "sun" : "moon"));
  button.setAttribute("aria-label", `${next} colours`);
  button.title = `${next} colours`;
}

function heard() {
  const button = document.getElementById("sound");
  button.replaceChildren(sign(sound.on ? "loud" : "mute"));
  button.setAttribute("aria-label", "Sound");
  button.setAttribute("aria-pressed", String(sound.on));
  button.title = sound.on ? "Sound is on" : "Sound is off";
}

document.getElementById("theme").addEventListener("click", () => {
  const theme = themed() === "dark" ? "light" : "dark";
  keep("theme", theme);
  light(theme);
});
document.getElementById("sound").addEventListener("click", () => {
  sound.turn(!sound.on);
  heard();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/?'], a[href='/']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  scrollTo(0, 0);
  if (link.closest("header")) {
    shown?.leave?.();
    shown = null;
  }
  show();
});
addEventListener("popstate", show);
const theme = kept("theme");
light(theme === "dark" || theme === "light" ? theme : null);
heard();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => light(null));
show();
