"""Simulations a second: every part is timed, of games that lie on a lattice, and told in one row."""

from __future__ import annotations

import pytest

from ludus import bench
from ludus.bench import tree_search
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame


@pytest.mark.slow
def test_a_search_is_taken_apart(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(tree_search, "CPU_LANES", (2,))
    monkeypatch.setattr(tree_search, "SHAPES", ((8, 2),))
    monkeypatch.setattr(tree_search, "SIMULATIONS", 6)
    row, at_board = bench._simulated(Hex(size=5), 0.0)
    assert at_board["lanes"] == 1
    assert at_board["ours"] > 0
    assert row["lanes"] == 2
    assert row["ours"] > 0
    assert row["shares"].keys() == {"network", "rules", "tree"}
    assert all(share >= 0 for share in row["shares"].values())
    assert row["shares"]["network"] > row["shares"]["rules"] > 0
    assert "8 channels, 2 blocks" in capsys.readouterr().err
    assert list(tree_search.measure(LGame(), 0.0)) == []
