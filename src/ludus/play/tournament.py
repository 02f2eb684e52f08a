"""Everyone against everyone: the games of each two, and the table of ratings, also of a tournament that was stopped."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Key

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.arena import Progress, openings_between, play_games
from ludus.play.finished import Fault, FinishedGames, GamesSoFar
from ludus.play.player import Player, side_of
from ludus.play.ratings import Rating, bradley_terry


@dataclass(frozen=True)
class TournamentRow(Rating):
    """A line of a tournament's table."""

    games: int
    wins: int
    draws: int
    losses: int
    first: tuple[int, ...]  # of the wins, those in the first seat, by season
    second: tuple[int, ...]
    forfeits: int  # of the losses, those where it made no move


@dataclass(frozen=True)
class Pairing:
    """Two players of a tournament, and their games of all seasons."""

    a: str
    b: str
    games: int
    score: float  # of `a`
    openings: int  # random plies that each game begins with
    distinct: int  # games that differ


class TournamentTable(NamedTuple):
    rows: list[TournamentRow]  # the best first
    pairings: list[Pairing]


def tournament(
    game: Game,
    players: Sequence[Player],
    games_per_pair: int,
    key: Key[Array, ""],
    seasons: int = 1,
    batch: int = 1024,
    on_batch: Progress | None = None,
    openings: int | None = None,
) -> TournamentTable:
    """Everyone against everyone in both seats, so many games a season.

    Openings are those of a match. Where two players without chance have none, the two games that they play over and
    over count as two in the ratings.
    """
    return Tournament(game, players, games_per_pair, seasons, openings).play(key, batch, on_batch)


class Tournament:
    """A tournament under way, as `tournament` has it; another thread may ask how it stands."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        games_per_pair: int,
        seasons: int = 1,
        openings: int | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        self.names = [player.name for player in players]
        if len(players) < 2 or len(set(self.names)) < len(players):
            names = ", ".join(self.names) or "none"
            raise BadInput(f"a tournament takes two players or more, each named once, not {names}.")
        if seasons < 1:
            raise BadInput(f"a tournament takes at least one season, not {seasons}.")
        self.game, self.players, self.seasons, self.games_per_pair = game, players, seasons, games_per_pair
        self._on_fault = on_fault
        self._pairs = list(itertools.combinations(range(len(players)), 2))
        each = games_per_pair * seasons
        self._openings = {
            (i, j): openings_between(game, players[i], players[j], each, openings) for i, j in self._pairs
        }
        #: By pair and season, those that have begun.
        self._played: dict[tuple[int, int, int], GamesSoFar] = {}

    @property
    def games(self) -> int:
        """How many there are to be."""
        return len(self._pairs) * self.seasons * self.games_per_pair

    def play(self, key: Key[Array, ""], batch: int = 1024, on_batch: Progress | None = None) -> TournamentTable:
        sides = [side_of(player, self.game) for player in self.players]
        done = 0
        for number, (i, j) in enumerate(self._pairs):
            for season in range(self.seasons):
                so_far = self._played[i, j, season] = GamesSoFar(self._on_fault)
                play_games(
                    self.game,
                    (sides[i], sides[j]),
                    self.games_per_pair,
                    jax.random.fold_in(jax.random.fold_in(key, season), number),
                    batch,
                    self._openings[i, j],
                    on_batch and (lambda played, _, done=done: on_batch(done + played, self.games)),
                    so_far,
                )
                done += self.games_per_pair
        return self.table()

    def table(self) -> TournamentTable:
        """Of the games that have ended so far. Whoever has not played yet has a rating too, and a wide interval."""
        count = len(self.players)
        ends = np.zeros((count, count, 3), int)  # wins, draws, losses of one against another
        got = np.zeros((count, count))  # as it counts in the ratings
        won = np.zeros((count, 2, self.seasons), int)  # by seat
        forfeits, pairings = np.zeros(count, int), []
        begun = self._played.copy()
        for i, j in self._pairs:
            prints = []
            for season in range(self.seasons):
                so_far = begun.get((i, j, season))
                if not so_far:
                    continue
                played = so_far.played()
                prints.append(played.fingerprint)
                by_seat = _by_seat(played)
                ends[i, j] += by_seat.sum(axis=0)
                won[i, :, season] += by_seat[:, 0]
                won[j, :, season] += by_seat[::-1, 2]
                for fault in played.faults:
                    forfeits[(i, j)[fault.player]] += 1
            if not prints:
                continue
            ends[j, i] = ends[i, j][::-1]
            each, distinct = sum(map(len, prints)), len(np.unique(np.concatenate(prints), axis=0))
            chance = self.players[i].chance or self.players[j].chance
            repeated = distinct <= 2 and not (self._openings[i, j] or chance)
            weight = distinct / each if repeated else 1.0
            for one, other in ((i, j), (j, i)):
                got[one, other] = weight * (ends[one, other, 0] + ends[one, other, 1] / 2)
            score = float((ends[i, j, 0] + ends[i, j, 1] / 2) / each)
            pairings.append(Pairing(self.names[i], self.names[j], each, score, self._openings[i, j], distinct))
        rated = zip(
            bradley_terry(self.names, got), ends.sum(axis=1).tolist(), won.tolist(), forfeits.tolist(), strict=True
        )
        rows = [
            TournamentRow(
                **vars(rating),
                games=sum(end),
                wins=end[0],
                draws=end[1],
                losses=end[2],
                first=tuple(first),
                second=tuple(second),
                forfeits=lost,
            )
            for rating, end, (first, second), lost in rated
        ]
        return TournamentTable(sorted(rows, key=lambda row: -row.rating), pairings)


def _by_seat(played: FinishedGames) -> np.ndarray:
    """Wins, draws and losses of the first-named of two, by the seat it had."""
    seats = [played.end[played.places % 2 == seat] for seat in (0, 1)]
    return np.array([[(end > 0).sum(), (end == 0).sum(), (end < 0).sum()] for end in seats])
