"""The answers: one function for each route, from a request's body to a JSON document. Each runs in a worker."""

from __future__ import annotations

import datetime
import functools
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.agents.spec import Setup
from ludus.core.entry import OpponentLevel
from ludus.errors import BadInput, shorten
from ludus.version import __version__
from ludus.web import papers
from ludus.web.body import Body
from ludus.web.server import Server
from ludus.web.workers import Task

if TYPE_CHECKING:
    from ludus.core.game import Game

MAX_SECONDS = 20.0  # that a request may give a search


def games(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """The games, with their options and agents. No game is loaded for this."""
    from ludus.agents.spec import SEARCHERS, can_be_searched

    found = []
    for name in registry.names():
        known = registry.entry(name)
        options = [
            {name: getattr(option, name) for name in ("name", "default", "help", "low", "high", "choices", "free")}
            for option in known.options
        ]
        searchers = SEARCHERS if can_be_searched(name) and known.evaluation is not None else ()
        found.append(
            {
                "name": name,
                "title": known.title or name,
                "about": known.pitch or known.about,
                "opponents": _opponents(name),
                "tour": known.tour is not None,
                "seats": known.seats,
                "options": options,
                "levels": known.levels,
                "puzzles": bool(known.levels),
                "solvers": known.solvers,
                "searchers": searchers,
                "shipped": _shipped(name),
                "guide": registry.guide(name),
                "formats": known.formats,
            }
        )
    return {"version": __version__, "games": found, "demo": server.demo.game()}


def _opponents(name: str) -> list[dict[str, Any]]:
    """Whom a person may meet, by level. A game that names nobody has chance at one end, its solution at the other."""
    known = registry.entry(name)
    named = known.opponents
    if not named and len(known.seats) == 2:
        named = (OpponentLevel("easy", "random"), *(OpponentLevel("perfect", solver) for solver in known.solvers[:1]))
    return [asdict(opponent) | {"options": dict(opponent.options)} for opponent in named]


def pictures(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """A position of each game that has one to show, to be drawn."""
    from ludus.web.positions import geometry

    found = {}
    for name in registry.names():
        known = registry.entry(name)
        if known.board is not None and known.picture:
            game = server.positions.game(Body({"game": name}))
            shown = registry.part(game, "board").show(game, known.picture)
            found[name] = {"geometry": geometry(game), "shown": shown._asdict()}
    return found


def tour(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """The first moves of a game, with what is said before each."""
    game = server.positions.game(body)
    found = registry.part(game, "tour")
    if found is None:
        raise BadInput(f"{game.name} has no tour.")
    steps = [step._asdict() for step in found.steps]
    return found._asdict() | {"steps": steps, "options": dict(found.options)}


def options_of(setup: Setup) -> dict[str, Any]:
    """The options that an agent learned, those that it is bound to, and whether it can search with its network."""
    return {"learned": setup.options, "options": setup.bound.options, "searches": setup.scales}


@functools.cache
def _shipped(game: str) -> list[dict[str, Any]]:
    """The agents that come with a game, with their options."""
    from ludus.agents.spec import learned
    from ludus.runs.run_info import read_config

    found = []
    for name in registry.shipped(game):
        config = read_config(registry.shipped_folder(game) / name.partition("/")[2])
        setup = learned(config)
        found.append({"name": name, **options_of(setup)})
    return found


def board(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web.positions import geometry

    return geometry(server.positions.game(body))


def position(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import positions

    return positions.position_document(server.positions.line(body))


def move(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import analysis

    line = server.positions.line(body)
    player = server.players.find(agent_of(body), line.game)
    seed, chance = body.seed(0), body.number("chance", 0, 1, 0)
    return analysis.choose(line, player, task, seed, chance, body.number("seconds", 0.01, MAX_SECONDS, MAX_SECONDS))


def warm(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import analysis

    line = server.positions.line(body)
    return analysis.warm(line, server.players.find(agent_of(body), line.game), task)


def opinion(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import analysis, review

    line = server.positions.line(body)
    player, lines = server.players.find(agent_of(body), line.game), body.whole("lines", 0, 9, analysis.LINES)
    return analysis.opinion(line, player, task, lines) | {"around": review.around(line.game, player)}


def truth(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import exact

    return exact.exact(server.positions.line(body), task)


def review(server: Server, body: Body, task: Task) -> Iterator[dict[str, Any]]:
    """A game's positions and marks, one after the other."""
    from ludus.web import review

    line = server.positions.line(body)
    asked = body.text("agent", "", 200)
    return review.review(line, asked, lambda name: server.players.find(name, line.game), task)


def refutation(server: Server, body: Body, task: Task) -> dict[str, Any]:
    game = server.positions.game(body)
    return server.refuter.refute(game, server.players.find(agent_of(body), game), task)


def record(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """A game with its branches as text, to be saved: in the text of Ludus, or in a format of the game's own."""
    from ludus.core.record import Branch
    from ludus.play import game_file

    line = server.positions.line(body)
    asked = [Branch(branch.whole("ply", 0, 10**6), branch.texts("moves")) for branch in body.objects("branches")]
    branches, kind = game_file.check_branches(line, asked), body.text("format", "", 40)
    if kind:
        players = tuple(name[:80] for name in body.texts("players"))
        return {"text": game_file.write_as(line, kind, branches, players), "format": kind}
    remark = "A game of Ludus; ludus play GAME --load FILE goes on."
    return {"text": game_file.write(line, remark, branches), "format": "txt"}


def load(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """A game from its text, with its branches."""
    from ludus.web import positions

    found = server.positions.loaded(body.text("text", longest=16_000))
    branches = [{"ply": branch.plies, "moves": list(branch.moves)} for branch in found.branches]
    return positions.position_document(found.line) | {"branches": branches}


def puzzle(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """A puzzle, by its level and seed or by its day, with its goal and its rating."""
    from ludus.play.puzzles import level_of_day, problem_of, puzzle_of, rating_of, seed_of

    known = registry.entry(body.text("game"))
    if not known.levels:
        raise BadInput(f"{known.name} has no puzzles.")
    level = body.text("level", "", 40) or None
    if level is not None and level not in known.levels:
        raise BadInput(f"there is no level '{shorten(level)}'; there are {', '.join(known.levels)}.")
    told: dict[str, Any] = {}
    if body.has("day"):
        day = _day(body.text("day", longest=10))
        level, seed, told = level or level_of_day(known.levels, day), seed_of(day), {"day": day.isoformat()}
    else:
        seed = body.seed()
    level = level or known.levels[0]
    if known.problems is not None:
        found = problem_of(known.name, level, seed)
        return found.to_json() | told | {"seed": seed, "rating": rating_of(found.explored)}
    game = server.positions.game(body)
    made = puzzle_of(game, level, seed)
    piece, square = made.final
    goal = f"Every move captures, until one piece is left: it will be the {_piece(game, piece)} on {square}."
    about = {"options": game.options(), "goal": goal, "answers": [], "replies": {}, "rating": rating_of(made.explored)}
    return made.to_json() | told | about | {"seed": seed}


def _day(text: str) -> datetime.date:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise BadInput(f"'{shorten(text)}' is no day like 2026-01-31.") from None


def _piece(game: Game, letter: str) -> str:
    """The name of a piece, where the game's board names its pieces."""
    from ludus.web.positions import geometry

    return geometry(game).get("pieces", {}).get(letter, letter)


def runs(server: Server, body: Body, task: Task) -> dict[str, Any]:
    from ludus.web import run_list

    return {"runs": run_list.listed(server.players.runs()), "demo": server.demo.running()}


def demo(server: Server, body: Body, task: Task) -> dict[str, Any]:
    return {"run": f"run:{server.demo.start()}"}


def stop(server: Server, body: Body, task: Task) -> dict[str, Any]:
    server.demo.pause()
    return {"run": server.demo.running()}


def compare(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """Some runs, laid over each other."""
    from ludus.web import compare

    known, names = server.players.runs(), body.texts("runs")
    if not 1 <= len(names) <= compare.MOST:
        raise BadInput(f"'runs' names 1 to {compare.MOST} runs.")
    for name in names:
        if name not in known:
            raise BadInput(f"there is no run '{shorten(name)}' in the folder of this page.")
    return compare.overlay({name: known[name] for name in dict.fromkeys(names)})


def all_papers(server: Server, body: Body, task: Task) -> dict[str, Any]:
    found = papers.documents()
    return {"papers": found, "sentence": "" if found else papers.NONE}


def paper(server: Server, body: Body, task: Task) -> dict[str, Any]:
    name = body.text("paper", longest=100)
    found = papers.paper(name)
    if found is None:
        raise BadInput(f"there is no paper '{shorten(name)}'; ludus reproduce lists those that there are.")
    return found


def figure(server: Server, body: Body, task: Task) -> dict[str, Any]:
    """The curves of a paper's figure."""
    from ludus.web import figures

    return figures.figure(body.text("paper", longest=100), body.text("figure", longest=100))


def agent_of(body: Body) -> str:
    return body.text("agent", longest=200)
