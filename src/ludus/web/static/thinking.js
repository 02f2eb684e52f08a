// What is asked about one position: the exact solution, and one or two agents. Each part is told as it arrives.

import { ask } from "./api.js";

export class Thinking {
  // `changed()` is told of each part; parts are {answer, error, waiting, name}.
  constructor(asked, changed) {
    this.asked = asked;
    this.changed = changed;
    this.stop = new AbortController();
    this.parts = {};
  }

  leave() {
    this.stop.abort();
  }

  // A part; what is known of it stays while a better answer is on its way.
  async part(id, name, questions) {
    const part = (this.parts[id] = { name, waiting: true, since: performance.now(), answer: this.parts[id]?.answer || null, error: null });
    for (const question of questions) {
      const more = typeof question === "function" ? question(part.answer) : question;
      if (!more) continue;
      part.waiting = true;
      this.changed();
      try {
        part.answer = await ask(more.route, { ...this.asked, ...more.body }, this.stop.signal);
        part.error = null;
      } catch (error) {
        if (error.name === "AbortError") return;
        part.error = error;
      }
      part.waiting = false;
      this.changed();
      if (part.error) return;
    }
    part.waiting = false;
    this.changed();
  }

  truth() {
    return this.part("truth", "Exact solution", [{ route: "truth", body: {} }]);
  }

  // An agent's opinion: at a glance first; then by a search around it, or its lines played out.
  agent(id, name, further = "") {
    const opinion = (agent, lines) => ({ route: "opinion", body: { agent, lines } });
    if (further) return this.part(id, name, [opinion(further, 3)]);
    return this.part(id, name, [
      opinion(name, 0),
      (found) => {
        if (found?.around) return opinion(found.around, 3);
        return found && !found.moves.some((entry) => entry.line) && found.moves.length ? opinion(name, 3) : null;
      },
    ]);
  }
}
