"""Targets of one transition, by hand on Nim for one and for two, and by the definition of its values."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.nim import Heap, Nim, floats, short_game

from ludus.learners import dqn, targets
from ludus.play import transition

ONE, TWO = Nim(players=1), Nim(players=2)
both = pytest.mark.parametrize("game", [ONE, TWO], ids=["one", "two"])
GAMMA, NAN = 0.5, float("nan")


def heap(left: int, mover: int = 0) -> Heap:
    return Heap(jnp.int32(left), jnp.int32(mover))


def turn(game: Nim, mover: int = 0) -> int:
    return (mover + 1) % game.players


# --- the sign -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "sign", "as_it_is"), [(ONE, 1, 1), (TWO, -1, 1)], ids=["one", "two"])
@pytest.mark.parametrize("mover", [0, 1])
def test_the_sign_changes_where_the_other_side_moves_next(game: Nim, mover: int, sign: int, as_it_is: int) -> None:
    mover = mover % game.players
    before, after = heap(5, mover), heap(3, turn(game, mover))
    assert float(transition.sign(game, before, after)) == sign
    assert float(transition.sign(game, before, after, False)) == sign
    assert float(transition.sign(game, before, after, jnp.bool_(False), jnp.float32(0))) == as_it_is
    # Whoever moves in what follows the end, there is nothing to count.
    for negate in (0.0, 1.0):
        assert float(transition.sign(game, before, after, jnp.bool_(True), negate)) == 0
        assert float(transition.sign(game, before, before, True, negate)) == 0


def test_the_sign_is_the_movers_and_not_the_games() -> None:
    """A player of two who moves again counts the next value as it is."""
    assert float(transition.sign(TWO, heap(5, 1), heap(3, 1))) == 1


# --- the result ---------------------------------------------------------------------------------------------


@both
@pytest.mark.parametrize("mover", [0, 1])
def test_who_takes_the_last_has_won(game: Nim, mover: int) -> None:
    mover = mover % game.players
    before, after = heap(3, mover), heap(0, turn(game, mover))
    assert float(transition.result(game, before, after, game.done(after))) == 1
    going_on = heap(1, turn(game, mover))
    assert float(transition.result(game, before, going_on, game.done(going_on))) == 0
    # A game that is stopped has the result of its last position; here it has none.
    assert float(transition.result(game, before, going_on, jnp.bool_(True))) == 0


def test_a_move_can_lose_the_game() -> None:
    """The result is that of the seat that moved: who faces the empty heap has lost."""
    assert float(transition.result(TWO, heap(3, 0), heap(0, 0), jnp.bool_(True))) == -1
    assert float(transition.result(TWO, heap(3, 1), heap(0, 1), jnp.bool_(True))) == -1
    assert float(transition.result(TWO, heap(3, 1), heap(0, 0), jnp.bool_(False))) == 0


# --- one step -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reward", "sign", "following", "gamma", "wanted"),
    [
        (0.0, -1.0, 0.4, 0.5, -0.2),
        (0.0, 1.0, 0.4, 0.5, 0.2),
        (0.25, -1.0, -0.4, 0.5, 0.45),
        (1.0, 0.0, 0.4, 0.5, 1.0),
        (-1.0, 0.0, -9.0, 1.0, -1.0),
        (1.0, 0.0, NAN, 0.5, 1.0),
        (0.0, 0.0, float("inf"), 0.5, 0.0),
    ],
)
def test_one_step_is_the_reward_and_what_the_next_position_leaves(
    reward: float, sign: float, following: float, gamma: float, wanted: float
) -> None:
    given = jnp.float32(reward), jnp.float32(sign), jnp.float32(following)
    assert float(targets.one_step(*given, gamma)) == pytest.approx(wanted)
    if gamma == 1:
        assert float(targets.one_step(*given)) == pytest.approx(wanted)


def test_what_is_no_number_in_a_game_that_goes_on_is_none_in_the_target() -> None:
    """So that a diverged network is noticed."""
    assert np.isnan(float(targets.one_step(jnp.float32(0), jnp.float32(-1), jnp.float32(NAN), 0.5)))


@functools.cache
def by_definition(left: int, players: int) -> int:
    """The value of a heap to its mover; of an empty one, what has come to the one who faces it."""
    if left == 0:
        return 1 if players == 1 else -1
    after = [by_definition(left - take, players) for take in (1, 2, 3) if take <= left]
    return max(after) if players == 1 else max(-value for value in after)


@both
def test_true_values_are_backed_up_to_true_values(game: Nim) -> None:
    """With no discount, the best target of a heap's moves is the heap's value, as the definition has it."""

    @jax.jit
    def target(before: Heap, action: Any, value: Any) -> Any:
        after = game.step(before, action)
        over = game.done(after)
        return targets.one_step(
            transition.result(game, before, after, over), transition.sign(game, before, after, over), value
        )

    for left in range(1, 10):
        for mover in range(game.players):
            found = [
                float(target(heap(left, mover), jnp.int32(take - 1), jnp.float32(value)))
                for take in (1, 2, 3)
                if take <= left
                for value in [by_definition(left - take, game.players) if take < left else NAN]
            ]
            assert max(found) == by_definition(left, game.players)
    if game is TWO:
        assert [by_definition(left, 2) for left in range(1, 9)] == [1, 1, 1, -1, 1, 1, 1, -1]


# --- the mover's own next turn ------------------------------------------------------------------------------


def own_turn(rewards: tuple, signs: tuple, following: tuple, gamma: float = GAMMA) -> float:
    def pair(of: tuple) -> Any:
        return tuple(map(jnp.float32, of))

    return float(targets.own_turn(pair(rewards), pair(signs), pair(following), gamma))


@pytest.mark.parametrize(
    ("what", "rewards", "signs", "following", "wanted"),
    [
        # Two stones left to the mover, which it likes at 0.8: discounted once, and what the other likes is no matter.
        ("both go on", (0, 0), (-1, -1), (0.4, 0.8), 0.4),
        ("both go on, to a bad place", (0, 0), (-1, -1), (0.4, -0.8), -0.4),
        ("the reply wins", (0, 1), (-1, 0), (0.4, 0.8), -1),
        ("the reply loses", (0, -1), (-1, 0), (0.4, 0.8), 1),
        ("the reply draws", (0, 0), (-1, 0), (0.4, 0.8), 0),
        ("the move wins", (1, 0), (0, -1), (0.4, 0.8), 1),
        ("the move wins, and another game follows", (1, 1), (0, -1), (0.4, 0.8), 1),
        ("the move loses", (-1, 0), (0, 0), (0.4, 0.8), -1),
        ("alone", (0, 0), (1, 1), (0.4, 0.8), 0.2),
        ("alone, before the last move", (0, 1), (1, 0), (0.4, 0.8), 0.2),
        ("alone, the last move", (1, 0), (0, 1), (0.4, 0.8), 1),
    ],
)
def test_own_turn_takes_the_reply_as_it_was_played(
    what: str, rewards: tuple, signs: tuple, following: tuple, wanted: float
) -> None:
    assert own_turn(rewards, signs, following) == pytest.approx(wanted), what


def test_own_turn_does_not_look_at_a_finished_position() -> None:
    assert own_turn((1, 0), (0, -1), (NAN, NAN)) == 1  # after the move there is nothing
    assert own_turn((0, 1), (-1, 0), (NAN, NAN)) == -1  # nor after the reply
    assert own_turn((0, 1), (-1, 0), (0.4, NAN)) == -1
    assert own_turn((0, 0), (-1, -1), (NAN, 0.8)) == pytest.approx(0.4)  # nor at the other's turn
    assert own_turn((0, 1), (1, 0), (0.4, NAN)) == pytest.approx(0.2)  # alone, the next position is the own one
    assert np.isnan(own_turn((0, 0), (-1, -1), (0.4, NAN)))


# --- all of it along a game ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "backup", "wanted"),
    [
        # Five stones, of which two are taken, and then the last three. A heap of three is worth 0.6 to who faces it.
        (TWO, "negamax", (-0.3, 1)),
        (TWO, "own-turn", (-1, 1)),
        (ONE, "negamax", (0.3, 1)),
        (ONE, "own-turn", (0.3, 1)),
    ],
)
def test_a_short_game_is_backed_up_by_hand(game: Nim, backup: Any, wanted: tuple[float, float]) -> None:
    states = short_game(game).state
    steps = [(jax.tree.map(lambda x, i=i: x[i], states), jax.tree.map(lambda x, i=i: x[i + 1], states)) for i in (0, 1)]
    over = [game.done(after) for _, after in steps]
    assert [bool(end) for end in over] == [False, True]
    rewards = [transition.result(game, *step, end) for step, end in zip(steps, over, strict=True)]
    signs = [transition.sign(game, *step, end) for step, end in zip(steps, over, strict=True)]
    best = floats(0.2, 0.6, NAN)  # whatever a network makes of an empty heap
    config = dqn.Config(backup=backup)
    found = dqn.targets_of(config, jnp.float32(GAMMA), best, jnp.stack(rewards), jnp.stack(signs))
    np.testing.assert_allclose(found, wanted, atol=1e-6)
