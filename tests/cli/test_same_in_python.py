"""What a command answers, the function of Python answers too: the same document, and the same words."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ludus as python
from ludus.core.results import Picture, Result, Sheet
from ludus.learners.recipe import Recipe
from ludus.truth.answers import Values

Ludus = Callable[..., Any]

HEX = python.game("hex", size=3)
SIZE = ("--game", "hex", "--size", "3")


def document(result: Result) -> Any:
    """The document of a result as a program reads it."""
    return json.loads(json.dumps(result.to_json(), allow_nan=False))


def cells(text: str) -> list[list[str]]:
    """The words of a text, line by line: a table's columns may be wider or narrower."""
    return [words for line in text.splitlines() if (words := line.replace("─", " ").split())]


def test_a_match(ludus: Ludus) -> None:
    argv = ("match", "random", "perfect", *SIZE, "--games", "20", "--seed", "3")
    found = python.match("random", "perfect", game=HEX, games=20, seed=3)
    assert document(found) == ludus(*argv, "--json").document
    assert f"{found}\n" == ludus(*argv).out
    assert found.score == found.to_json()["score"] < 0.5


def test_an_evaluation(ludus: Ludus) -> None:
    argv = ("eval", "random", *SIZE, "--exact", "--against", "perfect", "--games", "10")
    found = python.eval("random", game=HEX, exact=True, against="perfect", games=10)
    assert document(found) == ludus(*argv, "--json").document
    assert f"{found}\n" == ludus(*argv).out
    assert found.grade is not None
    assert [match.b for match in found.matches] == ["perfect"]


def test_a_tournament(ludus: Ludus) -> None:
    argv = ("tournament", "random", "perfect", *SIZE, "--games", "4", "--seasons", "2")
    found = python.tournament("random", "perfect", game=HEX, games=4, seasons=2)
    assert document(found) == ludus(*argv, "--json").document
    assert cells(str(found)) == cells(ludus(*argv).out)


def test_a_ladder(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    argv = ("ladder", "hex", "random", "perfect", "--size", "3", "--games", "8", "--batch", "8", "--out", "a.svg")
    shown = ludus(*argv, "--file", "a", "--json").document
    found = python.ladder(HEX, "random", "perfect", games=8, batch=8, file="b", out="a.svg")
    assert document(found) == shown | {"file": "b"}
    assert cells(str(python.ladder(HEX, file="a"))) == cells(ludus("ladder", "hex", "--size", "3", "--file", "a").out)
    assert found._repr_svg_() == Path("a.svg").read_text()
    tested = python.ladder(HEX, sprt=("random", "perfect"), games=8, batch=8, file="b")
    assert document(tested)["sprt"]["a"] == "random"


def test_runs_and_training(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")  # on a narrow terminal the command prints a list
    assert cells(str(python.runs())) == cells(ludus("runs").out)
    tiny = Recipe.of("tiny", "negamax", hidden=(4,), games=40, optimizer="rmsprop")
    reports = []
    found = python.train(python.game("hex", size=2), tiny, seeds=2, out="runs/tiny", on_report=reports.append)
    assert [str(run.run) for run in found] == ["runs/tiny/seed-0", "runs/tiny/seed-1"]
    assert len(reports) >= 2
    assert all(report.reported and report.grade is not None for report in reports)
    assert document(python.runs()) == ludus("runs", "--json").document
    assert cells(str(python.runs())) == cells(ludus("runs").out)
    shown = ludus("runs", "show", "tiny/seed-0", "--compare", "tiny/seed-1", "--svg", "a.svg", "--json").document
    curves = python.runs("tiny/seed-0", "tiny/seed-1")
    assert document(curves) | {"svg": "a.svg"} == shown
    assert curves._repr_svg_() == Path("a.svg").read_text()
    assert document(found[0]) == found[0].to_json() == document(found)["runs"][0]
    assert "seed-1" in str(found)
    for result in (found, found[0]):
        assert ET.fromstring(result._repr_svg_() or "").tag.endswith("svg")


def test_a_paper_that_is_judged_again(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = Path(__file__).resolve().parents[2] / "docs" / "papers"
    (tmp_path / "lgame").mkdir()
    for file in (papers / "lgame").glob("fig4*.csv"):
        (tmp_path / "lgame" / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    argv = ("reproduce", "lgame", "fig4", "--judge", "--out", ".")
    found = python.reproduce("lgame", "fig4", judge=True, out=".")
    assert document(found) == ludus(*argv, "--json").document
    assert f"{found}\n" == ludus(*argv).out
    assert "data:image/svg+xml" in found._repr_html_()


# --- in a notebook ----------------------------------------------------------------------------------------------


def test_a_result_is_html_that_says_what_the_text_says() -> None:
    found = python.match("random", "random", game=HEX, games=4)
    shown = ET.fromstring(f"<div>{found._repr_html_()}</div>")
    assert "random against random" in "".join(shown.itertext())
    assert [cell.text for cell in shown.findall(".//th")] == ["seat", "games", "won", "drawn", "lost", "score"]
    assert [row[0].text for row in shown.findall(".//tbody/tr")] == ["both seats", "random first", "random second"]
    answer = python.solve(HEX, "WWB/.B./... b")
    assert isinstance(answer, Values)
    assert ET.fromstring(f"<div>{answer._repr_html_()}</div>").findtext(".//td") == answer.moves[0].move
    assert answer._repr_svg_() == HEX.svg(answer.state)
    assert str(answer) == "\n".join(answer.lines())


def test_names_of_files_are_no_html() -> None:
    sheet = Sheet(("agent", "games"), [("<b>&\x1b", "1")], ("games",))
    assert '<td style="text-align: left">&lt;b&gt;&amp;\N{REPLACEMENT CHARACTER}</td>' in sheet.to_html()
    assert list(sheet.lines()) == ["agent  games", "<b>&\N{REPLACEMENT CHARACTER}      1"]
    assert Picture("<svg/>").to_html() == '<img src="data:image/svg+xml;base64,PHN2Zy8+"/>'


# --- a function of somebody's -----------------------------------------------------------------------------------


def test_a_function_is_an_agent_of_every_command(ludus: Ludus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("one_of_mine.py").write_text("def first(position, moves):\n    return moves[0] if moves else 7\n")
    name = "python:one_of_mine:first"
    found = ludus("match", name, "random", *SIZE, "--games", "2", "--json").document
    assert (found["a"], found["games"], found["forfeits"]) == (name, 2, {})
    assert ludus("eval", name, "--against", "random", *SIZE, "--games", "2", "--json").document["agent"] == name
    shown = ludus("play", "hex", "--size", "3", "--against", name, stdin="b2\nquit\n")
    assert shown.status == 0
    assert "white plays a1" in shown.out
    assert "there is no module 'none_of_mine'" in ludus("match", "python:none_of_mine:f", "random", *SIZE).refusal
