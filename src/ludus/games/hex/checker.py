"""The format of Hex proofs, and their checker, which knows the rules of the game and nothing of the search.

    game hex                            the first four lines say what is proved:
    size 4                              who wins from a position, by the rules without swap
    position W.../..B./..../B... w
    winner black
    5 O c2,b3,a4 c1+d1 joined
    6 M c2,a4 c1+d1,b3 b3 5
    7 O c2,c3 c1+d1,b4+c4 joined
    8 M c2 c1+d1,b4+c4,c3 c3 7
    9 O c2,a4 c1+d1,b4+c4,b3,c3 6 8

Every other line is a position: the winner has some stones, some cells are free, **and the loser has all the rest of the
board**. A line has these fields, separated by spaces: its own number, counted from the top of the file; the side to
move, `M` for the winner, `O` for the opponent; the winner's stones; the free cells; and the reason why the winner wins.
Cells are named as in moves and separated by commas; `-` means none. A pair, `c1+d1`, is two free cells of which the
winner gets one: whenever the opponent takes one, the winner takes the other at once. The reasons:

    M ... b3 5       the winner plays b3, a free cell in no pair; then it has all that line 5 takes. Line 5 is an O
    O ... joined     the stones and any one cell of every pair join the winner's two edges; a pair joins whatever both
                     of its cells touch
    O ... 6 8        the winner has all that line 6 takes, and all that line 8 takes; both are M. Apart from the pairs
                     of this line, no cell is taken by all of them: after any move of the opponent one is untouched

A line takes its stones, free cells and pairs. A pair may be taken from two free cells, but not a free cell from a pair.
A reason names only lines above its own. So all lines hold, one after the other: more stones or free cells than a line
takes never hurt the winner.

The last line is the root. In the position to prove, its stones are the winner's, no free cell of it has a stone of the
loser, and the side to move is the same.

    python -m ludus.games.hex.checker FILE...

prints who wins in each file; if a file is wrong, it says why on stderr and the exit status is 2.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from ludus.errors import BadInput, shorten

HEADER_LINES = 4
SIDES = ("black", "white")
NUMBER = re.compile(r"[1-9][0-9]{0,11}")


class CheckedProof(NamedTuple):
    """What a file proves."""

    winner: str  # black or white
    position: str
    nodes: int  # lines of the proof


class Geometry(NamedTuple):
    """The board for one side. A set of cells is an integer: bit `row * size + column` is a cell, the last two bits are
    the edges.
    """

    bits: dict[str, int]  # the bit of each cell, by name
    near: list[int]  # the neighbours of each cell and edge
    edges: int  # the two edges that the side joins


class ProofLine(NamedTuple):
    kind: str  # M or O
    stones: int
    free: int  # cells in no pair
    pairs: tuple[int, ...]


class Header(NamedTuple):
    """What is claimed in the first lines."""

    geometry: Geometry
    winner: int
    first: bool  # whether the winner is to move
    stones: int
    others: int
    position: str


def check(text: str) -> CheckedProof:
    """Check a proof. A `BadInput` names the line and the fault."""
    rows = text.removesuffix("\n").split("\n")
    header = _read_header(rows)
    lines: list[ProofLine] = []
    for row in rows[HEADER_LINES:]:
        lines.append(read_line(header.geometry, lines, row))
    _root(header, lines)
    return CheckedProof(SIDES[header.winner], header.position, len(lines))


def read_line(geometry: Geometry, lines: Sequence[ProofLine], row: str) -> ProofLine:
    """Read the line that follows these, and check its reason."""
    try:
        return _line(geometry, lines, row)
    except BadInput as error:
        raise BadInput(f"line {len(lines) + HEADER_LINES + 1} of the proof: {error}.") from None


def _line(geometry: Geometry, lines: Sequence[ProofLine], row: str) -> ProofLine:
    fields = row.split(" ")
    if len(fields) < 5:
        raise BadInput("it should have a number, M or O, stones, free cells, and why the winner wins")
    own_number, kind, stones_field, free_field, *reason = fields
    if own_number != str(len(lines) + HEADER_LINES + 1):
        raise BadInput(f"it should begin with its number, not with '{shorten(own_number)}'")
    stones, no_pairs = _cells(geometry, stones_field)
    free, pairs = _cells(geometry, free_field)
    both = stones & (free | sum(pairs))
    if no_pairs:
        raise BadInput(f"stones do not come in pairs, as in '{shorten(stones_field)}'")
    if both:
        raise BadInput(f"{_names(geometry, both)} cannot have a stone and be free")
    if kind == "M":
        if len(reason) != 2:
            raise BadInput("an M ends with a move and the number of a line")
        move = geometry.bits.get(reason[0], 0)
        if not move & free:
            raise BadInput(f"the move '{shorten(reason[0])}' is no free cell, or one of a pair")
        _follow(geometry, lines, reason[1], ProofLine("O", stones | move, free & ~move, pairs))
    elif kind == "O" and reason == ["joined"]:
        if not _joins(geometry, stones, pairs):
            raise BadInput("the stones and pairs do not join the winner's edges")
    elif kind == "O":
        common = free
        for name in reason:
            then = _follow(geometry, lines, name, ProofLine("M", stones, free, pairs))
            common &= then.free | sum(pair for pair in then.pairs if pair not in pairs)
        if common:
            raise BadInput(f"all the lines that it names take {_names(geometry, common)}, and the other may play there")
    else:
        raise BadInput(f"a line is an M or an O, not '{shorten(kind)}'")
    return ProofLine(kind, stones, free, pairs)


def _cells(geometry: Geometry, field: str) -> tuple[int, tuple[int, ...]]:
    """The single cells of a field, and the pairs."""
    if field == "-":
        return 0, ()
    found, paired, pairs = 0, 0, []
    for names in field.split(","):
        pair = 0
        for name in names.split("+"):
            cell = geometry.bits.get(name, 0)
            if not cell:
                raise BadInput(f"there is no cell '{shorten(name)}' on the board")
            if (found | paired | pair) & cell:
                raise BadInput(f"{name} is named twice in '{shorten(field)}'")
            pair |= cell
        if pair.bit_count() > 2:
            raise BadInput(f"a pair is two cells, not '{shorten(names)}'")
        if pair.bit_count() == 2:
            paired |= pair
            pairs.append(pair)
        else:
            found |= pair
    return found, tuple(pairs)


def _follow(geometry: Geometry, lines: Sequence[ProofLine], name: str, there: ProofLine) -> ProofLine:
    """The line of this number. It must be of the kind of `there`, and take only what `there` has."""
    if not NUMBER.fullmatch(name):
        raise BadInput(f"'{shorten(name)}' is not the number of a line")
    place = int(name) - HEADER_LINES - 1
    if not 0 <= place < len(lines):
        raise BadInput(f"there is no line {name} of the proof before it")
    line = lines[place]
    if line.kind != there.kind:
        raise BadInput(f"line {name} should be an {there.kind}")
    if line.stones & ~there.stones:
        raise BadInput(
            f"line {name} takes a stone on {_names(geometry, line.stones & ~there.stones)}, which is not there"
        )
    if line.free & ~there.free:
        raise BadInput(f"line {name} takes {_names(geometry, line.free & ~there.free)}, which is not free")
    for pair in line.pairs:
        if pair not in there.pairs and pair & ~there.free:
            raise BadInput(f"line {name} takes the pair {_names(geometry, pair)}, which is neither a pair nor free")
    return line


def _joins(geometry: Geometry, stones: int, pairs: Sequence[int]) -> bool:
    """Whether the edges are joined, whichever cell of each pair the side gets. Edges count as stones."""
    groups, left = [], stones | geometry.edges
    while left:
        group = fresh = left & -left
        while fresh:
            around = geometry.near[fresh.bit_length() - 1] & left & ~group
            fresh = fresh & ~(1 << fresh.bit_length() - 1) | around
            group |= around
        groups.append(group)
        left &= ~group
    joining = True
    while joining:
        joining = False
        for pair in pairs:
            one, two = geometry.near[pair.bit_length() - 1], geometry.near[(pair & -pair).bit_length() - 1]
            both = [group for group in groups if group & one and group & two]
            if len(both) > 1:
                groups, joining = [*(group for group in groups if group not in both), sum(both)], True
    return any(group & geometry.edges == geometry.edges for group in groups)


def _names(geometry: Geometry, cells: int) -> str:
    return ",".join(name for name, cell in geometry.bits.items() if cell & cells)


def _root(header: Header, lines: Sequence[ProofLine]) -> None:
    number = len(lines) + HEADER_LINES
    if not lines:
        raise BadInput(f"line {number + 1} of the proof: there is none, and the last line should be the root.")
    kind, stones, free, pairs = lines[-1]
    wanted = "M" if header.first else "O"
    missing, taken = stones & ~header.stones, (free | sum(pairs)) & header.others
    if kind != wanted:
        why = f"it should be an {wanted} with this winner and this side to move"
    elif missing:
        why = f"the winner has no stone on {_names(header.geometry, missing)} in the position"
    elif taken:
        why = f"the loser has a stone on {_names(header.geometry, taken)} in the position"
    else:
        return
    raise BadInput(f"line {number} of the proof: it is the last, the root, and {why}.")


def _read_header(rows: Sequence[str]) -> Header:
    def wrong(number: int, why: str) -> NoReturn:
        raise BadInput(f"line {number} of the proof: {why}.")

    values: list[str] = []
    for number, word in enumerate(("game", "size", "position", "winner"), start=1):
        row = rows[number - 1] if len(rows) >= number else ""
        if not row.startswith(word + " "):
            wrong(number, f"it should begin with '{word} ', not be '{shorten(row)}'")
        values.append(row.removeprefix(word + " "))
    game, size_text, position, winner = values
    if game != "hex":
        wrong(1, f"the game should be hex, not '{shorten(game)}'")
    if size_text not in map(str, range(2, 20)):
        wrong(2, f"the size should be a number from 2 to 19, not '{shorten(size_text)}'")
    if winner not in SIDES:
        wrong(4, f"the winner should be black or white, not '{shorten(winner)}'")
    size, seat = int(size_text), SIDES.index(winner)
    if not re.fullmatch(rf"[BW.]{{{size}}}(/[BW.]{{{size}}}){{{size - 1}}} [bw]", position):
        wanted = f"{size} rows of {size} of the letters B, W and ., with / between, a space, and b or w"
        wrong(3, f"the position should be {wanted}, not '{shorten(position)}'")
    cells, mover = position[:-2].replace("/", ""), "bw".index(position[-1])
    if cells.count("BW"[1 - mover]) - cells.count("BW"[mover]) not in (0, 1):
        wrong(3, f"the side to move should have as many stones as the other or one fewer, not as in '{position}'")
    black, white = (sum(1 << cell for cell, letter in enumerate(cells) if letter == side) for side in "BW")
    own, other = (white, black) if seat else (black, white)
    return Header(geometry(size, seat), seat, mover == seat, own, other, position)


#      a  b  c
#    1  .  .  .         Black joins the first row and the last; white joins columns.
#     2  .  x  .        The neighbours of b2 are a2 and c2, b1 and c1 above, a3 and b3 below.
#      3  .  .  .


def geometry(size: int, seat: int) -> Geometry:
    places = [(row, column) for row in range(size) for column in range(size)]
    edges = [1 << len(places), 2 << len(places)]
    bits = {place: 1 << cell for cell, place in enumerate(places)}
    near = []
    for row, column in places:
        beside, above = ((row, column - 1), (row, column + 1)), ((row - 1, column), (row - 1, column + 1))
        below = ((row + 1, column - 1), (row + 1, column))
        near.append(sum(bits.get(place, 0) for place in (*beside, *above, *below)))
        along = (row, column)[seat]
        near[-1] |= (edges[0] if along == 0 else 0) | (edges[1] if along == size - 1 else 0)
    for edge in edges:
        near.append(sum(1 << cell for cell in range(len(places)) if near[cell] & edge))
    names = {f"{'abcdefghijklmnopqrs'[column]}{row + 1}": bit for (row, column), bit in bits.items()}
    return Geometry(names, near, sum(edges))


def main(files: Sequence[str]) -> int:
    """Check these files; the exit status."""
    faults = [] if files else ["name the files to check, as in 'python -m ludus.games.hex.checker FILE'."]
    for name in files:
        try:
            found = check(Path(name).read_text("ascii"))
            print(f"{name}: {found.winner} wins from {found.position}, {found.nodes:,} lines checked")
        except BadInput as error:
            faults.append(f"'{name}', {error}")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not plain text"
            faults.append(f"'{name}' cannot be read: {why}.")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 2 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
