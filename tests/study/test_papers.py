"""Laws over the studies of all papers: what trials try, what they chose, and that figures go by it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ludus.games import entry, load, names, part
from ludus.study.study import Choices, Study
from ludus.study.trials import arm_key, read_choices

STUDIES: dict[str, Study] = {name: part(name, "paper") for name in names() if entry(name).paper}
every_study = pytest.mark.parametrize("name", STUDIES)
#: Studies that choose settings by trials; Abalearn's has one step for all its arms.
TRYING = [name for name in STUDIES if STUDIES[name].trials]
trying_study = pytest.mark.parametrize("name", TRYING)

#: Figures that use no choice, and trials that use another's; all other figures use choices, and all other trials none.
UNCHOSEN = {"hex": {"fig15", "fig16", "bounds", "blind", "taught-steps"}}
BUILT_ON_OTHERS = {"hex": {"actor-settings", "taught-actor-settings"}}
#: Of the outline, the most recipes and the most programs to compile: a program takes two cores some ten seconds.
OUTLINE = {"lgame": (16, 8), "hex": (300, 6), "abalone": (55, 9), "solitaire-chess": (5, 2)}


def shipped(name: str) -> Choices:
    return read_choices(Path(load(entry(name).room).__path__[0]) / "paper" / "settings.json")


def arms(study: Study) -> dict[str, list[Any]]:
    """The curves of every arm that a trial tries."""
    found = defaultdict(list)
    for name in study.trials:
        for curve in study.figures[name].curves:
            for criterion in study.figures[name].criteria:
                found[arm_key(curve.panel, criterion)].append(curve)
    return found


def runs(study: Study) -> dict[str, dict[tuple[str, str], Any]]:
    """What is run, by figure, panel and label."""
    return {name: {(c.panel, c.label): c.run for c in figure.curves} for name, figure in study.figures.items()}


def numbered(name: str) -> dict[str, dict[str, float]]:
    """For every arm settings that no other has, nor any grid."""
    number = itertools.count(1)
    return {key: {setting: next(number) / 4096 for setting in given} for key, given in shipped(name).items()}


def test_there_are_four() -> None:
    assert len(STUDIES) == 4
    assert set(STUDIES) - set(TRYING) == {"abalone"}
    assert not STUDIES["abalone"].choices


# --- trials -------------------------------------------------------------------------------------------------------


@trying_study
def test_every_arm_is_tried_and_its_committed_choice_is_among_what_was_tried(name: str) -> None:
    tried = arms(STUDIES[name])
    assert set(tried) == set(shipped(name))
    for key, choice in shipped(name).items():
        settings = [dict(curve.tried) for curve in tried[key]]
        assert choice in settings
        assert len(settings) >= 5


@trying_study
def test_an_arms_curves_differ_in_what_is_tried_alone(name: str) -> None:
    for curves in arms(STUDIES[name]).values():
        for curve in curves:
            assert all(getattr(curve.recipe.config, key) == value for key, value in curve.tried)
        assert len({curve.recipe.with_settings(**dict(curves[0].tried)).config for curve in curves}) == 1
        assert len({curve.tried for curve in curves}) == len(curves)


@pytest.mark.parametrize("name", [name for name in TRYING if name != "hex"])
def test_rates_are_tried_in_factors_of_about_three(name: str) -> None:
    for curves in arms(STUDIES[name]).values():
        rates = [value for curve in curves for _, value in curve.tried]
        assert len(rates) == len(curves) >= 6
        assert all(2.9 < b / a < 3.5 for a, b in itertools.pairwise(rates))


@trying_study
def test_no_figure_shows_a_trials_seed(name: str) -> None:
    study = STUDIES[name]

    def seeds(trials: bool) -> set[int]:
        shown = [figure for name, figure in study.figures.items() if (name in study.trials) == trials]
        return {seed for f in shown for c in f.curves for seed in study.scale(f, c, False, None).all_seeds}

    assert seeds(trials=True)
    assert not seeds(trials=True) & seeds(trials=False)


# --- choices ------------------------------------------------------------------------------------------------------


@trying_study
def test_the_committed_choices_are_what_is_run(name: str) -> None:
    assert STUDIES[name].choices == shipped(name)


@trying_study
def test_figures_use_every_arm_and_no_other(name: str) -> None:
    class Recorded(dict):
        def __getitem__(self, key: str) -> Any:
            used.add(key)
            return super().__getitem__(key)

    used: set[str] = set()
    STUDIES[name].figures_with(Recorded(shipped(name)))
    if name == "hex":  # its trials choose by two criteria, and not every figure needs both
        assert len(used) > 40
        assert used < set(shipped(name))
    else:
        assert used == set(shipped(name))


@trying_study
def test_what_is_chosen_changes_settings_and_no_label(name: str) -> None:
    study = STUDIES[name]
    before, after = runs(study), runs(study.settled(numbered(name)))
    assert {figure: list(curves) for figure, curves in before.items()} == {f: list(c) for f, c in after.items()}
    same = {figure for figure in before if before[figure] == after[figure]}
    assert same == set(study.trials) - BUILT_ON_OTHERS.get(name, set()) | UNCHOSEN.get(name, set())


@trying_study
def test_what_a_trial_chose_is_taken_and_the_rest_stays_as_committed(name: str) -> None:
    study, new = STUDIES[name], numbered(name)
    before, whole = runs(study), runs(study.settled(new))
    for key in [*new][:3]:
        settled = study.settled({key: new[key]})
        assert settled.choices == {**shipped(name), key: new[key]}
        assert settled.settled({}).choices == settled.choices
        one = runs(settled)
        changed = {(f, place) for f in one for place in one[f] if one[f][place] != before[f][place]}
        assert changed
        if name != "hex":  # there a curve may have the settings of two arms
            assert all(one[f][place] == whole[f][place] for f, place in changed)


# --- figures ------------------------------------------------------------------------------------------------------


@every_study
def test_every_figure_can_be_drawn(name: str) -> None:
    study = STUDIES[name]
    for figure in study.figures.values():
        assert set(figure.measures) <= set(study.words)
        assert set(figure.references) <= set(study.words)
        assert len({(curve.panel, curve.label) for curve in figure.curves}) == len(figure.curves)
        assert {curve.setup for curve in figure.curves} <= {"", *study.setups}
        assert set(figure.outline or ()) <= {curve.label for curve in figure.curves}
        assert figure.drawn(quick=True) or set(figure.gathers) <= set(study.figures)
        assert figure.play_quick is None or figure.play is not None


@every_study
def test_figures_that_share_a_file_have_the_same_curves(name: str) -> None:
    figures = STUDIES[name].figures
    for figure in figures.values():
        owner = figures[figure.same_data] if figure.same_data else figure
        for quick in (False, True):
            assert figure.drawn(quick) == owner.drawn(quick)


@every_study
def test_seeds_can_be_asked_for_and_an_outline_is_short(name: str) -> None:
    study = STUDIES[name]
    for figure in study.figures.values():
        for curve in figure.curves:
            usual = study.scale(figure, curve, False, None)
            twice = study.scale(figure, curve, False, 2 * usual.seeds)
            assert twice.seeds % (2 * usual.seeds) == 0
            assert (twice.points, twice.every, twice.first_seed) == (usual.points, usual.every, usual.first_seed)
            assert study.scale(figure, curve, True, None) == study.outline
            assert study.scale(figure, curve, True, 7).all_seeds == tuple(range(7))
            assert study.outline.seeds == 2
            assert study.outline.points * study.outline.every < usual.points * usual.every / 2


@every_study
def test_the_outline_is_a_matter_of_minutes(name: str) -> None:
    study = STUDIES[name]
    curves = [curve for figure in study.figures.values() for curve in figure.drawn(quick=True)]
    programs = {(c.recipe.learner_name, c.recipe.learner.program(c.recipe.config)) for c in curves}
    most_runs, most_programs = OUTLINE[name]
    assert len({curve.run for curve in curves}) <= most_runs
    assert len(programs) <= most_programs


@every_study
def test_what_is_loaded_when_it_is_needed_is_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that is named by a text, as it needs JAX."""
    study, called = STUDIES[name], []

    def loaded(where: str) -> Any:
        assert callable(load(where))
        called.append(where)
        return lambda *given, **named: ()

    monkeypatch.setattr("ludus.study.study.load", loaded)
    given = [study.measure, *study.setups.values()]
    given += [each for f in study.figures.values() for each in (f.play, f.play_quick, f.picture) if each is not None]
    for function in given:
        function(None, False) if function is study.measure else function(())
    assert len(called) == len(given)
