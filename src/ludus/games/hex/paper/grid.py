"""The runs of the Hex paper's figures: each figure's whole grid, all its seeds, one compiled call.

Every curve is recorded twice: as the paper does, by the mean value of the moves made in training; and by the truth, the
exact share of won positions in which the greedy policy keeps the win.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Bool, Float, Key

from ludus.games.hex.rules import Hex
from ludus.learners import batch, online
from ludus.learners.dqn import best_moves
from ludus.learners.views import bordered
from ludus.networks import HexNet, squash
from ludus.truth.solve import solve

GAME = Hex(size=3)
MEASURES = ("value", "held", "loss", "projection")
PRETRAINING = 500  # steps
PRETRAINING_BATCH = 50
PRETRAINING_RATE = 3e-3


def module_of(config: Any) -> Any:
    return online if isinstance(config, online.Config) else batch


@dataclass(frozen=True)
class Curve:
    """One curve of a figure: its panel, its name there, and what is run."""

    panel: str
    label: str
    config: Any  # of either learner
    pretrained: bool = False

    @property
    def program(self) -> Any:
        """What it shares with all the curves that one program can run together."""
        if isinstance(self.config, online.Config):
            actor = "none" if self.config.actor == "none" else "plain"
            return online.Config(actor=actor, moves=self.config.moves, starts=self.config.starts)
        return batch.Config(network=self.config.network, objective=self.config.objective)

    @property
    def sweep(self) -> Any:
        return module_of(self.config).sweep_of(self.config)


class Scored(NamedTuple):
    """Positions, and a teacher's score for each of their legal moves."""

    planes: Float[Array, "N H W C"]
    scores: Float[Array, "N A"]
    legal: Bool[Array, "N A"]


class Won(NamedTuple):
    """The positions that the mover can win, as networks see them, and the moves that do."""

    planes: Float[Array, "N H W C"]
    legal: Bool[Array, "N A"]
    winning: Bool[Array, "N A"]


@functools.cache
def won_positions() -> Won:
    """All won positions of the board, in the mover's view."""
    game = GAME
    solution = solve(game)
    graph = solution.graph
    legal = np.zeros((graph.num_positions, game.num_actions), bool)
    winning = legal.copy()
    legal[graph.parent, graph.action] = True
    winning[graph.parent, graph.action] = solution.move_value > 0
    rows = np.flatnonzero((solution.value > 0) & ~graph.over)
    states = jax.tree.map(lambda leaf: leaf[rows], graph.states)
    planes = jax.jit(jax.vmap(lambda state: bordered(game, state)))(states)
    return Won(planes, jnp.asarray(legal[rows]), jnp.asarray(winning[rows]))


def held(won: Won, values: Callable[[Float[Array, "H W C"]], Float[Array, "A"]]) -> Float[Array, ""]:
    """The share of won positions whose best-rated move (all of them, where several tie) keeps the win."""

    def kept(planes: Array, legal: Array, winning: Array) -> Float[Array, ""]:
        best = best_moves(values(planes), legal)
        return (best & winning).sum() / best.sum()

    return jax.vmap(kept)(*won).mean()


def rated_by(config: Any, weights: Any) -> Callable[[Float[Array, "H W C"]], Float[Array, "A"]]:
    """What a learner's player makes of a position's planes."""
    if isinstance(config, online.Config):
        network = online.unravel(GAME)(weights)
        return lambda planes: squash(network(planes))
    if config.network == "rnn":
        return lambda planes: weights(planes, weights.fresh())[1]
    return lambda planes: squash(weights(planes))


def pretrain(scored: Scored, network: HexNet, key: Key[Array, ""]) -> HexNet:
    """Supervised learning of a teacher's scores, before any play."""

    def loss(network: HexNet, rows: Array) -> Float[Array, ""]:
        errors = squash(jax.vmap(network)(scored.planes[rows])) - scored.scores[rows]
        return jnp.where(scored.legal[rows], errors**2, 0.0).sum() / scored.legal[rows].sum(dtype=jnp.float32)

    def step(carry: Any, key: Key[Array, ""]) -> Any:
        network, memory = carry
        rows = jax.random.randint(key, (PRETRAINING_BATCH,), 0, len(scored.scores))
        direction, memory = optax.scale_by_rms().update(jax.grad(loss)(network, rows), memory)
        return (jax.tree.map(lambda w, d: w - PRETRAINING_RATE * d, network, direction), memory), None

    begin = network, optax.scale_by_rms().init(network)  # pyright: ignore[reportArgumentType]
    return jax.lax.scan(step, begin, jax.random.split(key, PRETRAINING))[0][0]


def _program(programs: tuple[Any, ...], points: int, rounds: int) -> Callable[..., Any]:
    """A figure as one function: for each learner its runs to what was measured, and the weights at the end."""

    def one(config: Any, key: Key[Array, ""], sweep: Any, given: Any) -> Any:
        module = module_of(config)
        state = module.init(config, GAME, key, sweep, given)

        def point(state: Any, _: None) -> Any:
            state, seen = jax.lax.scan(lambda s, _: module.advance(config, GAME, s), state, None, length=rounds)
            return state, ({name: leaf.mean() for name, leaf in seen.items()}, module.weights(state))

        return jax.lax.scan(point, state, None, length=points)[1]

    def measure(config: Any, won: Won, weights: Any) -> Float[Array, "R P"]:
        runs, steps = jax.tree.leaves(weights)[0].shape[:2]
        flat = jax.tree.map(lambda leaf: leaf.reshape(runs * steps, *leaf.shape[2:]), weights)
        shares = jax.lax.map(lambda w: held(won, rated_by(config, w)), flat, batch_size=BATCH)
        return shares.reshape(runs, steps)

    def whole(won: Won, runs: tuple[Any, ...]) -> Any:
        found = []
        for config, (keys, sweeps, given) in zip(programs, runs, strict=True):
            seen, weights = jax.vmap(functools.partial(one, config))(keys, sweeps, given)
            final = jax.tree.map(lambda leaf: leaf[:, -1], weights)
            found.append((seen | {"held": measure(config, won, weights)}, final))
        return found

    return whole


BATCH = 4 if jax.default_backend() == "cpu" else 64  # networks measured together


class Result(NamedTuple):
    """What one curve came to, by seed and point; and the weights at the end, by seed."""

    curve: Curve
    moves: np.ndarray  # [points]
    measured: dict[str, np.ndarray]  # each [seeds, points]
    weights: Any

    def end(self, measure: str = "value") -> list[float]:
        return self.measured[measure][:, -1].tolist()

    def mean(self, measure: str = "value") -> list[float]:
        """The mean of each seed's curve: how soon it rose, as well as how far."""
        return self.measured[measure].mean(axis=1).tolist()


class Plan(NamedTuple):
    """The runs of some curves, by the program that runs them."""

    groups: dict[Any, list[Curve]]
    runs: tuple[Any, ...]  # for each program: keys, what is swept, what is begun with

    @property
    def shape(self) -> tuple[Any, ...]:
        return tuple((program, len(keys)) for program, (keys, *_) in zip(self.groups, self.runs, strict=True))


def _plan(curves: Sequence[Curve], seeds: int) -> Plan:
    groups: dict[Any, list[Curve]] = {}
    for curve in curves:
        groups.setdefault(curve.program, []).append(curve)
    keys = _keys(seeds)
    runs = tuple(
        (
            jnp.concatenate([keys] * len(group)),
            jax.tree.map(lambda *leaves: jnp.repeat(jnp.stack(leaves), seeds), *(curve.sweep for curve in group)),
            _given(program, group, seeds),
        )
        for program, group in groups.items()
    )
    return Plan(groups, runs)


_COMPILED: dict[Any, Any] = {}  # by the plan's shape, the points and what lies between them


def _compile(plan: Plan, points: int, rounds: int) -> Any:
    key = plan.shape, points, rounds
    if key not in _COMPILED:
        whole = jax.jit(_program(tuple(plan.groups), points, rounds))
        _COMPILED[key] = whole.lower(won_positions(), plan.runs).compile()
    return _COMPILED[key]


def compile_side_by_side(planned: Sequence[tuple[Sequence[Curve], int]], points: int, every: int) -> None:
    """Compile what these curves, from so many seeds, will take: as many programs at a time as there are cores."""
    plans = {}
    for curves, seeds in planned:
        plan = _plan(curves, seeds)
        plans.setdefault(plan.shape, plan)
    won_positions()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda plan: _compile(plan, points, _rounds(every)), plans.values()))


def _rounds(every: int) -> int:
    """Between two measurements so many moves apart: a round is 50."""
    return max(1, every // 50)


def run_curves(curves: Sequence[Curve], seeds: int, points: int, every: int) -> list[Result]:
    """All the runs of a figure in one compiled call: `points` measurements, one after so many moves each."""
    plan, rounds = _plan(curves, seeds), _rounds(every)
    found = _compile(plan, points, rounds)(won_positions(), plan.runs)
    results = {}
    for group, (seen, weights) in zip(plan.groups.values(), found, strict=True):
        for place, curve in enumerate(group):
            mine = slice(place * seeds, (place + 1) * seeds)
            measured = {name: np.asarray(seen[name])[mine] for name in MEASURES if name in seen}
            final = jax.tree.map(lambda leaf, mine=mine: leaf[mine], weights)
            results[curve] = Result(curve, (1 + np.arange(points)) * rounds * 50, measured, final)
    return [results[curve] for curve in curves]


def _keys(seeds: int) -> Key[Array, "S"]:
    return jnp.stack([jax.random.key(seed) for seed in range(seeds)])


def _given(program: Any, group: list[Curve], seeds: int) -> Any:
    """What the runs begin with: by seed the same for all curves, but where the weights are taught first."""
    plain = _beginnings(program, seeds)
    each = [plain._replace(theta=_taught(program, seeds)) if curve.pretrained else plain for curve in group]
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *each)


@functools.lru_cache(maxsize=16)
def _beginnings(program: Any, seeds: int) -> Any:
    module = module_of(program)
    shared = replace(program, actor="none") if module is online else replace(program, objective="mse")
    if shared != program:  # they begin with the same
        return _beginnings(shared, seeds)
    return jax.jit(jax.vmap(lambda key: module.beginning(program, GAME, jax.random.fold_in(key, 1))))(_keys(seeds))


@functools.lru_cache(maxsize=4)
def _taught(program: Any, seeds: int) -> Float[Array, "S W"]:
    """The weights of each seed after H-search has taught them."""
    scored = scored_positions()

    def teach(theta: Float[Array, "W"], key: Key[Array, ""]) -> Float[Array, "W"]:
        return ravel_pytree(pretrain(scored, online.unravel(GAME)(theta), key))[0]

    return jax.jit(jax.vmap(teach))(_beginnings(program, seeds).theta, _keys(seeds))


@functools.cache
def scored_positions(count: int = 512) -> Scored:
    """Positions of random games, their moves scored by H-search: what the paper's networks are taught first."""
    from ludus.games.hex.solver.circuit import scores

    states = jax.jit(lambda key: online.random_starts(GAME, key, count))(jax.random.key(0))
    canonical = jax.jit(jax.vmap(GAME.canonical))(states)
    planes = jax.jit(jax.vmap(lambda state: bordered(GAME, state)))(canonical)
    legal = np.asarray(jax.jit(jax.vmap(GAME.legal))(canonical))
    each = [jax.tree.map(lambda leaf, i=i: np.asarray(leaf)[i], canonical) for i in range(count)]
    taught = np.stack([np.nan_to_num(scores(GAME, state)) for state in each])
    return Scored(planes, jnp.asarray(taught, jnp.float32), jnp.asarray(legal))
