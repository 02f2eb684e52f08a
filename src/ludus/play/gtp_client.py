"""GTP client: starts an external program and sends it the commands that `gtp_server` answers.

The program has its own process group. The whole group is ended in every case: when the program is no longer needed,
when it breaks the protocol or its time limit, and when we are interrupted. Nothing heavy is imported here.
"""

from __future__ import annotations

import collections
import contextlib
import io
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Sequence
from typing import NamedTuple

from ludus import stopping
from ludus.errors import shorten

LONGEST, MOST = 4096, 10_000  # characters of a line; lines of an answer, with those printed before it
WAITING = 1000  # lines in the queue of unread output
GRACE = 2.0  # seconds that a program has to exit by itself
LAST_WORDS = 20  # last lines of stderr that are kept


class Trouble(Exception):
    """A program did not answer. The message is the predicate of a sentence about the program."""


class NotStarted(Trouble):
    """The program cannot be started."""


class Late(Trouble):
    """The program did not answer in time."""


class Ended(Trouble):
    """The program has exited, or closed its output."""


class Program:
    """An external program, started by the first command, and again by the next command after it has exited."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._command, self._seconds = tuple(command), seconds
        self._running: _Running | None = None
        self._end: weakref.finalize | None = None

    @property
    def name(self) -> str:
        return shorten(shlex.join(self._command))

    @property
    def runs(self) -> bool:
        return self._running is not None

    def ask(self, command: str) -> str:
        """Its answer to a command. If this raises anything, the program has been ended."""
        if self._running is None:
            self._running = _start(self._command)
            self._end = weakref.finalize(self, _end, self._running)
        try:
            return _ask(self._running, command, self._seconds)
        except BaseException:
            with _starting:  # kill_all holds this lock for ever: do not report the failures that it causes
                pass
            self.kill()
            raise

    def kill(self) -> None:
        """End it now."""
        running, end = self._running, self._end  # another thread may call this too
        self._running = self._end = None
        if end is not None and running is not None:
            end.detach()
            _end(running, 0.0)


_known: set[subprocess.Popen[str]] = set()  # processes that were started and not ended yet
_starting = threading.Lock()


def kill_all() -> None:
    """End every program, because this process is about to exit; afterwards no program can be started."""
    _starting.acquire(timeout=GRACE)
    for process in list(_known):
        _kill(process)
    for process in list(_known):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


stopping.at_last(kill_all)


class _Running(NamedTuple):
    """A process, with threads that read its output: so a read can have a time limit."""

    process: subprocess.Popen[str]
    lines: queue.Queue[str | None]  # None: end of output
    last_words: collections.deque[str]
    readers: tuple[threading.Thread, ...]


def _start(command: Sequence[str]) -> _Running:
    pipe = subprocess.PIPE
    try:
        with _starting:
            process = subprocess.Popen(
                command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # its own process group: Ctrl-C reaches only us
            )
            _known.add(process)
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise NotStarted(f"cannot be started: {why}") from None
    lines: queue.Queue[str | None] = queue.Queue(WAITING)
    words: collections.deque[str] = collections.deque(maxlen=LAST_WORDS)
    readers = (
        threading.Thread(target=_read, args=(process.stdout, lines), daemon=True),
        threading.Thread(target=_listen, args=(process.stderr, words), daemon=True),
    )
    for reader in readers:
        reader.start()
    return _Running(process, lines, words, readers)


def _read(stream: io.TextIOBase, lines: queue.Queue[str | None]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := stream.readline(LONGEST):
            lines.put(line)
    lines.put(None)


def _listen(stream: io.TextIOBase, words: collections.deque[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := stream.readline(LONGEST):
            if line.strip():
                words.append(line)


def _ask(running: _Running, command: str, seconds: float) -> str:
    stdin, deadline = running.process.stdin, time.monotonic() + seconds
    assert stdin is not None
    with contextlib.suppress(OSError):  # it has exited: the end of its output is read below
        stdin.write(f"{command}\n")
        stdin.flush()
    rows: list[str] = []
    for _ in range(MOST):
        try:
            line = running.lines.get(timeout=max(deadline - time.monotonic(), 0.0))
        except queue.Empty:
            raise Late(f"did not answer '{command}' in {seconds:g} s") from None
        if line is None:
            raise Ended(_ended(running, command))
        line = line.rstrip()
        if not rows and line[:1] not in ("=", "?"):  # a greeting or a log line
            continue
        if line:
            rows.append(line)
            continue
        said = "\n".join([rows[0][1:], *rows[1:]]).strip()
        if rows[0].startswith("?"):
            raise Trouble(f"refused '{command}' with '{shorten(said)}'")
        return said
    raise Trouble(f"said {MOST:,} lines and did not answer '{command}'")


def _ended(running: _Running, command: str) -> str:
    """How it exited, with its last line on stderr, which usually says why."""
    try:
        status = running.process.wait(GRACE)
        how = f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
    except subprocess.TimeoutExpired:
        how = "closed its output"
    running.readers[1].join(GRACE)
    words = f"; its last words were '{shorten(running.last_words[-1])}'" if running.last_words else ""
    return f"{how} and did not answer '{command}'{words}"


def _end(running: _Running, grace: float = GRACE) -> None:
    """Send `quit`, wait for some seconds, and then kill its process group."""
    process, lines, _, readers = running
    with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
        if grace:
            assert process.stdin is not None
            process.stdin.write("quit\n")
            process.stdin.close()
            process.wait(grace)
    _kill(process)
    process.wait()
    _known.discard(process)
    until = time.monotonic() + GRACE
    while readers[0].is_alive() and time.monotonic() < until:  # it may be blocked by a full queue
        with contextlib.suppress(queue.Empty):
            lines.get(timeout=0.01)
    for reader, stream in zip((None, *readers), (process.stdin, process.stdout, process.stderr), strict=True):
        if reader is not None:
            reader.join(GRACE)
        if stream is not None and (reader is None or not reader.is_alive()):
            with contextlib.suppress(OSError):
                stream.close()


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill the process and all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
