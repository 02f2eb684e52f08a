"""Gradient temporal differences against their objectives: in expectation, with fixed weights, every algorithm takes the
step that the definition of its objective gives. The definition is a forward sum over all games of a small decision
process, differentiated by JAX; it has no trace and no h.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from ludus.learners import gradient_td
from ludus.learners.gradient_td import (
    ALGORITHMS,
    Actor,
    Critic,
    OnlineSweep,
    Transition,
    learn_actor,
    learn_critic,
    within,
)
from ludus.learners.online import Config, sweep_of

# Three layers of two positions with two moves each; a move leads to either position of the next layer, or to the end.
# A place is a position and a move there: number 4 * layer + 2 * position + move.
LAYERS, WIDTH, MOVES, SIZE = 3, 2, 2, 4
PLACES = LAYERS * WIDTH * MOVES
CHANCE = np.random.default_rng(5)
FEATURES = CHANCE.normal(size=(PLACES, SIZE))
BENT = CHANCE.normal(size=(PLACES, SIZE, SIZE))
REWARDS = CHANCE.normal(size=PLACES)
LEADS = CHANCE.dirichlet((1, 1, 1), size=PLACES)  # to the two positions, or to the end
PLAYED = CHANCE.dirichlet((2, 2), size=LAYERS * WIDTH).reshape(-1)  # how likely each move is made
MIXED = CHANCE.choice((-1.0, 1.0), size=PLACES)  # who moves next is the move's affair
SIGNS = {"added": np.ones(PLACES), "negated": -np.ones(PLACES), "mixed": MIXED}
THETA, W, U = CHANCE.normal(size=(3, SIZE)) * 0.7
BETA = 0.5
RULES = ("sarsa", "q", "gtd2", "tdc", "greedy-gq")


@contextlib.contextmanager
def exactly() -> Iterator[None]:
    """In double precision."""
    with jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        yield


def value(theta: Any, place: Any) -> Any:
    """Bends in every direction: no part of its second derivatives is zero."""
    return jnp.tanh(jnp.asarray(FEATURES)[place] @ theta + theta @ jnp.asarray(BENT)[place] @ theta / 4)


GRADIENT = jax.grad(value)


def all_games() -> tuple[np.ndarray, np.ndarray]:
    """Every possible game from either of two first positions: its places, -1 after its end; and its probability."""
    found, chances = [], []
    open_: list[tuple[tuple[int, ...], float]] = [((place,), 0.5 * PLAYED[place]) for place in range(WIDTH * MOVES)]
    while open_:
        places, chance = open_.pop()
        last, layer = places[-1], len(places)
        found.append((*places, *[-1] * (LAYERS - layer)))
        chances.append(chance * (LEADS[last, -1] if layer < LAYERS else 1))
        if layer < LAYERS:
            for after in range(WIDTH * MOVES * layer, WIDTH * MOVES * (layer + 1)):
                into = LEADS[last, after // MOVES % WIDTH]
                open_.append(((*places, after), chance * into * PLAYED[after]))
    assert sum(chances) == pytest.approx(1)
    return np.array(found), np.array(chances)


GAMES, CHANCES = all_games()
BEST = np.argmax([[float(value(THETA, MOVES * at + m)) for m in range(MOVES)] for at in range(LAYERS * WIDTH)], axis=1)
GREEDY = MOVES * np.arange(LAYERS * WIDTH) + BEST  # the best place of each position


class Case(NamedTuple):
    """What an algorithm makes of the games, as arrays: whose value is backed up (-1 is none), with which sign, and how
    much likelier the greedy policy is to make each move.
    """

    following: Any
    signs: Any
    rho: Any
    trace: Any

    @staticmethod
    def of(algorithm: str, backup: str, trace: float) -> Case:
        on = ALGORITHMS[algorithm]
        after = np.append(GAMES[:, 1:], -np.ones((len(GAMES), 1), int), axis=1)
        following = np.where(after < 0, -1, GREEDY[after // MOVES]) if on.greedy else after
        likelier = (GREEDY[np.arange(PLACES) // MOVES] == np.arange(PLACES)) / PLAYED
        return Case(following, SIGNS[backup], likelier if on.importance else np.ones(PLACES), trace * on.traces)


@jax.jit
def forwards(theta: Any, case: Case) -> tuple[Any, Any]:
    """By definition: the mean of g times the weighted sum of errors to the end of the game; and the mean of g g'."""
    values = jax.vmap(lambda place: value(theta, place))(jnp.arange(PLACES))
    gradients = jax.vmap(lambda place: GRADIENT(theta, place))(jnp.arange(PLACES))
    live = GAMES >= 0
    ahead = jnp.where(case.following >= 0, jnp.asarray(case.signs)[GAMES] * values[case.following], 0)
    delta = jnp.where(live, jnp.asarray(REWARDS)[GAMES] + ahead - values[GAMES], 0)
    pull, square = jnp.zeros(SIZE), jnp.zeros((SIZE, SIZE))
    for step in range(LAYERS):
        total, weight = delta[:, step], 1.0
        for later in range(step + 1, LAYERS):
            between = jnp.asarray(case.signs)[GAMES[:, later - 1]] * jnp.asarray(case.rho)[GAMES[:, later]]
            weight = weight * case.trace * between
            total = total + weight * delta[:, later]
        gradient = jnp.where(live[:, step, None], gradients[GAMES[:, step]], 0)
        pull = pull + jnp.einsum("g,g,gi->i", CHANCES, total, gradient)
        square = square + jnp.einsum("g,gi,gj->ij", CHANCES, gradient, gradient)
    return pull, square


def saddle(theta: Any, w: Any, case: Case) -> Any:
    """Half the projected Bellman error, where w is at its best."""
    pull, square = forwards(theta, case)
    return w @ pull - w @ square @ w / 2


def projected_error(theta: Any, case: Case) -> Any:
    pull, square = forwards(theta, case)
    return pull @ jnp.linalg.solve(square, pull)


SADDLE = jax.jit(jax.grad(saddle, (0, 1)))
DESCENT = jax.jit(jax.grad(lambda theta, case: -projected_error(theta, case) / 2))


def mean_step(learn: Any, sweep: OnlineSweep, case: Case, told: Any, w: Any, u: Any) -> Critic:
    """The mean change over all games; the weights are put back after every move."""
    zeros = jnp.zeros(SIZE)
    given = jnp.asarray(THETA), jnp.asarray(w), jnp.asarray(u)

    def move(carry: tuple[Critic, Critic], here: Any) -> tuple[tuple[Critic, Critic], None]:
        (critic, total), (at, after) = carry, here
        met = Transition(
            reward=jnp.asarray(REWARDS)[at],
            sign=jnp.where(after < 0, 0.0, jnp.asarray(case.signs)[at]),
            rho=told[at],
            value=value(given[0], after),
            gradient=GRADIENT(given[0], after),
        )
        fresh, *_ = learn(sweep, critic, met, lambda theta: value(theta, at))
        total = jax.tree.map(lambda t, new, old: t + jnp.where(at < 0, 0, new - old), total, fresh, critic)
        return (fresh._replace(theta=given[0], w=given[1], u=given[2]), total), None

    def one(places: Any, following: Any) -> Critic:
        begin = Critic(*given, zeros, zeros), Critic(*[zeros] * len(Critic._fields))
        return jax.lax.scan(move, begin, (places, following))[0][1]

    changes = jax.vmap(one)(jnp.asarray(GAMES), jnp.asarray(case.following))
    return jax.tree.map(lambda change: CHANCES @ change, changes)


STEP = jax.jit(functools.partial(mean_step, learn_critic))


def taken(step: Any, algorithm: str, backup: str, trace: float, w: Any, u: Any = U, **changed: float) -> Critic:
    config = Config(algorithm=algorithm, alpha=1.0, ratio=BETA, trace=trace)  # pyright: ignore[reportArgumentType]
    sweep = sweep_of(config)._replace(**{name: jnp.float32(value) for name, value in changed.items()})
    rho = Case.of("greedy-gq", backup, trace).rho  # it is always told; whether it counts is the algorithm's
    return step(jax.tree.map(jnp.float64, sweep), Case.of(algorithm, backup, trace), rho, w, u)


def compare(step: Any, algorithm: str, backup: str, trace: float) -> None:
    """With any w, the steps are those of the saddle: theta descends, w ascends. TDC and Greedy GQ add a term for the
    error of w. With w at its optimum, that is the steepest descent of the projected Bellman error.
    """
    case, found = Case.of(algorithm, backup, trace), taken(step, algorithm, backup, trace, W)
    pull, square = forwards(THETA, case)
    if algorithm in ("sarsa", "q"):
        np.testing.assert_allclose(found.theta, pull, rtol=1e-9, atol=1e-12)
        return
    down, up = SADDLE(THETA, W, case)
    np.testing.assert_allclose(found.w, BETA * up, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.theta, -down + (0 if algorithm == "gtd2" else up), rtol=1e-9, atol=1e-12)
    settled = taken(step, algorithm, backup, trace, jnp.linalg.solve(square, pull))
    np.testing.assert_allclose(settled.theta, DESCENT(THETA, case), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("backup", ["added", "negated", "mixed"])
@pytest.mark.parametrize("trace", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("algorithm", RULES)
def test_the_mean_step_is_what_the_definition_asks_for(algorithm: str, trace: float, backup: str) -> None:
    with exactly():
        compare(STEP, algorithm, backup, trace)


@pytest.mark.parametrize("trace", [0.0, 0.5])
def test_the_natural_step_is_the_descent_measured_by_the_gradients(trace: float) -> None:
    """With w and u at their least squares neither changes, and theta descends by the inverse of M."""
    with exactly():
        case = Case.of("tdc-natural", "mixed", trace)
        (pull, square), descent = forwards(THETA, case), DESCENT(THETA, case)
        w, u = jnp.linalg.solve(square, pull), jnp.linalg.solve(square, pull - descent)
        found = taken(STEP, "tdc-natural", "mixed", trace, w, u)
        length = CHANCES @ (GAMES >= 0).sum(axis=1)
        np.testing.assert_allclose(found.w, 0 * w, atol=1e-12)
        np.testing.assert_allclose(found.u, 0 * u, atol=1e-12)
        np.testing.assert_allclose(found.theta, length * jnp.linalg.solve(square, descent), rtol=1e-8)


#: Every sign, trace and term, broken one at a time: (what stands there, what is put in its place, who must notice).
BROKEN = [
    ("- overlap * hessian_w", "+ overlap * hessian_w", "gtd2"),
    ("- overlap * hessian_w", "", "tdc"),
    ("delta * bend - overlap", "delta * hessian_w - overlap", "tdc"),
    ("delta * bend - overlap", "overlap * bend - overlap", "greedy-gq"),
    ("decay * rho * critic.bend", "decay * critic.bend", "greedy-gq"),
    ("decay * rho * critic.trace", "decay * critic.trace", "greedy-gq"),
    ("decay * rho * critic.trace", "rho * critic.trace", "sarsa"),
    ("met.sign * trace, met.sign * bend", "met.sign * trace, bend", "tdc"),
    ("met.sign * trace, met.sign * bend", "trace, met.sign * bend", "sarsa"),
    ("met.sign * (1 - decay)", "(1 - decay)", "tdc"),
    ("met.sign * (1 - decay)", "met.sign", "gtd2"),
    ("(w @ trace) * met.gradient", "(w @ gradient) * met.gradient", "gtd2"),
    ("(w @ trace) * met.gradient", "(w @ trace) * gradient", "greedy-gq"),
    ("met.gradient + h", "met.gradient", "gtd2"),
    ("met.gradient + h", "met.gradient - h", "greedy-gq"),
    ("(1 - on.project) * delta * trace", "(1 - on.project) * delta * gradient", "sarsa"),
    ("on.project * overlap * gradient", "on.project * overlap * trace", "gtd2"),
    ("delta * trace - overlap * gradient", "delta * gradient - overlap * gradient", "tdc"),
    ("delta * trace - overlap * gradient", "delta * trace - overlap * trace", "gtd2"),
    ("delta * trace - overlap * gradient", "delta * trace + overlap * gradient", "greedy-gq"),
    ("(step - correction)", "(step + correction)", "tdc"),
    ("met.value) - v", "met.value) + v", "q"),
    ("on.importance * (met.rho - 1)", "0", "greedy-gq"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("right", "wrong", "algorithm"), BROKEN)
def test_a_broken_term_is_noticed(right: str, wrong: str, algorithm: str) -> None:
    source = inspect.getsource(gradient_td)
    code = source[source.index("class AlgorithmSwitches") :]
    assert code.count(right) == 1, f"'{right}' is not, or not once, in the code: mend this list"
    module = types.ModuleType("broken")
    exec(compile(source.replace(code, code.replace(right, wrong)), "broken", "exec"), module.__dict__)
    module.__dict__["Critic"] = Critic
    with exactly(), pytest.raises(AssertionError):
        compare(jax.jit(functools.partial(mean_step, module.learn_critic)), algorithm, "mixed", 0.5)


def test_without_second_order_h_is_left_out() -> None:
    """h is the part of the saddle's slope that comes from the gradients' own change, the errors held still."""
    with exactly():
        whole, part = (taken(STEP, "gtd2", "mixed", 0.5, W, second_order=h) for h in (1, 0))
        case = Case.of("gtd2", "mixed", 0.5)

        delta = np.array(
            [
                [
                    float(REWARDS[at] + (MIXED[at] * value(THETA, after) if after >= 0 else 0) - value(THETA, at))
                    for at, after in zip(game, following, strict=True)
                ]
                for game, following in zip(GAMES, case.following, strict=True)
            ]
        )

        def bent(theta: Any) -> Any:
            along = jax.vmap(lambda place: GRADIENT(theta, place) @ W)(jnp.arange(PLACES))
            total = jnp.float64(0)
            for game, chance, errors in zip(GAMES, CHANCES, delta, strict=True):
                length = int((game >= 0).sum())
                for step in range(length):
                    weights = np.cumprod([1, *(0.5 * MIXED[game[step : length - 1]])])
                    ahead = weights @ errors[step:length]
                    total = total + chance * (ahead * along[game[step]] - along[game[step]] ** 2 / 2)
            return total

        np.testing.assert_allclose(whole.theta - part.theta, -jax.jit(jax.grad(bent))(jnp.asarray(THETA)), rtol=1e-8)
        np.testing.assert_allclose(whole.w, part.w)


def test_weights_stay_within_their_bound() -> None:
    theta = jnp.asarray([3.0, -4.0])
    np.testing.assert_allclose(within(theta, jnp.float32(2)), [1.2, -1.6], rtol=1e-6)
    for bound in (0.0, 5.5):  # none, and one that is not reached
        np.testing.assert_array_equal(within(theta, jnp.float32(bound)), theta)
    sweep = sweep_of(Config(algorithm="sarsa", alpha=10.0, bound=1.5))
    zeros = jnp.zeros(2)
    met = Transition(jnp.float32(1), jnp.float32(0), jnp.float32(1), jnp.float32(0), zeros)
    found, *_ = learn_critic(sweep, Critic(zeros, *[zeros] * 4), met, lambda theta: theta.sum())
    assert float(jnp.linalg.norm(found.theta)) == pytest.approx(1.5)


# --- the actor: three moves, of which one is to be made -----------------------------------------------------------


def policy_of(theta: Any) -> Any:
    return jax.nn.softmax(jnp.asarray([[1.0, 0.5], [-0.3, 0.8], [0.2, -1.1]]) @ theta)


WORTH = np.array([0.7, -0.2, 0.4])  # of each move
START = jnp.asarray([0.4, -0.6])


def mean_actor_step(advantage: np.ndarray, natural: str = "plain", w: Any = (0.0, 0.0)) -> Actor:
    config = Config(actor=natural, actor_rate=1.0, natural_rate=0.5)  # pyright: ignore[reportArgumentType]
    actor = Actor(START, jnp.asarray(w), jnp.zeros(2))
    total, chances = Actor(*[jnp.zeros(2)] * 3), policy_of(START)
    for move, chance in enumerate(chances):
        log = lambda theta, move=move: jnp.log(policy_of(theta)[move])  # noqa: E731
        fresh = learn_actor(sweep_of(config), actor, jnp.float32(-1), log, jnp.float32(advantage[move]))
        total = jax.tree.map(lambda t, new, old, c=chance: t + c * (new - old), total, fresh, actor)
    return total


def test_the_actor_climbs_what_its_policy_is_worth() -> None:
    climb = jax.grad(lambda theta: policy_of(theta) @ WORTH)(START)
    base = float(policy_of(START) @ WORTH)
    np.testing.assert_allclose(mean_actor_step(WORTH - base).theta, climb, rtol=1e-4)


def test_against_the_moves_own_values_an_actor_has_nothing_to_learn_from() -> None:
    """The paper's error: once the critic is right, its mean is zero for every move."""
    np.testing.assert_array_equal(mean_actor_step(WORTH - WORTH).theta, np.zeros(2))


def test_the_natural_actor_finds_the_climb_by_least_squares() -> None:
    climb = jax.grad(lambda theta: policy_of(theta) @ WORTH)(START)
    logs = jax.jacobian(lambda theta: jnp.log(policy_of(theta)))(START)
    square = jnp.einsum("m,mi,mj->ij", policy_of(START), logs, logs)
    w = jnp.linalg.solve(square, climb)
    found = mean_actor_step(WORTH - float(policy_of(START) @ WORTH), "natural", w)
    np.testing.assert_allclose(found.w, np.zeros(2), atol=1e-6)
    np.testing.assert_allclose(found.theta, w, rtol=1e-4)


def test_an_actors_trace_has_the_sign_of_the_backup() -> None:
    config = Config(actor="plain", actor_rate=0.3, actor_trace=0.6)
    actor = Actor(START, 0 * START, jnp.asarray([0.7, -0.1]))
    gradient = jax.grad(lambda theta: theta @ theta)(START)
    found = learn_actor(sweep_of(config), actor, jnp.float32(-1), lambda theta: theta @ theta, jnp.float32(0.7))
    np.testing.assert_allclose(found.trace, -(gradient + 0.6 * actor.trace), rtol=1e-5)
    np.testing.assert_allclose(found.theta, START + 0.3 * 0.7 * (gradient + 0.6 * actor.trace), rtol=1e-5)


def test_weights_that_would_not_be_finite_stay() -> None:
    sweep = sweep_of(Config(algorithm="sarsa", alpha=1e38))
    theta = jnp.asarray([0.8, -0.5])
    critic = Critic(theta, *[0 * theta] * 4)
    met = Transition(*map(jnp.float32, (1e30, 1, 1, 0.2)), gradient=theta)
    found, *_ = learn_critic(sweep, critic, met, lambda theta: theta @ theta)
    np.testing.assert_array_equal(found.theta, theta)
