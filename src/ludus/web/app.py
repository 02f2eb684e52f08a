"""The routes: each reads what is asked, hands it to a lane of workers, and answers with a JSON document."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ludus.errors import BadInput, shorten
from ludus.web import documents, learning, papers
from ludus.web.asked import Asked, TooLarge, read
from ludus.web.documents import agent_of
from ludus.web.guard import Guard
from ludus.web.lanes import Busy, Gone, Lane, Task, TooLate
from ludus.web.server import Server

STATIC = Path(__file__).parent / "static"
QUICK, SEARCH, TRUTH, PUZZLE = 30.0, 60.0, 30.0, 60.0  # seconds that each may take; a refutation twice the truth's
STREAMS, LOOK, BREATH = 32, 0.5, 10.0  # runs watched at a time, seconds between looks, and between signs of life
log = logging.getLogger("ludus.web")

Work = Callable[[Server, Asked, Task], dict[str, Any]]


def answers(lane: str | Callable[[Asked], str], seconds: float, work: Work, body: bool = True) -> Any:
    """A route that does some work in a lane, which may depend on what is asked."""

    async def handle(request: Request) -> Response:
        server: Server = request.app.state.server
        limit = seconds * server.patience
        try:
            asked = await read(request) if body else Asked({})
            chosen: Lane = getattr(server, lane if isinstance(lane, str) else lane(asked))
            found = await chosen.run(request, limit, lambda task: work(server, asked, task))
            return JSONResponse(found)
        except BadInput as error:
            return JSONResponse({"error": shorten(str(error), 500)}, 413 if isinstance(error, TooLarge) else 400)
        except Busy:
            return JSONResponse({"error": "too many are waiting already; try again in a moment."}, 429)
        except TooLate:
            return JSONResponse({"error": f"this was not done in {limit:g} s; ask for less."}, 422)
        except Gone:
            return Response(status_code=400)  # nobody is there to read it
        except Exception:  # what nobody foresaw: the terminal has it, and the browser is told no more than that
            log.exception("a request failed")
            return JSONResponse({"error": "this failed here for a reason that nobody foresaw."}, 500)

    return handle


def _lane_of(asked: Asked) -> str:
    """The lane of an agent: a network answers at once, a search takes its time, and the truth as long as it needs."""
    from ludus.agents.spec import AgentSpec

    try:
        return AgentSpec.parse(agent_of(asked)).cost
    except BadInput:
        return "quick"  # where it is refused


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
        path = await server.quick.run(request, QUICK, lambda task: server.players.runs().get(name))
    except (BadInput, Busy, TooLate, Gone):
        path = None
    if path is None:
        return JSONResponse({"error": f"there is no run '{shorten(name)}' in the folder of this page."}, 404)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(server, request, name, path), media_type="text/event-stream", headers=headers)


async def _stream(server: Server, request: Request, name: str, path: Path) -> AsyncIterator[str]:
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


async def refused(request: Request, error: Any) -> Response:
    return _missing() if error.status_code == 404 else JSONResponse({"error": str(error.detail)}, error.status_code)


def make_app(runs: Path, hosts: frozenset[str], warm: bool = False, patience: float = 1.0) -> Guard:
    """The application, guarded; with more patience, all deadlines are so many times later."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        server: Server = app.state.server
        if warm:
            # Nobody waits for it; what it needs, a request would need too.
            asyncio.get_running_loop().run_in_executor(None, functools.partial(_warm, server))
        yield
        server.close()

    post: dict[str, Callable[[Request], Awaitable[Response]]] = {
        "board": answers("quick", QUICK, documents.board),
        "position": answers("quick", QUICK, documents.position),
        "record": answers("quick", QUICK, documents.record),
        "load": answers("quick", QUICK, documents.load),
        "move": answers(_lane_of, SEARCH, documents.move),
        "opinion": answers(_lane_of, SEARCH, documents.opinion),
        "truth": answers("truth", TRUTH, documents.truth),
        "refutation": answers("truth", 2 * TRUTH, documents.refutation),
        "puzzle": answers("network", PUZZLE, documents.puzzle),
        "demo": answers("quick", QUICK, documents.demo),
    }
    get = {
        "games": answers("quick", QUICK, documents.games, body=False),
        "runs": answers("quick", QUICK, documents.runs, body=False),
        "papers": answers("quick", QUICK, documents.figures, body=False),
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
        exception_handlers={404: refused, 405: refused},
        lifespan=lifespan,
    )
    app.state.server = Server(runs, patience)
    return Guard(app, hosts)


def _warm(server: Server) -> None:
    with contextlib.suppress(Exception):  # whoever asks is told
        server.warm()
