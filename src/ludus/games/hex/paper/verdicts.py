"""The judges of the Hex paper's figures: a verdict for each claim, by a rule fixed before the runs.

The paper draws few conclusions from its figures. Where it draws none, the claim is its general one: the values of the
moves made approach 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from ludus.study import life
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, difference, estimate, together, verdict
from ludus.study.study import Claim, Finding

SEASONS = 2
CHOSEN = "as chosen on other seeds"
NEAR_ONE = 0.9  # "approaches 1"
VISIBLE = 0.05  # the smallest difference in values that is visible in the paper's plots
MIN_RELATIVE_SPREAD, MIN_SPREAD = 0.01, 1e-4  # of the values' distance from 1, and at least
STEP = 0.02  # values that differ by less may count as equal in a choice
MAX_LOGIT = 50.0  # with larger logits a policy is certain of every move, and learns nothing more


def ended(runs: Runs) -> str:
    """The end of a curve: the paper's measure, the truth, and whether its networks are alive."""
    return f"value {value(runs).plain()}, won positions held {held(runs)}{alive(runs)}"


def value(runs: Runs, of: int = 1) -> Estimate:
    """The value of the moves made at the end."""
    return estimate(runs.end("value"), of)


def held(runs: Runs) -> str:
    return str(estimate(runs.end("held")))


def alive(runs: Runs) -> str:
    if "spread" not in runs.measured:
        return ""
    if not max(runs.end("size")) <= 1:  # an actor's logits
        return f", logits of size {np.mean(runs.end('size')):.3g}"
    return f", {life.said(runs)}"


def collapsed(runs: Runs) -> list[bool]:
    """By seed, whether a trial takes the network for dead: the rule by which the committed settings were chosen, before
    the engine had one (`study.life`).
    """
    now, size, first = runs.end("spread"), runs.end("size"), runs.at("spread", 0)
    alive = [
        s >= max(MIN_SPREAD, MIN_RELATIVE_SPREAD * (1 - z)) or s >= f / 2
        for s, z, f in zip(now, size, first, strict=True)
    ]
    return [not living for living in alive]  # NaN is not alive


def highest_alive(runs: Runs) -> float:
    """Criterion of a trial: the mean value at the end, with collapsed networks as 0."""
    pairs = zip(runs.end("value"), collapsed(runs), strict=True)
    return float(np.mean([0.0 if dead else value for value, dead in pairs]))


def highest_steady(runs: Runs) -> float:
    """Criterion of a trial: the mean value at the end in steps of 0.02, with dead networks as 0; among equals, the
    setting whose flattest network is the least flat, so that the networks of other seeds live too.
    """
    ends = zip(runs.end("value"), life.alive(runs), runs.end("spread"), runs.end("size"), strict=True)
    values, margins = zip(*((v if alive else 0.0, s / max(1 - z, 1e-3)) for v, alive, s, z in ends), strict=True)
    return float(STEP * np.floor(np.mean(values) / STEP) + STEP / 2 * min(1.0, *margins))


def highest_calm(measure: str) -> Callable[[Runs], float]:
    """Criterion of a trial of actors: the mean of a measure at the end, if no actor's logits have diverged."""
    return lambda runs: float(np.mean(runs.end(measure))) - 10 * (not max(runs.end("size")) < MAX_LOGIT)


def approaches(claim: str, chosen: bool = False) -> Callable[[Data], Finding]:
    """A claim for each panel. Holds if the values of some setting end at 0.9 or more, with their whole interval. Fails
    if even the best setting ends below 0.9, with its whole interval.

    The best is that of the highest values among settings whose networks live, where there are such, with an interval
    widened for the number of settings it was picked from. A setting that was chosen on other seeds is judged alone.
    """

    def judge(data: Data) -> Finding:
        values, claims = {}, []
        for panel, curves in data.panels().items():
            if chosen and panel != CHOSEN:
                continue
            groups = {runs.label: [runs] for runs in curves} if chosen else {panel: curves}
            for name, group in groups.items():
                best = max(group, key=lambda runs: (lives(runs), np.mean(runs.end("value"))))
                truest = max(group, key=lambda runs: np.mean(runs.end("held")))
                end = value(best, len(group))
                where = "the chosen setting" if chosen else best.label
                values[f"{name}: highest value, {where}"] = ended(best)
                found = f"{end.plain()} at {where}, where {held(best)} are held"
                claims.append(Claim(f"{claim}: {name}", end.reaches(NEAR_ONE), found, (best.place,)))
                if not chosen:
                    values[f"{name}: most positions held, {truest.label}"] = ended(truest)
        if chosen:
            for runs in data.curves:
                if runs.panel != CHOSEN:
                    values[f"{runs.panel}, {runs.label}"] = ended(runs)
        return Finding(tuple(claims), values)

    return judge


def lives(runs: Runs) -> bool:
    """Whether enough of its networks live for a verdict."""
    return sum(life.alive(runs)) >= life.LEAST * len(runs.seeds)


def alike(gap: Estimate) -> str:
    """The verdict on a claim that two curves are alike: the difference is invisible, or visible."""
    inside, outside = max(abs(gap.low), abs(gap.high)) < VISIBLE, gap.low > VISIBLE or gap.high < -VISIBLE
    return HOLDS if inside else FAILS if outside else UNDECIDED


def faster_algorithms(data: Data) -> Finding:
    """Fig. 20: by the mean of the curve, seed by seed, each algorithm with the setting chosen by value. Two are alike
    if their difference is invisible. The settings chosen by positions held are shown too.
    """
    first, second = data.panels().values()
    named = {runs.label: runs for runs in first}
    values = {f"{runs.panel}: {runs.label}": ended(runs) for runs in (*first, *second)}

    def gap(better: str, worse: str) -> Estimate:
        return difference(named[better].mean("value"), named[worse].mean("value"))

    claims = []
    for better in ("GTD2", "TDC"):
        gaps = {worse: gap(better, worse) for worse in ("SARSA", "Q-learning")}
        found = "mean of the curve: " + "; ".join(f"over {worse} {g.plain()}" for worse, g in gaps.items())
        claim = f"the values of {better} approach 1 faster than those of SARSA and Q-learning"
        arms = tuple(named[name].place for name in (better, *gaps))
        claims.append(Claim(claim, together([verdict(g) for g in gaps.values()]), found, arms))
    for one, other in (("GTD2", "TDC"), ("Greedy GQ", "TDC")):
        between = gap(one, other)
        claim = f"{one} learns like {other} (mean of the curve within {VISIBLE})"
        found = f"{one} over {other} {between.plain()}"
        claims.append(Claim(claim, alike(between), found, (named[one].place, named[other].place)))
    return Finding(tuple(claims), values)


def negated_is_stronger(data: Data) -> Finding:
    """Ours: the first half of the curves adds v', as the paper does; the second half negates it. Every arm has the
    setting that held the most positions on other seeds. Holds for an algorithm if negating holds more at the end, seed
    by seed.
    """
    values, claims, half = {}, [], len(data.curves) // 2
    rows = [["", "value, added", "won positions held, added", "value, negated", "won positions held, negated"]]
    for added, negated in zip(data.curves[:half], data.curves[half:], strict=True):
        gap = difference(negated.end("held"), added.end("held"))
        claim = (
            f"(ours) negating the next value holds more won positions than adding it, as the paper does: {added.label}"
        )
        claims.append(Claim(claim, verdict(gap), f"{gap} more", (added.place, negated.place)))
        cells = ([value(runs).plain(), held(runs)] for runs in (added, negated))
        rows.append([added.label, *itertools.chain(*cells)])
        values[added.label] = f"added: {ended(added)}; negated: {ended(negated)}; {gap} more held"
    return Finding(tuple(claims), values, rows)


def second_order_collapses(data: Data) -> Finding:
    """Ours: at one common setting, more networks have collapsed at the end with h than without, seed by seed; and with
    each variant's own settings, GTD2 holds fewer positions with h than without.
    """
    values, claims = {}, []
    rows = [["", "", "value", "won positions held", "networks alive", "seeds' values"]]
    for panel, (with_h, without, bounded) in data.panels().items():
        for runs in (with_h, without, bounded):
            values[f"{panel}: {runs.label}"] = ended(runs)
            living = life.count(runs)
            seeds = " ".join(f"{v:.2f}" for v in sorted(runs.end("value")))
            rows.append([panel, runs.label, value(runs).plain(), held(runs), living, seeds])
        if "own" not in panel:
            alive_without, alive_with = ([float(lives) for lives in life.alive(runs)] for runs in (without, with_h))
            gap = difference(alive_without, alive_with)
            lost = [len(runs.seeds) - sum(life.alive(runs)) for runs in (with_h, without, bounded)]
            found = f"{lost[0]} collapse with h, {lost[1]} without, {lost[2]} within a bound"
            claim = f"(ours) the second-order term of GTD2 collapses networks: {panel}"
            claims.append(Claim(claim, verdict(gap), found, (with_h.place, without.place), dead_too=True))
        else:
            gap = difference(without.end("held"), with_h.end("held"))
            found = f"without h over with it: {gap} more held"
            claim = f"(ours) GTD2 holds more won positions without h: {panel}"
            claims.append(Claim(claim, verdict(gap), found, (with_h.place, without.place)))
    return Finding(tuple(claims), values, rows)


def policy_is_the_better_baseline(data: Data) -> Finding:
    """Ours: an actor with the policy's value as baseline holds more positions at the end than one with the move's own
    value, each with the settings that held the most on other seeds.
    """
    values, claims = {f"{runs.panel}: {runs.label}": ended(runs) for runs in data.curves}, []
    for panel, runs in data.panels().items():
        if len(runs) == 2:
            gap = difference(runs[1].end("held"), runs[0].end("held"))
            claim = f"(ours) an actor learns more from what its policy is worth than from the move's own value: {panel}"
            claims.append(Claim(claim, verdict(gap), f"{gap} more held", tuple(each.place for each in runs)))
    return Finding(tuple(claims), values)
