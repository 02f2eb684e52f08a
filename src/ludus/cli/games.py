"""`ludus games`."""

from __future__ import annotations

import sys

from ludus.cli.shared.options import Json
from ludus.cli.shared.output import print_json, print_table
from ludus.errors import BadInput


def games(*, as_json: Json = False) -> None:
    """List the games, their options, the agents that play them, and the recipes that train agents.

    Options are shown with their defaults; every command that takes a game takes
    them as --NAME VALUE. perfect plays where the game can be solved: "ludus solve
    --help" says at which sizes. minimax:2 looks two plies ahead (1 to 4), alphabeta:4
    looks four (1 to 64), alphabeta:1s thinks for a second a move. Alpha-beta can
    also evaluate positions by a trained agent, as in alphabeta:2:runs/mine.
    """
    from ludus import games as registry
    from ludus.agents.spec import untrained

    entries = []
    for name in registry.names():
        entry = registry.entry(name)
        entries.append(
            {
                "name": name,
                "about": entry.about,
                "players": len(entry.seats),
                "seats": list(entry.seats),
                "actions": entry.actions,
                "options": entry.defaults,
                "agents": [*untrained(name), *registry.shipped(name)],
                "learners": _learners(name),
            }
        )
    for sentence in registry.left_out():
        print(f"ludus: {sentence}", file=sys.stderr)
    if as_json:
        return print_json({"games": entries})
    rules, players = [], []  # two tables: one would be wider than 80 columns
    for entry in entries:
        options = " ".join(f"{option}={value}" for option, value in entry["options"].items())
        rules.append((entry["name"], ", ".join(entry["seats"]), f"{entry['actions']:,}", options or "-"))
        players.append((entry["name"], ", ".join(entry["agents"]), ", ".join(entry["learners"]) or "-"))
    print_table(("game", "seats", "actions", "options"), rules, right=("actions",))
    print_table(("game", "agents", "learners"), players)


def _learners(name: str) -> list[str]:
    """The recipes of a game; none if another package's cannot be loaded, so that the other games are still listed."""
    from ludus.learners.recipes import recipes

    try:
        return list(recipes(name, {}))
    except BadInput:
        return []
