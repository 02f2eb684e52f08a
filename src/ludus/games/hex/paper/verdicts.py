"""What to make of the Hex paper's figures: a verdict for each claim.

The paper shows values and draws few conclusions from a figure; where it draws none, the claim is its general one, that
the values of the moves made approach 1.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ludus.study.data import Data, Meeting, Runs
from ludus.study.statistics import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Estimate,
    difference,
    estimate,
    more_of,
    share,
    together,
    verdict,
)
from ludus.study.study import Claim, Finding

SEASONS = 2
Table = Sequence[Sequence[str]]
NEAR_ONE = 0.9  # "approaches 1"
VISIBLE = 0.05  # a difference in values that one would see in the paper's plots


def value(runs: Runs) -> Estimate:
    """The value of the moves that were made in the end; values lie between -1 and 1."""
    return estimate(runs.end("value"), -1.0, 1.0)


def ended(runs: Runs) -> str:
    """How a curve ended: by the paper's measure, and by the truth."""
    return f"value {value(runs).plain()}, won positions held {share(runs.end('held'))}"


def one_claim(claim: str, verdict: str, values: dict[str, str], found: str, table: Table = ()) -> Finding:
    return Finding((Claim(claim, verdict, found),), values, table)


def held(runs: Runs) -> str:
    return str(share(runs.end("held")))


def approaches(claim: str, all_as: str = "") -> Callable[[Data], Finding]:
    """In every panel, or in all of them together, the values of some setting end near 1."""

    def judge(data: Data) -> Finding:
        values, verdicts, found = {}, [], []

        def named(runs: Runs) -> str:
            return f"{runs.panel}, {runs.label}" if all_as else runs.label

        for panel, curves in {all_as: list(data.curves)}.items() if all_as else data.panels().items():
            best = max(curves, key=lambda runs: np.mean(runs.end("value")))
            truest = max(curves, key=lambda runs: np.mean(runs.end("held")))
            verdicts.append(value(best).reaches(NEAR_ONE))
            values[f"{panel}: highest value, {named(best)}"] = ended(best)
            found.append(f"{panel} {value(best).plain()} at {named(best)}, where {held(best)} are held")
            values[f"{panel}: most positions held, {named(truest)}"] = ended(truest)
        return one_claim(claim, together(verdicts), values, "; ".join(found))

    return judge


def no_visible_difference(data: Data) -> Finding:
    """Fig. 14: curves come in pairs, pre-trained and not."""
    values, verdicts = {}, []
    for taught, untaught in zip(data.curves[::2], data.curves[1::2], strict=True):
        gap = difference(taught.end("value"), untaught.end("value"), 2.0)
        inside, outside = max(abs(gap.low), abs(gap.high)) < VISIBLE, gap.low > VISIBLE or gap.high < -VISIBLE
        verdicts.append(HOLDS if inside else FAILS if outside else UNDECIDED)
        more = more_of(taught.end("held"), untaught.end("held"))
        values[f"{taught.panel}: pre-trained over not"] = f"value {gap.plain()}, won positions held {more}"
    claim = f"pre-training makes no visible difference to the values in the end (less than {VISIBLE})"
    found = "; ".join(f"{name.partition(':')[0]}: {value}" for name, value in values.items())
    return one_claim(claim, together(verdicts), values, found)


def _objectives(data: Data, measure: str, lower: bool) -> tuple[list[str], dict[str, str]]:
    """PBE against MSE within each architecture."""
    values, verdicts = {}, []
    for mse, pbe in (data.curves[:2], data.curves[2:]):
        pair = (mse.mean(measure), pbe.mean(measure)) if lower else (pbe.mean(measure), mse.mean(measure))
        gap = difference(*pair)
        verdicts.append(verdict(gap))
        values[f"{pbe.label} {'below' if lower else 'over'} {mse.label}, mean of the curve"] = gap.plain()
    return verdicts, values


def _in_words(values: dict[str, str]) -> str:
    return "; ".join(f"{name}: {value}" for name, value in values.items())


def faster_objective(data: Data) -> Finding:
    """Fig. 17."""
    verdicts, values = _objectives(data, "value", lower=False)
    claim = "the projected Bellman error brings the values to 1 faster than the mean squared error, on CNN and RNN"
    found = _in_words(values)
    return one_claim(claim, together(verdicts), values | {runs.label: ended(runs) for runs in data.curves}, found)


def smaller_error(data: Data) -> Finding:
    """Fig. 18."""
    verdicts, values = _objectives(data, "loss", lower=True)
    found = _in_words(values)
    values |= {runs.label: f"error at the end {estimate(runs.end('loss')).plain()}" for runs in data.curves}
    claim = "the training error is smaller under the projected Bellman error, on CNN and RNN"
    return one_claim(claim, together(verdicts), values, found)


def smaller_projection(data: Data) -> Finding:
    """Fig. 19."""
    cnn, rnn = data.curves
    gap = difference(rnn.mean("projection"), cnn.mean("projection"))
    values = {runs.label: f"error at the end {estimate(runs.end('projection')).plain()}" for runs in data.curves}
    values["RNN over CNN, mean of the curve"] = gap.plain()
    claim = "the projection's error is smaller with the CNN than with the RNN"
    return one_claim(claim, verdict(gap), values, f"RNN over CNN {gap.plain()}")


def faster_algorithms(data: Data) -> Finding:
    """Fig. 20."""
    named = {runs.label: runs for runs in data.curves}
    values, verdicts, gaps = {name: ended(runs) for name, runs in named.items()}, [], []
    for better in ("GTD2", "TDC"):
        for worse in ("SARSA", "Q-learning"):
            gap = difference(named[better].mean("value"), named[worse].mean("value"))
            values[f"{better} over {worse}, mean of the curve"] = gap.plain()
            gaps.append(f"{better} over {worse} {gap.plain()}")
            verdicts.append(verdict(gap))
    claim = "the values of GTD2 and TDC approach 1 faster than those of SARSA and Q-learning"
    return one_claim(claim, together(verdicts), values, f"mean of the curve: {'; '.join(gaps)}")


def negated_is_stronger(data: Data) -> Finding:
    """Ours: the first half of the curves adds v', as the paper does, the second negates it."""
    values, verdicts, found, half = {}, [], [], len(data.curves) // 2
    rows = [["", "value, added", "won positions held, added", "value, negated", "won positions held, negated"]]
    for added, negated in zip(data.curves[:half], data.curves[half:], strict=True):
        gap = more_of(negated.end("held"), added.end("held"))
        verdicts.append(verdict(gap))
        found.append(f"{added.label} {gap} more")
        cells = ([value(runs).plain(), held(runs)] for runs in (added, negated))
        rows.append([added.label, *itertools.chain(*cells)])
        values[added.label] = f"added: {ended(added)}; negated: {ended(negated)}; {gap} more held"
    claim = "(ours) negating the next value holds more won positions than adding it, as the paper does"
    return one_claim(claim, together(verdicts), values, "; ".join(found), rows)


class Row(NamedTuple):
    """An agent's line of the table."""

    agent: str
    rating: float
    ci95: tuple[float, float]
    first: tuple[int, ...]  # wins as first player, by season
    second: tuple[int, ...]
    games: int  # in each seat and season

    def __str__(self) -> str:
        seasons = ", ".join(f"{a}/{b}" for a, b in zip(self.first, self.second, strict=True))
        low, high = self.ci95
        won = f"{sum(self.first + self.second)} wins, rating {self.rating:+.0f} [{low:+.0f}, {high:+.0f}]"
        return f"{seasons} of {self.games}/{self.games} a season; {won}"

    def leads(self, other: Row) -> str:
        """Whether a claim that this agent is the stronger holds: by intervals that do not meet."""
        return HOLDS if self.ci95[0] > other.ci95[1] else FAILS if self.ci95[1] < other.ci95[0] else UNDECIDED


def standings(games: Sequence[Meeting]) -> list[Row]:
    """The table of these games, the best first."""
    from ludus.play.ratings import bradley_terry

    names = list(dict.fromkeys(game.first for game in games))
    seasons = sorted({game.season for game in games})
    wins = np.zeros((len(names), len(names)))
    first, second = Counter(), Counter()
    for game in games:
        won, lost = game.winner, game.second if game.winner == game.first else game.first
        wins[names.index(won), names.index(lost)] += 1
        (first if won == game.first else second)[won, game.season] += 1
    each = len(games) // len(seasons) // len(names)
    rows = [
        Row(
            rating.agent,
            rating.rating,
            rating.ci95,
            tuple(first[rating.agent, season] for season in seasons),
            tuple(second[rating.agent, season] for season in seasons),
            each,
        )
        for rating in bradley_terry(names, wins)
    ]
    return sorted(rows, key=lambda row: -row.rating)


def order_of_agents(data: Data) -> Finding:
    """Table I."""
    table = standings(data.games)
    row = {row.agent: row for row in table}
    pairs = (("CNN-PBE", "CNN-MSE"), ("CNN-MSE", "RNN-MSE"), ("CNN-MSE", "RNN-PBE"))
    leads = [row[better].leads(row[worse]) for better, worse in pairs]
    claim = "CNN-PBE wins most games, then CNN-MSE, then the two RNNs"
    seasons = [f"season {season + 1}, won first / second" for season in range(len(table[0].first))]
    rows = [["", *seasons, "won in all", "rating, 95% interval"]]
    for line in table:
        won = [f"{a} / {b}" for a, b in zip(line.first, line.second, strict=True)]
        rating = f"{line.rating:+.0f} [{line.ci95[0]:+.0f}, {line.ci95[1]:+.0f}]"
        rows.append([line.agent, *won, f"{sum(line.first + line.second)}", rating])
    found = ", ".join(f"{line.agent} {sum(line.first + line.second)} wins" for line in table)
    return one_claim(claim, together(leads), {line.agent: str(line) for line in table}, found, rows)
