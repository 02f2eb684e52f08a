"""The papers on the page: verdicts of any name, pictures, and the curves of every figure from its CSV."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from helpers.web import Asking

from ludus.study.data import read_curves
from ludus.study.statistics import estimate
from ludus.web import figures, papers


def test_the_papers_come_with_verdicts_and_pictures(ask: Asking) -> None:
    found = {paper["game"]: paper for paper in ask.client.get("/api/papers").json()["papers"]}
    assert found.keys() >= {"lgame", "hex"}
    for name, head in found.items():
        paper = ask("paper", paper=name)
        assert paper["title"].endswith(("claim by claim", "figure by figure"))
        assert paper["about"]
        assert not any(mark in "".join(paper["about"]) for mark in ("**", "`", "](", "|"))
        claims = [claim["verdict"] for figure in paper["figures"] for claim in figure["claims"]]
        assert head["verdicts"] == {verdict: claims.count(verdict) for verdict in set(claims)}
        for figure in paper["figures"]:
            assert figure["verdict"]
            assert (
                figure["picture"] is None
                or ask.client.get(figure["picture"]).headers["content-type"] == "image/svg+xml"
            )
    assert "no paper 'nobody'" in ask.refused("paper", paper="nobody")


def test_a_verdict_of_any_name_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = {"claim": "it is so", "verdict": "cannot be judged", "found": "too few"}
    figure = {"title": "One", "verdict": "cannot be judged", "claims": [claim]}
    (tmp_path / "lgame").mkdir()
    (tmp_path / "lgame" / "verdicts.json").write_text(json.dumps({"paper": "lgame", "figures": {"fig1": figure}}))
    monkeypatch.setattr(papers, "BESIDE", tmp_path)
    kept = (papers.folder_of, papers.known_figures, papers.pictures, papers.paper, papers.documents)
    for function in kept:
        function.cache_clear()
    try:
        found = papers.paper("lgame")
        assert found is not None
        assert found["verdicts"] == {"cannot be judged": 1}
        assert (found["figures"][0]["claims"], found["figures"][0]["picture"]) == ([claim], None)
        (head,) = papers.documents()  # the others have no verdicts there
        assert head["about"] == []
    finally:
        for function in kept:
            function.cache_clear()


def test_a_figure_is_drawn_from_its_csv(ask: Asking) -> None:
    """The means and intervals of the page are those of the study."""
    found = ask("figure", paper="lgame", figure="fig4")
    (chart,) = found["charts"]
    assert (found["unit"], chart["logarithmic"]) == ("games", True)
    assert [said for _, said in chart["levels"]] == ["random player"]
    runs = {runs.label: runs for runs in read_curves(papers.BESIDE / "lgame" / "fig4.csv")}
    for curve in chart["curves"]:
        mine = runs[curve["label"]]
        missing = [100 * (1 - value) for value in mine.end("vs_random")]
        known = estimate(missing)
        drawn = curve["mean"][-1], curve["low"][-1], curve["high"][-1]
        assert drawn == pytest.approx((known.mean, known.low, known.high), rel=1e-4)
        assert (curve["count"], len(curve["seeds"]), curve["steps"]) == (5, 5, [float(step) for step in mine.steps])


@pytest.mark.slow
def test_every_figure_of_every_paper_can_be_shown() -> None:
    """Curves, or a picture instead; nothing that JSON cannot hold."""
    drawn = 0
    for paper in papers.documents():
        for name in papers.known_figures(paper["game"]):
            found = figures.figure(paper["game"], name)
            json.dumps(found, allow_nan=False)
            assert found["charts"] or f"{paper['game']}/{name}" in papers.pictures()
            drawn += bool(found["charts"])
            for chart in found["charts"]:
                assert all(len(curve["mean"]) == len(curve["steps"]) for curve in chart["curves"])
                values = [value for curve in chart["curves"] for value in curve["mean"] if value is not None]
                assert np.isfinite(values).all()
                assert not chart["logarithmic"] or min(values) > 0
    assert drawn > 20


def test_a_figure_that_is_not_there_is_refused(ask: Asking) -> None:
    assert "no figure 'lgame/../hex'" in ask.refused("figure", paper="lgame", figure="../hex")
    assert "no figure 'nobody/fig4'" in ask.refused("figure", paper="nobody", figure="fig4")


def test_a_seed_that_diverged_leaves_a_gap() -> None:
    from ludus.web.bands import band

    found = band("one", [0, 10], np.array([[1.0, math.nan], [3.0, 4.0]]))
    assert (found["mean"], found["low"], found["seeds"]) == ([2.0, None], [1.0, None], [[1.0, None], [3.0, 4.0]])
