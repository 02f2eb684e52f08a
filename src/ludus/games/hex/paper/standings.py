"""The standings of a tournament: wins by seat and season, and ratings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.study.data import TournamentGame


class Standing(NamedTuple):
    """One agent's row."""

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


def wins_by_tournament(games: Sequence[TournamentGame]) -> dict[str, list[float]]:
    """The games that each agent won, tournament by tournament."""
    held = sorted({(game.season, game.tournament) for game in games})
    won = Counter((game.winner, game.season, game.tournament) for game in games)
    return {name: [float(won[name, *place]) for place in held] for name in dict.fromkeys(game.first for game in games)}


def standings(games: Sequence[TournamentGame]) -> list[Standing]:
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
        Standing(
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
