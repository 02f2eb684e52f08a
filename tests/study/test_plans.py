"""Laws over the plans of all studies: what trials try, what they chose, and that figures go by it."""

from __future__ import annotations

import importlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ludus.games import entry, names
from ludus.study.study import Choices, Study
from ludus.study.trials import arm, read_choices

PLANS: dict[str, tuple[Study, Choices]] = {}
for name in names():
    if where := entry(name).paper:
        module, _, attribute = where.partition(":")
        found = importlib.import_module(module)
        PLANS[name] = (getattr(found, attribute), read_choices(Path(str(found.__file__)).with_name("settings.json")))

every_plan = pytest.mark.parametrize(("study", "shipped"), PLANS.values(), ids=list(PLANS))


def arms(study: Study) -> dict[str, list[Any]]:
    """The curves of every arm that a trial tries."""
    found = defaultdict(list)
    for name in study.trials:
        for curve in study.figures[name].curves:
            for criterion in study.figures[name].criteria:
                found[arm(curve.panel, criterion)].append(curve)
    return found


def configs(study: Study) -> dict[str, list[Any]]:
    """What is run for every figure that is no trial."""
    return {name: [c.recipe for c in figure.curves] for name, figure in study.figures.items() if not figure.criteria}


def test_there_are_four() -> None:
    assert len(PLANS) == 4


@every_plan
def test_every_arm_is_tried_and_its_committed_choice_is_among_what_was_tried(study: Study, shipped: Choices) -> None:
    tried = arms(study)
    assert set(tried) == set(shipped)
    for name, choice in shipped.items():
        settings = [dict(curve.tried) for curve in tried[name]]
        assert choice in settings
        assert len(settings) >= 5


@every_plan
def test_an_arms_curves_differ_in_what_is_tried_alone(study: Study, shipped: Choices) -> None:
    for curves in arms(study).values():
        for curve in curves:
            assert all(getattr(curve.recipe.config, key) == value for key, value in curve.tried)
        assert len({curve.recipe.with_settings(**dict(curves[0].tried)).config for curve in curves}) == 1
        assert len({curve.tried for curve in curves}) == len(curves)


@every_plan
def test_the_committed_choices_are_what_is_run(study: Study, shipped: Choices) -> None:
    assert study.settled is not None
    assert configs(study.settled(shipped)) == configs(study)


@every_plan
def test_no_figure_shows_a_trials_seed(study: Study, shipped: Choices) -> None:
    def seeds(trials: bool) -> set[int]:
        shown = [figure for name, figure in study.figures.items() if (name in study.trials) == trials]
        return {seed for f in shown for c in f.curves for seed in study.scale(f, c, False, None).all_seeds}

    assert seeds(trials=True)
    assert not seeds(trials=True) & seeds(trials=False)
