"""Ctrl-C while compiled programs are made and run.

XLA compiles on threads of its own. Python polls for Ctrl-C while it waits for them, so an exception can unwind to the
end of the process while they still work, and the end takes from them what they work on: one time in three that was a
segmentation fault. An exception may also be raised where it is dropped, as in a callback of the garbage collector, and
then Ctrl-C did nothing. So nothing is unwound here. A run can be killed at any moment without harm, and a thread that
does nothing but listen ends the process at once, whatever the main thread is at.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130  # the exit status, as a shell reports the signal
ENOUGH = 2  # times Ctrl-C, after which not even the last words are waited for


class Process:
    """Whether this process runs one command and nothing else, as under a shell: then it may be ended."""

    alone = False


def leave(status: int) -> NoReturn:
    """End the process without taking anything apart, but for programs that it has started."""
    from ludus.play.program import kill_all

    kill_all()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, full, or not there
            stream.flush()
    os._exit(status)


def done() -> None:
    """The command has done its work: Ctrl-C while Python takes itself apart does not change how it ended."""
    if Process.alone:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextlib.contextmanager
def heard() -> Iterator[list[int]]:
    """In here Ctrl-C is noted in the list that is given, and raised as ever: for work that keeps what it has so far."""
    noted: list[int] = []
    main = threading.current_thread() is threading.main_thread()
    if not (main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield noted
        return

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def leaving_at_once(last_words: Callable[[], None]) -> Iterator[None]:
    """In here Ctrl-C ends the process with these words; one that is ignored, as in a shell's background, stays so.

    Where the process is not ours to end, KeyboardInterrupt is raised as ever.
    """
    main = threading.current_thread() is threading.main_thread()
    if not (Process.alone and main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield
        return
    hear, tell = socket.socketpair()
    tell.setblocking(False)
    times = 0

    def count(*_: object) -> None:
        nonlocal times
        times += 1
        if times >= ENOUGH:
            os._exit(INTERRUPTED)

    def listen() -> None:
        while heard := hear.recv(1):
            if heard[0] == signal.SIGINT:
                with contextlib.suppress(Exception):
                    last_words()
                leave(INTERRUPTED)

    before = signal.signal(signal.SIGINT, count)
    woken = signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(woken)
        signal.signal(signal.SIGINT, before)
        tell.close()  # ends the thread
        listener.join()
        hear.close()
