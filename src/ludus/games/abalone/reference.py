"""Abalone, slowly.

The board is a hexagon of 61 cells: rows A (bottom) to I (top), crossed by the diagonals 1 to 9. A side
moves one, two or three of its marbles, adjacent and in one line, a step in the same direction.

In line: the column is every marble of the mover from the rear one forward, at most three. The cell ahead
must be empty, or the column pushes: the one or two opposing marbles ahead must be fewer than the column,
and the cell behind them empty or off the board (that marble is lost). Own marbles never leave the board.

Sideways (broadside), in a direction not along their line: two or three marbles, each to an empty cell.

The game is over when a side has lost six of its 14 marbles, so that eight or fewer are left, or when the
mover has no move. The side with more marbles on the board wins, equal numbers tie. Black is seat 0.

A position is the rows from I down to A, each from its lowest diagonal up, then the side to move; the start
is `wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb b`. A move in line is the rear
marble's cell and the cell next to it: `a1b2`; a sideways one is the cells of both ends, the lower (row, then
diagonal) first, and the new cell of the first: `c6c7d6`.
"""

Cell = tuple[int, int]  # row 0-8 for A-I, diagonal 1-9
Board = dict[Cell, str]  # cell -> b, w or .

ROWS = [[(r, d) for d in range(1, 10) if abs(r + 1 - d) <= 4] for r in range(9)]
NAMES = {"abcdefghi"[r] + str(d): (r, d) for row in ROWS for r, d in row}
DIRECTIONS = [(0, 1), (1, 0), (1, 1), (0, -1), (-1, 0), (-1, -1)]
OTHER = {"b": "w", "w": "b"}


def _read(position: str) -> tuple[Board, str]:
    placement, mover = position.split()
    rows = reversed(placement.split("/"))
    return {cell: text[i] for row, text in zip(ROWS, rows, strict=True) for i, cell in enumerate(row)}, mover


def _write(board: Board, mover: str) -> str:
    return "/".join("".join(board[cell] for cell in row) for row in reversed(ROWS)) + " " + mover


def _name(cell: Cell) -> str:
    return "abcdefghi"[cell[0]] + str(cell[1])


def _step(cell: Cell, direction: Cell, times: int = 1) -> Cell:
    return cell[0] + times * direction[0], cell[1] + times * direction[1]


def _run(board: Board, cell: Cell, direction: Cell, colour: str) -> int:
    """How many marbles of this colour stand in a row from this cell on."""
    length = 0
    while board.get(_step(cell, direction, length)) == colour:
        length += 1
    return length


def _may_advance(board: Board, mover: str, rear: Cell, direction: Cell) -> bool:
    """Whether the column that starts with this rear marble may take a step in line."""
    own = _run(board, rear, direction, mover)
    front = _step(rear, direction, own)
    pushed = _run(board, front, direction, OTHER[mover])
    beyond = _step(front, direction, pushed)
    if own > 3 or pushed >= own:
        return False
    return board[beyond] == "." if beyond in board else pushed > 0


def _count(board: Board, colour: str) -> int:
    return list(board.values()).count(colour)


def moves(position: str) -> list[str]:
    """Every legal move, sorted."""
    board, mover = _read(position)
    found = []
    if min(_count(board, "b"), _count(board, "w")) <= 8:
        return found
    for first in [cell for cell in board if board[cell] == mover]:
        for direction in DIRECTIONS:
            if _may_advance(board, mover, first, direction):
                found.append(_name(first) + _name(_step(first, direction)))
        for line in DIRECTIONS[:3]:  # the three that lead upwards, so that `first` is the lower end
            for length in (2, 3):
                group = [_step(first, line, i) for i in range(length)]
                if any(board.get(cell) != mover for cell in group):
                    continue
                for side in DIRECTIONS:  # along their line one of the marbles is in the way of another
                    if all(board.get(_step(cell, side)) == "." for cell in group):
                        found.append(_name(first) + _name(group[-1]) + _name(_step(first, side)))
    return sorted(found)


def play(position: str, move: str) -> str:
    """The position after a legal move."""
    board, mover = _read(position)
    cells = [NAMES[move[i : i + 2]] for i in range(0, len(move), 2)]
    first, second, target = cells[0], cells[1], cells[-1]
    direction = (target[0] - first[0], target[1] - first[1])
    if len(cells) == 2:
        # Each marble takes the next one's place, until a gap or the edge of the board swallows the last.
        cell, carried = _step(first, direction), board[first]
        board[first] = "."
        while carried != "." and cell in board:
            board[cell], carried = carried, board[cell]
            cell = _step(cell, direction)
    else:
        middle = (first[0] + second[0]) // 2, (first[1] + second[1]) // 2  # of a pair: the first again
        for cell in {first, middle, second}:
            board[cell] = "."
            board[_step(cell, direction)] = mover
    return _write(board, OTHER[mover])


def result(position: str) -> tuple[float, ...] | None:
    """What each seat gets when the game is over, else None."""
    if moves(position):
        return None
    board, _ = _read(position)
    lead = _count(board, "b") - _count(board, "w")
    return (0.0, 0.0) if lead == 0 else (1.0, -1.0) if lead > 0 else (-1.0, 1.0)
