"""What long work has reached when it ends before its time."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ludus.cli.interrupt import leaving_at_once


@contextlib.contextmanager
def keeping(say: Callable[[bool], Any]) -> Iterator[None]:
    """In here, what Ctrl-C or an error ends says first what it has so far: `say` is told whether it has failed."""
    first = threading.Lock()  # never given back: nothing is said twice

    def once(failed: bool = False) -> None:
        if first.acquire(blocking=False):
            say(failed)

    with leaving_at_once(once):
        try:
            yield
        except BaseException as error:
            once(not isinstance(error, KeyboardInterrupt))
            raise
