"""How runs grew: minutes of training over several sittings and beginnings, and the picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.text import refusal

from ludus.agents.spec import folder_of
from ludus.ladder import growth
from ludus.ladder.rating_list import RatingRow
from ludus.runs.run_info import seconds_trained

CONFIG = {"game": "hex", "options": {"size": 3, "swap": False}, "recipe": {"name": "tiny", "learner": "alphazero"}}


def run(path: Path, timing: list[dict[str, Any]], start: str | None = None, device: str = "abacus") -> Path:
    """A folder that says of itself what a run says."""
    path.mkdir()
    config = CONFIG if start is None else CONFIG | {"from": {"agent": start}}
    (path / "config.json").write_text(json.dumps(config))
    (path / "versions.json").write_text(json.dumps({"device": device}))
    (path / "timing.jsonl").write_text("".join(json.dumps(row) + "\n" for row in timing))
    return path


def row(agent: str, rating: float) -> RatingRow:
    return RatingRow(
        agent=agent, rating=rating, ci95=(rating - 10, rating + 10), digest="", games=2, wins=1, draws=0, losses=1
    )


def at(games: int, seconds: float, **more: Any) -> dict[str, Any]:
    return {"games": games, "seconds": seconds, **more}


def test_sittings_are_added_up(tmp_path: Path) -> None:
    path = run(tmp_path / "a", [at(10, 60.0), at(20, 120.0), at(30, 50.0), at(40, 90.0)])
    assert [seconds_trained(path, games) for games in (10, 20, 30, 40)] == [60, 120, 170, 210]
    assert seconds_trained(path) == 210
    assert seconds_trained(path, 25) is None


def test_a_sitting_is_told_from_the_one_before_even_if_its_first_report_took_longer(tmp_path: Path) -> None:
    path = run(tmp_path / "a", [at(10, 60.0, since=0), at(20, 70.0, since=10), at(30, 80.0, since=10)])
    assert [seconds_trained(path, games) for games in (10, 20, 30)] == [60, 130, 140]


def test_a_run_goes_on_where_the_agent_that_it_began_with_ended(tmp_path: Path) -> None:
    first = run(tmp_path / "first", [at(10, 30.0), at(20, 10.0)])
    second = run(tmp_path / "second", [at(5, 20.0)], start=str(first))
    third = run(tmp_path / "third", [at(7, 4.0)], start=str(second))
    assert [growth.training_seconds(path) for path in (first, second, third)] == [40, 60, 64]
    assert growth.training_seconds(run(tmp_path / "lost", [at(1, 2.0)], start="no/such")) == 2
    (first / "config.json").write_text(json.dumps(CONFIG | {"from": {"agent": str(third)}}))  # in a circle
    assert growth.training_seconds(third) == 64


def test_a_shipped_agent_has_its_seconds_on_its_card(tmp_path: Path) -> None:
    path = run(tmp_path / "a", [at(1, 2.0)], start="hex/best-5")
    card = json.loads((folder_of("hex/best-5") / "card.json").read_text())
    assert growth.training_seconds(path) == pytest.approx(2 + card["seconds"])


def test_selves_on_a_ladder_are_points_of_their_runs(tmp_path: Path) -> None:
    one = run(tmp_path / "one", [at(10, 60.0), at(20, 120.0)])
    two = run(tmp_path / "two", [at(10, 30.0)])
    agents = {
        f"{one}/selves/000000000020": 50.0,
        f"{one}/selves/000000000010": 0.0,
        f"{two}/selves/000000000010": -50.0,
    }
    rows = [row(agent, rating) for agent, rating in agents.items()]
    rows += [row("random", -500.0), row(str(one), 60.0), row(f"{tmp_path}/gone/selves/000000000010", 1.0)]
    first, second = growth.growth_curves(rows)
    assert (first.run, second.run, first.device) == (str(one), str(two), "abacus")
    assert [(point.games, point.minutes, point.rating) for point in first.points] == [(10, 1.0, 0.0), (20, 2.0, 50.0)]
    assert [(point.minutes, point.ci95) for point in second.points] == [(0.5, (-60.0, -40.0))]
    picture = growth.svg([first, second], "a title")
    assert picture == growth.svg([first, second], "a title")
    assert "<svg" in picture
    assert "nothing to draw" in refusal(growth.svg, [], "a title")


def test_damaged_timing_is_one_sentence(tmp_path: Path) -> None:
    path = run(tmp_path / "a", [{"games": 1}])
    assert "is damaged" in refusal(seconds_trained, path)
