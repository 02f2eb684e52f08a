"""`ludus reproduce`, at a scale of seconds."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from ludus.games.lgame.paper import figures as lgame
from ludus.study import grid as study


@pytest.mark.slow
def test_a_figure_has_a_table_a_picture_and_a_verdict(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(study, "_DONE", {})
    monkeypatch.setattr(lgame, "scale", lambda quick, seeds: lgame.Scale(seeds or 2, 4, 4, 2, 0))
    monkeypatch.setattr(lgame, "PAPER", replace(lgame.PAPER, hidden=(8,), memory=8, lanes=2, recall=1))
    argv = ("reproduce", "lgame", "gamma", "--quick", "--out", str(tmp_path / "figures"))
    found = ludus(*argv, "--json")
    (figure,) = found.document["figures"]
    assert set(figure) == {"id", "claim", "verdict", "values", "csv", "svg"}
    assert figure["id"] == "gamma"
    assert figure["verdict"] in ("holds", "does not hold", "cannot be told")
    assert {"gamma = 0.7", "gamma = 0.9", "gamma = 1"} <= set(figure["values"])
    assert figure["csv"] == str(tmp_path / "figures" / "lgame" / "gamma.csv")
    rows = list(csv.DictReader(Path(figure["csv"]).read_text().splitlines()))
    assert len(rows) == 3 * 2 * 2  # settings, seeds, points in time
    assert "<svg" in Path(figure["svg"]).read_text()
    assert "games" in found.err
    shown = ludus(*argv)
    assert shown.out.startswith(f"gamma: {figure['claim']}: {figure['verdict'].upper()}\n")


BAD = [
    ("reproduce", "PAPER"),
    ("reproduce chess", "there is no paper 'chess'"),
    ("reproduce lgame fig99", "no figure 'fig99'"),
    ("reproduce lgame fig4 fig99", "no figure 'fig99'"),
    ("reproduce lgame --seeds 1", "--seeds"),
    ("reproduce lgame --seeds x", "x"),
    ("reproduce lgame fig4 --out a-file", "a-file"),
    ("reproduce lgame fig4 --out a-file/below", "a-file"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(lgame.FIGURES, "fig4", lambda size, log: pytest.fail("it was run"))
    (tmp_path / "a-file").write_text("mine")
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal
    assert [path.name for path in tmp_path.rglob("*")] == ["a-file"]
