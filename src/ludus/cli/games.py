"""`ludus games`."""

from __future__ import annotations

from ludus.cli.common import AGENTS, Json, print_json, print_table


def games(*, as_json: Json = False) -> None:
    """List what can be played, by whom, and with which options.

    Options are shown with their defaults; give others to perft and play with
    --size, --layout, --rules, --swap, or --set NAME=VALUE.
    """
    from ludus.games import GAMES, make_game

    entries = []
    for name in GAMES:
        game = make_game(name)
        entries.append(
            {
                "name": name,
                "players": game.num_players,
                "seats": list(game.seats),
                "actions": game.num_actions,
                "options": {field.name: getattr(game, field.name) for field in game.options()},
                "agents": list(AGENTS),
                "learners": [],
            }
        )
    if as_json:
        return print_json({"games": entries})
    print_table(
        ("game", "seats", "actions", "options", "agents", "learners"),
        (
            (
                entry["name"],
                ", ".join(entry["seats"]),
                f"{entry['actions']:,}",
                " ".join(f"{option}={value}" for option, value in entry["options"].items()) or "-",
                ", ".join(entry["agents"]),
                ", ".join(entry["learners"]) or "-",
            )
            for entry in entries
        ),
        right=("actions",),
    )
