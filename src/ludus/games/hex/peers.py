"""Other implementations of Hex, timed next to ours in the bench."""

from __future__ import annotations

import importlib.util
import random
import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp

from ludus.bench import PLIES, Peer, best_rate
from ludus.games.hex.rules import Hex


def measure_pgx(lanes: int, seconds: float = 1.0) -> float:
    """Plies a second of random play by Pgx's Hex (11 x 11 is the one size it plays), reset included."""
    import pgx  # pyright: ignore[reportMissingImports]

    env = pgx.make("hex")

    @jax.jit
    def play_on(state: Any, key: jax.Array) -> tuple[Any, jax.Array]:
        def body(state: Any, key: jax.Array) -> tuple[Any, jax.Array]:
            key_move, key_init = jax.random.split(key)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            moved = jax.vmap(env.step)(state, jax.random.categorical(key_move, logits, axis=-1))
            fresh = jax.vmap(env.init)(jax.random.split(key_init, lanes))
            over = moved.terminated
            pick = jax.vmap(lambda over, a, b: jax.tree.map(lambda x, y: jnp.where(over, x, y), a, b))
            return pick(over, fresh, moved), jnp.int32(lanes)

        return jax.lax.scan(body, state, jax.random.split(key, PLIES))

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), lanes))
    state, _ = play_on(state, jax.random.key(1))
    return best_rate(seconds, play_on, state)


def measure_open_spiel(size: int, seconds: float = 1.0) -> float:
    """Plies a second of random play by OpenSpiel's Hex from Python."""
    import pyspiel  # pyright: ignore[reportMissingImports]

    game, chance, plies, begin = pyspiel.load_game(f"hex(board_size={size})"), random.Random(0), 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds or plies == 0:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()))
            plies += 1
    return plies / spent


def peers(game: Hex, lanes: tuple[int, ...], seconds: float) -> Iterator[Peer]:
    """The installed implementations and their rates; Pgx with as many games at once as ours, up to 65,536."""
    if importlib.util.find_spec("pgx") and game.size == 11:
        for count in tuple(n for n in lanes if n <= 65536) or lanes[:1]:
            yield Peer("Pgx", measure_pgx(count, seconds), count)
    if importlib.util.find_spec("pyspiel"):
        yield Peer("OpenSpiel (Python)", measure_open_spiel(game.size, seconds))
