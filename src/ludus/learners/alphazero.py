"""A policy and a value, learned from searches of its own: Gumbel AlphaZero (Danihelka and others 2022), for any game of
two, or for one.

Many games are played side by side, every move by a short search (`gumbel`) with the averaged weights. The last plies
of all lanes are a tape: a game that is not finished stays on it until it is, and a position's value is learned from
the result once that is there. What is learned of moves is what the search said of them. A season ends with an empty
tape and new games, so that little need be kept to go on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core.game import Rules, select
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners.configs import AlphaZeroConfig as Config
from ludus.learners.learner import Learner, Pace, Span, unswept
from ludus.learners.tape import Sample, Tape, blank, draw, lessons, moves_kept
from ludus.networks.two_headed import HexagonTower, PolicyValue, TwoHeadedMLP, deepened
from ludus.play import selfplay
from ludus.play.policies import MASKED, greedy, to_actions
from ludus.search.network import gumbel

LOOKED = 256  # positions, at most, by which it is told whether a network lives
WHOLE = 8  # every so many lanes one plays all its games to the end, whoever is sure of what
ANY = 0.05  # odds of an opening that the network thinks decided, where those of an open one are 1

Network = HexagonTower | TwoHeadedMLP


class State(NamedTuple):
    network: Any
    average: Any  # of the network's weights: what plays
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
            f"games cannot begin after {config.least_plies} random moves or more, and {config.random_plies} or fewer."
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
        _waits(config, key_wait),
        blank(config, game, lanes),
        jnp.int32(0),
        key_play,
        jnp.int32(0),
        jnp.int32(0),
    )


def new_network(config: Config, game: Rules, key: Key[Array, ""]) -> Network:
    if config.network == "tower":
        view = board_of(game)
        planes = jax.eval_shape(lambda: view.planes(game, game.init())).shape[-1]
        return HexagonTower(planes, view.lattice(game), config.width, config.blocks, key, config.norms)
    size = jax.eval_shape(lambda: game.observe(game.init()).reshape(-1)).shape[0]
    return TwoHeadedMLP(size, config.hidden, game.num_actions, key)


def board_of(game: Rules) -> Any:
    """A room's part `lattice`: its planes as the mover sees them, and where actions lie on them."""
    found = part(game, "lattice")
    if found is None:
        raise BadInput(f"{game.name or 'this game'} lies on no lattice of hexagons; give network 'mlp'.")
    return found


def _rule(config: Config) -> optax.GradientTransformation:
    """Which way, but for how far."""
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(b2=0.98),
        optax.add_decayed_weights(config.decay),
    )


def _waits(config: Config, key: Key[Array, ""]) -> Int[Array, "B"]:
    return jax.random.randint(key, (config.lanes,), config.least_plies, config.random_plies + 1)


def weights(state: State) -> Network:
    return state.average


def policy_value(config: Config, game: Rules, network: Network, state: Any) -> PolicyValue:
    """What the network says of one position: a logit for every action of it, legal or not, and its value."""
    if isinstance(network, HexagonTower):
        view = board_of(game)
        found = network(view.planes(game, state), view.lattice(game))
    else:
        found = network(game.observe(state).reshape(-1))
    return found._replace(logits=to_actions(game, state, found.logits))


def mean_policy_value(config: Config, game: Rules, network: Network, state: Any) -> PolicyValue:
    """The mean of what it says of images of one position, which it need not see alike: what a player goes by."""
    images, becomes = jax.tree.map(lambda leaf: leaf[: config.images], game.symmetries(state))
    found = jax.vmap(lambda image: policy_value(config, game, network, image))(images)
    logits = jnp.take_along_axis(found.logits, becomes, axis=1)
    return PolicyValue(logits.mean(axis=0), found.value.mean())


def judge(config: Config, game: Rules, network: Network, of_one: Any = mean_policy_value) -> gumbel.Judge:
    def judged(states: Any) -> tuple[Float[Array, "B A"], Float[Array, "B"]]:
        found = jax.vmap(lambda state: of_one(config, game, network, state))(states)
        return found.logits, found.value

    return judged


def move_values(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "A"]:
    """How likely the network holds each move to be the best."""
    logits = mean_policy_value(config, game, network, state).logits
    return jax.nn.softmax(jnp.where(game.legal(state), logits, MASKED))


def position_value(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, ""]:
    return mean_policy_value(config, game, network, state).value


def policy(config: Config, game: Rules, network: Network, epsilon: float) -> selfplay.Policy:
    """The likeliest move, without any search."""
    return greedy(game, lambda state: move_values(config, game, network, state), epsilon)


# --- playing ------------------------------------------------------------------------------------------------------


def play(config: Config, game: Rules, state: State, key: Key[Array, ""]) -> Any:
    """Some plies in all lanes: the lanes, the random moves they still have to make, and the new end of the tape."""
    considered = min(config.considered, game.num_actions)
    effort = gumbel.GumbelSettings(config.simulations, considered, 1.0, config.value_scale, config.rescaled)
    kept = moves_kept(config, game)
    opening = _opening(config, game, state.average)

    def body(carry: Any, key: Key[Array, ""]) -> Any:
        lanes, wait = carry
        key_search, key_random, key_lanes, key_wait = jax.random.split(key, 4)
        found = gumbel.search(game, judge(config, game, state.average, policy_value), key_search, lanes.state, effort)
        by_chance = opening(key_random, lanes)
        action = jnp.where(wait > 0, by_chance, found.action)
        lanes, record = selfplay.advance(game, lambda key, states: action, lanes, key_lanes)
        if config.decided < 1:
            lanes, record = _broken_off(config, game, lanes, record, found.value, wait)
        likely = jax.lax.top_k(found.weights, kept)
        row = Tape(
            record.state,
            record.player.astype(jnp.int8),
            record.over,
            record.returns,
            likely[1].astype(jnp.int16),
            likely[0].astype(jnp.float16),
            wait == 0,
        )
        return (lanes, jnp.where(record.over, _waits(config, key_wait), jnp.maximum(wait - 1, 0))), row

    return jax.lax.scan(body, (state.lanes, state.wait), jax.random.split(key, config.plies))


def _broken_off(
    config: Config,
    game: Rules,
    lanes: selfplay.Lanes,
    record: selfplay.PlyRecord,
    value: Float[Array, "B"],
    wait: Int[Array, "B"],
) -> tuple[selfplay.Lanes, selfplay.PlyRecord]:
    """Games in which the search is sure who wins are over before its move, and that is what they came to."""
    to_end = jnp.arange(config.lanes) % WHOLE == 0
    ends = (jnp.abs(value) > config.decided) & (wait == 0) & ~record.over & ~to_end
    seats = jnp.arange(game.num_players)[None] == record.player[:, None]
    came_to = jnp.sign(value)[:, None] * jnp.where(seats, jnp.float32(1), jnp.float32(-1))
    anew = jax.vmap(select)(ends, selfplay.fresh(game, config.lanes).state, lanes.state)
    return (
        lanes._replace(state=anew, ply=jnp.where(ends, 0, lanes.ply)),
        record._replace(over=record.over | ends, returns=jnp.where(ends[:, None], came_to, record.returns)),
    )


def _opening(config: Config, game: Rules, network: Network) -> Callable[[Key[Array, ""], selfplay.Lanes], Array]:
    """How the random moves are drawn that games begin with: any alike, or the very first rather so that the network
    thinks the game still open.
    """
    anything = selfplay.random_policy(game)
    if config.openings == "random":
        return lambda key, lanes: anything(key, lanes.state)
    start = game.init()
    reached = jax.vmap(game.step, (None, 0))(start, jnp.arange(game.num_actions, dtype=jnp.int32))
    _, value = judge(config, game, network, policy_value)(reached)
    odds = jnp.where(game.legal(start), jnp.log(1 - value**2 + jnp.float32(ANY)), MASKED)

    def draw(key: Key[Array, ""], lanes: selfplay.Lanes) -> Int[Array, "B"]:
        key_first, key_later = jax.random.split(key)
        first = jax.random.categorical(key_first, odds, shape=lanes.ply.shape).astype(jnp.int32)
        return jnp.where(lanes.ply == 0, first, anything(key_later, lanes.state))

    return draw


# --- learning -----------------------------------------------------------------------------------------------------


def loss(config: Config, game: Rules, network: Network, batch: Sample) -> tuple[Float[Array, ""], Any]:
    """The cross-entropy of the policy, and the squared error of the value, each over those that tell of it."""

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
    """One round: play on, then learn from the tape."""
    key, key_play, key_learn, key_season = jax.random.split(state.key, 4)
    (lanes, wait), rows = play(config, game, state, key_play)
    tape = jax.tree.map(lambda old, new: jnp.concatenate([old[config.plies :], new]), state.tape, rows)
    filled = jnp.minimum(state.filled + config.plies, tape.over.shape[0])
    lesson = lessons(tape)
    games = state.games + rows.over.sum(dtype=jnp.int32)
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
        # A mean over the last hundred or so; over fewer at first, where they say more.
        share = jnp.maximum(1 - config.average, 1 / (1 + steps))
        average = jax.tree.map(lambda mean, new: mean + share * (new - mean), average, network)
        return (network, average, optimizer, steps + 1), parts

    steps = (state.rounds * config.updates).astype(jnp.float32)
    carry = state.network, state.average, state.optimizer, steps
    (network, average, optimizer, _), (by_moves, by_value) = jax.lax.scan(
        learn, carry, jax.random.split(key_learn, config.updates)
    )
    metrics = {
        "loss": by_moves.mean() + by_value.mean(),
        "policy_loss": by_moves.mean(),
        "value_loss": by_value.mean(),
        "rate": rate,
        **_life(config, game, average, jax.tree.map(lambda leaf: leaf[-1, :LOOKED], rows.state)),
        "sure": jnp.where(rows.over, jnp.float32(0), rows.weights[..., 0].astype(jnp.float32)).mean(),
    }
    after = State(network, average, optimizer, lanes, wait, tape, filled, key, games, state.rounds + 1)
    return _season(config, game, after, key_season), metrics


def _life(config: Config, game: Rules, network: Network, states: Any) -> dict[str, Float[Array, ""]]:
    """Whether the network tells positions apart: how its values spread over some, and the share of its last units that
    say nothing in any of them.
    """
    values = jax.vmap(lambda state: policy_value(config, game, network, state).value)(states)
    units = jax.vmap(lambda state: last_units(config, game, network, state))(states)
    return {"spread": values.std(), "dead": (units.max(axis=0) <= 0).mean(dtype=jnp.float32)}


def _season(config: Config, game: Rules, state: State, key: Key[Array, ""]) -> State:
    """At the end of a season, an empty tape and new games."""
    if not config.season:
        return state
    lanes = selfplay.fresh(game, config.lanes)
    anew = state._replace(lanes=lanes, wait=_waits(config, key), tape=blank(config, game, lanes), filled=jnp.int32(0))
    ends = state.rounds % config.season == 0
    return jax.tree.map(lambda new, old: jax.lax.select(ends, new, old), anew, state)


def onto(state: State, network: Network) -> State:
    if isinstance(network, HexagonTower) and isinstance(state.network, HexagonTower):
        network = deepened(network, state.network)
    return state._replace(network=network, average=jax.tree.map(jnp.copy, network))


def may_pause(config: Config, state: State) -> bool:
    """At the end of a season the tape is empty."""
    return not config.season or int(state.rounds) % config.season == 0


def last_units(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "U"]:
    if isinstance(network, HexagonTower):
        view = board_of(game)
        return network.last_units(view.planes(game, state), view.lattice(game))
    return network.network.features(game.observe(state).reshape(-1))


LEARNER = Learner(
    name="alphazero",
    init=unswept(init),
    advance=advance,
    weights=weights,
    policy=policy,
    pace=lambda config: Pace(config.rounds, config.calls),
    span=lambda config: Span(config.lanes * config.plies, "moves"),
    move_values=move_values,
    position_value=position_value,
    last_units=last_units,
    judge=judge,
    onto=onto,
    may_pause=may_pause,
    refuse=refuse,
    rated=True,
)
