"""The Numba twins are the rules again: the same moves, positions and results along random games, the same perft."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import jax
import numpy as np
import pytest
from helpers.playthroughs import game_of
from helpers.positions import stack, starts_of, unstack

from ludus.core.game import Game
from ludus.games.abalone import LAYOUTS
from ludus.games.abalone import twin as abalone
from ludus.games.abalone.rules import Abalone
from ludus.games.hex import twin as hex
from ludus.games.hex.rules import Hex
from ludus.games.solitaire_chess import twin as solitaire_chess
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.search.twins import room

TWINS: dict[str, ModuleType] = {"abalone": abalone, "hex": hex, "solitaire-chess": solitaire_chess}

GAMES: tuple[Game, ...] = (
    Abalone(cap=60),
    *(Hex(2, swap=True), Hex(5), Hex(9, swap=True)),
    *(SolitaireChess(3, "solo", pieces=4), SolitaireChess(4), SolitaireChess(8, "solo")),
)

pytestmark = pytest.mark.slow  # Numba compiles for ten seconds before the first of them

every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.describe().replace(" ", "-"))


class Lines(NamedTuple):
    """Random games by the rules in JAX, and what those say of every position: leaves [T, B, ...]."""

    states: Any
    legal: np.ndarray  # none where the game is over
    returns: np.ndarray
    actions: np.ndarray
    plies: np.ndarray  # [B]


def starts(game: Game) -> list[Any]:
    """Pools of 64; for Abalone, where only the start makes a difference, one from each layout."""
    if isinstance(game, Abalone):
        return [starts_of(replace(game, layout=layout), seed) for seed, layout in enumerate(LAYOUTS)]
    return [starts_of(game, seed) for seed in (0, 1)]


@functools.cache
def lines(game: Game) -> Lines:
    look = jax.jit(jax.vmap(lambda state: (game.legal(state), game.done(state), game.returns(state))))
    step = jax.jit(jax.vmap(game.step))
    rng = np.random.default_rng(GAMES.index(game))
    states = jax.tree.map(lambda *pools: np.concatenate(pools), *starts(game))
    records = []
    for _ in range(game.max_plies + 1):
        legal, done, returns = (np.asarray(answer) for answer in look(states))
        legal = legal & ~done[:, None]
        actions = np.where(legal, rng.random(legal.shape), -1).argmax(axis=1).astype(np.int32)
        records.append((states, legal, returns, actions))
        states = jax.tree.map(np.asarray, step(states, actions))
    found = stack(records)
    return Lines(*found, plies=np.logical_and.accumulate(found[1].any(axis=2))[:-1].sum(axis=0))


def position(board: Any) -> dict[str, list[int]]:
    """What a board holds, but for the tables and the room to work in."""
    return {name: part.tolist() for name, part in board._asdict().items() if name not in ("tables", "group")}


def moves(twin: ModuleType, game: Game, board: Any) -> list[int]:
    out = room(game, 1)[0]
    return out[: twin.moves(board, out)].tolist()


@every_game
def test_twins_play_the_same_games(game: Game) -> None:
    twin, found, ends = TWINS[game.name], lines(game), 0
    for lane in range(len(found.plies)):
        board = twin.from_state(game, unstack(found.states, 0, lane))
        for ply in range(found.plies[lane] + 1):
            state = unstack(found.states, ply, lane)
            legal = np.flatnonzero(found.legal[ply, lane]).tolist()
            ends += not legal
            assert position(board) == position(twin.from_state(game, state)), game.format(state)
            assert moves(twin, game, board) == legal, game.format(state)
            assert twin.score(board) == found.returns[ply, lane, 0], game.format(state)
            if ply < found.plies[lane]:
                twin.make(board, int(found.actions[ply, lane]))
    assert ends >= 5, "too few games have come to their end to test it"


@every_game
def test_every_move_is_taken_back_exactly(game: Game) -> None:
    twin, found = TWINS[game.name], lines(game)
    for lane in range(0, len(found.plies), 8):
        state = unstack(found.states, found.plies[lane] // 2, lane)
        board = twin.from_state(game, state)
        before = position(board)
        for action in moves(twin, game, board):
            undo = twin.make(board, action)
            assert position(board) != before
            twin.unmake(board, undo)
            assert position(board) == before, (game.format(state), game.format_move(state, action))


@every_game
def test_a_state_survives_the_way_to_a_board_and_back(game: Game) -> None:
    twin, found = TWINS[game.name], lines(game)
    for lane in range(len(found.plies)):
        for ply in (found.plies[lane] // 2, found.plies[lane]):
            state = unstack(found.states, ply, lane)
            back = twin.to_state(game, twin.from_state(game, state))
            assert jax.tree.structure(back) == jax.tree.structure(state)
            for ours, theirs in zip(jax.tree.leaves(back), jax.tree.leaves(state), strict=True):
                assert (ours.dtype, ours) == (theirs.dtype, theirs), game.format(state)


@pytest.mark.parametrize("name", TWINS)
def test_perft_counts_what_is_recorded(name: str) -> None:
    """In perft/*.txt, `game and options | position | depth:count ...`: what the rules are held to."""
    lines = (Path(__file__).parent.parent / "perft" / f"{name}.txt").read_text().splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            description, text, counts, *_ = line.split(" | ")
            game = game_of(description)
            expected = {int(depth): int(nodes) for depth, nodes in (pair.split(":") for pair in counts.split())}
            state = game.parse(text)
            assert {depth: TWINS[name].perft(game, state, depth) for depth in expected} == expected, line


def test_perft_goes_deep() -> None:
    assert abalone.perft(Abalone(), Abalone().init(), 4) == 5_045_110


@pytest.mark.parametrize("mover", "bw")
def test_abalone_is_over_whoever_is_to_move(mover: str) -> None:
    """Along a game it is the side to move that has just lost; in a position given as text it may be the other."""
    state = Abalone().parse(f"wwwww/www.../......./......../........./......../..bbb../bbbbbb/bbbbb {mover}")
    board = abalone.from_state(Abalone(), state)
    assert moves(abalone, Abalone(), board) == []
    assert abalone.score(board) == 1
