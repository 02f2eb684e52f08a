"""One writer per run folder, or per file: a lock that vanishes with its process, however that ends."""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import time
from collections.abc import Iterator
from pathlib import Path

from ludus.errors import BadInput

try:
    import fcntl
except ImportError:  # not a system of that kind
    fcntl = None

NAME = ".lock"
PATIENCE = 0.5  # seconds: who only looks whether a folder is locked holds it for a moment


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """The folder is for this process alone to write to. Another that has it already is a `BadInput`."""
    with _held(folder / NAME, folder, _taken(folder)):
        yield


@contextlib.contextmanager
def held_file(path: Path) -> Iterator[None]:
    """The same of a file, which is made if it is not there; it is locked itself."""
    with _held(path, path, BadInput(f"another process is writing to '{path}': wait until it has ended, or stop it.")):
        yield


@contextlib.contextmanager
def held_beside(path: Path) -> Iterator[None]:
    """The same of a file that is written anew each time, so that it cannot be locked itself: what is locked lies beside
    it, and is taken away again.
    """
    at = path.with_name(f".{path.name}{NAME}")
    refusal = BadInput(f"another process is at work on '{path}': wait until it has ended, or name another file.")
    while True:
        with _held(at, path, refusal) as handle:
            if not _is_still(at, handle):  # whoever had it before has just taken it away
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    at.unlink()
            return


def _is_still(at: Path, handle: int) -> bool:
    """Whether what is open is what has the name."""
    try:
        return os.path.samestat(os.fstat(handle), at.stat())
    except OSError:
        return False


@contextlib.contextmanager
def _held(at: Path, what: Path, refusal: BadInput) -> Iterator[int]:
    handle = os.open(at, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _take(handle, what):
            raise refusal
        yield handle
    finally:
        os.close(handle)


def refuse_held(folder: Path) -> None:
    """Refuse early what `held` would: nothing is made in the folder."""
    if is_held(folder):
        raise _taken(folder)


def _taken(folder: Path) -> BadInput:
    return BadInput(f"another process is training in '{folder}': wait until it has ended, or stop it.")


def is_held(folder: Path) -> bool:
    """Whether a process is training there. Where there are no locks, nobody can tell."""
    try:
        handle = os.open(folder / NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def _take(handle: int, folder: Path) -> bool:
    give_up = time.monotonic() + PATIENCE
    while fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > give_up:
                return False
            time.sleep(PATIENCE / 10)
        except OSError:  # a file system that has none
            break
    _warn(folder)
    return True


@functools.cache
def _warn(folder: Path) -> None:
    """Once for each folder."""
    said = "files cannot be locked here, so nothing keeps a second process from writing to '%s' too"
    logging.getLogger("ludus").warning(said, folder)
