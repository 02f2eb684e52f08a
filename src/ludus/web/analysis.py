"""An agent's move and opinion, and exact values: each a function of a line, run in a worker with a deadline."""

from __future__ import annotations

import functools
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ludus.agents.spec import PERFECT, AgentSpec
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.line import Line
from ludus.play.player import Clock, Player
from ludus.play.thoughts import Considered
from ludus.truth import exactly, truth_of
from ludus.truth.answers import VALUES, Values
from ludus.truth.protocol import Effort, Grade
from ludus.web.positions import MAX_GAMES
from ludus.web.workers import Task

LINES, PLIES = 3, 6  # best moves that are played out, and for how many plies
MAX_REFUTATIONS = 64  # that are remembered


def refuse_over(line: Line) -> None:
    ending = line.ending()
    if ending is not None:
        raise BadInput(f"the game is over, there is no move to make: {ending.sentence}")


def choose(line: Line, player: Player, task: Task, seed: int, chance: float, seconds: float) -> dict[str, Any]:
    """The agent's move; with probability `chance` a random legal move instead."""
    refuse_over(line)
    begun = time.perf_counter()
    luck = random.Random(f"{seed} {len(line.actions)}")
    weak = luck.random() < chance
    clock = Clock.at(line, seed, min(seconds, task.seconds_left()), task.beat)
    action = luck.choice(line.legal()) if weak else player.move(line, clock)
    move = line.game.format_move(line.state, action)
    return {"move": move, "by_chance": weak, "seconds": round(time.perf_counter() - begun, 4)}


def opinion(line: Line, player: Player, task: Task) -> dict[str, Any]:
    """What the agent thinks of every move, the best first, with likely continuations. Values are expected results for
    the side to move, from -1 to 1, or in the unit that `counted` names; probabilities are those of its policy.
    """
    refuse_over(line)
    if player.name in PERFECT:
        return exact(line, task) | {"agent": player.name}
    thoughts = player.thoughts(line, Clock.at(line, 0, task.seconds_left(), task.beat))
    if thoughts is None:
        raise BadInput(f"{player.name} does not rate moves; ask another agent.")
    moves = [_entry(entry) for entry in thoughts.moves]
    if not any(entry.line for entry in thoughts.moves):
        for entry in moves[:LINES]:
            entry["line"] = [entry["move"], *_after(line, player, entry["move"], task)]
    found = {"agent": player.name, "counted": thoughts.unit, "value": thoughts.value, "moves": moves}
    return found if thoughts.depth is None else found | {"depth": thoughts.depth}


def _entry(entry: Considered) -> dict[str, Any]:
    told = {"move": entry.move, "value": entry.value, "probability": entry.probability, "words": entry.words}
    if entry.visits is not None:
        told["visits"] = entry.visits
    return told | {"line": list(entry.line)} if entry.line else told


def _after(line: Line, player: Player, move: str, task: Task) -> list[str]:
    """The moves that follow one, with the agent in both seats."""
    ahead = line.copy()
    ahead.push(line.game.parse_move(line.state, move))
    begun = len(ahead.actions)
    while len(ahead.actions) < begun + PLIES - 1 and ahead.ending() is None:
        ahead.push(player.move(ahead, Clock.at(ahead, 0, task.seconds_left(), task.beat)))
    return ahead.moves()[begun:]


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


def exact(line: Line, task: Task) -> dict[str, Any]:
    """The values of a position and of its moves under perfect play; `known` is false where they cannot be found."""
    game = line.game
    with _held(shared_truth(game).lock, task):
        if game.num_players == 1:
            return _solvable(line, task)
        found, why = exactly(game, line.state, task.seconds_left(), lambda *_: task.beat(), shared_truth(game).truth)
    if not isinstance(found, Values):
        return {"known": False, "why": why or "nothing is known of this position"}
    if found.value is None:
        why = f"the exact solution was not found in {task.seconds:.0f} s"
    moves = [{"move": m.move, "value": m.value, "word": VALUES[m.value], "plies": m.plies} for m in found.moves]
    return {
        "known": found.value is not None,
        "why": why,
        "value": found.value,
        "word": VALUES[found.value],
        "plies": found.plies,
        "summary": found.summary(),
        "counted": "",
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
    values = {game.format_move(line.state, action): 1 if after else -1 for action, after in found.items()}
    moves = [
        {"move": m, "value": v, "word": "can be solved" if v > 0 else "cannot be solved", "plies": None}
        for m, v in sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
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
