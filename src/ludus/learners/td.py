"""TD(lambda) with eligibility traces, as Abalearn learns. J(s) is the value of an afterstate: of a position to the
player who has just moved into it (`valuation`). Each player has its own sequence of afterstates, s_1, s_2, ..., one for
each of its moves. When it has moved into s_t

    d_t = R + gamma J(s_t) - J(s_t-1)      R: the reward of this move, less the other side's rewards since the player's
                                           last move (a game's part `rewards`); at the end of the game the result,
                                           and then J(s_t) counts as 0
    e   = lambda e + grad J(s_t-1)         the player's own trace, zero when a game begins
    w   = w + alpha chi(d_t) e             chi(d) = (1 - kappa) d above zero, (1 + kappa) d below

with J and its gradient at the current weights. As in the paper, gamma is not in the trace. In self-play all seats learn
with one network; against another opponent one seat does, the first and the second by turns.

That is the view "mover". In the view "first", TD-Gammon's, J is the value to the first player, who moves to the highest
J and the second player to the lowest. All afterstates are one sequence with one trace, whoever moved and whoever plays;
R is the reward of each move to the first player, so less what the second player gains.

With the repetition "plays-on" a game of training does not end when a position comes back, but by the rules otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from ludus.core.game import Rules
from ludus.errors import BadInput
from ludus.learners import valuation
from ludus.learners.configs import TdConfig as Config
from ludus.learners.learner import Learner, Span
from ludus.learners.td_game import GameRates, StepSize, finish, play_through
from ludus.learners.valuation import MINIMAX, RANDOM, SELF, Network, Seating
from ludus.search.alphabeta.evaluation import minimax_evaluation

#: The opponent at first, and after `first_games`.
OPPONENTS = {
    "self": (SELF, SELF),
    "random": (RANDOM, RANDOM),
    "minimax": (MINIMAX, MINIMAX),
    "random-first": (RANDOM, SELF),
}
LEAST = 1e-3  # times epsilon: where an exponential fall to 0 ends


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
    """The config that all runs of one compiled program share: only what a player needs."""
    shared = ("features", "view", "repetition", "hidden", "output", "scale", "result_counts", "reward_counts")
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


def epsilon_at(sweep: TdSweep, games: Int[Array, ""]) -> Float[Array, ""]:
    """The share of random moves after so many games."""
    least = jnp.maximum(sweep.final_epsilon, LEAST * sweep.epsilon)
    ratio = least / jnp.maximum(sweep.epsilon, 1e-9)
    passed = games.astype(jnp.float32) / sweep.epsilon_games.astype(jnp.float32)
    return jnp.where(games < sweep.epsilon_games, sweep.epsilon * ratio**passed, sweep.final_epsilon)


def rates_of(game: Rules, state: State) -> GameRates:
    """The rates and seats of a run's next game."""
    sweep, games = state.sweep, state.games
    alpha = jnp.where(games < sweep.games, sweep.alpha, 0)
    opponent = jnp.where(games < sweep.first_games, sweep.first_opponent, sweep.opponent)
    seating = Seating(opponent, games % game.num_players, epsilon_at(sweep, games))
    return GameRates(StepSize(alpha, sweep.trace, sweep.kappa), sweep.gamma, seating)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One game from start to end. Of the metrics `loss` is the mean size of the differences, `value` the mean of J;
    `result` and `lead` (rewards, without the result) belong to the learner's seat; `moves` is the number of legal moves
    in a position, in the mean.
    """
    key, key_game = jax.random.split(state.key)
    rates = rates_of(game, state)
    ended = play_through(config, game, rates, state.network, key_game)
    learning, plies, seat = finish(config, game, rates, ended), ended.lanes.clock - 1, rates.seating.seat
    metrics = {
        "loss": learning.error / jnp.maximum(learning.differences, 1).astype(learning.error.dtype),
        "value": learning.values / jnp.maximum(plies - 1, 1).astype(learning.values.dtype),
        "plies": plies.astype(jnp.float32),
        "moves": ended.choices.astype(jnp.float32) / jnp.maximum(plies, 1).astype(jnp.float32),
        "result": ended.returns[seat],
        "lead": learning.lead[seat],
        "epsilon": rates.seating.epsilon,
    }
    return State(learning.network, state.sweep, key, state.games + 1, state.rounds + 1), metrics


LEARNER = Learner(
    name="td",
    init=init,
    advance=advance,
    policy=valuation.policy,
    span=lambda config: Span(1, "games"),
    move_values=valuation.move_values,
    unit=valuation.unit,
    position_value=valuation.position_value,
    last_units=valuation.last_units,
    sweep=sweep_of,
    program=program,
)
