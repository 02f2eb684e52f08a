"""Figures as files: curves survive their CSV, a verdict is made again from it, and a page from the verdicts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ludus.errors import BadInput
from ludus.games import make_game, names, part
from ludus.study import data, page, reproduce
from ludus.study.data import Data, Meeting, Runs
from ludus.study.statistics import estimate
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study
from ludus.training.recipes import Recipe

DOCS = Path(__file__).parent.parent.parent / "docs" / "papers"
PAPERS = [name for name in names() if part(name, "study")]


def made_up(panel: str, label: str, seeds: int = 2, points: int = 3, **measures: float) -> Runs:
    """Values by seed and point, all different."""
    base = np.arange(seeds)[:, None] / 100 + np.arange(points) / 1000
    measured = {name: value + base for name, value in (measures or {"value": 0.5, "held": 0.25}).items()}
    return Runs(panel, label, tuple(range(seeds)), 50 * (1 + np.arange(points)), measured)


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
    games = [Meeting(1, 2, "a", "b", "a"), Meeting(2, 1, "b", "a", "a")]
    data.write_games(tmp_path / "g.csv", games)
    assert data.read_games(tmp_path / "g.csv") == games


def test_curves_are_read_at_their_end_and_as_a_whole() -> None:
    runs = Runs("", "a", (0, 1), np.array([1, 2, 3, 4]), {"m": np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])})
    assert runs.end("m") == [4, 8]
    assert runs.mean("m") == [2.5, 6.5]
    assert runs.at("m", 0.5) == [1.5, 5.5]
    assert runs.at("m", 0.01) == [1, 5]
    assert Data([runs]).curve("a") is runs
    with pytest.raises(KeyError):
        Data([runs]).curve("b")


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
    figures={
        "one": Figure(
            "First", (Curve("p", "a", SARSA), Curve("p", "b", SARSA.with_settings(alpha=0.01))), judge, ("value",)
        ),
        "two": Figure(
            "Second", (Curve("p", "b", SARSA.with_settings(alpha=0.01)),), judge, ("value",), same_data="one"
        ),
    },
    measure=lambda game, quick: lambda learner, config, weights: {},
    scales=lambda length, quick, seeds: Scale(seeds or 2, 2, 50),
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
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.csv", "one.svg", "two.svg", "verdicts.json"]
    again = reproduce.judge_again(STUDY, ["two"], tmp_path)
    assert again[0].finding.values == first[1].finding.values
    assert json.loads((tmp_path / "verdicts.json").read_text()) == known
    shown = first[0].to_json()
    assert {"id", "claim", "verdict", "values", "csv", "svg"} <= set(shown)
    assert shown["claim"] == "c1; c2"


def test_a_page_is_filled_between_its_marks() -> None:
    known = {
        "figures": {
            "one": {
                "claims": [vars(claim) for claim in judge(Data([made_up("p", "a")])).claims],
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
    assert "| one | c1 | so / so | **holds** |" in found
    assert "It is <!-- made: value one/a -->1.5<!-- end --> here." in found
    assert "| x | y |\n| --- | --- |\n| 1 | 2 |\n<!-- end -->" in found
    assert page.filled(found, known) == found
    for wrong in ("<!-- made: nothing --><!-- end -->", "<!-- made: value one/z --><!-- end -->"):
        with pytest.raises(BadInput):
            page.filled(wrong, known)


# --- what is committed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_page_and_verdicts_are_those_of_the_committed_files(paper: str) -> None:
    study, folder = part(paper, "study"), DOCS / paper
    known = json.loads((folder / "verdicts.json").read_text())
    assert list(known["figures"]) == list(study.figures)
    for name, figure in study.figures.items():
        seen = reproduce.read(study, name, folder)
        assert [(runs.panel, runs.label) for runs in seen.curves] == [(c.panel, c.label) for c in figure.curves]
        finding = figure.judge(seen)
        entry = known["figures"][name]
        assert entry["claims"] == [vars(claim) for claim in finding.claims]
        assert entry["values"] == dict(finding.values)
        assert entry["table"] == [list(row) for row in finding.table]
        assert (folder / f"{name}.svg").is_file()
    text = (DOCS / f"{paper}.md").read_text()
    assert page.filled(text, known) == text
    assert "<!-- made: verdicts" in text
