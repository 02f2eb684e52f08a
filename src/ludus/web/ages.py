"""A run at its ages: the snapshots that were kept while it trained. Each is an agent, by a name that is looked up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ludus.runs.run_info import CONFIG, SNAPSHOTS, WEIGHTS

BELOW = f"/{SNAPSHOTS}/"


def snapshots(run: Path) -> dict[str, Path]:
    """The complete snapshots of a run by their names, the youngest first."""
    try:
        found = sorted(at for at in (run / SNAPSHOTS).iterdir() if at.name.isascii() and at.name.isdecimal())
    except OSError:  # it has none yet
        return {}
    return {at.name: at for at in found if (at / CONFIG).is_file() and (at / WEIGHTS).is_file()}


def listed(name: str, run: Path) -> list[dict[str, Any]]:
    """The ages of a run, as agents with the games that they had played."""
    return [{"games": int(number), "agent": f"{name}{BELOW}{number}"} for number in snapshots(run)]


def folder(runs: dict[str, Path], name: str) -> Path | None:
    """The folder of a run, or of one of its snapshots, by the name on the page."""
    run, below, number = name.rpartition(BELOW)
    if below and name not in runs:
        return snapshots(runs[run]).get(number) if run in runs else None
    return runs.get(name)
