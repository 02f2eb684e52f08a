// Which page is shown, and in which light.

import { get } from "./api.js";
import { banner, h } from "./dom.js";

const VIEWS = { play: "./play.js", puzzles: "./play.js", learn: "./learn.js", papers: "./papers.js" };
const main = document.getElementById("main");
let games = null;
let shown = null;

async function show() {
  const view = new URLSearchParams(location.search).get("view") || "play";
  const name = VIEWS[view] ? view : "play";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    games = games || (await get("games"));
    if (shown?.keeps?.(name)) return shown.revisit();
    shown?.leave?.();
    main.replaceChildren(h("p", {}, "One moment."));
    const module = await import(VIEWS[name]);
    shown = await module.open(main, games, name);
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
  document.getElementById("theme").textContent = themed() === "dark" ? "Light" : "Dark";
}

document.getElementById("theme").addEventListener("click", () => {
  const theme = themed() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("ludus.theme", theme);
  } catch {
    // a browser that keeps nothing still changes its light
  }
  light(theme);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='/?'], a.name");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  if (link.closest("nav, header")) {
    shown?.leave?.();
    shown = null;
  }
  show();
});
addEventListener("popstate", show);
let stored = null;
try {
  stored = localStorage.getItem("ludus.theme");
} catch {
  stored = null;
}
light(stored === "dark" || stored === "light" ? stored : null);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => light(null));
show();
