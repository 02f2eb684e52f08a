"""Round-robin tournaments: the games of each pair, and the table of ratings, also after a tournament was stopped."""

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
    """A row of a tournament's table."""

    games: int
    wins: int
    draws: int
    losses: int
    first: tuple[int, ...]  # wins in the first seat, by season
    second: tuple[int, ...]
    forfeits: int  # losses because it failed to move


@dataclass(frozen=True)
class Pairing:
    """Two players of a tournament, and their games in all seasons."""

    a: str
    b: str
    games: int
    score: float  # of `a`
    openings: int  # random plies at the start of each game
    distinct: int  # different games


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
    """Play every pair in both seats, `games_per_pair` games a season.

    Openings are those of a match. If two deterministic players have no openings, they repeat the same two games, which
    count as two in the ratings.
    """
    return Tournament(game, players, games_per_pair, seasons, openings).play(key, batch, on_batch)


class Tournament:
    """A tournament in progress (see `tournament`); another thread may read the table so far."""

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
        #: By pair and season, if begun.
        self._played: dict[tuple[int, int, int], GamesSoFar] = {}

    @property
    def games(self) -> int:
        """All games that the tournament will have."""
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
        """The table of the games finished so far. A player without games has a rating too, with a wide interval."""
        count = len(self.players)
        ends = np.zeros((count, count, 3), int)  # wins, draws, losses of each against each
        got = np.zeros((count, count))  # scores, as the ratings count them
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
