"""`ludus games`."""

from __future__ import annotations

from ludus.cli.common import Json, print_json, print_table


def games(*, as_json: Json = False) -> None:
    """List what can be played, by whom, with which options, and learned by which recipes.

    Options are shown with their defaults; give others to perft and play with
    --size, --layout, --rules, --swap, or --set NAME=VALUE.
    """
    from ludus.training.agents import agents_for
    from ludus.games import GAMES, make_game
    from ludus.training.recipes import recipes

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
                "agents": agents_for(game),
                "learners": list(recipes(game)),
            }
        )
    if as_json:
        return print_json({"games": entries})
    rules, players = [], []  # two tables: in one, a terminal of 80 columns would have no room for an agent's name
    for entry in entries:
        options = " ".join(f"{option}={value}" for option, value in entry["options"].items())
        rules.append((entry["name"], ", ".join(entry["seats"]), f"{entry['actions']:,}", options or "-"))
        players.append((entry["name"], ", ".join(entry["agents"]), ", ".join(entry["learners"]) or "-"))
    print_table(("game", "seats", "actions", "options"), rules, right=("actions",))
    print_table(("game", "agents", "learners"), players)
