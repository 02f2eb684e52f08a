// Tabs: a list of titles, one of which is open.

import { h } from "./dom.js";

export class Tabs {
  // entries: [{id, title, panels}]; `opened(id)` is told of each change.
  constructor(entries, opened) {
    this.opened = opened;
    this.entries = entries;
    this.buttons = new Map();
    this.bodies = new Map();
    this.list = h("div", { class: "tabs", role: "tablist", "aria-label": "Beside the board" });
    this.body = h("div", { class: "tabbody" });
    for (const { id, title, panels } of entries) {
      const button = h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `body-${id}`, onclick: () => this.open(id) }, title);
      const body = h("div", { role: "tabpanel", id: `body-${id}`, "aria-labelledby": `tab-${id}`, tabindex: "-1" }, panels.map((panel) => panel.element));
      this.list.append(button);
      this.body.append(body);
      this.buttons.set(id, button);
      this.bodies.set(id, body);
    }
    this.list.addEventListener("keydown", (event) => this.keyed(event));
    this.open(entries[0].id, true);
  }

  keyed(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const ids = this.entries.map((entry) => entry.id);
    this.open(ids[(ids.indexOf(this.current) + step + ids.length) % ids.length]);
    this.buttons.get(this.current).focus();
  }

  shows(id) {
    return this.current === id;
  }

  has(id) {
    return this.buttons.has(id);
  }

  open(id, silent = false) {
    if (!this.has(id) || this.current === id) return;
    const before = this.current;
    this.current = id;
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-selected", String(name === id));
      button.setAttribute("tabindex", name === id ? "0" : "-1");
      this.bodies.get(name).hidden = name !== id;
    }
    if (!silent) this.opened?.(id, before);
  }

  // A small number or sign beside a title; "" takes it away.
  badge(id, text) {
    const entry = this.entries.find((known) => known.id === id);
    this.buttons.get(id)?.replaceChildren(entry.title, ...(text ? [" ", h("span", { class: "tag" }, text)] : []));
  }
}
