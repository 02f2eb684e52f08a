"""Commands as processes of their own, without the second that each takes to import: forks of one that has imported.

What is tested so is what a command does. How one starts, and how it ends where Python takes itself apart, is seen by
real processes alone (`helpers.process`).
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from helpers.command import Result

#: Everything that is heavy, and nothing that begins a thread: a fork has none but the one that forked.
IMPORTED = (
    *("jax", "equinox", "optax", "numba", "mctx", "scipy.optimize", "matplotlib", "rich.table"),
    *("ludus.training.train", "ludus.play.tournament", "ludus.study.reproduce", "ludus.truth.exact"),
)


class Forked:
    """A process that waits for command lines, and forks for each."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        ours, theirs = socket.socketpair()
        paths = [str(Path(__file__).parents[1]), environment.get("PYTHONPATH", "")]
        path = os.pathsep.join(filter(None, paths))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "helpers.forked", str(theirs.fileno())],
            env=dict(environment) | {"PYTHONPATH": path},
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._socket = ours

    def __enter__(self) -> Forked:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()  # which ends it
        self._process.wait()

    def run(self, *argv: str, cwd: Path, stdin: str = "", stdout: int | None = None) -> Result:
        """What comes of a command line; with a `stdout` of one's own, what it says there is not read."""
        with _file(stdin) as given, _file() as out, _file() as err:
            files = [given.fileno(), out.fileno() if stdout is None else stdout, err.fileno()]
            socket.send_fds(self._socket, [json.dumps([str(cwd), *argv]).encode()], files)
            status = self._socket.recv(16)
            assert status, "the process that forks has ended"
            return Result(int(status), _read(out), _read(err))


def _file(text: str = "") -> IO[str]:
    file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115
    file.write(text)
    file.seek(0)
    return file


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


def _serve(link: socket.socket) -> None:
    while True:
        said, files, *_ = socket.recv_fds(link, 1 << 20, 3)
        if not said:
            return
        child = os.fork()
        if not child:
            link.close()
            _become(*json.loads(said), files=files)
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        link.send(str(os.waitstatus_to_exitcode(status)).encode())


def _become(cwd: str, *argv: str, files: list[int]) -> None:
    """The command, in this fork."""
    from ludus.__main__ import main

    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(cwd)
    sys.argv = ["ludus", *argv]
    streams: list[Any] = [open(number, mode, encoding="utf-8") for number, mode in enumerate("rww")]  # noqa: SIM115
    sys.stdin, sys.stdout, sys.stderr = streams
    status: Any = 1
    try:
        status = main()
    except SystemExit as left:
        status = left.code
    finally:
        for stream in streams[1:]:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(status if isinstance(status, int) else int(status is not None))


if __name__ == "__main__":
    import importlib
    import warnings

    from ludus.core.cache import keep_jax_programs

    keep_jax_programs()
    for name in IMPORTED:
        importlib.import_module(name)
    # JAX warns of a fork that comes after its threads: none has begun before a command runs.
    warnings.filterwarnings("ignore", message=".*fork")
    _serve(socket.socket(fileno=int(sys.argv[1])))
