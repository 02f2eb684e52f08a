"""Puzzles made by playing backwards can be solved, have as many pieces as were asked for, and differ."""

from __future__ import annotations

import functools

import jax
import numpy as np
import pytest
from helpers.batched import unstack
from helpers.cases import Reference, reference_of

from ludus.games.solitaire_chess.rules import SolitaireChess


def solvable(reference: Reference, text: str) -> bool:
    """Depth first, by the slow rules alone."""

    @functools.cache
    def search(text: str) -> bool:
        moves = reference.moves(text)
        if not moves:
            return reference.result(text) == (1.0,)
        return any(search(reference.play(text, move)) for move in moves)

    return search(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        SolitaireChess(),
        SolitaireChess(rules="solo", pieces=7),
        pytest.param(SolitaireChess(size=3, pieces=4), marks=pytest.mark.slow),
        pytest.param(SolitaireChess(size=3, pieces=4, rules="solo"), marks=pytest.mark.slow),
        pytest.param(SolitaireChess(size=6, pieces=7), marks=pytest.mark.slow),
    ],
    ids=SolitaireChess.describe,
)
def test_puzzles_can_be_solved(game: SolitaireChess) -> None:
    keys = jax.random.split(jax.random.key(0), 200)
    puzzles = jax.tree.map(np.asarray, jax.jit(jax.vmap(game.sample))(keys))
    texts = [game.format(unstack(puzzles, k)) for k in range(200)]
    reference = reference_of(game)
    assert all(solvable(reference, text) for text in texts)
    pieces = [sum(letter.isalpha() for letter in text) for text in texts]
    assert max(pieces) == game.pieces
    assert np.mean(np.equal(pieces, game.pieces)) > 0.5
    assert all("=" not in text and text.count("K") <= 1 for text in texts)
    assert len(set(texts)) > 150
    assert set("KQRBNP") <= set("".join(texts))


def test_the_first_puzzle_is_always_the_same_and_is_not_solved_yet() -> None:
    game = SolitaireChess()
    text = game.format(game.init())
    assert text == game.format(SolitaireChess(pieces=6).init())
    assert len(reference_of(game).moves(text)) > 0
    assert solvable(reference_of(game), text)


def test_a_larger_board_makes_no_longer_program() -> None:
    """XLA is slow on long ones. Boards of 5 to 7 have the same number of words, so only retreats could tell."""
    games = [SolitaireChess(size=size) for size in (5, 6, 7)]
    programs = [str(jax.make_jaxpr(game.sample)(jax.random.key(0))) for game in games]
    assert len({program.count(" = ") for program in programs}) == 1
