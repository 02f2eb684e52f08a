// One run as it grows: its curves, the game that it plays beside them, and a slider over its ages.

import { Chart, plainCurve } from "./charts/chart.js";
import { button, h, section } from "./dom.js";
import { refill } from "./focus.js";
import { Watching } from "./watching.js";

const count = (games) => games.toLocaleString("en");

// How far a run is, in words.
export function played({ games, total, state }) {
  const whole = total && state !== "finished" && games < total ? ` of ${count(total)}` : "";
  return `${count(games)}${whole} games`;
}

export class Course {
  // `grown(run)` is told what the run says of itself
  constructor(known, grown) {
    this.known = known;
    this.grown = grown;
    this.charts = [];
    this.name = null;
    this.age = null; // a snapshot's games; null: as it stands now
    this.element = h("div", { class: "course" });
  }

  leave() {
    this.events?.close();
    this.playing?.leave();
    for (const chart of this.charts) chart.leave();
  }

  close() {
    this.leave();
    this.name = null;
    this.element.replaceChildren();
  }

  watch(name, age = null) {
    if (this.name === name) return;
    this.leave();
    Object.assign(this, { name, charts: [], playing: null, run: null, age: age === null ? null : Number(age) });
    this.head = h("p", { "aria-live": "polite", class: "run-head" });
    this.why = h("p", { class: "why", role: "alert" });
    this.curves = h("div", { class: "charts" });
    this.game = h("div", { class: "live-game" });
    this.links = h("div", { class: "row" });
    this.range = h("input", { type: "range", min: 0, max: 0, value: 0, id: "age" });
    this.range.addEventListener("input", () => this.aged(Number(this.range.value)));
    this.told = h("output", { for: "age" });
    this.slider = h("div", { class: "ages" }, h("label", { for: "age" }, "Its age"), this.range, this.told);
    this.rival = h("select", { id: "rival", onchange: () => this.seat() });
    this.against = h("label", {}, h("span", {}, "plays against"), this.rival);
    const pair = h("div", { class: "pair" }, this.curves, h("div", { class: "beside" }, this.slider, this.against, this.game, this.links));
    this.element.replaceChildren(section(name.replace(/^run:/, ""), this.head, this.why, pair));
    this.curves.append(h("p", { class: "legend spin" }, "One moment "));
    this.listen();
  }

  listen() {
    this.events = new EventSource(`/api/events?run=${encodeURIComponent(this.name)}`);
    this.events.onmessage = (event) => {
      const found = JSON.parse(event.data);
      this.why.textContent = "";
      this.draw(found);
      if (!["running", "stopped"].includes(found.run.state)) this.events.close();
      this.grown(found.run);
    };
    this.events.onerror = () => {
      if (this.events.readyState !== EventSource.CLOSED) return;
      const again = button("Try again", () => this.listen());
      this.why.replaceChildren("This run cannot be watched: it is not in the folder of this page. ", again);
      if (!this.run) this.curves.replaceChildren();
    };
  }

  draw({ run, panels }) {
    this.run = run;
    const state = run.state === "running" ? "learning now" : run.state;
    this.head.textContent = `${played(run)}, ${state}${run.strength ? `; ${run.strength}` : ""}`;
    const about = panels.map((panel) => ({ title: panel.title, unit: "games", curves: [plainCurve("", panel.points)] }));
    if (this.charts.length !== about.length) {
      for (const chart of this.charts) chart.leave();
      this.charts = about.map((one) => new Chart(one, { height: 190, onmark: (games) => this.nearest(games) }));
      const live = run.state === "running";
      const soon = "It gets ready: the first report comes within a minute, and the curves begin with it ";
      const none = h("p", { class: live ? "legend spin" : "legend" }, live ? soon : "It has no report, so there is nothing to draw.");
      this.curves.replaceChildren(...(about.length ? this.charts.map((chart) => chart.element) : [none]));
    } else about.forEach((one, k) => this.charts[k].show(one));
    this.slide();
    this.seat();
  }

  // --- ages ---

  get ages() {
    return this.run?.ages || [];
  }

  slide() {
    const { ages } = this;
    this.slider.hidden = !ages.length;
    this.range.max = ages.length;
    const at = this.age === null ? -1 : ages.findIndex(({ games }) => games === this.age);
    if (at < 0) this.age = null;
    this.range.value = at < 0 ? ages.length : at;
    this.say();
  }

  aged(at) {
    this.age = this.ages[at]?.games ?? null;
    this.say();
    this.seat();
    const said = new URLSearchParams(location.search);
    if (this.age === null) said.delete("age");
    else said.set("age", this.age);
    history.replaceState(null, "", `/?${said}`);
  }

  // The snapshot that is nearest to a place on the curve.
  nearest(games) {
    const places = [...this.ages.map((age) => age.games), this.run.games];
    const off = places.map((place) => Math.abs(place - games));
    this.range.value = off.indexOf(Math.min(...off));
    this.aged(Number(this.range.value));
  }

  say() {
    const words = this.age === null ? `now, after ${count(this.run.games)} games` : `after ${count(this.age)} games`;
    this.told.textContent = words;
    this.range.setAttribute("aria-valuetext", words);
    for (const chart of this.charts) chart.mark(this.age);
  }

  agent() {
    return this.ages.find(({ games }) => games === this.age)?.agent || this.run.name;
  }

  // Who sits where: the run at this age in the first seat, itself or another age in the second.
  seat() {
    const game = this.known.games.find((known) => known.name === this.run.game);
    const two = game && game.seats.length === 2;
    const ready = two && this.run.games > 0 && this.run.state !== "damaged";
    this.rivals();
    const mine = this.agent();
    const theirs = this.rival.value === "itself" ? mine : this.rival.value;
    this.against.hidden = !ready || !this.ages.length;
    this.game.hidden = !ready;
    if (ready && !this.playing) {
      this.playing = new Watching(this.run, [mine, theirs]);
      this.game.replaceChildren(this.playing.element);
    } else this.playing?.seat([mine, theirs]);
    refill(this.links, ...(ready ? this.ways(mine) : [h("p", { class: "legend" }, this.wait(two))]));
  }

  rivals() {
    const chosen = this.rival.value || "itself";
    const entries = [["itself", "itself at this age"], [this.run.name, "itself as it is now"]];
    for (const { games, agent } of this.ages) entries.push([agent, `itself after ${count(games)} games`]);
    if (this.rival.options.length === entries.length) return;
    this.rival.replaceChildren(...entries.map(([value, text]) => h("option", { value }, text)));
    this.rival.value = entries.some(([value]) => value === chosen) ? chosen : "itself";
  }

  wait(two) {
    if (this.run.state === "damaged") return "Its folder is damaged: ludus runs says how.";
    return two ? "It can be played after its first report." : "It orders the moves of a search, and plays no games.";
  }

  ways(agent) {
    const said = new URLSearchParams({ view: "play", game: this.run.game });
    for (const [option, value] of Object.entries(this.run.options || {})) said.set(`o.${option}`, String(value));
    const link = (words, more) => {
      const all = new URLSearchParams([...said, ...Object.entries(more)]);
      return h("a", { class: "button", href: `/?${all}` }, words);
    };
    const when = this.age === null ? "as it is now" : "at this age";
    return [link(`Play against it ${when}`, { p1: agent }), link("What it thinks of each move", { ask: agent })];
  }
}
