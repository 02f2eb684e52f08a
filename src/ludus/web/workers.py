"""Pools of workers with deadlines. Work ends when its deadline has passed or its browser has left.

There is one pool for quick answers (is this move legal?), one for networks, one for searches, one for exact solutions
and one for reviews of whole games, so that a slow search delays no other player's move. Work calls its task's `beat`
now and then, which raises when the work should end. Compiled code releases Python's lock, so all pools advance side by
side.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import Request

T = TypeVar("T")


class Busy(Exception):
    """Too many requests are waiting already."""


class TooLate(Exception):
    """The deadline has passed."""


class Gone(Exception):
    """The browser has left."""


class Task:
    """One request's work, seen from its worker."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self._deadline, self._cancelled = seconds, time.monotonic() + seconds, threading.Event()

    def beat(self) -> None:
        """Raise if the work should end."""
        if self._cancelled.is_set():
            raise Gone
        if time.monotonic() > self._deadline:
            raise TooLate

    def seconds_left(self) -> float:
        self.beat()
        return max(0.0, self._deadline - time.monotonic())

    def cancel(self) -> None:
        self._cancelled.set()


class WorkerPool:
    """A number of threads, and a bounded queue."""

    def __init__(self, name: str, workers: int, waiting: int) -> None:
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix=f"ludus-{name}")
        self._capacity, self._accepted = workers + waiting, 0

    async def run(self, request: Request, seconds: float, work: Callable[[Task], T]) -> T:
        """The result of the work, if it is done in time and the browser still waits for it."""
        if self._accepted >= self._capacity:
            raise Busy
        task = Task(seconds)

        def begin() -> T:
            task.beat()  # it may have waited too long for a worker
            return work(task)

        self._accepted += 1
        done = asyncio.get_running_loop().run_in_executor(self._threads, begin)
        done.add_done_callback(self._over)
        leaving = asyncio.ensure_future(_left(request))
        try:
            # A little longer than the deadline, so that the work itself can return what it has.
            await asyncio.wait({done, leaving}, timeout=seconds + 1.0, return_when=asyncio.FIRST_COMPLETED)
            if done.done():
                return done.result()
            raise Gone if leaving.done() else TooLate
        finally:
            task.cancel()
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await leaving

    async def stream(
        self, request: Request, seconds: float, work: Callable[[Task], Iterator[T]]
    ) -> AsyncGenerator[T, None]:
        """The results of the work one by one, as they come. What goes wrong is raised, before or between them."""
        if self._accepted >= self._capacity:
            raise Busy
        task, loop = Task(seconds), asyncio.get_running_loop()
        found: asyncio.Queue[T | None] = asyncio.Queue()

        def begin() -> None:
            try:
                task.beat()
                for each in work(task):
                    task.beat()
                    loop.call_soon_threadsafe(found.put_nowait, each)
            finally:
                with contextlib.suppress(RuntimeError):  # the page is closing, and its loop with it
                    loop.call_soon_threadsafe(found.put_nowait, None)

        self._accepted += 1
        done = loop.run_in_executor(self._threads, begin)
        done.add_done_callback(self._over)
        leaving = asyncio.ensure_future(_left(request))
        try:
            while True:
                waiting = asyncio.ensure_future(found.get())
                await asyncio.wait({waiting, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    waiting.cancel()
                    raise Gone
                each = waiting.result()
                if each is None:
                    await done  # which raises what the work did
                    return
                yield each
        finally:
            task.cancel()
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await leaving

    def _over(self, done: asyncio.Future[Any]) -> None:
        self._accepted -= 1
        if not done.cancelled():
            done.exception()  # mark it as retrieved: asyncio warns of exceptions that nobody asked for

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


async def _left(request: Request) -> None:
    """Returns when the browser hangs up."""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            return
