"""The lines of the board as patterns: held to the text of positions, to the images, and compiled to the same in JAX."""

from __future__ import annotations

import itertools
from typing import Any

import equinox as eqx
import jax
import numpy as np
import pytest
from helpers.batched import unstack
from helpers.positions import random_positions

from ludus.games.abalone import lines, notation, twin
from ludus.games.abalone.notation import STEPS, row_cells
from ludus.games.abalone.rules import Abalone
from ludus.learners import returns
from ludus.learners.configs import ReturnsConfig
from ludus.networks import patterns
from ludus.networks.patterns import PatternNet

GAME = Abalone(layout="belgian-daisy")
CELLS = [cell for row in range(9) for cell in row_cells(row)]


def some_states(count: int) -> list[Any]:
    states = random_positions(GAME, count)
    return [unstack(states, place) for place in range(count)]


def on_board(number: int) -> tuple[int, int]:
    return divmod(number, 10)


def network(width: int) -> PatternNet:
    """One whose every weight counts."""
    keys = jax.random.split(jax.random.key(3), 5)
    made = PatternNet(lines.PATTERNS.different, width, keys[0])
    leaves, tree = jax.tree.flatten(made)
    drawn = [0.2 * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys[1:], leaves, strict=True)]
    return jax.tree.unflatten(tree, drawn)


def test_a_sum_of_rows_is_the_same_row_by_row_and_so_is_its_change() -> None:
    """Against a sum in one go, some rows twice: value and gradient, side by side."""
    table = jax.random.normal(jax.random.key(0), (50, 3))
    rows = jax.random.randint(jax.random.key(1), (4, 27), 0, 20)
    scale = jax.random.normal(jax.random.key(2), (4, 3))

    def total(add: Any) -> Any:
        return lambda table: (jax.vmap(lambda row: add(table, row))(rows) ** 2 * scale).sum()

    found = jax.value_and_grad(total(patterns._added))(table)
    wanted = jax.value_and_grad(total(lambda table, row: table[row].sum(axis=0)))(table)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-4, atol=1e-5)
    assert np.abs(wanted[1]).max() > 1


def test_there_are_nine_lines_along_each_axis() -> None:
    assert sorted(len(line) for line in lines.lines()) == sorted([5, 6, 7, 8, 9, 8, 7, 6, 5] * 3)
    through = [on_board(number) for line in lines.lines() for number in line]
    assert all(through.count(cell) == 3 for cell in CELLS)


def test_neighbours_stand_side_by_side_on_just_one_line() -> None:
    pairs = [frozenset((on_board(a), on_board(b))) for line in lines.lines() for a, b in itertools.pairwise(line)]
    wanted = {frozenset((cell, (cell[0] + r, cell[1] + d))) for cell in CELLS for r, d in STEPS}
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {pair for pair in wanted if pair <= set(CELLS)}


def test_a_number_spells_out_what_stands_on_a_line() -> None:
    for state in some_states(8):
        marbles, mover = notation.read(GAME.format(state))
        found = np.asarray(lines.numbers(GAME, state))
        for line, number in zip(lines.lines(), found.tolist(), strict=True):
            letters = [marbles.get(on_board(cell), ".") for cell in line]
            digits = [0 if x == "." else 1 if x == notation.SIDES[mover] else 2 for x in letters]
            assert number - lines.FIRST[len(line)] == int("".join(map(str, reversed(digits))), 3)


def test_patterns_of_different_lengths_have_numbers_of_their_own() -> None:
    spans = [(lines.FIRST[length], lines.FIRST[length] + 3**length) for length in range(5, 10)]
    assert spans[0][0] == 0
    assert all(before[1] == after[0] for before, after in itertools.pairwise(spans))
    assert spans[-1][1] == len(lines.tie())


@pytest.mark.parametrize("length", range(5, 10))
def test_a_pattern_shares_its_weight_with_its_mirror_image_alone(length: int) -> None:
    tie, first = lines.tie(), lines.FIRST[length]
    shared: dict[int, set[tuple[int, ...]]] = {}
    for number, digits in enumerate(itertools.product(range(3), repeat=length)):
        shared.setdefault(int(tie[first + number]), set()).add(digits)
    assert all(seen == {one, one[::-1]} for seen in shared.values() for one in [next(iter(seen))])
    others = np.delete(tie, np.s_[first : first + 3**length])
    assert not set(others.tolist()) & shared.keys()


@pytest.mark.parametrize("width", [0, 8])
def test_all_images_of_a_position_have_one_value(width: int) -> None:
    config, net = ReturnsConfig(network="patterns", units=width), network(width)
    rate = jax.jit(jax.vmap(lambda state: returns.value(config, GAME, net, state)))
    for state in some_states(3):
        found = np.asarray(rate(GAME.symmetries(state)[0]))
        np.testing.assert_allclose(found, found[0], atol=1e-4)
    assert np.ptp([float(returns.value(config, GAME, net, state)) for state in some_states(3)]) > 0.01


@pytest.mark.parametrize("width", [0, 8])
def test_the_search_evaluates_as_the_network_does(width: int) -> None:
    """But for rounding to whole numbers: of 27 patterns, and of the hidden units' sums."""
    config, net = ReturnsConfig(network="patterns", units=width), network(width)
    evaluation = returns.compiled_evaluation(config, GAME, net)
    rate = jax.jit(lambda state: returns.value(config, GAME, net, state))
    for state in some_states(12):
        lead = len(state.own.cells()) - len(state.other.cells())
        found = evaluation.compiled(twin.from_state(GAME, state), evaluation.parameters)
        assert abs(found - lines.UNIT * (lead + float(rate(state)))) < 40
    halved = returns.compiled_evaluation(config, GAME, eqx.tree_at(lambda n: n.straight, net, net.straight / 2))
    board = twin.from_state(GAME, GAME.init())
    assert halved.compiled(board, halved.parameters) != evaluation.compiled(board, evaluation.parameters)
