"""What is run for each figure; `verdicts` judges it.

The paper gives neither layers nor rates; a trial chooses the rate, on seeds that no figure shows, and all arms have it.
The paper's eighty puzzles are not public: our benchmark stands for them. The network of most arms learns from other
puzzles; the paper says that a game begins at "a particular puzzle", so three arms begin where they are judged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.games import make_game
from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper import basics, verdicts
from ludus.games.solitaire_chess.paper.counts import levels_of
from ludus.games.solitaire_chess.paper.words import (
    BASELINE_STEPS,
    DQN,
    EIGHTY,
    EIGHTY_SETS,
    FIG3,
    FIG5,
    FRESH_SETS,
    MORE,
    ONE_3,
    ONE_5,
    TARGET,
)
from ludus.games.solitaire_chess.recipes import recipes
from ludus.study.study import Axis, Choices, Curve, Figure, Scale, Study, lazily
from ludus.study.trials import Arm, arm_key, highest_curve, read_choices, trial

PAPER = recipes(4, "paper", 0)["paper"]
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
SCALES = {
    "": Scale(10, 5, 20_000),
    "few": Scale(5, 5, 20_000),  # other arms: one costs as much as five of the first
    "one": Scale(10, 5, 4096),
    "trial": Scale(3, 2, 25_000, first_seed=1000),
}
GAMES = 100_000  # half of what the recipe takes: two cores have twenty-five runs to do, one of them eight times as long
EXPLORED = "explored"  # the criterion of the trial
SHIPPED = Path(__file__).with_name("settings.json")
ROOM = "ludus.games.solitaire_chess.paper"

_one_puzzle, _boards, _trees = (
    lazily(f"{ROOM}.searches:{name}") for name in ("one_puzzle", "the_papers_boards", "trees")
)
_each_puzzle, _each_puzzle_quick = (lazily(f"{ROOM}.measures:{name}") for name in ("each_puzzle", "each_puzzle_quick"))


def figures(choices: Choices) -> dict[str, Figure]:
    recipe = PAPER.with_settings(games=GAMES, **choices[arm_key(DQN, EXPLORED)])
    more, target = recipe.with_settings(steps=8 * recipe.config.steps), recipe.with_settings(target=500)
    eighty = Curve("", EIGHTY, recipe, setup="eighty")
    arms = (
        Curve("", DQN, recipe),
        eighty,
        Curve("", TARGET, target, length="few"),
        Curve("", MORE, more, length="few"),
    )
    ratios = tuple(f"ratio, {name}" for name in (*FRESH_SETS, *EIGHTY_SETS))
    shared: dict[str, Any] = {"same_data": "fig4", "outline": (DQN, EIGHTY)}
    at_puzzles = [
        Curve("", ONE_3, recipe, setup="figure 3", length="one"),
        Curve("", ONE_5, recipe, setup="figure 5", length="one"),
    ]
    tries = Arm(PAPER, {"learning_rate": RATES}).tries(DQN)
    return {
        "rates": trial(
            "Learning rates", tries, ("efficiency",), {EXPLORED: highest_curve("efficiency")}, outline=(tries[2].label,)
        ),
        "accuracy": Figure("Puzzles solved", arms, basics.accuracy, ("right",), **shared),
        "fig2": Figure("The printed code", arms, basics.printed_code, ratios[:1], **shared),
        "fig3": Figure(
            "One puzzle, as in figures 1 and 3",
            (arms[0], eighty, at_puzzles[0]),
            basics.one_tree,
            (FIG3,),
            play=_one_puzzle,
            picture=_trees,
        ),
        "fig4": Figure(
            "Positions explored by level",
            arms,
            verdicts.baseline,
            ratios,
            outline=shared["outline"],
            play=_each_puzzle,
            play_quick=_each_puzzle_quick,
        ),
        "untrained": Figure("Beside the untrained network", arms, verdicts.untrained, ratios, **shared),
        "chance": Figure("Beside a random order", arms, verdicts.chance, ratios, **shared),
        "steps": Figure("More steps, and a target network", arms, verdicts.other_arms, ratios[: len(LEVELS)], **shared),
        "fig5": Figure(
            "The puzzle of figure 5",
            (arms[0], eighty, at_puzzles[1]),
            basics.the_boards,
            (FIG5,),
            play=_boards,
            picture=_trees,
        ),
        "ties": Figure("Puzzles that are a tie", arms, basics.ties, ("tied",), **shared),
        "bound": Figure("Puzzles that are worse", arms, basics.never_worse, ("worse",), **shared),
    }


STUDY = Study(
    paper="solitaire-chess",
    title="Solitaire Chess",
    game=lambda: make_game("solitaire-chess"),
    unit="games",
    figures_with=figures,
    choices=read_choices(SHIPPED),
    measure=lazily(f"{ROOM}.measures:against_the_baseline"),
    scales=SCALES,
    outline=Scale(2, 1, 512),
    words={
        "right": Axis("right final piece and square, %", 100, (0, 100)),
        "efficiency": Axis("floor / explored, %", 100, (0, 100)),
        FIG3: Axis("positions explored", references=((BASELINE_STEPS[FIG3], "baseline"),)),
        FIG5: Axis("positions explored", references=((BASELINE_STEPS[FIG5], "baseline"),)),
        "tied": Axis("as much explored as by the baseline, %", 100, (0, 100)),
        "worse": Axis("more explored than by the baseline, %", 100, (0, 100)),
        **{f"ratio, {name}": Axis(f"explored / floor, {name}", references=levels_of(name)) for name in FRESH_SETS},
        **{
            f"ratio, {name}": Axis(f"the same, of the eighty, {level}", references=levels_of(name))
            for name, level in zip(EIGHTY_SETS, LEVELS, strict=True)
        },
    },
    setups={name: lazily(f"{ROOM}.setups:{name.replace(' ', '_')}") for name in ("eighty", "figure 3", "figure 5")},
    points_a_call=1,
)
