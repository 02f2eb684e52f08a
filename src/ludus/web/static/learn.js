// Watching agents learn: the list of runs, one run as it grows beside the game that it plays, and runs over each other.

import { ask, get } from "./api.js";
import { Course, played } from "./course.js";
import { button, h, section } from "./dom.js";
import { refill } from "./focus.js";
import { Overlay } from "./overlay.js";

const LOOK = 4000; // milliseconds between two looks at the list while a run is being trained
const short = (name) => name.replace(/^run:/, "");

export async function open(main, known) {
  const page = new Learning(main, known);
  await page.revisit();
  return page;
}

class Learning {
  constructor(main, known) {
    this.known = known;
    this.runs = [];
    this.over = new Set(); // runs that are laid over each other
    this.said = h("p", { role: "status" });
    this.why = h("p", { class: "why", role: "alert" });
    this.rows = h("ul", { class: "list runs", "aria-label": "Runs" });
    this.none = h("div", {});
    this.start = h("div", { class: "row" });
    this.overlay = new Overlay();
    this.course = new Course(known, (run) => this.grown(run));
    const heading = section("Runs", this.none, this.rows);
    heading.classList.add("run-list");
    const view = h("div", { class: "course-view" }, this.overlay.element, this.course.element);
    this.grid = h("div", { class: "watch" }, heading, view);
    main.replaceChildren(h("div", { class: "screen" },
      h("h1", {}, "Watch one learn"),
      h("p", { class: "lead" }, "An agent begins with the rules alone, plays itself, and gets better while you look."),
      this.start, this.said, this.why,
      this.grid));
    this.timer = setInterval(() => this.look(), LOOK);
  }

  keeps(view) {
    return view === "learn";
  }

  leave() {
    clearInterval(this.timer);
    this.course.leave();
    this.overlay.leave();
    this.left = true;
  }

  async revisit() {
    const said = new URLSearchParams(location.search);
    await this.list();
    this.over = new Set(said.getAll("over").filter((name) => this.runs.some((run) => run.name === name)));
    this.overlay.show([...this.over]);
    const run = said.get("run") || this.usual();
    if (run) this.course.watch(run, said.get("age"));
    else this.course.close();
    this.draw();
    if (said.get("start") && !this.training) await this.demo();
  }

  // Without a wish: the run that is learning, else the first that has learned something.
  usual() {
    if (this.over.size || new URLSearchParams(location.search).get("start")) return null;
    const good = this.runs.filter((run) => run.games > 0 && run.state !== "damaged");
    return (good.find((run) => run.state === "running") || good[0])?.name || null;
  }

  // --- the list ---

  async list() {
    try {
      const { runs, demo } = await get("runs");
      this.runs = runs;
      this.training = demo;
      this.why.textContent = "";
    } catch (error) {
      this.why.replaceChildren(`The runs cannot be read: ${error.message} `, button("Try again", () => this.list()));
    }
    if (!this.left) this.draw();
  }

  look() {
    const live = this.training || this.runs.some((run) => run.state === "running");
    if (live && !document.hidden) this.list();
  }

  // What a run says of itself while it is watched is newer than the list.
  grown(run) {
    const at = this.runs.findIndex((known) => known.name === run.name);
    if (at < 0) return void this.list();
    const ended = this.runs[at].state === "running" && run.state !== "running";
    this.runs[at] = { ...this.runs[at], ...run };
    if (ended) this.list();
    else this.draw();
    if (this.over.has(run.name)) this.overlay.show([...this.over]);
  }

  draw() {
    const { demo } = this.known;
    const game = this.known.games.find((known) => known.name === demo);
    const busy = Boolean(this.training);
    const title = (game?.title || demo || "").replace(/^The /, "the ");
    const words = busy ? "An agent is being trained …" : `Train one at ${title} now`;
    const train = button(words, () => this.demo(), { class: "main", disabled: busy });
    const stop = busy ? button("Stop it", () => this.stop()) : null;
    const time = h("span", { class: "legend" }, "A minute or two, on this machine alone; it can be stopped at any time.");
    refill(this.start, ...[demo ? train : null, stop, demo ? time : null].filter(Boolean));
    this.grid.classList.toggle("empty", !this.runs.length && !this.course.name);
    this.grid.classList.toggle("chosen", Boolean(this.course.name));
    this.none.replaceChildren(...(this.runs.length ? [] : [this.empty(game)]));
    refill(this.rows, ...this.runs.map((run) => this.row(run)));
  }

  empty(game) {
    const here = game ? "Press the button above, or type" : "Type";
    return h("div", {},
      h("p", {}, `No agent has been trained in this folder yet. ${here} this into a terminal, in the folder of ludus serve:`),
      h("pre", { tabindex: "0" }, `ludus train ${this.known.demo || "hex --size 3"}`));
  }

  row(run) {
    const game = this.known.games.find((known) => known.name === run.game);
    const link = h("a", { href: this.address(run.name), "aria-current": this.course.name === run.name ? "true" : null }, short(run.name));
    const size = run.options?.size ? ` ${run.options.size} × ${run.options.size}` : "";
    const games = played(run);
    const state = { running: "learning now", finished: "finished", stopped: "stopped", damaged: "damaged" }[run.state];
    const tone = { running: "true", damaged: "warn" }[run.state] || "";
    const lay = h("input", { type: "checkbox", checked: this.over.has(run.name), "aria-label": `overlay ${short(run.name)}` });
    lay.addEventListener("change", () => this.lay(run.name, lay.checked));
    const facts = [`${game?.title || run.game}${size}`, games, run.strength].filter(Boolean).join(" · ");
    const box = h("label", { class: "check over" }, lay, h("span", {}, "overlay"));
    if (run.state === "damaged") lay.disabled = true;
    return h("li", { class: "run" },
      h("div", { class: "run-name" }, link, h("span", { class: `tag ${tone}` }, state || run.state)),
      h("p", { class: "legend" }, facts), box);
  }

  address(name, over = this.over) {
    const said = new URLSearchParams({ view: "learn" });
    if (name) said.set("run", name);
    for (const other of over) said.append("over", other);
    return `/?${said}`;
  }

  lay(name, on) {
    if (on) this.over.add(name);
    else this.over.delete(name);
    history.replaceState(null, "", this.address(this.course.name));
    this.overlay.show([...this.over]);
    for (const link of this.rows.querySelectorAll("a")) link.href = this.address(`run:${link.textContent}`);
  }

  // --- the training that this page may begin ---

  async demo() {
    this.said.textContent = "Starting …";
    try {
      const { run } = await ask("demo");
      this.said.textContent = "It knows only the rules so far. Its first report comes in about ten seconds.";
      for (let again = 0; again < 240 && !this.left; again += 1) {
        await this.list();
        if (this.runs.some((known) => known.name === run)) break;
        await new Promise((done) => setTimeout(done, 500));
      }
      if (this.left) return;
      this.said.textContent = "";
      history.pushState(null, "", this.address(run));
      this.course.watch(run);
      this.draw();
    } catch (error) {
      this.said.textContent = "";
      const command = `ludus train ${this.known.demo}`;
      this.why.replaceChildren(`It cannot be started here: ${error.message} In a terminal: ${command} `, button("Try again", () => this.demo()));
    }
  }

  async stop() {
    try {
      await ask("stop");
      this.said.textContent = "Stopped. In a terminal, ludus train --resume goes on with it.";
    } catch (error) {
      this.why.textContent = error.message;
    }
    this.list();
  }
}
