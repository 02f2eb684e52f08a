"""Exact values, and the lines that beat agents: by the truth of a game, which is made once."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ludus.agents.spec import AgentSpec
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.line import Line
from ludus.play.player import Player
from ludus.truth import exactly, truth_of
from ludus.truth.answers import VALUES, Values
from ludus.truth.protocol import Effort, Grade
from ludus.web.positions import MAX_GAMES
from ludus.web.workers import Task

MAX_REFUTATIONS = 64  # that are remembered


class SharedTruth:
    """The truth of a game, made once. Its solvers run one search at a time, so there is a lock."""

    def __init__(self, game: Game) -> None:
        self.truth, self.lock = truth_of(game), threading.RLock()


@functools.lru_cache(maxsize=MAX_GAMES)
def shared_truth(game: Game) -> SharedTruth:
    return SharedTruth(game)


@contextmanager
def _held(lock: threading.RLock, task: Task) -> Iterator[None]:
    """Wait for the lock, unless the task should end."""
    while not lock.acquire(timeout=0.1):
        task.beat()
    try:
        yield
    finally:
        lock.release()


def values(line: Line, task: Task, seconds: float | None = None) -> tuple[Values | None, str]:
    """The solution of a position for a game of two, as far as it is found in time; or None, and why."""
    game = line.game
    shared = shared_truth(game)
    with _held(shared.lock, task):
        limit = task.seconds_left() if seconds is None else min(seconds, task.seconds_left())
        found, why = exactly(game, line.state, limit, lambda *_: task.beat(), shared.truth)
    return (found, "") if isinstance(found, Values) else (None, why or "nothing is known of this position")


def exact(line: Line, task: Task) -> dict[str, Any]:
    """The values of a position and of its moves under perfect play; `known` is false where they cannot be found."""
    if line.game.num_players == 1:
        with _held(shared_truth(line.game).lock, task):
            return _solvable(line, task)
    found, why = values(line, task)
    if found is None:
        return {"known": False, "why": why}
    if found.value is None:
        why = f"the exact solution was not found in {task.seconds:.0f} s"
    moves = [
        {"move": m.move, "value": m.value, "word": VALUES[m.value], "plies": m.plies}
        | {"chance": None if m.value is None else (1 + m.value) / 2, "proved": m.value is not None}
        for m in found.moves
    ]
    return {
        "known": found.value is not None,
        "why": why,
        "value": found.value,
        "chance": None if found.value is None else (1 + found.value) / 2,
        "proved": found.value is not None,
        "word": VALUES[found.value],
        "plies": found.plies,
        "summary": found.summary(),
        "counted": "",
        "side": line.game.seats[line.player()],
        "moves": moves,
    }


def _solvable(line: Line, task: Task) -> dict[str, Any]:
    """The same for a puzzle: after which moves it can still be solved."""
    from ludus.truth.puzzle import PuzzleTruth

    game, truth = line.game, shared_truth(line.game).truth
    if not isinstance(truth, PuzzleTruth):
        return {"known": False, "why": f"nothing is known of {game.name}"}
    found = truth.solver.moves(line.state)
    task.beat()
    if found is None:
        return {"known": False, "why": "there is too much below this position to tell"}
    solved = line.ending()
    can = any(found.values()) or (solved is not None and solved.result == "solved")
    worth = {game.format_move(line.state, action): 1 if after else -1 for action, after in found.items()}
    moves = [
        {"move": m, "value": v, "word": "can be solved" if v > 0 else "cannot be solved", "plies": None}
        for m, v in sorted(worth.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    word = "can be solved" if can else "cannot be solved"
    return {
        "known": True,
        "why": "",
        "value": 1 if can else -1,
        "word": word,
        "plies": None,
        "summary": word,
        "counted": "",
        "moves": moves,
    }


class Refuter:
    """Finds the shortest line that beats an agent, and remembers it."""

    def __init__(self) -> None:
        self._found: dict[tuple[Game, str], tuple[Any, dict[str, Any]]] = {}

    def refute(self, game: Game, agent: Player, task: Task) -> dict[str, Any]:
        """A shortest line that beats the agent, in a game small enough to follow every line."""
        truth = shared_truth(game).truth
        if AgentSpec.parse(agent.name).kind not in ("random", "network", "search"):
            raise BadInput("only agents that were trained, and random, can be followed on every line.")
        if Effort.QUICK not in truth.grades or game.num_players == 1:
            raise BadInput(f"{game.describe()} is not solved, so nobody can follow every line of it.")
        found = self._found.get((game, agent.name))
        if found is None or found[0] is not agent.weights:  # a run that has new weights
            with _held(shared_truth(game).lock, task):
                grade = truth.grade(agent, Effort.QUICK, watch=lambda *_: task.beat())
            if len(self._found) >= MAX_REFUTATIONS:
                self._found.clear()
            found = self._found[game, agent.name] = agent.weights, _refuted(game, agent.name, grade)
        return found[1]


def _refuted(game: Game, agent: str, grade: Grade) -> dict[str, Any]:
    found = grade.refutation()
    return {
        "agent": agent,
        "summary": grade.summary(),
        "unbeatable": found.unbeatable,
        "line": list(found.line),
        "seat": None if found.seat is None else game.seats[found.seat],
        "lost_anyway": found.seat is not None and found.seat == found.lost_seat,
    }
