"""Solitaire Chess puzzles that can be solved, made by playing backwards: a piece retreats from where it stands, and a
new piece appears there to have been its victim. Uniqueness and levels are not this file's business.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Key

from ludus import bits
from ludus.bits import Bits
from ludus.games.solitaire_chess import PAWN_WAYS, WAYS, SolitaireChess, State, geometry

KING, QUEEN, PAWN = 0, 1, 5


def make(game: SolitaireChess, key: Key[Array, ""]) -> State:
    """A puzzle of `game.pieces` pieces, or fewer where no piece had room to retreat."""
    key_square, key_kind, key_back = jax.random.split(key, 3)
    num_words = geometry(game.size).num_words
    square = jnp.asarray(geometry(game.size).squares)[jax.random.randint(key_square, (), 0, game.size**2)]
    kind = jax.random.randint(key_kind, (), KING, PAWN + 1)
    alone = Bits.single(square, num_words)
    nothing = Bits.of((), num_words)
    kinds = [bits.where(kind == k, alone, nothing) for k in range(6)]
    # Played backwards, `once` and `twice` say how often a piece captures later on.
    state: State = jax.tree.map(jnp.asarray, State._make((*kinds, nothing, nothing)))

    def back(state: State, key: Key[Array, ""]) -> tuple[State, None]:
        return take_back(game, state, key), None

    state, _ = jax.lax.scan(back, state, jax.random.split(key_back, game.pieces - 1))
    return state._replace(once=nothing, twice=nothing)


def retreats(game: SolitaireChess, state: State) -> list[list[Bits]]:
    """For each way and each distance, the squares of the pieces that could have come that way from that far."""
    board = geometry(game.size).board
    empty = board - state.occupied
    found = []
    for way, offset in zip(WAYS, geometry(game.size).offsets, strict=True):
        if way in WAYS[8:]:
            found.append([state.knights & (empty << offset)])
            continue
        sliders = state.queens | (state.rooks if 0 in way else state.bishops)
        steppers = state.kings | state.pawns if way in PAWN_WAYS else state.kings
        clear = empty << offset
        by_distance = [(sliders | steppers) & clear]
        for _ in range(game.size - 2):
            clear = (empty & clear) << offset
            by_distance.append(sliders & clear)
        found.append(by_distance)
    return [[squares - state.twice for squares in way] for way in found]


def take_back(game: SolitaireChess, state: State, key: Key[Array, ""]) -> State:
    """One capture undone: all retreats are equally likely, and so are the kinds of the victim but for the king."""
    key_retreat, key_victim = jax.random.split(key)
    _, num_words, _, _, offsets = geometry(game.size)
    found = retreats(game, state)
    steps = jnp.asarray(
        [(k + 1) * offset for ways, offset in zip(found, offsets, strict=True) for k in range(len(ways))]
    )
    flat = [squares for ways in found for squares in ways]
    total = sum((squares.count() for squares in flat), jnp.int32(0))
    n = jax.random.randint(key_retreat, (), 0, jnp.maximum(total, 1))
    index, squares, n = bits.nth_set(flat, n)
    lands = squares.nth(n)
    leaves, at = Bits.single(lands - steps[index], num_words), Bits.single(lands, num_words)
    victim = jax.random.randint(key_victim, (), QUEEN, PAWN + 1)

    def undo(kind: Bits, is_victim: Bool[Array, ""]) -> Bits:
        moved = bits.where((kind & at).any(), (kind - at) | leaves, kind)
        return bits.where(is_victim, moved | at, moved)

    kinds = [undo(kind, victim == k) for k, kind in enumerate(state.pieces)]
    captured_once = (state.once & at).any()
    once, twice = state.once, state.twice
    if game.rules == "solo":
        once = bits.where(captured_once, state.once - at, state.once | leaves)
        twice = bits.where(captured_once, state.twice | leaves, state.twice)
    after = State._make((*kinds, once, twice))
    return jax.tree.map(lambda new, old: jnp.where(total > 0, new, old), after, state)
