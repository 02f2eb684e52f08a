"""The routes: each reads what is asked, hands it to a lane of workers, and answers with a JSON document."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import functools
import logging
import mimetypes
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ludus import __version__
from ludus import games as registry
from ludus.errors import BadInput, shorten
from ludus.web import papers
from ludus.web.asked import Asked, TooLarge, read
from ludus.web.guard import Guard
from ludus.web.lanes import Busy, Gone, Lane, Task, TooLate

if TYPE_CHECKING:
    from ludus.core.game import Game

STATIC = Path(__file__).parent / "static"
QUICK, NETWORK, SEARCH, TRUTH = 10.0, 20.0, 30.0, 30.0  # seconds that each may take; a refutation twice that
LONGEST = 20.0  # seconds that a search may be asked to think
STREAMS, LOOK, BREATH = 32, 0.5, 10.0  # runs watched at a time, seconds between looks, and between signs of life
log = logging.getLogger("ludus.web")

Work = Callable[["Server", Asked, Task], dict[str, Any]]


class Server:
    """What all requests share. Heavy things are loaded when they are first needed, in a worker."""

    def __init__(self, runs: Path) -> None:
        from ludus.web.learning import Demo

        cores = os.cpu_count() or 1
        self.runs_folder, self.demo, self.streams = runs, Demo(runs), 0
        # Python's own work does not run side by side, so a few workers do for what is quick.
        self.quick = Lane("quick", 2, 512)
        self.network = Lane("network", 2, 256)
        self.search = Lane("search", max(1, cores), 64)
        self.truth = Lane("truth", 2, 64)

    @functools.cached_property
    def setups(self) -> Any:
        from ludus.web.setups import Setups

        return Setups()

    @functools.cached_property
    def minds(self) -> Any:
        from ludus.web.minds import Minds

        return Minds(self.runs_folder)

    @functools.cached_property
    def refuter(self) -> Any:
        from ludus.web.thinking import Refuter

        return Refuter()

    def close(self) -> None:
        self.demo.stop()
        for lane in (self.quick, self.network, self.search, self.truth):
            lane.close()

    def warm(self, task: Task) -> None:
        """Load what takes longest to load, before anybody asks."""
        from ludus.web import minds, setups, thinking  # noqa: F401

        first = registry.names()[0]
        setups.position(self.setups.line(Asked({"game": first})))


# --- documents ---------------------------------------------------------------------------------------------------


def games(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """What can be played, and by whom; without any game being loaded."""
    from ludus.training.names import SEARCHERS, can_be_searched

    found = []
    for name in registry.names():
        known = registry.entry(name)
        options = [
            {"name": o.name, "default": o.default, "help": o.help, "low": o.low, "high": o.high, "choices": o.choices}
            for o in known.options
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


@functools.cache
def _shipped(game: str) -> list[dict[str, Any]]:
    """The agents that come with a game, and the options that each is bound to."""
    from ludus.training.records import read_config

    known, found = registry.entry(game), []
    for name in registry.shipped(game):
        config = read_config(registry.shipped_folder(game) / name.partition("/")[2])
        found.append({"name": name, "options": known.binding(known.filled(config["options"]))})
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
    mind, _ = server.minds.find(_agent(asked), line.game)
    seed, chance = asked.whole("seed", 0, 2**32 - 1, 0), asked.number("chance", 0, 1, 0)
    return thinking.choose(line, mind, task, seed, chance, asked.number("seconds", 0.01, LONGEST, LONGEST))


def opinion(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import thinking

    line = server.setups.line(asked)
    return thinking.opinion(line, *server.minds.find(_agent(asked), line.game), task)


def truth(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import thinking

    return thinking.exact(server.setups.line(asked), task)


def refutation(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    game: Game = server.setups.game(asked)
    mind, _ = server.minds.find(_agent(asked), game)
    return server.refuter.refute(game, mind, task)


def record(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """A game as a text to keep."""
    from ludus.play import record as records

    return {"text": records.write(server.setups.line(asked), "A game of Ludus; ludus play GAME --load FILE goes on.")}


def load(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """And back."""
    from ludus.play import record as records
    from ludus.web import setups

    line = records.read(asked.text("text", longest=16_000), "this text")
    return setups.position(line)


def puzzle(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    """A puzzle of a level by its number, or that of a day."""
    from ludus.play.puzzles import puzzle_of, puzzle_of_day

    game: Game = server.setups.game(asked)
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
    seed = asked.whole("seed", 0, 2**32 - 1)
    return puzzle_of(game, level or game.entry.levels[0], seed).to_json() | {"seed": seed}


def runs(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    from ludus.web import learning

    return {"runs": learning.listed(server.minds.runs()), "demo": server.demo.running()}


def demo(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    return {"run": f"run:{server.demo.start()}"}


def figures(server: Server, asked: Asked, task: Task) -> dict[str, Any]:
    found = papers.documents()
    return {"papers": found, "sentence": "" if found else papers.NONE}


def _agent(asked: Asked) -> str:
    return asked.text("agent", longest=200)


# --- routes ------------------------------------------------------------------------------------------------------


def answers(lane: str | Callable[[Asked], str], seconds: float, work: Work, body: bool = True) -> Any:
    """A route that does some work in a lane, which may depend on what is asked."""

    async def handle(request: Request) -> Response:
        server: Server = request.app.state.server
        try:
            asked = await read(request) if body else Asked({})
            chosen: Lane = getattr(server, lane if isinstance(lane, str) else lane(asked))
            found = await chosen.run(request, seconds, lambda task: work(server, asked, task))
            return JSONResponse(found)
        except BadInput as error:
            return JSONResponse({"error": str(error)}, 413 if isinstance(error, TooLarge) else 400)
        except Busy:
            return JSONResponse({"error": "too many are waiting already; try again in a moment."}, 429)
        except TooLate:
            return JSONResponse({"error": f"this was not done in {seconds:g} s; ask for less."}, 422)
        except Gone:
            return Response(status_code=400)  # nobody is there to read it

    return handle


def _thinks(asked: Asked) -> str:
    """The lane of an agent: a network answers at once, a search takes its time, and the truth as long as it needs."""
    name = _agent(asked)
    if name.startswith("perfect"):
        return "truth"
    return "search" if name.startswith(("alphabeta", "minimax")) else "network"


async def page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


@functools.cache
def files() -> dict[str, Path]:
    """All that the browser may load, by its name: what is not in here is not served."""
    return {path.relative_to(STATIC).as_posix(): path for path in STATIC.rglob("*") if path.is_file()}


async def static(request: Request) -> Response:
    path = files().get(request.path_params["name"])
    if path is None:
        return _missing()
    kind = {".js": "text/javascript"}.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return FileResponse(path, media_type=kind, headers={"cache-control": "no-cache"})


async def picture(request: Request) -> Response:
    path = papers.pictures().get(request.path_params["name"].removesuffix(".svg"))
    return _missing() if path is None else FileResponse(path, media_type="image/svg+xml")


def _missing() -> JSONResponse:
    return JSONResponse({"error": "there is no such page here."}, 404)


async def events(request: Request) -> Response:
    """A run as it grows: a document whenever there is news, until it has ended or nobody looks any more."""
    server: Server = request.app.state.server
    if server.streams >= STREAMS:
        return JSONResponse({"error": f"{STREAMS} runs are being watched already; close some."}, 429)
    name = request.query_params.get("run", "")
    try:
        path = await server.quick.run(request, QUICK, lambda task: server.minds.runs().get(name))
    except (BadInput, Busy, TooLate, Gone):
        path = None
    if path is None:
        return JSONResponse({"error": f"there is no run '{shorten(name)}' in the folder of this page."}, 404)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(server, request, name, path), media_type="text/event-stream", headers=headers)


async def _stream(server: Server, request: Request, name: str, path: Path) -> AsyncIterator[str]:
    from ludus.web import learning

    server.streams += 1
    try:
        told, quiet = None, 0.0
        while not await request.is_disconnected():
            mark = await asyncio.to_thread(learning.mark, path)
            if mark != told:
                told, quiet = mark, 0.0
                course = await asyncio.to_thread(learning.course, name, path)
                yield learning.event(course)
                if course["run"]["state"] not in ("running", "stopped"):
                    return
            elif quiet >= BREATH:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(LOOK)
            quiet += LOOK
    finally:
        server.streams -= 1


async def broken(request: Request, error: Exception) -> Response:
    """What nobody foresaw: it is written to the terminal, and the browser is told no more than that."""
    log.error("a request failed", exc_info=error)
    return JSONResponse({"error": "this failed here for a reason that nobody foresaw; the terminal has more."}, 500)


async def refused(request: Request, error: Any) -> Response:
    return _missing() if error.status_code == 404 else JSONResponse({"error": str(error.detail)}, error.status_code)


def make_app(runs: Path, hosts: frozenset[str], warm: bool = False) -> Guard:
    """The application, guarded."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        server: Server = app.state.server
        if warm:
            # Nobody waits for it; what it needs, a request would need too.
            asyncio.get_running_loop().run_in_executor(None, functools.partial(_warm, server))
        yield
        server.close()

    post: dict[str, Callable[[Request], Awaitable[Response]]] = {
        "board": answers("quick", QUICK, board),
        "position": answers("quick", QUICK, position),
        "record": answers("quick", QUICK, record),
        "load": answers("quick", QUICK, load),
        "move": answers(_thinks, SEARCH, move),
        "opinion": answers(_thinks, SEARCH, opinion),
        "truth": answers("truth", TRUTH, truth),
        "refutation": answers("truth", 2 * TRUTH, refutation),
        "puzzle": answers("network", NETWORK, puzzle),
        "demo": answers("quick", QUICK, demo),
    }
    get = {
        "games": answers("quick", QUICK, games, body=False),
        "runs": answers("quick", QUICK, runs, body=False),
        "papers": answers("quick", QUICK, figures, body=False),
        "events": events,
    }
    app = Starlette(
        routes=[
            Route("/", page),
            Route("/static/{name:path}", static),
            Route("/papers/{name:path}", picture),
            *(Route(f"/api/{name}", handle, methods=["POST"]) for name, handle in post.items()),
            *(Route(f"/api/{name}", handle) for name, handle in get.items()),
        ],
        exception_handlers={404: refused, 405: refused, Exception: broken},
        lifespan=lifespan,
    )
    app.state.server = Server(runs)
    return Guard(app, hosts)


def _warm(server: Server) -> None:
    with contextlib.suppress(Exception):  # whoever asks is told
        server.warm(Task(60.0))
