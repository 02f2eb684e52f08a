"""One writer per run folder or file: a lock that the system releases when its process ends, however it ends."""

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
except ImportError:  # Windows
    fcntl = None

NAME = ".lock"
PATIENCE = 0.5  # seconds to wait: a process that only checks the lock holds it for a moment


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock a folder for writing. If another process has it, raise `BadInput`."""
    with _held(folder / NAME, folder, _taken(folder)):
        yield


@contextlib.contextmanager
def held_file(path: Path) -> Iterator[None]:
    """Lock a file itself; an absent file is made."""
    with _held(path, path, BadInput(f"another process is writing to '{path}': wait until it has ended, or stop it.")):
        yield


@contextlib.contextmanager
def held_beside(path: Path) -> Iterator[None]:
    """Lock a file that is replaced when it is written, by a lock file beside it, which is removed at the end."""
    at = path.with_name(f".{path.name}{NAME}")
    refusal = BadInput(f"another process is at work on '{path}': wait until it has ended, or name another file.")
    while True:
        with _held(at, path, refusal) as handle:
            if not _is_still(at, handle):  # its last holder has just removed it
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    at.unlink()
            return


def _is_still(at: Path, handle: int) -> bool:
    """Whether the open file is still the one of this name."""
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
    """Refuse early what `held` would refuse, without making anything in the folder."""
    if is_held(folder):
        raise _taken(folder)


def _taken(folder: Path) -> BadInput:
    return BadInput(f"another process is training in '{folder}': wait until it has ended, or stop it.")


def is_held(folder: Path) -> bool:
    """Whether a process is training there; False on systems without locks."""
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
        except OSError:  # a file system without locks
            break
    _warn(folder)
    return True


@functools.cache
def _warn(folder: Path) -> None:
    """Once for each folder."""
    text = "files cannot be locked here, so nothing keeps a second process from writing to '%s' too"
    logging.getLogger("ludus").warning(text, folder)
