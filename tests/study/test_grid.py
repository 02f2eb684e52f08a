"""The engine: curves run together are those run alone, nothing is run twice, and all begins before it learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest

from ludus.agents.network import NetworkPlayer
from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.study import measures
from ludus.study.cache import RunCache
from ludus.study.data import Runs
from ludus.study.grid import CurveResult, CurveRunner, ProgramPlan
from ludus.study.programs import batches
from ludus.study.study import Curve, Scale
from ludus.truth.solve import solve

HEX2 = make_game("hex", size=2)
SARSA = Recipe.of("", "online", algorithm="sarsa", alpha=0.1, starts=8)
Q = Recipe.of("", "online", algorithm="q", alpha=0.001, starts=8)
DQN = Recipe.of("", "dqn", hidden=(8,), inputs="planes", head="full", memory=16, lanes=4, recall=1, games=16)


TD = Recipe.of("", "td", hidden=3)


def size_of_weights(learner: Any, config: Any, weights: Any) -> dict[str, Any]:
    return {"size": np.sqrt(sum((leaf.reshape(len(leaf), -1) ** 2).sum(axis=1) for leaf in jax.tree.leaves(weights)))}


def nothing(learner: Any, config: Any, weights: Any) -> dict[str, Any]:
    return {}


# --- plans, without running -----------------------------------------------------------------------------------


def planned(*wanted: tuple[Curve, Scale], grid: CurveRunner | None = None) -> list[tuple[str, int, int, int]]:
    plans = (grid or CurveRunner(HEX2, nothing, {})).plan(wanted)
    return [(plan.learner.name, len(plan.curves), plan.scale.points, plan.rounds) for plan in plans]


def test_what_differs_in_what_is_swept_is_one_program() -> None:
    scale = Scale(2, 4, 200)
    curves = [Curve("p", "a", SARSA), Curve("p", "b", Q), Curve("p", "c", SARSA.with_settings(actor="plain"))]
    assert planned(*((curve, scale) for curve in curves)) == [("online", 2, 4, 4), ("online", 1, 4, 4)]
    tiny = [DQN, DQN.with_settings(gamma=0.5), DQN.with_settings(recall=2)]
    assert planned(*((Curve("", str(i), r), scale) for i, r in enumerate(tiny))) == [
        ("dqn", 2, 4, 50),
        ("dqn", 1, 4, 50),
    ]


def test_a_curve_that_is_wanted_twice_is_run_once_and_long_enough() -> None:
    short, long = Scale(2, 4, 50), Scale(2, 9, 50)
    assert planned((Curve("p", "a", SARSA), short), (Curve("q", "b", SARSA), long)) == [("online", 1, 9, 1)]
    other_seeds = Scale(2, 4, 50, first_seed=7)
    assert len(planned((Curve("p", "a", SARSA), short), (Curve("p", "a", SARSA), other_seeds))) == 2
    assert other_seeds.all_seeds == (7, 8)


def test_runs_with_a_setup_and_runs_without_are_two_programs() -> None:
    """Where a learner has none of its own: one has nothing where the other has positions. Several setups are one."""
    scale, dqn = Scale(2, 4, 50), Recipe.of("d", "dqn", hidden=(4,), inputs="planes", head="full")
    given = [(Curve("p", name, dqn, setup=name), scale) for name in ("", "one", "another")]
    assert sorted(planned(*given)) == [("dqn", 1, 4, 3), ("dqn", 2, 4, 3)]
    own = [(Curve("p", name, SARSA, setup=name), scale) for name in ("", "one")]
    assert planned(*own) == [("online", 2, 4, 1)]


def test_what_was_run_is_run_again_only_where_more_points_are_wanted() -> None:
    """Of four points, and the one before them."""
    curve, ran, grid = Curve("p", "a", SARSA), Scale(2, 4, 50), CurveRunner(HEX2, nothing, {})
    runs = Runs("p", "a", ran.all_seeds, np.arange(5) * 50, {})
    grid.done[curve.run, ran.all_seeds, ran.every] = CurveResult(runs, ())
    assert planned((curve, ran), (curve, replace(ran, points=3)), grid=grid) == []
    for more in (replace(ran, points=5), replace(ran, every=51), replace(ran, first_seed=1), replace(ran, seeds=3)):
        assert len(planned((curve, more), grid=grid)) == 1


def test_what_a_run_depends_on_is_what_it_is_known_by() -> None:
    """In a folder, another process finds it by that."""
    scale = Scale(2, 4, 50)
    plan = ProgramPlan(SARSA.learner, SARSA.config, scale, (Curve("p", "a", SARSA), Curve("p", "b", Q)))
    known = plan.described([0])
    renamed = replace(plan, curves=(Curve("q", "c", SARSA), plan.curves[1]))
    assert renamed.described([0]) == known  # what it is called is nothing to it
    others = [replace(plan, scale=replace(scale, **more)) for more in ({"points": 5}, {"every": 51}, {"first_seed": 7})]
    others += [replace(plan, learner=TD.learner), replace(plan, curves=(Curve("p", "a", SARSA, setup="warm"),))]
    others += [replace(plan, curves=(Curve("p", "a", SARSA.with_settings(alpha=0.2)),))]
    descriptions = [known, *(other.described([0]) for other in others), plan.described([1]), plan.described([2])]
    assert all(a != b for place, a in enumerate(descriptions) for b in descriptions[:place])


@pytest.mark.parametrize("total", [1, 5, 64, 65, 130])
def test_batches_of_runs_have_one_size_and_leave_none_out(total: int) -> None:
    parts = batches(total)
    assert len({len(part) for part in parts}) == 1
    assert np.concatenate(parts)[:total].tolist() == list(range(total))


# --- runs -------------------------------------------------------------------------------------------------------

SLOW, FAST = Curve("p", "slow", Q), Curve("p", "fast", SARSA)
SCALE = Scale(2, 2, 100, first_seed=3)
HELD = measures.won_held(HEX2)  # compiled once


class Stored(NamedTuple):
    """A grid that has run both curves, and kept them."""

    grid: CurveRunner
    cache: RunCache
    lines: list[str]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    cache, lines = RunCache(tmp_path_factory.mktemp("grid") / ".runs", {"study": "tiny"}), []
    grid = CurveRunner(HEX2, HELD, {}, None, lines.append, cache)
    grid.run([(SLOW, SCALE), (FAST, SCALE)])
    return Stored(grid, cache, lines)


def share_of_won(weights: Any) -> float:
    """By the graph: how likely a network is to hold the win, over all won positions."""
    solution = solve(HEX2)
    won = (solution.value > 0) & ~solution.graph.over
    chances = NetworkPlayer("", SARSA, weights).probabilities(solution.graph)
    return float(solution.graph.reduce(np.add, chances * solution.holding, 0)[won].mean())


@pytest.mark.slow
def test_a_run_is_measured_before_it_learns_and_then_at_every_point(stored: Stored) -> None:
    slow, fast = (stored.grid.result(curve, SCALE).runs for curve in (SLOW, FAST))
    for found in (slow, fast):
        assert found.seeds == (3, 4)
        assert found.steps.tolist() == [0, 100, 200]
        assert {name: rows.shape for name, rows in found.measured.items()} == dict.fromkeys(
            ("value", "loss", "held", "spread", "size", "live", "moved", "rank"), (2, 3)
        )
        assert found.end("held") == found.measured["held"][:, -1].tolist()
    assert slow.measured["value"].tolist() != fast.measured["value"].tolist()
    assert slow.measured["value"][0].tolist() != slow.measured["value"][1].tolist()


@pytest.mark.slow
def test_the_first_point_is_the_strength_of_the_weights_it_begins_with(stored: Stored) -> None:
    """And the last that of the weights it ends with."""
    learner, config = SARSA.learner, SARSA.config
    make = learner.setup
    assert make is not None

    @jax.jit
    def begun(key: Any) -> Any:
        setup = make(config, HEX2, jax.random.fold_in(key, 1))
        return learner.weights(learner.init(config, HEX2, key, learner.sweep(config), setup))

    for curve in (SLOW, FAST):  # which begin alike
        found = stored.grid.result(curve, SCALE)
        for row, seed in enumerate(SCALE.all_seeds):
            first, last = begun(jax.random.key(seed)), found.weights[row]
            held = found.runs.measured["held"][row]
            assert held[0] == pytest.approx(share_of_won(first), abs=1e-6)
            assert held[-1] == pytest.approx(share_of_won(last), abs=1e-6)
            assert not np.array_equal(first, last)


@pytest.mark.slow
def test_curves_run_together_are_those_run_alone(stored: Stored) -> None:
    """What a curve is does not depend on what is run beside it, nor on how many seeds there are."""
    alone, more = CurveRunner(HEX2, HELD, {}), replace(SCALE, seeds=4)
    alone.run([(FAST, more)])
    together = stored.grid.result(FAST, SCALE).runs.measured
    for name, rows in alone.result(FAST, more).runs.measured.items():
        np.testing.assert_allclose(rows[:2], together[name], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_what_was_kept_is_the_same_to_the_last_byte(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CurveRunner, "_course", lambda *given: pytest.fail("it was run again"))
    again = CurveRunner(HEX2, HELD, {}, cache=stored.cache)
    again.run([(SLOW, SCALE), (FAST, SCALE)])
    assert again.found == 4
    for curve in (SLOW, FAST):
        before, after = (grid.result(curve, SCALE) for grid in (stored.grid, again))
        assert list(before.runs.measured) == list(after.runs.measured)
        for old, new in zip(jax.tree.leaves(contents(before)), jax.tree.leaves(contents(after)), strict=True):
            assert (old.dtype, old.shape, old.tobytes()) == (new.dtype, new.shape, new.tobytes())


def contents(result: CurveResult) -> Any:
    return dict(result.runs.measured), result.runs.steps, result.weights


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_from_its_last_point(tmp_path: Path) -> None:
    """It comes to the same as one that was not, and leaves nothing of the way there."""
    curve, scale = Curve("", "a", TD), Scale(2, 3, 1)
    whole = CurveRunner(HEX2, size_of_weights, {}, 1)
    whole.run([(curve, scale)])
    wanted = whole.result(curve, scale)
    for stop in (1, 2, 3):  # measured so often, of four times
        folder, calls = tmp_path / f"{stop}", []

        def stopping(*given: Any, stop: int = stop, calls: list[int] = calls) -> dict[str, Any]:
            calls.append(1)
            if len(calls) > stop:
                raise KeyboardInterrupt
            return size_of_weights(*given)

        with pytest.raises(KeyboardInterrupt):
            CurveRunner(HEX2, stopping, {}, 1, cache=RunCache(folder, {}), checkpoints=True).run([(curve, scale)])
        left, lines, again = len([*folder.glob("*.batch")]), [], []
        counting = lambda *given, again=again: again.append(1) or size_of_weights(*given)  # noqa: E731
        grid = CurveRunner(HEX2, counting, {}, 1, lines.append, RunCache(folder, {}), checkpoints=True)
        grid.run([(curve, scale)])
        assert left == (0 if stop == 1 else 1)
        assert len(again) == 5 - stop  # the first point is always measured, for what later ones are compared with
        assert len([*folder.glob("*.batch")]) == 1
        found = grid.result(curve, scale)
        assert grid.found == 0
        for old, new in zip(jax.tree.leaves(contents(wanted)), jax.tree.leaves(contents(found)), strict=True):
            np.testing.assert_array_equal(old, new)


@pytest.mark.slow
def test_what_another_figure_has_run_is_not_run_again(stored: Stored, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it calls it, and if it wants less of it."""
    monkeypatch.setattr("ludus.study.grid._Job.run", lambda *given: pytest.fail("it was run again"))
    grid, said = stored.grid, len(stored.lines)
    other, shorter = Curve("other", "name", SARSA), replace(SCALE, points=1)
    grid.run([(other, SCALE), (other, shorter)])
    assert len(stored.lines) == said
    whole, again, short = (
        grid.result(curve, scale).runs for curve, scale in ((FAST, SCALE), (other, SCALE), (other, shorter))
    )
    assert (again.panel, again.label) == ("other", "name")
    assert short.steps.tolist() == [0, 100]
    for name, rows in whole.measured.items():
        np.testing.assert_array_equal(rows, again.measured[name])
        np.testing.assert_array_equal(rows[:, :2], short.measured[name])


@pytest.mark.slow
def test_the_same_in_one_call_or_in_several() -> None:
    curves, scale = [Curve("", "a", DQN), Curve("", "b", DQN.with_settings(gamma=0.5))], Scale(2, 2, 4)
    by_call = {}
    for points in (None, 1):
        grid = CurveRunner(HEX2, measures.matches(HEX2, 0), {}, points)
        grid.run([(curve, scale) for curve in curves])
        by_call[points] = [grid.result(curve, scale).runs for curve in curves]
    for whole, stepwise in zip(by_call[None], by_call[1], strict=True):
        assert whole.steps.tolist() == stepwise.steps.tolist() == [0, 4, 8]
        for name, rows in whole.measured.items():
            assert rows.shape == (2, 3)
            np.testing.assert_allclose(rows, stepwise.measured[name], rtol=1e-5)
            assert ((rows >= 0) & (rows <= 1)).all() or name in ("loss", "plies", "epsilon", "rate", "moved", "rank")
        assert "random_sampled" not in whole.measured  # none were played
