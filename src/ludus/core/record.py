"""Records of games, with variations: what a room's part `record` reads and writes in a format of its own.

    reads(text) -> bool                                   whether a text is in this format
    read(text) -> Record                                  a game from its text; refuses what cannot be read
    write(game, record) -> str                            the text of a game

The format's name is that of the module, and so is the ending of its files: `sgf` is SGF, the Smart Game Format.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Branch(NamedTuple):
    """Moves that were tried instead: after so many moves of the game, these."""

    plies: int
    moves: tuple[str, ...]


class Record(NamedTuple):
    """A game as text."""

    options: Mapping[str, Any]
    start: str | None  # None: the game's own
    moves: tuple[str, ...]
    branches: tuple[Branch, ...] = ()
    players: tuple[str, ...] = ()  # their names, by seat; empty: not said
    resigned: int | None = None  # the seat that gave up


class Node:
    """A position in a tree of variations; its first child goes on with the game, the others are branches."""

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}

    def add(self, moves: Iterable[str]) -> None:
        """Follow a line of moves, and make what is not there yet."""
        node = self
        for move in moves:
            node = node.children.setdefault(move, Node())


def tree_of(moves: tuple[str, ...], branches: Iterable[Branch]) -> Node:
    """The tree of a game and its branches. Lines that begin alike share their nodes."""
    root = Node()
    root.add(moves)
    for branch in branches:
        root.add((*moves[: branch.plies], *branch.moves))
    return root


def branches_of(root: Node) -> tuple[tuple[str, ...], tuple[Branch, ...]]:
    """The moves of the game itself, and its branches; a branch of a branch repeats what comes before it."""
    main, node = [], root
    while node.children:
        move, node = next(iter(node.children.items()))
        main.append(move)
    found: list[Branch] = []
    waiting: list[tuple[Node, int, tuple[str, ...], bool]] = [(root, 0, (), True)]
    while waiting:
        node, plies, moves, on_main = waiting.pop()
        if not node.children and moves:
            found.append(Branch(plies, moves))
        for place, (move, child) in reversed(list(enumerate(node.children.items()))):
            stays = on_main and place == 0
            waiting.append((child, plies + 1, (), True) if stays else (child, plies, (*moves, move), False))
    return tuple(main), tuple(sorted(found, key=lambda branch: branch.plies))
