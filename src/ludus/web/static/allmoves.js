// Every move in a table: chances to win, how likely an agent plays it, and the exact verdict, each in a column of its own.

import { kind, percent, share, verdict } from "./chances.js";
import { button, h } from "./dom.js";

const FEW = 12;

// The columns that have anything in them.
function columns(parts) {
  const found = [];
  for (const id of ["first", "second"]) {
    const part = parts[id];
    if (!part?.answer?.moves || part.answer.known === false) continue;
    const by = new Map(part.answer.moves.map((entry) => [entry.move, entry]));
    const any = (name) => part.answer.moves.some((entry) => entry[name] !== null && entry[name] !== undefined);
    const cell = (text, words) => (move) => (by.has(move) ? h("td", { title: words }, text(by.get(move))) : h("td", {}));
    if (any("chance")) found.push([part.name, cell((entry) => percent(entry.chance, entry.proved), "chance to win")]);
    else if (any("value")) found.push([`${part.name} (${part.answer.counted || "value"})`, cell((entry) => entry.value?.toFixed(2) ?? "")]);
    if (any("probability")) found.push([`plays it`, cell((entry) => share(entry.probability), `how likely ${part.name} plays it`)]);
  }
  const truth = parts.truth?.answer;
  if (truth?.moves && truth.known !== false) {
    const by = new Map(truth.moves.map((entry) => [entry.move, entry]));
    const word = (entry) => (entry?.word?.includes("solved") ? entry.word : verdict(entry));
    found.push(["Truth", (move) => h("td", { class: `verdict ${kind(by.get(move))}` }, word(by.get(move)))]);
  }
  return found;
}

// In the order of whoever has one: the truth where moves differ in it, else the first agent.
function ordered(table, parts) {
  const truth = parts.truth?.answer?.known ? parts.truth.answer.moves : [];
  const first = parts.first?.answer?.moves || parts.second?.answer?.moves || [];
  const place = new Map(first.map((entry, at) => [entry.move, at]));
  if (truth.length) {
    const worth = new Map(truth.map((entry) => [entry.move, entry.value ?? -2]));
    return [...truth.map((entry) => entry.move)].sort((a, b) => worth.get(b) - worth.get(a) || (worth.get(a) === 0 ? (place.get(a) ?? 1e9) - (place.get(b) ?? 1e9) : 0));
  }
  return first.length ? first.map((entry) => entry.move) : [];
}

export function allMoves(table, parts, whole = false) {
  const heads = columns(parts);
  const order = ordered(table, parts);
  if (!heads.length || !order.length) return [h("p", { class: "legend" }, "Nothing is known of the moves yet.")];
  const rows = order.slice(0, whole ? undefined : FEW).map((move) => {
    const name = table.mine() ? button(move, () => table.play(move)) : h("span", {}, move);
    const on = () => table.point(move);
    const off = () => table.point(null);
    return h("tr", { onpointerenter: on, onpointerleave: off, onfocusin: on, onfocusout: off },
      h("th", { scope: "row" }, name), heads.map(([, cell]) => cell(move)));
  });
  const head = h("tr", {}, ["Move", ...heads.map(([text]) => text)].map((text) => h("th", { scope: "col" }, text)));
  const list = h("table", {}, h("thead", {}, head), h("tbody", {}, rows));
  const box = h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Moves and what they are worth" }, list);
  if (order.length <= FEW || whole) return [box];
  const more = button(`All ${order.length}`, () => more.parentElement.replaceChildren(...allMoves(table, parts, true)));
  return [box, more];
}
