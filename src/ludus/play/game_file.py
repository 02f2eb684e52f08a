"""Saved games, as text that people can read and `ludus play` can load:

    # Go on with: ludus play lgame --load game.txt
    game lgame cap=100
    start nAA./.BA./.BA./.BBn A
    moves 2
    1 A b4c4d3d4+a4c2
    2 B a1b1b2b3
    branch 1 a1b1c1c2 b3b4c4d4

Moves are numbered and counted, so that a lost line is detected. A branch is what was tried instead: after so many moves
of the game, these. Games that have a format of their own (the part `record`) are read from that too.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import NamedTuple

from ludus import games
from ludus.core.game import Game
from ludus.core.line import Line, fresh_start
from ludus.core.record import Branch, Record
from ludus.errors import BadInput, shorten
from ludus.games import entry, make_game

HEAD = ("game", "start", "moves")
BRANCH = "branch"


class SavedGame(NamedTuple):
    line: Line
    branches: tuple[Branch, ...] = ()


def write(line: Line, remark: str = "", branches: Iterable[Branch] = ()) -> str:
    """The text of a game; the remark becomes a comment on the first line."""
    game, moves = line.game, line.moves()
    lines = [f"# {remark}"] if remark else []
    lines.append(f"game {shlex.join([game.name, *(f'{name}={value}' for name, value in game.options().items())])}")
    lines += [f"start {game.format(line.states[0])}", f"moves {len(moves)}"]
    lines += [f"{ply + 1} {game.seats[line.player(ply)]} {move}" for ply, move in enumerate(moves)]
    lines += [f"{BRANCH} {branch.plies} {' '.join(branch.moves)}" for branch in branches]
    return "\n".join(lines) + "\n"


def write_as(line: Line, kind: str, branches: Iterable[Branch] = (), players: tuple[str, ...] = ()) -> str:
    """The text of a game in a format of its own, by the format's name."""
    game = line.game
    if kind not in game.entry.formats:
        known = ", ".join(game.entry.formats) or "no other than the text of Ludus"
        raise BadInput(f"{game.name} is not written as '{shorten(kind)}'; there is {known}.")
    begun = game.format(line.states[0])
    start = None if begun == game.format(fresh_start(game, 0)) else begun
    moves = tuple(line.moves())
    return games.part(game, "record").write(
        game, Record(game.options(), start, moves, tuple(branches), players, line.resigned)
    )


def read(text: str, name: str) -> Line:
    """Read a saved game and check every move; `name` stands for it in errors."""
    return read_tree(text, name).line


def read_tree(text: str, name: str) -> SavedGame:
    """The same with its branches, whose moves are checked too."""
    try:
        for known in games.names():
            own = games.part(known, "record") if entry(known).record else None
            if own is not None and own.reads(text):
                return _played(known, own.read(text))
        return _replay(text)
    except BadInput as error:
        why = str(error).rstrip(".")
        raise BadInput(f"'{shorten(name)}' is not a saved game of Ludus, or a damaged one: {why}.") from None


def check_branches(line: Line, branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """The branches as the game writes their moves; refuses one that cannot be played."""
    found = []
    for plies, moves in branches:
        if not 0 <= plies <= len(line.actions) or not moves:
            raise BadInput(f"a branch after {plies} moves does not belong to a game of {len(line.actions)}")
        ahead = line.copy()
        ahead.cut(plies)
        for move in moves:
            _push(ahead, move)
        found.append(Branch(plies, tuple(ahead.moves()[plies:])))
    return tuple(found)


def _push(line: Line, move: str) -> None:
    if (ending := line.ending()) is not None:
        raise BadInput(f"'{shorten(move)}' comes after the end of the game: {ending.sentence}")
    line.push(line.game.parse_move(line.state, move))


def _played(name: str, record: Record) -> SavedGame:
    game = make_game(name, **record.options)
    line = Line(game, fresh_start(game, 0) if record.start is None else game.parse(record.start))
    for move in record.moves:
        _push(line, move)
    return SavedGame(line, check_branches(line, record.branches))


def _replay(text: str) -> SavedGame:
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    head = [line.partition(" ") for line in lines[: len(HEAD)]]
    rest = lines[len(HEAD) :]
    moves = [line for line in rest if line.partition(" ")[0] != BRANCH]
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
    return SavedGame(line, check_branches(line, (_branch(text) for text in rest if text.partition(" ")[0] == BRANCH)))


def _branch(text: str) -> Branch:
    _, plies, *moves = text.split() if " " in text else (text, "")
    if not (plies.isascii() and plies.isdecimal() and len(plies) < 8):
        raise BadInput(f"'{shorten(text)}' does not say after how many moves it branches off")
    return Branch(int(plies), tuple(moves))


def _game(described: str) -> Game:
    """The game that a saved game names, with its options."""
    try:
        name, *options = shlex.split(described)
    except ValueError:
        raise BadInput(f"'{shorten(described)}' is not a game and its options") from None
    known = entry(name)
    pairs = [option.partition("=") for option in options]
    return make_game(name, **{key: known.option(key).read(name, value) for key, _, value in pairs})
