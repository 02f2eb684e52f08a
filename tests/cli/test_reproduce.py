"""`ludus reproduce`, at a scale of seconds."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.study.data import Data
from ludus.study.statistics import estimate
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study


def judged(seen: Data) -> Finding:
    values = {f"{runs.panel}, {runs.label}": str(estimate(runs.end("value"))) for runs in seen.curves}
    return Finding((Claim("values rise", "undecided"),), values)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A study of seconds in a paper's place."""
    sarsa = Recipe.of("", "online", algorithm="sarsa", starts=8)
    curves = [Curve("paper", f"alpha = {alpha:g}", sarsa.with_settings(alpha=alpha)) for alpha in (0.1, 0.01)]
    study = Study(
        paper="lgame",
        title="Tiny",
        game=lambda: make_game("hex", size=2),
        unit="moves",
        figures_with=lambda choices: {"gamma": Figure("Steps", tuple(curves), judged, ("value",))},
        measure=lambda game, quick: lambda learner, config, weights: {},
        scales={"": Scale(2, 1, 50)},
        outline=Scale(2, 1, 50),
        words={"value": Axis("values")},
    )
    monkeypatch.setattr("ludus.games.lgame.paper.STUDY", study)


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_a_figure_has_a_table_a_picture_and_a_verdict(ludus, tmp_path: Path) -> None:
    argv = ("reproduce", "lgame", "gamma", "--quick", "--out", str(tmp_path / "figures"))
    found = ludus(*argv, "--json")
    (figure,) = found.document["figures"]
    assert {"id", "claim", "verdict", "values", "csv", "svg"} <= set(figure)
    assert figure["id"] == "gamma"
    assert figure["verdict"] in ("holds", "does not hold", "undecided")
    assert set(figure["values"]) == {"paper, alpha = 0.1", "paper, alpha = 0.01"}
    assert figure["csv"] == str(tmp_path / "figures" / "lgame" / "gamma.csv")
    rows = list(csv.DictReader(Path(figure["csv"]).read_text().splitlines()))
    assert len(rows) == 2 * 2 * 2  # settings, seeds, points in time
    assert "<svg" in Path(figure["svg"]).read_text()
    said = found.err.index("4 runs of 2 curves, 200 moves in all, 1 program to compile; about ")
    assert said < found.err.index(" of a CPU") < found.err.index("% of 4 runs")  # before anything is run
    assert "of 4 runs" in found.err
    page = tmp_path / "page.md"
    page.write_text("<!-- made: verdicts gamma --><!-- end -->")
    shown = ludus("reproduce", "lgame", "gamma", "--judge", "--out", str(tmp_path / "figures"), "--page", str(page))
    claim = figure["claims"][0]
    assert shown.out.startswith(f"gamma: {claim['claim']}: {claim['verdict'].upper()} (only 2 seeds; 10 are wanted)\n")
    assert claim["claim"] in page.read_text()
    # What was run is not run again, unless it is asked for.
    again = ludus(*argv, "--json")
    assert "4 of 4 runs were kept from before" in again.err
    assert "nothing to train: all 4 runs are kept from before" in again.err
    assert again.out == found.out
    assert ludus(*argv, "--json", "--quiet").err == ""
    assert "kept from before" not in ludus(*argv, "--json", "--fresh").err


BAD = [
    ("reproduce", "say which paper: lgame"),
    ("reproduce lgame --index", "--index"),
    ("reproduce --index", "--page"),
    ("reproduce chess", "there is no paper 'chess'"),
    ("reproduce lgame fig99", "no figure 'fig99'"),
    ("reproduce lgame fig4 fig99", "no figure 'fig99'"),
    ("reproduce lgame --seeds 1", "--seeds"),
    ("reproduce lgame --seeds x", "x"),
    ("reproduce lgame fig4 --out a-file", "a-file"),
    ("reproduce lgame fig4 --out a-file/below", "a-file"),
    ("reproduce lgame fig4 --judge --quick", "--judge"),
    ("reproduce lgame fig4 --judge --fresh", "--fresh"),
    ("reproduce lgame fig4 --out /proc/ludus", "/proc/ludus"),  # where no folder can be made
    ("reproduce lgame fig4 --judge --page none.md", "none.md"),
    ("reproduce lgame fig4 --judge", "fig4.csv"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, words: str) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludus.study.grid.CurveRunner.run", lambda *given: pytest.fail("it was run"))
    (tmp_path / "a-file").write_text("mine")
    for more in ([], ["--json"]):
        assert words in ludus(*command.split(), *more).refusal
    assert [path.name for path in tmp_path.rglob("*")] == ["a-file"]
