"""The judges of the Hex paper's figures: a verdict for each claim, by a rule fixed before the runs.

The paper draws few conclusions from its figures. Where it draws none, the claim is its general one: the values of the
moves made approach 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ludus.games.hex.paper.standings import standings, wins_by_tournament
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, difference, estimate, together, verdict
from ludus.study.study import Claim, Finding

SEASONS = 2
CHOSEN = "as chosen on other seeds"
NEAR_ONE = 0.9  # "approaches 1"
VISIBLE = 0.05  # the smallest difference in values that is visible in the paper's plots
#: A network is alive if its values of a move differ between positions. Values near 1, like the paper's, differ little,
#: so their deviation (at least the first number) is relative to their distance from 1. A saturated network, or one
#: without a live unit, has a deviation of almost 0 (below the second number).
MIN_RELATIVE_SPREAD, MIN_SPREAD = 0.01, 1e-4
MAX_LOGIT = 50.0  # with larger logits a policy is certain of every move, and learns nothing more


def ended(runs: Runs) -> str:
    """The end of a curve: the paper's measure, the truth, and whether its networks are alive."""
    return f"value {value(runs).plain()}, won positions held {held(runs)}{alive(runs)}"


def value(runs: Runs, of: int = 1) -> Estimate:
    """The value of the moves made at the end."""
    return estimate(runs.end("value"), of)


def held(runs: Runs) -> str:
    return str(estimate(runs.end("held")))


def collapsed(runs: Runs) -> list[bool]:
    """For each seed, whether the network ended with the same value for every position, and did not begin so."""
    now, size, first = runs.end("spread"), runs.end("size"), runs.at("spread", 0)
    alive = [
        s >= max(MIN_SPREAD, MIN_RELATIVE_SPREAD * (1 - z)) or s >= f / 2
        for s, z, f in zip(now, size, first, strict=True)
    ]
    return [not living for living in alive]  # NaN is not alive


def alive(runs: Runs) -> str:
    if "spread" not in runs.measured:
        return ""
    if not max(runs.end("size")) <= 1:  # an actor's logits
        return f", logits of size {np.mean(runs.end('size')):.3g}"
    return f", {len(runs.seeds) - sum(collapsed(runs))} of {len(runs.seeds)} networks alive"


def highest_alive(runs: Runs) -> float:
    """Criterion of a trial: the mean value at the end, with collapsed networks as 0."""
    pairs = zip(runs.end("value"), collapsed(runs), strict=True)
    return float(np.mean([0.0 if dead else value for value, dead in pairs]))


def highest_calm(measure: str) -> Callable[[Runs], float]:
    """Criterion of a trial of actors: the mean of a measure at the end, if no actor's logits have diverged."""
    return lambda runs: float(np.mean(runs.end(measure))) - 10 * (not max(runs.end("size")) < MAX_LOGIT)


def approaches(claim: str, chosen: bool = False) -> Callable[[Data], Finding]:
    """Holds if in every panel the values of some setting end at 0.9 or more, with their whole interval. Fails if in one
    panel even the best setting ends below 0.9, with its whole interval.

    A setting that was chosen on other seeds is judged alone. Otherwise the best of each panel is judged, with an
    interval widened for the number of settings it was picked from.
    """

    def judge(data: Data) -> Finding:
        values, verdicts, found = {}, [], []
        for panel, curves in data.panels().items():
            if chosen and panel != CHOSEN:
                continue
            groups = {runs.label: [runs] for runs in curves} if chosen else {panel: curves}
            for name, group in groups.items():
                best = max(group, key=lambda runs: np.mean(runs.end("value")))
                truest = max(group, key=lambda runs: np.mean(runs.end("held")))
                end = value(best, len(group))
                verdicts.append(end.reaches(NEAR_ONE))
                where = "the chosen setting" if chosen else best.label
                values[f"{name}: highest value, {where}"] = ended(best)
                found.append(f"{name} {end.plain()} at {where}, where {held(best)} are held{alive(best)}")
                if not chosen:
                    values[f"{name}: most positions held, {truest.label}"] = ended(truest)
        if chosen:
            for runs in data.curves:
                if runs.panel != CHOSEN:
                    values[f"{runs.panel}, {runs.label}"] = ended(runs)
        return Finding((Claim(claim, together(verdicts), "; ".join(found)),), values)

    return judge


def alike(gap: Estimate) -> str:
    """The verdict on a claim that two curves are alike: the difference is invisible, or visible."""
    inside, outside = max(abs(gap.low), abs(gap.high)) < VISIBLE, gap.low > VISIBLE or gap.high < -VISIBLE
    return HOLDS if inside else FAILS if outside else UNDECIDED


def no_visible_difference(data: Data) -> Finding:
    """Fig. 14: curves come in pairs, pre-trained and not. Holds if every pair ends alike. Ours: at move 0 the
    pre-trained network holds more positions, in every pair.
    """
    values, alikes, taughts, late, early = {}, [], [], [], []
    for taught, untaught in zip(data.curves[::2], data.curves[1::2], strict=True):
        name = taught.panel
        gap = difference(taught.end("value"), untaught.end("value"))
        more = difference(taught.end("held"), untaught.end("held"))
        start = difference(taught.at("held", 0), untaught.at("held", 0))
        alikes.append(alike(gap))
        taughts.append(verdict(start))
        late.append(f"{name}: value {gap.plain()}, won positions held {more}")
        early.append(f"{name} {start}")
        values[f"{name}: pre-trained over not"] = f"value {gap.plain()}, won positions held {more}"
        values[f"{name}: positions held at move 0, pre-trained"] = str(estimate(taught.at("held", 0)))
        values[f"{name}: positions held in the end, pre-trained"] = held(taught)
    claim = f"pre-training makes no visible difference to the values in the end (less than {VISIBLE})"
    ours = "(ours) what pre-training taught is there at move 0"
    there = f"won positions held at move 0, pre-trained over not: {'; '.join(early)}"
    claims = Claim(claim, together(alikes), "; ".join(late)), Claim(ours, together(taughts), there)
    return Finding(claims, values)


def _pbe_over_mse(data: Data, measure: str, lower: bool) -> tuple[list[Claim], dict[str, str]]:
    """A claim for each network: the projected error is better, by the mean of the curve, seed by seed."""
    values, claims = {}, []
    for network, (mse, pbe) in zip(("CNN", "RNN"), (data.curves[:2], data.curves[2:]), strict=True):
        pair = (mse.mean(measure), pbe.mean(measure)) if lower else (pbe.mean(measure), mse.mean(measure))
        gap = difference(*pair)
        values[f"{pbe.label} {'below' if lower else 'over'} {mse.label}, mean of the curve"] = gap.plain()
        what = "the training error is smaller" if lower else "the values approach 1 faster"
        claim = f"{what} under the projected Bellman error than under the mean squared error, {network}"
        claims.append(
            Claim(claim, verdict(gap), f"{pbe.label} {'below' if lower else 'over'} {mse.label}: {gap.plain()}")
        )
    return claims, values


def faster_objective(data: Data) -> Finding:
    """Fig. 17: by the mean of the curve."""
    claims, values = _pbe_over_mse(data, "value", lower=False)
    return Finding(tuple(claims), values | {runs.label: ended(runs) for runs in data.curves})


def smaller_error(data: Data) -> Finding:
    """Fig. 18: by the mean of the curve. The paper compares them although the targets differ."""
    claims, values = _pbe_over_mse(data, "loss", lower=True)
    values |= {runs.label: f"error at the end {estimate(runs.end('loss')).plain()}" for runs in data.curves}
    return Finding(tuple(claims), values)


def smaller_projection(data: Data) -> Finding:
    """Fig. 19: by the mean of the curve, seed by seed."""
    cnn, rnn = data.curves
    gap = difference(rnn.mean("projection"), cnn.mean("projection"))
    values = {
        runs.label: f"error at the end {estimate(runs.end('projection')).plain()}, units of the projection that live "
        f"{estimate(runs.end('projection_live'))}"
        for runs in data.curves
    }
    values["RNN over CNN, mean of the curve"] = gap.plain()
    shown = "; ".join(f"{name}: {value}" for name, value in values.items())
    claim = "the projection's error is smaller with the CNN than with the RNN"
    return Finding((Claim(claim, verdict(gap), f"RNN over CNN {gap.plain()}; {shown}"),), values)


def objective_or_target(data: Data) -> Finding:
    """Ours: the effect of the objective at a fixed target, and of the target at a fixed objective. Each is the mean of
    two differences between means of curves, seed by seed.
    """
    values, claims = {runs.panel + " " + runs.label: ended(runs) for runs in data.curves}, []
    for network, runs in data.panels().items():
        mse_q, mse_s, pbe_q, pbe_s = (np.array(r.mean("value")) for r in runs)
        effects = {
            "the projected error brings values to 1 faster, whatever the target": (pbe_q + pbe_s - mse_q - mse_s) / 2,
            "SARSA's targets bring values to 1 faster than Q-learning's": (mse_s + pbe_s - mse_q - pbe_q) / 2,
        }
        for name, effect in effects.items():
            gap = estimate(effect.tolist())
            claims.append(Claim(f"(ours) {name}, {network}", verdict(gap), gap.plain()))
    return Finding(tuple(claims), values)


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
        claims.append(Claim(claim, together([verdict(g) for g in gaps.values()]), found))
    for one, other in (("GTD2", "TDC"), ("Greedy GQ", "TDC")):
        between = gap(one, other)
        claim = f"{one} learns like {other} (mean of the curve within {VISIBLE})"
        claims.append(Claim(claim, alike(between), f"{one} over {other} {between.plain()}"))
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
        claims.append(Claim(claim, verdict(gap), f"{gap} more"))
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
            living = f"{len(runs.seeds) - sum(collapsed(runs))} of {len(runs.seeds)}"
            seeds = " ".join(f"{v:.2f}" for v in sorted(runs.end("value")))
            rows.append([panel, runs.label, value(runs).plain(), held(runs), living, seeds])
        if "own" not in panel:
            gap = difference([float(c) for c in collapsed(with_h)], [float(c) for c in collapsed(without)])
            lost = [sum(collapsed(runs)) for runs in (with_h, without, bounded)]
            found = f"{lost[0]} collapse with h, {lost[1]} without, {lost[2]} within a bound"
            claims.append(
                Claim(f"(ours) the second-order term of GTD2 collapses networks: {panel}", verdict(gap), found)
            )
        else:
            gap = difference(without.end("held"), with_h.end("held"))
            found = f"without h over with it: {gap} more held"
            claims.append(Claim(f"(ours) GTD2 holds more won positions without h: {panel}", verdict(gap), found))
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
            claims.append(Claim(claim, verdict(gap), f"{gap} more held"))
    return Finding(tuple(claims), values)


def _order(data: Data, pairs: Sequence[tuple[str, str]], ours: str) -> Finding:
    """A claim holds if the stronger agent wins more games a tournament, in the mean over tournaments. Each tournament
    has its own networks, because games of the same network are not independent. Ratings and positions held are shown
    too.
    """
    table = standings(data.games)
    seasons = [f"season {season + 1}, won first / second" for season in range(len(table[0].first))]
    rows = [["", *seasons, "won in all", "rating", "won positions held"]]
    for line in table:
        won = [f"{a} / {b}" for a, b in zip(line.first, line.second, strict=True)]
        rows.append([line.agent, *won, f"{line.wins}", f"{line.rating:+.0f}", held(data.curve(line.agent))])
    wins = wins_by_tournament(data.games)
    claims = []
    for better, worse in pairs:
        gap = difference(wins[better], wins[worse])
        found = f"{sum(wins[better]):.0f} wins against {sum(wins[worse]):.0f}; more a tournament: {gap.plain()}"
        claims.append(Claim(f"{ours}{better} is stronger than {worse}", verdict(gap), found))
    values = {line.agent: f"{line}; {ended(data.curve(line.agent))}" for line in table}
    return Finding(tuple(claims), values, rows)


PAIRS = (("CNN-PBE", "CNN-MSE"), ("RNN-PBE", "RNN-MSE"), ("CNN-MSE", "RNN-MSE"), ("CNN-PBE", "RNN-PBE"))


def order_of_agents(data: Data) -> Finding:
    """Table I: the projected error beats the mean squared error in both networks; CNNs beat RNNs."""
    return _order(data, PAIRS, "")


def order_of_negated(data: Data) -> Finding:
    """Ours: the same with negamax, so that agents play well; from every first move, else the first player wins."""
    return _order(data, PAIRS, "(ours) with negamax, ")
