// Small helpers for making elements. Text is always text: nothing here reads HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function button(text, onclick, more = {}) {
  return h("button", { type: "button", onclick, ...more }, text);
}

// A labelled choice; entries are [value, text].
export function select(label, entries, value, onchange, more = {}) {
  const options = entries.map(([key, text]) => h("option", { value: key }, text));
  const box = h("select", { onchange: () => onchange(box.value), ...more }, options);
  box.value = value;
  return h("label", {}, h("span", {}, label), box);
}

export function check(label, checked, onchange) {
  const box = h("input", { type: "checkbox", checked, onchange: () => onchange(box.checked) });
  return h("label", { class: "check" }, box, h("span", {}, label));
}

export function section(title, ...children) {
  return h("section", { class: "panel" }, h("h2", {}, title), ...children);
}

// What has changed, for those who hear the page.
export function say(text) {
  document.getElementById("live").textContent = text;
}

export function banner(text) {
  const place = document.getElementById("banner");
  place.textContent = text;
  place.hidden = !text;
}

export function round(value, digits = 2) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : value > 0 ? `+${text}` : text.replace("-", "−");
}
