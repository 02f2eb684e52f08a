"""The reproduced figures of the papers, with their verdicts. They come with the package, or lie in `docs`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from ludus import games as registry

INSIDE = Path(__file__).parent / "figures"  # of an installed package
BESIDE = Path(__file__).parents[3] / "docs" / "papers"  # of a checkout
VERDICTS = "verdicts.json"
NONE = "The papers' figures do not come with this copy of Ludus; ludus reproduce makes them."


@functools.cache
def pictures() -> dict[str, Path]:
    """Every figure's picture, by GAME/FIGURE. No other file is served."""
    found = {}
    for folder in (INSIDE, BESIDE):
        for game in registry.names():
            for path in sorted((folder / game).glob("*.svg")):
                found.setdefault(f"{game}/{path.stem}", path)
    return found


@functools.cache
def documents() -> list[dict[str, Any]]:
    """Each paper's figures, with the claims and the findings."""
    found = []
    for game in registry.names():
        path = next((at for at in (INSIDE / game / VERDICTS, BESIDE / game / VERDICTS) if at.is_file()), None)
        if path is None:
            continue
        figures = json.loads(path.read_text(encoding="utf-8"))["figures"]
        entries = [
            {
                "id": name,
                "title": figure["title"],
                "verdict": figure["verdict"],
                "claims": figure["claims"],
                "picture": f"/papers/{game}/{name}.svg" if f"{game}/{name}" in pictures() else None,
            }
            for name, figure in figures.items()
        ]
        found.append({"game": game, "about": registry.entry(game).about, "figures": entries})
    return found
