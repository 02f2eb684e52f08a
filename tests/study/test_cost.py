"""What a run costs is said before it starts, and what was kept is not counted."""

from __future__ import annotations

from pathlib import Path

import jax
import pytest

from ludus.games import entry, make_game, names, part
from ludus.learners.recipe import Recipe
from ludus.study import cost
from ludus.study.cache import BatchResult, RunCache
from ludus.study.cost import Estimate, Work
from ludus.study.data import Data
from ludus.study.grid import CurveRunner
from ludus.study.programs import batches
from ludus.study.study import Axis, Curve, Figure, Finding, Scale, Study

SARSA = Recipe.of("", "online", algorithm="sarsa", starts=8)
SLOW, Q = SARSA.with_settings(alpha=0.001), Recipe.of("", "batch", memory=50, starts=8)


def judge(seen: Data) -> Finding:
    return Finding((), {})


STUDY = Study(
    paper="tiny",
    title="Tiny",
    game=lambda: make_game("hex", size=2),
    unit="moves",
    figures_with=lambda choices: {
        "one": Figure("One", (Curve("", "a", SARSA), Curve("", "b", SLOW)), judge, (), play=lambda agents: ()),
        "two": Figure("Two", (Curve("", "b", SLOW), Curve("", "c", Q)), judge, ()),
    },
    measure=lambda game, quick: lambda learner, config, weights: {},
    scales={"": Scale(40, 4, 50)},
    outline=Scale(2, 1, 50),
    words={"value": Axis("values")},
)


def runner(cache: RunCache | None = None) -> CurveRunner:
    return CurveRunner(STUDY.game(), lambda *given: {}, {}, cache=cache)


def test_work_counts_each_run_once_at_the_scale_that_is_asked_for() -> None:
    whole = cost.work(STUDY, ["one", "two"], runner(), False, None)
    assert whole == Work(programs=2, curves=3, runs=120, units=120 * 200, points=120 * 5, played=1, kept=0)
    assert cost.work(STUDY, ["two"], runner(), False, 10)[:5] == (2, 2, 20, 20 * 200, 100)
    assert cost.work(STUDY, ["one"], runner(), True, None) == Work(1, 2, 4, 200, 8, 0, 0)


def test_what_was_kept_is_not_counted(tmp_path: Path) -> None:
    cache = RunCache(tmp_path / ".runs", {"study": "tiny"})
    grid = runner(cache)
    (plan,) = grid.plan([(curve, STUDY.scales[""]) for curve in STUDY.figures["one"].curves])
    first, *rest = batches(80)
    assert rest
    cache.keep(plan.described(first), BatchResult({}, []))
    left = cost.work(STUDY, ["one"], grid, False, None)
    assert (left.kept, left.runs) == (len(first), 80 - len(first))
    assert left.units == left.runs * 200
    for rows in rest:
        cache.keep(plan.described(rows), BatchResult({}, []))
    done = cost.estimate(STUDY, ["one"], grid, False, None)
    assert (done.work.kept, done.work.runs, done.work.programs) == (80, 0, 0)
    assert done.sentence == "nothing to train: all 80 runs are kept from before"
    fresh = runner(RunCache(tmp_path / ".runs", {"study": "tiny"}, fresh=True))
    assert cost.work(STUDY, ["one"], fresh, False, None).runs == 80


def test_the_seconds_are_those_of_every_part() -> None:
    each = {"program": 10, "unit": 0.01, "point": 1, "played": 5}
    assert Work(2, 3, 4, 1000, 20, 1, 0).seconds(each, 1) == 2 * 10 + 10 + 20 + 5
    assert Work(2, 3, 4, 1000, 20, 1, 0).seconds(each, 2) == (2 * 10 + 10 + 20 + 5) / 2


TODO = Work(2, 3, 120, 24_000, 600, 1, 7)


def test_it_is_said_in_words() -> None:
    said = Estimate(TODO, 130.0, "2 cores of a CPU", "moves")
    assert said.sentence == (
        "120 runs of 3 curves, 24,000 moves in all, 2 programs to compile (7 more runs are kept from before); "
        "about 2 min on 2 cores of a CPU"
    )
    assert said.warning == ""
    assert "is not known" in Estimate(TODO, None, "x", "moves").sentence
    assert [cost.spoken(seconds) for seconds in (3, 44, 89, 100, 5300, 5500, 36_000)] == [
        *("10 s", "40 s", "90 s", "2 min", "88 min", "1.5 hours", "10.0 hours"),
    ]


def test_without_an_accelerator_more_than_an_hour_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = (Estimate(TODO, seconds, "x", "moves") for seconds in (3601.0, 3599.0))
    assert "no accelerator" in long.warning
    assert short.warning == ""
    monkeypatch.setattr(jax, "default_backend", lambda: "gpu")
    assert long.warning == ""


def test_a_machine_that_has_run_it_knows_itself_better(tmp_path: Path) -> None:
    cache = RunCache(tmp_path / ".runs", {"study": "tiny"})
    grid = runner(cache)
    said = cost.estimate(STUDY, ["one"], grid, False, None)
    assert said.seconds is not None  # Hex has a record
    cost.learn(said, 3 * said.seconds + 100, cache)
    again = cost.estimate(STUDY, ["one"], grid, False, None)
    assert again.seconds is not None
    assert again.seconds == pytest.approx(3 * said.seconds + 100, rel=1e-2)
    cost.learn(again, 0.5 * again.seconds, cache)
    assert cost.estimate(STUDY, ["one"], grid, False, None).seconds == pytest.approx(0.5 * again.seconds, rel=1e-2)
    cost.learn(again, 29.0, cache)  # too short to tell
    assert cost.estimate(STUDY, ["one"], grid, False, None).seconds == pytest.approx(0.5 * again.seconds, rel=1e-2)
    (cache.folder / cost.HERE).write_text("{")
    assert cost.estimate(STUDY, ["one"], grid, False, None).seconds == said.seconds


@pytest.mark.parametrize("name", [name for name in names() if entry(name).paper])
def test_every_paper_has_a_record_for_a_cpu(name: str) -> None:
    each = cost.recorded(part(name, "paper").game().name, "cpu")
    assert each is not None
    assert set(each) == {"program", "unit", "point", "played"}
    assert min(each.values()) >= 0
