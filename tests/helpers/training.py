"""What the tests of training share: recipes as small as can be, what they must come to, and a way to stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.games.hex.rules import Hex
from ludus.learners.recipe import Recipe
from ludus.training.progress import Progress

GAME = Hex(size=2)
TABLE = Recipe.of(
    "tiny",
    "afterstate",
    as_table=True,
    hidden=(8,),
    games=600,
    lanes=4,
    plies=8,
    updates=2,
    batch=16,
    memory=64,
)
DQN = Recipe.of("tiny", "dqn", hidden=(8,), inputs="planes", head="full", memory=64, lanes=4, recall=2, games=40)
RECIPES = {"afterstate": TABLE, "dqn": DQN}
RESULTS = ("weights.safetensors", "weights.json", "metrics.jsonl", "final.json", "config.json")


def results(folder: Path) -> dict[str, bytes]:
    """What is promised to come out the same: the results, and the last state with its keys and memory."""
    files = {name: (folder / name).read_bytes() for name in RESULTS}
    checkpoints = sorted((folder / "checkpoints").iterdir())
    return files | {path.name: path.read_bytes() for path in checkpoints}


class Stop(Exception):
    pass


def stop_after(reports: int) -> Any:
    left = [reports]

    def on_progress(progress: Progress) -> None:
        left[0] -= progress.reported
        if not left[0]:
            raise Stop

    return on_progress
