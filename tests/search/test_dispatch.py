"""A function is compiled once, whoever calls it; how far that is gets told; and Numba's own way does as well."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import int64, njit

from ludus.core import compiling
from ludus.search import dispatch, words
from ludus.search.compiled import _function
from ludus.search.dispatch import Function, reached

NUMBERS = np.array([3, 4], np.int8)


def made() -> tuple[Any, Any, Any]:
    """Two functions for Python, and one that both call: with a byte, with a number of the source, with Numba's own."""

    def triple(value: int) -> int:
        return 3 * value

    triple = _function(triple)

    def first(numbers: np.ndarray) -> int:
        return triple(numbers[0]) + triple(5)

    def second(numbers: np.ndarray, value: int) -> int:
        return triple(numbers[1]) + triple(value)

    return _function(first), _function(second), triple


def test_what_others_call_is_compiled_once_and_never_by_itself() -> None:
    first, second, triple = made()
    assert (first(NUMBERS), second(NUMBERS, 7)) == (24, 33)
    assert list(triple._parts) == [(int64,)]
    assert not triple.overloads  # no machine code of its own
    assert triple(6) == triple(np.int8(6)) == triple(np.uint16(6)) == 18  # until somebody asks for it
    assert list(triple.overloads) == list(triple._parts) == [(int64,)]


def test_what_numba_compiles_its_own_way_has_all_that_it_calls() -> None:
    first, *_ = made()  # and what that calls

    def twice(numbers: np.ndarray) -> int:
        return first(numbers) + first(numbers)

    assert njit(nogil=True, _nrt=False)(twice)(NUMBERS) == 48  # pyright: ignore[reportCallIssue]


def test_words_without_a_sign_stay_what_they_are() -> None:
    (double,) = (_function(lambda word: word << np.uint64(1)),)
    assert double(np.uint64(1 << 62)) == 1 << 63


def test_all_that_is_compiled_for_search_is_compiled_so() -> None:
    """Else it is right all the same, but slow for everybody's first call, and nobody would know."""
    assert isinstance(words.ahead, Function)


def test_how_far_it_is_is_told() -> None:
    first, _, triple = made()
    assert reached(first) == {first, triple}
    told: list[str] = []
    with compiling.told(told.append):
        first(NUMBERS)
    place = dispatch._place(first.py_func)
    assert told == [f"{place}, 1 of 2", f"{place}, 2 of 2", f"{place}, machine code", compiling.OVER]
    with compiling.told(told.append):
        first(NUMBERS)
    assert len(told) == 4  # it is there


def test_a_place_in_words() -> None:
    def function() -> None: ...

    function.__module__ = "ludus.games.solitaire_chess.maker"
    assert dispatch._place(function) == "solitaire chess"
    function.__module__ = "ludus.games.hex.solver.dfpn"
    assert dispatch._place(function) == "hex solver"


def failing(*_: Any) -> Any:
    raise AttributeError("Numba has changed")


@pytest.mark.parametrize("insides", ["_part", "_whole"])
def test_where_numba_has_changed_its_own_way_is_taken(monkeypatch: pytest.MonkeyPatch, insides: str) -> None:
    monkeypatch.setattr(Function, insides, failing)
    first, second, triple = made()
    assert (first(NUMBERS), second(NUMBERS, 7), triple(6)) == (24, 33, 18)


def whether(seen: list[Any], ask: Callable[[], Any]) -> Callable[[str], None]:
    return lambda what: seen.append(ask())


def test_no_time_passes_for_a_search_and_the_collector_rests_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    now, seen = [100.0], []
    monkeypatch.setattr("ludus.core.compiling.time.perf_counter", lambda: now[0])
    began = compiling.clock()
    first, *_ = made()
    with compiling.told(lambda what: now.__setitem__(0, now[0] + 5)), compiling.told(whether(seen, gc.isenabled)):
        first(NUMBERS)
    assert now[0] == 120  # it took as long, and what is told last, that it is over, is part of it
    assert compiling.clock() == began
    now[0] += 3
    assert compiling.clock() == began + 3
    assert seen[:-1] == [False] * 3
    assert gc.isenabled()
