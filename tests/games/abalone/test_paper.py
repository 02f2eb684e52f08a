"""The Abalearn paper's figures: what is run for each, with which settings, and how much of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from ludus.games import make_game, part
from ludus.games.abalone.paper import STUDY, figures
from ludus.games.abalone.paper.settings import CRITERION, SHIPPED
from ludus.learners.recipe import Recipe
from ludus.study import reproduce
from ludus.study.data import Series
from ludus.study.study import Curve, Scale, Study
from ludus.study.trials import arm_key, read_choices

SHOWN = [name for name in STUDY.figures if name not in STUDY.trials]


def numbered() -> dict[str, dict[str, float]]:
    """A step for every arm that no other has."""
    return {name: {"alpha": (1 + place) / 1024} for place, name in enumerate(read_choices(SHIPPED))}


def curves(study: Study, figure: str) -> dict[tuple[str, str], Any]:
    """The config of every curve by panel and label."""
    return {(curve.panel, curve.label): curve.recipe.config for curve in study.figures[figure].curves}


# --- the trial ----------------------------------------------------------------------------------------------------


def test_the_versions_can_be_trained_as_the_paper_ends_with_them() -> None:
    made = part(make_game("abalone"), "recipes")("standard", 200)
    for version, curve in figures.AbaloneFigures(read_choices(SHIPPED)).agents().items():
        recipe = made[f"abalearn-{version}"]
        assert replace(recipe.config, rounds=curve.recipe.config.rounds) == curve.recipe.config


# --- figures ------------------------------------------------------------------------------------------------------

COMMON = {"hidden": 20, "trace": 0.9, "gamma": 1.0, "games": 3000}
OLD, NEW = {"features": "abalearn-1.1"}, {"features": "abalearn-1.2"}
FIRST = {"opponent": "random-first", "first_games": 250, "epsilon": 0.01, "final_epsilon": 0.01}
FALLING = {"epsilon": 0.9, "final_epsilon": 0.001, "epsilon_games": 100, "opponent": "self"}
BEST = ("1.1, lambda 0.9", OLD | FIRST)
RISKY = ("1.2, kappa -1", NEW | FALLING | {"kappa": -1.0})
NEUTRAL = ("1.2, kappa 0", NEW | FALLING)
SCALED = {"output": "scaled"}
#: Of every curve the arm whose step it has, and its settings where they are not common to all.
CURVES: dict[str, dict[tuple[str, str], tuple[str, dict[str, Any]]]] = {
    "fig6": {
        ("", f"lambda {value:g}"): (f"1.1, lambda {value:g}", OLD | FIRST | {"trace": value})
        for value in (0.0, 0.3, 0.7, 0.9, 0.99)
    },
    "fig7": {
        ("", f"Net {games}"): (BEST[0], BEST[1] | {"games": games})
        for games in (10, 100, 250, 500, 1000, 1500, 2000, 2750)
    },
    "fig8": {
        ("", "against random"): ("1.1, against random", OLD | {"opponent": "random"}),
        ("", "against minimax"): ("1.1, against minimax", OLD | {"opponent": "minimax"}),
        ("", "against itself"): ("1.1, against itself", OLD | {"opponent": "self"}),
        ("", "random first, then itself"): BEST,
    },
    "v10v11": {
        ("", "1.0"): ("1.0", {"features": "abalearn-1.0", "games": 10_000} | FIRST),
        ("", "1.1"): BEST,
    },
    "fig9": {
        ("", "1.2"): ("1.2, against random", NEW | {"opponent": "random", "kappa": -1.0}),
        ("", "1.1"): BEST,
    },
    "fig10": {
        ("", "epsilon from 0.9"): RISKY,
        ("", "epsilon 0.01"): ("1.2, few random moves", NEW | {"kappa": -1.0}),
    },
    "fig11": {
        ("the formula's sign", "kappa -1"): RISKY,
        ("the formula's sign", "kappa -0.8"): ("1.2, kappa -0.8", NEW | FALLING | {"kappa": -0.8}),
        ("the formula's sign", "kappa 0"): NEUTRAL,
        **{
            ("the text's sign", f"kappa {value:g}"): (
                f"1.2, kappa {value:g}, the text's sign",
                NEW | FALLING | {"kappa": value, "risk": "text"},
            )
            for value in (-1.0, -0.8)
        },
    },
    "outputs": {
        ("1.1", "sigmoid"): BEST,
        ("1.1", "scaled"): (BEST[0] + ", scaled", BEST[1] | SCALED),
        ("1.2", "kappa -1, sigmoid"): RISKY,
        ("1.2", "kappa -1, scaled"): (RISKY[0] + ", scaled", RISKY[1] | SCALED),
        ("1.2", "kappa 0, sigmoid"): NEUTRAL,
        ("1.2", "kappa 0, scaled"): (NEUTRAL[0] + ", scaled", NEUTRAL[1] | SCALED),
    },
}
CURVES["table2"] = {("", "1.1"): BEST, ("", "1.2"): RISKY}
CURVES["tables34"] = {**CURVES["v10v11"], ("", "1.2"): RISKY}


@pytest.mark.parametrize("figure", SHOWN)
def test_a_figure_has_its_curves_each_with_the_step_of_its_arm(figure: str) -> None:
    choices = numbered()
    found = curves(STUDY.settled(choices), figure)
    assert list(found) == list(CURVES[figure])
    for place, (name, given) in CURVES[figure].items():
        wanted = Recipe.of("", "td", **{**COMMON, **given, **choices[arm_key(name, CRITERION)]})
        assert found[place] == wanted.config


def test_few_programs_are_run() -> None:
    """On an accelerator the number of games one after another is what takes long, and not that of the runs."""
    wanted = {
        (curve.recipe.learner.program(curve.recipe.config), STUDY.scale(figure, curve, False, None))
        for name, figure in STUDY.figures.items()
        for curve in figure.curves
    }
    trials = {scale for _, scale in wanted if scale.first_seed}
    longest = {program for program, scale in wanted if not scale.first_seed}
    assert len(trials) == 1
    assert len(longest) == 5  # three versions, and two with another output


def test_every_network_of_a_run_has_learned_all_its_games() -> None:
    figure = STUDY.figures["fig7"]
    for curve in figure.curves:
        scale = STUDY.scale(figure, curve, False, None)
        assert scale.points * scale.every >= curve.recipe.config.games
        assert scale.all_seeds == STUDY.scales[""].all_seeds


def test_networks_that_search_or_learn_for_longer_have_scales_of_their_own() -> None:
    long = {(name, c.label) for name, f in STUDY.figures.items() for c in f.curves if c.length == "long"}
    assert long == {("v10v11", "1.0"), ("tables34", "1.0")}
    assert {name: f.length for name, f in STUDY.figures.items() if f.length} == {"rates": "trial", "outputs": "short"}


# --- one figure, from training to its verdict ---------------------------------------------------------------------


def _strengths(learner: Any, config: Any, weights: Any) -> dict[str, Any]:
    """By which networks that have learned the same are the same; here nobody plays."""
    size = np.sqrt(sum((leaf.reshape(len(leaf), -1) ** 2).sum(axis=1) for leaf in jax.tree.leaves(weights)))
    names = ("minimax", "minimax_ahead", "won", "lost", "repeated", "random", "random_ahead", "spread", "level")
    return dict.fromkeys(names, np.tanh(size))


def _games(agents: Any) -> list[Series]:
    (first, _, weights), (second, _, _) = agents[::-1]
    return [Series(seed, first, second, 2, 0, 2, 1, 1, 2, 2, 16) for seed in range(len(weights.output_bias))]


@pytest.mark.slow
@pytest.mark.campaign
def test_a_figure_is_reproduced_and_judged_again(tmp_path: Path) -> None:
    """Networks learn a few short games; then they meet."""
    usual, recipe = STUDY.figures["v10v11"], STUDY.figures["v10v11"].curves[1].recipe
    curves = tuple(replace(curve, recipe=recipe.with_settings(kappa=-0.5 * k)) for k, curve in enumerate(usual.curves))
    small = replace(
        STUDY,
        game=lambda: make_game("abalone", cap=8),
        measure=lambda game, quick: _strengths,
        scales={"": Scale(2, 2, 2), "long": Scale(2, 1, 2)},
        figures_with=lambda choices: {"v10v11": replace(usual, curves=curves, play=_games)},
    )
    (report,) = reproduce.reproduce(small, ["v10v11"], tmp_path)
    assert [claim.verdict for claim in report.finding.claims] == ["undecided", "does not hold", "does not hold"]
    seen = reproduce.read(small, "v10v11", tmp_path)
    assert [runs.steps.tolist() for runs in seen.curves] == [[0, 2], [0, 2, 4]]  # the first has a length of its own
    assert [(each.seed, each.first, each.second, each.games) for each in seen.series] == [
        (0, "1.1", "1.0", 2),
        (1, "1.1", "1.0", 2),
    ]
    known = json.loads((tmp_path / "verdicts.json").read_text())["figures"]["v10v11"]
    (again,) = reproduce.judge_again(small, ["v10v11"], tmp_path)
    assert again.finding == report.finding
    assert known["values"] == dict(again.finding.values)
    assert len(list((tmp_path / ".runs").glob("*.batch"))) == 2  # of each program its end, and nothing of the way there


def test_a_curve_may_have_a_length_of_its_own() -> None:
    recipe = Recipe.of("", "td")
    own, usual = Curve("", "a", recipe, length="long"), Curve("", "b", recipe)
    figure = STUDY.figures["outputs"]
    assert STUDY.scale(figure, own, False, None) == STUDY.scales["long"]
    assert STUDY.scale(figure, usual, False, 4) == replace(STUDY.scales["short"], seeds=4)
