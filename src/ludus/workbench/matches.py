"""A match of two agents, and its result in words, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import jax

from ludus.core.game import Game
from ludus.core.results import Result, Sheet
from ludus.core.text import shown
from ludus.errors import BadInput
from ludus.play import arena
from ludus.play.arena import MatchResult
from ludus.play.player import Player
from ludus.workbench.observer import Observing, Unwatched

ONLY_TWO = "only two different games"


@dataclass(frozen=True, repr=False)
class Match(Result, MatchResult):
    """The score of a match for the first-named agent: `.score` with its interval `.ci95`, `.wins`, `.draws`, `.losses`,
    the same by seat in `.by_seat`, and the games that a player lost by making no move in `.faults`.
    """

    a: str
    b: str
    game: str
    stopped: bool = False  # whether it ended before all games were played

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "game": self.game, **self.document(), "stopped": self.stopped}

    def document(self) -> dict[str, Any]:
        """The result, without who played what."""
        by_seat = [{"games": t.games, "wins": t.wins, "draws": t.draws, "losses": t.losses} for t in self.by_seat]
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score,
            "ci95": self.ci95 and list(self.ci95),
            "by_seat": dict(zip(("first", "second"), by_seat, strict=True)),
            "mean_plies": self.mean_plies,
            "openings": self.openings,
            "distinct": self.distinct,
            "forfeits": forfeits(zip((self.a, self.b), self.forfeits, strict=True)),
            **({} if self.taken is None else {"taken": list(self.taken[:2]), "taken_more": self.taken.more}),
        }

    def parts(self) -> Iterator[str | Sheet]:
        name, other = shown(self.a), shown(self.b)
        yield (
            f"{name} against {other}: {self.wins:,} won, {self.draws:,} drawn, {self.losses:,} lost of "
            f"{self.games:,}; score {100 * self.score:.2f}%{self.interval}"
        )
        if self.openings:
            yield f"  {random_openings(self.openings)}, each with both seats: {self.distinct:,} different games"
        elif self.ci95 is None:
            yield f"  {ONLY_TWO}, as neither moves by chance: --openings N makes them differ"
        if self.taken is not None:
            ours, theirs, more = self.taken
            by_pieces = f"score if more taken wins: {100 * more:.2f}%"
            yield f"  taken a game: {ours:.2f} by {name}, {theirs:.2f} by {other}; {by_pieces}"
        for player, who in enumerate((name, other)):
            if faults := [fault for fault in self.faults if fault.player == player]:
                last = f"the last in game {faults[-1].game + 1:,}: {faults[-1].why}"
                yield f"  {forfeited(who, len(faults))}, {last}"

    def sheet(self) -> Sheet:
        """The score by seat, as a table."""
        whole = ("both seats", self.games, self.wins, self.draws, self.losses, self.score)
        seats = (
            (f"{self.a} {place}", tally.games, tally.wins, tally.draws, tally.losses, tally.score)
            for place, tally in zip(("first", "second"), self.by_seat, strict=True)
        )
        columns = ("seat", "games", "won", "drawn", "lost", "score")
        rows = [
            (seat, *(f"{count:,}" for count in counts), f"{100 * score:.2f}%")
            for seat, *counts, score in (whole, *seats)
        ]
        return Sheet(columns, rows, columns[1:])

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.sheet().to_html()


class MatchRun:
    """A match to be played: `play` gives its result, `stop` the result so far, also from another thread."""

    games: int

    def __init__(
        self,
        game: Game,
        player: Player,
        other: Player,
        games: int,
        seed: int,
        openings: int | None,
        observing: Observing = Unwatched,
    ) -> None:
        if game.num_players != 2:
            raise BadInput(f"{game.name} is a puzzle for one: there is no opponent to play.")
        self.games, self._game, self._names, self._seed = games, game, (player.name, other.name), seed
        self._observer = observing(f"{player.name} against {other.name}")
        self._match = arena.Match(game, player, other, games, openings, self._observer.forfeit)

    def play(self) -> Match:
        with self._observer:
            return self._result(self._match.play(jax.random.key(self._seed), on_batch=self._observer.games), False)

    def stop(self, failed: bool) -> Match | None:
        """The result so far; None if there is none, or if an error came when all games so far were forfeits."""
        self._observer.end()
        result = self._match.result()
        if failed and (result is None or len(result.faults) == result.games):
            return None
        return None if result is None else self._result(result, True)

    def _result(self, result: MatchResult, stopped: bool) -> Match:
        a, b = self._names
        return Match(**vars(result), a=a, b=b, game=self._game.describe(), stopped=stopped)


def forfeits(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Forfeited games by agent, for the JSON document: of those that have any."""
    found: dict[str, int] = {}
    for name, count in counts:
        if count:
            found[name] = found.get(name, 0) + count
    return found


def forfeited(name: str, count: int) -> str:
    return f"{name} forfeited {count:,} game{'s' * (count != 1)}"


def random_openings(plies: int) -> str:
    return f"random openings of {plies} {'ply' if plies == 1 else 'plies'}"
