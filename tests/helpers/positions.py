"""Random positions of any game, made by random play on the device: the start, the middle and the end of games."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from helpers.batched import call, on_host, stack, unstack
from ludus.core.game import Game

__all__ = ["MAX_PLIES", "STARTS", "STUCK", "on_host", "random_positions", "stack", "starts_of", "unstack"]

MAX_PLIES = 200

#: Black to move cannot: found by search. It is over, and by marbles white has won.
STUCK = "...../w...../w....../bw....../bww....../bbww..../wwbw.../bwbw../bwbw. b"


def abalone_texts(game: Game, rng: random.Random) -> list[str]:
    """The start, many times; a stuck mover; and few marbles scattered, where games soon come to an end."""
    texts = [game.format(game.init())] * 20 + [STUCK]
    while len(texts) < 64:
        black, white = (rng.choice((9, 9, 10, 12)) for _ in range(2))
        cells = list("b" * black + "w" * white + "." * (61 - black - white))
        rng.shuffle(cells)
        rows = ["".join(cells.pop() for _ in range(length)) for length in (5, 6, 7, 8, 9, 8, 7, 6, 5)]
        texts.append(f"{'/'.join(rows)} {rng.choice('bw')}")
    return texts


def solitaire_texts(game: Game, rng: random.Random) -> list[str]:
    """Any number of any pieces anywhere: a puzzle that can be solved would see too little of the rules."""
    size = game.size  # pyright: ignore[reportAttributeAccessIssue]
    texts = []
    while len(texts) < 64:
        count = rng.randint(1, size * size)
        pieces = [rng.choice("QRBNP") for _ in range(count)]
        if rng.random() < 0.7:
            pieces[0] = "K"
        cells = pieces + ["."] * (size * size - count)
        rng.shuffle(cells)
        texts.append(game.format(game.parse("".join(cells))))
    return texts


#: Where random play starts. A game that is not named here starts where it always does.
STARTS: dict[str, Callable[[Game, random.Random], list[str]]] = {
    "abalone": abalone_texts,
    "solitaire-chess": solitaire_texts,
}


@functools.cache
def starts_of(game: Game, seed: int) -> Any:
    """64 starts, every leaf [64, ...], on the host."""
    if game.name in STARTS:
        return stack([game.parse(text) for text in STARTS[game.name](game, random.Random(seed))])
    keys = jax.random.split(jax.random.key(seed), 64)
    return on_host(jax.jit(jax.vmap(game.sample))(keys))


@functools.cache
def _games(game: Game, seed: int) -> tuple[Any, np.ndarray]:
    """64 random games, leaves [T, 64, ...], and how many plies each has."""
    states, plies = [starts_of(game, seed)], np.zeros(64, int)
    while len(states) <= min(game.max_plies, MAX_PLIES):
        now = states[-1]
        facts = call(game, "facts", now)
        if facts.done.all():
            break
        number = np.random.default_rng((seed, len(states))).integers(0, np.maximum(facts.num_legal, 1), dtype=np.int32)
        moved = call(game, "step", now, call(game, "nth_legal", now, number))
        states.append(jax.tree.map(lambda new, old, done=facts.done: np.where(done, old, new), moved, now))
        plies += ~facts.done
    return stack(states), plies


def random_positions(game: Game, count: int, seed: int = 0, ends: bool = True) -> Any:
    """Positions of random games, every leaf [count, ...]: the first few plies, then finished ones (a quarter, if
    wanted), then any that are played on from.
    """
    states, plies = _games(game, seed)
    rng = np.random.default_rng(seed)
    lanes = rng.permutation(np.resize(np.arange(64), count))
    chosen = rng.integers(0, np.maximum(plies[lanes], 1))
    chosen[:3] = np.minimum((0, 1, 2), plies[lanes[:3]])
    if ends:
        last = slice(3, 3 + count // 4)
        chosen[last] = plies[lanes[last]]
    return jax.tree.map(lambda leaf: leaf[chosen, lanes], states)
