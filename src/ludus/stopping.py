"""How a process of ours ends when it is told to: by Ctrl-C, or by the signals that end a process (SIGTERM, SIGHUP).

There is one mechanism for every command, from the first moment on: a thread only listens for signals, and ends the
process whatever the main thread does. Nothing is unwound. An exception could be raised where it is dropped (in a
callback of the garbage collector or of a compiler) or mistaken for something else (in the middle of an import); and
XLA works on threads of its own, which crash when Python frees what they use: that was a segmentation fault one time in
three. All files are written so that the process may be killed at any moment.

The innermost `Handler` says what is printed or saved before the process ends. A second signal does not wait for that.
Only modules that Python has loaded already are imported here. Until `listen` is called, Ctrl-C works as usual.
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
PATIENCE, HASTE = 10.0, 1.0  # seconds for last words, as SIGTERM comes only once; and to end child processes
ENOUGH = 2  # signals, after which not even the last words are waited for


def status_of(number: int) -> int:
    """The exit status, as a shell reports the signal."""
    return 128 + number


class Stopped(KeyboardInterrupt):
    """Raised where code has asked for it (`Raised`), with the number of the signal."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__()
        self.number = int(number)


class Handler:
    """What happens at a signal, while this is the innermost handler entered. This base class ends the process after
    the last words of the innermost handler that has any. Handlers are called on a thread of their own.
    """

    def __init__(self, last_words: Callable[[], object] | None = None) -> None:
        self.last_words, self.times = last_words, 0  # signals so far

    def handle(self, number: int) -> bool:
        """True if the work has been told and ends by itself; False to end the process."""
        return False

    def __enter__(self) -> Self:
        with _listener.lock:  # never released once the process is ending
            _listener.handlers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        with _listener.lock:
            _listener.handlers.remove(self)


class _Listener:
    """The listening thread's state. There is one in a process."""

    def __init__(self) -> None:
        self.on = False
        self.lock = _thread.allocate_lock()
        self.handlers: list[Handler] = [Handler(_end_line)]
        self.at_end: list[Callable[[], object]] = []
        self.signals: list[int] = []  # those that are not ignored
        self.write_end = -1

    def begin(self) -> None:
        read_end, self.write_end = os.pipe()
        if hasattr(os, "set_blocking"):
            os.set_blocking(self.write_end, False)
        # Signals that were ignored when the process began, as under nohup, stay ignored.
        self.signals = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self.on = True
        self.install()
        _thread.start_new_thread(self._listen, (read_end,))

    def install(self) -> None:
        """Signals go to the listening thread."""
        signal.set_wakeup_fd(self.write_end, warn_on_full_buffer=False)
        for number in self.signals:
            signal.signal(number, _leave_to_listener)

    def _listen(self, read_end: int) -> None:
        while received := os.read(read_end, 1):
            if (number := received[0]) not in self.signals:
                continue
            handler = self.handlers[-1]
            handler.times += 1
            if handler.times >= ENOUGH or not _start(self._handle, handler, number):
                _leave_in_haste(0.0, status_of(number))

    def _handle(self, handler: Handler, number: int) -> None:
        self.lock.acquire()
        if handler.handle(number):
            self.lock.release()
            return
        _start(_leave_in_haste, PATIENCE, status_of(number))
        _call_each([words for each in reversed(self.handlers) if (words := each.last_words)][:1])
        leave(status_of(number))


def _end_line() -> None:
    """So that the shell's prompt begins a new line."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(file=sys.stderr)


_listener = _Listener()


def _leave_to_listener(number: int, frame: FrameType | None) -> None:
    """The listening thread has the signal already, through the wake-up file descriptor."""


def _raise(number: int, frame: FrameType | None) -> None:
    """Raise `Stopped`, the first time only: a second signal ends the process at once."""
    _listener.install()
    _listener.handlers[-1].times = ENOUGH - 1
    raise Stopped(number)


def _leave_in_haste(seconds: float, status: int) -> NoReturn:
    """After so many seconds, without waiting for last words."""
    time.sleep(seconds)
    _start(_exit, HASTE, status)
    _call_each(_listener.at_end)
    os._exit(status)


def _exit(seconds: float, status: int) -> NoReturn:
    time.sleep(seconds)
    os._exit(status)


def _start(work: Callable[..., object], *arguments: object) -> bool:
    """Start work on a new thread; False if there can be no more threads."""
    try:
        _thread.start_new_thread(work, arguments)
    except RuntimeError:
        return False
    return True


def _call_each(actions: Sequence[Callable[[], object]]) -> None:
    """Call each of them, even if others fail."""
    for action in actions:
        try:
            action()
        except BaseException:
            continue


def listen() -> None:
    """From here on a signal ends this process at once; signals that were ignored before stay ignored."""
    if not _listener.on:
        _listener.begin()


def listens() -> bool:
    """Whether this process runs one command only, as under a shell: then it may be ended."""
    return _listener.on


class Raised:
    """In here a signal raises `Stopped` in the main thread: at a prompt, where readline must restore the terminal."""

    def __enter__(self) -> Self:
        if _listener.on:
            for number in _listener.signals:
                signal.signal(number, _raise)
            signal.set_wakeup_fd(-1)
        return self

    def __exit__(self, *_: object) -> None:
        if _listener.on:
            _listener.install()


def at_last(action: Callable[[], object]) -> None:
    """Call this when the process leaves, to end its child processes."""
    _listener.at_end.append(action)


def leave(status: int) -> NoReturn:
    """End the process at once, without unwinding."""
    _start(_leave_in_haste, PATIENCE, status)
    _call_each(_listener.at_end)
    _call_each([stream.flush for stream in (sys.stdout, sys.stderr) if stream is not None])  # may be closed
    os._exit(status)


def done() -> None:
    """The work is done: from here on a signal no longer changes the exit status."""
    if _listener.on:
        with _listener.lock:  # waits for ever if the process is already ending
            for number in _listener.signals:
                signal.signal(number, signal.SIG_IGN)
