"""Workers: deadlines, cancelling, bounds, and nobody in another's way."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from helpers.web import Asking

from ludus.web.app import TRUTH
from ludus.web.server import Server
from ludus.web.workers import Busy, Gone, Task, TooLate, WorkerPool


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
        return await WorkerPool("test", 1, 0).run(Browser(), 60, lambda task: 6 * 7)  # pyright: ignore[reportArgumentType]

    assert run(case()) == 42


def test_what_fails_is_raised() -> None:
    async def case() -> Any:
        def fail(task: Task) -> None:
            raise KeyError("here")

        await WorkerPool("test", 1, 0).run(Browser(), 5, fail)  # pyright: ignore[reportArgumentType]

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
        await WorkerPool("test", 1, 0).run(Browser(), 0.1, endless(ended))  # pyright: ignore[reportArgumentType]

    with pytest.raises(TooLate):
        run(case())
    assert ended.wait(60)


def test_who_leaves_is_not_thought_for() -> None:
    ended = threading.Event()

    async def case() -> None:
        browser = Browser()
        asyncio.get_running_loop().call_later(0.1, browser.gone.set)
        await WorkerPool("test", 1, 0).run(browser, 600, endless(ended))  # pyright: ignore[reportArgumentType]

    with pytest.raises(Gone):
        run(case())
    assert ended.wait(60)


def test_who_left_while_waiting_is_never_begun() -> None:
    begun, ended = [], threading.Event()

    async def case() -> None:
        pool, first, second = WorkerPool("test", 1, 5), Browser(), Browser()
        running = asyncio.ensure_future(pool.run(first, 60, endless(ended)))  # pyright: ignore[reportArgumentType]
        waiting = asyncio.ensure_future(pool.run(second, 60, lambda task: begun.append(1)))  # pyright: ignore[reportArgumentType]
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


def test_a_pool_is_bounded() -> None:
    async def case() -> None:
        pool, browsers = WorkerPool("test", 1, 1), [Browser() for _ in range(3)]
        ended = threading.Event()
        tasks = [asyncio.ensure_future(pool.run(browser, 60, endless(ended))) for browser in browsers[:2]]  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0.05)
        with pytest.raises(Busy):
            await pool.run(browsers[2], 60, endless(ended))  # pyright: ignore[reportArgumentType]
        for browser in browsers:
            browser.gone.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.3)
        assert await pool.run(Browser(), 60, lambda task: 1) == 1  # pyright: ignore[reportArgumentType]

    run(case())


def test_one_pool_does_not_wait_for_another() -> None:
    async def case() -> bool:
        slow, quick, browser, ended = WorkerPool("slow", 1, 9), WorkerPool("quick", 1, 0), Browser(), threading.Event()
        tasks = [asyncio.ensure_future(slow.run(browser, 60, endless(ended))) for _ in range(5)]  # pyright: ignore[reportArgumentType]
        await asyncio.sleep(0.05)
        await quick.run(Browser(), 60, lambda task: None)  # pyright: ignore[reportArgumentType]
        waited = ended.is_set() or any(task.done() for task in tasks)
        browser.gone.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        return waited

    assert not run(case())


NETWORK, SEARCH = ("random", "hex/best-11", "run:mine"), ("hex/best-11@20s", "hex/best-11@128", "run:mine@2s")
POOLS = [
    *((agent, "network") for agent in NETWORK),
    *((agent, "search") for agent in (*SEARCH, "alphabeta:4", "alphabeta:9s:hex/best-11", "minimax:2", "htp:sh")),
    *((agent, "truth") for agent in ("perfect", "perfect:hardest")),
    *((agent, "quick") for agent in ("alphabeta:", "hex/best-11@soon", "htp:")),  # bad names, refused there
]


@pytest.mark.parametrize(("agent", "pool"), POOLS)
@pytest.mark.parametrize("route", ["move", "opinion"])
def test_an_agent_waits_in_the_pool_of_what_it_costs(
    ask: Asking, monkeypatch: pytest.MonkeyPatch, route: str, agent: str, pool: str
) -> None:
    """Whatever its name begins with: a search around a network is a search. Two agents compared are two opinions."""
    asked, server = [], server_of(ask)
    for name in server.pools:

        async def run(request: Any, seconds: float, work: Any, name: str = name) -> dict[str, Any]:
            asked.append(name)
            return {}

        monkeypatch.setattr(server.pools[name], "run", run)
    assert ask(route, game="hex", agent=agent) == {}
    assert asked == [pool]


def test_hints_and_refutations_wait_in_the_pool_of_the_truth(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, server = [], server_of(ask)

    async def run(request: Any, seconds: float, work: Any) -> dict[str, Any]:
        asked.append(seconds)
        return {}

    monkeypatch.setattr(server.pools["truth"], "run", run)
    assert ask("truth", game="hex") == ask("refutation", game="hex", agent="hex/best-11@20s") == {}
    assert asked == [TRUTH * server.patience, 2 * TRUTH * server.patience]


def test_a_search_under_way_keeps_no_network_waiting(ask: Asking) -> None:
    """All workers of searches are busy, and more wait: a network still answers."""
    server, free = server_of(ask), threading.Event()
    for _ in range(4):
        server.pools["search"]._threads.submit(free.wait, 60)
    try:
        assert ask("move", game="hex", options={"size": 3}, agent="random")["move"]
    finally:
        free.set()


def server_of(ask: Asking) -> Server:
    app: Any = ask.client.app
    return app._app.state.server
