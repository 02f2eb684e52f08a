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
from ludus.games.abalone.paper.settings import MIXED, ONE, READINGS, TRAILS
from ludus.learners.recipe import Recipe
from ludus.study import reproduce
from ludus.study.data import Series
from ludus.study.study import Curve, Scale


def curves(figure: str) -> dict[tuple[str, str], Any]:
    """The config of every curve by panel and label."""
    return {(curve.panel, curve.label): curve.recipe.config for curve in STUDY.figures[figure].curves}


# --- figures ------------------------------------------------------------------------------------------------------

COMMON = {"hidden": 20, "trace": 0.9, "gamma": 1.0, "games": 1000, "alpha": 0.03}
OLD, NEW = {"features": "abalearn-1.1"}, {"features": "abalearn-1.2"}
FIRST = {"opponent": "random-first", "first_games": 100, "epsilon": 0.01, "final_epsilon": 0.01}
FALLING = {"epsilon": 0.9, "final_epsilon": 0.001, "epsilon_games": 100, "opponent": "self"}
BOTH = {
    TRAILS: {"view": "mover", "repetition": "ends"},
    ONE: {"view": "first", "repetition": "plays-on"},
}
VERSIONS = {
    "1.0": {"features": "abalearn-1.0", "games": 2000} | FIRST,
    "1.1": OLD | FIRST,
    "1.2": NEW | FALLING | {"kappa": 0.0},
}
RISKY = NEW | FALLING | {"kappa": -1.0}


def in_both(**labels: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (panel, label.replace("_", " ")): given | how for panel, how in BOTH.items() for label, given in labels.items()
    }


#: Of every curve its settings where they are not common to all.
CURVES: dict[str, dict[tuple[str, str], dict[str, Any]]] = {
    "rates": {
        (panel, f"alpha {alpha:g}"): given | {"alpha": alpha}
        for panel, given in {
            "1.1, two trails": VERSIONS["1.1"] | BOTH[TRAILS],
            "1.2, one view": VERSIONS["1.2"] | BOTH[ONE],
            "1.2, one view, kappa -1": RISKY | BOTH[ONE],
        }.items()
        for alpha in (0.003, 0.01, 0.03, 0.1, 0.3)
    },
    "readings": {
        ("", TRAILS): VERSIONS["1.2"] | BOTH[TRAILS],
        ("", ONE): VERSIONS["1.2"] | BOTH[ONE],
        ("", "two trails, playing on"): VERSIONS["1.2"] | {"view": "mover", "repetition": "plays-on"},
        ("", "one view, ended by repetition"): VERSIONS["1.2"] | {"view": "first", "repetition": "ends"},
    },
    "rewards": {
        **{
            (panel, f"1.2, kappa {value:g}"): RISKY | how | {"kappa": value, "reward_counts": True}
            for panel, how in BOTH.items()
            for value in (-1.0, -0.8, 0.0)
        },
        (ONE, "1.1, kappa 0"): OLD | FALLING | BOTH[ONE] | {"reward_counts": True},
    },
    "table1": {
        ("", "random play"): OLD | {"alpha": 0.0, "epsilon": 1.0, "final_epsilon": 1.0},
        **{("", f"1.2, {reading}"): VERSIONS["1.2"] | how for reading, how in BOTH.items()},
    },
    "fig4": {("", f"{units} hidden units"): VERSIONS["1.2"] | BOTH[ONE] | {"hidden": units} for units in (5, 20, 60)},
    "fig6": {("", f"lambda {value:g}"): VERSIONS["1.1"] | {"trace": value} for value in (0.0, 0.3, 0.7, 0.9, 0.99)},
    "fig7": {("", f"Net {games}"): VERSIONS["1.1"] | {"games": games} for games in (10, 100, 250, 1000)},
    "fig8": {
        ("", "against random"): OLD | {"opponent": "random"},
        ("", "against minimax"): OLD | {"opponent": "minimax"},
        ("", "against itself"): OLD | {"opponent": "self"},
        ("", "random first, then itself"): VERSIONS["1.1"],
    },
    "v11v12": {
        (panel, label): given | FIRST | how
        for panel, how in BOTH.items()
        for label, given in (("1.1", OLD), ("1.2", NEW), ("1.1, kappa -1", OLD | {"kappa": -1.0}))
    },
    "fig9": {
        (panel, label): given | how
        for panel, how in BOTH.items()
        for label, given in (
            ("1.2, kappa -1", NEW | {"opponent": "random", "kappa": -1.0}),
            ("1.1", VERSIONS["1.1"]),
        )
    },
    "fig10": {
        (panel, label): given | how
        for panel, how in BOTH.items()
        for label, given in (("epsilon from 0.9", RISKY), ("epsilon 0.01", NEW | {"kappa": -1.0}))
    },
    "fig11": {
        (panel, label): given | how
        for panel, how in BOTH.items()
        for label, given in (
            *((f"kappa {value:g}", RISKY | {"kappa": value}) for value in (-1.0, -0.8, 0.0)),
            ("kappa -1, the text's sign", RISKY | {"risk": "text"}),
        )
    },
    "long": {("", "kappa -1"): RISKY | {"games": 10_000}},
    "outputs": {
        (f"kappa {value:g}", how): RISKY | BOTH[ONE] | {"kappa": value} | more
        for value in (0.0, -1.0)
        for how, more in (("sigmoid", {}), ("scaled", {"output": "scaled", "alpha": 0.002}))
    },
}
AGENTS = {
    ("", f"{version}, {reading}"): given | how for reading, how in BOTH.items() for version, given in VERSIONS.items()
}
CURVES["v10v11"] = {place: given for place, given in AGENTS.items() if "1.2" not in place[1]}
CURVES["table2"] = {place: given for place, given in AGENTS.items() if "1.1" in place[1]}
CURVES["tables34"] = {place: given for place, given in AGENTS.items() if ONE in place[1]}


@pytest.mark.parametrize("figure", STUDY.figures)
def test_a_figure_has_its_curves_all_with_one_step(figure: str) -> None:
    found = curves(figure)
    assert list(found) == list(CURVES[figure])
    for place, given in CURVES[figure].items():
        assert found[place] == Recipe.of("", "td", **{**COMMON, **given}).config, place


def test_the_four_ways_to_read_self_play() -> None:
    ways = [(given["view"], given["repetition"]) for given in (READINGS | MIXED).values()]
    assert sorted(ways) == [("first", "ends"), ("first", "plays-on"), ("mover", "ends"), ("mover", "plays-on")]


def test_the_versions_can_be_trained_as_the_paper_trains_them() -> None:
    made = part(make_game("abalone"), "recipes")("standard", 200)
    for version in ("1.0", "1.1"):
        config = figures.agents(TRAILS)[version].recipe.config
        recipe = made[f"abalearn-{version}"].config
        own = {"alpha", "games", "first_games", "rounds"}  # of the shipped agents, which learned for longer
        assert {k: v for k, v in vars(recipe).items() if k not in own} == {
            k: v for k, v in vars(config).items() if k not in own
        }


def test_few_programs_are_run() -> None:
    """A program takes half a minute of a core to compile."""
    wanted = {
        (curve.recipe.learner.program(curve.recipe.config), STUDY.scale(figure, curve, False, None))
        for figure in STUDY.figures.values()
        for curve in figure.curves
    }
    # Three versions in two readings; two mixed; two widths; scaled; three where rewards count.
    assert len({program for program, _ in wanted}) == 14
    assert len(wanted) <= 23


def test_every_claim_has_ten_seeds_and_no_run_is_paid_for_twice() -> None:
    games: dict[Any, int] = {}
    for figure in STUDY.figures.values():
        for curve in figure.curves:
            scale = STUDY.scale(figure, curve, False, None)
            assert scale.seeds >= 10
            key = curve.run, scale.every
            games[key] = max(games.get(key, 0), scale.points * scale.every)
    assert sum(games.values()) <= 60_000  # a seed: an hour of two cores


def test_every_network_of_a_run_has_learned_all_its_games() -> None:
    figure = STUDY.figures["fig7"]
    for curve in figure.curves:
        scale = STUDY.scale(figure, curve, False, None)
        assert scale.points * scale.every >= curve.recipe.config.games
        assert scale.all_seeds == STUDY.scales[""].all_seeds


# --- one figure, from training to its verdict ---------------------------------------------------------------------


def _strengths(learner: Any, config: Any, weights: Any) -> dict[str, Any]:
    """By which networks that have learned the same are the same; here nobody plays."""
    size = np.sqrt(sum((leaf.reshape(len(leaf), -1) ** 2).sum(axis=1) for leaf in jax.tree.leaves(weights)))
    names = ("on", "on_won", "on_lost", "minimax", "minimax_ahead", "repeated", "random_ahead", "level")
    ratings = np.sin(1e4 * np.outer(size, np.arange(1.0, 9.0)))
    life = {"live": np.ones(len(size)), "spread": size, "size": size, "ratings": ratings}
    return dict.fromkeys(names, np.tanh(size)) | life


def _games(agents: Any) -> list[Series]:
    weights, names = agents[0][2], [name for name, _, _ in agents]
    pairs = [(names[1], names[0]), (names[3], names[2])]
    seeds = range(len(weights.output_bias))
    return [Series(seed, first, second, 2, 0, 2, 1, 1, 2, 2, 16) for first, second in pairs for seed in seeds]


@pytest.mark.slow
@pytest.mark.campaign
def test_a_figure_is_reproduced_and_judged_again(tmp_path: Path) -> None:
    """Networks learn a few short games; then they meet."""
    usual, recipe = STUDY.figures["v10v11"], STUDY.figures["v10v11"].curves[1].recipe
    curves = tuple(replace(curve, recipe=recipe.with_settings(kappa=-0.2 * k)) for k, curve in enumerate(usual.curves))
    small = replace(
        STUDY,
        game=lambda: make_game("abalone", cap=8),
        measure=lambda game, quick: _strengths,
        scales={"": Scale(2, 2, 2), "twice": Scale(2, 1, 2)},
        figures_with=lambda choices: {"v10v11": replace(usual, curves=curves, play=_games)},
    )
    (report,) = reproduce.reproduce(small, ["v10v11"], tmp_path)
    assert [claim.verdict for claim in report.finding.claims] == ["undecided", "does not hold", "does not hold"] * 2
    seen = reproduce.read(small, "v10v11", tmp_path)
    assert [runs.steps.tolist() for runs in seen.curves] == [[0, 2], [0, 2, 4]] * 2  # the first has a length of its own
    assert [(each.seed, each.first, each.second, each.games) for each in seen.series] == [
        (seed, f"1.1, {reading}", f"1.0, {reading}", 2) for reading in READINGS for seed in range(2)
    ]
    known = json.loads((tmp_path / "verdicts.json").read_text())["figures"]["v10v11"]
    (again,) = reproduce.judge_again(small, ["v10v11"], tmp_path)
    assert again.finding == report.finding
    assert known["values"] == dict(again.finding.values)
    assert len(list((tmp_path / ".runs").glob("*.batch"))) == 2  # of each program its end, and nothing of the way there


def test_a_curve_may_have_a_length_of_its_own() -> None:
    recipe = Recipe.of("", "td")
    own, usual = Curve("", "a", recipe, length="long"), Curve("", "b", recipe)
    figure = STUDY.figures["fig6"]
    assert STUDY.scale(figure, own, False, None) == STUDY.scales["long"]
    assert STUDY.scale(figure, usual, False, 4) == replace(STUDY.scales[""], seeds=4)
