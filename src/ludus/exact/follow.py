"""Following a player against every reply: a proof that it wins (or does not lose) from a position, without the graph of
the whole game. For games that come to an end; all positions of one ply are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Int

from ludus.exact.graph import CHILDREN, PARENTS, in_chunks
from ludus.game import Game
from ludus.selfplay import fingerprint

#: A player's moves in a batch of positions.
Chooser = Callable[[Any], Int[Array, "B"]]


@dataclass(frozen=True)
class Followed:
    """What came of it: whether some line beats the player, a shortest such line as actions, and the positions met."""

    beaten: bool
    line: tuple[int, ...]
    positions: int


def follow(game: Game, choose: Chooser, start: Any, seat: int) -> Followed:
    """The player in this seat against every play of the other side, from one position."""
    look = jax.jit(jax.vmap(lambda s: (game.done(s), game.returns(s)[seat] < 0, game.player(s) == seat)))
    legal = jax.jit(jax.vmap(game.legal))
    step = jax.jit(jax.vmap(lambda s, a: (after := game.step(s, a), fingerprint(after))))
    chooser = jax.jit(choose)
    level = jax.tree.map(lambda leaf: np.asarray(leaf)[None], start)
    trail: list[tuple[np.ndarray, np.ndarray]] = []  # how each level came from the one before: (which, by what action)
    met = 0
    for _ in range(game.max_plies + 1):
        done, lost, ours = in_chunks(PARENTS, look, level)
        met += len(done)
        if (done & lost).any():
            return Followed(True, _trace(trail, int(np.argmax(done & lost))), met)
        live = np.flatnonzero(~done)
        if not len(live):
            break
        level, ours = jax.tree.map(lambda leaf, live=live: leaf[live], level), ours[live]
        mask = np.asarray(in_chunks(PARENTS, legal, level))
        chosen = in_chunks(PARENTS, chooser, level)
        mask[ours] = False
        mask[ours, chosen[ours]] = True
        which, action = np.nonzero(mask)
        before = jax.tree.map(lambda leaf, which=which: leaf[which], level)
        level, prints = in_chunks(CHILDREN, step, before, action.astype(np.int32))
        keys = prints[:, 0].astype(np.uint64) << np.uint64(32) | prints[:, 1]
        _, fresh = np.unique(keys, return_index=True)
        level = jax.tree.map(lambda leaf, fresh=fresh: leaf[fresh], level)
        trail.append((live[which[fresh]], action[fresh]))
    return Followed(False, (), met)


def _trace(trail: list[tuple[np.ndarray, np.ndarray]], index: int) -> tuple[int, ...]:
    line = []
    for which, action in reversed(trail):
        line.append(int(action[index]))
        index = int(which[index])
    return tuple(reversed(line))
