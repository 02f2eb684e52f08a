"""GTP client: starts another program and sends it commands, as `gtp_server` answers them.

It has its own process group, which is ended as a whole whatever happens: when nobody needs it any more, when it does
not keep to the protocol or to its time, and when we are interrupted. Nothing heavy is imported here.
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

LONGEST, MOST = 4096, 10_000  # characters of a line; lines of an answer, with what was printed before it
WAITING = 1000  # lines that may wait to be read
GRACE = 2.0  # seconds that a program has to end by itself
LAST_WORDS = 20  # lines of what it says on stderr that are kept


class Trouble(Exception):
    """What a program did instead of answering: the predicate of a sentence."""


class NotStarted(Trouble):
    """It cannot be started at all."""


class Late(Trouble):
    """It did not answer in its time."""


class Ended(Trouble):
    """It has ended, or closed its output."""


class Program:
    """A program that is started when it is first asked something, and again if it has ended since."""

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
        """What it answers; whatever goes wrong, it has ended when this is raised."""
        if self._running is None:
            self._running = _start(self._command)
            self._end = weakref.finalize(self, _end, self._running)
        try:
            return _ask(self._running, command, self._seconds)
        except BaseException:
            with _starting:  # not while all are ended: how that looks from here is nobody's business
                pass
            self.kill()
            raise

    def kill(self) -> None:
        """End it now."""
        running, end = self._running, self._end  # another thread may be at this too
        self._running = self._end = None
        if end is not None and running is not None:
            end.detach()
            _end(running, 0.0)


_known: set[subprocess.Popen[str]] = set()  # those that have been started and not been ended
_starting = threading.Lock()


def kill_all() -> None:
    """End every program, since this process is about to end abruptly; no other program is started after it."""
    _starting.acquire(timeout=GRACE)
    for process in list(_known):
        _kill(process)
    for process in list(_known):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)


stopping.at_last(kill_all)


class _Running(NamedTuple):
    """A process, with threads that read its output, so that reading can have a time limit."""

    process: subprocess.Popen[str]
    lines: queue.Queue[str | None]  # None: it says no more
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
                start_new_session=True,  # its own process group, which Ctrl-C leaves to us
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
    with contextlib.suppress(OSError):  # it has ended: it is read below that it says no more
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
        if not rows and line[:1] not in ("=", "?"):  # a greeting, a log
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
    """How it ended, with its last words: as a rule they say why."""
    try:
        status = running.process.wait(GRACE)
        how = f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"
    except subprocess.TimeoutExpired:
        how = "closed its output"
    running.readers[1].join(GRACE)
    words = f"; its last words were '{shorten(running.last_words[-1])}'" if running.last_words else ""
    return f"{how} and did not answer '{command}'{words}"


def _end(running: _Running, grace: float = GRACE) -> None:
    """Let it quit by itself, for so many seconds, and then end it and all that it has started."""
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
    while readers[0].is_alive() and time.monotonic() < until:  # it may wait for room
        with contextlib.suppress(queue.Empty):
            lines.get(timeout=0.01)
    for reader, stream in zip((None, *readers), (process.stdin, process.stdout, process.stderr), strict=True):
        if reader is not None:
            reader.join(GRACE)
        if stream is not None and (reader is None or not reader.is_alive()):
            with contextlib.suppress(OSError):
                stream.close()


def _kill(process: subprocess.Popen[str]) -> None:
    """It and all that it has started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
