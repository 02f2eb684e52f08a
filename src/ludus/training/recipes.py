"""Recipes: for each game, the named ways to train it. A recipe is a learner and its config, nothing more."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import jax

from ludus.errors import BadInput
from ludus.truth.table import tabled
from ludus.core.game import Game, Rules
from ludus.games.hex.rules import Hex
from ludus.learners import afterstate, batch, dqn, negamax as neurohex, online

LEARNERS = {
    "afterstate": afterstate.Config,
    "dqn": dqn.Config,
    "neurohex": neurohex.Config,
    "online": online.Config,
    "batch": batch.Config,
}
DEFAULT = "best"


@dataclass(frozen=True)
class Recipe:
    name: str
    learner: str
    config: Any  # of the learner; its `games` is how long training takes
    written_down: bool = False  # whether the game is learned as a table of its positions

    @property
    def module(self) -> Any:
        return importlib.import_module(f"ludus.learners.{self.learner}")

    @property
    def rates_moves(self) -> bool:
        """Whether its network rates the moves of a position, or else positions."""
        return hasattr(self.module, "batch_values")

    def rating(self, game: Game) -> Callable[[Any, Any], Any]:
        """What a network makes of the moves of one position: `(network, state) -> values by action`."""
        if not self.rates_moves:
            raise BadInput(f"the learner '{self.learner}' rates positions, not moves.")
        return _rating(self, game)

    def at_a_glance(self) -> Recipe:
        """The same, its player not looking ahead."""
        looks = getattr(self.config, "lookahead", False)
        return replace(self, config=replace(self.config, lookahead=False)) if looks else self

    def rules(self, game: Game) -> Rules:
        """The game as the learner sees it."""
        return tabled(game) if self.written_down else game

    def lasting(self, games: int | None) -> Recipe:
        """The same recipe over another number of games."""
        if games is None:
            return self
        if games < 1:
            raise BadInput(f"--games {games}: training takes at least one game.")
        return replace(self, config=replace(self.config, games=games))

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "learner": self.learner, "written_down": self.written_down, **asdict(self.config)}

    @staticmethod
    def from_json(saved: dict[str, Any]) -> Recipe:
        kind = LEARNERS.get(saved.get("learner", ""))
        if kind is None:
            raise BadInput(f"there is no learner '{saved.get('learner')}'; there are {', '.join(LEARNERS)}.")
        default = kind()
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in saved.items() if hasattr(default, k)}
        for name, value in values.items():
            wanted = type(getattr(default, name))
            if not isinstance(value, (int, float) if wanted is float else wanted):
                raise BadInput(f"the recipe's {name} is {value!r}, which is not what it takes ({wanted.__name__}).")
        return Recipe(str(saved.get("name", "")), saved["learner"], kind(**values), bool(saved.get("written_down")))


@functools.lru_cache(maxsize=32)  # one function for each, so that what is compiled with it is found again
def _rating(recipe: Recipe, game: Game) -> Callable[[Any, Any], Any]:
    return lambda network, state: recipe.module.action_values(recipe.config, game, network, state)


#: What is not listed for a game is made for any: the afterstate learner on the game itself.
RECIPES: dict[str, dict[str, Recipe]] = {
    "lgame": {
        "best": Recipe("best", "afterstate", afterstate.Config(), written_down=True),
        "paper": Recipe("paper", "dqn", dqn.Config()),
        "paper-full": Recipe("paper-full", "dqn", dqn.Config(head="full", inputs="planes")),
    },
}

#: Hex by size: 3 x 3 and 4 x 4 take minutes on two cores, larger boards want an accelerator.
HEX = {
    3: neurohex.Config(games=40_000),
    4: neurohex.Config(games=150_000),
    5: neurohex.Config(
        hidden=(512, 512, 512),
        backups=8,
        handicap=0.5,
        games=9_000_000,
        lanes=1024,
        batch=2048,
        memory=524_288,
        rounds=120,
        lookahead=True,
        images=2,
    ),
}
LARGE_HEX = neurohex.Config(
    network="tower",
    depth=6,
    backups=1,
    games=1_000_000,
    lanes=512,
    batch=1024,
    memory=131_072,
    rounds=50,
    calls=50,
)


def recipes(game: Game) -> dict[str, Recipe]:
    """The recipes of a game, by name."""
    square = len(jax.eval_shape(game.observe, jax.eval_shape(game.init)).shape) == 3
    any_game = {
        "best": Recipe("best", "afterstate", afterstate.Config()),
        "dqn": Recipe("dqn", "dqn", dqn.Config(head="full", inputs="planes", optimizer="rmsprop", learning_rate=1e-3)),
        "neurohex": Recipe("neurohex", "neurohex", neurohex.Config(backups=1, optimizer="rmsprop")),
    }
    if square:  # a board, for the Hex paper's convolutions
        any_game |= {name: Recipe(name, "online", online.Config(algorithm=name)) for name in online.ALGORITHMS}  # pyright: ignore[reportArgumentType]
        any_game["actor-critic"] = Recipe("actor-critic", "online", online.Config(algorithm="tdc", actor="plain"))
        for name, config in (
            ("cnn-mse", batch.Config(network="cnn", objective="mse", target="q")),
            ("cnn-pbe", batch.Config(network="cnn", objective="pbe", target="sarsa")),
            ("rnn-mse", batch.Config(network="rnn", objective="mse", target="q")),
            ("rnn-pbe", batch.Config(network="rnn", objective="pbe", target="sarsa")),
        ):
            any_game[name] = Recipe(name, "batch", config)
    if isinstance(game, Hex):
        any_game["best"] = Recipe("best", "neurohex", HEX.get(max(game.size, 3), LARGE_HEX))
    return any_game | RECIPES.get(game.name, {})


def find_recipe(game: Game, name: str = DEFAULT) -> Recipe:
    known = recipes(game)
    if name not in known:
        raise BadInput(f"{game.name} has no recipe '{name}'; there are {', '.join(known)}.")
    return known[name]
