"""Self-play training of a DQN on 3 x 3 Hex, in games a second: `python bench/hex_dqn.py`.

The network (one hidden layer of 128), the share of random moves (0.1) and the start (the empty board) are those of
OpenSpiel's DQN by default, which learns from 128 transitions every 10 moves, 12.8 a move, and plays 324 games a second
on one core of such a machine (PyTorch; measured for this project). How often ours learns is a setting of its own, so it
is measured at several.
"""

from __future__ import annotations

import time
from dataclasses import replace

import jax

from ludus.games.hex.rules import Hex
from ludus.learners import negamax as negamax

OPEN_SPIEL = 324  # games a second
ROUNDS = 10
COMMON = negamax.Config(hidden=(128,), backups=1, epsilon=0.1, random_plies=1, lanes=1024, plies=16)
SETTINGS = [
    replace(COMMON, updates=updates, batch=batch) for updates, batch in ((2, 1024), (8, 1024), (32, 1024), (51, 4096))
]


def games_a_second(config: negamax.Config) -> float:
    """The better of three times so many rounds, after one to compile and warm up."""
    game = Hex(size=3)
    state = jax.jit(lambda key: negamax.init(config, game, key))(jax.random.key(0))
    several = jax.jit(lambda s: jax.lax.scan(lambda s, _: negamax.advance(config, game, s), s, None, length=ROUNDS)[0])
    state, best = jax.block_until_ready(several(state)), 0.0
    for _ in range(3):
        before, begin = int(state.games), time.perf_counter()
        state = jax.block_until_ready(several(state))
        best = max(best, (int(state.games) - before) / (time.perf_counter() - begin))
    return best


if __name__ == "__main__":
    for config in SETTINGS:
        learned = config.updates * config.batch / (config.lanes * config.plies)
        rate = games_a_second(config)
        print(
            f"{learned:5.2f} transitions learned a move: {rate:,.0f} games/s, {rate / OPEN_SPIEL:.0f} times", flush=True
        )
