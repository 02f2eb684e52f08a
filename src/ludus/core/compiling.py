"""Progress of compilation for listeners: compiling may take seconds, once on each machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

Listener = Callable[[str], object]
OVER = ""  # told when it is done
#: The event of JAX when it has compiled a program that was not in the cache.
MISSED = "/jax/compilation_cache/cache_misses"
_listeners: list[Listener] = []
_spent = [0.0]  # seconds spent compiling functions of searches


def clock() -> float:
    """`time.perf_counter`, but stopped while functions of searches are compiled: a search's time limit and its reported
    time do not include compiling.
    """
    return time.perf_counter() - _spent[0]


@contextlib.contextmanager
def stopping_the_clock() -> Iterator[None]:
    began = clock()
    try:
        yield
    finally:
        _spent[0] += clock() - began  # nested stops are already counted


@contextlib.contextmanager
def told(listener: Listener) -> Iterator[None]:
    """Within it, the listener is told what is being compiled, on any thread; `OVER` when it is done."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(what: str) -> None:
    for listener in tuple(_listeners):
        listener(what)


class Programs:
    """Counts the programs that JAX compiles, and tells the count; how many will follow is unknown."""

    made: int

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, event: str, **_: object) -> None:
        if event == MISSED:
            self.made += 1
            tell(f"{self.made} program{'' if self.made == 1 else 's'} so far")
            tell(OVER)
