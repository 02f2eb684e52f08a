"""Hex, slowly.

On an n x n rhombus the sides take turns to put one stone of their colour on an empty cell. Black moves
first and wins by joining the top edge to the bottom edge with a chain of its stones, white by joining left
to right; a full board always has exactly one such chain. Black is seat 0, white is seat 1.

With `swap` on, white may answer black's first stone with `swap`: it takes the opening for itself. The stone
is removed, a white one is put on its mirror cell (row and column exchanged), and black is to move.

A position is the rows from the top, then the side to move: `.../.B./... w`. A move is the column letter and
the row number from the top: `b2`.
"""

Cell = tuple[int, int]  # row and column from the top left corner, both from 0
Board = dict[Cell, str]  # cell -> B, W or .


def _read(position: str) -> tuple[Board, str]:
    placement, mover = position.split()
    rows = placement.split("/")
    return {(r, c): stone for r, row in enumerate(rows) for c, stone in enumerate(row)}, mover


def _write(board: Board, mover: str) -> str:
    size = _size(board)
    rows = ["".join(board[r, c] for c in range(size)) for r in range(size)]
    return "/".join(rows) + " " + mover


def _size(board: Board) -> int:
    return 1 + max(row for row, _ in board)


def _name(cell: Cell) -> str:
    row, column = cell
    return "abcdefghijklmnopqrstuvwxyz"[column] + str(row + 1)


def _neighbours(cell: Cell) -> list[Cell]:
    r, c = cell
    return [(r, c - 1), (r, c + 1), (r - 1, c), (r + 1, c), (r - 1, c + 1), (r + 1, c - 1)]


def _connects(board: Board, stone: str, axis: int) -> bool:
    """Whether a chain of these stones leads from the first to the last row (axis 0) or column (axis 1)."""
    reached = {cell for cell in board if cell[axis] == 0 and board[cell] == stone}
    frontier = list(reached)
    while frontier:
        for cell in _neighbours(frontier.pop()):
            if board.get(cell) == stone and cell not in reached:
                reached.add(cell)
                frontier.append(cell)
    return any(cell[axis] == _size(board) - 1 for cell in reached)


def _may_swap(board: Board, mover: str) -> bool:
    stones = [stone for stone in board.values() if stone != "."]
    return stones == ["B"] and mover == "w"


def moves(position: str, swap: bool = False) -> list[str]:
    """Every legal move, sorted as text."""
    if result(position, swap) is not None:
        return []
    board, mover = _read(position)
    found = [_name(cell) for cell in board if board[cell] == "."]
    if swap and _may_swap(board, mover):
        found.append("swap")
    return sorted(found)


def play(position: str, move: str, swap: bool = False) -> str:
    """The position after a legal move."""
    board, mover = _read(position)
    if move == "swap":
        [(row, column)] = [cell for cell in board if board[cell] == "B"]
        board[row, column] = "."
        board[column, row] = "W"
    else:
        [cell] = [cell for cell in board if _name(cell) == move]
        board[cell] = mover.upper()
    return _write(board, "w" if mover == "b" else "b")


def result(position: str, swap: bool = False) -> tuple[float, ...] | None:
    """What each seat gets when the game is over, else None."""
    board, _ = _read(position)
    if _connects(board, "B", axis=0):
        return (1.0, -1.0)
    if _connects(board, "W", axis=1):
        return (-1.0, 1.0)
    return None
