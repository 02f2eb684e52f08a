"""Learning from every single move as it is made: the Hex paper's five algorithms, with traces, natural gradients and
an actor. One network plays both sides of games that begin at random positions.

With v = v(s, a), v' = v(s', b), g and g' their gradients, and s the sign of the backup (+1 as the paper has it, -1
where the other side moves next and `backup` is "negamax"):

    delta = R + s v' - v                  the error of a move; v' = 0 after the last
    e     = g + s lambda rho e            the trace; rho = 1 but where the greedy policy is followed off its own moves
    w    += beta (delta e - (g.w) g)      the slower or faster second set of weights
    h     = (delta - g.w) H w             H the Hessian of v
    theta += alpha (step - correction)    with
             step       = delta e,  or (g.w) g for GTD2
             correction = s (1 - lambda) (w.e) g' + h,  or nothing for SARSA and Q-learning

With lambda = 0 these are the equations of Maei et al. for GTD2 and TDC; those of Greedy GQ(lambda) are Maei's (2011).
An algorithm is a row of switches (`ALGORITHMS`), and switches are arrays: one program trains all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from ludus.play import selfplay
from ludus.errors import BadInput
from ludus.learners.views import View, bordered, view
from ludus.core.game import Rules, select
from ludus.learners.dqn import best_moves, choose_among, greedy, in_place
from ludus.networks import HexNet, squash

Algorithm = Literal["sarsa", "q", "gtd2", "tdc", "greedy-gq", "tdc-natural"]


class Switches(NamedTuple):
    """What an algorithm does, each 0 or 1."""

    greedy: float  # v' is that of the best move, not of the move to be made
    traces: float  # lambda counts
    importance: float  # rho is 0 after a move that is not greedy, and 1 / its probability after one that is
    project: float  # the step is (g.w) g, not delta e
    correct: float  # there is a correction
    natural: float  # both are taken by their natural gradient


ALGORITHMS: dict[str, Switches] = {
    "sarsa": Switches(greedy=0, traces=1, importance=0, project=0, correct=0, natural=0),
    "q": Switches(greedy=1, traces=0, importance=0, project=0, correct=0, natural=0),
    "gtd2": Switches(greedy=0, traces=1, importance=0, project=1, correct=1, natural=0),
    "tdc": Switches(greedy=0, traces=1, importance=0, project=0, correct=1, natural=0),
    "greedy-gq": Switches(greedy=1, traces=1, importance=1, project=0, correct=1, natural=0),
    "tdc-natural": Switches(greedy=0, traces=1, importance=0, project=0, correct=1, natural=1),
}


@dataclass(frozen=True)
class Config:
    """What a run is made of; saved with it."""

    algorithm: Algorithm = "sarsa"
    actor: Literal["none", "plain", "natural"] = "none"  # who moves: the values, or a policy learned beside them
    backup: Literal["paper", "negamax"] = "negamax"
    alpha: float = 0.01  # step of the values' weights
    ratio: float = 1.0  # beta / alpha
    epsilon: float = 0.1  # share of moves made at random, where there is no actor
    trace: float = 0.0  # lambda
    actor_rate: float = 0.01
    actor_trace: float = 0.0
    games: int = 20_000
    moves: int = 50  # in a round
    starts: int = 1024  # random positions that games begin at
    rounds: int = 100  # between two reports

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise BadInput(f"there is no algorithm '{self.algorithm}'; there are {', '.join(ALGORITHMS)}.")


class Sweep(NamedTuple):
    """What may differ between runs of one program."""

    switches: Switches
    negate: Float[Array, ""]  # 1 where the backup is negamax
    alpha: Float[Array, ""]
    ratio: Float[Array, ""]
    epsilon: Float[Array, ""]
    trace: Float[Array, ""]
    actor_rate: Float[Array, ""]
    actor_trace: Float[Array, ""]
    actor_natural: Float[Array, ""]


def sweep_of(config: Config) -> Sweep:
    switches = Switches(*map(jnp.float32, ALGORITHMS[config.algorithm]))
    names = ("alpha", "ratio", "epsilon", "trace", "actor_rate", "actor_trace")
    swept = {name: jnp.float32(getattr(config, name)) for name in names}
    negate, natural = (jnp.float32(switch) for switch in (config.backup == "negamax", config.actor == "natural"))
    return Sweep(switches=switches, negate=negate, actor_natural=natural, **swept)


class Critic(NamedTuple):
    """Weights of the values, and what goes with them; all of one length."""

    theta: Float[Array, "W"]
    w: Float[Array, "W"]
    u: Float[Array, "W"]  # the natural gradient of the correction
    trace: Float[Array, "W"]


class Actor(NamedTuple):
    """Weights of the policy, and what goes with them; all of one length."""

    theta: Float[Array, "V"]
    w: Float[Array, "V"]  # the natural gradient
    trace: Float[Array, "V"]


class Choice(NamedTuple):
    """A position and the move to be made there, in the mover's view."""

    state: Any
    view: View
    ply: Int[Array, ""]
    action: Int[Array, ""]
    rho: Float[Array, ""]


class State(NamedTuple):
    critic: Critic
    actor: Actor | None
    now: Choice
    starts: Any  # every leaf [starts, ...]
    sweep: Sweep
    key: Key[Array, ""]
    games: Int[Array, ""]
    rounds: Int[Array, ""]


class Beginning(NamedTuple):
    """What a run is given: weights of the values and of the policy, and positions to start from."""

    theta: Float[Array, "W"]
    actor: Float[Array, "V"]
    starts: Any


def beginning(config: Config, game: Rules, key: Key[Array, ""]) -> Beginning:
    key_critic, key_actor, key_starts = jax.random.split(key, 3)
    theta, actor = (ravel_pytree(new_network(game, k))[0] for k in (key_critic, key_actor))
    return Beginning(theta, actor, random_starts(game, key_starts, config.starts))


def init(
    config: Config,
    game: Rules,
    key: Key[Array, ""],
    sweep: Sweep | None = None,
    given: Beginning | None = None,
) -> State:
    """A new run. What it begins with may be made beforehand, once for many programs."""
    key_given, key_play, key_start, key_move = jax.random.split(key, 4)
    sweep = sweep_of(config) if sweep is None else sweep
    theta, policy_theta, starts = beginning(config, game, key_given) if given is None else given
    critic = Critic(theta, *(jnp.zeros_like(theta) for _ in range(3)))
    actor = None
    if config.actor != "none":
        actor = Actor(policy_theta, *(jnp.zeros_like(policy_theta) for _ in range(2)))
    first = _start(starts, key_start)
    seen = view(game, first)
    action, rho = _choose(game, actor, sweep, seen, values_of(game, theta, seen), key_move)
    now = Choice(first, seen, jnp.int32(0), action, rho)
    return State(critic, actor, now, starts, sweep, key_play, jnp.int32(0), jnp.int32(0))


def new_network(game: Rules, key: Key[Array, ""]) -> HexNet:
    shape = jax.eval_shape(lambda: bordered(game, game.init())).shape
    return HexNet(shape, game.num_actions, key)


@functools.cache
def unravel(game: Rules) -> Any:
    """The function that makes a network of its weights in a row."""
    shapes = jax.eval_shape(lambda: new_network(game, jax.random.key(0)))
    with jax.ensure_compile_time_eval():
        return ravel_pytree(jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes))[1]


def random_starts(game: Rules, key: Key[Array, ""], count: int) -> Any:
    """Unfinished positions of random games, each ply of which is as likely as any other."""
    lanes = selfplay.fresh(game, count)
    key_play, key_when = jax.random.split(key)
    tape = min(game.max_plies + 1, 64)
    _, record = selfplay.stream(game, selfplay.random_policy(game), lanes, key_play, tape)
    length = jnp.argmax(jnp.concatenate([record.over, jnp.ones((1, count), bool)]), axis=0)  # of the first game
    when = selfplay.below(jax.random.bits(key_when, (count,)), length)
    return jax.tree.map(lambda leaf: leaf[when, jnp.arange(count)], record.state)


def weights(state: State) -> Float[Array, "W"]:
    """What a player needs: the policy's weights where there is one, else the values'."""
    return state.critic.theta if state.actor is None else state.actor.theta


def values_of(game: Rules, theta: Float[Array, "W"], seen: View) -> Float[Array, "A"]:
    """What the values' network says of every move of a view."""
    return squash(unravel(game)(theta)(seen.planes))


def log_policy(game: Rules, theta: Float[Array, "V"], seen: View) -> Float[Array, "A"]:
    """The logarithms of an actor's probabilities: a softmax over the legal moves."""
    return jax.nn.log_softmax(jnp.where(seen.legal, unravel(game)(theta)(seen.planes), -jnp.inf))


def action_values(config: Config, game: Rules, theta: Float[Array, "W"], state: Any) -> Float[Array, "A"]:
    """The values of every action of one position; those of an actor are in the order of its probabilities."""
    return in_place(game, state, values_of(game, theta, view(game, state)))


@functools.partial(jax.jit, static_argnums=(0, 1))
def batch_values(config: Config, game: Rules, theta: Float[Array, "W"], states: Any) -> Float[Array, "B A"]:
    """The values of every action in a batch of positions, compiled."""
    return jax.vmap(lambda state: action_values(config, game, theta, state))(states)


def policy(config: Config, game: Rules, theta: Float[Array, "W"], epsilon: float) -> selfplay.Policy:
    """The action of the highest value (or probability), or any with probability epsilon."""
    return greedy(game, lambda state: action_values(config, game, theta, state), epsilon)


def _start(starts: Any, key: Key[Array, ""]) -> Any:
    """Any of the starts."""
    number = jax.random.randint(key, (), 0, len(jax.tree.leaves(starts)[0]))
    return jax.tree.map(lambda leaf: leaf[number], starts)


def _choose(
    game: Rules, actor: Actor | None, sweep: Sweep, seen: View, values: Float[Array, "A"], key: Key[Array, ""]
) -> tuple[Int[Array, ""], Float[Array, ""]]:
    """The move to be made: nearly greedy, or the actor's; and how much likelier the greedy policy is to make it."""
    best = best_moves(values, seen.legal)
    share = best.astype(jnp.float32) / best.sum(dtype=jnp.float32)
    if actor is None:
        action = choose_among(key, best[None], seen.legal[None], sweep.epsilon)[0]
        probability = (1 - sweep.epsilon) * share[action] + sweep.epsilon / seen.legal.sum(dtype=jnp.float32)
    else:
        logs = log_policy(game, actor.theta, seen)
        action = jax.random.categorical(key, jnp.where(jnp.isnan(logs), jnp.float32(0), logs)).astype(jnp.int32)
        probability = jnp.exp(logs[action])
    return action, share[action] / jnp.maximum(probability, 1e-6)


class Transition(NamedTuple):
    """What a move led to, for the equations."""

    reward: Float[Array, ""]
    sign: Float[Array, ""]  # of the backup; 0 after the last move
    rho: Float[Array, ""]  # of the move itself
    value: Float[Array, ""]  # v'
    gradient: Float[Array, "W"]  # g'


def learn_critic(
    sweep: Sweep,
    critic: Critic,
    met: Transition,
    value: Callable[[Float[Array, "W"]], Float[Array, ""]],  # theta -> v(s, a)
) -> tuple[Critic, Float[Array, ""], Float[Array, ""]]:
    """One move's worth of learning; also v and delta. Weights that would not be finite stay as they were."""
    on = sweep.switches
    theta, w = critic.theta, critic.w
    (v, gradient), (overlap, hessian_w) = jax.jvp(jax.value_and_grad(value), (theta,), (w,))  # overlap is g.w
    decay = sweep.trace * on.traces
    delta = met.reward + met.sign * met.value - v
    rho = 1 + on.importance * (met.rho - 1)
    trace = gradient + decay * rho * critic.trace  # which has the sign of the backup before it
    step = on.project * overlap * gradient + (1 - on.project) * delta * trace
    h = (delta - overlap) * hessian_w
    correction = on.correct * (met.sign * (1 - decay) * (w @ trace) * met.gradient + h)
    beta = sweep.alpha * sweep.ratio
    new_w = w + beta * (delta * trace - overlap * gradient)
    new_u = critic.u + beta * on.natural * (correction - (gradient @ critic.u) * gradient)
    change = (1 - on.natural) * (step - correction) + on.natural * (w - critic.u)
    fresh = Critic(theta + sweep.alpha * change, new_w, new_u, met.sign * trace)
    return _if_finite(fresh, critic), v, delta


Weights = TypeVar("Weights", Critic, Actor)


def _if_finite(fresh: Weights, before: Weights) -> Weights:
    finite = jnp.isfinite(sum(leaf.sum() for leaf in fresh))
    return jax.tree.map(lambda new, old: jnp.where(finite, new, old), fresh, before)


def learn_actor(
    sweep: Sweep,
    actor: Actor,
    sign: Float[Array, ""],
    log_probability: Callable[[Float[Array, "V"]], Float[Array, ""]],
    delta: Float[Array, ""],
) -> Actor:
    """The policy's share: towards moves that turned out better than thought."""
    gradient = jax.grad(log_probability)(actor.theta)
    trace = gradient + sweep.actor_trace * actor.trace
    new_w = actor.w + sweep.alpha * sweep.ratio * (delta * trace - (gradient @ actor.w) * gradient)
    change = sweep.actor_natural * actor.w + (1 - sweep.actor_natural) * delta * trace
    return _if_finite(Actor(actor.theta + sweep.actor_rate * change, new_w, sign * trace), actor)


def move(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Array]]:
    """One move made and learned from."""
    key, key_move, key_start = jax.random.split(state.key, 3)
    now, sweep, critic, actor = state.now, state.sweep, state.critic, state.actor
    mover = game.player(now.state)
    after = game.step(now.state, game.canonical_action(now.state, now.action))
    done = game.done(after)
    over = done | (now.ply + 1 >= game.max_plies)
    alternates = (game.player(after) != mover).astype(jnp.float32)
    # After the last move there is no next value, and the look that would find it finds the next game's first move.
    following = select(over, _start(state.starts, key_start), after)
    seen = view(game, following)
    values, pull = jax.vjp(lambda theta: values_of(game, theta, seen), critic.theta)
    reply, rho = _choose(game, actor, sweep, seen, values, key_move)
    best = jnp.where(seen.legal, jnp.nan_to_num(values), -jnp.inf).argmax().astype(jnp.int32)
    target = jnp.where(sweep.switches.greedy > 0, best, reply)
    met = Transition(
        reward=jnp.where(done, game.returns(after)[mover], jnp.float32(0)),
        sign=jnp.where(over, jnp.float32(0), 1 - 2 * sweep.negate * alternates),
        rho=now.rho,
        value=values[target],
        gradient=pull(jax.nn.one_hot(target, len(values)))[0],
    )
    critic, v, delta = learn_critic(sweep, critic, met, lambda theta: values_of(game, theta, now.view)[now.action])
    if actor is not None:
        log_probability = lambda theta: log_policy(game, theta, now.view)[now.action]  # noqa: E731
        actor = learn_actor(sweep, actor, met.sign, log_probability, delta)
    chosen = Choice(following, seen, jnp.where(over, 0, now.ply + 1), reply, rho)
    games = state.games + over.astype(jnp.int32)
    metrics = {"value": v, "loss": delta**2}
    return State(critic, actor, chosen, state.starts, sweep, key, games, state.rounds), metrics


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round of so many moves: the mean value of the moves made, and their mean squared error."""
    state, seen = jax.lax.scan(lambda s, _: move(config, game, s), state, None, length=config.moves)
    return state._replace(rounds=state.rounds + 1), {name: leaf.mean() for name, leaf in seen.items()}
