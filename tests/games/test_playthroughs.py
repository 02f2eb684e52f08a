"""Recorded games replay byte for byte: `python tests/record_playthroughs.py` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.playthroughs import FOLDER, game_of, replay

from ludus.games import entry, names

QUICK = 2  # of each game; the others are slow


def _recorded() -> list:
    return [
        pytest.param(path, id=f"{path.parent.name}-{path.stem}", marks=[pytest.mark.slow] if k >= QUICK else [])
        for name in names()
        for k, path in enumerate(sorted((FOLDER / name).glob("*.txt")))
    ]


@pytest.mark.parametrize("path", _recorded())
def test_a_recorded_game_replays_byte_for_byte(path: Path) -> None:
    recorded = path.read_bytes()
    assert replay(recorded.decode()).encode() == recorded


@pytest.mark.parametrize("name", names())
def test_enough_games_are_recorded(name: str) -> None:
    paths = sorted((FOLDER / name).glob("*.txt"))
    assert len(paths) >= 20, f"{name} has too few playthroughs: run python tests/record_playthroughs.py"
    texts = [path.read_text() for path in paths]
    assert any(re.search("^result ", text, re.MULTILINE) for text in texts), "no recorded game came to an end"


@pytest.mark.parametrize("name", names())
def test_recorded_games_start_at_the_start(name: str) -> None:
    """One at least under each set of options; puzzles start anywhere."""
    if len(entry(name).seats) == 1:
        pytest.skip(f"{name} has no one start")
    starts: dict[str, set[str]] = {}
    for path in sorted((FOLDER / name).glob("*.txt")):
        game, start = re.findall(r"^(?:game|position) (.*)$", path.read_text(), re.MULTILINE)[:2]
        starts.setdefault(game, set()).add(start)
    for description, found in starts.items():
        game = game_of(description)
        assert game.format(game.init()) in found, description
