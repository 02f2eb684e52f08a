"""What is timed, and how: positions of the middle of the game, and the fastest of several calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from ludus.core.game import Game
from ludus.play import selfplay

MIDDLE = 40  # plies of random play that lead to a position


def fastest(work: Callable[[], Any], seconds: float) -> float:
    """The seconds of the fastest call, as others share the machine. The first call, which compiles, does not count."""
    work()
    best, calls, begin = float("inf"), 0, time.perf_counter()
    while calls < 2 or time.perf_counter() - begin < seconds:
        before = time.perf_counter()
        work()
        best, calls = min(best, time.perf_counter() - before), calls + 1
    return best


def middle_game(game: Game, count: int) -> Any:
    """Positions to play on from: every leaf [N, ...]."""

    @jax.jit
    def play() -> Any:
        lanes, policy = selfplay.fresh(game, 2 * count), selfplay.random_policy(game)
        lanes, _ = selfplay.stream(game, policy, lanes, jax.random.key(0), MIDDLE, lambda record: None)
        live = ~jax.vmap(game.done)(lanes.state)
        first = jnp.argsort(~live, stable=True)[:count]
        return jax.tree.map(lambda leaf: leaf[first], lanes.state)

    return play()
