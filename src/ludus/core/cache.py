"""What is kept between calls: compiled programs, in the user's cache folder. Never needed, never an error.

`LUDUS_CACHE` names another folder, or `off`. Programs depend on what compiled them and on the processor they were
compiled for, so each such combination has a folder of its own, and one made by other versions is simply not looked at.
What lies there is run, so a folder that is another user's, or that anybody may write to, is as good as none.
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

LARGEST = 1 << 30  # bytes; what was used longest ago goes first
SELDOM, LOOKED = 86400.0, ".looked"  # seconds between two looks whether it has grown too large; whose time says when


def folder() -> Path | None:
    """The cache folder of this user, or None where nothing shall be kept."""
    named = os.environ.get("LUDUS_CACHE")
    if named is not None:
        return None if named in ("", "off") else Path(named)
    try:
        home = Path.home()
    except RuntimeError:  # nobody's process
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ludus"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local")) / "ludus"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "ludus"


def place(kind: str, *made_by: str) -> Path | None:
    """The folder for one kind of programs, compiled by these versions for this processor; made, if it can be."""
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
    """Whether nobody else has made it or may write there, as far as this system tells."""
    if not hasattr(os, "getuid"):
        return True
    try:
        at = path.stat()
    except OSError:
        return False
    return at.st_uid == os.getuid() and not at.st_mode & stat.S_IWOTH


def _processor() -> str:
    """What it can do, where that can be read: code for another may not run here."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line for line in lines if line.startswith(("flags", "Features"))), "")


def keep_jax_programs() -> None:
    """Let JAX, which must not have been imported yet, keep what it compiles; a setting of the user's own goes first."""
    if "JAX_COMPILATION_CACHE_DIR" in os.environ or "jax" in sys.modules:
        return
    path = place("jax")
    if path is not None:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(path)
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
        os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "0")
        # A damaged or full cache is nobody's business: JAX compiles anew, and need not say so.
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
    """How many programs are kept, and how many bytes they take."""
    sizes = [path.stat().st_size for path in files() if path.exists()]
    return len(sizes), sum(sizes)


def prune_seldom() -> None:
    """Prune, if nobody has for a day."""
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
    """Let go of what was used longest ago, until the rest is small enough."""
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
    """Let go of everything; nothing else may lie in there, so only what we put there is removed."""
    base = folder()
    for kind in ("jax", "numba"):
        if base is not None and _is_ours(base):
            shutil.rmtree(base / kind, ignore_errors=True)
