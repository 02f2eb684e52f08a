"""How strong one agent is: its grade, and its matches with others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ludus.core.game import Game
from ludus.core.results import Result, Sheet
from ludus.errors import BadInput
from ludus.play.player import Player
from ludus.truth import truth_of
from ludus.truth.protocol import EPSILON, Effort, Grade
from ludus.workbench.matches import Match, MatchRun
from ludus.workbench.observer import Observing, Unwatched


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """The strength of an agent: its `.grade` by the truth or by a fixed list of opponents, if it was asked for, and its
    `.matches`.
    """

    agent: str
    game: str
    grade: Grade | None
    matches: tuple[Match, ...]
    stopped: bool = False

    def to_json(self) -> dict[str, Any]:
        known = {"agent": self.agent, "game": self.game, **(self.grade.to_json() if self.grade else {})}
        results = [{"against": match.b, **match.document()} for match in self.matches]
        found = results[0] if len(results) == 1 else {"results": results}
        return known | (found if results else {}) | {"stopped": self.stopped}

    def parts(self) -> Iterator[str | Sheet]:
        if self.grade is not None:
            yield from grade_parts(self.agent, self.game, self.grade)
        for match in self.matches:
            yield from match.parts()


def grade_parts(agent: str, game: str, grade: Grade) -> Iterator[str]:
    """An agent's strength, for people."""
    yield f"{agent} at {game}"
    yield from (f"  {line}" for line in grade.lines())


class Wanted(NamedTuple):
    """What is measured of an agent; `resolved` refuses what a game does not allow."""

    exact: bool = False
    every_defence: bool = False
    ladder: bool = False
    against: tuple[str | Player, ...] = ()

    def resolved(self, game: Game) -> Wanted:
        """The same with what follows from the game: a puzzle's agent is graded, another plays the random player."""
        if self.every_defence and not self.exact:
            raise BadInput("--every-defence goes with --exact; give both.")
        truth, alone = truth_of(game), game.num_players == 1
        if self.exact and not truth.grades:
            if alone:
                raise BadInput(f"{game.name} is a puzzle for one: there is no opponent to be exact about.")
            raise BadInput(f"{game.describe()} cannot be graded exactly; leave out --exact, and games are played.")
        if self.ladder and (truth.grades or alone):
            instead = "give --exact" if truth.grades else "leave out --ladder"
            raise BadInput(f"{game.describe()} has no fixed list of opponents; {instead}.")
        if self.every_defence and self.effort not in truth.grades:
            raise BadInput(
                f"--every-defence is for games where --exact alone skips some defences, not {game.describe()}."
            )
        if alone and self.against:
            raise BadInput(f"{game.name} is a puzzle for one: there is no opponent to play; leave out --against.")
        exact = self.exact or (alone and bool(truth.grades))  # a puzzle's agent has no opponents
        against = self.against or (() if exact or self.ladder else ("random",))
        return self._replace(exact=exact, against=against)

    @property
    def effort(self) -> Effort:
        return Effort.EVERY_DEFENCE if self.every_defence else Effort.WHOLE

    @property
    def graded(self) -> bool:
        return self.exact or self.ladder


class EvaluationRun:
    """An evaluation to be made: `play` gives its result, `stop` the result so far, also from another thread."""

    def __init__(
        self,
        game: Game,
        player: Player,
        wanted: Wanted,
        opponent: Callable[[str | Player], Player],
        games: int,
        seed: int,
        openings: int | None,
        epsilon: float = EPSILON,
        observing: Observing = Unwatched,
        on_part: Callable[[Grade | Match], Any] = lambda part: None,
    ) -> None:
        """`wanted` is resolved. `opponent` gives each player named; `on_part` is told each result as it comes."""
        self._game, self._player, self._wanted, self._opponent = game, player, wanted, opponent
        self._games, self._seed, self._openings, self._epsilon = games, seed, openings, epsilon
        self._observing, self._on_part = observing, on_part
        self._grade: Grade | None = None
        self._matches: list[Match] = []
        self._running: MatchRun | None = None
        self._adding = threading.Lock()  # so that a match is not added twice, by its end and by a stop

    def play(self) -> Evaluation:
        game, player = self._game, self._player
        if self._wanted.graded:
            with self._observing(f"grading {player.name}") as observer:
                self._grade = truth_of(game).grade(player, self._wanted.effort, self._epsilon, observer)
            self._on_part(self._grade)
        for named in self._wanted.against:
            other = self._opponent(named)
            self._running = run = MatchRun(
                game, player, other, self._games, self._seed, self._openings, self._observing
            )
            match = run.play()
            with self._adding:
                self._add(match)
                self._running = None
        return self._result(self._matches, stopped=False)

    def _add(self, match: Match) -> None:
        self._matches.append(match)
        self._on_part(match)

    def stop(self, failed: bool, note: Callable[[Match | None, int], Any]) -> Evaluation | None:
        """What is known so far, if anything; `note` is told the result so far of the match that is being played, and
        how many games it would have had.
        """
        with self._adding:
            if self._running is not None:
                match = self._running.stop(failed)
                if not (failed and match is None):
                    note(match, self._games)
                if match is not None:
                    self._add(match)
        known = self._grade is not None or self._matches
        return self._result(self._matches, stopped=True) if known else None

    def _result(self, matches: Sequence[Match], stopped: bool) -> Evaluation:
        return Evaluation(self._player.name, self._game.describe(), self._grade, tuple(matches), stopped)
