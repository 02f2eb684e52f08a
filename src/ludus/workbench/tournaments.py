"""A tournament of several agents, and its table in words, as tables and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from ludus.core.game import Game
from ludus.core.results import Result, Sheet
from ludus.ladder.rating_list import RatingRow
from ludus.play import tournament
from ludus.play.player import Player
from ludus.play.tournament import Pairing, TournamentRow, TournamentTable
from ludus.workbench.matches import ONLY_TWO, forfeited, forfeits, random_openings
from ludus.workbench.observer import Observing, Unwatched


@dataclass(frozen=True, repr=False)
class Tournament(Result):
    """The ratings of some agents that all played each other, the best first, in `.rows`; and the `.pairings`."""

    game: str
    games_per_pair: int
    seasons: int
    seed: int
    rows: tuple[TournamentRow, ...]
    pairings: tuple[Pairing, ...]
    stopped: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "games_per_pair": self.games_per_pair,
            "seasons": self.seasons,
            "seed": self.seed,
            "openings": max(pairing.openings for pairing in self.pairings),
            "distinct": sum(pairing.distinct for pairing in self.pairings),
            "forfeits": forfeits((row.agent, row.forfeits) for row in self.rows),
            "table": [vars(row) for row in self.rows],
            "pairings": [vars(pairing) for pairing in self.pairings],
            "stopped": self.stopped,
        }

    def parts(self) -> Iterator[str | Sheet]:
        every = f" and season, {self.seasons} seasons" if self.seasons > 1 else ""
        yield f"{self.game}, {self.games_per_pair:,} games a pair{every}"
        yield rating_sheet(self.rows)
        yield self.wins()
        for pairing in self.pairings:
            if pairing.openings:
                how = f"{random_openings(pairing.openings)}, {pairing.distinct:,} different games"
            elif pairing.distinct <= 2 < pairing.games:
                how = ONLY_TWO
            else:
                continue
            yield f"{pairing.a} and {pairing.b}: {how}"
        yield from (forfeited(row.agent, row.forfeits) for row in self.rows if row.forfeits)

    def wins(self) -> Sheet:
        """The games won in each season and seat, as a table."""
        columns = ("agent", "season", "won first", "won second")
        rows = [
            (row.agent, str(season), *(f"{count:,}" for count in by_seat))
            for row in self.rows
            for season, by_seat in enumerate(zip(row.first, row.second, strict=True), start=1)
        ]
        return Sheet(columns, rows, columns[1:])


def rating_sheet(rows: Sequence[TournamentRow | RatingRow], scores: bool = False) -> Sheet:
    """Ratings and games, as a table; `scores`: with the share of the points."""
    columns = ("rating", "games", "won", "drawn", "lost", *(("score",) if scores else ()))
    cells = [
        (*rating_cells(row), *((f"{100 * row.score:.1f}%",) if scores and isinstance(row, RatingRow) else ()))
        for row in rows
    ]
    return Sheet(("agent", *columns), cells, columns)


def rating_cells(row: RatingRow | TournamentRow) -> tuple[str, ...]:
    """An agent's rating and games, as cells of a table."""
    counts = (row.games, row.wins, row.draws, row.losses)
    return row.agent, f"{row.rating:+.0f} ± {row.ci95[1] - row.rating:.0f}", *(f"{count:,}" for count in counts)


class TournamentRun:
    """A tournament to be played: `play` gives its result, `stop` the result so far, also from another thread."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        games: int,
        seasons: int,
        openings: int | None,
        seed: int,
        observing: Observing = Unwatched,
    ) -> None:
        self._observer = observing(f"a tournament of {len(players)}")
        self._inside = tournament.Tournament(game, players, games, seasons, openings, self._observer.forfeit)
        self._seed = seed

    @property
    def games(self) -> int:
        """All games that the tournament will have."""
        return self._inside.games

    def play(self) -> Tournament:
        with self._observer:
            table = self._inside.play(jax.random.key(self._seed), on_batch=self._observer.games)
        return self._result(table, stopped=False)

    def stop(self) -> Tournament:
        self._observer.end()
        return self._result(self._inside.table(), stopped=True)

    def _result(self, table: TournamentTable, stopped: bool) -> Tournament:
        inside = self._inside
        rows, pairings = tuple(table.rows), tuple(table.pairings)
        return Tournament(
            inside.game.describe(), inside.games_per_pair, inside.seasons, self._seed, rows, pairings, stopped
        )
