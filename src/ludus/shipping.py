"""Making a run part of the package: `python -m ludus.shipping RUN GAME/NAME "how it was trained, in a sentence"`.

For maintainers. The card is written from the run's own files, and the strength on it is measured anew. With a fourth
argument, `lookahead`, the player looks one move ahead, whatever the run said: that is no matter of training.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from ludus.agents import SHIPPED, find_agent, game_of
from ludus.recipes import Recipe
from ludus.training import graders

FILES = ("weights.safetensors", "weights.json")


def portable(command: str) -> str:
    """A command without where its run was put, and how it was printed."""
    words = shlex.split(command)
    kept = [w for i, w in enumerate(words) if w not in ("--out", "--json") and (i == 0 or words[i - 1] != "--out")]
    return shlex.join(kept)


def ship(run: Path, name: str, how: str, lookahead: bool = False) -> dict[str, Any]:
    """Copy a finished run's agent into the package, with its card."""
    game = game_of(str(run))
    assert game is not None, f"'{run}' is no run"
    config = json.loads((run / "config.json").read_text())
    config["command"] = portable(config["command"])
    if lookahead:
        config["recipe"]["lookahead"] = True
    versions = json.loads((run / "versions.json").read_text())
    measures = graders(game, Recipe.from_json(config["recipe"]))
    agent: Any = find_agent(str(run), game)
    agent.recipe = Recipe.from_json(config["recipe"])
    seconds = json.loads((run / "timing.jsonl").read_text().splitlines()[-1])
    card = {
        "agent": name,
        "how": how,
        "command": config["command"],
        "seed": config["seed"],
        "games": seconds["games"],
        "seconds": round(seconds["seconds"], 1),
        "versions": {name: versions[name] for name in ("ludus", "jax", "numpy", "python", "device")},
        "strength": measures[1](agent).to_json() if measures else None,
        "measured_by": f"ludus eval {name} --exact",
    }
    folder = SHIPPED / name
    folder.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        shutil.copyfile(run / file, folder / file)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    return card


if __name__ == "__main__":
    print(json.dumps(ship(Path(sys.argv[1]), sys.argv[2], sys.argv[3], "lookahead" in sys.argv[4:]), indent=2))
