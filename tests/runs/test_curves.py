"""Curves of runs: what is measured, as text that fits and says what the numbers say, and as a picture."""

from __future__ import annotations

import json
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import pytest
from helpers.text import refusal
from hypothesis import example, given
from hypothesis import strategies as st

from ludus.runs.curves import HEIGHT, Panel, marks_of, panels_of, svg, text


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.mkdir(parents=True)
    (path / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def drawn(panel: Panel, width: int) -> list[str]:
    return text(panel, width, marks_of([panel]))


def test_strength_is_what_was_measured(tmp_path: Path) -> None:
    exact = write(
        tmp_path / "exact",
        [
            {"games": 10, "loss": 0.5, "value_preserving": 3, "positions": 4, "held": 0.9},
            {"games": 20, "loss": None, "value_preserving": 4, "positions": 4, "held": 1.0},
        ],
    )
    won = write(tmp_path / "won", [{"games": 5, "loss": 2, "held": 0.25}])
    games = write(tmp_path / "games", [{"games": 5, "against": "random", "score": 0.5}])
    alone = write(tmp_path / "alone", [{"games": 5, "score": 0.125}])
    assert [(panel.title, panel.curves) for panel in panels_of([exact, won, games, alone])] == [
        ("positions held, %", {str(exact): [(10, 75.0), (20, 100.0)]}),
        ("won positions held, %", {str(won): [(5, 25.0)]}),
        ("score against random, %", {str(games): [(5, 50.0)]}),
        ("puzzles solved, %", {str(alone): [(5, 12.5)]}),
        ("loss", {str(exact): [(10, 0.5)], str(won): [(5, 2.0)]}),
    ]
    assert panels_of([write(tmp_path / "none", [])]) == []
    assert "damaged" in refusal(panels_of, [write(tmp_path / "bad", [{"loss": 1}])])


def test_a_line_that_rises_is_drawn_so() -> None:
    lines = drawn(Panel("share", {"run": [(0, 0.0), (100, 11.0)]}), 40)
    assert lines[0] == "share"
    assert [line.split("|")[0].strip() for line in lines[1 : HEIGHT + 1] if line.split("|")[0].strip()] == [
        "11",
        "5",
        "0",
    ]
    picture = [line.split("|")[1] for line in lines[1 : HEIGHT + 1]]
    first = [min(place for place, mark in enumerate(line) if mark == "*") for line in picture]
    assert first == sorted(first, reverse=True)
    assert picture[-1].startswith("*")
    assert len(picture[0]) == 40 - 5  # to the right edge
    assert lines[-1].split() == ["0", "100", "games"]


def test_every_run_has_its_mark_in_every_panel() -> None:
    panels = [Panel("share", {"a": [(0, 1.0), (9, 1.0)]}), Panel("loss", {"b": [(0, 1.0)], "a": [(5, 9.0)]})]
    marks = marks_of(panels)
    assert marks == {"a": "*", "b": "o"}
    first, second = ("".join(text(panel, 40, marks)[1 : HEIGHT + 1]) for panel in panels)
    assert (first.count("o"), second.count("o"), second.count("*")) == (0, 1, 1)
    assert first.count("*") > 20


def test_what_falls_far_is_drawn_by_its_logarithm() -> None:
    lines = drawn(Panel("loss", {"run": [(0, 1.0), (10, 1e-4)]}), 60)
    assert lines[0] == "loss (logarithmic)"
    assert lines[HEIGHT].split("|")[0].strip() == "0.0001"
    assert not Panel("loss", {"run": [(0, 1.0), (10, 0.0)]}).steep


numbers = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1e-300, 100.0])
points = st.lists(st.tuples(st.integers(0, 2**31), numbers), min_size=1, max_size=30).map(sorted)


@example([[(0, 1.0), (1, 1e-300)]], 40)  # halfway lies between, and rounds to nothing
@given(st.lists(points, min_size=1, max_size=10), st.integers(40, 200))
def test_any_curve_fits(curves: list[list[tuple[int, float]]], width: int) -> None:
    lines = drawn(Panel("share", {str(k): curve for k, curve in enumerate(curves)}), width)
    assert len(lines) == HEIGHT + 3
    assert max(map(len, lines)) <= width
    assert all(line.isascii() for line in lines)
    assert any(mark in "".join(lines[1 : HEIGHT + 1]) for mark in "*o+x#@%&")


@pytest.mark.parametrize("name", ["run", "$a$_b^{", "_hidden", "läufe/\u4e2d", "\udcff"])
def test_a_picture_is_a_picture_whatever_a_folder_is_called(name: str) -> None:
    panels = [Panel("share", {name: [(0, 1.0), (9, 2.0)], "other": [(4, 1.0)]})]
    picture = svg(panels, name)
    assert xml.fromstring(picture).tag.endswith("svg")
    assert svg(panels, name) == picture  # the same curves, the same bytes
