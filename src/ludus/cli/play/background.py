"""Hints take long, so they run on a thread of their own: Ctrl-C abandons the hint and the game goes on at once, even
where the hint itself cannot be stopped, as in a compiler.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ludus import stopping
from ludus.stopping import Stopped

Found = TypeVar("Found")


class Background(stopping.Handler):
    """Runs one task at a time. An abandoned task ends at its next beat; the next task waits for that."""

    def __init__(self) -> None:
        super().__init__()
        self._task: _Task | None = None

    def handle(self, number: int) -> bool:
        """Ctrl-C is for the task; a signal that ends the process ends it."""
        if number != signal.SIGINT or self._task is None:
            return False
        self._task.abandon()
        return True

    def run(self, work: Callable[[Callable[[], None]], Found]) -> Found | None:
        """The result of `work(beat)`, or None if it was abandoned. The work calls the beat now and then."""
        before, self.times = self._task, 0
        if before is not None:
            before.abandon()
        self._task = task = _Task(work, before)
        with self:
            try:
                task.thread.start()
                task.left.wait()
            except KeyboardInterrupt:  # in a process that is not ours to end
                task.abandon()
        return task.result()

    def start(self, work: Callable[[Callable[[], None]], object]) -> None:
        """Begin work that nobody waits for. The next task ends it at its next beat; what it raises is not heard."""
        self._task = task = _Task(work, self._task)
        task.thread.start()

    @property
    def busy(self) -> bool:
        """Whether an abandoned task still runs."""
        return self._task is not None and self._task.thread.is_alive()

    def wait(self) -> None:
        """Until no task runs any more."""
        if self._task is not None:
            self._task.thread.join()


class _Task(Generic[Found]):
    def __init__(self, work: Callable[[Callable[[], None]], Found], before: _Task | None) -> None:
        self._work, self._before = work, before
        self._found: Found | None = None
        self._error: BaseException | None = None
        self._abandoned = False
        self.left = threading.Event()  # done or abandoned: nobody waits for it any more
        self.thread = threading.Thread(target=self._run, daemon=True)

    def abandon(self) -> None:
        self._abandoned = True
        self.left.set()

    def result(self) -> Found | None:
        if self._abandoned or isinstance(self._error, KeyboardInterrupt):
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
            self._found = self._work(self._beat)
        except BaseException as error:
            self._error = error
        finally:
            self.left.set()

    def _beat(self) -> None:
        if self._abandoned:
            raise Stopped
