"""The L-Game paper's figures: what is run for each, and at which rates."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from ludus.games.lgame.paper import STUDY, figures
from ludus.games.lgame.paper.figures import OTHER_SEEDS, SHIPPED, scales
from ludus.games.lgame.paper.verdicts import RANDOM
from ludus.study.study import Scale, Study
from ludus.study.trials import read_choices
from ludus.truth import evaluate
from ludus.truth.solve import solve

SHOWN = [name for name in STUDY.figures if name not in STUDY.trials]


def numbered() -> dict[str, dict[str, float]]:
    """A rate for every arm that no other has."""
    return {name: {"learning_rate": (1 + place) / 1024} for place, name in enumerate(read_choices(SHIPPED))}


def curves(study: Study, figure: str) -> dict[tuple[str, str], Any]:
    """The config of every curve by panel and label."""
    return {(curve.panel, curve.label): curve.recipe.config for curve in study.figures[figure].curves}


# --- trials -------------------------------------------------------------------------------------------------------


def test_figures_use_every_arm_and_no_other() -> None:
    class Recorded(dict):
        def __getitem__(self, name: str) -> Any:
            used.add(name)
            return super().__getitem__(name)

    used: set[str] = set()
    figures.figures(Recorded(read_choices(SHIPPED)))
    assert used == set(read_choices(SHIPPED))


def test_rates_are_tried_in_steps_of_about_three() -> None:
    for name in STUDY.trials:
        by_arm: dict[str, list[float]] = {}
        for curve in STUDY.figures[name].curves:
            by_arm.setdefault(curve.panel, []).append(curve.recipe.config.learning_rate)
        for rates in by_arm.values():
            assert len(rates) >= 6
            assert all(2.9 < b / a < 3.5 for a, b in itertools.pairwise(rates))


def test_an_arm_by_several_names_is_run_once() -> None:
    by_arm: dict[str, set[Any]] = {}
    for curve in STUDY.figures["rates"].curves:
        by_arm.setdefault(curve.panel, set()).add(curve.run)
    assert by_arm["N = 10"] == by_arm["Nesterov, annealed"] == by_arm["gamma = 0.9, negamax"]
    assert not by_arm["N = 10"] & by_arm["Nesterov, constant"]


def test_by_which_measures_rates_are_chosen() -> None:
    assert {name: list(STUDY.figures[name].criteria) for name in STUDY.trials} == {
        "rates": ["random"],
        "rates-624": ["random", "perfect"],
    }


# --- figures ------------------------------------------------------------------------------------------------------

TRANSITIONS = {"batch": "transitions"}
OWN, FULL = {"backup": "own-turn"}, {"head": "full", "inputs": "planes"}
GAMMAS = (0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
HEADLINE = {
    ("", "128 outputs"): ("N = 10, by random", {}),
    ("", "624 outputs"): ("624 outputs, by random", FULL),
    ("", "624 outputs, rate chosen against perfect"): ("624 outputs, by perfect", FULL),
}
#: Of every curve the arm whose rate it has, and its settings where they are not the paper's.
CURVES: dict[str, dict[tuple[str, str], tuple[str, dict[str, Any]]]] = {
    "fig4": {("", f"N = {n}"): (f"N = {n}, by random", {"recall": n}) for n in (0, 1, 5, 10, 20, 50, 200)},
    "fig6": {
        ("", "10 whole games"): ("N = 10, by random", {}),
        ("", "1 whole game"): ("N = 1, by random", {"recall": 1}),
        ("", "32 transitions"): ("32 transitions, by random", TRANSITIONS),
        ("", "670 transitions"): ("670 transitions, by random", TRANSITIONS | {"transitions": 670}),
    },
    "fig7": HEADLINE,
    "headline": HEADLINE,
    "own-turn": {
        (panel, f"rate chosen against {other}"): (f"{name}, by {other}", FULL | backup)
        for panel, name, backup in (("negamax", "624 outputs", {}), ("own turn", "624 outputs, own turn", OWN))
        for other in ("random", "perfect")
    },
    "gamma": {
        (panel, f"gamma = {gamma:g}{how}"): (f"gamma = {rate:g}, {panel}, by random", {"gamma": gamma} | backup)
        for panel, backup in (("negamax", {}), ("own turn", OWN))
        for gamma, rate, how in [
            *((gamma, gamma, "") for gamma in GAMMAS),
            *((gamma, 0.9, ", at the rate of 0.9") for gamma in (0.99, 1.0)),
        ]
    },
}


@pytest.mark.parametrize("figure", CURVES)
def test_a_figure_has_its_curves_each_at_the_rate_of_its_arm(figure: str) -> None:
    choices, paper = numbered(), figures.PAPER
    found = curves(figures.study(choices), figure)
    assert list(found) == list(CURVES[figure])
    for place, (name, settings) in CURVES[figure].items():
        assert found[place] == paper.with_settings(**settings, **choices[name]).config


def test_optimisers_have_panels_with_rates_annealed_constant_and_beside_the_chosen_one() -> None:
    choices = numbered()
    found = curves(figures.study(choices), "fig5")
    assert len(found) == 12
    for name in ("Nesterov", "RMSProp", "ADADELTA"):
        annealed, constant = (choices[f"{name}, {how}, by random"]["learning_rate"] for how in ("annealed", "constant"))
        mine = {label: config for (panel, label), config in found.items() if panel == name}
        assert {config.optimizer for config in mine.values()} == {name.lower()}
        assert {label: (config.learning_rate, config.final_rate) for label, config in mine.items()} == {
            "annealed": (annealed, 0.1),
            "constant": (constant, 1.0),
            "annealed, a third of the rate": (pytest.approx(annealed / 3), 0.1),
            "annealed, three times the rate": (pytest.approx(annealed * 3), 0.1),
        }


def test_labels_do_not_depend_on_what_was_chosen() -> None:
    one, two = STUDY, figures.study(numbered())
    for name in STUDY.figures:
        assert list(curves(one, name)) == list(curves(two, name))
    assert all(curves(one, name) == curves(two, name) for name in STUDY.trials)
    assert all(curves(one, name) != curves(two, name) for name in SHOWN)


def test_what_a_trial_chose_is_taken_and_the_rest_stays_as_committed() -> None:
    assert STUDY.settled is not None
    settled = STUDY.settled({"N = 5, by random": {"learning_rate": 0.3}})
    before, after = curves(STUDY, "fig4"), curves(settled, "fig4")
    assert after["", "N = 5"].learning_rate == 0.3 != before["", "N = 5"].learning_rate
    assert {place for place in after if after[place] != before[place]} == {("", "N = 5")}
    assert settled.settled is not None


# --- how much of it -----------------------------------------------------------------------------------------------


def test_the_scale() -> None:
    assert scales("", False, None) == Scale(5, 10, 2500)
    assert scales("whole", False, None) == Scale(5, 40, 2500)
    assert scales("trial", False, None) == Scale(3, 2, 2000, OTHER_SEEDS)
    assert scales("", True, None).seeds == 2
    assert scales("", True, 7).seeds == scales("whole", False, 7).seeds == scales("trial", False, 7).seeds == 7
    assert {STUDY.figures[name].length for name in ("fig7", "headline")} == {"whole"}
    shown = {seed for length in ("", "whole") for seed in scales(length, False, None).all_seeds}
    assert not shown & set(scales("trial", False, None).all_seeds)  # in outline nothing is chosen


def test_every_figure_can_be_drawn() -> None:
    for figure in STUDY.figures.values():
        assert set(figure.measures) <= set(STUDY.words)
        assert set(figure.references) <= set(STUDY.words)
        assert len({(curve.panel, curve.label) for curve in figure.curves}) == len(figure.curves)
        assert set(figure.outline or ()) <= {curve.label for curve in figure.curves}
        assert figure.drawn(quick=True)


def test_figures_that_share_a_file_have_the_same_curves() -> None:
    for name, figure in STUDY.figures.items():
        owner = figure.same_data or name
        for quick in (False, True):
            assert figure.drawn(quick) == STUDY.figures[owner].drawn(quick)


def test_the_outline_is_a_matter_of_minutes() -> None:
    """Two cores compile a program in some ten seconds, and take a step on ten games in a thirtieth of one."""
    drawn = [(figure.length, curve) for figure in STUDY.figures.values() for curve in figure.drawn(quick=True)]
    recipes = {(length == "trial", curve.recipe.config): curve.recipe for length, curve in drawn}
    assert len(recipes) <= 16
    assert len({recipe.learner.program(recipe.config) for recipe in recipes.values()}) <= 8
    assert max(recipe.config.recall for recipe in recipes.values()) == 10
    assert max(recipe.config.transitions for recipe in recipes.values()) == 32


@pytest.mark.slow
def test_what_a_random_player_wins() -> None:
    game = STUDY.game()
    graph = solve(game).graph
    either = evaluate.uniform(graph)
    first, second = evaluate.chances(graph, either, either, game.max_plies)
    assert pytest.approx((first.win + second.win) / 2, abs=5e-4) == RANDOM
