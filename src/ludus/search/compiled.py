"""Compiled functions for search, cached on disk between processes.

Numba's disk cache has four faults, which this module works around:

- A recursive function is saved with a pointer to itself that is not restored by loading: calling it crashes the
  process. So cached functions must not recurse, nor call one that does (`jit` with `keep=False` is for those).
- A cached function is not recompiled when a function that it calls changes. So the cache folder depends on all sources
  of the package.
- A damaged file is loaded unchecked. So every file has a hash of its contents, and a damaged file is compiled again.
- A function made inside another function, from functions as arguments, is not found again in another process. So it is
  cached under the names of those functions, if all are from this package.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import njit
from numba.core import caching

from ludus.core import cache
from ludus.search.dispatch import Function

F = TypeVar("F", bound=Callable)
OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}
PACKAGE = __name__.partition(".")[0]
SEAL = hashlib.sha256().digest_size


def jit(function: F, keep: bool = True) -> F:
    """Compile a function with Numba, without the GIL; `keep` caches it on disk.

    Without Numba's runtime (`_nrt`) compiled code cannot allocate arrays and does not count references, which took up
    to 4/5 of the time. If shapes are checked, as in the tests, a function is wrapped in the check: Numba needs the bare
    one.
    """
    bare = inspect.unwrap(function)
    compiled: Any = _function(bare) if keep else njit(**OPTIONS)(bare)
    where, made_of = _folder() if keep else None, _made_of(bare)
    if where is not None and made_of is not None:
        try:
            compiled._cache = _Kept(bare, where, made_of)
        except Exception:  # Numba's internals may change; then there is no cache
            return cast(F, compiled)
    return cast(F, compiled)


def _function(bare: Callable) -> Any:
    try:
        return Function(bare, targetoptions={"nopython": True, "boundscheck": None, **OPTIONS})
    except Exception:  # Numba's internals may change
        return njit(**OPTIONS)(bare)


def _made_of(function: Callable) -> str | None:
    """A name for the values in a function's closure, the same in every process; None if one has no such name."""
    try:
        held = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # a variable that is not assigned yet
        return None
    names = [_name(value) for value in held]
    return None if None in names else ", ".join(map(str, names))


def _name(held: Any) -> str | None:
    if isinstance(held, int | float | str):
        return repr(held)
    bare = inspect.unwrap(getattr(held, "py_func", held))
    if not inspect.isfunction(bare) or bare.__module__.partition(".")[0] != PACKAGE:
        return None
    made_of, line = _made_of(bare), bare.__code__.co_firstlineno
    return None if made_of is None else f"{bare.__module__}.{bare.__qualname__}:{line}({made_of})"


ROOT = Path(cache.__file__).parents[1]  # of the package


@functools.cache
def _folder() -> Path | None:
    """The cache folder for exactly these sources, wherever they are: another checkout of the same finds it."""
    sources = hashlib.sha256()
    try:
        for path in sorted(ROOT.rglob("*.py")):
            sources.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    except OSError:
        return None
    return cache.place("numba", numba.__version__, sources.hexdigest())


class _Here:
    """Numba's cache locator for one function."""

    def __init__(self, function: Callable, folder: Path) -> None:
        path = Path(inspect.getfile(function))
        self._folder, self._file, self._line = str(folder), str(path), function.__code__.co_firstlineno
        self._stamp: Any = None
        if path.is_relative_to(ROOT):  # then the folder depends on its contents
            self._file = str(path.relative_to(ROOT))
        else:  # a game of another package
            at = path.stat()
            self._stamp = at.st_mtime_ns, at.st_size

    def ensure_cache_path(self) -> None:
        Path(self._folder).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> Any:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{hashlib.sha256(self._file.encode()).hexdigest()[:8]}-{self._line}"


class _Implementation(caching.CompileResultCacheImpl):
    def __init__(self, function: Callable, folder: Path, made_of: str) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Here(function, folder)
        mark = "-" + hashlib.sha256(made_of.encode()).hexdigest()[:16] if made_of else ""
        self._filename_base = self.get_filename_base(function.__qualname__, "") + mark


class _SealedFiles(caching.IndexDataCacheFile):
    """Cache files with a checksum; a damaged file counts as missing."""

    def _dump(self, obj: Any) -> bytes:
        data = super()._dump(obj)
        return hashlib.sha256(data).digest() + data

    def _opened(self, data: bytes) -> bytes:
        if hashlib.sha256(data[SEAL:]).digest() != data[:SEAL]:
            raise OSError("damaged")
        return data[SEAL:]

    def _load_index(self) -> dict[Any, Any]:
        try:
            version, _, data = Path(self._index_path).read_bytes().partition(b"\n")
            if version != self._version.encode():
                return {}
            stamp, overloads = pickle.loads(self._opened(data))
            return overloads if stamp == self._source_stamp else {}
        except Exception:
            return {}

    def _save_index(self, overloads: dict[Any, Any]) -> None:
        with self._open_for_write(self._index_path) as file:
            file.write(self._version.encode() + b"\n" + self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(self._opened(Path(self._data_path(name)).read_bytes()))


class _Kept(caching.FunctionCache):
    def __init__(self, function: Callable, folder: Path, made_of: str) -> None:
        self._name, self._py_func, self._made_of = repr(function), function, made_of
        self._impl = _Implementation(function, folder, made_of)
        self._cache_path = self._impl.locator.get_cache_path()
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFiles(self._cache_path, self._impl.filename_base, stamp)
        self.enable()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        code = hashlib.sha256(self._py_func.__code__.co_code).hexdigest()
        return sig, codegen.magic_tuple(), code, self._made_of

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full disk, a deleted folder
            self.disable()
