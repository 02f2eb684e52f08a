"""Trials: which settings are chosen, what is said of them, and who gets them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.study import reproduce, trials
from ludus.study.data import Data, Runs
from ludus.study.grid import CurveResult, CurveRunner
from ludus.study.study import Axis, Choices, Claim, Curve, Figure, Finding, Scale, Study
from ludus.study.trials import (
    Arm,
    arm_key,
    chosen,
    highest,
    highest_curve,
    lowest_curve,
    read_choices,
    trial,
    write_choices,
)

SARSA = Recipe.of("", "online", algorithm="sarsa")


def runs(panel: str, label: str, *courses: Sequence[float], measure: str = "value") -> Runs:
    """A course for each seed, the point before any learning first."""
    rows = np.array(courses, float)
    return Runs(panel, label, tuple(range(len(rows))), 100 * np.arange(rows.shape[1]), {measure: rows})


def tried(panel: str, *settings: Mapping[str, float]) -> list[Curve]:
    made = [tuple(each.items()) for each in settings]
    return [Curve(panel, trials.in_words(each), SARSA, tried=each) for each in made]


# --- what is chosen -----------------------------------------------------------------------------------------------

ALPHAS = tried("TDC", {"alpha": 0.1}, {"alpha": 0.3}, {"alpha": 1.0})
LATE = runs("TDC", "alpha 0.1", [0.9, 0.0, 0.2, 0.9], [0.9, 0.0, 0.2, 0.7])
EARLY = runs("TDC", "alpha 0.3", [0.0, 0.6, 0.7, 0.6], [0.0, 0.6, 0.7, 0.8])
NEVER = runs("TDC", "alpha 1", [0.5, 0.1, 0.1, 0.1], [0.5, 0.1, 0.1, 0.1])


def test_a_criterion_is_of_all_seeds_and_of_what_was_learned() -> None:
    assert highest("value")(LATE) == pytest.approx(0.8)
    assert highest_curve("value")(LATE) == pytest.approx((0.0 + 0.2 + 0.9 + 0.0 + 0.2 + 0.7) / 6)
    assert lowest_curve("value")(NEVER) == pytest.approx(-0.1)


def test_each_criterion_has_its_choice() -> None:
    criteria = {"end": highest("value"), "curve": highest_curve("value"), "error": lowest_curve("value")}
    figure = trial("", ALPHAS, ("value",), criteria)
    assert figure.length == "trial"
    assert chosen(figure, Data([LATE, EARLY, NEVER])) == {
        "TDC, by end": {"alpha": 0.1},
        "TDC, by curve": {"alpha": 0.3},
        "TDC, by error": {"alpha": 1.0},
    }
    assert arm_key("TDC", "end") == "TDC, by end"


def test_every_arm_chooses_for_itself() -> None:
    figure = trial("", [*ALPHAS, *tried("Q", {"alpha": 0.1}, {"alpha": 0.3})], ("value",), {"end": highest("value")})
    others = [runs("Q", "alpha 0.1", [0, 0.1]), runs("Q", "alpha 0.3", [0, 0.2])]
    found = chosen(figure, Data([LATE, EARLY, NEVER, *others]))
    assert found == {"TDC, by end": {"alpha": 0.1}, "Q, by end": {"alpha": 0.3}}


def test_of_equals_the_first_is_chosen_and_what_diverged_is_not() -> None:
    figure = trial("", ALPHAS, ("value",), {"end": highest("value"), "error": lowest_curve("value")})
    same = [runs("TDC", label, [0.0, 0.5]) for label in ("alpha 0.1", "alpha 0.3", "alpha 1")]
    assert chosen(figure, Data(same)) == {arm_key("TDC", by): {"alpha": 0.1} for by in ("end", "error")}
    lost = runs("TDC", "alpha 0.1", [0.0, math.nan])
    assert chosen(figure, Data([lost, *same[1:]])) == {arm_key("TDC", by): {"alpha": 0.3} for by in ("end", "error")}


# --- what is said -------------------------------------------------------------------------------------------------

GRID = tried("GTD2", *({"alpha": a, "ratio": r, "bound": 6.0} for a in (0.1, 0.3, 1.0) for r in (0.01, 1.0, 100.0)))


@pytest.mark.parametrize(("alpha", "ratio", "words"), [
    (0.3, 1.0, ""),
    (0.1, 1.0, " (at an edge: alpha: lowest tried)"),
    (0.3, 100.0, " (at an edge: ratio: highest tried)"),
    (1.0, 0.01, " (at an edge: alpha: highest tried; ratio: lowest tried)"),
])  # fmt: skip
def test_edges_are_named(alpha: float, ratio: float, words: str) -> None:
    best = f"alpha {alpha:g}, ratio {ratio:g}, bound 6"
    data = Data([runs("GTD2", curve.label, [0, 0.9 if curve.label == best else 0.1]) for curve in GRID])
    found = trial("", GRID, ("value",), {"value": highest("value")}).judge(data)
    assert found.values == {"GTD2, by value": best + words}
    assert found.table[1:] == [["GTD2", "value", "9", best + words]]
    assert found.claims[0].found == f"1 choices, {int(bool(words))} of them at an edge of what was tried"
    assert found.verdict == "chosen"


def test_an_outline_says_how_many_were_tried_in_it() -> None:
    found = trial("", GRID, ("value",), {"value": highest("value")}).judge(
        Data([runs("GTD2", GRID[0].label, [0.0, 0.5])])
    )
    assert found.table[1:] == [["GTD2", "value", "1", "alpha 0.1, ratio 0.01, bound 6"]]


def test_choices_are_added_to_those_of_other_arms(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    write_choices(path, {"a": {"alpha": 0.1}, "b": {"alpha": 0.2, "ratio": 1.0}})
    write_choices(path, {"b": {"alpha": 0.3}, "c": {"rate": 0.01}})
    assert read_choices(path) == {"a": {"alpha": 0.1}, "b": {"alpha": 0.3}, "c": {"rate": 0.01}}


# --- who gets it --------------------------------------------------------------------------------------------------

PACKAGE = {"critic, by value": {"alpha": 0.5}, "actor, by value": {"actor_rate": 0.5}}
RATES = (0.1, 0.3, 0.9)


def judge(data: Data) -> Finding:
    return Finding((Claim("", "holds"),), {})


def figures_with(choices: Choices) -> dict[str, Figure]:
    """A trial of a step, a trial of an actor beside a critic with that step, and a figure with both."""
    critic = SARSA.with_settings(**choices["critic, by value"])
    both = critic.with_settings(actor="plain", **choices["actor, by value"])
    steps, actors = Arm(SARSA, {"alpha": RATES}), Arm(critic.with_settings(actor="plain"), {"actor_rate": RATES})
    criteria = {"value": highest("value")}
    return {
        "steps": trial("", steps.tries("critic"), ("value",), criteria),
        "actors": trial("", actors.tries("actor"), ("value",), criteria),
        "shown": Figure("", (Curve("", "both", both),), judge, ("value",)),
    }


STUDY = Study(
    paper="tiny",
    title="Tiny",
    game=lambda: make_game("hex", size=2),
    unit="moves",
    figures_with=figures_with,
    choices=PACKAGE,
    measure=lambda game, quick: lambda learner, config, weights: {},
    scales={"": Scale(2, 2, 50), "trial": Scale(2, 2, 50, first_seed=1000)},
    outline=Scale(2, 2, 50),
    words={"value": Axis("values")},
)


class Quick(CurveRunner):
    """A grid that runs nothing: 0.3 is the best step, and an actor's best rate is that of its critic's step."""

    ran: list[tuple[str, float, float]]  # actor, step and rate

    def run(self, wanted: Sequence[tuple[Curve, Scale]]) -> None:
        configs = [curve.recipe.config for curve, _ in wanted]
        self.ran += [(config.actor, config.alpha, config.actor_rate) for config in configs]

    def result(self, curve: Curve, scale: Scale) -> CurveResult:
        config = curve.recipe.config
        missed = abs(config.alpha - 0.3) if config.actor == "none" else abs(config.actor_rate - config.alpha)
        course = {"value": np.array([[0.0, 0.5, 1 - missed]] * scale.seeds)}
        return CurveResult(Runs(curve.panel, curve.label, scale.all_seeds, 50 * np.arange(3), course), None)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float, float]]:
    Quick.ran = []
    monkeypatch.setattr(reproduce, "CurveRunner", Quick)
    monkeypatch.setattr("ludus.study.pictures.draw", lambda *given: None)
    return Quick.ran


def settings_in(folder: Path) -> Any:
    path = folder / "settings.json"
    return json.loads(path.read_text()) if path.exists() else None


Ran = list[tuple[str, float, float]]
USUAL = SARSA.config.actor_rate


def test_trials_settle_one_after_the_other_before_what_is_shown(tmp_path: Path, quick: Ran) -> None:
    for place, order in enumerate((["steps", "actors", "shown"], ["shown", "actors", "steps"])):
        reports = reproduce.reproduce(STUDY, order, tmp_path / str(place))
        assert quick == [
            *(("none", alpha, USUAL) for alpha in RATES),
            *(("plain", 0.3, rate) for rate in RATES),  # beside the step that the first has chosen
            ("plain", 0.3, 0.3),
        ]
        quick.clear()
        assert [report.figure for report in reports] == order
        found = settings_in(tmp_path / str(place))
        assert found == {"critic, by value": {"alpha": 0.3}, "actor, by value": {"actor_rate": 0.3}}


def test_what_is_run_without_a_trial_has_the_packages_settings(tmp_path: Path, quick: Ran) -> None:
    reproduce.reproduce(STUDY, ["shown"], tmp_path)
    assert quick == [("plain", 0.5, 0.5)]
    assert settings_in(tmp_path) is None
    (tmp_path / "settings.json").write_text(json.dumps({"critic, by value": {"alpha": 0.7}, "mine": {"x": 1}}))
    reproduce.reproduce(STUDY, ["shown"], tmp_path)  # what lies there is a result, and no setting
    assert quick[1:] == [("plain", 0.5, 0.5)]
    reproduce.reproduce(STUDY, ["steps", "shown"], tmp_path)
    assert quick[-1] == ("plain", 0.3, 0.5)
    assert settings_in(tmp_path) == {"critic, by value": {"alpha": 0.3}, "mine": {"x": 1}}


def test_an_outline_chooses_nothing(tmp_path: Path, quick: Ran) -> None:
    reproduce.reproduce(STUDY, ["steps", "actors", "shown"], tmp_path, quick=True)
    assert quick[3:] == [*(("plain", 0.5, rate) for rate in RATES), ("plain", 0.5, 0.5)]
    assert settings_in(tmp_path) is None
    assert (tmp_path / "steps.csv").exists()


def test_a_verdict_that_is_made_again_chooses_nothing(tmp_path: Path, quick: Ran) -> None:
    reproduce.reproduce(STUDY, ["steps"], tmp_path)
    (tmp_path / "settings.json").unlink()
    (report,) = reproduce.judge_again(STUDY, ["steps"], tmp_path)
    assert report.finding.values == {"critic, by value": "alpha 0.3"}
    assert settings_in(tmp_path) is None
    assert len(quick) == 3
