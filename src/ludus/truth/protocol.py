"""The protocol of a truth: it solves positions, plays perfectly and grades agents. There is one per game and options.

A room's part `truth` says what is solvable at which size. Without that part, a small game is solved by its graph, and
agents of any other game are graded by games. Commands, agents and training call `ludus.truth.truth_of`.
"""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ludus.core.callbacks import Watch, nobody
from ludus.play.player import Player
from ludus.play.selfplay import Policy

EPSILON = 0.01  # the share of random moves in games against the random player, as in the L-Game paper


class Effort(enum.Enum):
    """The effort of grading an agent."""

    QUICK = "quick"  # during training
    WHOLE = "whole"
    EVERY_DEFENCE = "every defence"  # also the defences that `WHOLE` leaves out, because they are many


@runtime_checkable
class Answer(Protocol):
    """The solution of one position, or a count of all positions."""

    def to_json(self) -> dict[str, Any]: ...

    def summary(self) -> str:
        """A few words."""
        ...

    def lines(self, every_move: bool = False) -> list[str]:
        """Text for people, with the board, and with all moves or the first of each value."""
        ...


class Refutation(NamedTuple):
    """Whether a line of play beats an agent, and the shortest such line."""

    unbeatable: bool = False  # proved: no line beats it, in either seat
    line: tuple[str, ...] = ()  # empty: no such line is known
    seat: int | None = 0  # the agent's seat in that line
    lost_seat: int | None = None  # the seat that loses even under perfect play


@runtime_checkable
class Grade(Protocol):
    """The measured strength of an agent."""

    def to_json(self) -> dict[str, Any]: ...

    def summary(self) -> str:
        """A few words, for progress reports."""
        ...

    def lines(self) -> list[str]:
        """Text for people."""
        ...

    def refutation(self) -> Refutation:
        return Refutation()


@runtime_checkable
class Truth(Protocol):
    """What is known of a game under perfect play, with its options."""

    @property
    def solvers(self) -> tuple[str, ...]:
        """The agents that play by the truth: "perfect", "perfect:hardest"."""
        ...

    @property
    def grades(self) -> tuple[Effort, ...]:
        """The efforts of grading by the truth; empty if agents are graded by games."""
        ...

    def solve(self, state: Any, limit: float = float("inf"), watch: Watch = nobody) -> Answer:
        """The value of a position; a search gives up after `limit` seconds."""
        ...

    def count(self) -> Answer:
        """The number of positions of each value."""
        ...

    def policy(self, hardest: bool = False) -> Policy:
        """The policy of any move that holds the value; or of the one that wins fastest or resists longest."""
        ...

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> Grade:
        """The strength of an agent: by the truth if it is known, else by games."""
        ...


@runtime_checkable
class ProvingTruth(Protocol):
    """A truth that can save its search to a file and write proofs."""

    def checkpoint(self, keep: Path | None, workers: int) -> Truth:
        """The same truth with several workers, which continues from the proofs in a file and saves its own there."""
        ...

    def write_proof(self, state: Any, watch: Watch = nobody) -> str:
        """The proof of a position's value as text, for a checker that knows only the rules."""
        ...
