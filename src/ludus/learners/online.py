"""Online learning: one update for every move, by the algorithms of `gradient_td`. One network plays both sides of games
that start at random positions; with an actor, a second network chooses the moves.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int, Key

from ludus.core.arrays import select
from ludus.core.game import Rules
from ludus.learners.configs import OnlineConfig as Config
from ludus.learners.gradient_td import (
    ALGORITHMS,
    Actor,
    AlgorithmSwitches,
    Critic,
    OnlineSweep,
    Transition,
    learn_actor,
    learn_critic,
)
from ludus.learners.learner import Learner, Span
from ludus.learners.starts import one_of
from ludus.learners.views import View, bordered, view
from ludus.networks import HexagonNet, squash
from ludus.play import selfplay, transition
from ludus.play.policies import best_moves, choose, greedy, to_actions


def sweep_of(config: Config) -> OnlineSweep:
    switches = AlgorithmSwitches(*map(jnp.float32, ALGORITHMS[config.algorithm]))
    names = ("alpha", "ratio", "epsilon", "trace", "second_order", "bound", "actor_rate", "actor_trace", "natural_rate")
    swept = {name: jnp.float32(getattr(config, name)) for name in names}
    swept |= {
        "negate": jnp.float32(config.backup == "negamax"),
        "actor_natural": jnp.float32(config.actor == "natural"),
        "baseline": jnp.float32(config.advantage == "policy"),
    }
    return OnlineSweep(switches=switches, **swept)


class Choice(NamedTuple):
    """A position and the move chosen there, from the mover's side."""

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
    sweep: OnlineSweep
    key: Key[Array, ""]
    games: Int[Array, ""]
    rounds: Int[Array, ""]


class OnlineSetup(NamedTuple):
    """What a run begins with: weights of the values and of the policy, and positions that games start at."""

    theta: Float[Array, "W"]
    actor: Float[Array, "V"]
    starts: Any


def new_setup(config: Config, game: Rules, key: Key[Array, ""]) -> OnlineSetup:
    key_critic, key_actor, key_starts = jax.random.split(key, 3)
    theta, actor = (ravel_pytree(new_network(game, k))[0] for k in (key_critic, key_actor))
    return OnlineSetup(theta, actor, selfplay.random_positions(game, key_starts, config.starts))


def init(
    config: Config,
    game: Rules,
    key: Key[Array, ""],
    sweep: OnlineSweep | None = None,
    setup: OnlineSetup | None = None,
) -> State:
    """A new run. One setup may serve many programs."""
    key_given, key_play, key_start, key_move = jax.random.split(key, 4)
    sweep = sweep_of(config) if sweep is None else sweep
    theta, policy_theta, starts = new_setup(config, game, key_given) if setup is None else setup
    critic = Critic(theta, *(jnp.zeros_like(theta) for _ in range(4)))
    actor = None
    if config.actor != "none":
        actor = Actor(policy_theta, *(jnp.zeros_like(policy_theta) for _ in range(2)))
    first = one_of(starts, key_start)
    seen = view(game, first)
    action, rho = _choose(game, actor, sweep, seen, values_of(game, theta, seen), key_move)
    now = Choice(first, seen, jnp.int32(0), action, rho)
    return State(critic, actor, now, starts, sweep, key_play, jnp.int32(0), jnp.int32(0))


def new_network(game: Rules, key: Key[Array, ""]) -> HexagonNet:
    shape = jax.eval_shape(lambda: bordered(game, game.init())).shape
    return HexagonNet(shape, game.num_actions, key)


@functools.cache
def unravel(game: Rules) -> Any:
    """The function that turns a flat vector of weights into a network."""
    shapes = jax.eval_shape(lambda: new_network(game, jax.random.key(0)))
    with jax.ensure_compile_time_eval():
        return ravel_pytree(jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes))[1]


def weights(state: State) -> Float[Array, "W"]:
    """What a player needs: the actor's weights if there is one, else the values'."""
    return state.critic.theta if state.actor is None else state.actor.theta


def values_of(game: Rules, theta: Float[Array, "W"], seen: View) -> Float[Array, "A"]:
    """The value of every move of a view."""
    return squash(unravel(game)(theta)(seen.planes))


def log_policy(game: Rules, theta: Float[Array, "V"], seen: View) -> Float[Array, "A"]:
    """The logarithms of an actor's probabilities: a softmax over the legal moves."""
    return jax.nn.log_softmax(jnp.where(seen.legal, unravel(game)(theta)(seen.planes), -jnp.inf))


def move_values(config: Config, game: Rules, theta: Float[Array, "W"], state: Any) -> Float[Array, "A"]:
    """The values of every action of one position; for an actor its logits, since probabilities may round to a tie."""
    seen = view(game, state)
    outputs = unravel(game)(theta)(seen.planes)
    return to_actions(game, state, outputs if config.actor != "none" else squash(outputs))


def last_units(config: Config, game: Rules, theta: Float[Array, "W"], state: Any) -> Float[Array, "U"]:
    """The outputs of the last hidden layer."""
    return unravel(game)(theta).features(view(game, state).planes)


def policy(config: Config, game: Rules, theta: Float[Array, "W"], epsilon: float) -> selfplay.Policy:
    """The action of the highest value (or probability), or any with probability epsilon."""
    return greedy(game, lambda state: move_values(config, game, theta, state), epsilon)


def _choose(
    game: Rules, actor: Actor | None, sweep: OnlineSweep, seen: View, values: Float[Array, "A"], key: Key[Array, ""]
) -> tuple[Int[Array, ""], Float[Array, ""]]:
    """The move to make, epsilon-greedy or the actor's; and the importance ratio: its probability under the greedy
    policy, over its probability here.
    """
    best = best_moves(values, seen.legal)
    share = best.astype(jnp.float32) / best.sum(dtype=jnp.float32)
    if actor is None:
        action = choose(key, best[None], seen.legal[None], sweep.epsilon)[0]
        probability = (1 - sweep.epsilon) * share[action] + sweep.epsilon / seen.legal.sum(dtype=jnp.float32)
    else:
        logs = log_policy(game, actor.theta, seen)
        action = jax.random.categorical(key, jnp.where(jnp.isnan(logs), jnp.float32(0), logs)).astype(jnp.int32)
        probability = jnp.exp(logs[action])
    return action, share[action] / jnp.maximum(probability, 1e-6)


def move(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Array]]:
    """Make one move and learn from it."""
    key, key_move, key_start = jax.random.split(state.key, 3)
    now, sweep, critic, actor = state.now, state.sweep, state.critic, state.actor
    after = game.step(now.state, game.canonical_action(now.state, now.action))
    done = game.done(after)
    over = done | (now.ply + 1 >= game.max_plies)
    # After a game's last move there is no next value: `following` is then the next game's first position.
    following = select(over, one_of(state.starts, key_start), after)
    seen = view(game, following)
    values, pull = jax.vjp(lambda theta: values_of(game, theta, seen), critic.theta)
    reply, rho = _choose(game, actor, sweep, seen, values, key_move)
    best = jnp.where(seen.legal, jnp.nan_to_num(values), -jnp.inf).argmax().astype(jnp.int32)
    target = jnp.where(sweep.switches.greedy > 0, best, reply)
    met = Transition(
        reward=transition.result(game, now.state, after, done),
        sign=transition.sign(game, now.state, after, over, sweep.negate),
        rho=now.rho,
        value=values[target],
        gradient=pull(jax.nn.one_hot(target, len(values)))[0],
    )
    before = critic
    critic, v, delta = learn_critic(sweep, critic, met, lambda theta: values_of(game, theta, now.view)[now.action])
    if actor is not None:
        log_probability = lambda theta: log_policy(game, theta, now.view)[now.action]  # noqa: E731
        # With advantage "policy" the baseline is the mean value of the policy's moves. The move's own value would be no
        # baseline to learn from: once it is right, the mean error of every move is zero.
        worth = _worth(game, actor.theta, before.theta, now.view)
        advantage = delta + sweep.baseline * (v - worth)
        actor = learn_actor(sweep, actor, met.sign, log_probability, advantage)
    chosen = Choice(following, seen, jnp.where(over, 0, now.ply + 1), reply, rho)
    games = state.games + over.astype(jnp.int32)
    metrics = {"value": v, "loss": delta**2}
    return State(critic, actor, chosen, state.starts, sweep, key, games, state.rounds), metrics


def _worth(game: Rules, actor: Float[Array, "V"], critic: Float[Array, "W"], seen: View) -> Float[Array, ""]:
    """The mean value of an actor's moves."""
    share = jnp.exp(log_policy(game, actor, seen))
    return jnp.where(seen.legal & (share > 0), share * values_of(game, critic, seen), jnp.float32(0)).sum()


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round of `moves` moves; the metrics are the mean value of the moves made, and their mean squared error."""
    state, seen = jax.lax.scan(lambda s, _: move(config, game, s), state, None, length=config.moves)
    return state._replace(rounds=state.rounds + 1), {name: leaf.mean() for name, leaf in seen.items()}


def program(config: Config) -> Config:
    """The config that all runs of one compiled program share."""
    actor = "none" if config.actor == "none" else "plain"
    return Config(actor=actor, moves=config.moves, starts=config.starts)


LEARNER = Learner(
    name="online",
    init=init,
    advance=advance,
    weights=weights,
    policy=policy,
    span=lambda config: Span(config.moves, "moves"),
    move_values=move_values,
    log_odds=lambda config: config.actor != "none",
    last_units=last_units,
    sweep=sweep_of,
    program=program,
    setup=new_setup,
    needs_planes=True,
)
