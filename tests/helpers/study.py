"""All that the laws look at in one game: computed on the device once, in a few compiled calls, and kept on the host."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from helpers.cases import Reference, reference_of
from helpers.positions import on_host, random_positions, unstack
from ludus.game import Game, afterstates

POSITIONS = 48  # N, of which a quarter are finished
SAMPLES = 6  # K, the moves tried in each


class Look(NamedTuple):
    """What a game says of a position; every array begins with N."""

    legal: Any
    num_legal: Any
    nth_legal: Any  # for every n up to max_legal
    done: Any
    returns: Any
    player: Any
    observe: Any


class Canonical(NamedTuple):
    """The canonical forms, leaves [N, ...], and what the game says of them."""

    states: Any
    again: Any  # the canonical forms of those
    actions: Any  # where each action goes
    back: Any  # and where that goes
    legal: Any
    done: Any
    relative: Any
    observe: Any
    stepped: Any  # [N, K]: the canonical form of the move made there
    of_stepped: Any  # [N, K]: the canonical form of the position after the move


class Images(NamedTuple):
    """The symmetric images, leaves [N, G, ...], what the game says of them, and moves made before and after."""

    states: Any
    actions: Any
    legal: Any
    done: Any
    relative: Any  # the mover's return
    observe: Any
    stepped: Any  # [N, K, G]: the image of the move, in the image
    images_of_stepped: Any  # [N, K, G]: the image of the position after the move


class Study:
    """One game, N random positions of it, and what its rules make of them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.states = random_positions(game, POSITIONS)
        self.each = [unstack(self.states, i) for i in range(POSITIONS)]
        self.texts = [game.format(state) for state in self.each]

    @functools.cached_property
    def reference(self) -> Reference:
        return reference_of(self.game)

    @functools.cached_property
    def look(self) -> Look:
        game, numbers = self.game, jnp.arange(self.game.max_legal, dtype=jnp.int32)

        def look(state: Any) -> Look:
            nth = jax.vmap(game.nth_legal, (None, 0))(state, numbers)
            facts = game.done(state), game.returns(state), game.player(state), game.observe(state)
            return Look(game.legal(state), game.num_legal(state), nth, *facts)

        return on_host(jax.jit(jax.vmap(look))(self.states))

    @functools.cached_property
    def live(self) -> np.ndarray:
        return ~self.look.done

    def legal_actions(self, i: int) -> list[int]:
        return np.flatnonzero(self.look.legal[i]).tolist() if self.live[i] else []

    @functools.cached_property
    def samples(self) -> np.ndarray:
        """Legal actions [N, K] at random, the last ones among them; zero where the game is over."""
        rng = np.random.default_rng(1)
        chosen = np.zeros((POSITIONS, SAMPLES), np.int32)
        for i in range(POSITIONS):
            if actions := self.legal_actions(i):
                chosen[i] = [actions[-1], *rng.choice(actions, SAMPLES - 1)]
        return chosen

    def move(self, i: int, k: int) -> str:
        """A sampled move as text."""
        return self.game.format_move(self.each[i], int(self.samples[i, k]))

    @functools.cached_property
    def stepped(self) -> Any:
        """The positions after those, leaves [N, K, ...]."""
        step = jax.vmap(jax.vmap(self.game.step, (None, 0)))
        return on_host(jax.jit(step)(self.states, self.samples))

    @functools.cached_property
    def images(self) -> Images:
        game = self.game

        def images(state: Any, samples: Any) -> Images:
            states, actions = game.symmetries(state)
            relative = jax.vmap(lambda image: game.returns(image)[game.player(image)])(states)
            stepped = jax.vmap(lambda a: jax.vmap(game.step)(states, actions[:, a]))(samples)
            images_of_stepped = jax.vmap(lambda a: game.symmetries(game.step(state, a))[0])(samples)
            legal, done, observe = (jax.vmap(method)(states) for method in (game.legal, game.done, game.observe))
            return Images(states, actions, legal, done, relative, observe, stepped, images_of_stepped)

        return on_host(jax.jit(jax.vmap(images))(self.states, self.samples))

    @functools.cached_property
    def canonical(self) -> Canonical:
        game = self.game

        def canonical(state: Any, samples: Any) -> Canonical:
            there = game.canonical(state)
            move = jax.vmap(game.canonical_action, (None, 0))
            actions = move(state, jnp.arange(game.num_actions, dtype=jnp.int32))
            stepped = jax.vmap(lambda a: game.canonical(game.step(there, actions[a])))(samples)
            of_stepped = jax.vmap(lambda a: game.canonical(game.step(state, a)))(samples)
            facts = game.legal(there), game.done(there), game.returns(there)[game.player(there)], game.observe(there)
            return Canonical(there, game.canonical(there), actions, move(state, actions), *facts, stepped, of_stepped)

        return on_host(jax.jit(jax.vmap(canonical))(self.states, self.samples))

    @functools.cached_property
    def afterstates(self) -> Any:
        return on_host(jax.jit(jax.vmap(lambda state: afterstates(self.game, state)))(self.states))


@functools.cache
def study(game: Game) -> Study:
    return Study(game)


def same(one: Any, two: Any) -> np.ndarray:
    """Which states of two stacks are equal, leaf by leaf: one flag for each index that all leaves share."""
    shared = min(leaf.ndim for leaf in jax.tree.leaves(one))
    flags = np.ones(jax.tree.leaves(one)[0].shape[:shared], bool)
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(two), strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        flags &= (a == b).reshape(*flags.shape, -1).all(axis=-1)
    return flags
