"""Saved games, as text that people can read and `ludus play` can load:

    # Go on with: ludus play lgame --load game.txt
    game lgame cap=100
    start nAA./.BA./.BA./.BBn A
    moves 2
    1 A b4c4d3d4+a4c2
    2 B a1b1b2b3

Moves are numbered and counted, so that a lost line is detected.
"""

from __future__ import annotations

import shlex

from ludus.core.game import Game
from ludus.core.line import Line
from ludus.errors import BadInput, shorten
from ludus.games import entry, make_game

HEAD = ("game", "start", "moves")


def write(line: Line, remark: str = "") -> str:
    """The text of a game; the remark becomes a comment on the first line."""
    game, moves = line.game, line.moves()
    lines = [f"# {remark}"] if remark else []
    lines.append(f"game {shlex.join([game.name, *(f'{name}={value}' for name, value in game.options().items())])}")
    lines += [f"start {game.format(line.states[0])}", f"moves {len(moves)}"]
    lines += [f"{ply + 1} {game.seats[line.player(ply)]} {move}" for ply, move in enumerate(moves)]
    return "\n".join(lines) + "\n"


def read(text: str, name: str) -> Line:
    """Read a saved game and check every move; `name` stands for it in errors."""
    try:
        return _replay(text)
    except BadInput as error:
        why = str(error).rstrip(".")
        raise BadInput(f"'{shorten(name)}' is not a saved game of Ludus, or a damaged one: {why}.") from None


def _replay(text: str) -> Line:
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    head, moves = [line.partition(" ") for line in lines[: len(HEAD)]], lines[len(HEAD) :]
    if tuple(word for word, _, _ in head) != HEAD:
        raise BadInput("it does not begin with lines of 'game', 'start' and 'moves'")
    described, start, count = (rest.strip() for _, _, rest in head)
    if count != str(len(moves)):
        raise BadInput(f"it says that it has '{shorten(count)}' moves, and has {len(moves)}")
    game = _game(described)
    line = Line(game, game.parse(start))
    for number, move in enumerate(moves, start=1):
        if (ending := line.ending()) is not None:
            raise BadInput(f"'{shorten(move)}' comes after the end of the game: {ending.sentence}")
        before = f"{number} {game.seats[line.player()]} "
        if not move.startswith(before):
            raise BadInput(f"'{shorten(move)}' should begin with '{before.strip()}'")
        line.push(game.parse_move(line.state, move.removeprefix(before)))
    return line


def _game(described: str) -> Game:
    """The game that a saved game names, with its options."""
    try:
        name, *options = shlex.split(described)
    except ValueError:
        raise BadInput(f"'{shorten(described)}' is not a game and its options") from None
    known = entry(name)
    pairs = [option.partition("=") for option in options]
    return make_game(name, **{key: known.option(key).read(name, value) for key, _, value in pairs})
