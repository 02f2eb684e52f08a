"""Gumbel AlphaZero (Danihelka and others 2022): a policy and a value learned from the learner's own searches, for
games of two players or one.

Many games are played side by side; the averaged weights choose every move by a short search (`searched_games`). The
tape holds the last plies of all lanes. The policy learns from the search's weights of moves. The value learns from the
game's result, so the positions of an unfinished game wait on the tape. A season ends with an empty tape and new games,
so a checkpoint there is small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.game import Rules
from ludus.errors import BadInput
from ludus.learners.configs import AlphaZeroConfig as Config
from ludus.learners.learner import Learner, Pace, unswept
from ludus.learners.searched_games import new_waits, play
from ludus.learners.tape import Sample, Tape, blank, draw, lessons
from ludus.learners.two_heads import (
    Network,
    judge,
    last_units,
    move_values,
    new_network,
    policy,
    policy_value,
    position_value,
)
from ludus.networks.two_headed import HexagonTower, deepened
from ludus.play import selfplay
from ludus.play.policies import MASKED

SAMPLED = 256  # positions, at most, that `spread` and `dead` are measured on


class State(NamedTuple):
    network: Any
    average: Any  # of the weights over time: what plays
    optimizer: Any
    lanes: selfplay.Lanes
    wait: Int[Array, "B"]  # random moves still to be made in each lane before its game begins
    tape: Tape
    filled: Int[Array, ""]  # plies of the tape that were played
    key: Key[Array, ""]
    games: Int[Array, ""]  # finished
    rounds: Int[Array, ""]


def refuse(config: Config, game: Rules) -> None:
    """Refuse to train where no game could ever end, or begin."""
    if config.least_plies > config.random_plies:
        raise BadInput(
            f"games cannot begin after at least {config.least_plies} random moves and at most {config.random_plies}: "
            "give least_plies no more than random_plies."
        )
    if 0 < config.season * config.plies < game.max_plies:
        moves = f"a season of {config.season} rounds is {config.season * config.plies} moves"
        raise BadInput(f"{moves}, and a game may last {game.max_plies}: give more rounds, or 0 for no seasons.")
    if config.decided < 1 and game.num_players != 2:
        raise BadInput(f"games end early only where two play; {game.name or 'this game'} has {game.num_players} seats.")


def init(config: Config, game: Rules, key: Key[Array, ""]) -> State:
    key_network, key_wait, key_play = jax.random.split(key, 3)
    network = new_network(config, game, key_network)
    lanes = selfplay.fresh(game, config.lanes)
    return State(
        network,
        jax.tree.map(jnp.copy, network),
        _rule(config).init(network),  # pyright: ignore[reportArgumentType]
        lanes,
        new_waits(config, key_wait),
        blank(config, game, lanes),
        jnp.int32(0),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def _rule(config: Config) -> optax.GradientTransformation:
    """The optimiser without its learning rate."""
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(b2=0.98),
        optax.add_decayed_weights(config.decay),
    )


def loss(config: Config, game: Rules, network: Network, batch: Sample) -> tuple[Float[Array, ""], Any]:
    """The policy's cross-entropy plus the value's squared error, each over the positions that have a target for it."""

    def one(sample: Sample) -> tuple[Float[Array, ""], Float[Array, ""]]:
        found = policy_value(config, game, network, sample.state)
        said = jax.nn.log_softmax(jnp.where(game.legal(sample.state), found.logits, MASKED))
        return -(sample.wanted * said).sum(), (found.value - sample.result) ** 2

    moves, values = jax.vmap(one)(batch)
    by_moves = _mean(moves, batch.live)
    by_value = _mean(values, batch.live & batch.known)
    return by_moves + by_value, (by_moves, by_value)


def _mean(values: Float[Array, "N"], counts: Bool[Array, "N"]) -> Float[Array, ""]:
    return jnp.where(counts, values, jnp.float32(0)).sum() / jnp.maximum(counts.sum(), 1).astype(jnp.float32)


def advance(config: Config, game: Rules, state: State) -> tuple[State, dict[str, Float[Array, ""]]]:
    """One round: play, then learn from the tape."""
    key, key_play, key_learn, key_season = jax.random.split(state.key, 4)
    # Play, and put the new plies on the tape.
    (lanes, wait), rows = play(config, game, state.average, state.lanes, state.wait, key_play)
    tape = jax.tree.map(lambda old, new: jnp.concatenate([old[config.plies :], new]), state.tape, rows)
    filled = jnp.minimum(state.filled + config.plies, tape.over.shape[0])
    lesson = lessons(tape)
    games = state.games + rows.over.sum(dtype=jnp.int32)
    # Learn from batches of the tape.
    rate = config.learning_rate * jnp.clip(1 - state.games / config.games, config.final_rate, 1)
    rate = jnp.where(filled < config.wait, jnp.float32(0), rate)
    waited = max(-(-config.wait // config.plies) - 1, 0)  # rounds before the first in which anything is learned
    rule = _rule(config)

    def learn(carry: Any, key: Key[Array, ""]) -> Any:
        network, average, optimizer, steps = carry
        batch = draw(config, game, tape, lesson, filled, key)
        gradient, parts = eqx.filter_grad(lambda net: loss(config, game, net, batch), has_aux=True)(network)
        change, optimizer = rule.update(gradient, optimizer, network)
        risen = jnp.minimum((steps - waited * config.updates + 1) / max(config.warm, 1), 1)
        network = jax.tree.map(lambda weight, by: weight - rate * risen * by, network, change)
        # A mean over some hundred steps; over fewer in the beginning.
        share = jnp.maximum(1 - config.average, 1 / (1 + steps))
        average = jax.tree.map(lambda mean, new: mean + share * (new - mean), average, network)
        return (network, average, optimizer, steps + 1), parts

    steps = (state.rounds * config.updates).astype(jnp.float32)
    carry = state.network, state.average, state.optimizer, steps
    (network, average, optimizer, _), (by_moves, by_value) = jax.lax.scan(
        learn, carry, jax.random.split(key_learn, config.updates)
    )
    # Report.
    metrics = {
        "loss": by_moves.mean() + by_value.mean(),
        "policy_loss": by_moves.mean(),
        "value_loss": by_value.mean(),
        "rate": rate,
        **_health(config, game, average, jax.tree.map(lambda leaf: leaf[-1, :SAMPLED], rows.state)),
        "sure": jnp.where(rows.over, jnp.float32(0), rows.weights[..., 0].astype(jnp.float32)).mean(),
    }
    after = State(network, average, optimizer, lanes, wait, tape, filled, key, games, state.rounds + 1)
    return _season(config, game, after, key_season), metrics


def _health(config: Config, game: Rules, network: Network, states: Any) -> dict[str, Float[Array, ""]]:
    """Health of the network, over some positions: the spread of its values, and the share of last units that are zero
    in all of them.
    """
    values = jax.vmap(lambda state: policy_value(config, game, network, state).value)(states)
    units = jax.vmap(lambda state: last_units(config, game, network, state))(states)
    return {"spread": values.std(), "dead": (units.max(axis=0) <= 0).mean(dtype=jnp.float32)}


def _season(config: Config, game: Rules, state: State, key: Key[Array, ""]) -> State:
    """At the end of a season: an empty tape and new games."""
    if not config.season:
        return state
    lanes = selfplay.fresh(game, config.lanes)
    restarted = state._replace(
        lanes=lanes, wait=new_waits(config, key), tape=blank(config, game, lanes), filled=jnp.int32(0)
    )
    ends = state.rounds % config.season == 0
    return jax.tree.map(lambda new, old: jax.lax.select(ends, new, old), restarted, state)


def onto(state: State, network: Network) -> State:
    """A new run that starts from these weights; a shallower tower is deepened first."""
    if isinstance(network, HexagonTower) and isinstance(state.network, HexagonTower):
        network = deepened(network, state.network)
    return state._replace(network=network, average=jax.tree.map(jnp.copy, network))


def may_pause(config: Config, state: State) -> bool:
    """At the end of a season: then the tape is empty."""
    return not config.season or int(state.rounds) % config.season == 0


LEARNER = Learner(
    name="alphazero",
    init=unswept(init),
    advance=advance,
    weights=lambda state: state.average,
    policy=policy,
    pace=lambda config: Pace(config.rounds, config.calls),
    move_values=move_values,
    position_value=position_value,
    last_units=last_units,
    judge=judge,
    onto=onto,
    may_pause=may_pause,
    refuse=refuse,
    rated=True,
)
