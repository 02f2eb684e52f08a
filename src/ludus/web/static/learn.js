// Runs, and one of them as it grows. The page reads what the run writes; it trains nothing itself.

import { ask, get } from "./api.js";
import { button, h, s, section } from "./dom.js";
import { Watching } from "./watching.js";

const [WIDE, HIGH, EDGE] = [600, 220, 46];

export async function open(main, known) {
  const page = new Learning(main, known);
  await page.list();
  const run = new URLSearchParams(location.search).get("run");
  if (run) page.watch(run);
  return page;
}

class Learning {
  constructor(main, known) {
    this.known = known;
    this.table = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Runs" });
    this.said = h("p", { role: "status" });
    this.course = h("div", {});
    this.live = h("div", {});
    const demo = known.demo ? button(`Train an agent at ${known.demo} now (two minutes)`, () => this.demo()) : null;
    const row = h("div", { class: "row" }, ...(demo ? [demo] : []), button("Look again", () => this.list()));
    main.replaceChildren(h("h1", {}, "Watch it learn"), row, this.said, section("Runs", this.table), this.course, this.live);
  }

  leave() {
    this.events?.close();
    this.playing?.leave();
    this.left = true;
  }

  async list() {
    const { runs } = await get("runs");
    if (!runs.length) {
      const none = "There are no runs in the folder of this page. ludus train makes them; so does the button above.";
      this.table.replaceChildren(h("p", {}, none));
      return;
    }
    const heads = ["Run", "Game", "Recipe", "Games", "State", "Strength"].map((text) => h("th", { scope: "col" }, text));
    const rows = runs.map((run) => {
      const name = button(run.name.replace(/^run:/, ""), () => this.choose(run.name));
      const games = run.total ? `${run.games.toLocaleString("en")} of ${run.total.toLocaleString("en")}` : "";
      const cells = [run.game, run.recipe, games, run.state, run.strength || ""].map((text) => h("td", {}, text));
      return h("tr", {}, h("th", { scope: "row" }, name), cells);
    });
    this.table.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)));
  }

  choose(name) {
    history.pushState(null, "", `/?view=learn&run=${encodeURIComponent(name)}`);
    this.watch(name);
  }

  async demo() {
    this.said.textContent = "Starting …";
    try {
      const { run } = await ask("demo");
      this.said.textContent = "An agent that knows only the rules now plays itself, in a process of its own.";
      for (let again = 0; again < 120 && !this.left; again += 1) {
        const { runs } = await get("runs");
        if (runs.some((known) => known.name === run)) break;
        await new Promise((done) => setTimeout(done, 500));
      }
      await this.list();
      this.choose(run);
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  watch(name) {
    this.events?.close();
    this.playing?.leave();
    this.playing = null;
    this.live.replaceChildren();
    this.course.replaceChildren(h("p", {}, "One moment."));
    this.events = new EventSource(`/api/events?run=${encodeURIComponent(name)}`);
    this.events.onmessage = (event) => {
      const found = JSON.parse(event.data);
      this.draw(found);
      if (!["running", "stopped"].includes(found.run.state)) {
        this.events.close();
        this.list();
      }
    };
    this.events.onerror = () => {
      if (this.events.readyState !== EventSource.CLOSED) return;
      this.course.replaceChildren(h("p", {}, "This run cannot be watched: it is not in the folder of this page."));
    };
  }

  draw({ run, panels }) {
    const game = this.known.games.find((known) => known.name === run.game);
    const said = new URLSearchParams({ view: "play", game: run.game });
    for (const [option, value] of Object.entries(run.options || {})) said.set(`o.${option}`, String(value));
    const two = game && game.seats.length === 2;
    const against = new URLSearchParams(said);
    against.set("p1", run.name);
    const itself = new URLSearchParams(against);
    itself.set("p0", run.name);
    const ready = run.games > 0 && two;
    const link = (said, text) => h("a", { class: "button", href: `/?${said}` }, text);
    const wait = two ? "It can be played after its first report." : "It orders the moves of a search, and plays no games.";
    const links = ready
      ? [link(against, "Play against it as it is now"), link(itself, "Watch it play itself")]
      : [h("p", {}, wait)];
    const total = run.total ? ` of ${run.total.toLocaleString("en")}` : "";
    const head = `${run.games.toLocaleString("en")}${total} games, ${run.state}${run.strength ? `; ${run.strength}` : ""}`;
    this.course.replaceChildren(
      section(
        run.name.replace(/^run:/, ""),
        h("p", { "aria-live": "polite" }, head),
        h("div", { class: "row" }, links),
        ...panels.map(chart),
      ),
    );
    if (ready && !this.playing) {
      this.playing = new Watching(run);
      this.live.replaceChildren(this.playing.element);
    }
  }
}

// A curve over games; one that falls by much is drawn by its logarithm.
function chart({ title, points }) {
  const values = points.map(([, value]) => value);
  const steep = Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 100;
  const scale = steep ? Math.log10 : (value) => value;
  let [low, high] = [scale(Math.min(...values)), scale(Math.max(...values))];
  if (high - low < 1e-9) [low, high] = [low - 0.5, high + 0.5];
  const last = Math.max(1, ...points.map(([games]) => games));
  const x = (games) => EDGE + ((WIDE - EDGE - 12) * games) / last;
  const y = (value) => HIGH - 26 - ((HIGH - 40) * (scale(value) - low)) / (high - low);
  const undo = steep ? (value) => 10 ** value : (value) => value;
  const now = values.at(-1);
  const played = points.at(-1)[0].toLocaleString("en");
  const label = `${title}: from ${values[0].toPrecision(3)} to ${now.toPrecision(3)} after ${played} games`;
  const svg = s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label, class: "chart" });
  for (const share of [0, 0.5, 1]) {
    const value = undo(low + (high - low) * share);
    svg.append(s("line", { x1: EDGE, x2: WIDE - 12, y1: y(value), y2: y(value), class: "axis" }));
    svg.append(s("text", { x: EDGE - 5, y: y(value) + 4, class: "tick end" }, Number(value.toPrecision(3)).toString()));
  }
  const line = points.map(([games, value]) => `${x(games)},${y(value)}`).join(" ");
  const most = `${last.toLocaleString("en")} games`;
  svg.append(s("text", { x: EDGE, y: HIGH - 8, class: "tick" }, "0"));
  svg.append(s("text", { x: WIDE - 12, y: HIGH - 8, class: "tick end" }, most));
  svg.append(s("polyline", { points: line, class: "curve truth" }));
  svg.append(s("circle", { cx: x(points.at(-1)[0]), cy: y(now), r: 4, class: "end" }));
  return h("figure", {}, h("figcaption", {}, `${title}${steep ? " (logarithmic)" : ""}: ${Number(now.toPrecision(4))}`), svg);
}
