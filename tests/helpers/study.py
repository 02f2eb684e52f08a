"""All that the laws look at in one game: computed on the device when first asked for, and kept on the host."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from helpers.batched import Facts, call, repeat, stack, unstack
from helpers.cases import Reference, reference_of
from helpers.knowledge import HAND_PICKED
from helpers.positions import random_positions
from ludus.core.game import Game

POSITIONS = 48  # N, of which a quarter are finished
SAMPLES = 6  # K, the moves tried in each


class Images(NamedTuple):
    """The symmetric images, leaves [N, G, ...], what the game says of them, and moves made before and after."""

    states: Any
    actions: Any
    facts: Facts
    stepped: Any  # [N, K, G]: the image of the move, made in the image
    of_stepped: Any  # [N, K, G]: the image of the position after the move


class Canonical(NamedTuple):
    """The canonical forms, leaves [N, ...], and what the game says of them."""

    states: Any
    again: Any  # the canonical forms of those
    actions: Any  # where each action goes
    back: Any  # and where that goes
    facts: Facts
    stepped: Any  # [N, K]: the canonical form of the position after the move made there
    of_stepped: Any  # [N, K]: the canonical form of the position after the move


class Study:
    """One game, N random positions of it, and what its rules make of them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        picked = [game.parse(text) for text in HAND_PICKED.get(game.name, lambda game: [])(game)]
        random = random_positions(game, POSITIONS - len(picked))
        self.states = stack([*(unstack(random, i) for i in range(POSITIONS - len(picked))), *picked])
        self.each = [unstack(self.states, i) for i in range(POSITIONS)]
        self.texts = [game.format(state) for state in self.each]

    @functools.cached_property
    def reference(self) -> Reference:
        return reference_of(self.game)

    @functools.cached_property
    def facts(self) -> Facts:
        return call(self.game, "facts", self.states)

    @functools.cached_property
    def live(self) -> np.ndarray:
        return ~self.facts.done

    def legal_actions(self, i: int) -> list[int]:
        return np.flatnonzero(self.facts.legal[i]).tolist() if self.live[i] else []

    @functools.cached_property
    def nth_legal(self) -> np.ndarray:
        """[N, max_legal]; of no meaning from the number of legal moves on."""
        numbers = np.resize(np.arange(self.game.max_legal, dtype=np.int32), (POSITIONS, self.game.max_legal))
        return call(self.game, "nth_legal", repeat(self.states, self.game.max_legal), numbers, axes=2)

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
        """The positions after the sampled moves, leaves [N, K, ...]."""
        return call(self.game, "step", repeat(self.states, SAMPLES), self.samples, axes=2)

    @functools.cached_property
    def afterstates(self) -> Any:
        return call(self.game, "afterstates", self.states)

    @functools.cached_property
    def images(self) -> Images:
        states, actions = call(self.game, "symmetries", self.states)
        there = np.stack([actions[i][:, self.samples[i]].T for i in range(POSITIONS)])  # [N, K, G]
        stepped = call(self.game, "step", repeat(states, SAMPLES), there, axes=3)
        of_stepped, _ = call(self.game, "symmetries", self.stepped, axes=2)
        return Images(states, actions, call(self.game, "facts", states, axes=2), stepped, of_stepped)

    @functools.cached_property
    def canonical(self) -> Canonical:
        game, count = self.game, self.game.num_actions
        states = call(game, "canonical", self.states)
        every, from_each = np.resize(np.arange(count, dtype=np.int32), (POSITIONS, count)), repeat(self.states, count)
        actions = call(game, "canonical_action", from_each, every, axes=2)
        back = call(game, "canonical_action", from_each, actions, axes=2)
        there = np.take_along_axis(actions, self.samples, axis=1)
        stepped = call(game, "step", repeat(states, SAMPLES), there, axes=2)
        forms = [call(game, "canonical", after, axes=2) for after in (stepped, self.stepped)]
        return Canonical(states, call(game, "canonical", states), actions, back, call(game, "facts", states), *forms)


@functools.cache
def study(game: Game) -> Study:
    return Study(game)
