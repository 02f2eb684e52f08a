// A chart of curves over games: means with bands, levels, and the values under the pointer or at the arrow keys.
//
// about: {title, unit, curves: [{label, steps, mean, low, high, seeds, count}], levels: [[value, text]], logarithmic}
// It is drawn in pixels and drawn anew when its box changes, so that its letters keep their size.

import { button, h, s, say } from "../dom.js";
import { games, logTicks, nearest, range, short, ticks } from "./scale.js";

const [LETTER, TOP, BELOW, RIGHT] = [7.2, 10, 26, 14]; // pixels
const [COLOURS, MOST_TOLD] = [8, 12];
let count = 0;

export class Chart {
  constructor(about, { height = 220, onmark = null } = {}) {
    this.height = height;
    this.onmark = onmark;
    this.number = count += 1;
    this.at = null; // where the reader points, in games
    this.marked = null; // a level on the axis of games that is shown: an age
    this.hidden = new Set();
    this.svg = s("svg", { class: "chart", role: "img", tabindex: "0" });
    this.told = h("p", { class: "chart-told", hidden: true });
    this.legend = h("div", { class: "chart-legend" });
    this.box = h("div", { class: "chart-box" }, this.svg, this.told);
    this.caption = h("figcaption", {});
    this.element = h("figure", { class: "figure" }, this.caption, this.box, this.legend);
    this.svg.addEventListener("pointermove", (event) => this.pointed(event));
    this.svg.addEventListener("pointerdown", (event) => this.pointed(event));
    this.svg.addEventListener("pointerleave", () => this.look(null));
    this.svg.addEventListener("blur", () => this.look(null));
    this.svg.addEventListener("keydown", (event) => this.keyed(event));
    this.watching = new ResizeObserver(() => this.draw());
    this.watching.observe(this.box);
    this.show(about);
  }

  show(about) {
    this.about = about;
    this.caption.textContent = about.title + (this.logarithmic() ? " (logarithmic)" : "");
    this.steps = [...new Set(about.curves.flatMap((curve) => curve.steps))].sort((a, b) => a - b);
    this.dressed();
    this.draw();
  }

  // Mark a place on the axis of games.
  mark(games) {
    this.marked = games;
    this.draw();
  }

  logarithmic() {
    const { about } = this;
    if (about.logarithmic !== undefined) return about.logarithmic;
    const values = about.curves.flatMap((curve) => curve.mean).filter((value) => value !== null);
    return Math.min(...values) > 0 && Math.max(...values) / Math.min(...values) > 100;
  }

  // One entry for each curve: pressed, it is drawn. A single curve needs none.
  dressed() {
    const { curves } = this.about;
    this.legend.hidden = curves.length < 2;
    this.legend.replaceChildren(...curves.map((curve, k) => {
      const key = s("svg", { viewBox: "0 0 26 8", class: "chart-key", "aria-hidden": "true" });
      key.append(s("line", { x1: 1, x2: 25, y1: 4, y2: 4, class: this.look_of(k) }));
      const shown = !this.hidden.has(curve.label);
      const entry = button("", () => {
        if (shown) this.hidden.add(curve.label);
        else this.hidden.delete(curve.label);
        this.dressed();
        this.draw();
        this.legend.children[k].focus();
      }, { "aria-pressed": String(shown), class: "chart-entry" });
      entry.append(key, h("span", {}, curve.label));
      return entry;
    }));
  }

  look_of(k) {
    return `mean curve-${k % COLOURS} dash-${Math.floor(k / COLOURS) % 4}`;
  }

  drawn() {
    return this.about.curves.map((curve, k) => [curve, k]).filter(([curve]) => !this.hidden.has(curve.label));
  }

  draw() {
    const wide = Math.max(220, this.box.clientWidth || 560);
    const { height, about } = this;
    const drawn = this.drawn();
    const log = this.logarithmic();
    const levels = about.levels || [];
    const values = drawn.flatMap(([curve]) => [...curve.mean, ...curve.low, ...curve.high]);
    const known = [...values, ...levels.map(([level]) => level)].filter((value) => value !== null && (!log || value > 0));
    const [low, high] = range(known.length ? known : [0, 1], log);
    const marks = log ? logTicks(low, high) : ticks(low, high, height < 200 ? 3 : 4);
    const labels = marks.map(short);
    const left = 10 + LETTER * Math.max(...labels.map((text) => text.length), 2);
    const last = Math.max(1, ...this.steps);
    const first = Math.min(0, ...this.steps);
    const scale = log ? Math.log10 : (value) => value;
    this.x = (step) => left + ((wide - left - RIGHT) * (step - first)) / (last - first);
    this.back = (x) => first + ((x - left) * (last - first)) / (wide - left - RIGHT);
    this.y = (value) =>
      height - BELOW - ((height - TOP - BELOW) * (scale(value) - scale(low))) / (scale(high) - scale(low));
    this.svg.setAttribute("viewBox", `0 0 ${wide} ${height}`);
    this.svg.setAttribute("width", wide);
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("aria-label", this.spoken());
    this.svg.replaceChildren();
    marks.forEach((value, k) => {
      this.svg.append(s("line", { x1: left, x2: wide - RIGHT, y1: this.y(value), y2: this.y(value), class: "axis" }));
      this.svg.append(s("text", { x: left - 6, y: this.y(value) + 4, class: "tick end" }, labels[k]));
    });
    this.along(first, last, wide, left);
    for (const [level, text] of levels) this.level(level, text, wide, left);
    this.plot = s("g", { "clip-path": `url(#plot-${this.number})` });
    const frame = s("rect", { x: left, y: TOP - 5, width: wide - left - RIGHT + 5, height: height - TOP - BELOW + 10 });
    this.svg.append(s("defs", {}, s("clipPath", { id: `plot-${this.number}` }, frame)), this.plot);
    for (const [curve, k] of drawn) this.curve(curve, k, log);
    if (this.marked !== null) {
      const x = this.x(Math.min(last, this.marked));
      this.svg.append(s("line", { x1: x, x2: x, y1: TOP, y2: height - BELOW, class: "age" }));
    }
    this.cross = s("g", { class: "cross-hair" });
    this.svg.append(this.cross);
    if (this.at !== null) this.look(this.at);
  }

  // The axis of games: as many numbers as there is room for, none beyond an edge, the unit at the last.
  along(first, last, wide, left) {
    const room = Math.max(2, Math.floor((wide - left) / 90));
    const marks = ticks(first, last, Math.min(5, room));
    const y = this.height - 8;
    marks.forEach((value, k) => {
      const x = this.x(value);
      const unit = k === marks.length - 1 ? ` ${this.about.unit}` : "";
      const text = `${short(value)}${unit}`;
      const half = (text.length * LETTER) / 2;
      const [at, anchor] = x + half > wide - 2 ? [wide - 2, "end"] : x - half < 2 ? [2, "start"] : [x, "middle"];
      this.svg.append(s("line", { x1: x, x2: x, y1: this.height - BELOW, y2: this.height - BELOW + 4, class: "axis" }));
      this.svg.append(s("text", { x: at, y, class: `tick ${anchor}` }, text));
    });
  }

  level(level, text, wide, left) {
    const y = this.y(level);
    this.svg.append(s("line", { x1: left, x2: wide - RIGHT, y1: y, y2: y, class: "level" }));
    const above = y > TOP + 16 ? y - 5 : y + 14;
    this.svg.append(s("text", { x: wide - RIGHT, y: above, class: "tick end level-name" }, text));
  }

  curve(curve, k, log) {
    const place = (values) =>
      values.map((value, at) => (value === null || (log && value <= 0) ? null : [this.x(curve.steps[at]), this.y(value)]));
    const [low, high] = [place(curve.low), place(curve.high)];
    const inside = low.map((point, at) => point && high[at] && at).filter((at) => at !== null && at !== false);
    if (inside.length > 1) {
      const round = [...inside.map((at) => high[at]), ...inside.reverse().map((at) => low[at])];
      this.plot.append(s("polygon", { points: round.map((point) => point.join(",")).join(" "), class: `band curve-${k % COLOURS}` }));
    }
    for (const seed of curve.seeds) this.path(place(seed), `seed curve-${k % COLOURS}`);
    this.path(place(curve.mean), this.look_of(k));
    const points = place(curve.mean).filter(Boolean);
    const end = points.at(-1);
    if (end) this.plot.append(s("circle", { cx: end[0], cy: end[1], r: 3.5, class: `end curve-${k % COLOURS}` }));
  }

  // A line with gaps where nothing is known.
  path(points, look) {
    let pen = false;
    let drawn = "";
    for (const point of points) {
      if (point) drawn += `${pen ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
      pen = Boolean(point);
    }
    if (drawn) this.plot.append(s("path", { d: drawn, class: look }));
  }

  spoken() {
    const parts = this.about.curves.map((curve) => {
      const known = curve.mean.filter((value) => value !== null);
      if (!known.length) return `${curve.label}: nothing is measured`;
      const ends = `from ${known[0].toPrecision(3)} to ${known.at(-1).toPrecision(3)}`;
      return `${curve.label ? `${curve.label} ` : ""}${ends} after ${games(curve.steps.at(-1))} ${this.about.unit}`;
    });
    const many = parts.length > 6 ? `, and ${parts.length - 6} more` : "";
    return `${this.about.title}: ${parts.slice(0, 6).join("; ")}${many}`;
  }

  // --- what is under the pointer ---

  pointed(event) {
    const box = this.svg.getBoundingClientRect();
    const at = this.back(((event.clientX - box.left) * this.svg.viewBox.baseVal.width) / box.width);
    this.look(this.steps.length ? this.steps[nearest(this.steps, at)] : null);
    if (event.type === "pointerdown" && this.onmark) this.onmark(this.at);
  }

  keyed(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || !this.steps.length) return;
    event.preventDefault();
    const now = this.at === null ? (way > 0 ? -1 : this.steps.length) : this.steps.indexOf(this.at);
    this.look(this.steps[Math.min(this.steps.length - 1, Math.max(0, now + way))]);
    say(this.told.textContent);
  }

  look(at) {
    this.at = at;
    this.cross.replaceChildren();
    if (at === null) {
      this.told.hidden = true;
      return;
    }
    const x = this.x(at);
    this.cross.append(s("line", { x1: x, x2: x, y1: TOP, y2: this.height - BELOW, class: "hair" }));
    const said = [h("b", {}, `${games(at)} ${this.about.unit}`)];
    for (const [curve, k] of this.drawn()) {
      const place = nearest(curve.steps, at);
      const value = curve.mean[place];
      if (value === null || value === undefined) continue;
      this.cross.append(s("circle", { cx: this.x(curve.steps[place]), cy: this.y(value), r: 4, class: `dot curve-${k % COLOURS}` }));
      const [low, high] = [curve.low[place], curve.high[place]];
      const between = low === null || low === undefined ? "" : ` [${short(low)}, ${short(high)}]`;
      said.push(h("span", { class: `chart-value curve-${k % COLOURS}` }, `${curve.label ? `${curve.label}: ` : ""}${short(value)}${between}`));
    }
    this.told.hidden = false;
    this.told.classList.toggle("at-left", x > this.svg.viewBox.baseVal.width / 2);
    this.told.replaceChildren(...said.slice(0, MOST_TOLD), ...(said.length > MOST_TOLD ? ["…"] : []));
  }

  leave() {
    this.watching.disconnect();
  }
}

// Points of one run, [[games, value]], as a curve.
export function plainCurve(label, points) {
  const steps = points.map(([step]) => step);
  const mean = points.map(([, value]) => value);
  const none = points.map(() => null);
  return { label, steps, mean, low: none, high: none, seeds: [], count: 1 };
}
