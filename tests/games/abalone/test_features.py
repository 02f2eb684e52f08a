"""What Abalearn's networks see: worked out by hand on one position, and slowly from the text of many; rewards too."""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from helpers.batched import unstack
from helpers.positions import random_positions

from ludus.core.game import compiled, legal_actions
from ludus.games import part
from ludus.games.abalone import reference
from ludus.games.abalone.features import FEATURES, example, picture
from ludus.games.abalone.rules import Abalone

GAME = Abalone()

# White has just moved, so white is "own". Black could push off e1, with e2 and e3; white e9, with e8 and e7, and i9, by
# three against two. Nothing else is threatened: the other marbles have at most one beside them.
#
#            I  w w w b b
#           H  . . . . . .
#          G  b . b . b . b            rings of the row E:  4 3 2 1 0 1 2 3 4
#         F  . . . . . . . .           of g3 4, g5 2, g7 2, g9 4; of c2 3, c4 2, c6 3
#        E  w b b . b . w w b
#         D  . . . . . . . .
#          C  . w . w . w .
#           B  . . . . . .
#            A  . . . . .
BY_HAND = "wwwbb/....../b.b.b.b/......../wbb.b.wwb/......../.w.w.w./....../..... b"


@functools.cache
def compiled_features(name: str) -> Any:
    return jax.jit(functools.partial(FEATURES[name], GAME))


def seen(name: str, text: str) -> np.ndarray:
    return np.asarray(compiled_features(name)(GAME.parse(text)))


def test_counts_by_hand() -> None:
    own, other = [0, 5, 4, 5], [1, 4, 5, 4]  # centre, middle, border, off the board
    scale = np.array([14, 14, 14, 6] * 2)
    np.testing.assert_allclose(seen("abalearn-1.1", BY_HAND) * scale, own + other, rtol=1e-6)


def test_numbers_by_hand() -> None:
    zones, lead = [0, 5, 4, 1, 4, 5], [-1]
    protection = [(1 + 1 + 1 + 2 + 1) / 9, (1 + 1 + 1 + 1) / 10]  # e7 e8 i5 i6 i7; e2 e3 i8 i9
    distance = [(4 + 2 + 3 + 4 + 4 + 4 + 3 + 2 + 3) / 9, (3 + 2 + 0 + 4 + 4 + 4 + 4 + 2 + 2 + 4) / 10]
    threatened = [1, 2]
    scale = np.array([14] * 6 + [6] + [6, 6] + [4, 4] + [6, 6])
    wanted = zones + lead + protection + distance + threatened
    np.testing.assert_allclose(seen("abalearn-1.2", BY_HAND) * scale, wanted, rtol=1e-6)


def test_the_board_by_hand() -> None:
    row = {"C": [0, 1, 0, 1, 0, 1, 0], "E": [1, -1, -1, 0, -1, 0, 1, 1, -1]}
    row |= {"G": [-1, 0, -1, 0, -1, 0, -1], "I": [1, 1, 1, -1, -1]}
    empty = {"A": 5, "B": 6, "D": 8, "F": 8, "H": 6}
    wanted = [cell for name in "ABCDEFGHI" for cell in row.get(name, [0] * empty.get(name, 0))]
    np.testing.assert_allclose(seen("abalearn-1.0", BY_HAND), [*wanted, 5 / 6, 4 / 6], rtol=1e-6)


def test_the_other_side_sees_the_same_the_other_way_round() -> None:
    turned = BY_HAND.removesuffix("b") + "w"  # now black has just moved
    one, two = seen("abalearn-1.1", BY_HAND), seen("abalearn-1.1", turned)
    assert one[:4].tolist() == two[4:].tolist()
    assert one[4:].tolist() == two[:4].tolist()
    one, two = seen("abalearn-1.2", BY_HAND), seen("abalearn-1.2", turned)
    np.testing.assert_array_equal(two, np.array([*one[3:6], *one[:3], -one[6], *one[[8, 7, 10, 9, 12, 11]]]))


# --- slowly -------------------------------------------------------------------------------------------------


@functools.cache
def steps_from_the_middle() -> dict[tuple[int, int], int]:
    """How many steps each cell is from e5, by walking."""
    found, edge = {(4, 5): 0}, [(4, 5)]
    while edge:
        cell = edge.pop(0)
        for r, d in reference.DIRECTIONS:
            there = (cell[0] + r, cell[1] + d)
            if there in reference.NAMES.values() and there not in found:
                found[there] = found[cell] + 1
                edge.append(there)
    return found


def pushed_off(text: str, mover: str) -> set[tuple[int, int]]:
    """The marbles that a side could push off if it were to move: by every move of the slow rules."""
    position, found = f"{text.split()[0]} {mover}", set()
    for move in reference.moves(position):
        after, other = reference.play(position, move), reference.OTHER[mover]
        if after.count(other) - after.endswith(other) == text.split()[0].count(other):
            continue
        (row, diagonal), target = (reference.NAMES[move[i : i + 2]] for i in (0, 2))
        step, cell = (target[0] - row, target[1] - diagonal), target
        while (cell[0] + step[0], cell[1] + step[1]) in reference.NAMES.values():
            cell = (cell[0] + step[0], cell[1] + step[1])
        found.add(cell)  # the last one before the edge
    return found


def slowly(name: str, text: str) -> list[float]:
    """The features of a position from its text."""
    placement, mover = text.split()
    rows = zip(reference.ROWS, reversed(placement.split("/")), strict=True)
    board = {cell: letter for row, letters in rows for cell, letter in zip(row, letters, strict=True)}
    sides = [reference.OTHER[mover], mover]
    marbles = {side: [cell for cell in board if board[cell] == side] for side in sides}
    rings = {side: [steps_from_the_middle()[cell] for cell in marbles[side]] for side in sides}
    off = {side: (14 - len(marbles[side])) / 6 for side in sides}
    if name == "abalearn-1.0":
        signs = {sides[0]: 1, sides[1]: -1, ".": 0}
        return [signs[board[cell]] for row in reference.ROWS for cell in row] + [off[side] for side in sides]
    zones = {side: [sum(r in zone for r in rings[side]) / 14 for zone in ((0, 1), (2, 3), (4,))] for side in sides}
    if name == "abalearn-1.1":
        return [number for side in sides for number in (*zones[side], off[side])]

    def neighbours(side: str) -> float:
        pairs = [(a[0] + r, a[1] + d) in marbles[side] for a in marbles[side] for r, d in reference.DIRECTIONS]
        return sum(pairs) / len(marbles[side]) / 6

    one, two = sides
    return [
        *zones[one],
        *zones[two],
        (len(marbles[one]) - len(marbles[two])) / 6,
        *(neighbours(side) for side in sides),
        *(sum(rings[side]) / len(marbles[side]) / 4 for side in sides),
        len(pushed_off(text, two)) / 6,
        len(pushed_off(text, one)) / 6,
    ]


@functools.cache
def positions() -> Any:
    return random_positions(GAME, 192, ends=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", FEATURES)
def test_they_are_what_they_are_slowly(name: str) -> None:
    texts = [BY_HAND, *(GAME.format(unstack(positions(), i)) for i in range(192))]
    found = [seen(name, BY_HAND), *np.asarray(jax.jit(jax.vmap(compiled_features(name)))(positions()))]
    np.testing.assert_allclose(found, [slowly(name, text) for text in texts], rtol=1e-5)
    if name == "abalearn-1.2":  # else little is seen
        assert (np.array(found)[:, -2:] > 0).any(axis=1).sum() > 25
    assert np.abs(found).max() <= 1


def test_seen_from_the_first_player_s_side_black_has_always_just_moved() -> None:
    turned, marbles = part("abalone", "first_view"), BY_HAND.partition(" ")[0]
    for mover in "bw":
        assert GAME.format(turned(GAME, GAME.parse(f"{marbles} {mover}"))) == f"{marbles} w"


# --- rewards ------------------------------------------------------------------------------------------------


def test_a_move_gains_the_marble_that_it_pushes_off() -> None:
    rewards, state = (
        jax.jit(functools.partial(part("abalone", "rewards"), GAME)),
        GAME.parse(BY_HAND.removesuffix("b") + "w"),
    )
    gains = {
        GAME.format_move(state, action): float(rewards(state, compiled(GAME).step(state, np.int32(action))))
        for action in legal_actions(GAME, state)
    }
    assert {move for move, gain in gains.items() if gain == 1} == {"e7e8", "i5i6"}
    assert set(gains.values()) == {0, 1}


def test_a_seat_has_taken_what_the_other_misses() -> None:
    taken = jax.jit(functools.partial(part("abalone", "taken"), GAME))
    off = {side: 14 - BY_HAND.partition(" ")[0].count(side) for side in "bw"}
    assert off["b"] != off["w"]
    for mover in "bw":  # black sits first
        assert taken(GAME.parse(BY_HAND.removesuffix("b") + mover)).tolist() == [off["w"], off["b"]]


# --- the picture --------------------------------------------------------------------------------------------


def test_the_picture_shows_zones_and_numbers() -> None:
    document = ET.fromstring(picture(GAME, GAME.parse(BY_HAND)))
    tag = "{http://www.w3.org/2000/svg}"
    fills = [shape.get("fill") for shape in document.iter(f"{tag}polygon")]
    assert sorted(fills.count(fill) for fill in set(fills)) == [7, 24, 30]
    texts = [shape.text for shape in document.iter(f"{tag}text")]
    assert texts.count("!") == 3
    assert "white has just moved" in texts
    assert texts[texts.index("distance") :][:3] == ["distance", "3.222", "2.9"]


def test_the_picture_in_the_documents_is_this_one() -> None:
    document = Path(__file__).parents[3] / "docs" / "abalearn-features.svg"
    assert document.read_text(encoding="utf-8") == example()
