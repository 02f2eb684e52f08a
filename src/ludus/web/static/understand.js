// Analysis at a glance: who wins, the three best moves on the board, and under that every move and line.

import { HUMAN, about } from "./address.js";
import { ask } from "./api.js";
import { allMoves } from "./allmoves.js";
import { barWords, kind, ofFirst, percent, share, verdict } from "./chances.js";
import { button, check, h, section, select } from "./dom.js";
import { Thinking } from "./thinking.js";
import { bare } from "./words.js";

const BEST = 3;
const SLOW = 1500; // milliseconds after which waiting is explained
const FURTHER = [400, 2000]; // simulations of a search that looks further

export class Understand {
  static tab = "analysis";

  constructor(table) {
    this.table = table;
    this.first = null;
    this.second = "";
    this.exact = true;
    this.on = false;
    this.thinking = null;
    this.head = h("div", { class: "verdicthead" });
    this.best = h("ol", { class: "list bestmoves", "aria-label": "The best moves" });
    this.states = h("div", { class: "parts", role: "status" });
    this.every = h("details", { class: "every" }, h("summary", {}, "Every move"));
    this.every.addEventListener("toggle", () => this.every.open && this.show());
    this.table2 = h("div", {});
    this.every.append(this.table2);
    this.settings = h("details", {}, h("summary", {}, "Who analyses"));
    this.controls = h("div", {});
    this.said = h("p", { role: "status" });
    this.settings.append(this.controls, this.said);
    this.off = h("div", { class: "row" }, button("Analyse this position", () => table.analyse(), { class: "main" }));
    this.results = h("div", { role: "region", "aria-label": "Analysis" }, this.head, this.best, this.states, this.every);
    this.element = section("Analysis", this.off, this.results, this.settings);
    this.asked = new URLSearchParams(location.search).get("ask"); // whom somebody wants to hear: a run at an age
    if (this.asked) Object.assign(this, { first: this.asked, on: true });
  }

  // --- what the table calls -------------------------------------------------------------------------------------------

  mounted() {
    if (this.asked) this.table.tabs.open("analysis");
  }

  analyse(on) {
    this.on = on;
    if (this.table.position) this.update();
  }

  analysing() {
    return this.on;
  }

  leave() {
    this.thinking?.leave();
  }

  agents() {
    const known = this.table.agents().filter((name) => name !== "random" && !name.startsWith("minimax"));
    return this.asked && !known.includes(this.asked) ? [this.asked, ...known] : known;
  }

  // Who analyses by itself: an agent that came with the game and suits the board, else whoever can.
  choose() {
    const agents = this.agents();
    if (!agents.includes(this.first)) {
      const best = agents.find((name) => name.startsWith(`${this.table.game.name}/best`));
      const seated = this.table.state.players.map((player) => bare(player.agent)).find((name) => agents.includes(name));
      this.first = best || seated || agents[0] || "";
    }
    if (this.second && !agents.includes(this.second)) this.second = "";
    return agents;
  }

  update() {
    const { table } = this;
    this.thinking?.leave();
    this.thinking = null;
    const agents = this.choose();
    const alone = table.game.seats.length === 1;
    this.off.hidden = this.on;
    this.results.hidden = !this.on;
    this.setUp(agents, alone);
    if (!this.on || table.position.over) {
      this.head.replaceChildren(...(table.position.over ? [h("p", {}, "The game is over.")] : []));
      for (const place of [this.best, this.states]) place.replaceChildren();
      this.every.hidden = true;
      table.paint("analysis", null);
      const [first] = table.position.returns || [];
      const known = this.on && table.position.over && !alone;
      table.chance(known ? { first: (1 + first) / 2, words: barWords(table.game.seats, (1 + first) / 2, true), proved: true } : null);
      return;
    }
    this.every.hidden = false;
    this.thinking = new Thinking(about(table.state), () => this.show());
    this.question();
  }

  question() {
    const { thinking } = this;
    if (this.exact) thinking.truth();
    if (this.first) thinking.agent("first", this.first);
    if (this.second) thinking.agent("second", this.second);
    this.show();
    setTimeout(() => thinking === this.thinking && this.show(), SLOW + 50);
  }

  setUp(agents, alone) {
    const entries = agents.map((name) => [name, name]);
    const set = (changes) => {
      Object.assign(this, changes);
      this.update();
    };
    const others = [["", "nobody"], ...entries];
    const beaten = this.first && !alone && !this.first.startsWith("perfect") && !this.first.startsWith("alphabeta");
    this.controls.replaceChildren(
      ...(entries.length ? [select("Agent", entries, this.first, (first) => set({ first }))] : []),
      ...(entries.length > 1 ? [select("and beside it", others, this.second, (second) => set({ second }))] : []),
      check("Exact verdicts", this.exact, (exact) => set({ exact })),
      ...(this.on ? [button("Stop analysing", () => this.table.analyse())] : []),
      ...(beaten ? [button(`Shortest line that beats ${this.first}`, () => this.refute())] : []),
    );
  }

  // --- what is known --------------------------------------------------------------------------------------------------

  answer(id) {
    const found = this.thinking?.parts[id]?.answer;
    return found && found.known !== false ? found : null;
  }

  show() {
    if (!this.thinking) return;
    this.verdict();
    const best = this.choices();
    this.best.replaceChildren(...best.map((choice, at) => this.row(choice, at + 1)));
    this.mark(best);
    this.states.replaceChildren(...this.waiting());
    this.every.querySelector("summary").textContent = `Every move (${this.table.position.legal.length})`;
    if (this.every.open) this.table2.replaceChildren(...allMoves(this.table, this.thinking.parts));
  }

  // The chance of the side to move: proved, or as the agent has it.
  chance() {
    const [truth, first] = [this.answer("truth"), this.answer("first")];
    if (truth && truth.value !== null) return { chance: (1 + truth.value) / 2, proved: true, by: "truth" };
    if (first && first.chance !== null && first.chance !== undefined) return { chance: first.chance, proved: Boolean(first.proved), by: "first" };
    return null;
  }

  verdict() {
    const { table } = this;
    const { position, game } = table;
    const alone = game.seats.length === 1;
    const known = this.chance();
    const [truth, first] = [this.answer("truth"), this.answer("first")];
    const parts = [];
    if (alone) {
      if (truth) parts.push(h("span", { class: `big verdict ${truth.value > 0 ? "win" : "loss"}` }, truth.value > 0 ? "It can be solved" : "It cannot be solved"));
    } else if (known) {
      const side = position.seats[position.player];
      if (known.by === "truth") {
        const words = { win: `${side} wins`, draw: "A draw", loss: `${side} loses` }[kind(truth)];
        const far = truth.plies ? ` in ${truth.plies} ${truth.plies === 1 ? "move" : "moves"}` : "";
        parts.push(h("span", { class: `big verdict ${kind(truth)}` }, `${words}${far}`));
      } else parts.push(h("span", { class: "big" }, percent(known.chance, known.proved)), h("span", {}, `to win for ${side}`));
    }
    if (known?.proved || (alone && truth)) parts.push(h("span", { class: "tag true" }, "proved"));
    if (first && !(known?.by === "truth")) parts.push(h("span", { class: "tag" }, this.told(first)));
    this.head.replaceChildren(...parts);
    const shown = alone || !known ? null : ofFirst(known.chance, position.player);
    table.chance(shown === null ? null : { first: shown, words: barWords(game.seats, shown, known.proved), proved: known.proved });
  }

  // Who says so: the agent, and how far it looked.
  told(first) {
    const searched = first.moves?.reduce((sum, entry) => sum + (entry.visits || 0), 0);
    const far = searched ? `, ${searched} simulations` : first.depth ? `, ${first.depth} moves deep` : "";
    return `${bare(first.agent || this.first)}${far}`;
  }

  // The best few moves: only such as hold what is proved, in the agent's order; else the agent's own.
  choices() {
    const [truth, first] = [this.answer("truth"), this.answer("first")];
    const liked = first?.moves || [];
    const order = new Map(liked.map((entry, at) => [entry.move, at]));
    const opinion = new Map(liked.map((entry) => [entry.move, entry]));
    if (truth && truth.value !== null && truth.moves.length) {
      const top = truth.value;
      const held = truth.moves.filter((entry) => entry.value === top);
      const rank = (entry) => order.get(entry.move) ?? Infinity;
      const sorted = top === 0 ? [...held].sort((a, b) => rank(a) - rank(b)) : held;
      return this.apart(sorted).map((entry) => ({ move: entry.move, truth: entry, opinion: opinion.get(entry.move) }));
    }
    const rated = liked.filter((entry) => entry.value !== null && entry.value !== undefined);
    const shown = rated.length ? [...rated].sort((a, b) => (b.visits || 0) - (a.visits || 0) || b.value - a.value) : liked;
    return this.apart(shown).map((entry) => ({ move: entry.move, opinion: entry }));
  }

  // The first few; before others come those that lay a piece on squares of their own.
  apart(entries) {
    const own = this.own(entries);
    return [...own, ...entries.filter((entry) => !own.includes(entry))].slice(0, BEST);
  }

  // Moves without those that lay a piece where an earlier one does: on the board they would hide each other.
  own(entries) {
    const { ways, legal } = this.table.position;
    const seen = new Set();
    return entries.filter(({ move }) => {
      const way = ways?.[legal.indexOf(move)];
      const key = way && way.put.length > 1 ? [...way.put].sort().join(" ") : move;
      return !seen.has(key) && seen.add(key);
    });
  }

  // What stands beside a move: its verdict, its chance, or how likely the agent plays it.
  words({ truth, opinion }, short = false) {
    if (this.table.game.seats.length === 1 && truth) return truth.value > 0 ? (short ? "✓" : "can be solved") : short ? "✗" : "cannot be solved";
    if (truth) return verdict(truth, short);
    if (opinion.chance !== null && opinion.chance !== undefined) return percent(opinion.chance, opinion.proved);
    if (short) return "";
    if (opinion.value !== null && opinion.value !== undefined) return opinion.value.toFixed(2);
    return opinion.probability === null ? "" : `played with ${share(opinion.probability)}`;
  }

  row(choice, rank) {
    const { table } = this;
    const { move } = choice;
    const line = (choice.opinion?.line || []).slice(1);
    const tone = choice.truth ? ` verdict ${kind(choice.truth)}` : "";
    const name = table.mine() ? button(move, () => table.play(move), { class: "quiet" }) : h("span", { class: "name" }, move);
    const on = () => table.point(move);
    const off = () => table.point(null);
    return h("li", { class: "choice", onpointerenter: on, onpointerleave: off, onfocusin: on, onfocusout: off },
      h("span", { class: `rank rank${rank}`, "aria-hidden": "true" }, String(rank)),
      name,
      h("span", { class: `worth${tone}` }, this.words(choice)),
      line.length ? h("span", { class: "variation" }, line.join(" ")) : null,
    );
  }

  mark(best) {
    const { table } = this;
    if (!table.position.ways || !best.length) return table.paint("analysis", null);
    const layer = { best: this.own(best).map((choice, at) => ({ move: choice.move, text: this.words(choice, true), words: this.words(choice), rank: at + 1 })) };
    const key = JSON.stringify(layer);
    if (key === this.painted && table.layers.has("analysis")) return;
    this.painted = key;
    table.paint("analysis", layer);
  }

  // --- what is not known, and why -------------------------------------------------------------------------------------

  waiting() {
    const { thinking } = this;
    const found = [];
    for (const [id, part] of Object.entries(thinking.parts)) {
      const text = this.state(id, part);
      if (text) found.push(text);
    }
    return found;
  }

  state(id, part) {
    const { thinking } = this;
    const again = () => (id === "truth" ? thinking.truth() : thinking.agent(id, part.name));
    if (part.waiting) {
      const long = performance.now() - part.since > SLOW && !part.answer;
      const why = long && id !== "truth" ? " Its first answer compiles, once on each machine." : "";
      return h("p", { class: "legend" }, h("span", { class: "spin" }, part.answer ? `${part.name} looks further` : `${part.name} is on its way`), why);
    }
    if (part.error) {
      const less = id !== "truth" && part.answer ? " What it thought at a glance is shown." : "";
      return h("p", { class: "why" }, `${part.name}: ${part.error.message}${less} `, button("Try again", again));
    }
    if (part.answer?.known === false) return h("p", { class: "legend" }, `No exact verdict: ${part.answer.why}.`);
    if (part.answer?.why) return h("p", { class: "legend" }, `${part.answer.why}.`);
    const far = id === "first" && this.further(part);
    return far ? h("div", { class: "chips" }, far.map((count) => button(`Look further: ${count} simulations`, () => thinking.agent(id, part.name, `${bare(part.answer.agent)}@${count}`)))) : null;
  }

  // How much further the agent could look, unless the truth is known.
  further(part) {
    const searched = part.answer?.agent?.match(/@(\d+)$/);
    if (!searched || this.answer("truth")) return null;
    const more = FURTHER.filter((count) => count > Number(searched[1]));
    return more.length ? more.slice(0, 2) : null;
  }

  // --- a hint, and a line that beats the agent ------------------------------------------------------------------------

  async hint() {
    const { table } = this;
    const at = table.position;
    table.tell("Looking for a good move …", "next");
    const asked = about(table.state);
    const first = this.first ? ask("opinion", { ...asked, agent: this.first, lines: 0 }).catch(() => null) : null;
    const late = new Promise((done) => setTimeout(() => done(null), first ? 2500 : 40000));
    const truth = await Promise.race([ask("truth", asked).catch(() => null), late]);
    const opinion = await first;
    if (table.position !== at) return;
    const held = truth?.known ? truth.moves.filter((entry) => entry.value === truth.value) : [];
    const names = new Set(held.map((entry) => entry.move));
    const liked = opinion?.moves?.find((entry) => !names.size || names.has(entry.move))?.move;
    const move = (truth?.value === 0 && liked) || held[0]?.move || liked;
    if (!move) return table.tell("Nobody here knows a good move.", "no");
    table.paint("hint", { best: [{ move, text: "", rank: 1, words: "the hint" }] });
    const why = held.length ? { win: "it wins", draw: "it holds the draw", loss: "every move loses, this one takes longest" }[kind(held[0])] : `${this.first} would play it`;
    table.tell(`Try ${move}: ${why}.`, "next");
  }

  // The shortest line that beats the agent, as a game to go through.
  async refute() {
    const { table } = this;
    this.said.textContent = "Following every line …";
    try {
      const { game, options } = table.state;
      const found = await ask("refutation", { game, options, agent: this.first });
      if (!found.line.length) {
        const unknown = `${this.first} ${found.summary}; no line is known that beats it.`;
        this.said.textContent = found.unbeatable ? `No line beats ${this.first}: it ${found.summary}.` : unknown;
        return;
      }
      const anyone = found.lost_anyway ? " (as anyone would be, in that seat)" : "";
      const line = `in ${found.line.length} moves${anyone}: ${found.line.join(" ")}`;
      this.said.textContent = `${this.first} is beaten as ${found.seat} ${line}`;
      const players = table.state.players.map((player) => ({ ...player, agent: HUMAN }));
      await table.go({ start: null, moves: found.line, at: 0, players, resigned: null });
      this.playOut(found.line.length);
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  async playOut(length) {
    const { table } = this;
    for (let at = 1; at <= length; at += 1) {
      const before = table.state;
      await new Promise((done) => setTimeout(done, 900));
      if (table.left || table.state !== before || table.state.at !== at - 1) return;
      await table.go({ at }, true);
    }
  }
}
