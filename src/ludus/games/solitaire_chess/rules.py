"""Solitaire Chess: one player, every move a capture, until a single piece is left.

Pieces of one colour move as in chess; pawns capture upward and never promote; a king is never captured, so it is the
last piece wherever there is one. Under the rules `solo` (as played online today) a piece captures at most twice.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core import bits
from ludus.core.bits import Bits
from ludus.core.entry import Entry
from ludus.core.game import NotatedGame
from ludus.errors import BadInput, shorten
from ludus.games.solitaire_chess import ENTRY, notation
from ludus.games.solitaire_chess.geometry import PAWN_WAYS, WAYS, State, geometry


@dataclass(frozen=True)
class SolitaireChess(NotatedGame[State]):
    size: int = 4
    rules: str = "paper"
    pieces: int = 0  # in the puzzles that `init` and `sample` make; 0 is six, or half the squares of a small board

    entry: ClassVar[Entry] = ENTRY
    notation: ClassVar[Any] = notation

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pieces == 0:
            object.__setattr__(self, "pieces", min(6, self.size**2 // 2))
        if not 2 <= self.pieces <= self.size**2 // 2:
            raise BadInput(
                f"a {self.size} x {self.size} puzzle has 2 to {self.size**2 // 2} pieces, not {self.pieces}."
            )

    @property
    def num_actions(self) -> int:
        return len(WAYS) * self.size**2

    @property
    def max_plies(self) -> int:
        return self.size**2 - 1  # every move takes a piece

    @property
    def max_legal(self) -> int:
        return self.num_actions // 2  # no piece has more than eight ways to go

    def init(self) -> State:
        return first_puzzle(self)

    def sample(self, key: Key[Array, ""]) -> State:
        """A puzzle that can be solved."""
        from ludus.games.solitaire_chess.puzzles import make

        return make(self.size, self.pieces, self.rules == "solo", key)

    def player(self, state: State) -> Int[Array, ""]:
        return jnp.zeros_like(state.kings.words[0], jnp.int32)

    def captures(self, state: State) -> list[Bits]:
        """For each way to go, the squares of the pieces that capture by going that way."""
        occupied = state.occupied
        empty = geometry(self.size).board - occupied
        victims = occupied - state.kings
        found = []
        for way, offset in zip(WAYS, geometry(self.size).offsets, strict=True):
            beside = victims >> offset  # the squares that have a victim next to them on that way
            if way in WAYS[8:]:
                found.append(state.knights & beside)
                continue
            seen = beside
            for _ in range(self.size - 2):
                seen = beside | ((empty & seen) >> offset)
            sliders = state.queens | (state.rooks if 0 in way else state.bishops)
            steppers = state.kings | state.pawns if way in PAWN_WAYS else state.kings
            found.append((sliders & seen) | (steppers & beside))
        return [squares - state.twice for squares in found]

    def step(self, state: State, action: Int[Array, ""] | int) -> State:
        _, num_words, squares, _, offsets = geometry(self.size)
        start = jnp.asarray(squares, jnp.int32)[action % self.size**2]
        offset = jnp.asarray(offsets, jnp.int32)[action // self.size**2]
        occupied = state.occupied
        target = start + offset
        for _ in range(self.size - 2):
            target = jnp.where(occupied.has(target), target, target + offset)
        leaves, lands = Bits.single(start, num_words), Bits.single(target, num_words)

        def carry(pieces: Bits) -> Bits:
            """The captured piece is gone; the capturing one, if it is of these, stands in its place."""
            stays = pieces - leaves - lands
            return bits.where((pieces & leaves).any(), stays | lands, stays)

        pieces = (carry(kind) for kind in state.pieces)
        if self.rules == "paper":
            return State._make((*pieces, state.once, state.twice))
        first_capture = ~(state.once & leaves).any()
        once, twice = state.once - leaves - lands, state.twice - lands
        once = bits.where(first_capture, once | lands, once)
        return State._make((*pieces, once, bits.where(first_capture, twice, twice | lands)))

    def legal(self, state: State) -> Bool[Array, "A"]:
        return jnp.concatenate([squares.plane(geometry(self.size).squares) for squares in self.captures(state)])

    def num_legal(self, state: State) -> Int[Array, ""]:
        return sum((squares.count() for squares in self.captures(state)), jnp.int32(0))

    def nth_legal(self, state: State, n: Int[Array, ""]) -> Int[Array, ""]:
        way, squares, n = bits.nth_set(self.captures(state), n)
        bit = squares.nth(n)
        stride = geometry(self.size).stride
        return way * self.size**2 + bit // stride * self.size + bit % stride

    def done(self, state: State) -> Bool[Array, ""]:
        found = self.captures(state)
        return ~functools.reduce(Bits.__or__, found).any()

    def returns(self, state: State) -> Float[Array, "1"]:
        """One when a single piece is left."""
        return (state.occupied.count() == 1).astype(jnp.float32)[None]

    def observe(self, state: State) -> Float[Array, "n n 8"]:
        """Ranks, files; kings, queens, rooks, bishops, knights, pawns, captured once, captured twice."""
        planes = jnp.stack([kind.plane(geometry(self.size).squares) for kind in state], axis=-1)
        return planes.reshape(self.size, self.size, 8).astype(jnp.float32)

    def symmetries(self, state: State) -> tuple[State, Int[Array, "2 A"]]:
        """Itself and its mirror image: pawns know up from down, so no other is safe."""
        _, num_words, squares, _, _ = geometry(self.size)
        index = np.arange(self.size**2).reshape(self.size, self.size)
        images = np.stack([index.ravel(), index[:, ::-1].ravel()])
        ways = np.array([range(len(WAYS)), [WAYS.index((-file, rank)) for file, rank in WAYS]])
        actions = (ways[:, :, None] * self.size**2 + images[:, None, :]).reshape(2, -1)

        def image(where_from: Int[Array, "N"]) -> State:
            return State(*(bits.from_plane(kind.plane(squares)[where_from], squares, num_words) for kind in state))

        return jax.vmap(image)(jnp.asarray(images)), jnp.asarray(actions, jnp.int32)

    # --- text and pictures ----------------------------------------------------------------------------------

    def parse(self, text: str) -> State:
        pieces, captures = notation.read(text, self.size, self.rules == "solo")
        stride, num_words, *_ = geometry(self.size)

        def where(placed: dict[notation.Square, str] | dict[notation.Square, int], wanted: str | int) -> Bits:
            return Bits.of([rank * stride + file for (file, rank), what in placed.items() if what == wanted], num_words)

        kinds = [where(pieces, letter) for letter in notation.LETTERS]
        return State._make((*kinds, where(captures, 1), where(captures, 2)))

    def position(self, state: State) -> tuple[notation.Pieces, notation.Captures, int]:
        """The pieces and their captures by square, and the size of the board."""

        def squares(kind: Bits) -> list[notation.Square]:
            stride = geometry(self.size).stride
            return [(bit % stride, bit // stride) for bit in kind.cells()]

        pieces = {
            sq: letter for kind, letter in zip(state.pieces, notation.LETTERS, strict=True) for sq in squares(kind)
        }
        return pieces, {sq: k for k, kind in ((1, state.once), (2, state.twice)) for sq in squares(kind)}, self.size

    def format_move(self, state: State, action: int) -> str:
        way, square = divmod(int(action), self.size**2)
        (file, rank), (across, up) = (square % self.size, square // self.size), WAYS[way]
        pieces, reach = self.position(state)[0], 1 if WAYS[way] in WAYS[8:] else self.size - 1
        for target in ((file + k * across, rank + k * up) for k in range(1, reach + 1)):
            if target in pieces:
                return notation.name((file, rank)) + notation.name(target)
        raise BadInput(f"action {action} of {self.describe()} captures nothing in '{self.format(state)}'.")

    def parse_move(self, state: State, text: str) -> int:
        """The letter of the piece may come first, and is then the right one."""
        if why := notation.wrong_letter(self.position(state)[0], text.strip()):
            raise BadInput(f"{self.name} move '{shorten(text)}': {why}.")
        return super().parse_move(state, text)

    def tidy_move(self, text: str) -> str:
        return notation.tidy_move(text)


@functools.cache
def first_puzzle(game: SolitaireChess) -> State:
    """Puzzle number 0 of this size and these rules: the start, as a puzzle game has no other."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}  # it runs but once
    with jax.ensure_compile_time_eval():
        puzzle = jax.jit(game.sample, compiler_options=options)(jax.random.key(0))
    return jax.tree.map(np.asarray, puzzle)
