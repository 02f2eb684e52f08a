"""What reproductions share: training a whole grid as one program, exact strength at every point, intervals, CSV, plots.

Settings that differ only in what a learner can sweep, and all their seeds, are one compiled program mapped over runs.
"""

from __future__ import annotations

import csv
import functools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.core.game import Game
from ludus.learners import dqn
from ludus.play import selfplay
from ludus.study.statistics import estimate
from ludus.training.agents import Agent, PerfectAgent, RandomAgent, TrainedAgent
from ludus.training.recipes import Recipe
from ludus.truth import batched as device
from ludus.truth.grade import grade
from ludus.truth.solve import solve

EPSILON = 0.01  # while playing the random opponent
SAMPLED = 1000  # games of each opponent in each seat, where the paper sampled
MEASURES = (
    "random_first",
    "random_second",
    "perfect_first",
    "perfect_second",
    "random_sampled",
    "perfect_sampled",
    "kept",
)


@dataclass(frozen=True)
class Setting:
    """One curve of a figure."""

    label: str
    config: dqn.Config


@dataclass(frozen=True)
class Point:
    """One run of one setting, measured after so many games."""

    label: str
    seed: int
    games: int
    loss: float
    random_first: float  # exact win rates against random, moving at random with probability EPSILON
    random_second: float
    perfect_first: float  # exact no-loss rates against perfect, always greedy
    perfect_second: float
    random_sampled: float  # the same two over sampled games, both seats
    perfect_sampled: float
    kept: int  # positions of which the greedy policy keeps the value

    @property
    def vs_random(self) -> float:
        return (self.random_first + self.random_second) / 2

    @property
    def vs_perfect(self) -> float:
        return (self.perfect_first + self.perfect_second) / 2


def run_settings(
    game: Game,
    settings: Sequence[Setting],
    seeds: int,
    games: int,
    every: int,
    log: Callable[[str], None] = lambda line: None,
    sampled: int = SAMPLED,
) -> list[Point]:
    """Train every setting from every seed, measured every so many games; what was run before is not run again."""

    def known(setting: Setting) -> list[Point] | None:
        """The points of an earlier run of the same setting, if it was as long."""
        for (config, *same, length), points in _DONE.items():
            if config == setting.config and same == [game, seeds, every, sampled] and length >= games:
                return [replace(point, label=setting.label) for point in points if point.games <= games]
        return None

    groups: dict[dqn.Config, list[Setting]] = {}
    for setting in settings:
        if known(setting) is None:
            swept = dict.fromkeys(dqn.Sweep._fields, 0.0)
            groups.setdefault(replace(setting.config, **swept), []).append(setting)
    for config, group in groups.items():
        points = _run_group(game, config, group, seeds, games, every, log, sampled)
        for setting in group:
            mine = [point for point in points if point.label == setting.label]
            _DONE[setting.config, game, seeds, every, sampled, games] = mine
    return [point for setting in settings for point in known(setting) or []]


_DONE: dict[tuple[Any, ...], list[Point]] = {}


def _run_group(
    game: Game,
    config: dqn.Config,
    group: list[Setting],
    seeds: int,
    games: int,
    every: int,
    log: Callable[[str], None],
    sampled: int,
) -> list[Point]:
    labels = [(setting.label, seed) for setting in group for seed in range(seeds)]
    sweeps = [dqn.Sweep(*(jnp.float32(getattr(s.config, f)) for f in dqn.Sweep._fields)) for s in group]
    sweep = jax.tree.map(lambda *leaves: jnp.repeat(jnp.stack(leaves), seeds), *sweeps)
    keys = jnp.stack([jax.random.key(seed) for _ in group for seed in range(seeds)])
    state = jax.jit(jax.vmap(lambda key, sweep: dqn.init(config, game, key, sweep)))(keys, sweep)
    rounds = max(1, every // config.lanes)

    def several(state: dqn.State) -> tuple[dqn.State, Any]:
        return jax.lax.scan(lambda s, _: dqn.advance(config, game, s), state, None, length=rounds)

    program = jax.jit(jax.vmap(several), donate_argnums=0)
    measure = (host_measurer if jax.default_backend() == "cpu" else measurer)(game, config, sampled)
    points, begin = [], time.perf_counter()
    for step in range(max(1, round(games / (rounds * config.lanes)))):
        state, metrics = program(state)
        measured = measure(state.network, jax.random.key(step))
        table = {name: np.asarray(values) for name, values in measured.items()}
        losses, done = np.asarray(metrics["loss"])[:, -1], int(state.games[0])
        for run, (label, seed) in enumerate(labels):
            row = {name: table[name][run].item() for name in MEASURES}
            points.append(Point(label=label, seed=seed, games=done, loss=float(losses[run]), **row))
        latest = points[-len(labels) :]
        rate = np.mean([point.vs_random for point in latest])
        log(
            f"{', '.join(s.label for s in group)}: {done:,} games, {100 * rate:.1f}% against random, "
            f"{time.perf_counter() - begin:.0f} s"
        )
    return points


def _sample(
    game: Game, config: dqn.Config, network: Any, key: Any, other: selfplay.Policy, epsilon: float, games: int
) -> Any:
    """The shares won, and not lost, of so many games in each seat."""
    shift = (jnp.arange(2 * games) >= games).astype(jnp.int32)
    players = selfplay.seated(game, (dqn.policy(config, game, network, epsilon), other), shift)
    returns = selfplay.play(game, players, key, 2 * games).returns
    ours = jnp.take_along_axis(returns, shift[:, None], axis=1)[:, 0]
    return jnp.stack([(ours > 0).mean(), (ours >= 0).mean()])


def measurer(game: Game, config: dqn.Config, sampled: int) -> Callable[[Any, Any], dict[str, Any]]:
    """A compiled function that measures a batch of networks."""
    perfect_policy = PerfectAgent().policy(game)

    def greedy(at: device.Board, network: Any) -> Any:
        q = jax.vmap(lambda state: dqn.action_values(config, game, network, state))(at.states)
        q = jnp.take_along_axis(q, at.action, axis=1)
        return device.shares(jax.vmap(dqn.best_moves)(q, at.valid))

    def sample(network: Any, key: Any, other: selfplay.Policy, epsilon: float) -> Any:
        return _sample(game, config, network, key, other, epsilon, sampled) if sampled else jnp.full(2, jnp.nan)

    def measure(at: device.Board, network: Any, key: Any) -> dict[str, Any]:
        key_random, key_perfect = jax.random.split(key)
        policy = greedy(at, network)
        against_random = device.worth(at, device.noisy(at, policy, EPSILON), device.shares(at.valid), game.max_plies)
        against_perfect = device.worth(at, policy, device.shares(at.preserving), game.max_plies)
        return {
            "random_first": against_random[0, 0],
            "random_second": against_random[1, 0],
            "perfect_first": 1 - against_perfect[0, 1],
            "perfect_second": 1 - against_perfect[1, 1],
            "random_sampled": sample(network, key_random, selfplay.random_policy(game), EPSILON)[0],
            "perfect_sampled": sample(network, key_perfect, perfect_policy, 0.0)[1],
            "kept": device.kept(at, policy),
        }

    @jax.jit
    def measure_all(at: device.Board, networks: Any, key: Any) -> dict[str, Any]:
        keys = jax.random.split(key, len(jax.tree.leaves(networks)[0]))
        return jax.lax.map(lambda given: measure(at, *given), (networks, keys))

    # The board is an argument and no constant, else the compiler tries to work it out beforehand.
    return functools.partial(measure_all, device.board(solve(game)))


def host_measurer(game: Game, config: dqn.Config, sampled: int) -> Callable[[Any, Any], dict[str, Any]]:
    """The same on a machine without an accelerator, where sparse matrices are the quicker way to the exact figures."""
    recipe = Recipe("", "dqn", config)

    def sampler(other: Agent, epsilon: float) -> Callable[[Any, Any], Any]:
        policy = other.policy(game)
        return jax.jit(lambda network, key: _sample(game, config, network, key, policy, epsilon, sampled))

    samplers = {"random": sampler(RandomAgent(), EPSILON), "perfect": sampler(PerfectAgent(), 0.0)}

    def measure(networks: Any, key: Any) -> dict[str, Any]:
        count = len(jax.tree.leaves(networks)[0])
        rows = [
            one(jax.tree.map(lambda leaf, i=i: leaf[i], networks), jax.random.fold_in(key, i)) for i in range(count)
        ]
        return {name: np.array([row[name] for row in rows]) for name in MEASURES}

    def one(network: Any, key: Any) -> dict[str, Any]:
        agent = TrainedAgent("", recipe, network)
        seen = grade(agent, game, EPSILON)
        assert seen.vs_random is not None
        assert seen.vs_perfect is not None
        row: dict[str, Any] = {"kept": seen.value_preserving}
        for seat, place in enumerate(("first", "second")):
            row[f"random_{place}"] = seen.vs_random[seat].win
            row[f"perfect_{place}"] = seen.vs_perfect[seat].no_loss
        for place, (name, sample) in enumerate(samplers.items()):
            row[f"{name}_sampled"] = float(sample(network, key)[place]) if sampled else math.nan
        return row

    return measure


def at_end(points: Sequence[Point], label: str, measure: str = "vs_random") -> list[float]:
    """The last measure of each seed of a setting."""
    mine = [point for point in points if point.label == label]
    last = max(point.games for point in mine)
    return [getattr(point, measure) for point in mine if point.games == last]


def over_time(points: Sequence[Point], label: str, measure: str = "vs_random") -> list[float]:
    """The mean of each seed's curve: what it was worth all along, not only at the end."""
    mine = [point for point in points if point.label == label]
    seeds = sorted({point.seed for point in mine})
    return [float(np.mean([getattr(point, measure) for point in mine if point.seed == seed])) for seed in seeds]


def write_csv(points: Sequence[Point], path: Path) -> None:
    names = ("label", "seed", "games", "loss", *MEASURES)
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for point in points:
            row = [getattr(point, name) for name in names]
            writer.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in row])


def plot(points: Sequence[Point], path: Path, title: str, measure: str, ylabel: str) -> None:
    """A curve for each setting: the mean over seeds, its 95% interval shaded."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for color, label in enumerate(dict.fromkeys(point.label for point in points)):
        mine = [point for point in points if point.label == label]
        games = sorted({point.games for point in mine})
        estimates = [estimate([100 * getattr(p, measure) for p in mine if p.games == count]) for count in games]
        axes.plot(games, [e.mean for e in estimates], color=f"C{color}", label=label)
        axes.fill_between(games, [e.low for e in estimates], [e.high for e in estimates], color=f"C{color}", alpha=0.2)
    axes.set(title=title, xlabel="games of self-play", ylabel=ylabel)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.savefig(path)
