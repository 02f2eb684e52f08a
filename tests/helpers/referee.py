"""A referee between two programs that speak the text protocol, as MoHex's own tournaments have it: each is asked for
moves by turns until one resigns, whose resignation the other is told; then both are asked for the score.
"""

from __future__ import annotations

from collections.abc import Callable

#: What a program answers to a command, its mark and the empty line included.
Ask = Callable[[str], str]
MOST = 1000  # moves of a game that somebody resigns


def tell(ask: Ask, command: str) -> str:
    """What is said, which must be no error."""
    answer = ask(command)
    assert answer.startswith("="), (command, answer)
    assert answer.endswith("\n\n"), (command, answer)
    return answer.removeprefix("=").strip()


def play(black: Ask, white: Ask, size: int) -> tuple[str, list[str]]:
    """Who has won, as both say; and the moves, the resignation included."""
    for ask in (black, white):
        tell(ask, f"boardsize {size} {size}")
        assert tell(ask, "name")
        assert tell(ask, "version")
    moves: list[str] = []
    while "resign" not in moves:
        mover, other, letter = (black, white, "b") if len(moves) % 2 == 0 else (white, black, "w")
        moves.append(tell(mover, f"genmove {letter}").lower())
        tell(other, f"play {letter} {moves[-1]}")
        assert tell(other, "showboard")
        assert len(moves) < MOST
    (score,) = {tell(ask, "final_score") for ask in (black, white)}
    assert all(tell(ask, "time_left") for ask in (black, white))
    return score, moves
