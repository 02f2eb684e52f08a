"""J and who plays by it: the agent, the random player and the minimax player; and what moves are worth."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.text import refusal
from helpers.valuation import PUSHES, worth

from ludus.core.game import compiled, legal_actions
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.learners import td, valuation
from ludus.learners.configs import TdConfig
from ludus.learners.valuation import Network, Seating

HEX3 = Hex(size=3)

# --- who moves ----------------------------------------------------------------------------------------------


def seating(opponent: int, seat: int, epsilon: float = 0.0) -> Seating:
    return Seating(jnp.int32(opponent), jnp.int32(seat), jnp.float32(epsilon))


@functools.cache
def strong_network(game: Any, features: str) -> Network:
    """A network that rates all moves differently."""
    network = valuation.new_network(TdConfig(features=features, hidden=5), game, jax.random.key(8))
    return jax.tree.map(lambda leaf: 100 * leaf, network)


@functools.cache
def chooser(game: Any, features: str) -> Any:
    """Many choices in the same position."""
    config, network = TdConfig(features=features, hidden=5), strong_network(game, features)

    def choose(who: Seating, states: Any, keys: Any) -> Any:
        move = valuation.training_policy(config, game, network, who)
        return jax.lax.map(lambda key: move(key, states)[0], keys, batch_size=100)

    return jax.jit(choose)


def chosen(game: Any, features: str, who: Seating, state: Any, count: int) -> list[int]:
    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
    return np.asarray(chooser(game, features)(who, states, jax.random.split(jax.random.key(1), count))).tolist()


@pytest.mark.slow
def test_the_agent_makes_its_best_move_in_its_seat_and_the_random_player_any() -> None:
    start = HEX3.init()
    values = rated(HEX3, start)
    best = max(values, key=values.__getitem__)
    assert set(chosen(HEX3, "planes", seating(valuation.SELF, 1), start, 1800)) == {best}
    assert set(chosen(HEX3, "planes", seating(valuation.RANDOM, 0), start, 1800)) == {best}
    any_move = chosen(HEX3, "planes", seating(valuation.RANDOM, 1, 0.0), start, 1800)
    explored = chosen(HEX3, "planes", seating(valuation.SELF, 0, 1.0), start, 1800)
    for moves in (any_move, explored):
        counts = np.bincount(moves, minlength=9)
        assert (abs(counts - 200) < 70).all()  # five standard deviations
    half = chosen(HEX3, "planes", seating(valuation.RANDOM, 0, 0.5), start, 1800)
    assert abs(half.count(best) - 1000) < 110


@pytest.mark.slow
def test_the_minimax_player_goes_to_the_centre_and_pushes() -> None:
    """Its move leaves the other side's marbles the furthest from the middle, less its own, a lost one five away."""
    game, text = Abalone(), "...../....../......./..b...../.bb.b.wwb/..wb..../.w.w.w./.bwbw./wbb.. b"
    state = game.parse(text)
    middle = {cell: ring for ring, cells in enumerate(_rings()) for cell in cells}

    def away(marbles: Any, side: str) -> int:
        mine = [middle[cell] for cell, letter in marbles.items() if letter == side]
        return sum(mine) + 5 * (14 - len(mine))

    liked = {}
    for action in legal_actions(game, state):
        marbles, _ = game.position(compiled(game).step(state, np.int32(action)))
        liked[action] = away(marbles, "w") - away(marbles, "b")
    best = {action for action, worth in liked.items() if worth == max(liked.values())}
    assert 1 < len(best) < len(liked)
    assert set(chosen(game, "abalearn-1.1", seating(valuation.MINIMAX, 1), state, 100)) == best


def _rings() -> list[set[tuple[int, int]]]:
    """The cells, row and diagonal from 0, by their steps from the middle."""
    rings = [{(4, 4)}]
    inside = {(row, column) for row in range(9) for column in range(9) if abs(row - column) <= 4}
    while sum(map(len, rings)) < 61:
        ways = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1))
        around = {(r + x, c + y) for r, c in rings[-1] for x, y in ways}
        rings.append((around & inside) - set().union(*rings))
    return rings


def test_a_game_without_the_evaluation_has_no_minimax_player() -> None:
    message = refusal(td.init, TdConfig(opponent="minimax"), HEX3, jax.random.key(0))
    assert message.startswith("hex has no evaluation for the opponent 'minimax' to move by;")


def test_features_that_a_game_does_not_have_are_refused() -> None:
    message = refusal(td.init, TdConfig(features="abalearn-1.1"), HEX3, jax.random.key(0))
    assert message == "hex has no features 'abalearn-1.1'; there are bordered, planes."


# --- what moves are worth -----------------------------------------------------------------------------------


def rated(game: Any, state: Any, **settings: Any) -> dict[int, float]:
    config = TdConfig(hidden=5, **settings)
    network = strong_network(game, config.features)
    values = jax.jit(lambda state: valuation.move_values(config, game, network, state))(state)
    return {action: float(values[action]) for action in legal_actions(game, state)}


def js(game: Any, state: Any, features: str = "planes", output: str = "sigmoid") -> dict[int, float]:
    """J of where each move leads."""
    look = jax.jit(lambda state: valuation.inputs_of(TdConfig(features=features), game, state))
    network, found = strong_network(game, features), {}
    for action in legal_actions(game, state):
        after = compiled(game).step(state, np.int32(action))
        found[action] = float(worth(output, network, look(after)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("output", "most"), [("sigmoid", 1.0), ("scaled", 7.0)])
def test_a_move_is_worth_where_it_leads_and_a_won_game_more_than_any(output: str, most: float) -> None:
    state, wins = HEX3.init(), []
    for action in (0, 1, 3, 2):  # black is one short of a line
        state = compiled(HEX3).step(state, np.int32(action))
    for action in legal_actions(HEX3, state):
        after = compiled(HEX3).step(state, np.int32(action))
        if compiled(HEX3).done(after):
            wins.append(action)
    assert wins
    wanted = js(HEX3, state, output=output)
    assert rated(HEX3, state, output=output, result_counts=False) == pytest.approx(wanted, abs=1e-5)
    assert max(wanted.values()) < most
    assert rated(HEX3, state, output=output) == pytest.approx(wanted | dict.fromkeys(wins, most), abs=1e-5)


@pytest.mark.slow
def test_what_a_move_gains_counts_if_it_is_to() -> None:
    game, text = Abalone(), PUSHES
    state = game.parse(text)
    wanted = js(game, state, "abalearn-1.2")
    assert rated(game, state, features="abalearn-1.2") == pytest.approx(wanted, abs=1e-5)
    with_gains = rated(game, state, features="abalearn-1.2", reward_counts=True)
    pushing = {
        action
        for action in wanted
        if game.format(compiled(game).step(state, np.int32(action))).count("w")
        == text.count("w")  # one less, and "w" moves
    }
    assert len(pushing) > 1
    assert with_gains == pytest.approx({a: w + (a in pushing) for a, w in wanted.items()}, abs=1e-5)


@pytest.mark.slow
def test_in_one_view_black_looks_for_high_values_and_white_for_low_ones() -> None:
    """The same marbles with either side to move. White's moves are worth -J, seen as if black had just moved."""
    game, features = Abalone(), "abalearn-1.2"
    config, network = TdConfig(hidden=5, view="first", features=features), strong_network(game, features)
    look = jax.jit(lambda state: valuation.inputs_of(TdConfig(features=features), game, state))
    here = jax.jit(lambda state: valuation.position_value(config, game, network, state))
    for side, sign in (("b", 1), ("w", -1)):
        state, wanted = game.parse(f"{PUSHES.split()[0]} {side}"), {}
        for action in legal_actions(game, state):
            text = game.format(compiled(game).step(state, np.int32(action)))
            black = float(worth("sigmoid", network, look(game.parse(f"{text.split()[0]} w"))))
            wanted[action] = sign * black
        assert rated(game, state, view="first", features=features) == pytest.approx(wanted, abs=1e-5)
        seen = float(worth("sigmoid", network, look(game.parse(f"{PUSHES.split()[0]} w"))))
        assert float(here(state)) == pytest.approx(sign * seen, abs=1e-6)
        best = [action for action, value in wanted.items() if value >= max(wanted.values()) - 1e-6]
        states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
        played = valuation.policy(config, game, network, 0.0)(jax.random.key(0), states)
        trained = valuation.training_policy(config, game, network, seating(valuation.SELF, 0))
        assert int(played[0]) in best
        assert int(trained(jax.random.key(0), states)[0]) in best
        assert len(best) < len(wanted)


@pytest.mark.slow
def test_units_that_are_saturated_count_as_dead() -> None:
    config, state = TdConfig(hidden=3), HEX3.init()
    network = jax.tree.map(jnp.zeros_like, valuation.new_network(config, HEX3, jax.random.key(0)))
    network = network._replace(hidden_bias=jnp.array([0.0, 20.0, -20.0]))
    units = valuation.last_units(config, HEX3, network, state)
    assert (np.asarray(units) > 0).tolist() == [True, False, False]
