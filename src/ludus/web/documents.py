"""What is answered: one function a question, from what is asked to a JSON document. Each runs in a worker."""

from __future__ import annotations

import datetime
import functools
from typing import Any

from ludus import games as registry
from ludus.agents.spec import Setup
from ludus.errors import BadInput, shorten
from ludus.version import __version__
from ludus.web import papers
from ludus.web.asked import Asked
from ludus.web.lanes import Task
from ludus.web.server import Server

LONGEST = 20.0  # seconds that a search may be asked to think


def games(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """What can be played, and by whom; without any game being loaded."""
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
                "about": known.about,
                "seats": known.seats,
                "options": options,
                "levels": known.levels,
                "puzzles": known.puzzles is not None,
                "solvers": known.solvers,
                "searchers": searchers,
                "shipped": _shipped(name),
                "guide": registry.guide(name),
            }
        )
    return {"version": __version__, "games": found, "demo": server.demo.game()}


def told(setup: Setup) -> dict[str, Any]:
    """What an agent has learned, what of that it is bound to, and whether it can search by its own network."""
    return {"learned": setup.options, "options": setup.bound.options, "searches": setup.scales}


@functools.cache
def _shipped(game: str) -> list[dict[str, Any]]:
    """The agents that come with a game, and the options that each is bound to."""
    from ludus.agents.spec import learned
    from ludus.runs.records import read_config

    found = []
    for name in registry.shipped(game):
        config = read_config(registry.shipped_folder(game) / name.partition("/")[2])
        setup = learned(config)
        found.append({"name": name, **told(setup)})
    return found


def board(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web.setups import geometry

    return geometry(server.setups.game(asked))


def position(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import setups

    return setups.position(server.setups.line(asked))


def move(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import thinking

    line = server.setups.line(asked)
    player = server.players.find(agent_of(asked), line.game)
    seed, chance = asked.seed(0), asked.number("chance", 0, 1, 0)
    return thinking.choose(line, player, task, seed, chance, asked.number("seconds", 0.01, LONGEST, LONGEST))


def opinion(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import thinking

    line = server.setups.line(asked)
    return thinking.opinion(line, server.players.find(agent_of(asked), line.game), task)


def truth(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import thinking

    return thinking.exact(server.setups.line(asked), task)


def refutation(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    game = server.setups.game(asked)
    return server.refuter.refute(game, server.players.find(agent_of(asked), game), task)


def record(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """A game as a text to keep."""
    from ludus.play import game_file

    return {"text": game_file.write(server.setups.line(asked), "A game of Ludus; ludus play GAME --load FILE goes on.")}


def load(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """And back."""
    from ludus.web import setups

    return setups.position(server.setups.loaded(asked.text("text", longest=16_000)))


def puzzle(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """A puzzle of a level by its number, or that of a day."""
    from ludus.play.puzzles import puzzle_of, puzzle_of_day

    game = server.setups.game(asked)
    if registry.entry(game.name).puzzles is None:
        raise BadInput(f"{game.name} makes no puzzles.")
    level = asked.text("level", "", 40) or None
    if level is not None and level not in game.entry.levels:
        raise BadInput(f"there is no level '{shorten(level)}'; there are {', '.join(game.entry.levels)}.")
    if asked.has("day"):
        day = asked.text("day", longest=10)
        try:
            return puzzle_of_day(game, datetime.date.fromisoformat(day), level).to_json() | {"day": day}
        except ValueError as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"'{shorten(day)}' is no day like 2026-01-31.") from None
    seed = asked.seed()
    return puzzle_of(game, level or game.entry.levels[0], seed).to_json() | {"seed": seed}


def runs(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import learning

    return {"runs": learning.listed(server.players.runs()), "demo": server.demo.running()}


def demo(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    return {"run": f"run:{server.demo.start()}"}


def figures(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    found = papers.documents()
    return {"papers": found, "sentence": "" if found else papers.NONE}


def agent_of(asked: Asked) -> str:
    return asked.text("agent", longest=200)
