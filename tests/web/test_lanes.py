"""Workers: deadlines, cancelling, bounds, and nobody in another's way."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from ludus.web.lanes import Busy, Gone, Lane, Task, TooLate


class Browser:
    """A request whose browser may hang up."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}


def run(coroutine: Any) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 20))


def test_work_is_done() -> None:
    async def case() -> int:
        return await Lane("test", 1, 0).run(Browser(), 60, lambda task: 6 * 7)  # pyright: ignore[reportArgumentType]

    assert run(case()) == 42


def test_what_fails_is_raised() -> None:
    async def case() -> Any:
        def fail(task: Task) -> None:
            raise KeyError("here")

        await Lane("test", 1, 0).run(Browser(), 5, fail)  # pyright: ignore[reportArgumentType]

    with pytest.raises(KeyError):
        run(case())


def endless(ended: threading.Event) -> Any:
    def work(task: Task) -> None:
        try:
            while True:
                task.beat()
                time.sleep(0.01)
        finally:
            ended.set()

    return work


def test_a_deadline_ends_the_work_too() -> None:
    ended = threading.Event()

    async def case() -> None:
        await Lane("test", 1, 0).run(Browser(), 0.1, endless(ended))  # pyright: ignore[reportArgumentType]

    with pytest.raises(TooLate):
        run(case())
    assert ended.wait(60)


def test_who_leaves_is_not_thought_for() -> None:
    ended = threading.Event()

    async def case() -> None:
        browser = Browser()
        asyncio.get_running_loop().call_later(0.1, browser.gone.set)
        await Lane("test", 1, 0).run(browser, 600, endless(ended))  # pyright: ignore[reportArgumentType]

    with pytest.raises(Gone):
        run(case())
    assert ended.wait(60)


def test_who_left_while_waiting_is_never_begun() -> None:
    begun, ended = [], threading.Event()

    async def case() -> None:
        lane, first, second = Lane("test", 1, 5), Browser(), Browser()
        running = asyncio.ensure_future(lane.run(first, 60, endless(ended)))  # pyright: ignore[reportArgumentType]
        waiting = asyncio.ensure_future(lane.run(second, 60, lambda task: begun.append(1)))  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0.1)
        second.gone.set()
        with pytest.raises(Gone):
            await waiting
        first.gone.set()
        with pytest.raises(Gone):
            await running
        await asyncio.sleep(0.3)

    run(case())
    assert not begun


def test_a_lane_is_bounded() -> None:
    async def case() -> None:
        lane, browsers = Lane("test", 1, 1), [Browser() for _ in range(3)]
        ended = threading.Event()
        tasks = [asyncio.ensure_future(lane.run(browser, 60, endless(ended))) for browser in browsers[:2]]  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await lane.run(browsers[2], 60, endless(ended))  # pyright: ignore[reportArgumentType]
        for browser in browsers:
            browser.gone.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.3)
        assert await lane.run(Browser(), 60, lambda task: 1) == 1  # pyright: ignore[reportArgumentType]

    run(case())


def test_one_lane_does_not_wait_for_another() -> None:
    async def case() -> bool:
        slow, quick, browser, ended = Lane("slow", 1, 9), Lane("quick", 1, 0), Browser(), threading.Event()
        tasks = [asyncio.ensure_future(slow.run(browser, 60, endless(ended))) for _ in range(5)]  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0.05)
        await quick.run(Browser(), 60, lambda task: None)  # pyright: ignore[reportArgumentType]
        waited = ended.is_set() or any(task.done() for task in tasks)
        browser.gone.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return waited

    assert not run(case())
