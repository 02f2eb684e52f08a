"""What is run for each figure; `verdicts` judges it.

The paper gives no learning rate, and a rate that suits ten games a step is too high for one game. So every arm of a
comparison has its own rate, which two trials choose on seeds that no figure shows. Labels do not name the rates,
because curves are found by their labels.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludus.games import make_game
from ludus.games.lgame.paper import verdicts
from ludus.games.lgame.paper.verdicts import BY_PERFECT, BY_RANDOM, HEADS, NEGAMAX, OWN_TURN, SAME_RATE
from ludus.learners.recipe import Recipe
from ludus.study.study import Axis, Choices, Curve, Figure, Scale, Study, lazily
from ludus.study.trials import Arm, arm_key, highest_curve, in_words, read_choices, trial

PAPER = Recipe.of("paper", "dqn")
FULL = Recipe.of("paper-full", "dqn", head="full", inputs="planes")
EVERY = 2_500  # games between two points
SCALES = {
    "": Scale(5, 25_000 // EVERY, EVERY),
    "whole": Scale(5, 100_000 // EVERY, EVERY),  # figure 7 and the headline
    "trial": Scale(3, 2, 2_000, first_seed=1000),
}
SAMPLED = 1000  # games of each opponent in each seat, where the paper sampled

RECALLS = (0, 1, 5, 10, 20, 50, 200)
GAMMAS = (0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
FIXED = (32, 670)  # transitions: the paper's, and about as many as ten games have
BACKUPS = {NEGAMAX: "negamax", OWN_TURN: "own-turn"}
SCHEDULES: dict[str, dict[str, Any]] = {"annealed": {}, "constant": {"final_rate": 1.0}}
RATES = {
    "Nesterov": (0.001, 0.003, 0.01, 0.03, 0.1, 0.3),
    "RMSProp": (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2),
    "ADADELTA": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0),
}

RANDOM, PERFECT = "random", "perfect"  # criteria of the trials: the mean of the curve against this opponent
SHIPPED = Path(__file__).with_name("settings.json")  # what the committed trials chose


def _arm(recipe: Recipe, rates: Sequence[float] = RATES["Nesterov"]) -> Arm:
    return Arm(recipe, {"learning_rate": rates})


def _arms() -> dict[str, Arm]:
    """The arms with the paper's 128 outputs. Arms of several names that mean the same are run once."""
    arms = {f"N = {n}": _arm(PAPER.with_settings(recall=n)) for n in RECALLS}
    for size in FIXED:
        arms[f"{size} transitions"] = _arm(PAPER.with_settings(batch="transitions", transitions=size))
    for name, rates in RATES.items():
        for how, schedule in SCHEDULES.items():
            arms[f"{name}, {how}"] = _arm(PAPER.with_settings(optimizer=name.lower(), **schedule), rates)
    for name, backup in BACKUPS.items():
        for gamma in GAMMAS:
            arms[f"gamma = {gamma:g}, {name}"] = _arm(PAPER.with_settings(gamma=gamma, backup=backup))
    return arms


ARMS = _arms()
FULL_ARMS = {
    "624 outputs": _arm(FULL),
    "624 outputs, own turn": _arm(FULL.with_settings(backup="own-turn")),
}


def _tries(arms: Mapping[str, Arm]) -> list[Curve]:
    return [curve for name, arm in arms.items() for curve in arm.tries(name)]


figure = functools.partial(Figure.of, measures=("not_won",))


class LGameFigures:
    """The figures, with these rates."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def at(self, name: str, by: str = RANDOM, times: float = 1.0) -> Recipe:
        """An arm at the rate that was chosen for it, times a factor."""
        rate = self.choices[arm_key(name, by)]["learning_rate"]
        return (ARMS | FULL_ARMS)[name].recipe.with_settings(learning_rate=times * rate)

    def recalls(self) -> Figure:
        curves = [("", f"N = {n}", self.at(f"N = {n}")) for n in RECALLS]
        # The outline is short: every N is a program to compile, and a step on many games is slow without a GPU.
        return figure("Games recalled a step", curves, verdicts.replay_of_games, outline=("N = 0", "N = 10"))

    def optimisers(self) -> Figure:
        curves = []
        for name in RATES:
            annealed = f"{name}, annealed"
            curves += [(name, how, self.at(f"{name}, {how}")) for how in SCHEDULES]
            curves += [
                (name, "annealed, a third of the rate", self.at(annealed, times=1 / 3)),
                (name, "annealed, three times the rate", self.at(annealed, times=3)),
            ]
        return figure("Optimisers", curves, verdicts.optimisers, outline=("annealed",))

    def batches(self) -> Figure:
        curves = [
            ("", "10 whole games", self.at("N = 10")),
            ("", "1 whole game", self.at("N = 1")),
            *(("", f"{size} transitions", self.at(f"{size} transitions")) for size in FIXED),
        ]
        outline = ("10 whole games", "32 transitions")
        return figure("What a step learns from", curves, verdicts.batches, outline=outline)

    def heads(self) -> list[tuple[str, str, Recipe]]:
        """The paper's agent, and one that can name every move, at each of its two rates."""
        recipes = self.at("N = 10"), self.at("624 outputs"), self.at("624 outputs", PERFECT)
        return [("", label, recipe) for label, recipe in zip(HEADS, recipes, strict=True)]

    def discounts(self) -> Figure:
        curves = []
        for name in BACKUPS:
            curves += [(name, f"gamma = {gamma:g}", self.at(f"gamma = {gamma:g}, {name}")) for gamma in GAMMAS]
            usual = self.at(f"gamma = 0.9, {name}")
            curves += [(name, f"gamma = {g:g}, {SAME_RATE}", usual.with_settings(gamma=g)) for g in GAMMAS[-2:]]
        outline = ("gamma = 0.9", "gamma = 1")
        return figure("Discount factors", curves, verdicts.discounts, measures=("not_won", "size"), outline=outline)

    def own_turn(self) -> Figure:
        """At both rates, because it is judged against the perfect player."""
        curves = [
            (panel, label, self.at(name, by))
            for panel, name in zip(BACKUPS, FULL_ARMS, strict=True)
            for label, by in ((BY_RANDOM, RANDOM), (BY_PERFECT, PERFECT))
        ]
        return figure("Whose value is backed up", curves, verdicts.own_turn, measures=("not_won", "vs_perfect"))


def figures(choices: Choices) -> dict[str, Figure]:
    make, both = LGameFigures(choices), ("not_won", "vs_perfect")
    by_random, by_perfect = {RANDOM: highest_curve("vs_random")}, {PERFECT: highest_curve("vs_perfect")}
    level = {
        "not_won": ((100 * (1 - verdicts.WINS), "the paper's"),),
        "vs_perfect": ((100 * verdicts.DRAWS, "the paper's"),),
    }
    whole = {"length": "whole", "references": level}
    # The outline tries a rate of RMSProp alone, so that one program is run and not that of every arm.
    outline, full_outline = ((in_words([("learning_rate", rate)]),) for rate in (1e-4, 0.03))
    return {
        "rates": trial("Learning rates", _tries(ARMS), ("not_won",), by_random, outline=outline),
        "rates-624": trial(
            "Learning rates, 624 outputs", _tries(FULL_ARMS), both, by_random | by_perfect, outline=full_outline
        ),
        "headline": figure(
            "No loss against perfect",
            make.heads(),
            verdicts.headline,
            measures=("vs_perfect",),
            same_data="fig7",
            **whole,
        ),
        "fig4": make.recalls(),
        "fig5": make.optimisers(),
        "fig6": make.batches(),
        "fig7": figure("Win rate against random", make.heads(), verdicts.rises, **whole),
        "gamma": make.discounts(),
        "own-turn": make.own_turn(),
    }


def _measure(game: Any, quick: bool) -> Any:
    return lazily("ludus.study.measures:matches")(game, 0 if quick else SAMPLED)


STUDY = Study(
    paper="lgame",
    title="L-Game",
    game=lambda: make_game("lgame"),
    unit="games",
    figures_with=figures,
    choices=read_choices(SHIPPED),
    measure=_measure,
    scales=SCALES,
    outline=Scale(2, 1, 96),
    words={
        # Win rates come close to 100%, so what is missing is drawn.
        "not_won": Axis(
            "not won against random, %",
            100,
            of="vs_random",
            log_below=1,
            references=((100 * (1 - verdicts.RANDOM), "random player"),),
        ),
        "vs_perfect": Axis("no loss against perfect, %", 100, (0, 100)),
        "size": Axis("mean size of the values"),
    },
    points_a_call=1,
)
