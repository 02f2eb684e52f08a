"""Who is told that something is being compiled, and how far that has come: it may take seconds, once on a machine."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

Listener = Callable[[str], object]
OVER = ""  # what is told when it is done
#: What JAX says when it has compiled a program that was not kept.
MISSED = "/jax/compilation_cache/cache_misses"
_listeners: list[Listener] = []


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

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, event: str, **_: object) -> None:
        if event == MISSED:
            self.made += 1
            tell(f"{self.made} program{'' if self.made == 1 else 's'} so far")
            tell(OVER)
