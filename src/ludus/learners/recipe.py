"""A recipe: a learner and its settings. It needs no JAX before `learner` or `rules` is used."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from ludus.errors import BadInput, shorten
from ludus.games import former_name
from ludus.learners import LEARNERS, find_config, find_learner
from ludus.learners.settings import check_games, from_saved, from_text, from_values

if TYPE_CHECKING:
    from ludus.core.game import Game, Rules
    from ludus.learners.learner import Learner

SHORT = 4  # moves; few games are shorter


@dataclass(frozen=True, eq=False)
class Recipe:
    name: str
    learner_name: str
    settings: tuple[tuple[str, Any], ...] = ()  # of the learner's config, where they are not its defaults
    as_table: bool = False  # whether the game is learned as a table of its positions
    #: Whether a run ends with the round that reaches its games. With the recipe's own number of games it ends with the
    #: next report, as the shipped agents did.
    by_round: bool = False

    @staticmethod
    def of(name: str, learner: str, as_table: bool = False, **settings: Any) -> Recipe:
        return Recipe(name, learner, tuple(settings.items()), as_table)

    @functools.cached_property
    def learner(self) -> Learner:
        return find_learner(self.learner_name)

    @functools.cached_property
    def config(self) -> Any:
        return find_config(self.learner_name)(**dict(self.settings))

    # Recipes with the same config are equal, however their settings were given: a saved recipe has all settings, and
    # must find what was compiled for the original.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self._meaning == other._meaning

    def __hash__(self) -> int:
        return hash(self._meaning)

    @property
    def _meaning(self) -> tuple[Any, ...]:
        return self.name, self.learner_name, self.config, self.as_table

    def rules(self, game: Game) -> Rules:
        """The rules that the learner trains on: the game itself, or as a table."""
        from ludus.learners.views import has_planes
        from ludus.truth.tabular import as_table

        if self.learner.needs_planes and not has_planes(game):
            raise BadInput(
                f"the recipe '{self.name}' needs a game whose observation is planes; that of {game.name} is not."
            )
        return as_table(game) if self.as_table else game

    def with_settings(self, **settings: Any) -> Recipe:
        """The same recipe with these settings changed."""
        return replace(self, settings=tuple((dict(self.settings) | settings).items()))

    def with_texts(self, texts: tuple[str, ...]) -> Recipe:
        """The same recipe with settings typed by hand, each as NAME=VALUE."""
        return self.with_settings(**from_text(find_config(self.learner_name), texts)) if texts else self

    def with_values(self, given: Mapping[str, Any]) -> Recipe:
        """The same recipe with these settings changed, each checked."""
        return self.with_settings(**from_values(find_config(self.learner_name), given)) if given else self

    def lasting(self, games: int | None) -> Recipe:
        """The same recipe over another number of games."""
        if games is None:
            return self
        check_games(games)
        if games == self.config.games:
            return self
        return replace(self.with_settings(games=games, **self._lanes(games)), by_round=True)

    def _lanes(self, games: int) -> dict[str, int]:
        """Few games need few lanes, or the first round alone would play far more games."""
        lanes, span = self.config.lanes, self.learner.span(self.config)
        if not lanes:
            return {}
        in_a_round = span.size / lanes / (1 if span.unit == "games" else SHORT)  # games of one lane, at most
        return {"lanes": min(lanes, max(1, int(games / 2 / in_a_round)))}

    def to_json(self) -> dict[str, Any]:
        saved = {"name": self.name, "learner": self.learner_name, "as_table": self.as_table, **asdict(self.config)}
        return saved | ({"by_round": True} if self.by_round else {})

    @staticmethod
    def from_json(saved: Mapping[str, Any]) -> Recipe:
        """A recipe from a run's config; old runs may have former names."""
        learner = str(saved.get("learner", ""))
        learner = learner if learner in LEARNERS else former_name(learner)
        settings = from_saved(find_config(learner), saved)
        switches = {"as_table": saved.get("as_table", saved.get("written_down", False))}
        switches["by_round"] = saved.get("by_round", False)
        for name, value in switches.items():
            if not isinstance(value, bool):
                raise BadInput(f"the recipe's {name} is {shorten(repr(value))}, and it takes true or false.")
        return Recipe(str(saved.get("name", "")), learner, tuple(settings.items()), **switches)
