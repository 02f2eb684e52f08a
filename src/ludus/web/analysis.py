"""An agent's move and opinion: each a function of a line, run in a worker with a deadline."""

from __future__ import annotations

import random
import time
from typing import Any

from ludus.agents.spec import PERFECT
from ludus.errors import BadInput
from ludus.play.line import Line
from ludus.play.player import Clock, Player
from ludus.play.thoughts import Considered, Thoughts, chance_to_win
from ludus.web.exact import exact
from ludus.web.workers import Task

LINES, PLIES = 3, 6  # best moves that are played out, and for how many plies


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


def warm(line: Line, player: Player, task: Task) -> dict[str, Any]:
    """Compile what the agent's first move needs, while somebody looks at the board; in how many seconds."""
    begun = time.perf_counter()
    if line.ending() is None:
        here = Line(line.game, line.state)  # which nobody else moves in
        player.warm(here, Clock.at(here, 0, task.seconds_left(), task.beat))
    return {"agent": player.name, "seconds": round(time.perf_counter() - begun, 2)}


def opinion(line: Line, player: Player, task: Task, lines: int = LINES) -> dict[str, Any]:
    """What the agent thinks of every move, the best first; the best few with likely continuations, as many as `lines`.

    Values are expected results for the side to move, from -1 to 1, or in the unit that `counted` names. Chances are to
    win, for the same side, from 0 to 1, a draw counting as half. Probabilities are those of its policy. None of these
    stands for another: what the agent does not know is null, and `why` says so.
    """
    refuse_over(line)
    if player.name in PERFECT:
        return exact(line, task) | {"agent": player.name}
    thoughts = player.thoughts(line, Clock.at(line, 0, task.seconds_left(), task.beat))
    if thoughts is None:
        raise BadInput(f"{player.name} does not rate moves; ask another agent.")
    game, unit = line.game, thoughts.unit
    moves = [_entry(line, entry, unit) for entry in thoughts.moves]
    if not any(entry.line for entry in thoughts.moves):
        for entry in moves[:lines]:
            entry["line"] = [entry["move"], *_after(line, player, entry["move"], task)]
    found = {
        "agent": player.name,
        "side": game.seats[line.player()],
        "counted": unit,
        "value": thoughts.value,
        "chance": chance_to_win(game, thoughts.value, unit),
        "proved": thoughts.proved,
        "why": no_chances(line, player, thoughts),
        "moves": moves,
    }
    return found if thoughts.depth is None else found | {"depth": thoughts.depth}


def no_chances(line: Line, player: Player, thoughts: Thoughts) -> str:
    """Why an agent does not say who wins; empty if it does."""
    if thoughts.value is None and not any(entry.value is not None for entry in thoughts.moves):
        return f"{player.name} has a policy and no values: it says how likely it plays each move, not who wins"
    if chance_to_win(line.game, 0.0, thoughts.unit) is None:
        return f"{player.name} rates moves in {thoughts.unit}, which are no chances to win"
    return ""


def _entry(line: Line, entry: Considered, unit: str) -> dict[str, Any]:
    told = {
        "move": entry.move,
        "value": entry.value,
        "chance": chance_to_win(line.game, entry.value, unit),
        "probability": entry.probability,
        "words": entry.words,
        "proved": entry.proved,
    }
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
