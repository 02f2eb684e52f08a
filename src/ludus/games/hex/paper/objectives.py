"""The judges of figs. 17 to 19 and of Table I: two objectives, two networks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.games.hex.paper.standings import standings, wins_by_tournament
from ludus.games.hex.paper.verdicts import ended, held
from ludus.study.data import Data
from ludus.study.statistics import difference, estimate, verdict
from ludus.study.study import Claim, Finding

RATES = ("", ", projection rate 0.1")  # the projection's, as it projects best, and as the paper has it
HOW = ("the projection's rate chosen", "the paper's rate of the projection")


def _pbe_over_mse(data: Data, measure: str, lower: bool) -> tuple[list[Claim], dict[str, str]]:
    """Two claims for each network, with either rate of the projection: the projected error is better, by the mean of
    the curve, seed by seed.
    """
    values, claims = {}, []
    what = "the training error is smaller" if lower else "the values approach 1 faster"
    for network, (mse, *projected) in data.panels().items():
        for pbe, how in zip(projected, HOW, strict=True):
            pair = (mse.mean(measure), pbe.mean(measure)) if lower else (pbe.mean(measure), mse.mean(measure))
            gap = difference(*pair)
            compared = f"{pbe.label} {'below' if lower else 'over'} {mse.label}"
            values[f"{compared}, mean of the curve"] = gap.plain()
            claim = f"{what} under the projected Bellman error than under the mean squared error, {network}, {how}"
            claims.append(Claim(claim, verdict(gap), f"{compared}: {gap.plain()}", (pbe.place, mse.place)))
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
    """Fig. 19: by the mean of the curve, seed by seed. Ours: at the paper's rate the CNN's projection is worse than at
    the chosen one.
    """
    values = {
        runs.label: f"error at the end {estimate(runs.end('projection')).plain()}, units of the projection that live "
        f"{estimate(runs.end('projection_live'))}"
        for runs in data.curves
    }
    claims = []
    for rate, how in zip(RATES, HOW, strict=True):
        cnn, rnn = (data.curve(f"{network}-PBE{rate}") for network in ("CNN", "RNN"))
        gap = difference(rnn.mean("projection"), cnn.mean("projection"))
        claim = f"the projection's error is smaller with the CNN than with the RNN, {how}"
        claims.append(Claim(claim, verdict(gap), f"RNN over CNN {gap.plain()}", (cnn.place, rnn.place)))
    for network in ("CNN", "RNN"):
        chosen, paper = (data.curve(f"{network}-PBE{rate}") for rate in RATES)
        gap = difference(paper.mean("projection"), chosen.mean("projection"))
        claim = f"(ours) at the paper's rate the projection's error is larger than at the rate chosen, {network}"
        claims.append(Claim(claim, verdict(gap), f"{gap.plain()} larger", dead_too=True))
    return Finding(tuple(claims), values)


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
            arms = tuple(each.place for each in runs)
            claims.append(Claim(f"(ours) {name}, {network}", verdict(gap), gap.plain(), arms))
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
        arms = tuple(data.curve(agent).place for agent in (better, worse))
        claims.append(Claim(f"{ours}{better} is stronger than {worse}", verdict(gap), found, arms))
    values = {line.agent: f"{line}; {ended(data.curve(line.agent))}" for line in table}
    return Finding(tuple(claims), values, rows)


PAIRS = (("CNN-PBE", "CNN-MSE"), ("RNN-PBE", "RNN-MSE"), ("CNN-MSE", "RNN-MSE"), ("CNN-PBE", "RNN-PBE"))


def order_of_agents(data: Data) -> Finding:
    """Table I: the projected error beats the mean squared error in both networks; CNNs beat RNNs."""
    return _order(data, PAIRS, "")


def order_of_negated(data: Data) -> Finding:
    """Ours: the same with negamax, so that agents play well; from every first move, else the first player wins."""
    return _order(data, PAIRS, "(ours) with negamax, ")
