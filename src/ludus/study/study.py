"""What a study is: a paper's figures, each a grid of curves with a judge. Nothing here needs JAX, so that a figure that
is not there is refused at once.

The judge sees only what was measured (`Data`), so that its verdict can be made again from the figure's CSV.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import BadInput
from ludus.learners.recipes import Recipe
from ludus.study.data import Data, Played, Runs
from ludus.study.statistics import together

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.learners.learner import Learner

Log = Callable[[str], None]
#: Settings by arm, as trials chose them.
Choices = Mapping[str, Mapping[str, float]]
#: `(learner, config, weights)` to measures: every leaf of the weights and every measure has runs first.
Measure = Callable[["Learner", Any, Any], Mapping[str, Any]]
#: Has the agents that curves end in play, or solve: `(label, recipe, weights by seed)` of each, in order.
Play = Callable[[Sequence[tuple[str, Recipe, Any]]], Sequence[Played]]
#: Makes what runs begin with, by seed (every leaf [S, ...]): `(learner, config, game, keys)`.
Setups = Callable[["Learner", Any, "Game", Any], Any]


@dataclass(frozen=True)
class Curve:
    """One curve of a figure: its panel, its name there, and what is run."""

    panel: str
    label: str
    recipe: Recipe
    setup: str = ""  # the name of a way to begin, of the study's; none is the learner's own
    tried: tuple[tuple[str, float], ...] = ()  # the settings that a trial tries here
    length: str = ""  # the name of a scale of its own, if it is not its figure's

    @property
    def run(self) -> Any:
        """What is run, whatever it is called."""
        return self.recipe.learner.name, self.recipe.config, self.setup


@dataclass(frozen=True)
class Scale:
    """How much of it."""

    seeds: int
    points: int
    every: int  # games or moves between two points
    first_seed: int = 0

    @property
    def all_seeds(self) -> tuple[int, ...]:
        return tuple(range(self.first_seed, self.first_seed + self.seeds))


class Axis(NamedTuple):
    """How a measure is drawn."""

    label: str
    factor: float = 1.0  # 100 for a share in percent
    bounds: tuple[float, float] = (-math.inf, math.inf)  # of the axis, where nothing can lie beyond
    log_below: float | None = None  # the distance below this is drawn, on a logarithmic scale
    references: tuple[tuple[float, str], ...] = ()  # level lines, in the axis's units: a random player's, the paper's
    of: str = ""  # the measure that is drawn, if it is not the one of this name


@dataclass(frozen=True)
class Claim:
    """Something the paper says, and what is found of it."""

    claim: str
    verdict: str
    found: str = ""  # the numbers that decide, in a few words


@dataclass(frozen=True)
class Finding:
    """What a figure shows: the verdict on each of its claims, the numbers behind them, perhaps a table for the page."""

    claims: tuple[Claim, ...]
    values: Mapping[str, str]
    table: Sequence[Sequence[str]] = ()  # its head first

    @property
    def claim(self) -> str:
        return "; ".join(claim.claim for claim in self.claims)

    @property
    def verdict(self) -> str:
        verdicts = [claim.verdict for claim in self.claims]
        return verdicts[0] if len(set(verdicts)) == 1 else together(verdicts)  # a trial's is of its own kind


@dataclass(frozen=True)
class Figure:
    title: str
    curves: tuple[Curve, ...]
    judge: Callable[[Data], Finding]
    measures: tuple[str, ...]  # that are drawn, one below the other
    length: str = ""  # the name of a scale of the study's
    outline: tuple[str, ...] | None = None  # the labels that --quick draws; all, if none are named
    same_data: str = ""  # the figure whose CSV this one shares
    #: What makes a figure a trial: in each panel, an arm, the curve that is highest by each of these is chosen.
    criteria: Mapping[str, Callable[[Runs], float]] = field(default_factory=dict)
    references: Mapping[str, tuple[tuple[float, str], ...]] = field(default_factory=dict)  # level lines of its own
    play: Play | None = None
    play_quick: Play | None = None  # what --quick plays instead
    picture: Callable[[Data], str] | None = None  # an SVG document in the place of its curves

    def drawn(self, quick: bool) -> tuple[Curve, ...]:
        if not quick or self.outline is None:
            return self.curves
        return tuple(curve for curve in self.curves if curve.label in self.outline)


@dataclass(frozen=True)
class Study:
    paper: str  # as it is called on the command line
    title: str
    game: Callable[[], Game]
    unit: str  # what a curve is drawn over: games or moves
    figures: Mapping[str, Figure]
    measure: Callable[[Game, bool], Measure]  # by game, and whether it is only an outline
    scales: Callable[[str, bool, int | None], Scale]  # by a figure's length, --quick and --seeds
    words: Mapping[str, Axis]  # how each measure is drawn
    setups: Mapping[str, Setups] = field(default_factory=dict)
    points_a_call: int | None = None  # measurements in one compiled call; all of a run's, if none
    checkpoints: bool = False  # whether runs are kept between calls too: where they are long, and their states small
    #: The same study with other settings where it says so. Its trials are run first, on seeds that nothing else shows.
    settled: Callable[[Choices], Study] | None = None

    @property
    def trials(self) -> tuple[str, ...]:
        return tuple(name for name, figure in self.figures.items() if figure.criteria)

    def scale(self, figure: Figure, curve: Curve, quick: bool, seeds: int | None) -> Scale:
        """How much of a curve is run for a figure."""
        return self.scales(curve.length or figure.length, quick, seeds)

    def figure(self, name: str) -> Figure:
        if name not in self.figures:
            raise BadInput(f"the paper {self.paper} has no figure '{name}'; there are {', '.join(self.figures)}.")
        return self.figures[name]
