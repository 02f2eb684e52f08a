"""What to make of the Hex paper's figures: a verdict for each claim.

The paper shows values and draws few conclusions from a figure; where it draws none, the claim is its general one, that
the values of the moves made approach 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ludus.games.hex.paper.grid import Result
from ludus.games.hex.paper.table import standings
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, difference, estimate, together, verdict

NEAR_ONE = 0.9  # "approaches 1"
VISIBLE = 0.05  # a difference in values that one would see in the paper's plots


@dataclass(frozen=True)
class Finding:
    """A claim, what was found, and the verdict."""

    claim: str
    verdict: str
    values: dict[str, str]
    measures: tuple[str, ...] = ("value", "held")


Judge = Callable[[list[Result]], Finding]


def worth(result: Result) -> str:
    """How a curve ended: by the paper's measure, and by the truth."""
    return f"value {estimate(result.end()).plain()}, won positions kept {estimate(result.end('held'))}"


def approaches(claim: str, all_as: str = "") -> Judge:
    """In every panel, or in all of them together, the values of some setting end near 1."""

    def judge(results: list[Result]) -> Finding:
        values, verdicts = {}, []
        for panel in [all_as] if all_as else dict.fromkeys(result.curve.panel for result in results):
            mine = [result for result in results if all_as or result.curve.panel == panel]

            def named(result: Result) -> str:
                return f"{result.curve.panel}, {result.curve.label}" if all_as else result.curve.label

            best = max(mine, key=lambda result: np.mean(result.end()))
            truest = max(mine, key=lambda result: np.mean(result.end("held")))
            verdicts.append(estimate(best.end()).reaches(NEAR_ONE))
            values[f"{panel}: highest value, {named(best)}"] = worth(best)
            values[f"{panel}: most positions kept, {named(truest)}"] = worth(truest)
        return Finding(claim, together(verdicts), values)

    return judge


def no_visible_difference(results: list[Result]) -> Finding:
    """Fig. 14: curves come in pairs, pre-trained and not."""
    values, verdicts = {}, []
    for taught, untaught in zip(results[::2], results[1::2], strict=True):
        gap = difference(taught.end(), untaught.end())
        inside, outside = max(abs(gap.low), abs(gap.high)) < VISIBLE, gap.low > VISIBLE or gap.high < -VISIBLE
        verdicts.append(HOLDS if inside else FAILS if outside else UNDECIDED)
        more = difference(taught.end("held"), untaught.end("held"))
        values[f"{taught.curve.panel}: pre-trained over not"] = f"value {gap.plain()}, won positions kept {more}"
    claim = f"pre-training makes no visible difference to the values in the end (less than {VISIBLE})"
    return Finding(claim, together(verdicts), values)


def _objectives(results: list[Result], measure: str, lower: bool) -> tuple[list[str], dict[str, str]]:
    """PBE against MSE within each architecture."""
    values, verdicts = {}, []
    for mse, pbe in (results[:2], results[2:]):
        pair = (mse.mean(measure), pbe.mean(measure)) if lower else (pbe.mean(measure), mse.mean(measure))
        gap = difference(*pair)
        verdicts.append(verdict(gap))
        values[f"{pbe.curve.label} {'below' if lower else 'over'} {mse.curve.label}, mean of the curve"] = gap.plain()
    return verdicts, values


def faster_objective(results: list[Result]) -> Finding:
    """Fig. 17."""
    verdicts, values = _objectives(results, "value", lower=False)
    claim = "the projected Bellman error brings the values to 1 faster than the mean squared error, on CNN and RNN"
    return Finding(claim, together(verdicts), values | {r.curve.label: worth(r) for r in results})


def smaller_error(results: list[Result]) -> Finding:
    """Fig. 18."""
    verdicts, values = _objectives(results, "loss", lower=True)
    values |= {result.curve.label: f"error at the end {estimate(result.end('loss')).plain()}" for result in results}
    claim = "the training error is smaller under the projected Bellman error, on CNN and RNN"
    return Finding(claim, together(verdicts), values, ("loss", "held"))


def smaller_projection(results: list[Result]) -> Finding:
    """Fig. 19."""
    cnn, rnn = results
    gap = difference(rnn.mean("projection"), cnn.mean("projection"))
    values = {r.curve.label: f"error at the end {estimate(r.end('projection')).plain()}" for r in results}
    values["RNN over CNN, mean of the curve"] = gap.plain()
    return Finding(
        "the projection's error is smaller with the CNN than with the RNN", verdict(gap), values, ("projection", "held")
    )


def faster_algorithms(results: list[Result]) -> Finding:
    """Fig. 20."""
    named = {result.curve.label: result for result in results}
    values, verdicts = {name: worth(result) for name, result in named.items()}, []
    for better in ("GTD2", "TDC"):
        for worse in ("SARSA", "Q-learning"):
            gap = difference(named[better].mean(), named[worse].mean())
            values[f"{better} over {worse}, mean of the curve"] = gap.plain()
            verdicts.append(verdict(gap))
    claim = "the values of GTD2 and TDC approach 1 faster than those of SARSA and Q-learning"
    return Finding(claim, together(verdicts), values)


def negated_is_stronger(results: list[Result]) -> Finding:
    """Ours: the first half of the curves adds v', as the paper does, the second negates it."""
    values, verdicts, half = {}, [], len(results) // 2
    for added, negated in zip(results[:half], results[half:], strict=True):
        gap = difference(negated.end("held"), added.end("held"))
        verdicts.append(verdict(gap))
        values[added.curve.label] = f"added: {worth(added)}; negated: {worth(negated)}; {gap} more kept"
    claim = "(ours) negating the next value keeps more won positions than adding it, as the paper does"
    return Finding(claim, together(verdicts), values)


def order_of_agents(results: list[Result]) -> Finding:
    """Table I."""
    table = standings(results)
    row = {row.agent: row for row in table}
    pairs: Sequence[tuple[str, str]] = (("CNN-PBE", "CNN-MSE"), ("CNN-MSE", "RNN-MSE"), ("CNN-MSE", "RNN-PBE"))
    leads = [row[better].leads(row[worse]) for better, worse in pairs]
    claim = "CNN-PBE wins most games, then CNN-MSE, then the two RNNs"
    return Finding(claim, together(leads), {row.agent: str(row) for row in table})
