"""Bits against Python's own sets: on the host with NumPy words, on the device compiled, for several word counts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core import bits
from ludus.core.bits import WORD, Bits

WORD_COUNTS = (1, 2, 3, 5)
DISTANCES = (0, 1, 5, 31, 32, 33, 40, 64, 90, 200)
BEYOND = 40  # cells outside the words that `single` and `has` are asked about, on either side


def sets(num_words: int) -> st.SearchStrategy[set[int]]:
    cells = st.integers(0, WORD * num_words - 1)
    full = st.just(set(range(WORD * num_words)))
    return st.one_of(st.sets(cells), st.sets(cells, min_size=10 * num_words), full)


sized_sets = st.sampled_from(WORD_COUNTS).flatmap(lambda w: st.tuples(st.just(w), sets(w)))
sized_pairs = st.sampled_from(WORD_COUNTS).flatmap(lambda w: st.tuples(st.just(w), sets(w), sets(w)))


def on_device(cells: set[int], num_words: int) -> Bits:
    return jax.tree.map(jnp.asarray, Bits.of(cells, num_words))


def to_set(found: Bits) -> set[int]:
    return set(found.cells())


@functools.cache
def probe(num_words: int) -> Callable[[Bits], Any]:
    """All methods of one set, compiled once."""
    size = WORD * num_words
    cells = jnp.arange(size, dtype=jnp.int32)
    anywhere = jnp.arange(-BEYOND, size + BEYOND, dtype=jnp.int32)
    shuffled = np.random.default_rng(0).permutation(size)[: size // 2 + 1]

    def ask(one: Bits) -> dict[str, Any]:
        return {
            "any": one.any(),
            "count": one.count(),
            "nth": jax.vmap(one.nth)(cells),
            "rank": jax.vmap(one.rank)(cells),
            "has": jax.vmap(one.has)(anywhere),
            "plane": one.plane(shuffled),
            "from_plane": bits.from_plane(one.plane(shuffled), shuffled, num_words),
            "left": [one << distance for distance in DISTANCES],
            "right": [one >> distance for distance in DISTANCES],
            "shuffled": jnp.asarray(shuffled, jnp.int32),
        }

    return jax.jit(ask)


@given(sized_sets)
def test_a_set_is_read_back_as_it_was_made(sized: tuple[int, set[int]]) -> None:
    num_words, cells = sized
    made = Bits.of(cells, num_words)
    assert made.cells() == sorted(cells)
    assert made.to_int() == sum(1 << cell for cell in cells)
    assert [word.dtype for word in made.words] == [np.uint32] * num_words


@pytest.mark.slow
@given(sized_pairs)
def test_operators_are_those_of_sets(sized: tuple[int, set[int], set[int]]) -> None:
    num_words, a, b = sized
    one, two = Bits.of(a, num_words), Bits.of(b, num_words)
    assert to_set(one & two) == a & b
    assert to_set(one | two) == a | b
    assert to_set(one - two) == a - b
    assert to_set(~one) == set(range(WORD * num_words)) - a


@given(sized_sets, st.integers(-200, 200))
def test_shifts_move_every_cell_and_drop_what_leaves(sized: tuple[int, set[int]], distance: int) -> None:
    num_words, cells = sized
    moved = {cell + distance for cell in cells} & set(range(WORD * num_words))
    assert to_set(Bits.of(cells, num_words) << distance) == moved
    assert to_set(Bits.of(cells, num_words) >> -distance) == moved


@pytest.mark.slow
@given(sized_sets)
def test_the_device_answers_as_sets_do(sized: tuple[int, set[int]]) -> None:
    num_words, cells = sized
    size, order = WORD * num_words, sorted(cells)
    answer = jax.tree.map(np.asarray, probe(num_words)(on_device(cells, num_words)))
    assert bool(answer["any"]) == bool(cells)
    assert int(answer["count"]) == len(cells)
    assert answer["nth"][: len(cells)].tolist() == order
    assert answer["rank"].tolist() == [sum(other < cell for other in cells) for cell in range(size)]
    assert answer["has"].tolist() == [cell in cells for cell in range(-BEYOND, size + BEYOND)]
    assert answer["plane"].tolist() == [cell in cells for cell in answer["shuffled"]]
    assert to_set(answer["from_plane"]) == cells & set(answer["shuffled"].tolist())
    for distance, left, right in zip(DISTANCES, answer["left"], answer["right"], strict=True):
        assert to_set(left) == {cell + distance for cell in cells} & set(range(size))
        assert to_set(right) == {cell - distance for cell in cells} & set(range(size))


@pytest.mark.parametrize("num_words", WORD_COUNTS)
def test_a_single_cell_is_the_set_of_it_or_none_outside_the_words(num_words: int) -> None:
    size = WORD * num_words
    asked = range(-BEYOND, size + BEYOND)
    singles = jax.jit(jax.vmap(lambda cell: Bits.single(cell, num_words)))(jnp.arange(-BEYOND, size + BEYOND))
    words = [np.asarray(word) for word in singles.words]
    for i, cell in enumerate(asked):
        assert to_set(Bits(tuple(word[i] for word in words))) == ({cell} if 0 <= cell < size else set())


@pytest.mark.parametrize("num_words", WORD_COUNTS)
def test_where_takes_one_or_the_other(num_words: int) -> None:
    choose = jax.jit(bits.where)
    one, two = on_device({0, WORD * num_words - 1}, num_words), on_device({1}, num_words)
    assert to_set(choose(jnp.bool_(True), one, two)) == {0, WORD * num_words - 1}
    assert to_set(choose(jnp.bool_(False), one, two)) == {1}


@functools.cache
def nth_of_three(num_words: int) -> Callable[..., Any]:
    numbers = jnp.arange(3 * WORD * num_words, dtype=jnp.int32)

    def ask(one: Bits, two: Bits, three: Bits) -> Any:
        def look(n: jax.Array) -> Any:
            which, found, place = bits.nth_set([one, two, three], n)
            return which, found.nth(place)

        return jax.vmap(look)(numbers)

    return jax.jit(ask)


@pytest.mark.slow
@given(st.sampled_from((1, 2)).flatmap(lambda w: st.tuples(st.just(w), sets(w), sets(w), sets(w))))
def test_cells_are_counted_on_from_set_to_set(sized: tuple[int, set[int], set[int], set[int]]) -> None:
    num_words, *several = sized
    which, cells = nth_of_three(num_words)(*(on_device(one, num_words) for one in several))
    expected = [(k, cell) for k, one in enumerate(several) for cell in sorted(one)]
    assert list(zip(which.tolist(), cells.tolist(), strict=True))[: len(expected)] == expected
