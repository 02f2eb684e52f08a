"""Agents by name, before any is loaded and without JAX: who is built in, whose folder is whose, who plays what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus import games as registry
from ludus.errors import BadInput, shorten
from ludus.training.records import CONFIG, read_config

PERFECT = {"perfect": False, "perfect:hardest": True}  # and whether it is the hardest
BUILT_IN = ("random", *PERFECT)


class Setup(NamedTuple):
    """A game with all its options, as an agent has learned it."""

    game: str
    options: dict[str, Any]

    def describe(self) -> str:
        return " ".join([self.game, *(f"{name}={value}" for name, value in self.options.items())])


def folder_of(name: str) -> Path:
    """Where an agent of this name would lie: with its game's room, or in a folder of its own."""
    if name in registry.shipped():
        game, _, short = name.partition("/")
        return registry.shipped_folder(game) / short
    return Path(name)


def is_trained(name: str) -> bool:
    """Whether a name is that of a trained agent; one that is built in is never a folder's."""
    return name not in BUILT_IN and (folder_of(name) / CONFIG).is_file()


def card(name: str) -> dict[str, Any]:
    """How a shipped agent was trained, and how strong it was measured to be."""
    return json.loads((folder_of(name) / "card.json").read_text())


def setup_of(name: str) -> Setup | None:
    """The game that a trained agent plays, or None for an agent that plays any."""
    if not is_trained(name):
        return None
    config = read_config(folder_of(name))
    return Setup(config["game"], registry.entry(config["game"]).filled(config["options"]))


def refuse_strangers(names: Sequence[str], game: str | None = None) -> None:
    """Refuse a name that is no agent's, of this game or of any."""
    for name in names:
        if name not in BUILT_IN and not is_trained(name):
            solvers = registry.entry(game).solvers if game else tuple(PERFECT)
            known = ", ".join(("random", *solvers, *registry.shipped(game)))
            whose = f" for {game}" if game else ""
            raise BadInput(f"there is no agent '{shorten(name)}'{whose}; there are {known}, and the folder of any run.")
