"""The review of a game, as a stream of documents: each position as soon as it is judged, and the marks so far.

Exact values come first, from the end backwards, as far as they are found in seconds; what they leave open a search
judges, and proves where it can. Then the exact solver has longer. Where the winner changes or a search is in doubt, a
longer search looks again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ludus.agents.advice import adviser
from ludus.agents.network import NetworkPlayer
from ludus.agents.spec import PERFECT, can_be_searched, shipped_best
from ludus.agents.tree_search import TreeSearchPlayer, certain
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.line import Line
from ludus.play.player import Clock, Player
from ludus.play.review import Judgement, doubtful, marks
from ludus.play.thoughts import chance_to_win
from ludus.web.analysis import no_chances
from ludus.web.exact import values
from ludus.web.workers import Task

QUICK, LONG = 100, 2000  # simulations of a first look, and of a longer one
PLIES = 4  # of a search by alpha-beta
EXACT, PATIENT = 5.0, 60.0  # seconds a position that the exact solver has, at first and after the search
PROOF = 1.0  # that the room's quick proof has
GIVE_UP = 2  # positions in a row that it does not solve in time, before it is asked no more
Find = Callable[[str], Player]
Document = dict[str, Any]


class Analysts(NamedTuple):
    """Who judges: at first, and where it is in doubt; and why it is not who was asked."""

    first: Player | None
    longer: Player | None
    note: str = ""


def analysts(game: Game, asked: str, find: Find) -> Analysts:
    """An agent as an analyst: a search around it if its network can, itself if it has chances, else another one."""
    player, note = (find(asked) if asked and asked not in PERFECT else None), ""
    if player is not None:
        found, note = _analyst(game, player, find)
        if found is not None:
            return found
    for name, _ in shipped_best(game):
        found, _ = _analyst(game, find(name), find)
        if found is not None and found.first is not None:
            return found._replace(note=note and f"{note}; {found.first.name} looks at the game instead")
    search = adviser(game)
    if search is not None and chance_to_win(game, 0.0, search.inside.counted) is not None:
        return Analysts(search, None, note and f"{note}; {search.name} looks at the game instead")
    return Analysts(None, None, note)


def around(game: Game, player: Player) -> str | None:
    """The name of a search around a network, which sees further than the network alone; None if there is none."""
    if not isinstance(player, NetworkPlayer):
        return None
    learner = player.recipe.learner
    if learner.judge is not None:
        return f"{player.name}@{QUICK}"
    compiled = learner.compiled_evaluation is not None and can_be_searched(game.name)
    return f"alphabeta:{PLIES}:{player.name}" if compiled else None


def _analyst(game: Game, player: Player, find: Find) -> tuple[Analysts | None, str]:
    """A player as an analyst; or None, and why it can be none."""
    if isinstance(player, TreeSearchPlayer):
        return Analysts(player, find(f"{player.inside.name}@{LONG}")), ""
    name = around(game, player)
    if name is not None:
        return _analyst(game, find(name), find)
    line = Line(game, game.init())
    thoughts = player.thoughts(line, Clock(seconds=1.0))
    if thoughts is None:
        return None, f"{player.name} does not rate moves"
    why = no_chances(line, player, thoughts)
    return (None, why) if why else (Analysts(player, None), "")


def review(line: Line, asked: str, find: Find, task: Task) -> Iterator[Document]:
    """The documents of a game's review. One with `ply` is a position; each later one of it takes its place."""
    if line.game.num_players != 2:
        raise BadInput(f"a review is of games for two, and {line.game.name} is played alone.")
    by, steps = analysts(line.game, asked, find), _steps(line)
    judged: list[Judgement | None] = [None] * len(steps)
    yield {"plies": len(line.actions), "analyst": by.first and by.first.name, "why": by.note}

    def told(ply: int, found: Judgement, kind: str) -> Document:
        judged[ply] = found
        return _document(ply, found, kind) | {"marks": [mark._asdict() for mark in marks(judged)]}

    held: dict[int, list[str]] = {}  # by ply, moves that are proved to be equally good
    for ply, found, good in _exactly(steps, judged, EXACT, task):
        held[ply] = good
        yield told(ply, found, "exact")
    if by.first is not None:
        for ply, here in enumerate(steps):
            if judged[ply] is None:
                yield told(ply, _thought(here, by.first, task), "search")
    for ply, found, good in _exactly(steps, judged, PATIENT, task):
        held[ply] = good
        yield told(ply, found, "exact")
    if by.longer is not None:
        for ply in doubtful(judged):
            yield told(ply, _thought(steps[ply], by.longer, task), "longer")
    for mark in marks(judged):
        before, good = judged[mark.ply - 1], held.get(mark.ply - 1, [])
        if by.first is not None and before is not None and len(good) > 1:
            best = _liked(steps[mark.ply - 1], by.first, good, task)
            yield told(mark.ply - 1, before._replace(best=best, line=(best,)), "exact")
    yield {"done": True, "judged": sum(found is not None and found.chance is not None for found in judged)}


def _steps(line: Line) -> list[Line]:
    """The game after each of its moves, from the start on."""
    found = []
    for ply in range(len(line.states)):
        step = line.copy()
        if ply < len(line.actions):
            step.cut(ply)
        else:
            step.resigned = line.resigned
        found.append(step)
    return found


def _exactly(
    steps: list[Line], judged: list[Judgement | None], seconds: float, task: Task
) -> Iterator[tuple[int, Judgement, list[str]]]:
    """The positions that can be solved in time and are not proved yet, each with its moves that are equally good. From
    the end backwards: what is near the end is solved soonest, and helps with what comes before.
    """
    missed = 0
    for ply in range(len(steps) - 1, -1, -1):
        here, known = steps[ply], judged[ply]
        if known is not None and known.proved:
            continue
        ending = here.ending()
        if ending is not None:
            yield ply, Judgement(here.player(), (1 + ending.returns[0]) / 2, True), []
            continue
        if missed >= GIVE_UP:
            return
        found, _ = values(here, task, seconds)
        if found is None:
            return
        if found.value is None:
            missed += 1
            continue
        missed, seat = 0, here.player()
        good = [entry.move for entry in found.moves if entry.value == found.value]
        first = (1 + (found.value if seat == 0 else -found.value)) / 2
        equal = good if found.plies is None else []  # else the first ends the game soonest, or holds out longest
        yield ply, Judgement(seat, first, True, (good or [""])[0], tuple(good[:1]), found.plies), equal


def _liked(here: Line, player: Player, good: list[str], task: Task) -> str:
    """Of several moves that are all right, the one that an analyst would play."""
    thoughts = player.thoughts(here, Clock.at(here, 0, task.seconds_left(), task.beat))
    liked = [entry.move for entry in thoughts.moves if entry.move in good] if thoughts else []
    return (liked or good)[0]


def _thought(here: Line, player: Player, task: Task) -> Judgement:
    """A position as an analyst sees it, or as the room proves it."""
    seat = here.player()
    sure = certain(here.game, here.state, PROOF)
    if sure.winning is not None:
        move = here.game.format_move(here.state, sure.winning)
        return Judgement(seat, 1.0 - seat, True, move, (move,))
    if sure.worthwhile == ():
        return Judgement(seat, float(seat), True)
    thoughts = player.thoughts(here, Clock.at(here, 0, task.seconds_left(), task.beat))
    value = None if thoughts is None else thoughts.value
    if thoughts is None or value is None:
        return Judgement(seat)
    chance, best = chance_to_win(here.game, value, thoughts.unit), thoughts.moves[0]
    first = chance if chance is None or seat == 0 else 1 - chance
    return Judgement(seat, first, thoughts.proved, best.move, best.line or (best.move,))


def _document(ply: int, found: Judgement, kind: str) -> Document:
    return {
        "ply": ply,
        "by": kind,
        "player": found.player,
        "chance": None if found.chance is None else round(found.chance, 4),  # of the first seat
        "proved": found.proved,
        "best": found.best,
        "line": list(found.line),
        "plies": found.plies,
    }
