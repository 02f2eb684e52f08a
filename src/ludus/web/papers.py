"""The reproduced papers: what each one says, figure by figure, with verdicts. They come with the package, or lie in
`docs`. `figures` has the curves.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator
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
def folder_of(game: str) -> Path | None:
    """The folder of a paper's verdicts and curves."""
    places = (at / game for at in (INSIDE, BESIDE)) if game in registry.names() else ()
    return next((at for at in places if (at / VERDICTS).is_file()), None)


@functools.cache
def known_figures(game: str) -> dict[str, Any]:
    """A paper's figures with their verdicts, by name."""
    folder = folder_of(game)
    return {} if folder is None else json.loads((folder / VERDICTS).read_text(encoding="utf-8"))["figures"]


@functools.cache
def documents() -> list[dict[str, Any]]:
    """Every paper: its title, and how many of its claims have each verdict."""
    return [_head(game) for game in registry.names() if folder_of(game) is not None]


def _head(game: str) -> dict[str, Any]:
    """A verdict is a text of the study's; the page knows colours for some, and shows any."""
    title, about = _introduction(game)
    verdicts = Counter(claim["verdict"] for figure in known_figures(game).values() for claim in figure["claims"])
    return {"game": game, "title": title, "about": about, "verdicts": dict(verdicts.most_common())}


@functools.cache
def paper(game: str) -> dict[str, Any] | None:
    """One paper with all its figures; None if there is no such paper."""
    if folder_of(game) is None:
        return None
    figures = [
        {
            "id": name,
            "title": figure["title"],
            "verdict": figure["verdict"],
            "claims": figure["claims"],
            "table": figure.get("table", []),
            "device": figure.get("made_with", {}).get("device", ""),
            "picture": f"/papers/{game}/{name}.svg" if f"{game}/{name}" in pictures() else None,
        }
        for name, figure in known_figures(game).items()
    ]
    return _head(game) | {"figures": figures}


def _introduction(game: str) -> tuple[str, list[str]]:
    """The title of a paper's page, and its paragraphs up to the first that is no text, without Markdown's marks."""
    folder = folder_of(game)
    page = None if folder is None else folder.parent / f"{game}.md"
    if page is None or not page.is_file():
        return registry.entry(game).about, []
    title, *parts = re.split(r"\n\s*\n", page.read_text(encoding="utf-8"))
    return _plain(title.lstrip("# ")), list(_paragraphs(parts))


def _paragraphs(parts: list[str]) -> Iterator[str]:
    for part in parts:
        if part.lstrip()[:1] in ("`", "|", "#", "!", "<", "-"):
            return
        yield _plain(part)


def _plain(text: str) -> str:
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.sub(r"\*\*|(?<!\w)\*|\*(?!\w)|`", "", text)
