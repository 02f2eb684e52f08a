"""What a command does at Ctrl-C, SIGTERM or SIGHUP before it ends: say some last words, or the result so far.

How the process itself ends is the business of `ludus.stopping`. Where the process is not ours to end, as in a test,
Ctrl-C is an ordinary KeyboardInterrupt.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from ludus import stopping
from ludus.stopping import Stopped

if TYPE_CHECKING:
    from ludus.core.callbacks import Watch


@contextlib.contextmanager
def on_stop(last_words: Callable[[], Any]) -> Iterator[None]:
    """In here a signal ends the process after these last words. They are said on another thread, while work goes on."""
    with stopping.Handler(last_words) if stopping.listens() else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def on_early_end(report: Callable[[bool], Any]) -> Iterator[None]:
    """In here a signal or an error first reports what there is so far. `report` is told whether it was an error."""
    reported = threading.Lock()  # never released: nothing is reported twice

    def end(failed: bool = False) -> None:
        if reported.acquire(blocking=False):
            report(failed)

    with on_stop(end):
        try:
            yield
        except BaseException as error:
            end(not isinstance(error, KeyboardInterrupt))
            raise


class StopRequest(stopping.Handler):
    """For a search that can give its result so far: it calls this at each look at the clock, which raises `Stopped`
    once a signal has come. Before the first such call there is no result to lose, and the process leaves at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.number = 0  # of the signal
        self._polled = False

    def handle(self, number: int) -> bool:
        self.number = number
        return self._polled

    def __call__(self) -> None:
        self._polled = True
        self.raise_again()

    def raise_again(self) -> None:
        """Raise `Stopped` if a signal has come: here, and again after the result so far was printed."""
        if self.number:
            raise Stopped(self.number)

    def polled_by(self, watch: Watch) -> Watch:
        """The callback of work that reports its progress, and looks at no clock: each report polls too."""

        def report(sentence: str, last: bool) -> None:
            self()
            watch(sentence, last)

        return report


@contextlib.contextmanager
def stop_request() -> Iterator[StopRequest]:
    """In here a signal does not end the process: it is passed on to a search that polls for it."""
    request = StopRequest()
    if stopping.listens():
        with request:
            yield request
        return
    main = threading.current_thread() is threading.main_thread()
    if not (main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield request
        return

    def note(number: int, frame: FrameType | None) -> None:
        request.number = number
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield request
    finally:
        signal.signal(signal.SIGINT, before)
