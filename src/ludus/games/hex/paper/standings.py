"""The table of a tournament: wins by seat and season, and ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.study.data import Meeting
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED


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

    @property
    def wins(self) -> int:
        return sum(self.first + self.second)

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
