"""The figures: what is run for each. What to make of it is in `verdicts`.

The paper gives neither layers nor rates: the rate is chosen by a trial on seeds that no figure shows. Its eighty
puzzles are not public: the benchmark's stand for them, and the network learns from puzzles of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.games import make_game
from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper import verdicts
from ludus.games.solitaire_chess.paper.verdicts import DQN, STEPS
from ludus.games.solitaire_chess.recipes import recipes
from ludus.study.data import Data, SearchStep
from ludus.study.study import Axis, Choices, Curve, Figure, Scale, Study
from ludus.study.trials import arm, highest_curve, in_words, read_choices, trial

PAPER = recipes(4, "paper", 0)["paper"]
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)
GAMES, TRIAL, POINTS = 200_000, 50_000, 5
OTHER_SEEDS = 1000
EXPLORED = "explored"  # the criterion of the trial
Agents = Sequence[tuple[str, Any, Any]]
SHIPPED = Path(__file__).with_name("settings.json")


def _tries() -> list[Curve]:
    tried = [(("learning_rate", rate),) for rate in RATES]
    return [Curve(DQN, in_words(each), PAPER.with_settings(**dict(each)), tried=each) for each in tried]


def scales(length: str, quick: bool, seeds: int | None) -> Scale:
    if quick:
        return Scale(seeds or 2, points=1, every=512)
    if length == "trial":
        return Scale(seeds or 3, points=2, every=TRIAL // 2, first_seed=OTHER_SEEDS)
    return Scale(seeds or 5, POINTS, GAMES // POINTS)


def figures(choices: Choices) -> dict[str, Figure]:
    recipe = PAPER.with_settings(**choices[arm(DQN, EXPLORED)])
    curves = (Curve("", DQN, recipe),)
    ratios = tuple(f"ratio, {name}{level}" for name in ("", "80, ") for level in LEVELS)
    shared: dict[str, Any] = {"same_data": "fig4"}
    outline = (in_words(_tries()[2].tried),)
    return {
        "rates": trial(
            "Learning rates", _tries(), ("efficiency",), {EXPLORED: highest_curve("efficiency")}, outline=outline
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


def _measure(game: Any, quick: bool) -> Any:
    from ludus.games.solitaire_chess.paper.measures import against_the_baseline

    return against_the_baseline(game, quick)


# What draws and searches needs JAX, and is loaded when it is asked for.
def _one_puzzle(agents: Agents) -> Sequence[SearchStep]:
    from ludus.games.solitaire_chess.paper.searches import one_puzzle

    return one_puzzle(agents)


def _a_tie(agents: Agents) -> Sequence[SearchStep]:
    from ludus.games.solitaire_chess.paper.searches import a_tie

    return a_tie(agents)


def _trees(data: Data) -> str:
    from ludus.games.solitaire_chess.paper.searches import trees

    return trees(data)


def study(choices: Choices) -> Study:
    return Study(
        paper="solitaire-chess",
        title="Solitaire Chess",
        game=lambda: make_game("solitaire-chess"),
        unit="games",
        figures=figures(choices),
        measure=_measure,
        scales=scales,
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
        settled=lambda chosen: study({**read_choices(SHIPPED), **chosen}),
    )


STUDY = study(read_choices(SHIPPED))
