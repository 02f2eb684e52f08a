"""How a process of ours ends when it is told to: by Ctrl-C, or by the signals that end a process (SIGTERM, SIGHUP).

One mechanism for every command, from the first moment on: a thread that does nothing but listen ends the process,
whatever the main thread is at. Nothing is unwound, since an exception may be raised where it is dropped (a callback of
the garbage collector, of a compiler) or where it is taken for something else (half of an import), and XLA works on
threads of its own, from which the end of Python takes what they work on: one time in three that was a segmentation
fault. All that is kept on the disk is kept so that a process can be killed at any moment.

What is worth saying or keeping before is the innermost `Answer`'s business. Whoever does not wait for that asks twice.
Nothing but what Python has loaded already is imported here: until `listen` is called, Ctrl-C is Python's.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import NoReturn, Self

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
PATIENCE, HASTE = 10.0, 1.0  # seconds for last words, as SIGTERM comes only once; and to end what would be left running
ENOUGH = 2  # times told, after which not even the last words are waited for


def status_of(number: int) -> int:
    """The exit status, as a shell reports the signal."""
    return 128 + number


class Stopped(KeyboardInterrupt):
    """Raised where somebody has asked to hear of a signal: which one it was."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.number = int(number)


class Answer:
    """What is done at a signal while this is the innermost that is entered; as it stands, the process leaves, with the
    words of the next one around it that has any. All is called on another thread than the work's.
    """

    def __init__(self, last_words: Callable[[], object] | None = None) -> None:
        self.last_words, self.times = last_words, 0  # how often a signal came

    def take(self, number: int) -> bool:
        """Whether the work itself has been told, and ends by itself."""
        return False

    def __enter__(self) -> Self:
        with _listener.lock:  # which is held for good once the process is leaving
            _listener.answers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        with _listener.lock:
            _listener.answers.remove(self)


class _Listener:
    """The one of this process."""

    def __init__(self) -> None:
        self.on = False
        self.lock = _thread.allocate_lock()
        self.answers: list[Answer] = [Answer(_end_line)]
        self.last: list[Callable[[], object]] = []
        self.heard: list[int] = []  # the signals that are not ignored
        self.tell = -1

    def begin(self) -> None:
        hear, self.tell = os.pipe()
        if hasattr(os, "set_blocking"):
            os.set_blocking(self.tell, False)
        # Ignored when the process began, as by nohup and in the background of a script: that is to stay.
        self.heard = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self.on = True
        self.attend()
        _thread.start_new_thread(self._listen, (hear,))

    def attend(self) -> None:
        """Signals come to the thread that listens."""
        signal.set_wakeup_fd(self.tell, warn_on_full_buffer=False)
        for number in self.heard:
            signal.signal(number, _nothing)

    def _listen(self, hear: int) -> None:
        while heard := os.read(hear, 1):
            if (number := heard[0]) not in self.heard:
                continue
            answer = self.answers[-1]
            answer.times += 1
            if answer.times >= ENOUGH or not _begin(self._answer, answer, number):
                _leave_in_haste(0.0, status_of(number))

    def _answer(self, answer: Answer, number: int) -> None:
        self.lock.acquire()
        if answer.take(number):
            self.lock.release()
            return
        _begin(_leave_in_haste, PATIENCE, status_of(number))
        _do([words for each in reversed(self.answers) if (words := each.last_words)][:1])
        leave(status_of(number))


def _end_line() -> None:
    """A shell's prompt shall have a line of its own."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(file=sys.stderr)


_listener = _Listener()


def _nothing(number: int, frame: FrameType | None) -> None:
    """The thread that listens has been told already."""


def _raise(number: int, frame: FrameType | None) -> None:
    """Once: who asks again does not wait for what is done about it."""
    _listener.attend()
    _listener.answers[-1].times = ENOUGH - 1
    raise Stopped(number)


def _leave_in_haste(seconds: float, status: int) -> NoReturn:
    """After so long, without waiting for anybody's words."""
    time.sleep(seconds)
    _begin(_exit, HASTE, status)
    _do(_listener.last)
    os._exit(status)


def _exit(seconds: float, status: int) -> NoReturn:
    time.sleep(seconds)
    os._exit(status)


def _begin(work: Callable[..., object], *arguments: object) -> bool:
    """On a thread of its own, if there is room for one."""
    try:
        _thread.start_new_thread(work, arguments)
    except RuntimeError:
        return False
    return True


def _do(actions: Sequence[Callable[[], object]]) -> None:
    """Each of them, whatever becomes of the others."""
    for action in actions:
        try:
            action()
        except BaseException:
            continue


def listen() -> None:
    """From here on this process is ended by a signal at once; one that was ignored when it began stays so."""
    if not _listener.on:
        _listener.begin()


def listens() -> bool:
    """Whether this process runs one command and nothing else, as under a shell: then it may be ended."""
    return _listener.on


class Raised:
    """In here a signal is raised in the main thread, as `Stopped`: where it waits for a person, and a library has a
    terminal to give back.
    """

    def __enter__(self) -> Self:
        if _listener.on:
            for number in _listener.heard:
                signal.signal(number, _raise)
            signal.set_wakeup_fd(-1)
        return self

    def __exit__(self, *_: object) -> None:
        if _listener.on:
            _listener.attend()


def at_last(action: Callable[[], object]) -> None:
    """To be done when the process leaves: what would be left running is ended."""
    _listener.last.append(action)


def leave(status: int) -> NoReturn:
    """End the process without taking anything apart."""
    _begin(_leave_in_haste, PATIENCE, status)
    _do(_listener.last)
    _do([stream.flush for stream in (sys.stdout, sys.stderr) if stream is not None])  # one may be closed, or full
    os._exit(status)


def done() -> None:
    """The work is done: a signal while Python takes itself apart does not change how it ended."""
    if _listener.on:
        with _listener.lock:  # unless the process is leaving
            for number in _listener.heard:
                signal.signal(number, signal.SIG_IGN)
