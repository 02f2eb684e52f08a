// The papers: a list of them, and each as one page: what was claimed, what was found, and the curves behind it.

import { ask, get } from "./api.js";
import { button, h } from "./dom.js";
import { PaperFigure } from "./paper_figure.js";

// A verdict is a text of the study's. These have a colour; any other is shown as it is.
const TONES = { holds: "good", undecided: "doubt", "does not hold": "bad" };
const MEANINGS = {
  holds: "our runs show it, and all intervals agree",
  "does not hold": "our runs show the opposite",
  undecided: "our runs show neither: the interval includes both",
  "cannot be judged": "too many of the networks that it compares are dead",
  chosen: "no claim of the paper: settings that were tried and chosen for each arm",
};

export const tag = (verdict) => h("span", { class: `tag verdict-${TONES[verdict] || "other"}`, title: MEANINGS[verdict] || null }, verdict);

export async function open(main) {
  const page = new Papers(main);
  await page.revisit();
  return page;
}

class Papers {
  constructor(main) {
    this.main = main;
    this.figures = [];
  }

  keeps(view) {
    return view === "papers";
  }

  leave() {
    for (const figure of this.figures) figure.leave();
    this.figures = [];
  }

  async revisit() {
    this.leave();
    const name = new URLSearchParams(location.search).get("paper");
    try {
      if (name) this.paper(await ask("paper", { paper: name }));
      else this.list(await get("papers"));
      window.scrollTo(0, 0);
    } catch (error) {
      const again = button("Try again", () => this.revisit());
      const all = h("a", { href: "/?view=papers" }, "All papers");
      this.main.replaceChildren(h("div", { class: "screen" }, h("h1", {}, "Papers"),
        h("p", { class: "why", role: "alert" }, `This cannot be shown: ${error.message} `), h("div", { class: "row" }, again, all)));
    }
  }

  list({ papers, sentence }) {
    const cards = papers.map((paper) => {
      const href = `/?view=papers&paper=${encodeURIComponent(paper.game)}`;
      return h("article", { class: "panel paper-card" },
        h("h2", {}, h("a", { href }, paper.title)),
        this.bar(paper.verdicts),
        this.tally(paper.verdicts),
        h("p", {}, paper.about[0] || ""));
    });
    this.main.replaceChildren(h("div", { class: "screen" },
      h("h1", {}, "The papers, claim by claim"),
      h("p", { class: "lead" }, "Four papers on games were run again, with every setting tried and every claim judged by a rule that was written down first."),
      sentence ? h("p", {}, sentence) : null,
      h("div", { class: "paper-cards" }, cards)));
  }

  // How many claims have each verdict, as widths.
  bar(verdicts) {
    const judged = this.ordered(verdicts).filter(([verdict]) => verdict !== "chosen");
    const parts = judged.map(([verdict, many]) => {
      const part = h("span", { class: `verdict-part verdict-${TONES[verdict] || "other"}` });
      part.style.flexGrow = many;
      return part;
    });
    return h("div", { class: "verdict-bar", "aria-hidden": "true" }, parts);
  }

  // What holds first, what was no claim last.
  ordered(verdicts) {
    const place = (verdict) => (verdict === "chosen" ? 99 : Object.keys(TONES).indexOf(verdict) + 1 || 9);
    return Object.entries(verdicts).sort(([a], [b]) => place(a) - place(b));
  }

  tally(verdicts) {
    const judged = this.ordered(verdicts).filter(([verdict]) => verdict !== "chosen");
    const trials = verdicts.chosen ? [h("li", { class: "legend" }, `and ${verdicts.chosen} ${verdicts.chosen > 1 ? "trials" : "trial"} of settings`)] : [];
    return h("ul", { class: "tally" }, judged.map(([verdict, many]) => h("li", {}, h("b", {}, many), " ", tag(verdict))), trials);
  }

  paper(paper) {
    const [lead, ...more] = paper.about;
    this.figures = paper.figures.map((figure) => new PaperFigure(paper.game, figure));
    const chosen = this.figures.filter((figure) => figure.trial);
    const judged = this.figures.filter((figure) => !figure.trial);
    const contents = judged.map((figure) => {
      const go = (event) => {
        event.preventDefault(); // a step in the history would draw the page anew
        figure.element.scrollIntoView();
      };
      return h("li", {}, h("a", { href: `#${figure.anchor}`, onclick: go }, figure.about.title), " ", tag(figure.about.verdict));
    });
    const known = Object.keys(paper.verdicts).filter((verdict) => MEANINGS[verdict]);
    const meanings = known.map((verdict) => h("li", {}, tag(verdict), " ", MEANINGS[verdict]));
    this.main.replaceChildren(h("div", { class: "screen paper-page" },
      h("p", { class: "legend" }, h("a", { href: "/?view=papers" }, "All papers")),
      h("h1", {}, paper.title),
      this.bar(paper.verdicts), this.tally(paper.verdicts),
      lead ? h("p", { class: "lead" }, lead) : null,
      more.length ? h("details", {}, h("summary", {}, "How it was measured"), more.map((text) => h("p", {}, text))) : null,
      h("details", {}, h("summary", {}, "What the verdicts mean"), h("ul", { class: "meanings" }, meanings)),
      h("nav", { class: "panel contents", "aria-label": "Figures" }, h("h2", {}, "Figures"), h("ul", {}, contents)),
      judged.map((figure) => figure.element),
      chosen.length ? h("h2", {}, "Settings that were tried first") : null,
      chosen.map((figure) => figure.element)));
    for (const figure of this.figures) figure.watch();
  }
}
