"""The cache of compiled programs, in the user's cache folder. Nothing depends on it, and it never causes an error.

`LUDUS_CACHE` names another folder, or `off`. Programs depend on the versions that compiled them and on the processor,
so every such combination has a folder of its own. Cached programs are executed, so a folder that belongs to another
user, or that others may write to, is not used.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import sys
import time
import warnings
from pathlib import Path

LARGEST = 1 << 30  # bytes; beyond it the least recently used programs are removed
SELDOM, LOOKED = 86400.0, ".looked"  # seconds between two checks of the size; the file whose time is the last check's


def folder() -> Path | None:
    """The cache folder of this user, or None if there is no cache."""
    named = os.environ.get("LUDUS_CACHE")
    if named is not None:
        return None if named in ("", "off") else Path(named)
    try:
        home = Path.home()
    except RuntimeError:  # a process without a user
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ludus"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "ludus"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "ludus"


def place(kind: str, *made_by: str) -> Path | None:
    """The folder for one kind of programs, by these versions and for this processor; it is created if possible."""
    base = folder()
    if base is None:
        return None
    mark = hashlib.sha256("\n".join((*made_by, sys.version, platform.machine(), _processor())).encode())
    path = base / kind / mark.hexdigest()[:16]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    ours = all(map(_is_ours, (base, path.parent, path)))
    return path if ours and os.access(path, os.R_OK | os.W_OK) else None


def _is_ours(path: Path) -> bool:
    """Whether it is this user's and nobody else may write to it, as far as the system tells."""
    if not hasattr(os, "getuid"):
        return True
    try:
        at = path.stat()
    except OSError:
        return False
    return at.st_uid == os.getuid() and not at.st_mode & stat.S_IWOTH


def _processor() -> str:
    """The processor's features, if known: code compiled for another may not run here."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def keep_jax_programs() -> None:
    """Have JAX cache what it compiles. JAX must not be imported yet; the user's own setting comes first."""
    if "JAX_COMPILATION_CACHE_DIR" in os.environ or "jax" in sys.modules:
        return
    path = place("jax")
    if path is not None:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(path)
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "0")
        # JAX compiles again where the cache is damaged or full; its warning would help nobody.
        warnings.filterwarnings("ignore", message=".*persistent compilation cache.*")
        prune_seldom()


def files() -> list[Path]:
    base = folder()
    try:
        found = base.rglob("*") if base and _is_ours(base) else ()
        return [path for path in found if path.is_file() and path.name != LOOKED]
    except OSError:
        return []


def size() -> tuple[int, int]:
    """The number of cached programs, and their bytes."""
    sizes = [path.stat().st_size for path in files() if path.exists()]
    return len(sizes), sum(sizes)


def prune_seldom() -> None:
    """Prune, at most once a day."""
    base = folder()
    try:
        if base is None or not _is_ours(base):
            return
        mark = base / LOOKED
        if not mark.exists() or not 0 <= time.time() - mark.stat().st_mtime < SELDOM:
            mark.touch()
            prune()
    except OSError:
        return


def prune(largest: int = LARGEST) -> None:
    """Remove the least recently used programs until the rest is small enough."""
    try:
        known = sorted((at.st_atime, at.st_size, path) for path in files() for at in [path.stat()])
        total = sum(size for _, size, _ in known)
        for _, taken, path in known:
            if total <= largest:
                break
            path.unlink(missing_ok=True)
            total -= taken
    except OSError:
        return


def clear() -> None:
    """Remove everything that Ludus put there, and nothing else."""
    base = folder()
    for kind in ("jax", "numba"):
        if base is not None and _is_ours(base):
            shutil.rmtree(base / kind, ignore_errors=True)
