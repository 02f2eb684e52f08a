"""The Hex study: its figures have the paper's curves, nothing is run twice, and its files say what was found."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.games.hex.paper import figures as study
from ludus.games.hex.paper import report as hex_report
from ludus.games.hex.paper.figures import FIGURES, Scale, scale
from ludus.games.hex.paper.grid import MEASURES, Curve, Result

#: As the paper has them, and the figure of ours and the table.
CURVES = {
    "fig5": 20,
    "fig6": 20,
    "fig7": 20,
    "fig8": 8,
    "fig9": 25,
    "fig10": 20,
    "fig11": 20,
    "fig12": 25,
    "fig13": 20,
    "fig14": 12,
    "fig15": 10,
    "fig16": 10,
    "fig17": 4,
    "fig18": 4,
    "fig19": 2,
    "fig20": 6,
    "backups": 12,
    "table1": 4,
}


def test_every_figure_has_its_curves() -> None:
    assert {name: len(figure.curves) for name, figure in FIGURES.items()} == CURVES
    for figure in FIGURES.values():
        assert len({(curve.panel, curve.label) for curve in figure.curves}) == len(figure.curves)
        assert len({study._what(curve) for curve in figure.curves}) == len(figure.curves)
    backups = {curve.config.backup for name, f in FIGURES.items() if name != "backups" for curve in f.curves}
    assert backups == {"paper"}
    assert {curve.config.alpha for curve in FIGURES["fig5"].curves} == {1e-4, 1e-3, 1e-2, 1e-1}
    assert {curve.config.ratio for curve in FIGURES["fig5"].curves} == {0.01, 0.1, 1, 10, 100}
    assert [curve.label for curve in FIGURES["fig19"].curves] == ["CNN-PBE", "RNN-PBE"]
    assert [curve.pretrained for curve in FIGURES["fig14"].curves] == [True, False] * 6


def test_the_scale() -> None:
    assert scale(False, None) == Scale(10, 20, 250)
    assert scale(True, None) == Scale(2, 4, 150, quick=True)
    assert scale(False, 3).seeds == scale(True, 3).seeds == 3
    assert (scale(False, 5).runs(2), scale(True, 5).runs(2)) == (10, 5)


def made_up(curve: Curve, seeds: int, points: int, every: int) -> Result:
    """Values by curve, seed and point, all different."""
    shape = (seeds, points)
    base = 0.95 + np.arange(seeds)[:, None] / 100 + np.arange(points) / 1000
    measured = {name: np.full(shape, base + 0.0001 * k) for k, name in enumerate(MEASURES)}
    return Result(curve, every * (1 + np.arange(points)), measured, None)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The study with its runs made up: how many curves were asked for, from how many seeds."""
    calls = []

    def run(curves: Any, seeds: int, points: int, every: int) -> list[Result]:
        calls.append((len(curves), seeds))
        return [made_up(curve, seeds, points, every) for curve in curves]

    monkeypatch.setattr(study, "run_curves", run)
    monkeypatch.setattr(study, "_DONE", {})
    return calls


@pytest.mark.slow
def test_a_figure_is_a_table_a_picture_and_a_verdict(asked: list[tuple[int, int]], tmp_path: Path) -> None:
    lines: list[str] = []
    found = study.reproduce("fig8", True, 3, tmp_path / "out", lines.append)
    assert (found["id"], found["verdict"]) == ("fig8", "holds")
    assert asked == [(8, 3)]
    assert "<svg" in Path(found["svg"]).read_text()
    rows = list(csv.DictReader(Path(found["csv"]).read_text().splitlines()))
    assert len(rows) == 8 * 3 * 4
    assert len(lines) == 2
    # Fig. 20 has both at their best settings: those two are not run again.
    study.reproduce("fig20", True, 3, tmp_path / "out", lines.append)
    assert asked == [(8, 3), (4, 3)]
    study.reproduce("fig20", True, 3, tmp_path / "out", lines.append)
    assert len(asked) == 2
    study.reproduce("fig20", True, 2, tmp_path / "out", lines.append)
    assert asked[2:] == [(6, 2)]


def test_in_outline_several_figures_are_one_call(asked: list[tuple[int, int]], tmp_path: Path) -> None:
    names = ["fig8", "fig20", "fig17", "fig18", "fig19"]
    study.prepare(names, True, None, lambda line: None)
    assert asked == [(8 + 4 + 4, 2)]
    for name in names[:2]:
        study.reproduce(name, True, None, tmp_path, lambda line: None)
    assert len(asked) == 1


def test_whole_their_programs_are_compiled_beforehand(
    asked: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = []
    monkeypatch.setattr(study, "compile_side_by_side", lambda *given: planned.append(given))
    study.prepare(["fig8"], False, 2, lambda line: None)
    assert not planned
    study.prepare(["fig8", "fig20", "fig17", "fig18", "table1"], False, 2, lambda line: None)
    [(plans, points, every)] = planned
    assert [(len(curves), seeds) for curves, seeds in plans] == [(8, 2), (4, 2), (4, 2), (4, 4)]  # two seasons
    assert (points, every) == (20, 250)
    assert not asked


# --- files --------------------------------------------------------------------------------------------------


def test_a_table_has_a_line_for_each_curve_seed_and_point(tmp_path: Path) -> None:
    results = [made_up(Curve("panel", label, None), 2, 3, 50) for label in "ab"]
    del results[1].measured["projection"]
    hex_report.write_csv(results, tmp_path / "t.csv")
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert list(rows[0]) == ["panel", "label", "seed", "moves", *MEASURES]
    assert [(r["label"], r["seed"], r["moves"]) for r in rows] == [
        (label, seed, moves) for label in "ab" for seed in "01" for moves in ("50", "100", "150")
    ]
    for row in rows[:6]:
        for name in MEASURES:
            wanted = results[0].measured[name][int(row["seed"]), int(row["moves"]) // 50 - 1]
            assert float(row[name]) == pytest.approx(wanted, rel=1e-4)
    assert {row["projection"] for row in rows[6:]} == {"nan"}


@pytest.mark.slow
@pytest.mark.parametrize("many", [2, 12])
def test_a_picture_names_its_panels_and_curves(many: int, tmp_path: Path) -> None:
    results = [made_up(Curve(panel, f"curve {i}", None), 2, 3, 50) for panel in ("left", "right") for i in range(many)]
    hex_report.write_plot(results, tmp_path / "p.svg", "Title", ("value", "held"))
    text = (tmp_path / "p.svg").read_text()
    for words in ("left", "right", "curve 1", "Title", "value of the moves made", "won positions kept"):
        assert f"<!-- {words}" in text
