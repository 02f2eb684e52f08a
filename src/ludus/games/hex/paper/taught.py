"""The judge of fig. 14: what becomes of a network that was taught the truth before it plays."""

from __future__ import annotations

from ludus.games.hex.paper.settings import PRETRAINED
from ludus.games.hex.paper.verdicts import VISIBLE, alike, held, value
from ludus.study import life
from ludus.study.data import Data, Runs
from ludus.study.statistics import difference, estimate, together, verdict
from ludus.study.study import Claim, Finding


def pretraining_shows(data: Data) -> Finding:
    """Curves come in pairs, pre-trained and not, each with the steps that suit it.

    The paper's claim, for each pair: the values end alike. Ours: what was taught is there at move 0, in every pair;
    self-play under the paper's backup loses some of it, so that fewer positions are held in the end than at move 0;
    and the pre-trained network still holds more in the end than the other.
    """
    same, lost, kept, starts, early = [], [], [], [], []
    values: dict[str, str] = {}
    rows = [["", "value, pre-trained", "self-play only", "held at move 0, pre-trained", "in the end", "self-play only"]]
    for taught, alone in zip(data.curves[::2], data.curves[1::2], strict=True):
        name, both = taught.panel, (taught.place, alone.place)
        gap = difference(taught.end("value"), alone.end("value"))
        loss = difference(taught.at("held", 0), taught.end("held"))
        more = difference(taught.end("held"), alone.end("held"))
        start = difference(taught.at("held", 0), alone.at("held", 0))
        claim = f"pre-training makes no visible difference to the values in the end (less than {VISIBLE}): {name}"
        same.append(Claim(claim, alike(gap), f"pre-trained over not: {gap.plain()}", both))
        claim = f"(ours) self-play under the paper's backup loses what pre-training taught: {name}"
        found = f"held at move 0 over in the end: {loss}"
        lost.append(Claim(claim, verdict(loss), found, (taught.place,)))
        claim = f"(ours) a pre-trained network holds more won positions in the end than one by self-play alone: {name}"
        kept.append(Claim(claim, verdict(more), f"{more} more", both))
        starts.append(verdict(start))
        early.append(f"{name} {start}")
        first = str(estimate(taught.at("held", 0)))
        values[f"{name}: pre-trained over not"] = f"value {gap.plain()}, won positions held {more}"
        values[f"{name}: positions held at move 0, pre-trained"] = first
        values[f"{name}: positions held in the end, pre-trained"] = held(taught)
        values[f"{name}: alive"] = f"pre-trained {life.said(taught)}; self-play only {life.said(alone)}"
        rows.append([name, _shown(taught), _shown(alone), first, held(taught), held(alone)])
    there = f"won positions held at move 0, pre-trained over not: {'; '.join(early)}"
    begun = Claim("(ours) what pre-training taught is there at move 0", together(starts), there, dead_too=True)
    return Finding((*same, begun, *lost, *kept), values, rows)


SHOWN = ("SARSA", "Q-learning")  # which have one step alone to choose
SMALL, USUAL = "alpha 0.001", "alpha 0.01"


def curves_by_step(data: Data) -> dict[str, list[Runs]]:
    """The trial's curves of these algorithms, by step."""
    named = {name: f"{name}, {PRETRAINED}, " for name in SHOWN}
    return {name: [runs for runs in data.curves if runs.label.startswith(start)] for name, start in named.items()}


def larger_steps_lose_more(data: Data) -> Finding:
    """From the curves of the trial. Ours, and this rule was written after the trial had been seen: with the larger of
    two steps fewer of the positions that were held at move 0 are held in the end.
    """
    claims, values, rows = [], {}, [["", "step", "value", "held at move 0", "held in the end", "networks alive"]]
    for name, curves in curves_by_step(data).items():
        at = {runs.label.rpartition(", ")[2]: runs for runs in curves}
        for step, runs in at.items():
            first = str(estimate(runs.at("held", 0)))
            rows.append([name, step, value(runs).plain(), first, held(runs), life.count(runs)])
            values[f"{name}, {step}"] = (
                f"value {value(runs).plain()}, won positions held {held(runs)}, {life.said(runs)}"
            )
        if {SMALL, USUAL} <= set(at):  # an outline has not both
            gap = difference(at[SMALL].end("held"), at[USUAL].end("held"))
            claim = f"(ours, the rule made after looking) {USUAL} loses more of what was taught than {SMALL}: {name}"
            arms = at[SMALL].place, at[USUAL].place
            claims.append(Claim(claim, verdict(gap), f"{gap} more held with {SMALL}", arms))
    return Finding(tuple(claims), values, rows)


def _shown(runs: Runs) -> str:
    return f"{value(runs).plain()}, {sum(life.alive(runs))} of {len(runs.seeds)} alive"
