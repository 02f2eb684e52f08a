// The board's column: who plays, the board, the bar beside it, the one line under it, and the end of a game.

import { HUMAN } from "./address.js";
import { button, h, say } from "./dom.js";
import { agentWords, capital } from "./words.js";

export class Stage {
  constructor(table) {
    this.table = table;
    const { component } = table;
    this.upper = h("div", { class: "player" });
    this.lower = h("div", { class: "player" });
    this.fill = h("i", {});
    this.bar = h("div", { class: "chance unknown", role: "img", "aria-label": "Chance to win: not known" }, this.fill);
    this.refusal = h("span", { class: "refusal" });
    this.status = h("span", { class: "status", role: "status" });
    this.next = h("span", { class: "next" });
    this.line = h("p", { class: "line" }, this.refusal, this.status, this.next);
    this.extra = h("div", { class: "tools extra" });
    this.tools = h("div", { class: "tools" }, component.tools, this.extra);
    this.result = h("div", { class: "result" }); // beside the board, which stays in sight
    this.row = h("div", { class: "boardrow" }, this.bar, component.element);
    const title = h("h1", { class: "unseen" }, table.game.title);
    this.element = h("div", { class: "stage" }, title, this.upper, this.row, this.lower, this.line, this.tools);
  }

  // Which seat is drawn below: that of the person, else the first.
  own() {
    const { players } = this.table.state;
    const person = players.findIndex((player) => player.agent === HUMAN);
    return person < 0 ? 0 : person;
  }

  update() {
    const { table } = this;
    const two = table.game.seats.length === 2;
    this.upper.hidden = this.lower.hidden = !two;
    this.bar.hidden = !two;
    if (!two) return;
    const own = this.own();
    this.player(this.lower, own);
    this.player(this.upper, 1 - own);
    this.bar.classList.toggle("turned", own === 1);
  }

  player(place, seat) {
    const { table } = this;
    const { position, state } = table;
    const player = state.players[seat];
    const turn = !position.over && position.player === seat;
    const people = state.players.filter((other) => other.agent === HUMAN).length;
    const seated = capital(table.game.seats[seat]);
    const { who, what } = agentWords(table.game, player, table.options());
    const name = table.tour ? (seat === this.own() ? "You" : "The other side") : player.agent === HUMAN && people > 1 ? seated : who;
    const words = [name === seated ? "" : table.game.seats[seat], what].filter(Boolean).join(" · ");
    place.className = `player seat${seat}${turn ? " turn" : ""}`;
    place.replaceChildren(
      h("span", { class: "disc", "aria-hidden": "true" }),
      h("span", { class: "who" }, name),
      h("span", { class: "what", title: words }, words),
      ...(turn ? [h("span", { class: "unseen" }, "to move")] : []),
      ...this.taken(seat),
    );
  }

  // What this seat has taken from the other: pieces that are off the board.
  taken(seat) {
    const { geometry, position } = this.table;
    const lost = Object.entries(position.shown?.lost || {}).filter(([letter, count]) => count && geometry.sides[letter] === 1 - seat);
    return lost.map(([letter, count]) => {
      const other = geometry.sides[letter];
      const pieces = Array.from({ length: count }, () => h("i", { class: `seat${other}` }));
      const words = `${count} ${geometry.pieces[letter]}${count > 1 ? "s" : ""} taken`;
      return h("span", { class: "taken", title: words }, h("span", { "aria-hidden": "true" }, String(count)), pieces, h("span", { class: "unseen" }, words));
    });
  }

  // The chance to win of the first seat, from 0 to 1; null where nothing is known.
  chance(known) {
    this.bar.classList.toggle("unknown", !known || known.first === null);
    this.bar.classList.toggle("proved", Boolean(known?.proved));
    this.bar.setAttribute("aria-label", known ? known.words : "Chance to win: not known");
    this.bar.title = known ? known.words : "";
    this.fill.style.height = `${Math.round(100 * (known?.first ?? 0.5))}%`;
  }

  // What a long wait is for, beside the name of the agent that is waited for.
  warming(text) {
    this.next.textContent = text || "";
    this.next.classList.toggle("spin", Boolean(text));
  }

  // The line under the board. A refusal stays until the next step, and is said aloud.
  tell(text, kind = "next") {
    if (kind === "no") this.refusal.textContent = text;
    else {
      this.refusal.textContent = "";
      this.next.textContent = text;
      this.next.classList.toggle("good", kind === "good");
      this.next.classList.remove("spin");
    }
    say(text);
  }

  // A new position: what was said of the last one goes.
  clear(next) {
    this.refusal.textContent = "";
    this.next.textContent = next;
    this.next.classList.remove("good", "spin");
  }

  // The card of a game that is over.
  ended() {
    const { table } = this;
    const { position } = table;
    const over = table.tour ? table.tour.over() : position.over;
    if (!over || !table.latest() || table.dismissed === position.position) return this.result.replaceChildren();
    const close = () => {
      table.dismissed = position.position;
      this.result.replaceChildren();
    };
    const alone = table.game.seats.length === 1;
    this.result.replaceChildren(
      h("section", { class: "panel card", "aria-label": "Result" },
        h("h2", {}, table.tour ? "That is how it is played" : this.verdict()),
        h("p", {}, table.tour ? table.tour.last : capital(position.sentence)),
        h("div", { class: "row" },
          ...(table.tour ? table.tour.ending() : alone ? [] : [button("Rematch", () => table.controls().rematch(), { class: "main" }), button("Review", () => table.review())]),
          button("Close", close, { class: "quiet" }),
        ),
      ),
    );
  }

  verdict() {
    const { position, state } = this.table;
    if (this.table.game.seats.length === 1) return position.result === "solved" ? "Solved" : "No move is left";
    const people = state.players.map((player) => player.agent === HUMAN);
    const [first] = position.returns;
    if (first === 0) return "A draw";
    const winner = first > 0 ? 0 : 1;
    if (people.filter(Boolean).length === 1) return people[winner] ? "You win" : "You lose";
    return `${capital(position.seats[winner])} wins`;
  }
}
