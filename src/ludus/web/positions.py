"""Games by name and options, lines by their moves, positions as documents.

A request brings the start and all moves of its game. The latest lines are cached, so a line is not replayed from the
start each time: it continues from its longest cached prefix.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from ludus import games as registry
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.play import game_file
from ludus.play.game_file import SavedGame
from ludus.play.line import Line, fresh_start
from ludus.web.body import Body

MAX_LINES, MAX_STATES = 2048, 100_000  # cached lines, and the positions in all of them (about a kilobyte each)
MAX_GAMES = 128  # each compiles programs of its own, which are never freed

Key = tuple[Game, str, tuple[str, ...]]


class PositionCache:
    """The games and lines of all requests."""

    def __init__(self) -> None:
        self._games: dict[tuple[Any, ...], Game] = {}
        self._lines: OrderedDict[Key, Line] = OrderedDict()
        self._states = 0  # in all cached lines
        self._lock = threading.Lock()

    def game(self, body: Body) -> Game:
        name, options = body.text("game"), body.options("options")
        known = registry.entry(name)
        filled = known.filled(options)
        key = (name, *filled.items())
        with self._lock:
            if key in self._games:
                return self._games[key]
        self.refuse_full()
        made = registry.make_game(name, **filled)
        with self._lock:
            return self._games.setdefault(key, made)

    def refuse_full(self) -> None:
        if len(self._games) >= MAX_GAMES:
            raise BadInput(f"{MAX_GAMES} kinds of game were played here already; begin anew with ludus serve.")

    def loaded(self, text: str) -> SavedGame:
        """A saved game, which names its own game and options."""
        self.refuse_full()
        found = game_file.read_tree(text, "this text")
        game = found.line.game
        with self._lock:
            self._games.setdefault((game.name, *game.options().items()), game)
        return found

    def line(self, body: Body) -> Line:
        """The line that a request asks about: a start and its moves."""
        game = self.game(body)
        start = body.text("start") if body.has("start") else game.format(fresh_start(game, body.seed(0)))
        line = self.played(game, start, body.texts("moves"))
        if body.has("resigned"):
            line.resigned = _seat(game, body.text("resigned", longest=40))
        return line

    def played(self, game: Game, start: str, moves: tuple[str, ...]) -> Line:
        """The line after these moves: a copy, which the caller may extend."""
        for length in range(len(moves), -1, -1):
            if (known := self._find((game, start, moves[:length]))) is not None:
                break
        else:
            length, known = 0, Line(game, game.parse(start))
            self._keep((game, start, ()), known)
        line = known.copy()
        for at in range(length, len(moves)):
            if (ending := line.ending()) is not None:
                raise BadInput(f"'{shorten(moves[at])}' comes after the end of the game: {ending.sentence}")
            line.push(game.parse_move(line.state, moves[at]))
            self._keep((game, start, moves[: at + 1]), line)
        return line

    def _find(self, key: Key) -> Line | None:
        with self._lock:
            found = self._lines.get(key)
            if found is not None:
                self._lines.move_to_end(key)
            return found

    def _keep(self, key: Key, line: Line) -> None:
        line.players()  # every document shows both: computed here, they are computed once
        line.moves()
        copy = line.copy()
        with self._lock:
            before = self._lines.pop(key, None)
            self._lines[key] = copy
            self._states += len(copy.states) - (0 if before is None else len(before.states))
            while len(self._lines) > MAX_LINES or self._states > MAX_STATES:
                self._states -= len(self._lines.popitem(last=False)[1].states)


def _seat(game: Game, name: str) -> int:
    if name not in game.seats:
        raise BadInput(f"{game.name} has no seat '{shorten(name)}'; its seats are {', '.join(game.seats)}.")
    return game.seats.index(name)


def geometry(game: Game) -> dict[str, Any]:
    """The board to draw. A game without the part `board` is shown as text."""
    part = registry.part(game, "board")
    return {"kind": "text"} if part is None else part.geometry(game).to_json()


def position_document(line: Line) -> dict[str, Any]:
    """A position with the moves that led to it, as a document."""
    game, ending = line.game, line.ending()
    text = game.format(line.state)
    legal = [] if ending is not None else [game.format_move(line.state, action) for action in line.legal()]
    found = {
        "game": game.name,
        "options": game.options(),
        "start": game.format(line.states[0]),
        "moves": line.moves(),
        "position": text,
        "seats": list(game.seats),
        "player": line.player(),
        "players": line.players()[:-1],
        "legal": legal,
        "over": ending is not None,
        "result": None if ending is None else ending.result,
        "sentence": None if ending is None else ending.sentence,
        "returns": None if ending is None else list(ending.returns),
        "text": game.draw(line.state),
    }
    part = registry.part(game, "board")
    if part is None:
        return found
    ways = [part.way(game, text, move)._asdict() for move in legal]
    last = None
    if line.actions:
        before = game.format(line.states[-2])
        last = part.way(game, before, found["moves"][-1])._asdict()
    return found | {"shown": part.show(game, text)._asdict(), "ways": ways, "last": last}
