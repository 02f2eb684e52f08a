"""Figures as files: curves survive their CSV, a verdict is made again from it, and a page from the verdicts."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from helpers.text import refusal

from ludus.errors import BadInput
from ludus.games import entry, load, make_game, names, part
from ludus.learners.recipe import Recipe
from ludus.study import data, page, reproduce
from ludus.study.data import Counts, Data, Runs, Series, TournamentGame
from ludus.study.grid import CurveRunner, ProgramPlan
from ludus.study.life import judged
from ludus.study.statistics import estimate
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study
from ludus.study.trials import SETTINGS, chosen

DOCS = Path(__file__).parent.parent.parent / "docs" / "papers"
PAPERS = [name for name in names() if part(name, "paper")]


def made_up(panel: str, label: str, seeds: int = 2, points: int = 3, **measures: float) -> Runs:
    """Values by seed and point, all different."""
    base = np.arange(seeds)[:, None] / 100 + np.arange(points) / 1000
    measured = {name: value + base for name, value in (measures or {"value": 0.5, "held": 0.25}).items()}
    return Runs(panel, label, tuple(range(seeds)), 50 * np.arange(points), measured)


def test_curves_survive_their_file_in_any_order_of_lines(tmp_path: Path) -> None:
    curves = [made_up("p", "a"), made_up("p", "b, c", value=0.1), made_up("q", "a")]
    data.write_curves(tmp_path / "t.csv", "moves", curves)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "panel,label,seed,moves,value,held"
    (tmp_path / "turned.csv").write_text("\n".join([lines[0], *sorted(lines[1:], key=lambda line: line[::-1])]) + "\n")
    for name in ("t.csv", "turned.csv"):
        found = {(runs.panel, runs.label): runs for runs in data.read_curves(tmp_path / name)}
        assert set(found) == {("p", "a"), ("p", "b, c"), ("q", "a")}
        for runs in curves:
            again = found[runs.panel, runs.label]
            assert again.steps.tolist() == runs.steps.tolist()
            assert set(again.measured) == set(runs.measured)
            for measure, rows in runs.measured.items():
                order = [again.seeds.index(seed) for seed in runs.seeds]
                np.testing.assert_allclose(again.measured[measure][order], rows, rtol=1e-4)


def test_a_file_with_a_line_missing_is_refused(tmp_path: Path) -> None:
    data.write_curves(tmp_path / "t.csv", "moves", [made_up("p", "a")])
    lines = (tmp_path / "t.csv").read_text().splitlines()
    (tmp_path / "t.csv").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(BadInput, match="not all points"):
        data.read_curves(tmp_path / "t.csv")
    with pytest.raises(BadInput, match="cannot be read"):
        data.read_curves(tmp_path / "none.csv")


def test_games_survive_their_file(tmp_path: Path) -> None:
    games = [TournamentGame(1, 2, "a", "b", "a"), TournamentGame(2, 1, "b", "a", "a")]
    data.write_games(tmp_path / "g.csv", games)
    assert data.read_games(tmp_path / "g.csv") == games
    counts = [Counts.of(3, "baseline", "expert, 80", [5, 12.5, 900]), Counts(4, "dqn", "80", "1 2")]
    data.write_games(tmp_path / "c.csv", counts)
    assert data.read_games(tmp_path / "c.csv") == counts
    assert counts[0].values.tolist() == [5, 12.5, 900]
    series = [Series(3, "a", "b, c", 10, 4, 2, 5, 3, 17, 12, 900), Series(4, "b, c", "a", 2, 0, 0, 0, 2, 0, 6, 81)]
    data.write_games(tmp_path / "s.csv", series)
    assert data.read_games(tmp_path / "s.csv") == series
    split = Data.of([], [*games, *series, *counts])
    assert (split.games, split.series, split.counts) == (games, series, counts)


def test_a_series_is_scored_by_results_and_by_points() -> None:
    series = Series(0, "a", "b", games=8, won=2, tied=4, ahead=5, behind=1, gained=9, lost=4, plies=700)
    assert series.score == 4 / 8
    assert series.lead == 6 / 8  # five won, two with as many points on both sides


def test_curves_are_read_at_their_end_at_a_point_and_as_a_whole() -> None:
    """The start, before any learning, counts only where it is asked for."""
    rows = np.array([[9.0, 1, 2, 3, 4], [-9, 5, 6, 7, 8]])
    runs = Runs("", "a", (0, 1), 100 * np.arange(5), {"m": rows})
    assert runs.end("m") == [4, 8]
    assert runs.mean("m") == [2.5, 6.5]
    assert (runs.up_to("m", 0.5), runs.up_to("m", 0.7)) == ([1.5, 5.5], [2, 6])
    assert runs.up_to("m", 0.01) == [1, 5]
    assert runs.up_to("m", 1) == runs.mean("m")
    assert runs.at("m", 0) == [9, -9]
    assert runs.at("m", 0.5) == [2, 6]
    assert runs.at("m", 0.7) == runs.at("m", 0.75) == [3, 7]
    assert runs.at("m", 1) == runs.end("m")
    assert Data([runs]).curve("a") is Data([runs]).curve("a", "") is runs
    for wrong in ({"label": "b"}, {"label": "a", "panel": "p"}):
        with pytest.raises(KeyError):
            Data([runs]).curve(**wrong)


# --- a study of two figures --------------------------------------------------------------------------------------


def judge(seen: Data) -> Finding:
    values = {runs.label: str(estimate(runs.end("value"))) for runs in seen.curves}
    return Finding((Claim("c1", "holds", "so | so"), Claim("c2", "undecided")), values, [["x", "y"], ["1", "2"]])


SARSA = Recipe.of("", "online", algorithm="sarsa", alpha=0.1, starts=8)
SLOW = SARSA.with_settings(alpha=0.01)
STUDY = Study(
    paper="tiny",
    title="Tiny",
    game=lambda: make_game("hex", size=2),
    unit="moves",
    figures_with=lambda choices: {
        "one": Figure("First", (Curve("p", "a", SARSA), Curve("p", "b", SLOW)), judge, ("value",)),
        "two": Figure("Second", (Curve("p", "b", SLOW),), judge, ("value",), same_data="one"),
    },
    measure=lambda game, quick: lambda learner, config, weights: {},
    scales={"": Scale(2, 2, 50)},
    outline=Scale(2, 2, 50),
    words={"value": Axis("values")},
)


@pytest.mark.slow
def test_a_verdict_is_made_again_from_its_file(tmp_path: Path) -> None:
    first = reproduce.reproduce(STUDY, ["one", "two"], tmp_path)
    assert [report.finding.verdict for report in first] == ["undecided", "undecided"]  # as its worst claim
    known = json.loads((tmp_path / "verdicts.json").read_text())
    assert list(known["figures"]) == ["one", "two"]
    assert known["figures"]["one"]["made_with"]["jax"]
    assert "<svg" in (tmp_path / "one.svg").read_text()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".runs", "one.csv", "one.svg", "two.svg", "verdicts.json"]
    again = reproduce.judge_again(STUDY, ["two"], tmp_path)
    assert again[0].finding.values == first[1].finding.values
    assert json.loads((tmp_path / "verdicts.json").read_text()) == known
    shown = first[0].to_json()
    assert {"id", "claim", "verdict", "values", "csv", "svg"} <= set(shown)
    assert shown["claim"] == "c1; c2"


# --- stopped, and gone on with -------------------------------------------------------------------------------------


class Counted:
    """Batches of one run each, counted as they are run; the one with this number is never finished. Nothing is learned:
    a run comes to numbers made of its key and its settings, so that nothing has to be compiled.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.run, self.stop_at, self.error = 0, -1, KeyboardInterrupt()

        def course(grid: CurveRunner, plan: ProgramPlan, part: Any, *_: Any) -> Any:
            if self.run == self.stop_at:
                raise self.error
            self.run += 1
            keys, sweep, _setup = part
            settings = sum(float(np.sum(np.asarray(leaf))) for leaf in jax.tree.leaves(sweep))
            own = settings + float(np.asarray(jax.random.key_data(keys)).sum())
            learner, key = plan.learner, jax.random.key(0)
            like = jax.eval_shape(lambda: learner.weights(learner.init(plan.config, grid.game, key)))
            weights = jax.tree.map(lambda leaf: np.full((1, *leaf.shape), own, leaf.dtype), like)
            return {"value": own * np.arange(plan.scale.points + 1)[None]}, weights

        monkeypatch.setattr(CurveRunner, "_course", course)
        monkeypatch.setattr("ludus.study.grid.batches", lambda total: [[row] for row in range(total)])
        monkeypatch.setattr("os.cpu_count", lambda: 1)  # one after the other: of those side by side any may be the last


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def files(folder: Path) -> dict[str, bytes]:
    """All but what tells of time."""
    found = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    verdicts = json.loads(found["verdicts.json"])
    verdicts.pop("seconds", None)
    return found | {"verdicts.json": json.dumps(verdicts).encode()}


@pytest.mark.slow
def test_a_figure_gathers_the_curves_of_others(tmp_path: Path, counted: Counted) -> None:
    """They are run and written for it; it has no file of its own, and is judged again from theirs."""
    whole = Figure("Both", (), judge, ("value",), gathers=("one",))
    study = replace(STUDY, figures_with=lambda choices: {**STUDY.figures, "whole": whole})
    (report,) = reproduce.reproduce(study, ["whole"], tmp_path)
    assert counted.run == 4
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "one.csv",
        "verdicts.json",
        "whole.svg",
    ]
    seen = reproduce.read(study, "whole", tmp_path)
    assert [(runs.panel, runs.label) for runs in seen.curves] == [("one", "p, a"), ("one", "p, b")]
    alone = reproduce.read(study, "one", tmp_path)
    assert [runs.end("value") for runs in seen.curves] == [runs.end("value") for runs in alone.curves]
    (again,) = reproduce.judge_again(study, ["whole"], tmp_path)
    assert again.finding.values == report.finding.values
    assert json.loads((tmp_path / "verdicts.json").read_text())["figures"]["whole"]["quick"] is False


@pytest.mark.slow
def test_figures_of_one_file_share_what_was_played(tmp_path: Path, counted: Counted) -> None:
    """It is played once, for the figure that owns the file, with all its curves; by itself the other plays its own."""
    played: list[int] = []

    def play(agents: Any) -> list[Counts]:
        played.append(len(agents))
        return [Counts.of(0, "a", "some", [1, 2])]

    def count(seen: Data) -> Finding:
        return Finding((Claim("c", "holds"),), {"counts": f"{len(seen.counts)}", "curves": f"{len(seen.curves)}"})

    def figures(_: Any) -> dict[str, Figure]:
        one, two = (replace(figure, judge=count) for figure in STUDY.figures.values())
        return {"one": replace(one, play=play), "two": two}

    study = replace(STUDY, figures_with=figures)
    found = [dict(report.finding.values) for report in reproduce.reproduce(study, ["two", "one"], tmp_path / "both")]
    assert found == [{"counts": "1", "curves": "1"}, {"counts": "1", "curves": "2"}]
    assert played == [2]
    reproduce.reproduce(study, ["two"], tmp_path / "alone")
    assert played == [2, 1]


@pytest.mark.slow
def test_a_study_that_was_stopped_goes_on_to_the_same_files(tmp_path: Path, counted: Counted) -> None:
    reproduce.reproduce(STUDY, ["one", "two"], tmp_path / "whole")
    assert counted.run == 4  # two curves of two seeds
    counted.run, counted.stop_at = 0, 3
    lines: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        reproduce.reproduce(STUDY, ["one", "two"], tmp_path / "stopped", log=lines.append)
    assert [path.name for path in (tmp_path / "stopped").iterdir()] == [".runs"]
    counted.run, counted.stop_at = 0, -1
    reproduce.reproduce(STUDY, ["one", "two"], tmp_path / "stopped", log=lines.append)
    assert counted.run == 1
    assert sum("1 of 4 runs were kept from before" in line for line in lines) == 3
    assert files(tmp_path / "stopped") == files(tmp_path / "whole")
    assert "seconds" not in json.loads((tmp_path / "stopped" / "verdicts.json").read_text())  # nobody knows
    assert "seconds" in json.loads((tmp_path / "whole" / "verdicts.json").read_text())
    # Once it is finished, the same is not run again; other seeds, or all of it if it is to be fresh.
    reproduce.reproduce(STUDY, ["two"], tmp_path / "stopped")
    assert counted.run == 1
    reproduce.reproduce(STUDY, ["one"], tmp_path / "stopped", seeds=3)
    assert counted.run == 1 + 2
    reproduce.reproduce(STUDY, ["one"], tmp_path / "stopped", quick=True)
    assert counted.run == 1 + 2 + 4
    reproduce.reproduce(STUDY, ["one"], tmp_path / "stopped", fresh=True)
    assert counted.run == 1 + 2 + 4 + 4


@pytest.mark.slow
def test_a_damaged_batch_is_run_again(tmp_path: Path, counted: Counted) -> None:
    reproduce.reproduce(STUDY, ["one"], tmp_path)
    before = files(tmp_path)
    path = min((tmp_path / ".runs").glob("*.batch"))
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    reproduce.reproduce(STUDY, ["one"], tmp_path)
    assert counted.run == 4 + 1
    assert files(tmp_path) == before


@pytest.mark.slow
def test_what_cannot_be_written_is_a_sentence_and_nothing_is_lost(
    tmp_path: Path, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, given: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # as a write says it: without a name

    reproduce.reproduce(STUDY, ["one"], tmp_path)
    before = files(tmp_path)
    for module in ("data", "pictures", "reproduce"):
        with monkeypatch.context() as patch:
            patch.setattr(f"ludus.study.{module}.write_file", full)
            said = refusal(lambda: reproduce.reproduce(STUDY, ["one"], tmp_path))
        assert said.startswith(f"cannot write '{tmp_path}': No space left on device; what was run is kept in")
        assert files(tmp_path) == before
    with monkeypatch.context() as patch:
        patch.setattr("ludus.study.pictures.write_file", full)
        assert "No space left" in refusal(lambda: reproduce.judge_again(STUDY, ["one"], tmp_path))
    assert counted.run == 4
    # A batch that cannot be kept ends it at once, as nothing else could be written either.
    counted.run = 0
    with monkeypatch.context() as patch:
        patch.setattr("ludus.study.cache.RunCache.keep", lambda *given: (_ for _ in ()).throw(BadInput("it is full.")))
        assert refusal(lambda: reproduce.reproduce(STUDY, ["one"], tmp_path, fresh=True)) == "it is full."
    assert counted.run == 1
    assert files(tmp_path) == before


def test_damaged_verdicts_are_refused(tmp_path: Path) -> None:
    data.write_curves(tmp_path / "one.csv", "moves", [made_up("p", "a"), made_up("p", "b")])
    (tmp_path / "verdicts.json").write_text("{")
    assert "verdicts.json' is damaged" in refusal(lambda: reproduce.judge_again(STUDY, ["one"], tmp_path))
    (tmp_path / "page.md").write_text("<!-- made: verdicts --><!-- end -->")
    assert "verdicts.json' is damaged" in refusal(lambda: page.fill(tmp_path / "page.md", tmp_path))


def test_a_page_is_filled_between_its_marks() -> None:
    known = {
        "figures": {
            "one": {
                "claims": [claim.to_json() for claim in judge(Data([made_up("p", "a")])).claims],
                "values": {"a": "1.5"},
                "table": [["x", "y"], ["1", "2"]],
            }
        }
    }
    text = (
        "Mine.\n<!-- made: verdicts --><!-- end -->\nIt is <!-- made: value one/a -->old<!-- end --> here.\n"
        "<!-- made: table one -->old\n<!-- end -->\n<!-- made: values one --><!-- end -->\n"
    )
    found = page.filled(text, known)
    assert "| one | c1 | so / so |  | **holds** |" in found
    assert "It is <!-- made: value one/a -->1.5<!-- end --> here." in found
    assert "| x | y |\n| --- | --- |\n| 1 | 2 |\n<!-- end -->" in found
    assert page.filled(found, known) == found
    for wrong in ("<!-- made: nothing --><!-- end -->", "<!-- made: value one/z --><!-- end -->"):
        with pytest.raises(BadInput):
            page.filled(wrong, known)


# --- what is committed -------------------------------------------------------------------------------------------


@pytest.fixture(params=[name for name in PAPERS if (DOCS / name / "verdicts.json").exists()])  # those that were run
def paper(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_committed_files_are_those_of_the_figures(paper: str) -> None:
    """Every curve at its full scale, from before it learns to its end, on the seeds that are its figure's."""
    study, folder = part(paper, "paper"), DOCS / paper
    expected = {"verdicts.json"} | ({SETTINGS} if study.trials else set())
    for name, figure in study.figures.items():
        expected.add(f"{name}.svg")
        if figure.gathers:
            continue
        seen = reproduce.read(study, name, folder)
        assert [(runs.panel, runs.label) for runs in seen.curves] == [(c.panel, c.label) for c in figure.curves]
        for curve, runs in zip(figure.curves, seen.curves, strict=True):
            scale = study.scale(figure, curve, False, None)
            assert runs.seeds == scale.all_seeds
            assert (runs.steps[0], len(runs.steps)) == (0, scale.points + 1)
        owner = figure.same_data or name
        expected |= {f"{owner}.csv"} | ({f"{owner}-games.csv"} if figure.play else set())
    assert {path.name for path in folder.iterdir() if path.is_file()} == expected


def test_the_committed_verdicts_and_page_are_those_of_the_committed_files(paper: str) -> None:
    study, folder = part(paper, "paper"), DOCS / paper
    known = json.loads((folder / "verdicts.json").read_text())
    assert list(known["figures"]) == list(study.figures)
    for name, figure in study.figures.items():
        seen, said = reproduce.read(study, name, folder), known["figures"][name]
        finding = judged(figure.judge(seen), seen)
        assert said["claims"] == [claim.to_json() for claim in finding.claims]
        assert said["verdict"] == finding.verdict
        assert said["values"] == dict(finding.values)
        assert said["table"] == [list(row) for row in finding.table]
        assert said["quick"] is False
    text = (DOCS / f"{paper}.md").read_text()
    assert page.filled(text, known) == text
    assert "<!-- made: verdicts" in text


def test_the_committed_settings_are_what_the_committed_trials_chose(paper: str) -> None:
    """In the package, for whoever runs a figure alone; and beside the trials."""
    study, choices = part(paper, "paper"), {}
    for name in study.trials:
        choices |= chosen(study.figures[name], reproduce.read(study, name, DOCS / paper))
    room = Path(load(entry(paper).room).__path__[0])
    for path in (room / "paper" / SETTINGS, DOCS / paper / SETTINGS):
        assert (json.loads(path.read_text()) if path.exists() else {}) == choices
