"""Who is told that something is being compiled, and how far that has come: it may take seconds, once on a machine."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

Listener = Callable[[str], object]
OVER = ""  # what is told when it is done
#: What JAX says when it has compiled a program that was not kept.
MISSED = "/jax/compilation_cache/cache_misses"
_listeners: list[Listener] = []
_spent = [0.0]  # seconds that compiling took for search


def clock() -> float:
    """`time.perf_counter`, but that it stands still while functions for search are compiled: what a search says of its
    time, and what it is given, are of the search alone.
    """
    return time.perf_counter() - _spent[0]


@contextlib.contextmanager
def stopping_the_clock() -> Iterator[None]:
    began = clock()
    try:
        yield
    finally:
        _spent[0] += clock() - began  # what stopped it in here has been counted


@contextlib.contextmanager
def told(listener: Listener) -> Iterator[None]:
    """In here the listener is told what is compiled, on whatever thread that is; `OVER` when it is done."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(what: str) -> None:
    for listener in tuple(_listeners):
        listener(what)


class Programs:
    """JAX's programs: it tells of each when it is there, and nobody knows how many there will be."""

    made: int

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, event: str, **_: object) -> None:
        if event == MISSED:
            self.made += 1
            tell(f"{self.made} program{'' if self.made == 1 else 's'} so far")
            tell(OVER)
