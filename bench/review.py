"""The review of a game of Hex 11 between two agents, against a longer search: which moves change the winner.

    python bench/review.py                       # hex/best-11 by a glance against a search of 16 simulations

The reference looks at every position of the game: what the room proves in `--proof` seconds, else a search of `--long`
simulations, and says who wins there. Its mistakes are the moves after which another side wins than before, unless
neither chance is more than `--noise` away from one half. The review is the page's own, for which only a few positions
get the long search. Printed are the mistakes of both, the time each took, and all that they differ in.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import Any

from ludus.agents.find import find_player
from ludus.agents.tree_search import certain
from ludus.core.game import Game
from ludus.games import make_game
from ludus.play.line import Line
from ludus.play.player import Clock, Player
from ludus.play.review import BLUNDER, MISTAKE
from ludus.play.thoughts import chance_to_win
from ludus.web.review import review
from ludus.web.workers import Task


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=11)
    parser.add_argument("--black", default="hex/best-11")
    parser.add_argument("--white", default="hex/best-11@16")
    parser.add_argument("--opening", default="a2", help="The first moves, with dots between them.")
    parser.add_argument("--agent", default="hex/best-11", help="Around which the searches are.")
    parser.add_argument("--long", type=int, default=2000, help="Simulations of the reference.")
    parser.add_argument("--proof", type=float, default=10.0, help="Seconds a position for the reference's proof.")
    parser.add_argument("--noise", type=float, default=0.05)
    given = parser.parse_args()
    game = make_game("hex", size=given.size)
    line = played(game, given.opening, [find_player(given.black, game), find_player(given.white, game)])
    began = time.perf_counter()
    told = list(review(line, given.agent, lambda name: find_player(name, game), Task(math.inf)))
    took = time.perf_counter() - began
    marked = {mark["ply"]: mark for mark in told[-2]["marks"]}
    found = sorted(ply for ply, mark in marked.items() if mark["sign"] in (BLUNDER, MISTAKE))
    began = time.perf_counter()
    judged = [reference(step, given, game) for step in steps(line)]
    longest = time.perf_counter() - began
    true = changes(judged, given.noise)
    print(
        json.dumps(
            {
                "game": line.moves(),
                "result": line.ending() and line.ending().result,  # pyright: ignore[reportOptionalMemberAccess]
                "review": named(line, found),
                "reference": named(line, true),
                "missed": [shown(ply, line, judged, told) for ply in true if ply not in found],
                "wrong": [shown(ply, line, judged, told) for ply in found if ply not in true],
                "looked at longer": sum(entry.get("by") == "longer" for entry in told),
                "proved": sum(proved for _, proved in judged),
                "review_s": round(took),
                "reference_s": round(longest),
            },
            indent=1,
        )
    )


def played(game: Game, opening: str, players: list[Player]) -> Line:
    line = Line(game, game.init())
    for move in filter(None, opening.split(".")):
        line.push(game.parse_move(line.state, move))
    while line.ending() is None:
        line.push(players[line.player()].move(line, Clock.at(line, 0)))
    return line


def steps(line: Line) -> list[Line]:
    found = []
    for ply in range(len(line.states)):
        step = line.copy()
        step.cut(ply)
        found.append(step)
    return found


def reference(here: Line, given: Any, game: Game) -> tuple[float, bool]:
    """The chance that black wins, and whether it is proved."""
    ending, seat = here.ending(), here.player()
    if ending is not None:
        return (1 + ending.returns[0]) / 2, True
    sure = certain(game, here.state, given.proof)
    if sure.winning is not None or sure.worthwhile == ():
        return float((seat == 0) == (sure.winning is not None)), True
    thoughts = find_player(f"{given.agent}@{given.long}", game).thoughts(here, Clock())
    chance = chance_to_win(game, thoughts and thoughts.value)
    assert chance is not None
    return chance if seat == 0 else 1 - chance, False


def changes(judged: list[tuple[float, bool]], noise: float) -> list[int]:
    """The plies whose move changed the winner."""
    found = []
    for ply in range(1, len(judged)):
        (had, _), (has, _) = judged[ply - 1], judged[ply]
        if (had > 0.5) != (has > 0.5) and max(abs(had - 0.5), abs(has - 0.5)) > noise:
            found.append(ply)
    return found


def named(line: Line, plies: list[int]) -> list[str]:
    return [f"{ply}. {line.moves()[ply - 1]}" for ply in plies]


def shown(ply: int, line: Line, judged: list[tuple[float, bool]], told: list[dict[str, Any]]) -> dict[str, Any]:
    """A move that the two differ in: black's chances before and after it, by each."""
    by_ply = {entry["ply"]: entry["chance"] for entry in told if "ply" in entry}
    return {
        "move": named(line, [ply])[0],
        "review": [by_ply.get(ply - 1), by_ply.get(ply)],
        "reference": [round(judged[ply - 1][0], 3), round(judged[ply][0], 3)],
    }


if __name__ == "__main__":
    main()
