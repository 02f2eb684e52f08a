"""The routes: each reads a request, runs its work in a pool of workers, and answers with a JSON document."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import mimetypes
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from ludus.agents.spec import AgentSpec
from ludus.errors import BadInput, shorten
from ludus.web import documents, papers, run_list
from ludus.web.body import Body, TooLarge, read
from ludus.web.documents import agent_of
from ludus.web.guard import Guard
from ludus.web.server import Server
from ludus.web.workers import Busy, Gone, Task, TooLate

STATIC = Path(__file__).parent / "static"
QUICK, SEARCH, TRUTH, PUZZLE = 30.0, 60.0, 30.0, 60.0  # deadlines in seconds; a refutation has twice the truth's
REVIEW, WARM = 900.0, 180.0
MAX_STREAMS = 32  # runs watched at a time
POLL, HEARTBEAT = 0.5, 10.0  # seconds between looks at a run, and between signs of life to the browser
log = logging.getLogger("ludus.web")

Work = Callable[[Server, Body, Task], dict[str, Any]]
Handler = Callable[[Request], Awaitable[Response]]


def answers(pool: str | Callable[[Body], str], seconds: float, work: Work, takes_body: bool = True) -> Handler:
    """A route that does its work in a pool of workers, named here or chosen by the request."""

    async def handle(request: Request) -> Response:
        server: Server = request.app.state.server
        limit = seconds * server.patience
        try:
            body = await read(request) if takes_body else Body({})
            workers = server.pools[pool if isinstance(pool, str) else pool(body)]
            return JSONResponse(await workers.run(request, limit, lambda task: work(server, body, task)))
        except Gone:
            return Response(status_code=400)  # the browser has left: nobody reads this
        except Exception as error:
            said, status = refusal(error, limit)
            return JSONResponse({"error": said}, status)

    return handle


def refusal(error: Exception, limit: float) -> tuple[str, int]:
    """What went wrong, as a sentence and a status."""
    match error:
        case BadInput():
            return shorten(str(error), 500), 413 if isinstance(error, TooLarge) else 400
        case Busy():
            return "too many are waiting already; try again in a moment.", 429
        case TooLate():
            return f"this was not done in {limit:g} s; ask for less.", 422
        case _:  # a bug: the terminal gets the traceback, the browser only this sentence
            log.error("a request failed", exc_info=error)
            return "this failed here for a reason that nobody foresaw.", 500


def streams(pool: str, seconds: float, work: Callable[[Server, Body, Task], Iterator[dict[str, Any]]]) -> Handler:
    """A route that sends a document a line, each as soon as it is there. What goes wrong on the way is the last one."""

    async def handle(request: Request) -> Response:
        server: Server = request.app.state.server
        limit = seconds * server.patience
        try:
            body = await read(request)
            found = server.pools[pool].stream(request, limit, lambda task: work(server, body, task))
            first = await anext(found, None)  # so that what is refused at once has a status of its own
        except Gone:
            return Response(status_code=400)
        except Exception as error:
            said, status = refusal(error, limit)
            return JSONResponse({"error": said}, status)
        lines = _lines(found, first, limit)
        return StreamingResponse(lines, media_type="application/x-ndjson", headers={"x-accel-buffering": "no"})

    return handle


async def _lines(
    found: AsyncGenerator[dict[str, Any], None], document: dict[str, Any] | None, limit: float
) -> AsyncIterator[str]:
    try:
        while document is not None:
            yield json.dumps(document, allow_nan=False) + "\n"
            document = await anext(found, None)
    except Gone:
        return
    except Exception as error:
        yield json.dumps({"error": refusal(error, limit)[0]}) + "\n"
    finally:
        await found.aclose()


def pool_of(body: Body) -> str:
    """The pool for an agent's work, by what its moves cost: a look at a network, a search, or a solution."""
    try:
        return AgentSpec.parse(agent_of(body)).cost
    except BadInput:
        return "quick"  # the work itself refuses the name


async def page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})


@functools.cache
def files() -> dict[str, Path]:
    """All files that the browser may load, by name. No other file is served."""
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
    """A run as it grows: a document whenever something is new, until the run has ended or the browser leaves."""
    server: Server = request.app.state.server
    if server.streams >= MAX_STREAMS:
        return JSONResponse({"error": f"{MAX_STREAMS} runs are being watched already; close some."}, 429)
    name = request.query_params.get("run", "")
    try:
        path = await server.pools["quick"].run(request, QUICK, lambda task: server.players.runs().get(name))
    except (BadInput, Busy, TooLate, Gone):
        path = None
    if path is None:
        return JSONResponse({"error": f"there is no run '{shorten(name)}' in the folder of this page."}, 404)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_stream(server, request, name, path), media_type="text/event-stream", headers=headers)


async def _stream(server: Server, request: Request, name: str, path: Path) -> AsyncIterator[str]:
    server.streams += 1
    try:
        sent, quiet = None, 0.0
        while not await request.is_disconnected():
            version = await asyncio.to_thread(run_list.version, path)
            if version != sent:
                sent, quiet = version, 0.0
                document = await asyncio.to_thread(run_list.course, name, path)
                yield run_list.event(document)
                if document["run"]["state"] not in ("running", "stopped"):
                    return
            elif quiet >= HEARTBEAT:
                quiet = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(POLL)
            quiet += POLL
    finally:
        server.streams -= 1


async def refused(request: Request, error: Any) -> Response:
    return _missing() if error.status_code == 404 else JSONResponse({"error": str(error.detail)}, error.status_code)


POST: dict[str, Handler] = {
    "board": answers("quick", QUICK, documents.board),
    "position": answers("quick", QUICK, documents.position),
    "record": answers("quick", QUICK, documents.record),
    "load": answers("quick", QUICK, documents.load),
    "move": answers(pool_of, SEARCH, documents.move),
    "opinion": answers(pool_of, SEARCH, documents.opinion),
    "warm": answers(pool_of, WARM, documents.warm),
    "review": streams("review", REVIEW, documents.review),
    "truth": answers("truth", TRUTH, documents.truth),
    "refutation": answers("truth", 2 * TRUTH, documents.refutation),
    "puzzle": answers("network", PUZZLE, documents.puzzle),
    "demo": answers("quick", QUICK, documents.demo),
    "stop": answers("quick", QUICK, documents.stop),
    "compare": answers("network", QUICK, documents.compare),
    "paper": answers("quick", QUICK, documents.paper),
    "figure": answers("network", QUICK, documents.figure),
    "tour": answers("quick", QUICK, documents.tour),
}
GET: dict[str, Handler] = {
    "games": answers("quick", QUICK, documents.games, takes_body=False),
    "pictures": answers("quick", QUICK, documents.pictures, takes_body=False),
    "runs": answers("quick", QUICK, documents.runs, takes_body=False),
    "papers": answers("quick", QUICK, documents.all_papers, takes_body=False),
    "events": events,
}


def make_app(runs: Path, hosts: frozenset[str], warm: bool = False, patience: float = 1.0) -> Guard:
    """The application, guarded. All deadlines are multiplied by `patience`."""

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        server: Server = app.state.server
        if warm:  # in the background: no request waits for it
            asyncio.get_running_loop().run_in_executor(None, functools.partial(_warm, server))
        yield
        server.close()

    app = Starlette(
        routes=[
            Route("/", page),
            Route("/static/{name:path}", static),
            Route("/papers/{name:path}", picture),
            *(Route(f"/api/{name}", handle, methods=["POST"]) for name, handle in POST.items()),
            *(Route(f"/api/{name}", handle) for name, handle in GET.items()),
        ],
        exception_handlers={404: refused, 405: refused},
        lifespan=lifespan,
    )
    app.state.server = Server(runs, patience)
    return Guard(app, hosts)


def _warm(server: Server) -> None:
    with contextlib.suppress(Exception):  # the first request that needs it reports the error
        server.warm()
