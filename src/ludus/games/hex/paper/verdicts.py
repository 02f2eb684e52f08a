"""What to make of the Hex paper's figures: a verdict for each claim, by a rule that was fixed before the runs.

The paper shows values and draws few conclusions from a figure; where it draws none, the claim is its general one, that
the values of the moves made approach 1.
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
Table = Sequence[Sequence[str]]
NEAR_ONE = 0.9  # "approaches 1"
VISIBLE = 0.05  # a difference in values that one would see in the paper's plots
#: A network is alive that says different things of a move in different positions. Values near 1, as the paper's are,
#: differ little from each other; so their deviation is measured by how far from 1 they are. That of a saturated
#: network, or of one without a live unit, is nothing at all.
ALIVE, SOME = 0.01, 1e-4
LARGEST = 50.0  # logits: beyond, a policy is certain of everything it does, and learns nothing any more


def ended(runs: Runs) -> str:
    """How a curve ended: by the paper's measure, by the truth, and whether its networks are alive."""
    return f"value {value(runs).plain()}, won positions held {held(runs)}{alive(runs)}"


def value(runs: Runs, of: int = 1) -> Estimate:
    """The value of the moves that were made in the end."""
    return estimate(runs.end("value"), of)


def held(runs: Runs) -> str:
    return str(estimate(runs.end("held")))


def collapsed(runs: Runs) -> list[bool]:
    """By seed, whether the network says the same of every position in the end, and did not at first."""
    now, size, first = runs.end("spread"), runs.end("size"), runs.at("spread", 0)
    alive = [s >= max(SOME, ALIVE * (1 - z)) or s >= f / 2 for s, z, f in zip(now, size, first, strict=True)]
    return [not living for living in alive]  # what is no number is not alive


def alive(runs: Runs) -> str:
    if "spread" not in runs.measured:
        return ""
    if not max(runs.end("size")) <= 1:  # an actor's logits
        return f", logits of size {np.mean(runs.end('size')):.3g}"
    return f", {len(runs.seeds) - sum(collapsed(runs))} of {len(runs.seeds)} networks alive"


def highest_alive(runs: Runs) -> float:
    """For a trial: the value in the end, where that of a network which has collapsed counts for nothing."""
    pairs = zip(runs.end("value"), collapsed(runs), strict=True)
    return float(np.mean([0.0 if dead else value for value, dead in pairs]))


def highest_calm(measure: str) -> Callable[[Runs], float]:
    """For a trial of actors: this in the end, of settings where no actor's logits have run away."""
    return lambda runs: float(np.mean(runs.end(measure))) - 10 * (not max(runs.end("size")) < LARGEST)


def one_claim(claim: str, verdict: str, values: dict[str, str], found: str, table: Table = ()) -> Finding:
    return Finding((Claim(claim, verdict, found),), values, table)


def _in_words(values: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in values.items())


def approaches(claim: str, chosen: bool = False) -> Callable[[Data], Finding]:
    """Holds if in every panel the values of some setting end at 0.9 or more, with their whole interval; fails if in one
    panel the best ends below it with its whole interval.

    Where a setting was chosen on other seeds, it alone is judged. Else the best of a panel was picked for its values,
    and its interval is widened for as many as there are.
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
        return one_claim(claim, together(verdicts), values, "; ".join(found))

    return judge


def alike(gap: Estimate) -> str:
    """Whether a claim that two are alike holds: their difference lies within what one would see, or beyond it."""
    inside, outside = max(abs(gap.low), abs(gap.high)) < VISIBLE, gap.low > VISIBLE or gap.high < -VISIBLE
    return HOLDS if inside else FAILS if outside else UNDECIDED


def no_visible_difference(data: Data) -> Finding:
    """Fig. 14: curves come in pairs, pre-trained and not. Holds if every pair ends alike. Ours: what was taught is
    there at move 0, as more positions held, in every pair.
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
    """For each network a claim: by the mean of the curve, seed by seed, the projected error is the better."""
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
    """Fig. 18: by the mean of the curve. The targets differ, and the paper compares all the same."""
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
    claim = "the projection's error is smaller with the CNN than with the RNN"
    return one_claim(claim, verdict(gap), values, f"RNN over CNN {gap.plain()}; {_in_words(values)}")


def objective_or_target(data: Data) -> Finding:
    """Ours: the effect of the objective with the target held fixed, and of the target with the objective held fixed,
    both as the mean of two differences in the mean of the curve, seed by seed.
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
    """Fig. 20: by the mean of the curve, seed by seed, each with the setting chosen for its value. Two are alike if
    they differ by less than one would see. Settings chosen for the positions held are shown beside.
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
    """Ours: the first half of the curves adds v', as the paper does, the second negates it; every arm has the setting
    that holds the most positions on other seeds. Holds for an algorithm if it holds more in the end, seed by seed.
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
    """Ours: at one setting, more networks say the same of every position with h than without it, in the end, seed by
    seed; and with each variant's own settings, GTD2 holds fewer positions with h than without.
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
    """Ours: an actor whose moves are compared with what its policy is worth holds more positions in the end than one
    whose moves are compared with their own values, each with the settings that hold the most on other seeds.
    """
    values, claims = {f"{runs.panel}: {runs.label}": ended(runs) for runs in data.curves}, []
    for panel, runs in data.panels().items():
        if len(runs) == 2:
            gap = difference(runs[1].end("held"), runs[0].end("held"))
            claim = f"(ours) an actor learns more from what its policy is worth than from the move's own value: {panel}"
            claims.append(Claim(claim, verdict(gap), f"{gap} more held"))
    return Finding(tuple(claims), values)


def _order(data: Data, pairs: Sequence[tuple[str, str]], ours: str) -> Finding:
    """A claim holds if the stronger wins more games a tournament, in the mean over tournaments, each of which has
    networks of its own: the games of one network are not independent. Ratings and positions held stand beside.
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
    """Table I: the projected error over the mean squared one in both networks, and the CNNs over the RNNs."""
    return _order(data, PAIRS, "")


def order_of_negated(data: Data) -> Finding:
    """Ours: the same with negamax, where players learn to play, from every first move: else whoever begins wins."""
    return _order(data, PAIRS, "(ours) with negamax, ")
