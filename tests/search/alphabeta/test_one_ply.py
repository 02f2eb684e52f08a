"""Players that look one ply ahead: any of the moves that leave the other side worst off, and none else."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.positions import random_positions, stack

from ludus.core.game import Game, compiled, legal_actions
from ludus.games import make_game
from ludus.games.hex.rules import Hex
from ludus.play.host_batch import state_at
from ludus.search.alphabeta import one_ply
from ludus.search.alphabeta.evaluation import RESULT, evaluations

HEX = Hex(size=3)
#: Black may push the sixth of white's marbles off at i9; there is much else to do.
FIGHT = "..bbw/wwww../bbbb.../......../....w..../....b.../.w....b/.ww.../bbb.. b"


def liked(game: Game, state: Any) -> Any:
    """What a position is worth to its mover, by a rule that many positions share."""
    seen = game.observe(state).reshape(-1)
    return (seen * jnp.arange(len(seen), dtype=seen.dtype)).sum() % 5


@functools.cache
def rating(game: Game) -> Any:
    return jax.jit(lambda state: liked(game, state))


def by_hand(game: Game, state: Any) -> set[int]:
    worth, rated = {}, rating(game)
    for action in legal_actions(game, state):
        after = compiled(game).step(state, np.int32(action))
        over = bool(compiled(game).done(after))
        result = float(compiled(game).returns(after)[int(compiled(game).player(after))])
        worth[action] = -1e6 * result if over else -float(rated(after))
    return {action for action, value in worth.items() if value == max(worth.values())}


@pytest.mark.slow
def test_the_best_moves_and_no_others_each_as_likely() -> None:
    states = random_positions(HEX, 40, 1, ends=False)
    positions = [state for n in range(40) if legal_actions(HEX, state := state_at(states, n))]
    shares = np.asarray(jax.jit(jax.vmap(one_ply.choices(HEX, liked), (None, 0)))(None, stack(positions)))
    wanted = [by_hand(HEX, state) for state in positions]
    assert any(len(best) > 1 for best in wanted)
    for share, best in zip(shares, wanted, strict=True):
        assert set(np.flatnonzero(share).tolist()) == best
        np.testing.assert_allclose(share[sorted(best)], 1 / len(best), rtol=1e-6)
    policy, played = jax.jit(one_ply.policy(HEX, liked)), [set() for _ in positions]
    for seed in range(30):
        for moves, move in zip(played, policy(jax.random.key(seed), stack(positions)), strict=True):
            moves.add(int(move))
    assert all(moves <= best for moves, best in zip(played, wanted, strict=True))
    few = [(moves, best) for moves, best in zip(played, wanted, strict=True) if len(best) <= 3]
    assert few
    assert all(moves == best for moves, best in few)


@pytest.mark.slow
def test_a_win_is_worth_more_than_any_evaluation() -> None:
    game = make_game("abalone")
    state = game.parse(FIGHT)
    for evaluation in evaluations(game).values():
        rate = one_ply.rate_of(evaluation)
        assert rate is not None
        (chosen,) = jax.jit(one_ply.policy(game, rate))(jax.random.key(0), stack([state]))
        assert bool(compiled(game).done(compiled(game).step(state, np.int32(chosen))))


def test_without_an_evaluation_the_result_counts() -> None:
    rate = one_ply.rate_of(RESULT)
    assert rate is not None
    rated = jax.jit(lambda state: rate(HEX, state))
    assert float(rated(HEX.init())) == 0
    assert float(rated(HEX.parse("WB./WB./.B. w"))) == -1  # black has joined top and bottom
    assert float(rated(HEX.parse("BB./WWW/B.. b"))) == -1  # white has joined the sides
