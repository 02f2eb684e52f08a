"""Proofs written by the search: the checker accepts them, and refuses those of a faulty search."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.text import read_or_refuse, refusal

from ludus.games.hex import notation
from ludus.games.hex.checker import SIDES, check
from ludus.games.hex.solver import proof_writer
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import grid, transpose
from ludus.games.hex.solver.pairing import adjacency, each, join, joins
from ludus.games.hex.solver.proof_writer import write_proof
from ludus.games.hex.solver.prover import shared_prover
from ludus.games.hex.solver.tablebase import tablebase

pytestmark = pytest.mark.slow  # Numba compiles for half a minute before the first of them


def rows(size: int, number: int, seed: int) -> list[tuple[int, int, bool]]:
    """Unfinished positions of the table in the mover's view, and whether it wins."""
    known = tablebase(size)
    chosen = np.random.default_rng(seed).choice(np.flatnonzero(known.plies), number, replace=False)
    found = zip(known.own[chosen], known.other[chosen], known.wins[chosen], strict=True)
    return [(int(own), int(other), bool(wins)) for own, other, wins in found]


def truth(size: int, position: str) -> str:
    """Who wins by the table, where the position can arise; where somebody has joined, who did."""
    letters, mover = position[:-2].replace("/", ""), "bw".index(position[-1])
    own, other = (
        sum(
            1 << (cell if mover == 0 else cell % size * size + cell // size)
            for cell, one in enumerate(letters)
            if one == side
        )
        for side in ("BW"[mover], "BW"[1 - mover])
    )
    place = int(tablebase(size).find(np.array([own]), np.array([other]))[0])
    if place >= 0:
        return SIDES[mover if tablebase(size).wins[place] else 1 - mover]
    return SIDES[mover if joins(adjacency(grid(size)), own, ()) else 1 - mover]


def after(size: int, opening: str) -> tuple[int, int, int, bool]:
    """The position after this first move of black."""
    row, column = int(opening[1:]) - 1, ord(opening[0]) - ord("a")
    return size, 0, 1 << column * size + row, False


@pytest.mark.parametrize(("size", "number"), [(2, 20), (3, 400), (4, 400)])
def test_proofs_are_accepted_and_of_the_right_winner(size: int, number: int) -> None:
    for own, other, wins in rows(size, min(number, int((tablebase(size).plies > 0).sum())), seed=size):
        for black in (True, False):
            found = check(write_proof(size, own, other, black))
            mover = 0 if black else 1
            assert found.winner == SIDES[mover if wins else 1 - mover]
            assert found.position.endswith("bw"[mover])
            view = (own, other) if black else [int(transpose(grid(size), np.uint64(side))) for side in (own, other)]
            letters = found.position[:-2].replace("/", "")
            for side, letter in zip(view, "BW" if black else "WB", strict=True):
                assert [cell for cell, one in enumerate(letters) if one == letter] == [*each(side)]


def test_every_opening_of_5_x_5() -> None:
    """None takes a thousand lines; and those that win are all that the search says do."""
    winning = 0
    for cell in range(25):
        found = check(write_proof(*after(5, notation.name(divmod(cell, 5)))))
        assert found.nodes < 1000
        winning |= (found.winner == "black") << cell
    assert winning == shared_prover(5).solve(0, 0).winning


def test_openings_of_6_x_6() -> None:
    assert check(write_proof(*after(6, "a1"))).winner == "white"
    assert check(write_proof(*after(6, "d3"))).winner == "black"


@pytest.mark.campaign
@pytest.mark.parametrize("opening", ["a1", "f1", "a2", "c2", "f2", "c3", "d3", "a4", "b5", "a6"])
def test_more_openings_of_6_x_6(opening: str) -> None:
    found = check(write_proof(*after(6, opening)))
    assert found.nodes < 30_000
    assert found.winner == ("white" if opening in ("a1", "a2") else "black")


def test_what_is_over_and_what_takes_too_long() -> None:
    assert check(write_proof(2, 0b0100, 0b0011, False)) == ("black", "BW/B. w", 1)
    assert refusal(write_proof, 2, 0b0101, 0b0010, True) == "hex position 'BW/B. b' cannot arise in a game."
    sentence = "the proof could not be found and written within 0 s; give it longer."
    assert refusal(write_proof, 4, 0, 0, True, limit=0.0) == sentence


def test_whoever_watches_is_told() -> None:
    told = []
    text = write_proof(5, 0, 0, True, lambda *news: told.append(news))
    assert len(told) > 3
    assert all(before[1] <= news[1] for before, news in itertools.pairwise(told))
    assert max(lines for _, _, lines in told) <= text.count("\n") * 2


def test_pairs_join_whichever_cell_they_give() -> None:
    """And what is left of the stones is all needed."""
    size, rng, found = 4, random.Random(1), 0
    near = adjacency(grid(size))
    for _ in range(400):
        cells = rng.sample(range(size**2), 12)
        stones, free = sum(1 << cell for cell in cells[:6]), sum(1 << cell for cell in cells[6:])
        way = join(near, stones, free)
        if way is None:
            assert not joins(near, stones, ())
            continue
        own, pairs = way
        found += bool(pairs)
        assert not own & ~stones
        assert not sum(pairs) & ~free
        assert sum(pairs).bit_count() == 2 * len(pairs)
        gets = {own}
        for pair in pairs:
            gets = {got | 1 << cell for got in gets for cell in each(pair)}
        assert all(joins(near, got, ()) for got in gets)
        assert not any(joins(near, own & ~(1 << cell), pairs) for cell in each(own))
    assert found > 50


def tampered(text: str, rng: random.Random) -> str:
    """With one thing changed below the header, or the winner or the position."""
    lines = text.split("\n")
    at = rng.randrange(2, len(lines) - 1)
    parts = lines[at].split(" ")
    which = rng.randrange(1, len(parts))
    if at == 2:
        cells = list(parts[1])
        cells[rng.randrange(len(cells))] = rng.choice(".BW")
        parts[1] = "".join(cells)
    elif at == 3:
        parts[1] = rng.choice(SIDES)
    elif parts[which].isdigit():
        parts[which] = rng.choice(["", " ", str(int(parts[which]) + rng.choice((-2, -1, 1, 2)))])
    else:
        cells = parts[which].split(",")
        cells[rng.randrange(len(cells))] = rng.choice(["", f"{rng.choice('abcd')}{rng.randint(1, 4)}"])
        parts[which] = ",".join(cell for cell in cells if cell) or "-"
    lines[at] = " ".join(part for part in parts if part.strip())
    return "\n".join(lines)


def test_what_is_tampered_with_is_refused_or_still_true() -> None:
    rng, accepted, refused = random.Random(2), 0, 0
    proofs = [write_proof(4, own, other, rng.random() < 0.5) for own, other, _ in rows(4, 100, seed=9)]
    for _ in range(3000):
        proof = rng.choice(proofs)
        text = tampered(proof, rng)
        found = read_or_refuse(check, text)
        refused += found is None
        if found is not None and text != proof:
            accepted += 1
            assert found.winner == truth(4, found.position), text
    assert accepted > 100
    assert refused > 1000


Prove = Callable[[Any, Any, Any, int], tuple[int, Any]]


def lacking(prove: Prove, rng: random.Random) -> Prove:
    """One cell of the carrier is missing."""

    def lie(space: Any, black: Any, white: Any, mover: int) -> tuple[int, Any]:
        value, carrier = prove(space, black, white, mover)
        cells = [*each(int(carrier))]
        return value, np.uint64(int(carrier) & ~(1 << rng.choice(cells))) if cells else carrier

    return lie


def mistaken(prove: Prove, rng: random.Random) -> Prove:
    """The other wins, with all the cells there are."""

    def lie(space: Any, black: Any, white: Any, mover: int) -> tuple[int, Any]:
        value, _ = prove(space, black, white, mover)
        return -value, np.uint64((1 << 16) - 1 & ~(int(black) | int(white)))

    return lie


@pytest.mark.parametrize("lie", [lacking, mistaken])
def test_a_search_that_lies_contradicts_itself(lie: Callable[..., Prove], monkeypatch: pytest.MonkeyPatch) -> None:
    """Or its proof is refused; if it is accepted, the lie did no harm."""
    rng, faults = random.Random(3), 0
    monkeypatch.setattr(proof_writer, "prove", lie(prove, rng))
    for own, other, wins in rows(4, 150, seed=4):
        try:
            text = write_proof(4, own, other, True)
        except AssertionError:  # a proof contradicts another
            faults += 1
            continue
        found = read_or_refuse(check, text)
        faults += found is None
        assert found is None or found.winner == ("black" if wins else "white")
    assert faults > 50


def without_their_cells(near: list[int], stones: int, cells: int) -> tuple[int, tuple[int, ...]] | None:
    """Pairs count as the side's own."""
    way = join(near, stones, cells)
    return way and (way[0], ())


def touching_once(near: list[int], stones: int, cells: int) -> tuple[int, tuple[int, ...]] | None:
    """A free cell that joins is enough."""
    for cell in each(cells):
        way = join(near, stones | 1 << cell, cells & ~(1 << cell))
        if way:
            return way[0] & stones, way[1]
    return join(near, stones, cells)


@pytest.mark.parametrize("wrong", [without_their_cells, touching_once])
def test_a_writer_that_sees_pairs_where_there_are_none_is_refused(
    wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_writer, "join", wrong)
    refused = 0
    for own, other, wins in rows(4, 150, seed=5):
        found = read_or_refuse(check, write_proof(4, own, other, True))
        refused += found is None
        assert found is None or found.winner == ("black" if wins else "white")
    assert refused > 50
