"""What a truth is: something that can solve positions, play perfectly and grade agents. One per game and options.

A room says what is solvable at which size, in its part `truth`; without one a small game is written down as a graph,
and nothing is known of the others but games against the random player. Commands, agents and training ask
`ludus.truth.truth_of`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ludus.play.player import Player
from ludus.play.selfplay import Policy

EPSILON = 0.01  # of the moves against the random player are random, as the first of the papers has it


class Effort(enum.Enum):
    """How much is done to grade an agent."""

    QUICK = "quick"  # in the course of training
    WHOLE = "whole"
    EVERY_DEFENCE = "every defence"  # where some are left out for being too many


@runtime_checkable
class Answer(Protocol):
    """What is known of one position."""

    def to_json(self) -> dict[str, Any]: ...

    def summary(self) -> str:
        """In a few words."""
        ...

    def lines(self, every_move: bool = False) -> list[str]:
        """For people, the board included; a position's moves all of them, or the first of each kind."""
        ...


class Refutation(NamedTuple):
    """Whether a line of play beats an agent, and a shortest one that does."""

    unbeatable: bool = False  # proved: no line beats it, in either seat
    line: tuple[str, ...] = ()  # empty: none is known
    seat: int | None = 0  # the agent's seat in that line
    lost_seat: int | None = None  # the seat that loses even under perfect play


@runtime_checkable
class Grade(Protocol):
    """What is known of an agent's strength."""

    def to_json(self) -> dict[str, Any]: ...

    def summary(self) -> str:
        """In a few words, for the course of training."""
        ...

    def lines(self) -> list[str]:
        """For people."""
        ...

    def refutation(self) -> Refutation:
        return Refutation()


#: Told how far a long piece of work has come: a sentence, and whether it is the last of its kind. What it raises ends
#: the work; an empty sentence gives it the chance to, and says nothing.
Watch = Callable[[str, bool], Any]


def nobody(sentence: str, last: bool) -> None:
    """The callback that does nothing."""


@runtime_checkable
class Truth(Protocol):
    """What is known of a game under its options."""

    @property
    def solvers(self) -> tuple[str, ...]:
        """The agents that play by it: "perfect", "perfect:hardest"."""
        ...

    @property
    def grades(self) -> tuple[Effort, ...]:
        """How agents can be graded by the truth; none where only games can tell."""
        ...

    def solve(self, state: Any, limit: float = float("inf"), watch: Watch = nobody) -> Answer:
        """The value of a position, for so many seconds where it takes a search."""
        ...

    def count(self) -> Answer:
        """All positions, by their value."""
        ...

    def policy(self, hardest: bool = False) -> Policy:
        """Any move that holds the value; or the one that wins fastest or resists longest."""
        ...

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> Grade:
        """The strength of an agent: by the truth where it is known, else by games."""
        ...


@runtime_checkable
class ProvingTruth(Protocol):
    """A truth that can save its search to a file and write proofs."""

    def checkpoint(self, keep: Path | None, workers: int) -> Truth:
        """The same by so many workers side by side, going on from what a file has; what they prove is left there."""
        ...

    def write_proof(self, state: Any, watch: Watch = nobody) -> str:
        """The proof of a position's value, for a checker that knows only the rules."""
        ...
