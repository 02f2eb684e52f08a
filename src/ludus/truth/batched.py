"""The exact results of many policies at once, on the device: the same numbers as `evaluate.chances`, for whole figures.

Moves are padded to the largest number of moves of any position (M), so that a ply of all games is one gather and one
sum.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from ludus.truth.graph import Graph
from ludus.truth.solve import SolvedGraph


class GraphArrays(NamedTuple):
    """A solved graph as arrays, with moves padded."""

    states: Any  # every leaf [N, ...]
    child: Int[Array, "N M"]
    action: Int[Array, "N M"]
    valid: Bool[Array, "N M"]
    holding: Bool[Array, "N M"]
    won: Bool[Array, "N"]  # over, and the mover has won; `lost`: has lost
    lost: Bool[Array, "N"]


def graph_arrays(solution: SolvedGraph) -> GraphArrays:
    graph: Graph = solution.graph
    counts = np.diff(graph.first)
    place = np.arange(counts.max())
    valid = place < counts[:, None]
    moves = np.where(valid, graph.first[:-1, None] + place, 0)
    return GraphArrays(
        jax.tree.map(jnp.asarray, graph.states),
        jnp.asarray(graph.child[moves]),
        jnp.asarray(graph.action[moves]),
        jnp.asarray(valid),
        jnp.asarray(valid & solution.holding[moves]),
        jnp.asarray(graph.over & (graph.result > 0)),
        jnp.asarray(graph.over & (graph.result < 0)),
    )


def shares(allowed: Bool[Array, "N M"]) -> Float[Array, "N M"]:
    """The policy that plays each allowed move with equal probability."""
    share = allowed.astype(jnp.float32)
    return share / jnp.maximum(share.sum(axis=1, keepdims=True), 1)


def chances(at: GraphArrays, policy: Float[Array, "N M"], other: Float[Array, "N M"], cap: int) -> Float[Array, "2 2"]:
    """The probabilities that the policy wins and loses, as first player and as second."""
    end = jnp.stack([at.won, at.lost], axis=1).astype(jnp.float32)

    def ply(values: tuple[Array, Array], _: None) -> tuple[tuple[Array, Array], None]:
        we_move, they_move = values
        ours = jnp.einsum("nm,nmk->nk", policy, they_move[at.child])
        theirs = jnp.einsum("nm,nmk->nk", other, we_move[at.child])
        return (end + ours, end[:, ::-1] + theirs), None

    (we_move, they_move), _ = jax.lax.scan(ply, (end, end[:, ::-1]), None, length=cap)
    return jnp.stack([we_move[0], they_move[0]])


def noisy(at: GraphArrays, policy: Float[Array, "N M"], epsilon: float) -> Float[Array, "N M"]:
    return (1 - epsilon) * policy + epsilon * shares(at.valid)


def held(at: GraphArrays, policy: Float[Array, "N M"]) -> Int[Array, ""]:
    """The number of positions (with a move) that the policy holds: every move it may choose keeps the value."""
    fault = ((policy > 0) & ~at.holding).any(axis=1)
    return (at.valid.any(axis=1) & ~fault).sum()
