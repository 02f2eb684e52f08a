"""The settings of Abalearn: the paper's, and the step sizes that a trial chooses from.

The paper gives no learning rate, and a rate that suits a long trace does not suit a short one. So every arm of a
comparison has its own, chosen on seeds that no figure shows: the one with the best mean score against the heuristic
player over the whole curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludus.learners.recipe import Recipe
from ludus.study.study import Choices, Figure
from ludus.study.trials import Arm, arm_key, highest_curve, in_words, read_choices, trial

HIDDEN = 20
LAMBDAS = (0.0, 0.3, 0.7, 0.9, 0.99)
LAMBDA = 0.9  # in figures that do not compare it
KAPPAS = (-1.0, -0.8, 0.0)
NETS = (10, 100, 250, 500, 1000, 1500, 2000, 2750)  # games learned; 10, 250 and 2750 are the paper's references
FIRST_GAMES = 250  # against the random player, in arms that begin with it
LEARNED, LONG = 3_000, 10_000  # games: of most networks, and of version 1.0's
FALLING: dict[str, Any] = {"epsilon": 0.9, "final_epsilon": 0.001, "epsilon_games": 100}
OUTPUTS = {"sigmoid": "", "scaled": ", scaled"}  # with the end of the arm's name
OPPONENTS = {"random": "against random", "minimax": "against minimax", "self": "against itself"}

ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
SCALED_ALPHAS = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03)  # its slope is fourteen times the sigmoid's

CRITERION = "score"
SHIPPED = Path(__file__).with_name("settings.json")


def shipped() -> Choices:
    """What the committed trial chose."""
    return read_choices(SHIPPED)


def td(version: str, **settings: Any) -> Recipe:
    """A version of Abalearn that plays itself, with these settings changed."""
    given = {"features": f"abalearn-{version}", "hidden": HIDDEN, "trace": LAMBDA, "games": LEARNED, **settings}
    return Recipe.of(f"abalearn-{version}", "td", **given)


def _arm(recipe: Recipe, alphas: Sequence[float] = ALPHAS) -> Arm:
    return Arm(recipe, {"alpha": alphas})


def lambda_arm(value: float) -> str:
    return f"1.1, lambda {value:g}"


def kappa_arm(value: float, how: str = "") -> str:
    return f"1.2, kappa {value:g}{how}"


TEXT = ", the text's sign"


def _arms() -> dict[str, Arm]:
    first = {"opponent": "random-first", "first_games": FIRST_GAMES}
    arms = {lambda_arm(value): _arm(td("1.1", trace=value, **first)) for value in LAMBDAS}
    arms |= {f"1.1, {how}": _arm(td("1.1", opponent=opponent)) for opponent, how in OPPONENTS.items()}
    arms["1.0"] = _arm(td("1.0", **first | {"games": LONG}))
    arms["1.2, against random"] = _arm(td("1.2", kappa=-1.0, opponent="random"))
    arms |= {kappa_arm(value): _arm(td("1.2", kappa=value, **FALLING)) for value in KAPPAS}
    arms |= {kappa_arm(value, TEXT): _arm(td("1.2", kappa=value, risk="text", **FALLING)) for value in KAPPAS[:2]}
    arms["1.2, few random moves"] = _arm(td("1.2", kappa=-1.0))
    for name in (lambda_arm(LAMBDA), kappa_arm(-1.0), kappa_arm(0.0)):
        arms[name + OUTPUTS["scaled"]] = _arm(arms[name].recipe.with_settings(output="scaled"), SCALED_ALPHAS)
    return arms


ARMS = _arms()


def rates_trial() -> Figure:
    criteria = {CRITERION: highest_curve("minimax_ahead")}
    curves = [curve for name, arm in ARMS.items() for curve in arm.tries(name)]
    # The outline's step is none of the scaled outputs': two programs less to compile.
    outline = (in_words([("alpha", 0.1)]),)
    return trial("Steps", curves, ("minimax_ahead",), criteria, outline=outline)


def chosen(choices: Choices, name: str) -> Recipe:
    """An arm with the step that was chosen for it."""
    return ARMS[name].recipe.with_settings(**choices[arm_key(name, CRITERION)])
