"""Advice at the table takes long: it is thought beside the main thread, so that Ctrl-C breaks it off and the game goes
on at once, even where nothing can be stopped, as in a compiler.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ludus import stopping
from ludus.stopping import Stopped

Found = TypeVar("Found")


class Aside(stopping.Answer):
    """One piece of work at a time. What is broken off ends by itself, soon: whoever wants to think waits for that."""

    def __init__(self) -> None:
        super().__init__()
        self._work: _Work | None = None

    def take(self, number: int) -> bool:
        """Ctrl-C is for the work; what ends a process ends this one."""
        if number != signal.SIGINT or self._work is None:
            return False
        self._work.break_off()
        return True

    def do(self, think: Callable[[Callable[[], None]], Found]) -> Found | None:
        """What is found, or None where it is broken off; the function is given a beat, to call now and then."""
        before, self.times = self._work, 0
        self._work = work = _Work(think, before)
        with self:
            try:
                work.begin()
                work.left.wait()
            except KeyboardInterrupt:  # in a process that is not ours to end
                work.break_off()
        return work.result()

    @property
    def thinks(self) -> bool:
        """Whether something that was broken off has not come to its end yet."""
        return self._work is not None and self._work.thread.is_alive()

    def wait(self) -> None:
        """Until nothing is thought any more."""
        if self._work is not None:
            self._work.thread.join()


class _Work(Generic[Found]):
    def __init__(self, think: Callable[[Callable[[], None]], Found], before: _Work | None) -> None:
        self._think, self._before = think, before
        self._found: Found | None = None
        self._error: BaseException | None = None
        self._broken = False
        self.left = threading.Event()  # nobody waits for it any more
        self.thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        self.thread.start()

    def break_off(self) -> None:
        self._broken = True
        self.left.set()

    def result(self) -> Found | None:
        if self._broken or isinstance(self._error, KeyboardInterrupt):
            return None
        if self._error is not None:
            raise self._error
        return self._found

    def _run(self) -> None:
        try:
            if self._before is not None:
                self._before.thread.join()
            self._before = None
            self._beat()
            self._found = self._think(self._beat)
        except BaseException as error:
            self._error = error
        finally:
            self.left.set()

    def _beat(self) -> None:
        if self._broken:
            raise Stopped
