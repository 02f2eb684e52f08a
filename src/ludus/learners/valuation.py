"""J: the value of an afterstate, by a small network; and players that move by it. `td` learns it.

In the view "mover" J is the value to the player who has just moved INTO the position, and everybody moves to the
afterstate of the highest J. In the view "first" J is the value to the first player, whoever has moved: the first player
moves to the highest J and the second to the lowest.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.game import Moves, Rules, each_move
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners.configs import TdConfig as Config
from ludus.learners.views import encoding
from ludus.play import selfplay
from ludus.play.policies import MASKED, best_moves, choose
from ludus.search.alphabeta.evaluation import minimax_evaluation

SELF, RANDOM, MINIMAX = range(3)  # the opponent in training
SMALL = 0.01  # initial weights lie between this and its negative
STEEP = 0.01  # the slope below which a sigmoid unit counts as saturated


class Network(NamedTuple):
    """Two layers of sigmoid units."""

    hidden: Float[Array, "In H"]
    hidden_bias: Float[Array, "H"]
    output: Float[Array, "H"]
    output_bias: Float[Array, ""]


def new_network(config: Config, game: Rules, key: Key[Array, ""]) -> Network:
    inputs = jax.eval_shape(functools.partial(inputs_of, config, game), jax.eval_shape(game.init)).size
    shapes = ((inputs, config.hidden), (config.hidden,), (config.hidden,), ())
    pairs = zip(jax.random.split(key, len(shapes)), shapes, strict=True)
    return Network(*(jax.random.uniform(k, shape, jnp.float32, -SMALL, SMALL) for k, shape in pairs))


def inputs_of(config: Config, game: Rules, state: Any) -> Float[Array, "In"]:
    """The network's inputs for an afterstate. A game's own features are from the side of the player who has moved; the
    planes that every game has are from the side to move, which works as well. In the view "first" they are always from
    the same player's side.
    """
    seen = _from_first(game, state) if config.view == "first" else state
    return encoding(game, config.features)(seen).reshape(-1)


def _from_first(game: Rules, state: Any) -> Any:
    """The position as if the first player had just moved."""
    turned = part(game, "first_view")
    if turned is None:
        if game.num_players == 1:
            return state
        name = game.name or "this game"
        raise BadInput(f"{name} cannot be seen from the first player's side alone (view 'first'); give view 'mover'.")
    return turned(game, state)


def units(network: Network, inputs: Float[Array, "In"]) -> Float[Array, "H"]:
    return jax.nn.sigmoid(inputs.astype(network.hidden.dtype) @ network.hidden + network.hidden_bias)


def value(config: Config, network: Network, inputs: Float[Array, "In"]) -> Float[Array, ""]:
    """J. A sigmoid cannot express a loss, or gains of more than 1: at best it orders positions correctly. A scaled
    output covers all that rewards and the result can add up to.
    """
    share = jax.nn.sigmoid(units(network, inputs) @ network.output + network.output_bias)
    return share if config.output == "sigmoid" else config.scale * (2 * share - 1)


def position_value(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, ""]:
    """The value to the side to move: -J (for a puzzle of one player, J itself); in the view "first", J to the first
    player and -J to the second. A finished game has the largest or the smallest value there is, by its result.
    """
    sign = jnp.where(game.player(state) == 0, 1, -1) if config.view == "first" else _sign(game)
    here = sign * value(config, network, inputs_of(config, game, state))
    if not config.result_counts:
        return here
    most = 1.0 if config.output == "sigmoid" else config.scale
    return jnp.where(game.done(state), most * game.returns(state)[game.player(state)], here)


def _sign(game: Rules) -> int:
    """Turns the side to move's value into the previous mover's."""
    return 1 if game.num_players == 1 else -1


def _rate(config: Config, game: Rules, network: Network, state: Any, reached: Any) -> Float[Array, ""]:
    """A move's value to its mover: J of the afterstate, plus the move's reward if that is to count."""
    there = _sign(game) * position_value(config, game, network, reached)
    gained = part(game, "rewards") if config.reward_counts else None
    return there if gained is None else there + gained(game, state, reached)


def _rated(config: Config, game: Rules, network: Network, state: Any) -> Moves:
    return each_move(game, state, functools.partial(_rate, config, game, network, state))


def move_values(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "A"]:
    """The value of every legal action of one position to its mover."""
    moves = _rated(config, game, network, state)
    found = jnp.where(moves.valid, moves.said, MASKED)
    return jnp.full(game.num_actions, MASKED, found.dtype).at[moves.actions].max(found)


def unit(config: Config, game: Rules) -> str:
    """A sigmoid only orders positions; a scaled output adds up the game's rewards, pieces taken, where it has some."""
    return "points" if config.output == "sigmoid" else "" if part(game, "rewards") is None else "pieces"


def last_units(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "H"]:
    """The slope of each hidden unit, less `STEEP`: above zero where the unit is not saturated."""
    here = units(network, inputs_of(config, game, state))
    return here * (1 - here) - STEEP


def policy(config: Config, game: Rules, network: Network, epsilon: float) -> selfplay.Policy:
    """One of the moves of the highest value, or any move with probability epsilon."""

    def move(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        moves = jax.vmap(functools.partial(_rated, config, game, network))(states)
        chosen = choose(key, jax.vmap(best_moves)(moves.said, moves.valid), moves.valid, epsilon)
        return jnp.take_along_axis(moves.actions, chosen[:, None], axis=1)[:, 0]

    return move


class Seating(NamedTuple):
    """Who plays a game of training, and how."""

    opponent: Int[Array, ""]
    seat: Int[Array, ""]  # the learner's; in self-play all seats are
    epsilon: Float[Array, ""]  # its share of random moves

    def learns(self, seat: Int[Array, "*P"]) -> Bool[Array, "*P"]:
        """Whether a seat is the learner's."""
        return (self.opponent == SELF) | (seat == self.seat)


def training_policy(config: Config, game: Rules, network: Network, seating: Seating) -> selfplay.Policy:
    """The policy of one game: the learner moves in its seat, the opponent in the other. The minimax opponent looks one
    move ahead, too; the random one rates all moves alike.
    """
    evaluation = minimax_evaluation(game)
    evaluate = None if evaluation is None else evaluation.on_device

    def move(key: Key[Array, ""], states: Any) -> Int[Array, "1"]:
        state = jax.tree.map(lambda leaf: leaf[0], states)
        ours = seating.learns(game.player(state))

        def worth(reached: Any) -> Float[Array, ""]:
            value = _rate(config, game, network, state, reached)
            theirs = jnp.zeros_like(value)
            if evaluate is not None:
                theirs = jnp.where(seating.opponent == MINIMAX, -evaluate(game, reached).astype(value.dtype), theirs)
            return jnp.where(ours, value, theirs)

        moves = each_move(game, state, worth)
        best = best_moves(moves.said, moves.valid)
        epsilon = jnp.where(ours, seating.epsilon, 0)
        return moves.actions[choose(key, best[None], moves.valid[None], epsilon)]

    return move
