"""The figures of the Hex study: the curves of each, and its judge."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from ludus.games import make_game
from ludus.games.hex.paper import blind, objectives
from ludus.games.hex.paper import settings as tried
from ludus.games.hex.paper.bounds import bounds_help
from ludus.games.hex.paper.curves import HexFigures, figure
from ludus.games.hex.paper.settings import PRETRAINED
from ludus.games.hex.paper.taught import larger_steps_lose_more
from ludus.games.hex.paper.verdicts import SEASONS
from ludus.study.data import Data, Place, name_of
from ludus.study.study import Axis, Choices, Figure, Finding, Scale, Study, lazily

#: Table I needs seeds for all its seasons, and players that can play; fig. 14 has arms of which some networks die.
SCALES = {
    "": Scale(10, 10, 500),
    "more": Scale(20, 10, 500),
    "seasons": Scale(10, 8, 5_000, sets=SEASONS),
    "trial": Scale(3, 5, 1000, first_seed=1000),
}
TOURNAMENTS = "ludus.games.hex.paper.tournaments:tournaments"


def figures(choices: Choices) -> dict[str, Figure]:
    make = HexFigures(choices)
    agents, rates, errors = make.agents(), make.with_the_papers_rate(), ("loss", "held")
    seasons = {"length": "seasons", "measures": ("value", "held")}
    five, four = ("greedy-gq", "tdc", "gtd2", "q", "sarsa"), ("greedy-gq", "tdc", "gtd2", "sarsa")
    made = {
        "settings": tried.values_trial(),
        "actor-settings": tried.actors_trial(choices),
        "taught-settings": tried.taught_trial(),
        "taught-actor-settings": tried.taught_actor_trial(choices),
        "objective-settings": tried.objectives_trial(),
        "recurrent-settings": tried.recurrent_trial(),
        "projection-rate": tried.projection_trial(),
        "fig5": make.grid("gtd2"),
        "fig6": make.grid("tdc"),
        "fig7": make.grid("greedy-gq"),
        "fig8": make.steps(),
        "fig9": make.swept("Random moves", "epsilon", five, "epsilon", tried.EPSILONS),
        "fig10": make.swept("Eligibility traces", "lambda", four, "trace", tried.TRACES),
        "fig11": make.grid("tdc-natural"),
        "fig12": make.actors("Actor-critic: the actor's rate", "rate", "actor_rate", tried.RATES),
        "fig13": make.actors("Actor-critic: the actor's traces", "lambda", "actor_trace", tried.ACTOR_TRACES),
        "fig14": make.pretraining(),
        "taught-steps": gathered("Steps after pre-training", ("taught-settings",), larger_steps_lose_more, "by_step"),
        "fig15": make.batches("q"),
        "fig16": make.batches("sarsa"),
        "fig17": figure("Two objectives: values", rates, objectives.faster_objective),
        "fig18": figure("Two objectives: errors", rates, objectives.smaller_error, measures=errors, same_data="fig17"),
        "fig19": figure(
            "Projection error",
            [curve for curve in rates if curve.recipe.config.objective == "pbe"],
            objectives.smaller_projection,
            measures=("projection", "projection_live"),
        ),
        "fig20": make.six(),
        "table1": figure("Table I", agents, objectives.order_of_agents, play=lazily(TOURNAMENTS), **seasons),
        "backups": make.backups(),
        "second-order": make.second_order(),
        "bounds": gathered("A bound on GTD2's weights", ("settings",), bounds_help, "bounds"),
        "advantages": make.advantages(),
        "objectives": make.two_by_two(),
        "table1-negated": figure(
            "Table I, negated, from every first move",
            make.agents(negated=True),
            objectives.order_of_negated,
            play=functools.partial(lazily(TOURNAMENTS), openings=range(9)),  # every first move
            **seasons,
        ),
    }
    shown = tuple(name for name, each in made.items() if not each.criteria and not each.same_data and each.curves)
    judge, title = blind.above_the_blind(backups_of({name: made[name] for name in shown})), "Players that see nothing"
    made["blind"] = gathered(title, shown, judge, "every_arm")
    return made


def gathered(title: str, of: tuple[str, ...], judge: Callable[[Data], Finding], picture: str) -> Figure:
    drawn = lazily(f"ludus.games.hex.paper.pictures:{picture}")
    return Figure.of(title, (), judge, ("held",), gathers=of, picture=drawn)


def backups_of(figures: Mapping[str, Figure]) -> dict[Place, str]:
    """The backup of every curve, by its figure and its name there; but of those that were taught the truth."""
    return {
        (name, name_of((curve.panel, curve.label))): "negated" if curve.recipe.config.backup == "negamax" else "added"
        for name, each in figures.items()
        for curve in each.curves
        if curve.setup != PRETRAINED
    }


def _measure(game: Any, quick: bool) -> Any:
    return lazily("ludus.study.measures:won_held")(game)


STUDY = Study(
    paper="hex",
    title="Hex",
    game=lambda: make_game("hex", size=3),
    unit="moves",
    figures_with=figures,
    choices=tried.shipped(),
    measure=_measure,
    scales=SCALES,
    outline=Scale(2, 2, 300),
    words={
        "value": Axis("value of the moves made", bounds=(-1, 1)),
        "gap": Axis("1 - value of the moves made", of="value", log_below=1),
        "held": Axis("won positions held, %", 100, (0, 100), references=blind.levels),
        "loss": Axis("training error"),
        "projection": Axis("projection error"),
        "projection_live": Axis("units of the projection that live, %", 100, (0, 100)),
        "spread": Axis("deviation of the values"),
        "size": Axis("mean size of the values", bounds=(0, 1)),
    },
    setups={PRETRAINED: lazily("ludus.games.hex.paper.pretraining:pretrained")},
)
