// The papers' figures, each with what was claimed and what was found.

import { get } from "./api.js";
import { h, section } from "./dom.js";

export async function open(main) {
  const { papers, sentence } = await get("papers");
  main.replaceChildren(h("h1", {}, "The papers, reproduced"), ...(sentence ? [h("p", {}, sentence)] : papers.map(paper)));
  return {};
}

function paper({ game, about, figures }) {
  const found = section(game, h("p", {}, about));
  for (const figure of figures) {
    const details = h("details", { class: "figure" }, h("summary", {}, `${figure.id}: ${figure.title} — ${figure.verdict}`));
    const claims = figure.claims.map(({ claim, verdict, found: what }) =>
      h("li", {}, h("strong", {}, verdict), `: ${claim}`, h("br"), h("span", { class: "found" }, what || "")));
    details.append(h("ul", {}, claims));
    // A picture is fetched when it is looked at.
    details.addEventListener("toggle", () => {
      if (details.open && figure.picture && !details.querySelector("img")) {
        details.append(h("img", { src: figure.picture, alt: `${figure.title}, as it was reproduced`, class: "paper" }));
      }
    });
    found.append(details);
  }
  return found;
}
