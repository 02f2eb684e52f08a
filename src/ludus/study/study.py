"""A study: all figures of a paper, each a set of curves with a judge.

"Paper" is the published text, and the part of a game's room that reproduces it; what that part holds is a `Study`.

Nothing here needs JAX, so an unknown figure is refused at once. A judge sees only what was measured (`Data`), so its
verdict can be made again from the figure's CSV.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.errors import BadInput
from ludus.games import load
from ludus.learners.recipe import Recipe
from ludus.study.data import Data, Place, Played, Runs
from ludus.study.statistics import together

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.learners.learner import Learner

Log = Callable[[str], None]
#: The settings that trials chose, by arm.
Choices = Mapping[str, Mapping[str, float]]
#: `(learner, config, weights)` to measures. The first axis of every leaf and of every measure is the runs.
Measure = Callable[["Learner", Any, Any], Mapping[str, Any]]
#: Lets the final agents of the curves play, or solve puzzles: `(label, recipe, weights by seed)` of each, in order.
Play = Callable[[Sequence[tuple[str, Recipe, Any]]], Sequence[Played]]
#: `(learner, config, game, keys)` to what runs begin with, by seed (every leaf [S, ...]).
Setups = Callable[["Learner", Any, "Game", Any], Any]
#: Level lines of a picture, in the axis's units, each with its name: a random player's, the paper's.
Lines = tuple[tuple[float, str], ...]


def lazily(where: str) -> Callable[..., Any]:
    """The function at "module:name", imported when it is called: for code that needs JAX."""
    return lambda *given, **named: load(where)(*given, **named)


@dataclass(frozen=True)
class Curve:
    """One curve of a figure: its panel, its label there, and what is run."""

    panel: str
    label: str
    recipe: Recipe
    setup: str = ""  # one of the study's `setups`; by default the learner's own
    tried: tuple[tuple[str, float], ...] = ()  # the settings that a trial tries here
    length: str = ""  # one of the study's `scales`; by default its figure's

    @property
    def run(self) -> Any:
        """What is run; curves that differ in panel and label alone are one run."""
        return self.recipe.learner.name, self.recipe.config, self.setup


@dataclass(frozen=True)
class Scale:
    """How much of a curve is run."""

    seeds: int
    points: int
    every: int  # games or moves between two points
    first_seed: int = 0
    sets: int = 1  # the seeds are needed so many times; `Study.scale` multiplies this out

    @property
    def all_seeds(self) -> tuple[int, ...]:
        return tuple(range(self.first_seed, self.first_seed + self.seeds))


class Axis(NamedTuple):
    """How a measure is drawn."""

    label: str
    factor: float = 1.0  # 100 to show a share in percent
    bounds: tuple[float, float] = (-math.inf, math.inf)  # the possible values
    log_below: float | None = None  # if set, the distance below this value is drawn, on a logarithmic scale
    references: Lines | Callable[[Data], Lines] = ()  # level lines, or what computes them
    of: str = ""  # the measure that is drawn; by default the one of this name

    def lines(self, data: Data) -> Lines:
        return self.references(data) if callable(self.references) else self.references


@dataclass(frozen=True)
class Claim:
    """Something the paper says, and whether it is so.

    It cannot be judged over an arm whose networks are dead (`study.life`): so it names the arms that it compares.
    """

    claim: str
    verdict: str
    found: str = ""  # the numbers behind the verdict
    arms: tuple[Place, ...] | None = None  # by default all curves of its figure
    dead_too: bool = False  # a claim about death itself, or that something does not learn
    networks: str = ""  # how many live, in the worst of its arms; `life` says this and the next two
    seeds: int = 0  # the fewest of its arms
    seeds_wanted: int = 0

    @property
    def remark(self) -> str:
        """What a reader of its verdict must know."""
        few = 0 < self.seeds < self.seeds_wanted
        return f"only {self.seeds} seeds; {self.seeds_wanted} are wanted" if few else ""

    def to_json(self) -> dict[str, Any]:
        named = ("claim", "verdict", "found", "networks", "seeds", "remark")
        return {name: getattr(self, name) for name in named}


@dataclass(frozen=True)
class Finding:
    """What a figure shows: its claims with their verdicts, the numbers behind them, and a table for the page if any."""

    claims: tuple[Claim, ...]
    values: Mapping[str, str]
    table: Sequence[Sequence[str]] = ()  # the header row first

    @property
    def claim(self) -> str:
        return "; ".join(claim.claim for claim in self.claims)

    @property
    def verdict(self) -> str:
        verdicts = [claim.verdict for claim in self.claims]
        return verdicts[0] if len(set(verdicts)) == 1 else together(verdicts)  # a trial's verdict is "chosen"


@dataclass(frozen=True)
class Figure:
    title: str
    curves: tuple[Curve, ...]
    judge: Callable[[Data], Finding]
    measures: tuple[str, ...]  # drawn one below the other
    length: str = ""  # one of the study's `scales`
    outline: tuple[str, ...] | None = None  # the labels that --quick draws; None: all
    same_data: str = ""  # the figure whose CSV this one shares
    gathers: tuple[str, ...] = ()  # the figures whose curves are judged together; such a figure has none of its own
    #: These make a figure a trial. Each panel is an arm; the curve with the highest score by each criterion is chosen.
    criteria: Mapping[str, Callable[[Runs], float]] = field(default_factory=dict)
    references: Mapping[str, Lines] = field(default_factory=dict)  # more level lines
    play: Play | None = None
    play_quick: Play | None = None  # what --quick plays instead
    picture: Callable[[Data], str] | None = None  # an SVG document instead of the curves

    @classmethod
    def of(
        cls,
        title: str,
        curves: Iterable[Curve | tuple[str, str, Recipe]],
        judge: Callable[[Data], Finding],
        measures: tuple[str, ...],
        **more: Any,
    ) -> Figure:
        """The same; a curve may be given as `(panel, label, recipe)`."""
        made = (each if isinstance(each, Curve) else Curve(*each) for each in curves)
        return cls(title, tuple(made), judge, measures, **more)

    def drawn(self, quick: bool) -> tuple[Curve, ...]:
        if not quick or self.outline is None:
            return self.curves
        return tuple(curve for curve in self.curves if curve.label in self.outline)


@dataclass(frozen=True)
class Study:
    """What `ludus reproduce PAPER` runs. Trials are run first, on seeds that no other figure shows."""

    paper: str  # its name on the command line
    title: str
    game: Callable[[], Game]
    unit: str  # what a curve is drawn over: games or moves
    figures_with: Callable[[Choices], Mapping[str, Figure]]  # the figures, with the settings that trials chose
    measure: Callable[[Game, bool], Measure]  # by game, and whether it is only an outline
    scales: Mapping[str, Scale]  # by a figure's or a curve's length; "" for most
    outline: Scale  # with --quick, whatever the length
    words: Mapping[str, Axis]  # how each measure is drawn
    choices: Choices = field(default_factory=dict)  # as committed
    setups: Mapping[str, Setups] = field(default_factory=dict)
    points_a_call: int | None = None  # measurements in one compiled call; None: all of a run's
    checkpoints: bool = False  # also save unfinished runs, after each call: for long runs with a small state

    @functools.cached_property
    def figures(self) -> Mapping[str, Figure]:
        return self.figures_with(self.choices)

    def settled(self, choices: Choices) -> Study:
        """The same study with other settings for these arms."""
        return replace(self, choices={**self.choices, **choices})

    @property
    def trials(self) -> tuple[str, ...]:
        return tuple(name for name, figure in self.figures.items() if figure.criteria)

    def scale(self, figure: Figure, curve: Curve, quick: bool, seeds: int | None) -> Scale:
        """How much of a curve is run for a figure; `seeds` overrides the number of seeds."""
        if quick:
            return replace(self.outline, seeds=seeds or self.outline.seeds)
        usual = self.scales[curve.length or figure.length]
        return replace(usual, seeds=(seeds or usual.seeds) * usual.sets, sets=1)

    def figure(self, name: str) -> Figure:
        if name not in self.figures:
            raise BadInput(f"the paper {self.paper} has no figure '{name}'; there are {', '.join(self.figures)}.")
        return self.figures[name]
