"""Temporal differences with eligibility traces, as Abalearn learns: J(s) is what a position is worth to the player who
has just moved into it (`valuation`). Each player has its own sequence of such positions, s_1, s_2, ..., one for each of
its moves. When it has moved into s_t

    d_t = R + gamma J(s_t) - J(s_t-1)      R: what it gained by this move, less what was gained against it since its
                                           last one (the part `rewards` of a game); and at the end of the game its
                                           result, where J(s_t) counts as nothing
    e   = lambda e + grad J(s_t-1)         its own, zero when a game begins
    w   = w + alpha chi(d_t) e             chi(d) = (1 - kappa) d above zero, (1 + kappa) d below

with J and its gradient at the weights of that moment. There is no gamma in the trace, as the paper has it. Where it
plays itself all seats learn, with one network; else one seat does, the first and the second by turns.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PyTree

from ludus.core.game import Rules, select
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners import valuation
from ludus.learners.configs import TdConfig as Config
from ludus.learners.learner import Learner, Pace, Span
from ludus.learners.valuation import MINIMAX, RANDOM, SELF, Network, Seating, inputs_of, value
from ludus.play import selfplay
from ludus.search.alphabeta.evaluation import minimax_evaluation

#: Who plays the other side at first, and after `first_games`.
OPPONENTS = {
    "self": (SELF, SELF),
    "random": (RANDOM, RANDOM),
    "minimax": (MINIMAX, MINIMAX),
    "random-first": (RANDOM, SELF),
}
LEAST = 1e-3  # of the first share of random moves: one that falls to nothing falls exponentially to this


class TdSweep(NamedTuple):
    """What may differ between runs of one program."""

    alpha: Float[Array, ""]
    trace: Float[Array, ""]
    gamma: Float[Array, ""]
    kappa: Float[Array, ""]  # as the formula has it
    epsilon: Float[Array, ""]
    final_epsilon: Float[Array, ""]
    epsilon_games: Int[Array, ""]
    first_opponent: Int[Array, ""]
    opponent: Int[Array, ""]
    first_games: Int[Array, ""]
    games: Int[Array, ""]


class State(NamedTuple):
    network: Network
    sweep: TdSweep
    key: Key[Array, ""]
    games: Int[Array, ""]
    rounds: Int[Array, ""]


def sweep_of(config: Config) -> TdSweep:
    first, then = OPPONENTS[config.opponent]
    rates = {
        name: jnp.float32(getattr(config, name)) for name in ("alpha", "trace", "gamma", "epsilon", "final_epsilon")
    }
    numbers = {name: jnp.int32(getattr(config, name)) for name in ("epsilon_games", "first_games", "games")}
    kappa = jnp.float32(config.kappa if config.risk == "formula" else -config.kappa)
    return TdSweep(kappa=kappa, first_opponent=jnp.int32(first), opponent=jnp.int32(then), **rates, **numbers)


def program(config: Config) -> Config:
    """What all runs share that one program can train together: what a player needs to know."""
    shared = ("features", "hidden", "output", "scale", "result_counts", "reward_counts")
    return Config(**{name: getattr(config, name) for name in shared})


def init(config: Config, game: Rules, key: Key[Array, ""], sweep: TdSweep | None = None, setup: None = None) -> State:
    if config.opponent == "minimax" and minimax_evaluation(game) is None:
        raise BadInput(
            f"{game.name or 'this game'} has no evaluation for the opponent 'minimax' to move by; "
            "give self, random or random-first."
        )
    key_network, key_play = jax.random.split(key)
    network = valuation.new_network(config, game, key_network)
    return State(network, sweep_of(config) if sweep is None else sweep, key_play, jnp.int32(0), jnp.int32(0))


# --- one difference -----------------------------------------------------------------------------------------


def chi(difference: Float[Array, ""], kappa: Float[Array, ""] | float) -> Float[Array, ""]:
    """A temporal difference as one who is sensitive to risk takes it."""
    return jnp.where(difference > 0, 1 - kappa, 1 + kappa) * difference


class StepSize(NamedTuple):
    """How far the weights go."""

    alpha: Float[Array, ""]
    trace: Float[Array, ""]  # lambda
    kappa: Float[Array, ""]


def learn(
    step: StepSize,
    worth: Callable[[Any], Float[Array, ""]],
    weights: PyTree,
    trace: PyTree,
    target: Float[Array, ""],
) -> tuple[PyTree, PyTree, Float[Array, ""]]:
    """What the last position is `worth` under the weights goes towards a target, and by the trace what those before it
    are: the new weights, the new trace and the difference.
    """
    before, gradient = jax.value_and_grad(worth)(weights)
    difference = target - before
    trace = jax.tree.map(lambda e, g: step.trace * e + g, trace, gradient)
    far = step.alpha * chi(difference, step.kappa)
    return jax.tree.map(lambda w, e: w + far * e, weights, trace), trace, difference


# --- one game -----------------------------------------------------------------------------------------------


class GameRates(NamedTuple):
    """What holds throughout a game."""

    step: StepSize
    gamma: Float[Array, ""]
    seating: Seating


class SeatMemory(NamedTuple):
    """What a player has behind it."""

    inputs: Float[Array, "In"]  # the position it last moved into
    moved: Bool[Array, ""]  # whether there is one
    gained: Float[Array, ""]  # since it was there
    trace: Network


class Learning(NamedTuple):
    """What was learned so far, and what is learned from next."""

    network: Network
    memories: SeatMemory  # every leaf [P, ...]
    lead: Float[Array, "P"]  # what each seat gained in all, less what was gained against it
    differences: Int[Array, ""]
    error: Float[Array, ""]  # the sum of their sizes
    values: Float[Array, ""]  # the sum of J, of all positions but the last


class GameUnderWay(NamedTuple):
    """A game under way."""

    lanes: selfplay.Lanes  # one
    learning: Learning
    mover: Int[Array, ""]  # who has just moved; at the start nobody, -1
    key: Key[Array, ""]
    over: Bool[Array, ""]
    returns: Float[Array, "P"]


def epsilon_at(sweep: TdSweep, games: Int[Array, ""]) -> Float[Array, ""]:
    """The share of random moves after so many games."""
    least = jnp.maximum(sweep.final_epsilon, LEAST * sweep.epsilon)
    ratio = least / jnp.maximum(sweep.epsilon, 1e-9)
    passed = games.astype(jnp.float32) / sweep.epsilon_games.astype(jnp.float32)
    return jnp.where(games < sweep.epsilon_games, sweep.epsilon * ratio**passed, sweep.final_epsilon)


def rates_of(game: Rules, state: State) -> GameRates:
    """What holds in the game that a run plays next."""
    sweep, games = state.sweep, state.games
    alpha = jnp.where(games < sweep.games, sweep.alpha, 0)
    opponent = jnp.where(games < sweep.first_games, sweep.first_opponent, sweep.opponent)
    seating = Seating(opponent, games % game.num_players, epsilon_at(sweep, games))
    return GameRates(StepSize(alpha, sweep.trace, sweep.kappa), sweep.gamma, seating)


def begin(game: Rules, network: Network, key: Key[Array, ""]) -> GameUnderWay:
    """The start, with nothing behind any player."""
    players, dtype = game.num_players, network.hidden.dtype
    memories = SeatMemory(
        inputs=jnp.zeros((players, len(network.hidden)), dtype),
        moved=jnp.zeros(players, bool),
        gained=jnp.zeros(players, dtype),
        trace=jax.tree.map(lambda leaf: jnp.zeros((players, *leaf.shape), dtype), network),
    )
    nothing = jnp.zeros((), dtype)
    learning = Learning(network, memories, jnp.zeros(players, dtype), jnp.int32(0), nothing, nothing)
    returns = jnp.zeros(players, jnp.float32)
    return GameUnderWay(selfplay.fresh(game, 1), learning, jnp.int32(-1), key, jnp.array(False), returns)


def ply(config: Config, game: Rules, rates: GameRates, under_way: GameUnderWay) -> GameUnderWay:
    """What is learned from the last move, and the next one; or, if the last one ended the game, how."""
    key, key_move = jax.random.split(under_way.key)
    learning = _arrive(config, game, rates, under_way)
    move = valuation.training_policy(config, game, learning.network, rates.seating)
    lanes, record = selfplay.advance(game, move, under_way.lanes, key_move)
    over, mover = record.over[0], record.player[0]
    learning = _gain(game, learning, mover, _one(record.state), _one(lanes.state))
    # Where the game is over nothing follows on the last move: what it gained waits for the result.
    return GameUnderWay(lanes, select(over, under_way.learning, learning), mover, key, over, record.returns[0])


def _one(states: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[0], states)


def _arrive(config: Config, game: Rules, rates: GameRates, under_way: GameUnderWay) -> Learning:
    """What the last mover learns from where it has moved, if the game goes on there; and there it is."""
    own = jnp.arange(game.num_players) == under_way.mover
    inputs = inputs_of(config, game, _one(under_way.lanes.state)).astype(under_way.learning.memories.inputs.dtype)
    there = value(config, under_way.learning.network, inputs)
    learning = _settle(config, rates, under_way.learning, own, rates.gamma * there)
    memories = learning.memories._replace(
        inputs=jnp.where(own[:, None], inputs[None], learning.memories.inputs),
        moved=learning.memories.moved | own,
        gained=jnp.where(own, 0, learning.memories.gained),
    )
    return learning._replace(memories=memories, values=learning.values + jnp.where(own.any(), there, 0))


def _gain(game: Rules, learning: Learning, mover: Int[Array, ""], before: Any, after: Any) -> Learning:
    """What a move gains, for its mover and against all others."""
    rewards = part(game, "rewards")
    if rewards is None:
        return learning
    gain = rewards(game, before, after).astype(learning.lead.dtype)
    gains = jnp.where(jnp.arange(game.num_players) == mover, gain, -gain)
    return learning._replace(
        lead=learning.lead + gains, memories=learning.memories._replace(gained=learning.memories.gained + gains)
    )


def finish(config: Config, game: Rules, rates: GameRates, under_way: GameUnderWay) -> Learning:
    """What each player learns from the end of a game."""
    learning, returns = under_way.learning, under_way.returns.astype(under_way.learning.lead.dtype)
    for seat in range(game.num_players):
        learning = _settle(config, rates, learning, jnp.arange(game.num_players) == seat, returns[seat])
    return learning


def _settle(
    config: Config, rates: GameRates, learning: Learning, own: Bool[Array, "P"], following: Float[Array, ""]
) -> Learning:
    """What one seat (or none) learns from what it gained since its last move, and from what follows; nothing if it is
    not the agent's, or has not moved yet.
    """
    own = own & rates.seating.agents(jnp.arange(len(own))) & learning.memories.moved
    learned, memories = own.any(), learning.memories
    memory = jax.tree.map(lambda leaf: leaf[jnp.argmax(own)], memories)
    network, trace, difference = learn(
        rates.step,
        lambda network: value(config, network, memory.inputs),
        learning.network,
        memory.trace,
        memory.gained + following,
    )
    network = select(learned, network, learning.network)
    kept = jax.tree.map(
        lambda new, old: jnp.where(own.reshape(-1, *[1] * new.ndim), new[None], old), trace, memories.trace
    )
    return learning._replace(
        network=network,
        memories=memories._replace(trace=kept),
        differences=learning.differences + learned.astype(jnp.int32),
        error=learning.error + jnp.where(learned, jnp.abs(difference), 0),
    )


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One game from the start to its end. Of the metrics `loss` is the mean size of the differences, `value` the mean
    of J; `result`, and `lead` beyond it, are those of the agent's seat.
    """
    key, key_game = jax.random.split(state.key)
    rates = rates_of(game, state)
    under_way = jax.lax.while_loop(
        lambda under_way: ~under_way.over,
        lambda under_way: ply(config, game, rates, under_way),
        begin(game, state.network, key_game),
    )
    learning, plies, seat = finish(config, game, rates, under_way), under_way.lanes.clock - 1, rates.seating.seat
    metrics = {
        "loss": learning.error / jnp.maximum(learning.differences, 1).astype(learning.error.dtype),
        "value": learning.values / jnp.maximum(plies - 1, 1).astype(learning.values.dtype),
        "plies": plies.astype(jnp.float32),
        "result": under_way.returns[seat],
        "lead": learning.lead[seat],
        "epsilon": rates.seating.epsilon,
    }
    return State(learning.network, state.sweep, key, state.games + 1, state.rounds + 1), metrics


LEARNER = Learner(
    name="td",
    init=init,
    advance=advance,
    weights=lambda state: state.network,
    policy=valuation.policy,
    pace=lambda config: Pace(config.rounds),
    span=lambda config: Span(1, "games"),
    move_values=valuation.move_values,
    position_value=valuation.position_value,
    last_units=valuation.last_units,
    sweep=sweep_of,
    program=program,
)
