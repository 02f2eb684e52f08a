"""What the tests of runs share: a learner as small as can be, and what there is to compare of trees and folders."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from helpers.text import refusal as sentence_of
from ludus.runs import run_folder, run_info

CONFIG = {"game": "hex size=3", "recipe": "best", "seed": 0, "rates": (0.1, 0.01), "command": ["ludus", "train"]}


def bits(leaf: Any) -> tuple:
    """All there is to know of a leaf."""
    dtype = str(getattr(leaf, "dtype", ""))
    data = jax.random.key_data(leaf) if dtype.startswith("key") else leaf
    return type(leaf), dtype, getattr(leaf, "weak_type", None), np.shape(leaf), np.asarray(data).tobytes()


def same(a: Any, b: Any) -> bool:
    return jax.tree.structure(a) == jax.tree.structure(b) and [*map(bits, jax.tree.leaves(a))] == [
        *map(bits, jax.tree.leaves(b))
    ]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(at.relative_to(folder)): at.read_bytes() for at in sorted(folder.rglob("*")) if at.is_file()}


def outcome(folder: Path) -> dict[str, bytes]:
    """What two makings of the same run have in common."""
    return {name: data for name, data in contents(folder).items() if name != run_info.TIMING}


def refusal(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused: one, and about a file that it names."""
    text = sentence_of(act)
    assert ". " not in text
    assert text.count("'") >= 2
    return text


class Learner(NamedTuple):
    """As small as a learner can be: it walks at random."""

    where: Any
    key: Any
    seen: dict[str, Any]


def begin() -> Learner:
    return Learner(jnp.float32(0), jax.random.key(7), {"last": jnp.zeros(4, jnp.int32)})


@jax.jit
def update(state: Learner) -> Learner:
    key, key_step = jax.random.split(state.key)
    where = state.where + jax.random.normal(key_step)
    return Learner(where, key, {"last": jnp.roll(state.seen["last"], 1).at[0].set((where * 1000).astype(jnp.int32))})


def train(path: Path, steps: int, every: int = 2, begin: Callable = begin, update: Callable = update) -> Any:
    """Begin or go on, and end after so many steps: what a training command does."""
    run = run_folder.open_run(path) if (path / run_info.CONFIG).exists() else run_folder.create(path, CONFIG)
    step, state = run.restore(begin()) or (0, begin())
    while step < steps:
        state = update(state)
        step += 1
        run.log({"step": step, "where": state.where})
        run.time({"clock": time.monotonic()})
        if step % every == 0:
            run.checkpoint(step, state)
    return state
