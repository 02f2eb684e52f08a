"""Random solvable puzzles in JAX, made backwards: a piece retreats from its square, and its victim appears there.

They may have several final pieces and squares, and have no level: see `levels` for those.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, Key, UInt32

from ludus.core.bits import Bits
from ludus.games.solitaire_chess.geometry import PAWN_WAYS, WAYS, State, geometry

KING, QUEEN, PAWN = 0, 1, 5
ALL = 2**32 - 1  # every bit of a word


# Here a position is one array, [8, W], a row of words for each set of a state: XLA compiles many small arrays slowly.
Rows = UInt32[Array, "8 W"]


def make(size: int, pieces: int, solo: bool, key: Key[Array, ""]) -> State:
    """A puzzle of so many pieces, or fewer where no piece had room to retreat; `solo` are the rules of that name."""
    key_square, key_kind, key_back = jax.random.split(key, 3)
    num_words = geometry(size).num_words
    square = jnp.asarray(geometry(size).squares)[jax.random.randint(key_square, (), 0, size**2)]
    kind = jax.random.randint(key_kind, (), KING, PAWN + 1)
    # Played backwards, `once` and `twice` say how often a piece captures later on.
    rows = jnp.zeros((8, num_words), jnp.uint32).at[kind].set(single(square, num_words))

    def back(rows: Rows, key: Key[Array, ""]) -> tuple[Rows, None]:
        return take_back(size, solo, rows, key), None

    rows, _ = jax.lax.scan(back, rows, jax.random.split(key_back, pieces - 1))
    return to_state(rows.at[PAWN + 1 :].set(0))


def to_state(rows: Rows) -> State:
    return State._make(Bits(tuple(words)) for words in rows)


def single(cell: Int[Array, ""], num_words: int) -> UInt32[Array, "W"]:
    return jnp.stack(Bits.single(cell, num_words).words)


def retreats(size: int, state: State) -> list[Bits]:
    """For each way the squares of the pieces that could have come that way, every word an array over the distances."""
    board, offsets = geometry(size).board, geometry(size).offsets
    empty = board - state.occupied
    lines = list(zip(WAYS, offsets, strict=True))[:8]

    # A loop, since the same program written out takes XLA seconds to compile on a large board.
    def further(clear: tuple[Bits, ...], _: None) -> tuple[tuple[Bits, ...], tuple[Bits, ...]]:
        clear = tuple((empty & squares) << offset for squares, (_, offset) in zip(clear, lines, strict=True))
        return clear, clear

    everywhere = jax.tree.map(lambda word, like: jnp.full_like(like, word), board, empty)
    _, clear = jax.lax.scan(further, (everywhere,) * len(lines), length=size - 1)
    one_step = Bits((np.array([ALL] + [0] * (size - 2), np.uint32),) * len(board.words))
    found = []
    for (way, _), squares in zip(lines, clear, strict=True):
        sliders = state.queens | (state.rooks if 0 in way else state.bishops)
        steppers = state.kings | state.pawns if way in PAWN_WAYS else state.kings
        found.append((sliders | (steppers & one_step)) & squares)
    for offset in offsets[len(lines) :]:
        found.append(Bits(tuple(word[None] for word in (state.knights & (empty << offset)).words)))
    return [squares - state.twice for squares in found]


def take_back(size: int, solo: bool, rows: Rows, key: Key[Array, ""]) -> Rows:
    """One capture undone: all retreats are equally likely, and so are the kinds of the victim but for the king."""
    key_retreat, key_victim = jax.random.split(key)
    _, num_words, _, _, offsets = geometry(size)
    found = retreats(size, to_state(rows))
    distances = [range(1, len(squares.words[0]) + 1) for squares in found]
    steps = jnp.asarray([k * offset for ks, offset in zip(distances, offsets, strict=True) for k in ks])
    options = jnp.concatenate([jnp.stack(squares.words, axis=1) for squares in found])  # a row for each step
    ends = jnp.cumsum(jax.lax.population_count(options).sum(axis=1, dtype=jnp.int32))
    total = ends[-1]
    n = jax.random.randint(key_retreat, (), 0, jnp.maximum(total, 1))
    index = jnp.minimum((ends <= n).sum(dtype=jnp.int32), len(steps) - 1)
    squares = Bits(tuple(options[index]))
    lands = squares.nth(n - ends[index] + squares.count())
    leaves, at = single(lands - steps[index], num_words), single(lands, num_words)
    victim = jax.random.randint(key_victim, (), QUEEN, PAWN + 1)

    moves = ((rows & at[None]) != 0).any(axis=1)
    after = jnp.where(moves[:, None], (rows & ~at[None]) | leaves[None], rows)
    after = after.at[victim].set(after[victim] | at)
    if solo:
        once, twice = rows[-2], rows[-1]
        again = moves[-2]
        once = jnp.where(again, once & ~at, once | leaves)
        twice = jnp.where(again, twice | leaves, twice)
        after = after.at[-2:].set(jnp.stack([once, twice]))
    return jnp.where(total > 0, after, rows)
