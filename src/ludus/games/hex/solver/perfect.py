"""Perfect play in Hex: winning moves by the tablebase on boards of up to 4, by proof search on larger ones."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Key

from ludus.core.arrays import below
from ludus.games.hex.reach import FOLLOWED
from ludus.games.hex.rules import Hex, State, geometry
from ludus.games.hex.solver import tablebase as hex_tablebase
from ludus.games.hex.solver.prover import shared_prover
from ludus.play import selfplay


def winning_moves(
    size: int, own: Bool[np.ndarray, "B N"], other: Bool[np.ndarray, "B N"], one_will_do: bool = False
) -> Bool[np.ndarray, "B N"]:
    """The winning moves of each position, in the mover's view: it joins top and bottom. With `one_will_do` a search may
    stop at the first.
    """
    cells = np.uint64(1) << np.arange(size**2, dtype=np.uint64)
    sides = np.stack([own @ cells, other @ cells], axis=1)
    sides, place = np.unique(sides, axis=0, return_inverse=True)
    if size <= hex_tablebase.MAX_SIZE:
        table = hex_tablebase.tablebase(size)
        numbers = table.find(sides[:, 0], sides[:, 1])
        winning = np.where(numbers < 0, 0, table.winning[numbers]).astype(np.uint64)
    else:
        solve = shared_prover(size).solve
        winning = np.array([solve(int(a), int(b), one_will_do=one_will_do).winning for a, b in sides], np.uint64)
    return (winning[:, None] & cells != 0)[place.reshape(-1)]


def policy(game: Hex) -> selfplay.Policy:
    """A random winning move, or the first one found where finding all takes long; in a lost position any move.

    Calls back to the host, because the tablebase does not fit on a device.
    """
    num_cells, one_will_do = game.size**2, game.size > FOLLOWED

    def sides(state: State) -> Bool[Array, "2 N"]:
        cells = geometry(game.size).cells
        view = game.canonical(state)
        return jnp.stack([view.own.stones.plane(cells), view.other.stones.plane(cells)])

    def ask(planes: Bool[Array, "B 2 N"]) -> Bool[np.ndarray, "B N"]:
        own, other = np.moveaxis(np.asarray(planes), 1, 0)
        return winning_moves(game.size, own, other, one_will_do)

    def nth(state: State, planes: Bool[Array, "2 N"], winning: Bool[Array, "N"], bits: Array) -> Int[Array, ""]:
        allowed = jnp.where(winning.any(), winning, ~planes.any(axis=0))
        n = below(bits[None], allowed.sum()[None])[0]
        return game.canonical_action(state, jnp.argmax(jnp.cumsum(allowed) > n).astype(jnp.int32))

    def choose(key: Key[Array, ""], states: State) -> Int[Array, "B"]:
        planes = jax.vmap(sides)(states)
        shape = jax.ShapeDtypeStruct((len(planes), num_cells), jnp.bool_)
        winning = jax.pure_callback(ask, shape, planes, vmap_method="sequential")
        return jax.vmap(nth)(states, planes, winning, jax.random.bits(key, (len(planes),)))

    return choose
