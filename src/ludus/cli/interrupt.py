"""What commands do at Ctrl-C, SIGTERM and SIGHUP beside leaving at once, which is `ludus.stopping`'s: last words, and
searches that give what they have so far.

Where the process is not ours to end, as in a test, Ctrl-C is a KeyboardInterrupt as ever.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING

from ludus import stopping
from ludus.stopping import Stopped

if TYPE_CHECKING:
    from ludus.truth.protocol import Watch


@contextlib.contextmanager
def leaving_at_once(last_words: Callable[[], None]) -> Iterator[None]:
    """In here the process leaves with these words. They are said on another thread, while the work still goes on."""
    with stopping.Answer(last_words) if stopping.listens() else contextlib.nullcontext():
        yield


class Heard(stopping.Answer):
    """Whoever searches and keeps what it has so far: called at each look at the clock, it raises if somebody wants an
    end. Before the first such look nothing is lost, and the process leaves at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.number = 0  # of the signal
        self._looks = False

    def take(self, number: int) -> bool:
        self.number = number
        return self._looks

    def __call__(self) -> None:
        self._looks = True
        self.raise_again()

    def raise_again(self) -> None:
        """When what was found so far has been said."""
        if self.number:
            raise Stopped(self.number)

    def watching(self, watch: Watch) -> Watch:
        """The same for work that looks at no clock, but tells how far it has come."""

        def told(sentence: str, last: bool) -> None:
            self()
            watch(sentence, last)

        return told


@contextlib.contextmanager
def heard() -> Iterator[Heard]:
    """In here work that keeps what it has so far is told that it shall end."""
    answer = Heard()
    if stopping.listens():
        with answer:
            yield answer
        return
    main = threading.current_thread() is threading.main_thread()
    if not (main and signal.getsignal(signal.SIGINT) is signal.default_int_handler):
        yield answer
        return

    def note(number: int, frame: FrameType | None) -> None:
        answer.number = number
        signal.default_int_handler(number, frame)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield answer
    finally:
        signal.signal(signal.SIGINT, before)
