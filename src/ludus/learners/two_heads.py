"""What a network with a policy head and a value head says of a position, and players that move by it.

`alphazero` trains such networks; searches ask them through `judge`.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from ludus.core.game import Rules
from ludus.errors import BadInput
from ludus.games import part
from ludus.learners.configs import AlphaZeroConfig as Config
from ludus.networks.two_headed import HexagonTower, PolicyValue, TwoHeadedMLP
from ludus.play import selfplay
from ludus.play.policies import MASKED, greedy, to_actions
from ludus.search.network import gumbel

Network = HexagonTower | TwoHeadedMLP


def new_network(config: Config, game: Rules, key: Key[Array, ""]) -> Network:
    if config.network == "tower":
        view = lattice_of(game)
        planes = jax.eval_shape(lambda: view.planes(game, game.init())).shape[-1]
        return HexagonTower(planes, view.lattice(game), config.width, config.blocks, key, config.norms)
    size = jax.eval_shape(lambda: game.observe(game.init()).reshape(-1)).shape[0]
    return TwoHeadedMLP(size, config.hidden, game.num_actions, key)


def lattice_of(game: Rules) -> Any:
    """A game's part `lattice`: its planes as the mover sees them, and where actions lie on them."""
    found = part(game, "lattice")
    if found is None:
        raise BadInput(f"{game.name or 'this game'} lies on no lattice of hexagons; give network 'mlp'.")
    return found


def policy_value(config: Config, game: Rules, network: Network, state: Any) -> PolicyValue:
    """Of one position: a logit for every action, legal or not, and the value."""
    if isinstance(network, HexagonTower):
        view = lattice_of(game)
        found = network(view.planes(game, state), view.lattice(game))
    else:
        found = network(game.observe(state).reshape(-1))
    return found._replace(logits=to_actions(game, state, found.logits))


def mean_policy_value(config: Config, game: Rules, network: Network, state: Any) -> PolicyValue:
    """The mean over images of one position: the network need not rate them alike. Players use this."""
    images, becomes = jax.tree.map(lambda leaf: leaf[: config.images], game.symmetries(state))
    found = jax.vmap(lambda image: policy_value(config, game, network, image))(images)
    logits = jnp.take_along_axis(found.logits, becomes, axis=1)
    return PolicyValue(logits.mean(axis=0), found.value.mean())


def judge(config: Config, game: Rules, network: Network, of_one: Any = mean_policy_value) -> gumbel.Judge:
    """The logits and values of a batch of positions, for a search."""

    def judged(states: Any) -> tuple[Float[Array, "B A"], Float[Array, "B"]]:
        found = jax.vmap(lambda state: of_one(config, game, network, state))(states)
        return found.logits, found.value

    return judged


def move_values(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "A"]:
    """The policy's probability of each move."""
    logits = mean_policy_value(config, game, network, state).logits
    return jax.nn.softmax(jnp.where(game.legal(state), logits, MASKED))


def position_value(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, ""]:
    return mean_policy_value(config, game, network, state).value


def policy(config: Config, game: Rules, network: Network, epsilon: float) -> selfplay.Policy:
    """The likeliest move, without any search."""
    return greedy(game, lambda state: move_values(config, game, network, state), epsilon)


def last_units(config: Config, game: Rules, network: Network, state: Any) -> Float[Array, "U"]:
    """The outputs of the last units that both heads share."""
    if isinstance(network, HexagonTower):
        view = lattice_of(game)
        return network.last_units(view.planes(game, state), view.lattice(game))
    return network.network.features(game.observe(state).reshape(-1))
