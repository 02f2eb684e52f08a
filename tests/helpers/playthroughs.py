"""Recorded games: what a playthrough looks like, and how one is made and made again."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludus.core.game import Game, compiled, legal_actions
from ludus.games import make_game

FOLDER = Path(__file__).parent.parent / "playthroughs"

#: Chooses one of the legal moves, or none to stop: `(ply, moves) -> move`.
Choose = Callable[[int, list[str]], str | None]


def playthrough(game: Game, seed: int, start: Any, choose: Choose) -> str:
    """A game from this start, ply by ply: the position, its legal moves in order of text, the move; then the end."""
    rules, state, ply = compiled(game), start, 0
    lines = [f"game {game.describe()}", f"seed {seed}", ""]
    while True:
        actions = {game.format_move(state, action): action for action in legal_actions(game, state)}
        moves = sorted(actions)
        lines += [f"ply {ply} {game.seats[int(rules.player(state))]}", f"position {game.format(state)}"]
        lines += [f"legal {len(moves)} {' '.join(moves)}".rstrip()]
        move = choose(ply, moves) if moves else None
        if move is None:
            break
        lines += [f"move {move}", ""]
        state = jax.tree.map(np.asarray, rules.step(state, np.int32(actions[move])))
        ply += 1
    returns = " ".join(f"{seat} {value:g}" for seat, value in zip(game.seats, rules.returns(state), strict=True))
    lines += ["", f"{'stopped' if moves else 'result'} {returns}", game.draw(state)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def replay(text: str) -> str:
    """The same game once more, from what is recorded of it: its options, its start and its moves."""
    description, seed, start, *_ = re.findall(r"^(?:game|seed|position) (.*)$", text, re.MULTILINE)
    moves = re.findall(r"^move (.*)$", text, re.MULTILINE)
    game = game_of(description)
    return playthrough(game, int(seed), game.parse(start), lambda ply, _: moves[ply] if ply < len(moves) else None)


def game_of(description: str) -> Game:
    """The game that `Game.describe` describes: `hex size=5 swap=False`."""
    name, *options = description.split()
    pairs = (option.split("=") for option in options)
    return make_game(name, **{key: _value(value) for key, value in pairs})


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except ValueError:
        return text
