"""What is run for each figure; `verdicts` judges it.

The paper gives neither layers nor rates; a trial chooses the rate, on seeds that no figure shows. Its eighty puzzles
are not public: our benchmark stands for them, and the network learns from other puzzles.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.games import make_game
from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper import verdicts
from ludus.games.solitaire_chess.paper.verdicts import DQN, STEPS
from ludus.games.solitaire_chess.recipes import recipes
from ludus.study.study import Axis, Choices, Curve, Figure, Scale, Study, lazily
from ludus.study.trials import Arm, arm_key, highest_curve, read_choices, trial

PAPER = recipes(4, "paper", 0)["paper"]
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
SCALES = {"": Scale(5, 5, 40_000), "trial": Scale(3, 2, 25_000, first_seed=1000)}
EXPLORED = "explored"  # the criterion of the trial
SHIPPED = Path(__file__).with_name("settings.json")


_one_puzzle, _a_tie, _trees = (
    lazily(f"ludus.games.solitaire_chess.paper.searches:{name}") for name in ("one_puzzle", "a_tie", "trees")
)


def figures(choices: Choices) -> dict[str, Figure]:
    recipe = PAPER.with_settings(**choices[arm_key(DQN, EXPLORED)])
    curves = (Curve("", DQN, recipe),)
    ratios = tuple(f"ratio, {name}{level}" for name in ("", "80, ") for level in LEVELS)
    shared: dict[str, Any] = {"same_data": "fig4"}
    tries = Arm(PAPER, {"learning_rate": RATES}).tries(DQN)
    outline = (tries[2].label,)
    return {
        "rates": trial(
            "Learning rates", tries, ("efficiency",), {EXPLORED: highest_curve("efficiency")}, outline=outline
        ),
        "accuracy": Figure("Puzzles solved", curves, verdicts.accuracy, ("right",), **shared),
        "fig3": Figure(
            "One puzzle, as in figures 1 and 3",
            curves,
            verdicts.one_tree,
            ("puzzle",),
            play=_one_puzzle,
            picture=_trees,
        ),
        "fig4": Figure("Positions explored by level", curves, verdicts.fewer, ratios),
        "chance": Figure("Beside a random order", curves, verdicts.beats_chance, ratios[: len(LEVELS)], **shared),
        "fig5": Figure("Puzzles that are a tie", curves, verdicts.ties, ("tied",), play=_a_tie, picture=_trees),
        "bound": Figure("Puzzles that are worse", curves, verdicts.never_worse, ("worse",), **shared),
    }


STUDY = Study(
    paper="solitaire-chess",
    title="Solitaire Chess",
    game=lambda: make_game("solitaire-chess"),
    unit="games",
    figures_with=figures,
    choices=read_choices(SHIPPED),
    measure=lazily("ludus.games.solitaire_chess.paper.measures:against_the_baseline"),
    scales=SCALES,
    outline=Scale(2, 1, 512),
    words={
        "right": Axis("right final piece and square, %", 100, (0, 100)),
        "efficiency": Axis("floor / explored, %", 100, (0, 100)),
        "puzzle": Axis("positions explored", references=((STEPS, "baseline"),)),
        "tied": Axis("as much explored as by the baseline, %", 100, (0, 100)),
        "worse": Axis("more explored than by the baseline, %", 100, (0, 100)),
        **{f"ratio, {level}": Axis(f"explored / floor, {level}") for level in LEVELS},
        **{f"ratio, 80, {level}": Axis(f"the same, of the eighty, {level}") for level in LEVELS},
    },
    points_a_call=1,
)
