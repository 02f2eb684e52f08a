"""What holds for every learner: its record says what it can do, and one program trains every config it stands for."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.batched import on_host, unstack
from helpers.positions import random_positions
from helpers.text import refusal

import ludus.learners
from ludus.core.game import Game, compiled, legal_actions
from ludus.games.hex.rules import Hex
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners import LEARNERS, find_config, find_learner
from ludus.learners.learner import Learner

HEX3, PUZZLES = Hex(size=3), SolitaireChess(size=3)
ROUNDS = 2

#: Small, and other than the defaults wherever that is possible: what a program loses of a config makes a difference.
TINY: dict[str, dict[str, Any]] = {
    "afterstate": {
        **{"hidden": (8,), "inputs": "raw", "gamma": 0.8, "epsilon": 0.3, "learning_rate": 2e-3, "games": 500},
        **{"lanes": 4, "plies": 8, "updates": 2, "batch": 16, "memory": 64},
    },
    "dqn": {
        **{"hidden": (8,), "inputs": "planes", "head": "full", "backup": "own-turn", "memory": 16, "recall": 2},
        **{"optimizer": "rmsprop", "learning_rate": 0.01, "final_rate": 0.5, "gamma": 0.8, "epsilon": 0.3},
        **{"final_epsilon": 0.2, "games": 500, "lanes": 4},
    },
    "negamax": {
        **{"hidden": (8,), "backups": 3, "gamma": 0.9, "epsilon": 0.2, "random_plies": 3, "handicap": 0.25},
        **{"optimizer": "rmsprop", "learning_rate": 2e-3, "games": 500, "lanes": 4, "plies": 8, "updates": 2},
        **{"batch": 8, "memory": 64, "rounds": 4, "calls": 2, "lookahead": True, "images": 2},
    },
    "online": {
        **{"algorithm": "greedy-gq", "backup": "paper", "alpha": 0.02, "ratio": 0.5, "epsilon": 0.3, "trace": 0.4},
        **{"games": 500, "moves": 12, "starts": 16, "rounds": 3},
    },
    "batch": {
        **{"network": "rnn", "target": "sarsa", "objective": "pbe", "backup": "paper", "learning_rate": 0.002},
        **{"projection_rate": 0.05, "epsilon": 0.3, "games": 500, "moves": 20, "sequence": 5, "memory": 60},
        **{"starts": 16, "rounds": 3, "first_weights": 2.0},
    },
    "returns": {
        **{"hidden": (8,), "gamma": 0.8, "trace": 0.4, "result": 2.0, "epsilon": 0.3, "random_plies": 2, "lanes": 4},
        **{"plies": 8, "updates": 2, "most_moves": 6, "learning_rate": 2e-3, "games": 500, "rounds": 3},
    },
    "alphazero": {
        **{"hidden": (8,), "simulations": 6, "considered": 3, "images": 1, "learning_rate": 3e-3},
        **{"random_plies": 2, "least_plies": 1, "value_scale": 0.3, "rescaled": False, "decided": 0.9, "warm": 3},
        **{"final_rate": 0.1, "decay": 1e-3, "average": 0.9, "games": 500, "lanes": 4, "plies": 4, "updates": 2},
        **{"batch": 16, "openings": "balanced", "tape": 12, "kept": 5, "wait": 5, "season": 3, "rounds": 4, "calls": 2},
    },
    "trees": {
        **{"hidden": (8,), "learning_rate": 2e-3, "games": 500, "rows": 256, "width": 30, "memory": 512},
        **{"updates": 2, "batch": 16, "rounds": 3},
    },
    "td": {
        **{"features": "bordered", "hidden": 6, "output": "scaled", "scale": 3.0, "result_counts": False},
        **{"reward_counts": True, "alpha": 0.4, "trace": 0.5, "gamma": 0.9, "kappa": -0.5, "risk": "text"},
        **{"epsilon": 0.8, "final_epsilon": 0.2, "epsilon_games": 3, "opponent": "random-first", "first_games": 1},
        **{"games": 500, "rounds": 3, "repetition": "plays-on"},
    },
}
#: And those that one config cannot show.
MORE: dict[str, tuple[str, dict[str, Any]]] = {
    "online with an actor": (
        "online",
        {
            **TINY["online"],
            **{"algorithm": "tdc", "actor": "natural", "actor_rate": 0.03, "actor_trace": 0.2},
            **{"second_order": False, "bound": 5.0, "advantage": "error", "natural_rate": 0.3},
        },
    ),
    "batch without a projection": ("batch", {**TINY["batch"], "network": "cnn", "objective": "mse"}),
    "dqn from transitions": (
        "dqn",
        {
            **TINY["dqn"],
            "steps": 3,
            **{"backup": "negamax", "batch": "transitions", "transitions": 8, "head": "groups", "inputs": "raw"},
            "target": 2,
            **{"optimizer": "nesterov", "momentum": 0.8},
        },
    ),
}
#: Settings of a network that this game is not played with, or of a view that it does not have.
OTHERS = {
    "td": {"view"},
    "negamax": {"network", "width", "depth"},
    "returns": {"network", "units"},
    "alphazero": {"network", "width", "blocks", "norms"},
}
CASES = {name: (name, settings) for name, settings in TINY.items()} | MORE

each_learner = pytest.mark.parametrize("name", LEARNERS)
each_case = pytest.mark.parametrize("case", CASES)
one_a_learner = pytest.mark.parametrize(
    "case", [*TINY, *(pytest.param(case, marks=pytest.mark.campaign) for case in MORE)]
)


@pytest.fixture(autouse=True)
def optax_promotes() -> Iterator[None]:
    """Optax's Adam mixes dtypes in its bias correction, which strict promotion refuses."""
    with jax.numpy_dtype_promotion("standard"):
        yield


def record_and_config(case: str) -> tuple[Learner, Any]:
    name, settings = CASES[case]
    learner = find_learner(name)
    return learner, find_config(learner.name)(**settings)


def game_of(learner: Learner) -> Game:
    """One that it can learn."""
    return PUZZLES if learner.name == "trees" else HEX3


def train(learner: Learner, config: Any, sweep: Any = None, setup: Any = None) -> tuple[Any, Any, Any]:
    """A new run, the run after some rounds, and the metrics."""
    game = game_of(learner)
    begin = jitted(lambda key, sweep, setup: learner.init(config, game, key, sweep, setup))
    rounds = jitted(lambda s: jax.lax.scan(lambda s, _: learner.advance(config, game, s), s, None, length=ROUNDS))
    state = begin(jax.random.key(0), sweep, setup)
    return state, *rounds(state)


def jitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compiled without optimisation, in half the time: it runs only once."""
    options = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
    return jax.jit(function, compiler_options=options)


@functools.cache
def trained(case: str) -> tuple[Any, Any, Any]:
    return train(*record_and_config(case))


def leaves(tree: Any) -> list[np.ndarray]:
    """Of any kind, keys included."""
    return [
        np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)
        for leaf in jax.tree.leaves(tree)
    ]


def same(one: Any, two: Any) -> bool:
    assert jax.tree.structure(one) == jax.tree.structure(two)
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(leaves(one), leaves(two), strict=True))


# --- the record ---------------------------------------------------------------------------------------------


def test_the_list_is_of_all_modules_that_have_a_record() -> None:
    modules = [
        importlib.import_module(f"ludus.learners.{m.name}") for m in pkgutil.iter_modules(ludus.learners.__path__)
    ]
    assert {module.LEARNER.name for module in modules if hasattr(module, "LEARNER")} == set(LEARNERS)
    assert len(set(LEARNERS)) == len(LEARNERS)


@each_learner
def test_a_learner_is_found_by_its_name_and_says_what_it_rates(name: str) -> None:
    learner = find_learner(name)
    assert isinstance(learner, Learner)
    assert learner is importlib.import_module(f"ludus.learners.{name}").LEARNER
    assert learner.name == name
    assert learner.move_values is not None or learner.position_value is not None


def test_a_learner_that_is_none_is_refused() -> None:
    message = refusal(find_learner, "magic\nbook")
    assert message == f"there is no learner 'magic book'; there are {', '.join(LEARNERS)}."


@each_learner
def test_a_config_is_frozen_and_a_key_to_what_was_compiled(name: str) -> None:
    config = find_config(name)
    assert config() == config()
    assert hash(config(**TINY[name])) == hash(config(**TINY[name]))
    assert config(**TINY[name]) != config()
    assert config().games >= 1
    with pytest.raises(FrozenInstanceError):
        config().games = 1


@each_case
def test_runs_are_divided_for_whoever_watches(case: str) -> None:
    learner, config = record_and_config(case)
    pace, span = learner.pace(config), learner.span(config)
    assert pace.rounds >= 1
    assert pace.calls >= 1
    assert span.size >= 1
    assert span.unit in ("games", "moves")


def test_the_settings_tried_here_are_none_of_the_defaults() -> None:
    """Each setting is changed in at least one case, except those of another network, actor or batch."""
    for name in LEARNERS:
        kind = find_config(name)
        changed = {
            key
            for learner, settings in CASES.values()
            if learner == name
            for key in settings
            if settings[key] != getattr(kind, key)
        }
        assert {field.name for field in fields(kind)} - changed <= OTHERS.get(name, set())


# --- training -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@one_a_learner
def test_it_trains(case: str) -> None:
    learner, config = record_and_config(case)
    begun, state, metrics = trained(case)
    assert (int(begun.games), int(begun.rounds)) == (0, 0)
    assert int(state.rounds) == ROUNDS
    assert int(state.games) > 0
    span = learner.span(config)
    if span.unit == "games":
        assert int(state.games) == ROUNDS * span.size
    else:
        assert int(state.games) <= ROUNDS * span.size
    assert jax.tree.structure(begun) == jax.tree.structure(state)
    weights = learner.weights(begun), learner.weights(state)
    assert not same(*weights)
    assert all(np.isfinite(leaf).all() for leaf in leaves(weights))
    assert all(np.shape(values) == (ROUNDS,) for values in metrics.values())
    assert np.isfinite(np.asarray(metrics["loss"])).all()


@pytest.mark.slow
@one_a_learner
def test_a_player_takes_what_it_rates_highest(case: str) -> None:
    learner, config = record_and_config(case)
    weights = learner.weights(trained(case)[1])
    game = game_of(learner)
    states = random_positions(game, 24, ends=False)
    chosen, at_random = (
        np.asarray(jitted(learner.policy(config, game, weights, epsilon))(jax.random.key(1), states)).tolist()
        for epsilon in (0.0, 1.0)
    )
    for i in range(24):
        state = unstack(states, i)
        legal = legal_actions(game, state)
        if not legal:  # a puzzle that is stuck before it begins
            continue
        assert at_random[i] in legal
        rated = _rated(case, weights, state, legal)
        assert rated[chosen[i]] == pytest.approx(max(rated.values()), abs=1e-5)
    assert at_random != chosen


def _rated(case: str, weights: Any, state: Any, legal: list[int]) -> dict[int, float]:
    """What each legal move is worth to its mover, by the record's ratings alone."""
    if record_and_config(case)[0].move_values is not None:
        values = np.asarray(_rating(case)(weights, state))
        return {action: float(values[action]) for action in legal}
    rated, game = {}, game_of(record_and_config(case)[0])
    for action in legal:
        after = on_host(compiled(game).step(state, np.int32(action)))
        theirs = float(_rating(case)(weights, after))
        rated[action] = -theirs if game.num_players == 2 else theirs  # the other side moves there, if there is one
    return rated


@functools.cache
def _rating(case: str) -> Any:
    learner, config = record_and_config(case)
    rating = learner.move_values or learner.position_value
    assert rating is not None
    return jax.jit(lambda weights, state: rating(config, game_of(learner), weights, state))


@each_case
def test_a_player_without_lookahead_is_otherwise_the_same(case: str) -> None:
    learner, config = record_and_config(case)
    glance = learner.without_lookahead(config)
    differs = {field.name for field in fields(config) if getattr(config, field.name) != getattr(glance, field.name)}
    assert differs == ({"lookahead"} if getattr(config, "lookahead", False) else set())


# --- programs and sweeps ------------------------------------------------------------------------------------


@pytest.mark.slow
@one_a_learner
def test_a_program_with_a_sweep_trains_as_the_config_itself(case: str) -> None:
    learner, config = record_and_config(case)
    program, sweep = learner.program(config), learner.sweep(config)
    if sweep is None:
        assert program == config  # there is nothing else to say how runs differ
        return
    found = train(learner, program, sweep)
    for ours, wanted in zip(found, trained(case), strict=True):
        assert same(ours, wanted)
    # Were the sweep of no account, the same would come of another.
    other = train(learner, program, learner.sweep(find_config(learner.name)(**_in_place(config, program))))
    assert not same(learner.weights(other[1]), learner.weights(found[1]))


def _in_place(config: Any, program: Any) -> dict[str, Any]:
    """The settings of the shared program: the config without what may be swept."""
    return {field.name: getattr(program, field.name) for field in fields(config)}


@each_case
def test_all_runs_that_differ_in_what_is_swept_have_one_program(case: str) -> None:
    learner, config = record_and_config(case)
    program = learner.program(config)
    assert learner.program(program) == program
    if learner.sweep(config) is not None:
        assert program != config
        assert jax.tree.structure(learner.sweep(program)) == jax.tree.structure(learner.sweep(config))


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in TINY if find_learner(case).setup])
def test_what_runs_begin_with_may_be_made_beforehand(case: str) -> None:
    learner, config = record_and_config(case)
    make = learner.setup
    assert make is not None
    given, by_program = (make(c, HEX3, jax.random.key(5)) for c in (config, learner.program(config)))
    assert same(given, by_program)
    begun, state, _ = train(learner, config, setup=given)
    again = train(learner, config, setup=given)[1]
    assert same(state, again)
    assert not same(learner.weights(begun), learner.weights(trained(case)[0]))
    other = jax.jit(lambda key: learner.init(config, HEX3, key, None, given))(jax.random.key(9))
    assert same(learner.weights(other), learner.weights(begun))
