"""Boards as bits: a set of cells in a few uint32 words, each word a scalar of its own.

A `Bits` is a JAX pytree, so a batch of boards is a tuple of `[B]` arrays and XLA vectorises over the batch.
The same operators work on NumPy scalars, for making tables and reading text on the host.

    cell numbers   31 ... 1 0 | 63 ... 33 32 | ...
    words            words[0] |     words[1] | ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt32

WORD = 32
ZERO = np.uint32(0)
ONE = np.uint32(1)


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False)
class Bits:
    """A set of cell numbers. All operators are those of sets; `<<` and `>>` move every cell by a fixed number."""

    words: tuple[Any, ...]  # uint32: JAX arrays on the device, NumPy scalars on the host

    @staticmethod
    def of(cells: Iterable[int], num_words: int) -> Bits:
        """The constant set of these cells."""
        words = [0] * num_words
        for cell in cells:
            words[cell // WORD] |= 1 << (cell % WORD)
        return Bits(tuple(np.uint32(word) for word in words))

    @staticmethod
    def single(cell: Int[Array, ""], num_words: int) -> Bits:
        """The set of one cell, known only at run time; a cell outside the words gives the empty set."""
        bit = ONE << (cell & 31).astype(jnp.uint32)
        return Bits(tuple(jnp.where((cell >> 5) == w, bit, ZERO) for w in range(num_words)))

    def __and__(self, other: Bits) -> Bits:
        return Bits(tuple(a & b for a, b in zip(self.words, other.words, strict=True)))

    def __or__(self, other: Bits) -> Bits:
        return Bits(tuple(a | b for a, b in zip(self.words, other.words, strict=True)))

    def __invert__(self) -> Bits:
        """Everything else, padding included: intersect with the board."""
        return Bits(tuple(~word for word in self.words))

    def __sub__(self, other: Bits) -> Bits:
        return Bits(tuple(a & ~b for a, b in zip(self.words, other.words, strict=True)))

    def __lshift__(self, distance: int) -> Bits:
        """Cell c becomes c + distance; cells beyond the words are dropped."""
        if distance < 0:
            return self >> -distance
        whole, part = divmod(distance, WORD)
        words = []
        for w in range(len(self.words)):
            word = self.words[w - whole] << part if w >= whole else ZERO
            if part and w > whole:
                word = word | (self.words[w - whole - 1] >> (WORD - part))
            words.append(word)
        return Bits(tuple(words))

    def __rshift__(self, distance: int) -> Bits:
        """Cell c becomes c - distance; cells below 0 are dropped."""
        if distance < 0:
            return self << -distance
        whole, part = divmod(distance, WORD)
        size = len(self.words)
        words = []
        for w in range(size):
            word = self.words[w + whole] >> part if w + whole < size else ZERO
            if part and w + whole + 1 < size:
                word = word | (self.words[w + whole + 1] << (WORD - part))
            words.append(word)
        return Bits(tuple(words))

    def any(self) -> Bool[Array, ""]:
        word = self.words[0]
        for other in self.words[1:]:
            word = word | other
        return word != 0

    def count(self) -> Int[Array, ""]:
        total = _ones(self.words[0])
        for word in self.words[1:]:
            total = total + _ones(word)
        return total

    def has(self, cell: Int[Array, ""]) -> Bool[Array, ""]:
        """Whether a cell known only at run time is in the set; a cell outside the words is not."""
        return (self & Bits.single(cell, len(self.words))).any()

    def nth(self, n: Int[Array, ""]) -> Int[Array, ""]:
        """The n-th smallest cell of the set (n from 0), by population counts."""
        word, base = self.words[0], jnp.int32(0)
        for w, other in enumerate(self.words[1:], start=1):
            below = _ones(word)
            later = n >= below  # False from the word with the n-th cell on
            n = jnp.where(later, n - below, n)
            word, base = jnp.where(later, other, word), jnp.where(later, jnp.int32(w * WORD), base)
        return base + _nth_in_word(word, n)

    def rank(self, cell: Int[Array, ""]) -> Int[Array, ""]:
        """The number of cells of the set that are smaller than this one: the inverse of `nth`."""
        bit = ONE << (cell & 31).astype(jnp.uint32)
        total = jnp.int32(0)
        for w, word in enumerate(self.words):
            below = jnp.where((cell >> 5) > w, ~ZERO, jnp.where((cell >> 5) == w, bit - ONE, ZERO))
            total = total + _ones(word & below)
        return total

    def plane(self, cells: Int[np.ndarray, "N"]) -> Bool[Array, "N"]:
        """One flag for each of these cells."""
        words = jnp.stack([jnp.asarray(word) for word in self.words])
        return ((words[cells // WORD] >> (cells % WORD).astype(np.uint32)) & ONE) != 0

    def to_int(self) -> int:
        """On the host: the set as one integer."""
        return sum(int(word) << (WORD * w) for w, word in enumerate(self.words))

    def cells(self) -> list[int]:
        """On the host: the cells, smallest first."""
        number = self.to_int()
        return [cell for cell in range(number.bit_length()) if number >> cell & 1]


def where(condition: Bool[Array, ""], yes: Bits, no: Bits) -> Bits:
    """One set or the other, decided at run time."""
    return Bits(tuple(jnp.where(condition, a, b) for a, b in zip(yes.words, no.words, strict=True)))


def nth_set(sets: Sequence[Bits], n: Int[Array, ""]) -> tuple[Int[Array, ""], Bits, Int[Array, ""]]:
    """Find the n-th cell of several sets, counted through one set after another: the set's number, the set, and the
    cell's place in it.
    """
    found, which = sets[0], jnp.int32(0)
    for k, candidate in enumerate(sets[1:], start=1):
        count = found.count()
        later = n >= count  # False from the set with the n-th cell on
        n = jnp.where(later, n - count, n)
        found, which = where(later, candidate, found), jnp.where(later, jnp.int32(k), which)
    return which, found, n


def from_plane(plane: Bool[Array, "N"], cells: Int[np.ndarray, "N"], num_words: int) -> Bits:
    """The inverse of `Bits.plane`."""
    words = []
    for w in range(num_words):
        inside = np.flatnonzero(cells // WORD == w)
        values = np.uint32(1) << (cells[inside] % WORD).astype(np.uint32)
        words.append(jnp.where(plane[inside], values, ZERO).sum(dtype=jnp.uint32))
    return Bits(tuple(words))


def _ones(word: UInt32[Array, ""]) -> Int[Array, ""]:
    return jax.lax.population_count(jnp.asarray(word)).astype(jnp.int32)


def _nth_in_word(word: UInt32[Array, ""], n: Int[Array, ""]) -> Int[Array, ""]:
    """The n-th bit that is set, by binary search over halves of the word."""
    position = jnp.int32(0)
    for half in (16, 8, 4, 2, 1):
        low = _ones(word & np.uint32((1 << half) - 1))
        up = n >= low
        n = jnp.where(up, n - low, n)
        word = jnp.where(up, word >> half, word)
        position = position + jnp.where(up, jnp.int32(half), jnp.int32(0))
    return position
