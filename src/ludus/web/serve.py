"""`ludus serve`."""

from __future__ import annotations

import contextlib
import gc
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

from cyclopts import Parameter

from ludus import stopping
from ludus.errors import BadInput

HOST, PORT = "127.0.0.1", 8320
KEEP_ALIVE = 120  # seconds without a request, after which the browser has to connect again
SWITCH_INTERVAL = 0.0005  # seconds that a thread may keep Python's lock: short, so that small answers are not late
GC_THRESHOLDS = 10_000, 10, 1000  # full collections walk through all objects of JAX and take long: make them rare
SHUTDOWN = 3  # seconds that requests under way have when the page is closed


def serve(
    *,
    port: Annotated[int, Parameter(help="On which port; 0 takes any that is free.")] = PORT,
    runs: Annotated[Path, Parameter(help="The folder whose runs can be watched and played.")] = Path("runs"),
    play: Annotated[
        str | None, Parameter(help="Begin with a game against this agent: lgame/best, or a run of the folder.")
    ] = None,
    patience: Annotated[float, Parameter(help="Multiply all time limits by this: for a slow or busy machine.")] = 1.0,
    no_open: Annotated[
        bool, Parameter(name="--no-open", negative="", show_default=False, help="Do not open a browser.")
    ] = False,
) -> None:
    """Open the page in the browser: play any agent, see what it thinks, watch it learn.

    For example:

        ludus serve
        ludus serve --port 8400 --no-open
        ludus serve --play runs/demo

    It answers on this machine alone and contacts no other machine. Ctrl-C closes
    it. Your games are stored only in the browser and in the address of the page,
    which holds the whole game.
    """
    if not 0 <= port <= 65535:
        raise BadInput(f"--port goes from 0 to 65535, and {port} does not lie there.")
    if not 1 <= patience <= 1000:  # so written, it refuses nan too
        raise BadInput(f"--patience goes from 1 to 1000, and {patience:g} does not lie there.")
    if runs.exists() and not runs.is_dir():
        raise BadInput(f"--runs '{runs}' is a file; name a folder of runs.")
    start = "" if play is None else _address(play, runs)
    taken = _listen(port)
    port = taken.getsockname()[1]

    import uvicorn

    from ludus.web.app import make_app
    from ludus.web.connections import BoundedProtocol
    from ludus.web.guard import hosts_of

    app = make_app(runs, hosts_of(HOST, port), warm=True, patience=patience)
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,  # h11, whose exceptions the guard handles
        proxy_headers=False,
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE,
        log_level="warning",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=SHUTDOWN,
        h11_max_incomplete_event_size=16 * 1024,
    )
    url = f"http://{HOST}:{port}/{start}"
    print(f"The page is at {url} (Ctrl-C closes it)", flush=True)
    if not no_open:
        threading.Thread(target=_open, args=(url,), daemon=True).start()
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(*GC_THRESHOLDS)
    server = uvicorn.Server(config)
    if stopping.listens():  # it ends the process at once: nothing here needs saving
        server.capture_signals = contextlib.nullcontext  # pyright: ignore[reportAttributeAccessIssue]
    with contextlib.suppress(KeyboardInterrupt), taken:
        server.run(sockets=[taken])


def _listen(port: int) -> socket.socket:
    """Take the port before anything is loaded, so that a refusal is instant."""
    # The protocol is named, or asyncio does not set TCP_NODELAY, and the body comes 40 ms after the head.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if sys.platform != "win32":  # there the option would share a port that is taken
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        other = port + 1 if port < 65535 else port - 1
        raise BadInput(
            f"port {port} cannot be had ({error.strerror or error}): perhaps the page is open there already, at "
            f"http://{HOST}:{port}/; or take another with --port {other}."
        ) from None
    return listener


def _open(url: str) -> None:
    with contextlib.suppress(Exception):  # no browser: the terminal shows the address
        webbrowser.open(url)


def _address(agent: str, runs: Path) -> str:
    """The query that opens an agent's game, with the agent in the second seat of a game for two."""
    from ludus import games as registry
    from ludus.agents.spec import setup_of

    name, folder = agent, Path(agent)
    if agent not in registry.shipped():
        with contextlib.suppress(ValueError):
            name = f"run:{folder.resolve().relative_to(runs.resolve()).as_posix()}"
    setup = setup_of(agent)
    if setup is None or (name == agent and agent not in registry.shipped()):
        known = ", ".join(registry.shipped())
        raise BadInput(f"--play '{agent}' is no run in '{runs}' and none of {known}.")
    seats = registry.entry(setup.game).seats
    options = {f"o.{option}": value for option, value in setup.options.items()}
    players = {"p1": name} if len(seats) == 2 else {}
    return "?" + urlencode({"view": "play", "game": setup.game, **options, **players})
