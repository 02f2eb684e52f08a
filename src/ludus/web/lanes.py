"""Workers with deadlines: so many threads a lane, so many who may wait, and nobody thinks for someone who has left.

There is a lane for what is quick (is this move legal?), one for networks, one for searches and one for the truth: a
slow search keeps nobody's move waiting. What runs in a lane calls its `beat` now and then, which raises once the
deadline has passed or the browser has gone. Compiled code lets go of Python's lock, so all lanes advance side by side.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request

T = TypeVar("T")


class Busy(Exception):
    """Too many wait already."""


class TooLate(Exception):
    """The deadline has passed."""


class Gone(Exception):
    """Whoever asked has left."""


class Task:
    """One request's work, seen from its worker."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._until, self._left = seconds, time.monotonic() + seconds, threading.Event()

    def beat(self) -> None:
        if self._left.is_set():
            raise Gone
        if time.monotonic() > self._until:
            raise TooLate

    def rest(self) -> float:
        """Seconds left."""
        self.beat()
        return max(0.0, self._until - time.monotonic())

    def leave(self) -> None:
        self._left.set()


class Lane:
    """So many at work, and so many waiting."""

    def __init__(self, name: str, workers: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=f"ludus-{name}")
        self._most, self._here = workers + waiting, 0

    async def run(self, request: Request, seconds: float, work: Callable[[Task], T]) -> T:
        """What the work gives, if it is done in time and somebody still wants it."""
        if self._here >= self._most:
            raise Busy
        task = Task(seconds)

        def begin() -> T:
            task.beat()  # it may have waited too long for a worker
            return work(task)

        self._here += 1
        done = asyncio.get_running_loop().run_in_executor(self._pool, begin)
        done.add_done_callback(self._over)
        leaving = asyncio.ensure_future(_left(request))
        try:
            # A little longer than the deadline, so that the work itself can say what it has.
            await asyncio.wait({done, leaving}, timeout=seconds + 1.0, return_when=asyncio.FIRST_COMPLETED)
            if done.done():
                return done.result()
            raise Gone if leaving.done() else TooLate
        finally:
            task.leave()
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await leaving

    def _over(self, done: asyncio.Future[Any]) -> None:
        self._here -= 1
        if not done.cancelled():
            done.exception()  # seen, so that nobody complains that it was not

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


async def _left(request: Request) -> None:
    """Until the browser has hung up."""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            return
