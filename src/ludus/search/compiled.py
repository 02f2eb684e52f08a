"""Compiled functions for search, kept between calls.

Numba can keep what it compiles, with four faults that this file works around. A function that calls itself is kept
with a pointer to itself that is never filled in when it is loaded again, and calling it ends the process: so functions
that are kept must not recurse, nor call one that does (`jit` with `keep=False` is for those). A kept function does not
notice that one it calls has changed: so all of the package's sources have a say in where it is kept. And a damaged file
is taken at its word: here every file carries the hash of its contents, and one that is damaged is compiled anew. Last,
a function that is made inside another, of functions given, is not known again in another process: here it is known by
their names, if all are of this package, whose sources have their say.
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
    """Compile for any number of threads.

    Without Numba's runtime (`_nrt`) arrays cannot be made, and those passed on need not be counted, which took up to
    four fifths of the time. Where shapes are checked, as in the tests, functions come wrapped in the checks: Numba
    wants the bare one.
    """
    bare = inspect.unwrap(function)
    compiled: Any = _function(bare) if keep else njit(**OPTIONS)(bare)
    where, made_of = _folder() if keep else None, _made_of(bare)
    if where is not None and made_of is not None:
        try:
            compiled._cache = _Kept(bare, where, made_of)
        except Exception:  # Numba's insides are not promised to stay; without them it is compiled each time
            return cast(F, compiled)
    return cast(F, compiled)


def _function(bare: Callable) -> Any:
    try:
        return Function(bare, targetoptions={"nopython": True, "boundscheck": None, **OPTIONS})
    except Exception:  # Numba's insides are not promised to stay
        return njit(**OPTIONS)(bare)


def _made_of(function: Callable) -> str | None:
    """What a function holds of what is around it, in words that are the same in every process; None without such."""
    try:
        held = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # something that is defined after it
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


@functools.cache
def _folder() -> Path | None:
    """Where functions of just these sources are kept."""
    root = Path(cache.__file__).parents[1]
    try:
        states = [(path, path.stat()) for path in sorted(root.rglob("*.py"))]
    except OSError:
        return None
    sources = "\n".join(f"{path.relative_to(root)} {at.st_size} {at.st_mtime_ns}" for path, at in states)
    return cache.place("numba", numba.__version__, sources)


class _Here:
    """Where Numba is told to keep a function."""

    def __init__(self, function: Callable, folder: Path) -> None:
        self._folder, self._py_file = str(folder), inspect.getfile(function)
        at = Path(self._py_file).stat()
        self._stamp = at.st_mtime_ns, at.st_size
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        Path(self._folder).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> Any:
        return self._stamp

    def get_disambiguator(self) -> str:
        return f"{hashlib.sha256(self._py_file.encode()).hexdigest()[:8]}-{self._line}"


class _Implementation(caching.CompileResultCacheImpl):
    def __init__(self, function: Callable, folder: Path, made_of: str) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Here(function, folder)
        mark = "-" + hashlib.sha256(made_of.encode()).hexdigest()[:16] if made_of else ""
        self._filename_base = self.get_filename_base(function.__qualname__, "") + mark


class _SealedFiles(caching.IndexDataCacheFile):
    """Files that say whether they are whole; one that is not counts as not there."""

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
        except Exception:  # a full disk, a folder that has gone
            self.disable()
