"""Following a player against many replies at once, without the graph of the whole game. Against all replies, this
proves that the player does not lose; against some, it searches for a line that beats it. For games that always end.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float, Int

from ludus.core.game import Game
from ludus.play.selfplay import fingerprint
from ludus.truth.graph import in_chunks

CHUNK = 1 << 15  # positions in one compiled call; on an accelerator, four times as many
ALL = 0

#: A player's moves in a batch of positions, and a rating of all moves there; the caller compiles them.
Chooser = Callable[[Any], Int[Array, "B"]]
MoveRater = Callable[[Any], Float[Array, "B A"]]


@dataclass(frozen=True)
class FollowResult:
    """Whether a line beats the player, the shortest such line as actions, and the number of positions visited."""

    beaten: bool
    line: tuple[int, ...]
    positions: int


def follow(
    game: Game,
    choose: Chooser,
    start: Any,
    seat: int,
    widths: Sequence[int] = (ALL,),
    rate: MoveRater | None = None,
    on_ply: Callable[[int, int], Any] = lambda ply, positions: None,
) -> FollowResult:
    """Follow the player in this seat against the other side's replies, from one position.

    At the other side's n-th turn, its best `widths[n]` moves by `rate` are tried (all for `ALL`); the last width is for
    all later turns. `on_ply` is called at every ply with the ply and the number of positions so far.
    """
    chunk = CHUNK if jax.default_backend() == "cpu" else 4 * CHUNK
    look, legal, step = _compiled(game, seat)
    level = jax.tree.map(lambda leaf: np.asarray(leaf)[None], start)
    trail: list[tuple[np.ndarray, np.ndarray]] = []  # of each level: (index in the level before, action)
    met = turns = 0
    for ply in range(game.max_plies + 1):
        done, lost, ours = in_chunks(chunk, look, level)
        met += len(done)
        on_ply(ply, met)
        if (done & lost).any():
            return FollowResult(True, _trace(trail, int(np.argmax(done & lost))), met)
        live = np.flatnonzero(~done)
        if not len(live):
            break
        level, ours = jax.tree.map(lambda leaf, live=live: leaf[live], level), ours[live]
        mask = in_chunks(chunk, legal, level)
        if ours.any():
            mask[ours] = False
            mask[ours, in_chunks(chunk, choose, jax.tree.map(lambda leaf, ours=ours: leaf[ours], level))] = True
        if not ours.all():
            width = widths[min(turns, len(widths) - 1)]
            if width != ALL and rate is not None:
                mask &= ours[:, None] | _best(in_chunks(chunk, rate, level), mask, width)
            turns += 1
        which, action = np.nonzero(mask)
        before = jax.tree.map(lambda leaf, which=which: leaf[which], level)
        level, prints = in_chunks(chunk, step, before, action.astype(np.int32))
        keys = prints[:, 0].astype(np.uint64) << np.uint64(32) | prints[:, 1]
        _, fresh = np.unique(keys, return_index=True)
        level = jax.tree.map(lambda leaf, fresh=fresh: leaf[fresh], level)
        trail.append((live[which[fresh]], action[fresh]))
    return FollowResult(False, (), met)


@functools.lru_cache(maxsize=8)
def _compiled(game: Game, seat: int) -> tuple[Callable, Callable, Callable]:
    """Compiled functions of positions: whether each is over, whether this seat has lost and is to move; the legal
    moves; the position after a move, with its fingerprint.
    """
    return (
        jax.jit(jax.vmap(lambda s: (game.done(s), game.returns(s)[seat] < 0, game.player(s) == seat))),
        jax.jit(jax.vmap(game.legal)),
        jax.jit(jax.vmap(lambda s, a: (after := game.step(s, a), fingerprint(after)))),
    )


def _best(values: np.ndarray, mask: np.ndarray, width: int) -> np.ndarray:
    """The best `width` of the moves in the mask, row by row."""
    order = np.argsort(np.where(mask, -values, np.inf), axis=1, kind="stable")
    chosen = np.zeros_like(mask)
    np.put_along_axis(chosen, order[:, :width], True, axis=1)
    return chosen & mask


def _trace(trail: list[tuple[np.ndarray, np.ndarray]], index: int) -> tuple[int, ...]:
    line = []
    for which, action in reversed(trail):
        line.append(int(action[index]))
        index = int(which[index])
    return tuple(reversed(line))
