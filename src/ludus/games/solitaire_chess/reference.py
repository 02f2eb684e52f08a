"""Solitaire Chess, slowly.

One player, a square board of 3 x 3 to 8 x 8, a few pieces of one colour. Every move is a capture of another
piece. Pieces move as in chess, and the sliding ones cannot jump; pawns capture one step diagonally upwards,
wherever they stand, and never promote; a king is never captured. The game is over when no capture is
possible: it is won (1) if exactly one piece is left, else lost (0).

With `rules="solo"` each piece may capture at most twice; what it has captured so far stays with the piece.

A position is a FEN placement, the rows from the top: `N3/1B2/P3/4`. Under solo rules the captures used
follow, in order of file and then rank, where there are any: `2N1/4/4/P3 a1=1,c4=2`. A move is from-square
and to-square: `a2b3`.
"""

Square = tuple[int, int]  # file and rank, both from 0 at the bottom left corner
Board = dict[Square, str]  # the occupied squares only
Counts = dict[Square, int]  # how often the piece on a square has captured, where it has

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
KNIGHT = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
STEPS = {
    "K": STRAIGHT + DIAGONAL,
    "Q": STRAIGHT + DIAGONAL,
    "R": STRAIGHT,
    "B": DIAGONAL,
    "N": KNIGHT,
    "P": [(-1, 1), (1, 1)],
}
SLIDERS = "QRB"


def _square(name: str) -> Square:
    return "abcdefgh".index(name[0]), int(name[1]) - 1


def _name(square: Square) -> str:
    return "abcdefgh"[square[0]] + str(square[1] + 1)


def _read(position: str) -> tuple[Board, Counts, int]:
    """The pieces, the captures they have used, and the size of the board."""
    placement, _, used = position.partition(" ")
    rows = placement.split("/")
    board: Board = {}
    for rank, row in enumerate(reversed(rows)):
        file = 0
        for char in row:
            if char.isdigit():
                file += int(char)
            else:
                board[file, rank] = char.upper()
                file += 1
    pairs = [pair.split("=") for pair in used.split(",") if pair]
    return board, {_square(name): int(count) for name, count in pairs}, len(rows)


def _write(board: Board, counts: Counts, size: int) -> str:
    rows = []
    for rank in reversed(range(size)):
        row = "".join(board.get((file, rank), " ") for file in range(size))
        for gap in range(size, 0, -1):  # the longest runs of empty squares first
            row = row.replace(" " * gap, str(gap))
        rows.append(row)
    used = ",".join(f"{_name(square)}={counts[square]}" for square in sorted(counts))
    return "/".join(rows) + (" " + used if used else "")


def _targets(board: Board, square: Square, size: int) -> list[Square]:
    """The squares whose piece the piece on this square can capture."""
    found = []
    piece = board[square]
    reach = size if piece in SLIDERS else 1
    for dx, dy in STEPS[piece]:
        for distance in range(1, reach + 1):
            target = square[0] + distance * dx, square[1] + distance * dy
            if target in board:
                if board[target] != "K":
                    found.append(target)
                break
    return found


def moves(position: str, rules: str = "paper") -> list[str]:
    """Every legal move, sorted."""
    board, counts, size = _read(position)
    found = []
    for square in board:
        if rules == "solo" and counts.get(square, 0) >= 2:
            continue
        for target in _targets(board, square, size):
            found.append(_name(square) + _name(target))
    return sorted(found)


def play(position: str, move: str, rules: str = "paper") -> str:
    """The position after a legal move."""
    board, counts, size = _read(position)
    origin, target = _square(move[:2]), _square(move[2:])
    board[target] = board.pop(origin)
    counts[target] = counts.pop(origin, 0) + 1
    return _write(board, counts if rules == "solo" else {}, size)


def result(position: str, rules: str = "paper") -> tuple[float, ...] | None:
    """What the one seat gets when the game is over, else None."""
    if moves(position, rules):
        return None
    board, _, _ = _read(position)
    return (1.0,) if len(board) == 1 else (0.0,)
