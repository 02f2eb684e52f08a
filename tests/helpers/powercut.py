"""A disk that forgets: after a power cut a file has what it had when it was last forced to disk, and a folder the
entries that it had when it was.

The operations go to a real folder all the same; what would be left of it can be had after each of them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ACTS = ("replace", "unlink", "mkdir")


class Disk:
    """What is safe of a folder and all below it."""

    def __init__(self, root: Path, then: Callable[[], Any]) -> None:
        self._root, self._then = root, then
        self._contents: dict[int, bytes] = {}  # of files, by their number on the real disk
        self._entries: dict[int, dict[str, int]] = {}  # of folders
        self._pins: dict[int, int] = {}  # open, so that no number is given to another file
        self._force(root)

    def _pin(self, path: Path) -> int:
        number = path.lstat().st_ino
        if number not in self._pins:
            self._pins[number] = os.open(path, os.O_RDONLY)
        return number

    def _force(self, path: Path) -> None:
        number = self._pin(path)
        if path.is_dir():
            self._entries[number] = {at.name: self._pin(at) for at in path.iterdir()}
        else:
            self._contents[number] = path.read_bytes()

    def left(self, into: Path) -> None:
        """Put what a power cut would leave now into a new folder."""

        def put(number: int, at: Path) -> None:
            if stat.S_ISDIR(os.fstat(self._pins[number]).st_mode):
                at.mkdir()
                for name, entry in self._entries.get(number, {}).items():
                    put(entry, at / name)
            else:
                at.write_bytes(self._contents.get(number, b""))

        put(self._root.stat().st_ino, into)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """In here `then` is called after every operation that matters, and at the end of this."""

        def after(act: Callable) -> Callable:
            def call(*args: Any, **kwargs: Any) -> Any:
                done = act(*args, **kwargs)
                with patch.context() as real:  # what is done meanwhile is not ours
                    for name in ACTS:
                        real.setattr(os, name, originals[name])
                    real.setattr(os, "fsync", lambda handle: None)  # the real disk is slow, and keeps its power
                    self._then()
                return done

            return call

        def force(handle: int) -> None:
            self._force(Path(os.readlink(f"/proc/self/fd/{handle}")))

        originals = {name: getattr(os, name) for name in ACTS}
        with pytest.MonkeyPatch.context() as patch:
            for name in ACTS:
                patch.setattr(os, name, after(originals[name]))
            patch.setattr(os, "fsync", after(force))
            try:
                yield
            finally:
                patch.undo()
        self._then()

    def close(self) -> None:
        for handle in self._pins.values():
            os.close(handle)


@contextmanager
def disk(root: Path, then: Callable[[Disk], Any]) -> Iterator[Disk]:
    """A disk that begins as the folder is now; `then` is called after every operation in here."""
    made: list[Disk] = []
    made.append(Disk(root, lambda: then(made[0])))
    try:
        with made[0].watched():
            yield made[0]
    finally:
        made[0].close()
