"""The review of a game of Hex 11 between two agents, against a longer search: which moves change the winner.

    python bench/review.py                       # hex/best-11 by a glance against a search of 16 simulations

The reference looks at every position of the game: what the room proves in `--proof` seconds, else a search of `--long`
simulations, and says who wins there. Its mistakes are the moves after which another side wins than before, unless
neither chance is more than `--noise` away from one half. The review is the page's own, for which only a few positions
get the long search. Printed are the mistakes of both, the time each took, and all that they differ in. A position that
the review has searched as long is not searched again: the same search gives the same. After `--minutes` the reference
looks at no further position, and says how many it has left out.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import sys
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
    parser.add_argument("--minutes", type=float, default=60.0, help="For the reference.")
    given = parser.parse_args()
    game = make_game("hex", size=given.size)
    line = played(game, given.opening, [find_player(given.black, game), find_player(given.white, game)])
    began, find = time.perf_counter(), finder(game)
    told = []
    for part in review(line, given.agent, find, Task(math.inf)):
        told.append(part)
        if "ply" in part:
            say(f"review, {time.perf_counter() - began:.0f} s: {part['by']} {part['ply']} {part['chance']}")
    took = time.perf_counter() - began
    marked = {mark["ply"]: mark for mark in told[-2]["marks"]}
    found = sorted(ply for ply, mark in marked.items() if mark["sign"] in (BLUNDER, MISTAKE))
    began = time.perf_counter()
    judged = []
    for step in reversed(steps(line)):
        late = time.perf_counter() - began > 60 * given.minutes
        judged.insert(0, None if late else reference(step, given, find))
        say(f"reference, {time.perf_counter() - began:.0f} s: {len(step.actions)} {judged[0]}")
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
                "proved": sum(one is not None and one[1] for one in judged),
                "left out": sum(one is None for one in judged),
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


class Remembering:
    """A player whose thoughts of each position are kept."""

    def __init__(self, player: Player) -> None:
        self.player, self.known = player, dict[tuple[int, ...], Any]()

    def thoughts(self, line: Line, clock: Clock) -> Any:
        key = tuple(line.actions)
        if key not in self.known:
            self.known[key] = self.player.thoughts(line, clock)
        return self.known[key]


def finder(game: Game) -> Any:
    """Players by name, each made once; what they think is kept."""
    known: dict[str, Player] = {}

    def find(name: str) -> Player:
        if name not in known:
            player = known[name] = find_player(name, game)
            player.thoughts = Remembering(copy.copy(player)).thoughts
        return known[name]

    return find


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def reference(here: Line, given: Any, find: Any) -> tuple[float, bool]:
    """The chance that black wins, and whether it is proved."""
    ending, seat = here.ending(), here.player()
    if ending is not None:
        return (1 + ending.returns[0]) / 2, True
    sure = certain(here.game, here.state, given.proof)
    if sure.winning is not None or sure.worthwhile == ():
        return float((seat == 0) == (sure.winning is not None)), True
    thoughts = find(f"{given.agent}@{given.long}").thoughts(here, Clock())
    chance = chance_to_win(here.game, thoughts and thoughts.value)
    assert chance is not None
    return chance if seat == 0 else 1 - chance, False


def changes(judged: list[tuple[float, bool] | None], noise: float) -> list[int]:
    """The plies whose move changed the winner."""
    found = []
    for ply in range(1, len(judged)):
        before, after = judged[ply - 1], judged[ply]
        if before is None or after is None:
            continue
        had, has = before[0], after[0]
        if (had > 0.5) != (has > 0.5) and max(abs(had - 0.5), abs(has - 0.5)) > noise:
            found.append(ply)
    return found


def named(line: Line, plies: list[int]) -> list[str]:
    return [f"{ply}. {line.moves()[ply - 1]}" for ply in plies]


def shown(ply: int, line: Line, judged: list[tuple[float, bool] | None], told: list[dict[str, Any]]) -> dict[str, Any]:
    """A move that the two differ in: black's chances before and after it, by each."""
    by_ply = {entry["ply"]: entry["chance"] for entry in told if "ply" in entry}
    return {
        "move": named(line, [ply])[0],
        "review": [by_ply.get(ply - 1), by_ply.get(ply)],
        "reference": [one and round(one[0], 3) for one in judged[ply - 1 : ply + 1]],
    }


if __name__ == "__main__":
    main()
