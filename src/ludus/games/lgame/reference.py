"""The L-Game, slowly.

On a 4 x 4 board each side owns one L-piece (four squares, turned or flipped at will), and two neutral
pieces of one square belong to nobody. A move has two parts:

1. The mover lifts its L and puts it down on four empty squares, its old ones included, but not exactly
   where it was.
2. It may then move one neutral piece to any square that is vacant by now.

A side that cannot move its L has lost. A is seat 0, B is seat 1.

A position is the rows from the top, then the side to move: `nAA./.BA./.BA./.BBn A`. A move is the L's four
new squares, in order of column (a-d) and then row (1-4 from the bottom), and the neutral's way if one
moves: `b4c4d3d4` or `b4c4d3d4+a4c2`.
"""

from itertools import product

Board = dict[str, str]  # square -> A, B, n or .

SQUARES = {(x, y): "abcd"[x] + "1234"[y] for x in range(4) for y in range(4)}


def _placements() -> list[tuple[str, ...]]:
    """The 48 ways to lay an L on the board, each as its four squares in order."""
    found = set()
    shape = [(0, 0), (0, 1), (0, 2), (1, 2)]
    for _ in range(4):
        shape = [(y, -x) for x, y in shape]  # a quarter turn
        flipped = [(-x, y) for x, y in shape]
        for form in (shape, flipped):
            for dx, dy in product(range(-4, 8), repeat=2):
                cells = [(x + dx, y + dy) for x, y in form]
                if all(cell in SQUARES for cell in cells):
                    found.add(tuple(sorted(SQUARES[cell] for cell in cells)))
    return sorted(found)


PLACEMENTS = _placements()


def _read(position: str) -> tuple[Board, str]:
    placement, mover = position.split()
    rows = placement.split("/")
    return {square: rows[3 - y][x] for (x, y), square in SQUARES.items()}, mover


def _write(board: Board, mover: str) -> str:
    rows = ["".join(board[SQUARES[x, y]] for x in range(4)) for y in (3, 2, 1, 0)]
    return "/".join(rows) + " " + mover


def _lift(board: Board, mover: str) -> Board:
    """The board with the mover's L taken off it."""
    return {square: "." if piece == mover else piece for square, piece in board.items()}


def moves(position: str) -> list[str]:
    """Every legal move, sorted."""
    board, mover = _read(position)
    lifted = _lift(board, mover)
    neutrals = [square for square in board if board[square] == "n"]
    found = []
    for placement in PLACEMENTS:
        same = all(board[square] == mover for square in placement)
        free = all(lifted[square] == "." for square in placement)
        if same or not free:
            continue
        text = "".join(placement)
        found.append(text)
        vacant = [square for square in lifted if lifted[square] == "." and square not in placement]
        for neutral, target in product(neutrals, vacant):
            found.append(f"{text}+{neutral}{target}")
    return sorted(found)


def play(position: str, move: str) -> str:
    """The position after a legal move."""
    board, mover = _read(position)
    board = _lift(board, mover)
    placement, _, neutral = move.partition("+")
    for i in (0, 2, 4, 6):
        board[placement[i : i + 2]] = mover
    if neutral:
        board[neutral[:2]] = "."
        board[neutral[2:]] = "n"
    return _write(board, "B" if mover == "A" else "A")


def result(position: str) -> tuple[float, ...] | None:
    """What each seat gets when the game is over, else None: the side that cannot move has lost."""
    if moves(position):
        return None
    return (-1.0, 1.0) if position.endswith("A") else (1.0, -1.0)
