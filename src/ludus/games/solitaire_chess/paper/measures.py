"""How many positions a network's move order explores: means along the curve, and puzzle by puzzle at its two ends."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Float

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.orders import ORDERS
from ludus.games.solitaire_chess.paper.puzzles import FRESH, QUICK, Explored, PuzzleSet, known, search, sets
from ludus.games.solitaire_chess.paper.words import (
    BASELINE,
    CLOCKWISE,
    EIGHTY_SETS,
    FIG3,
    FIG5,
    FLOOR,
    FRESH_SETS,
    PRINTED,
    RANDOM,
    UNTRAINED,
)
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners.learner import Learner
from ludus.learners.recipe import Recipe
from ludus.search.puzzle.order import Order, random_order
from ludus.study.data import Counts
from ludus.study.measures import vitals_of
from ludus.study.programs import keys_of
from ludus.study.study import Measure, Scale

LOOKED_AT = 64  # puzzles of each level at which networks are compared with what they were at first

Agents = Sequence[tuple[str, Recipe, Any]]


def orders(learner: Learner, config: Any, stack: Any) -> Iterator[Order]:
    """The move orders of a stack of networks, one after the other: they share the buffers of the search."""
    compiled, host = learner.compiled_order, jax.tree.map(np.asarray, stack)
    assert compiled is not None, f"the learner '{learner.name}' has no order in compiled code"
    for row in range(len(jax.tree.leaves(host)[0])):
        network = jax.tree.map(lambda leaf, row=row: leaf[row], host)
        order = compiled(config, known().game, network, learner.name)
        assert order is not None
        yield order


def strength(order: Order, fresh: int) -> dict[str, float]:
    """Measures of a search in this order.

    - `ratio, SET`: explored / floor, the mean over the puzzles of a set.
    - `FIG3`, `FIG5`: the positions explored in one puzzle.
    - `worse`, `tied`: the share of the eighty in which more is explored than by the baseline, or as much.
    - `right`: the share of all puzzles solved with the right final piece and square.
    - `efficiency`: the mean of floor / explored, over levels of fresh puzzles.
    """
    found = {name: search(puzzles, order) for name, puzzles in sets(fresh).items()}
    return summary(found, sets(fresh))


def summary(found: Mapping[str, Explored], among: Mapping[str, PuzzleSet]) -> dict[str, float]:
    many = (*FRESH_SETS, *EIGHTY_SETS)
    measured = {f"ratio, {name}": _mean(found[name].positions / among[name].floor) for name in many}
    measured |= {name: float(found[name].positions[0]) for name in (FIG3, FIG5)}
    ours, baseline = (
        np.concatenate(each)
        for each in ([found[name].positions for name in EIGHTY_SETS], [among[name].baseline for name in EIGHTY_SETS])
    )
    measured |= {"worse": _mean(ours > baseline), "tied": _mean(ours == baseline)}
    measured["right"] = _mean(np.concatenate([found[name].right for name in many]))
    measured["efficiency"] = float(np.mean([_mean(among[name].floor / found[name].positions) for name in LEVELS]))
    return measured


def _mean(values: Any) -> float:
    return float(np.mean(values))


def against_the_baseline(game: SolitaireChess, quick: bool) -> Measure:
    """`strength` of a stack of networks, and whether they are alive."""
    fresh, one_at_a_time = QUICK if quick else FRESH, threading.Lock()

    @functools.cache
    def vitals() -> Measure:
        states = [state for level in LEVELS for state in sets(fresh)[level].states[:LOOKED_AT]]
        return vitals_of(game, jax.tree.map(lambda *leaves: np.stack(leaves), *states))

    def look(learner: Learner, config: Any, weights: Any) -> Mapping[str, Any]:
        with one_at_a_time:  # the solver is not thread-safe
            rows = [strength(order, fresh) for order in orders(learner, config, weights)]
            lives = vitals()
        return {name: np.array([row[name] for row in rows]) for name in rows[0]} | dict(lives(learner, config, weights))

    return look


def each_puzzle(agents: Agents, fresh: int = FRESH) -> list[Counts]:
    """The positions that every network explores in every puzzle, and the untrained networks of the same seeds; what
    they are compared with; and what the code of figure 2 explores in the eighty.
    """
    among, rows = {name: sets(fresh)[name] for name in (*FRESH_SETS, *EIGHTY_SETS)}, []
    for name, puzzles in among.items():
        fixed = {FLOOR: puzzles.floor, BASELINE: puzzles.baseline, RANDOM: puzzles.at_random}
        fixed[CLOCKWISE] = search(puzzles, ORDERS[CLOCKWISE]).positions
        rows += [Counts.of(0, order, name, values) for order, values in fixed.items()]
    for name in EIGHTY_SETS:
        for order, label in PRINTED.items():
            rows.append(Counts.of(0, label, name, as_printed(among[name], order)))
    for label, each, stack in (untrained(agents), *agents):
        for seed, order in enumerate(orders(each.learner, each.config, stack)):
            rows += [Counts.of(seed, label, name, search(among[name], order).positions) for name in among]
    return rows


def each_puzzle_quick(agents: Agents) -> list[Counts]:
    return each_puzzle(agents, QUICK)


def untrained(agents: Agents) -> tuple[str, Recipe, Any]:
    """The networks of the first arm as they began: those of all arms began like them."""
    (_, recipe, weights), *_ = agents
    learner, config = recipe.learner, recipe.config
    keys = keys_of(Scale(len(jax.tree.leaves(weights)[0]), 1, 1))
    begin = jax.jit(jax.vmap(lambda key: learner.weights(learner.init(config, known().game, key))))
    return UNTRAINED, recipe, begin(keys)


def as_printed(puzzles: PuzzleSet, name: str) -> Float[np.ndarray, "N"]:
    """The positions that a search enters if it goes on after solutions."""
    order = ORDERS.get(name) or random_order()
    return np.array([known().solver.first(state, order, stops=False).explored for state in puzzles.states], float)
