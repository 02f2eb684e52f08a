"""Learning from every move: all algorithms run on games, as one program."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.learners import online
from ludus.learners.gradient_td import ALGORITHMS
from ludus.learners.online import Config, sweep_of

CASES = [("hex", Hex(size=3)), ("lgame", LGame())]


@pytest.mark.slow
@pytest.mark.parametrize("game", [game for _, game in CASES], ids=[name for name, _ in CASES])
@pytest.mark.parametrize("actor", ["none", "plain"])
def test_every_algorithm_runs_on_any_game_as_one_program(game: Any, actor: Any) -> None:
    """All six, mapped over their switches; each learns something of its own, and the same again from the same seed."""
    configs = [Config(algorithm=name, actor=actor, epsilon=0.5, moves=20, starts=16) for name in ALGORITHMS]  # pyright: ignore[reportArgumentType]
    sweeps = jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(sweep_of, configs))

    @jax.jit
    def run(sweep: Any) -> Any:
        state = online.init(configs[0], game, jax.random.key(3), sweep)
        return online.weights(state), online.advance(configs[0], game, state)

    begun, (state, metrics) = jax.vmap(run)(sweeps)
    ended = np.asarray(jax.vmap(online.weights)(state))
    assert np.isfinite(ended).all()
    assert np.isfinite(np.asarray(metrics["value"])).all()
    # GTD2 and the natural gradient first have to learn w, and hardly move in twenty moves; the others do.
    assert (np.abs(ended - np.asarray(begun)).max(axis=1) > 0).all()
    values = np.asarray(state.critic.theta)
    assert len({row.tobytes() for row in values}) == len(ALGORITHMS)
    again = np.asarray(jax.vmap(online.weights)(jax.vmap(run)(sweeps)[1][0]))
    np.testing.assert_array_equal(again, ended)
