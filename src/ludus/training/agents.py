"""Agents: one interface for every player, found by name.

`random`; `perfect` (any move that keeps the value) and `perfect:hardest` (the one that wins fastest or resists
longest), for games that can be written down, and `perfect` for Hex on boards of 4 and 5 too; the folder of a run; or
`GAME/NAME` for one that comes with the package.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.play import selfplay
from ludus.training import tensors
from ludus.errors import BadInput
from ludus.truth import evaluate
from ludus.truth.graph import PARENTS, Graph, build, in_chunks
from ludus.truth.solve import solve
from ludus.truth.table import Tabled, values_everywhere
from ludus.core.game import Game
from ludus.games import make_game
from ludus.games.hex.rules import Hex
from ludus.learners import afterstate, dqn
from ludus.training.recipes import Recipe
from ludus.play.selfplay import fingerprint

SHIPPED = Path(__file__).parent / "shipped"


@runtime_checkable
class Agent(Protocol):
    name: str

    def policy(self, game: Game) -> selfplay.Policy:
        """Its moves in a batch of positions, on the device."""
        ...

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        """Its moves in every position of a game that is written down."""
        ...


class RandomAgent:
    """Every legal move alike."""

    name = "random"

    def policy(self, game: Game) -> selfplay.Policy:
        return selfplay.random_policy(game)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        return evaluate.uniform(graph)


class PerfectAgent:
    """Plays by the solution: any move that keeps the value, or the hardest of them."""

    def __init__(self, hardest: bool = False) -> None:
        self.hardest = hardest
        self.name = "perfect:hardest" if hardest else "perfect"

    def policy(self, game: Game) -> selfplay.Policy:
        if is_searched(game) and not self.hardest:
            from ludus.games.hex.solver import perfect as hex_perfect

            return hex_perfect.policy(cast(Hex, game))
        graph = build(game)
        return look_up(graph, self.probabilities(graph) > 0)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        solution = solve(graph.game)
        return evaluate.among(graph, solution.hardest if self.hardest else solution.preserving)


class TrainedAgent:
    """A learner's network, playing the move it thinks best."""

    def __init__(self, name: str, recipe: Recipe, network: Any) -> None:
        self.name, self.recipe, self.network = name, recipe, network

    def policy(self, game: Game) -> selfplay.Policy:
        config = self.recipe.config
        if self.recipe.written_down:
            graph = build(game)
            return look_up(graph, self.probabilities(graph) > 0)
        if self.recipe.rates_moves:
            return self.recipe.module.policy(config, game, self.network, 0.0)
        return afterstate.policy(config, game, afterstate.Rater(self.network, None), 0.0)

    def probabilities(self, graph: Graph) -> Float[np.ndarray, "E"]:
        config, rules = self.recipe.config, self.recipe.rules(graph.game)
        if self.recipe.rates_moves:
            q = self._everywhere(graph, self.recipe.module.batch_values)
            score = np.nan_to_num(q[graph.parent, graph.action], nan=dqn.MASKED)
            return evaluate.among(graph, score == graph.reduce(np.maximum, score, 0)[graph.parent])
        if isinstance(rules, Tabled):
            value = values_everywhere(rules, afterstate.values(config, rules, self.network, rules.everywhere()))
        else:
            value = self._everywhere(graph, afterstate.values)
        return evaluate.greedy(graph, graph.sign * value[graph.child])

    def _everywhere(self, graph: Graph, function: Any) -> np.ndarray:
        """A learner's compiled batch function, over all positions."""
        return in_chunks(
            PARENTS, functools.partial(function, self.recipe.config, graph.game, self.network), graph.states
        )


def look_up(graph: Graph, allowed: Bool[np.ndarray, "E"]) -> selfplay.Policy:
    """Play any of the allowed moves of the graph, the position found by its fingerprint."""
    game = graph.game
    # 32 bits a fingerprint on the device: try salts until all positions differ.
    halves = (graph.keys >> np.uint64(32)).astype(np.uint32), graph.keys.astype(np.uint32)
    for salt in range(1, 1 << 16, 2):
        short = halves[0] * np.uint32(salt) ^ halves[1]
        if len(np.unique(short)) == len(short):
            break
    else:
        raise BadInput(f"{game.describe()} has too many positions to look up.")
    order = np.argsort(short)
    keys, numbers = jnp.asarray(short[order]), jnp.asarray(graph.order[order])
    first = jnp.asarray(np.concatenate([[0], np.cumsum(allowed)])[graph.first])
    actions = jnp.asarray(graph.action[allowed])

    def one(state: Any, random_bits: Array) -> Int[Array, ""]:
        low, high = fingerprint(game.canonical(state))
        place = jnp.searchsorted(keys, low * np.uint32(salt) ^ high)
        number = numbers[jnp.minimum(place, len(keys) - 1)]
        nth = selfplay.below(random_bits[None], (first[number + 1] - first[number])[None])[0]
        return game.canonical_action(state, actions[jnp.minimum(first[number] + nth, len(actions) - 1)])

    def choose(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        size = len(jax.tree.leaves(states)[0])
        return jax.vmap(one)(states, jax.random.bits(key, (size,)))

    return choose


def shipped(game: str | None = None) -> list[str]:
    """The names of the agents that come with the package."""
    folders = sorted(SHIPPED.glob("*/*/config.json"))
    names = [f"{path.parent.parent.name}/{path.parent.name}" for path in folders]
    return [name for name in names if game is None or name.startswith(f"{game}/")]


def agents_for(game: Game) -> list[str]:
    """The names of the agents that can play a game, besides run folders."""
    perfect = ["perfect", "perfect:hardest"] if game.small else ["perfect"] if is_searched(game) else []
    return ["random", *perfect, *shipped(game.name)]


def is_searched(game: Game) -> bool:
    """Whether perfect play is found position by position, in a game too large to write down."""
    return isinstance(game, Hex) and game.size in (4, 5) and not game.swap


def card(name: str) -> dict[str, Any]:
    """How a shipped agent was trained, and how strong it was measured to be."""
    return json.loads((SHIPPED / name / "card.json").read_text())


def find_agent(name: str, game: Game) -> Agent:
    """An agent by its name, for this game."""
    if name == "random":
        return RandomAgent()
    if name in ("perfect", "perfect:hardest"):
        if is_searched(game) and name == "perfect:hardest":
            raise BadInput(f"there is no perfect:hardest for {game.describe()}, only for smaller boards; take perfect.")
        if not is_searched(game):
            build(game)  # says so if the game is too large
        return PerfectAgent(name == "perfect:hardest")
    folder = SHIPPED / name if name in shipped() else Path(name)
    if not (folder / "config.json").is_file():
        known = ", ".join(agents_for(game))
        raise BadInput(f"there is no agent '{name}' for {game.name}; there are {known}, and the folder of any run.")
    return load_agent(folder, game, name)


def game_of(name: str) -> Game | None:
    """The game that a trained agent plays, or None for an agent that plays any."""
    folder = SHIPPED / name if name in shipped() else Path(name)
    if not (folder / "config.json").is_file():
        return None
    config = read_config(folder)
    return make_game(config["game"], **config["options"])


def read_config(folder: Path) -> dict[str, Any]:
    """What a trained agent's folder says of it: the game, its options and the recipe."""
    try:
        config = json.loads((folder / "config.json").read_text())
        wanted = {"game": str, "options": dict, "recipe": dict}
        if not all(isinstance(config[key], kind) for key, kind in wanted.items()):
            raise ValueError("an entry of another kind")
        return {key: config[key] for key in wanted}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"'{folder}' is not the folder of a trained agent: its config.json cannot be read.") from error


def load_agent(folder: Path, game: Game, name: str | None = None) -> TrainedAgent:
    """The agent of a run folder, or of a shipped one."""
    config = read_config(folder)
    if config["game"] != game.name:
        raise BadInput(f"the agent '{name or folder}' plays {config['game']}, not {game.name}.")
    recipe = Recipe.from_json(config["recipe"])
    rules = recipe.rules(game)
    like = jax.eval_shape(lambda: recipe.module.weights(recipe.module.init(recipe.config, rules, jax.random.key(0))))
    path = folder / "weights.safetensors"
    if not path.is_file():
        raise BadInput(f"the run '{folder}' has no weights yet: finish it with --resume {folder}.")
    return TrainedAgent(name or str(folder), recipe, tensors.read_tensors(path, like))
