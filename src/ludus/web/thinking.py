"""What agents play and think, and what is true: each a function of a line, in a worker, with a deadline."""

from __future__ import annotations

import functools
import math
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ludus.agents.mind import Mind, exactly, seen
from ludus.agents.spec import PERFECT
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.line import Line
from ludus.search.alphabeta.engine import Limits
from ludus.truth import truth_of
from ludus.truth.answers import VALUES, Values
from ludus.truth.protocol import Effort
from ludus.web.lanes import Task
from ludus.web.setups import MOST_SETUPS

LINES, AHEAD = 3, 6  # best moves that are followed, and for how many plies
MOST_REFUTED = 64  # agents whose refutations are remembered


def refuse_over(line: Line) -> None:
    ending = line.ending()
    if ending is not None:
        raise BadInput(f"the game is over, there is no move to make: {ending.sentence}")


def choose(line: Line, mind: Mind, task: Task, seed: int, chance: float, seconds: float) -> dict[str, Any]:
    """The move of an agent; with a chance, any move instead."""
    refuse_over(line)
    begun, ply = time.perf_counter(), len(line.actions)
    luck = random.Random(f"{seed} {ply}")
    weak = luck.random() < chance
    action = luck.choice(line.legal()) if weak else mind.move(line, seed, ply, min(seconds, task.rest()), task.beat)
    move = line.game.format_move(line.state, action)
    return {"move": move, "by_chance": weak, "seconds": round(time.perf_counter() - begun, 4)}


def opinion(line: Line, mind: Mind, lock: threading.RLock, task: Task) -> dict[str, Any]:
    """What an agent thinks of every move, the best first, in the mover's eyes; and how it would go on."""
    refuse_over(line)
    name = "nobody" if mind.agent is None else mind.agent.name
    if name in PERFECT:
        return exact(line, task) | {"agent": name}
    if mind.rate is not None:
        liked = sorted(mind.liked(line).items(), key=lambda pair: -pair[1])
        if not all(math.isfinite(value) for _, value in liked):
            raise BadInput(f"{name} has values that are no numbers: its training went wrong.")
        task.beat()
        moves: list[dict[str, Any]] = [{"move": move, "value": value} for move, value in liked]
        for entry in moves[:LINES]:
            task.beat()
            entry["line"] = [entry["move"], *_after(line, mind, entry["move"])]
        return {"agent": name, "counted": "", "value": moves[0]["value"], "moves": moves}
    if mind.thinker is not None and mind.analyst is not None:
        with _held(lock, task):
            return _searched(line, mind, task) | {"agent": name}
    raise BadInput(f"{name} thinks nothing of moves; ask another agent.")


def _after(line: Line, mind: Mind, move: str) -> list[str]:
    ahead = line.copy()
    ahead.push(line.game.parse_move(line.state, move))
    return mind.expects(ahead, AHEAD - 1)


def _searched(line: Line, mind: Mind, task: Task) -> dict[str, Any]:
    """By a short search: scores in what the evaluation counts, won and lost games as plus and minus one beyond."""
    from ludus.truth.searched import counted

    analyst = mind.analyst
    assert analyst is not None
    before, depth = seen(line, analyst.engine), mind.glance()
    scores = analyst.scores(line.state, depth, before, task.beat)
    found = analyst.answer(line.state, Limits(depth=depth + 1, seconds=task.rest()), before, lambda *_: task.beat())
    moves: list[dict[str, Any]] = [{"move": move, "value": score / analyst.inside.unit} for move, score in scores]
    for entry in moves:
        if entry["move"] == found.move:
            entry["line"] = found.line
    return {"counted": counted(analyst.inside), "value": moves[0]["value"], "moves": moves, "depth": depth}


class Known:
    """The truth of a game, made once. Its solvers have room for one search, so there is a lock."""

    def __init__(self, game: Game) -> None:
        self.truth, self.lock = truth_of(game), threading.RLock()


@functools.lru_cache(maxsize=MOST_SETUPS)
def known(game: Game) -> Known:
    return Known(game)


@contextmanager
def _held(lock: threading.RLock, task: Task) -> Iterator[None]:
    """Not before it is free, and not for somebody who has left meanwhile."""
    while not lock.acquire(timeout=0.1):
        task.beat()
    try:
        yield
    finally:
        lock.release()


def exact(line: Line, task: Task) -> dict[str, Any]:
    """What a position and its moves are worth under perfect play; `known` is false where nothing can say."""
    game = line.game
    with _held(known(game).lock, task):
        if game.num_players == 1:
            return _solvable(line, task)
        found, why = exactly(line, task.rest(), lambda *_: task.beat(), known(game).truth)
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
    """Of a puzzle: after which moves it can be solved."""
    from ludus.truth.puzzle import PuzzleTruth

    game, truth = line.game, known(line.game).truth
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
    """Looks for the shortest line that beats an agent, and remembers what it found."""

    def __init__(self) -> None:
        self._found: dict[tuple[Game, str], tuple[Any, dict[str, Any]]] = {}

    def refute(self, game: Game, mind: Mind, task: Task) -> dict[str, Any]:
        """A shortest line, where every line can be followed."""
        truth, agent = known(game).truth, mind.agent
        if agent is None or mind.thinker is not None or agent.name in PERFECT:
            raise BadInput("only agents that were trained, and random, can be followed on every line.")
        if Effort.QUICK not in truth.grades or game.num_players == 1:
            raise BadInput(f"{game.describe()} is not solved, so nobody can follow every line of it.")
        kept = self._found.get((game, agent.name))
        if kept is None or kept[0] is not agent.weights:  # a run may have come further
            with _held(known(game).lock, task):
                grade: Any = truth.grade(agent, Effort.QUICK, watch=lambda *_: task.beat())
            if len(self._found) >= MOST_REFUTED:
                self._found.clear()
            kept = self._found[game, agent.name] = agent.weights, _refuted(game, agent.name, grade)
        return kept[1]


def _refuted(game: Game, agent: str, grade: Any) -> dict[str, Any]:
    seat = getattr(grade, "beaten_in_seat", 0)
    return {
        "agent": agent,
        "summary": grade.summary(),
        "unbeatable": bool(getattr(grade, "unbeatable", False)),
        "line": list(getattr(grade, "beaten_by", None) or ()),
        "seat": None if seat is None else game.seats[seat],
        "lost_anyway": seat is not None and seat == getattr(grade, "lost_seat", None),
    }
