"""The L-Game paper's figures: what is run for each, and at which rates. Laws over all papers: `tests/study`."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.games.lgame.paper import STUDY, figures
from ludus.games.lgame.paper.figures import SHIPPED
from ludus.games.lgame.paper.verdicts import RANDOM
from ludus.study.study import Study
from ludus.study.trials import read_choices
from ludus.truth import evaluate
from ludus.truth.solve import solve


def numbered() -> dict[str, dict[str, float]]:
    """A rate for every arm that no other has."""
    return {name: {"learning_rate": (1 + place) / 1024} for place, name in enumerate(read_choices(SHIPPED))}


def curves(study: Study, figure: str) -> dict[tuple[str, str], Any]:
    """The config of every curve by panel and label."""
    return {(curve.panel, curve.label): curve.recipe.config for curve in study.figures[figure].curves}


# --- trials -------------------------------------------------------------------------------------------------------


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
    found = curves(STUDY.settled(choices), figure)
    assert list(found) == list(CURVES[figure])
    for place, (name, settings) in CURVES[figure].items():
        assert found[place] == paper.with_settings(**settings, **choices[name]).config


def test_optimisers_have_panels_with_rates_annealed_constant_and_beside_the_chosen_one() -> None:
    choices = numbered()
    found = curves(STUDY.settled(choices), "fig5")
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


def test_the_outline_has_short_replays() -> None:
    configs = [c.recipe.config for figure in STUDY.figures.values() for c in figure.drawn(quick=True)]
    assert max(config.recall for config in configs) == 10
    assert max(config.transitions for config in configs) == 32


@pytest.mark.slow
def test_what_a_random_player_wins() -> None:
    game = STUDY.game()
    graph = solve(game).graph
    either = evaluate.uniform(graph)
    first, second = evaluate.chances(graph, either, either, game.max_plies)
    assert pytest.approx((first.win + second.win) / 2, abs=5e-4) == RANDOM
