"""What the search asks of twins beyond the rules: keys, forcing moves, and whether the game is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ludus import games
from ludus.core.game import Game
from ludus.games.abalone import reference
from ludus.search.twins import room

GAMES = [
    games.make_game("abalone", layout="belgian-daisy"),
    games.make_game("hex", size=3),
    games.make_game("hex", size=11),
    games.make_game("solitaire-chess"),
    games.make_game("solitaire-chess", size=8, pieces=12),
]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.describe())


def boards(game: Game, seed: int, most: int = 400) -> Iterator[Any]:
    """The positions of a random game."""
    twin, random, out = games.part(game, "twin"), np.random.default_rng(seed), room(game, 1)[0]
    board = twin.from_state(game, game.init())
    for _ in range(most):
        yield board
        count = twin.moves(board, out)
        if not count:
            return
        twin.make(board, int(random.choice(out[:count])))


def position(board: Any) -> tuple[bytes, ...]:
    """What a board holds, but for the tables and the room to work in."""
    return tuple(part.tobytes() for name, part in board._asdict().items() if name not in ("tables", "group"))


@every_game
def test_keys_tell_positions_apart(game: Game) -> None:
    twin, out, known = games.part(game, "twin"), room(game, 1)[0], {}
    for seed in range(3):
        for board in boards(game, seed, 12):
            assert twin.key(twin.from_state(game, twin.to_state(game, board))) == twin.key(board)
            before = twin.key(board)
            for action in out[: twin.moves(board, out)].tolist():
                undo = twin.make(board, action)
                here = position(board)
                assert known.setdefault(int(twin.key(board)), here) == here
                twin.unmake(board, undo)
            assert twin.key(board) == before
    assert len(set(known.values())) == len(known) > 10


@every_game
def test_the_bits_of_keys_are_mixed(game: Game) -> None:
    """As often one as zero, wherever the table looks."""
    twin = games.part(game, "twin")
    keys = {int(twin.key(board)) for seed in range(20) for board in boards(game, seed, 40)}
    shares = [sum(key >> bit & 1 for key in keys) / len(keys) for bit in range(64)]
    assert len(keys) > 30
    assert 0.5 - 3 / len(keys) ** 0.5 < min(shares) < max(shares) < 0.5 + 3 / len(keys) ** 0.5


def test_the_mover_is_part_of_the_key() -> None:
    game = games.make_game("abalone")
    twin, (board, *_) = games.part(game, "twin"), boards(game, 0, 1)
    other = board._replace(mover=1 - board.mover)
    assert twin.key(board) != twin.key(other)
    swapped = board._replace(marbles=board.marbles[::-1].copy())
    assert len({int(twin.key(each)) for each in (board, other, swapped)}) == 3


@every_game
def test_over_is_to_have_no_moves(game: Game) -> None:
    twin, out, ends = games.part(game, "twin"), room(game, 1)[0], 0
    if not hasattr(twin, "over"):
        return
    for seed in range(5):
        for board in boards(game, seed, 3000):
            assert twin.over(board) == (twin.moves(board, out) == 0)
            ends += bool(twin.over(board))
    assert ends


@pytest.mark.parametrize(
    ("position", "over"),
    [
        ("wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb b", False),
        ("wwww./wwww../......./......../......bb./......../......./.bbb../bbbb. w", True),  # eight are left
        ("bw.../bw..../bw...../bw....../bw......./bw....../bw...../ww..ww/bwwwb b", True),  # shut in at the rim
        ("bw.../bw..../bw..w../bbw...../bwbww..../bww...../bw..w../ww..../..... b", False),  # but for a few pushes
    ],
)
def test_over_by_the_slow_rules(position: str, over: bool) -> None:
    game = games.make_game("abalone")
    assert over == (not reference.moves(position))
    assert games.part(game, "twin").over(games.part(game, "twin").from_state(game, game.parse(position))) == over


def test_forcing_moves_push_a_marble_off() -> None:
    game, met = GAMES[0], 0
    twin, out, forced = games.part(game, "twin"), *room(game, 2)
    for seed in range(12):
        for board in boards(game, seed, 200):
            marbles = [int(word).bit_count() for word in board.marbles]
            expected = []
            for action in out[: twin.moves(board, out)].tolist():
                undo = twin.make(board, action)
                if sum(int(word).bit_count() for word in board.marbles) < sum(marbles):
                    expected.append(action)
                twin.unmake(board, undo)
            if twin.moves(board, out):
                assert forced[: twin.forcing(board, forced)].tolist() == expected
                met += len(expected)
    assert met > 50
