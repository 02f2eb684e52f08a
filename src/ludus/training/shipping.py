"""Making a run part of the package: `python -m ludus.training.shipping RUN GAME/NAME "how it was trained"`.

For maintainers. The card is written from the run's files, with the strength measured anew. If the proof needs an
accelerator, a fourth argument names a file with what `ludus eval RUN --exact --every-defence --json` printed there: the
card takes it over if it agrees with what is measured here.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import jax

from ludus.agents.find import find_player, game_of
from ludus.agents.spec import shipped_best
from ludus.core.game import Game
from ludus.games import shipped_folder
from ludus.play.arena import match
from ludus.runs.run_info import seconds_trained
from ludus.truth import truth_of
from ludus.truth.protocol import Effort

FILES = ("weights.safetensors", "weights.json")
GAMES = 256  # against each other shipped agent


def portable(command: str) -> str:
    """The command without `--out DIR` and `--json`."""
    words = shlex.split(command)
    kept = [w for i, w in enumerate(words) if w not in ("--out", "--json") and (i == 0 or words[i - 1] != "--out")]
    return shlex.join(kept)


def ship(run: Path, name: str, how: str, proof: Path | None = None) -> dict[str, Any]:
    """Copy the agent of a finished run into the package, with its card."""
    game = game_of(str(run))
    assert game is not None, f"'{run}' is not a run"
    config = json.loads((run / "config.json").read_text())
    config["command"] = portable(config["command"])
    versions = json.loads((run / "versions.json").read_text())
    truth = truth_of(game)
    strength = truth.grade(find_player(str(run), game)).to_json()
    timing = [json.loads(line) for line in (run / "timing.jsonl").read_text().splitlines()]
    card = {
        "agent": name,
        "how": how,
        "command": config["command"],
        "seed": config["seed"],
        "games": timing[-1]["games"],
        "seconds": round(seconds_trained(run) or 0.0, 1),
        "versions": {name: versions[name] for name in ("ludus", "jax", "numpy", "python", "device")},
        "strength": with_proof(strength, proof) if proof else strength,
        "measured_by": f"ludus eval {name} --{'exact' if truth.grades else 'ladder'}"
        + (" --every-defence" if proof else ""),
    }
    if Effort.QUICK not in truth.grades:
        card["met"] = against_shipped(game, run, name)
    folder = shipped_folder(game.name) / name.partition("/")[2]
    folder.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        shutil.copyfile(run / file, folder / file)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "card.json").write_text(json.dumps(card, indent=2) + "\n")
    return card


def against_shipped(game: Game, run: Path, name: str) -> list[dict[str, Any]]:
    """Its results against the other shipped agents for its board, as of `ludus eval NAME --against OTHER`."""
    found, agent = [], find_player(str(run), game)
    for other in [other for other, _ in shipped_best(game) if other != name]:
        result = match(game, agent, find_player(other, game), GAMES, jax.random.key(0))
        ends = {"games": result.games, "wins": result.wins, "draws": result.draws, "losses": result.losses}
        found.append({"against": other, **ends, "score": result.score, "ci95": list(result.ci95 or ())})
    return found


def with_proof(strength: dict[str, Any], proof: Path) -> dict[str, Any]:
    """The strength in the proof's file. It must agree with that found here, except for what only the proof can tell."""
    found = json.loads(proof.read_text())
    for key, value in strength.items():
        agrees = found.get(key) == value or key in ("first_player_win", "replies_tried", "positions_followed")
        assert agrees, f"here {key} is {value}, and in '{proof}' {found.get(key)}"
    return {key: found[key] for key in strength}


if __name__ == "__main__":
    run_folder, agent_name, sentence, *proofs = sys.argv[1:]
    print(json.dumps(ship(Path(run_folder), agent_name, sentence, Path(proofs[0]) if proofs else None), indent=2))
