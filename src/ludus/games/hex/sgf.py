"""Hex in SGF, the Smart Game Format of HexGui and others: `(;FF[4]GM[11]SZ[11];B[f6];W[c3](;B[d8])(;B[e5]))`.

Cells are written as everywhere here, a letter for the column and a number for the row; `swap-pieces` is the swap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ludus.core.game import Game
from ludus.core.record import Node, Record, branches_of, tree_of
from ludus.errors import BadInput, shorten
from ludus.games.hex import notation

HEX = "11"  # its number among the games of SGF
SWAP = "swap-pieces"
TOKEN = re.compile(r"\s*(?:([();])|([A-Z]{1,8})|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)


def reads(text: str) -> bool:
    """Whether it is SGF, and says that it is Hex."""
    return text.lstrip().startswith("(") and f"GM[{HEX}]" in re.sub(r"\s", "", text)


def write(game: Game, record: Record) -> str:
    size = game.options()["size"]
    names = zip(("PB", "PW"), record.players, strict=False)
    head = f"FF[4]AP[Ludus]GM[{HEX}]SZ[{size}]" + "".join(f"{key}[{_escaped(name)}]" for key, name in names if name)
    seat = 0
    if record.start is not None:
        stones, seat = notation.read(record.start, size)
        for key, letter in (("AB", "B"), ("AW", "W")):
            cells = [notation.name(cell) for cell, side in sorted(stones.items()) if side == letter]
            head += key + "".join(f"[{cell}]" for cell in cells) if cells else ""
        head += f"PL[{notation.SIDES[seat]}]"
    if record.resigned is not None:
        head += f"RE[{notation.SIDES[1 - record.resigned]}+R]"
    return f"(;{head}{''.join(_below(tree_of(record.moves, record.branches), seat))})\n"


def _below(root: Node, seat: int) -> Iterator[str]:
    """What follows a position: one move as it is, several in brackets."""
    waiting: list[tuple[str, Node | None, int]] = [("", root, seat)]
    while waiting:
        text, node, mover = waiting.pop()
        yield text
        if node is None:
            continue
        several = len(node.children) > 1
        for move, child in reversed(node.children.items()):
            said = f";{notation.SIDES[mover]}[{SWAP if move == 'swap' else move}]"
            if several:
                waiting.append((")", None, 0))
            waiting.append((f"{'(' if several else ''}{said}", child, 1 - mover))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def read(text: str) -> Record:
    """The game and its variations; properties that say nothing of the moves are passed over."""
    root, head = Node(), dict[str, list[str]]()
    node, kept, key, begun = root, [], "", False
    for kind, value in _tokens(text):
        if kind == "(":
            kept.append(node)
        elif kind == ")":
            if not kept:
                raise BadInput("hex SGF: a bracket is closed that was not opened")
            node = kept.pop()
            if not kept:
                break
        elif kind == ";":
            begun, key = True, ""
        elif kind == "key":
            key = value
        elif not begun or not key:
            raise BadInput(f"hex SGF: '{shorten(value, 40)}' belongs to nothing")
        elif key in ("B", "W"):
            move = "swap" if value.lower() in (SWAP, "swap") else value.strip().lower()
            node = node.children.setdefault(move, Node())
        else:
            head.setdefault(key, []).append(value)
    if kept or not begun:
        raise BadInput("hex SGF: it does not end, or has no game in it")
    moves, branches = branches_of(root)
    options = {"size": _size(head), "swap": any("swap" in line for line in (moves, *(b.moves for b in branches)))}
    players = tuple(head.get(key, [""])[0] for key in ("PB", "PW"))
    return Record(options, _start(head, options["size"]), moves, branches, players if any(players) else ())


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = TOKEN.match(text, at)
        if found is None:
            raise BadInput(f"hex SGF: '{shorten(text[at : at + 20], 40)}' cannot be read")
        mark, key, value = found.groups()
        yield (mark, mark) if mark else ("key", key) if key else ("value", re.sub(r"\\(.)", r"\1", value or ""))
        at = found.end()


def _size(head: dict[str, list[str]]) -> int:
    text = head.get("SZ", ["11"])[0].partition(":")[0].strip()
    if not re.fullmatch(r"[0-9]{1,2}", text):
        raise BadInput(f"hex SGF: SZ[{shorten(text, 20)}] is no size of a board")
    return int(text)


def _start(head: dict[str, list[str]], size: int) -> str | None:
    """The position with the stones that were set up; None without any."""
    stones: dict[Any, str] = {}
    for key, letter in (("AB", "B"), ("AW", "W")):
        for cell in head.get(key, []):
            match = re.fullmatch(r"([a-z])([0-9]{1,2})", cell.strip().lower())
            if match is None:
                raise BadInput(f"hex SGF: {key}[{shorten(cell, 20)}] is no cell")
            stones[int(match[2]) - 1, ord(match[1]) - ord("a")] = letter
    first = head.get("PL", ["B"])[0].strip().upper()[:1]
    return notation.write(stones, 1 if first == "W" else 0, size) if stones else None
