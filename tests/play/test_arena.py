"""Matches are what a slow loop would have played, openings make games differ, and what was played can be read."""

from __future__ import annotations

import functools
import itertools
import json
import math
from dataclasses import asdict
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.players import FIRST, LAST, OTHER, RANDOM, policy_of
from jaxtyping import Array, Int, Key

from ludus.core.game import Game, compiled, legal_actions
from ludus.errors import BadInput
from ludus.games.abalone.rules import Abalone
from ludus.games.hex import reference
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.play import arena, openings
from ludus.play.batched import Batched
from ludus.play.finished import FinishedGames
from ludus.play.host_batch import Ends
from ludus.play.player import Player
from ludus.play.scores import paired_interval, score_interval
from ludus.play.selfplay import Policy

HEX = Hex(size=3)
KEY = jax.random.key(11)
GAMES = (Hex(size=2), Hex(size=5), Hex(size=11), LGame())


def check(result: arena.MatchResult, games: int) -> None:
    """What is true of any match."""
    assert result.games == games
    assert [seat.games for seat in result.by_seat] == [games - games // 2, games // 2]
    for tally in (result, *result.by_seat):
        assert tally.wins + tally.draws + tally.losses == tally.games
        assert tally.ci95 is not None
        assert 0 <= tally.ci95[0] <= tally.score <= tally.ci95[1] <= 1
        assert tally.ci95[0] < tally.ci95[1]
    for what in ("wins", "draws", "losses"):
        assert getattr(result, what) == sum(getattr(seat, what) for seat in result.by_seat)
    assert result.score == (result.wins + result.draws / 2) / games


def test_what_was_taken_goes_to_who_sat_where() -> None:
    """Two games: the first-named has black and took one marble, then white and took three; it lost two, then none."""
    abalone = Abalone()
    texts = (
        "wwwww/wwwwww/..ww.../......../........./......../..bbb../bbbbbb/bbb.. w",
        "wwwww/wwwwww/..www../......../........./......../......./bbbbbb/bbbbb b",
    )
    final = jax.tree.map(lambda *leaves: np.stack(leaves), *map(abalone.parse, texts))
    seats = np.array([[0, 5, 5], [1, 6, 6]], np.uint32)
    played = FinishedGames(np.arange(2), np.zeros(2, np.float32), np.zeros(2, np.int32), seats, final)
    assert arena._taken(abalone, played) == ((1 + 3) / 2, (2 + 0) / 2, 0.5)  # one took less, the other took more
    assert arena._taken(HEX, played) is None


# --- matches ------------------------------------------------------------------------------------------------


@functools.cache
def truth(position: str, first_legal_seat: int) -> tuple[float, float]:
    """By the slow rules: how often `first` beats `random` from a position of Hex, and how many plies it takes."""
    end = reference.result(position)
    if end is not None:
        return (end[first_legal_seat] + 1) / 2, 0
    if position[-1] == "bw"[first_legal_seat]:
        rows = position.split()[0].split("/")
        row, column = next((r, c) for r, c in itertools.product(range(3), repeat=2) if rows[r][c] == ".")
        moves = ["abc"[column] + str(row + 1)]
    else:
        moves = reference.moves(position)
    follow = [truth(reference.play(position, move), first_legal_seat) for move in moves]
    return sum(win for win, _ in follow) / len(follow), 1 + sum(plies for _, plies in follow) / len(follow)


@pytest.mark.slow
def test_a_match_comes_out_as_the_slow_rules_say() -> None:
    games = 4000
    result = arena.match(HEX, FIRST, RANDOM, games, KEY, batch=500)
    check(result, games)
    expected = [truth(HEX.format(HEX.init()), seat) for seat in (0, 1)]
    assert abs(expected[0][0] - expected[1][0]) > 0.1  # else a wrong seat would not show
    for tally, (win, _) in zip(result.by_seat, expected, strict=True):
        assert tally.draws == 0
        assert abs(tally.score - win) < 4 * math.sqrt(win * (1 - win) / tally.games)
    assert abs(result.mean_plies - (expected[0][1] + expected[1][1]) / 2) < 0.1


@pytest.mark.slow
@pytest.mark.parametrize("game", [HEX, LGame()])
def test_a_match_without_chance_is_the_game_a_slow_loop_plays(game: Game) -> None:
    # Batches are odd, so that they begin in different seats.
    result = arena.match(game, FIRST, LAST, 10, KEY, batch=5, openings=0)
    lengths = []
    for seat, tally in enumerate(result.by_seat):
        sign, line = slow_game(game, seat)
        assert (tally.wins, tally.draws, tally.losses) == (5 * (sign > 0), 5 * (sign == 0), 5 * (sign < 0))
        lengths.append(len(line))
    assert result.mean_plies == sum(lengths) / 2
    # They are the same two games over and over, of which no interval is to be had.
    assert (result.openings, result.distinct) == (0, 2)
    assert (result.ci95, result.interval, result.by_seat[0].ci95, result.by_seat[1].ci95) == (None, "", None, None)


def slow_game(game: Game, seat: int, opening: tuple[int, ...] = ()) -> tuple[float, tuple[int, ...]]:
    """What `first` gets in this seat against `last`, after these moves, and all moves of the game."""
    state, line = game.init(), ()
    while len(line) < game.max_plies and (actions := legal_actions(game, state)):
        first_moves = int(compiled(game).player(state)) == seat
        chosen = actions[0] if first_moves else actions[-1]
        action = opening[len(line)] if len(line) < len(opening) else chosen
        state, line = compiled(game).step(state, jnp.int32(action)), (*line, action)
    return float(compiled(game).returns(state)[seat]), line


@pytest.mark.slow
@pytest.mark.parametrize(("game", "plies"), [(HEX, 3), (LGame(cap=7), 2)])
def test_players_without_chance_begin_with_random_openings(game: Game, plies: int) -> None:
    """Each is played with both seats, and what follows is what a slow loop plays."""
    games = 41  # in odd batches, so that a pair may fall into two
    result = arena.match(game, FIRST, LAST, games, KEY, batch=7)
    check(result, games)
    assert result.openings == plies == openings.plies_for(game, games // 2)
    assert arena.match(game, FIRST, LAST, games, KEY, batch=games, openings=plies) == result
    key = jax.random.fold_in(KEY, np.uint32(2**32 - 1))
    actions, length = jax.device_get(jax.jit(lambda: openings.draw(game, key, jnp.arange(21), plies))())
    assert (length == plies).all()
    played = [slow_game(game, n % 2, tuple(actions[:, n // 2].tolist())) for n in range(games)]
    for seat, tally in enumerate(result.by_seat):
        ends = [end for end, _ in played[seat::2]]
        assert (tally.wins, tally.losses) == (sum(end > 0 for end in ends), sum(end < 0 for end in ends))
    assert result.mean_plies == pytest.approx(sum(len(line) for _, line in played) / games)
    assert result.distinct == len({(n % 2, line) for n, (_, line) in enumerate(played)}) > games // 2
    assert result.ci95 == paired_interval(np.array([end for end, _ in played]))


def test_an_opening_never_ends_a_game() -> None:
    game = Hex(size=2)  # over after three plies or four
    draw = jax.jit(lambda: openings.draw(game, KEY, jnp.arange(200), 4))
    actions, length = jax.device_get(draw())
    assert actions.shape == (4, 200)
    assert set(length.tolist()) == {2, 3}
    for n in range(200):
        text = game.format(game.init())
        for action in actions[: length[n], n]:
            assert reference.result(text) is None
            text = reference.play(text, game.format_move(game.init(), int(action)))
        assert reference.result(text) is None
        after = [reference.play(text, move) for move in reference.moves(text)]
        assert length[n] == 3 or any(reference.result(more) for more in after)


def test_as_few_plies_as_make_games_differ() -> None:
    found = {(game.describe(), pairs): openings.plies_for(game, pairs) for game in GAMES for pairs in (1, 500)}
    assert found == {
        ("hex size=2 swap=False", 1): 1,
        ("hex size=2 swap=False", 500): 1,  # else it would be most of the game
        ("hex size=5 swap=False", 1): 1,
        ("hex size=5 swap=False", 500): 3,
        ("hex size=11 swap=False", 1): 1,
        ("hex size=11 swap=False", 500): 2,
        ("lgame cap=100", 1): 1,
        ("lgame cap=100", 500): 2,
    }


@pytest.mark.slow
def test_openings_are_for_players_without_chance_unless_they_are_asked_for() -> None:
    by_chance = arena.match(HEX, FIRST, RANDOM, 40, KEY)
    assert (by_chance.openings, arena.match(HEX, RANDOM, OTHER, 40, KEY).openings) == (0, 0)
    assert by_chance.ci95 == score_interval(by_chance.wins, by_chance.draws, by_chance.losses)
    assert arena.match(HEX, FIRST, RANDOM, 40, KEY, openings=2).openings == 2
    assert arena.match(HEX, FIRST, LAST, 40, KEY, openings=99).openings == 8  # a move is left to make
    with pytest.raises(BadInput, match="-1 plies"):
        arena.match(HEX, FIRST, LAST, 40, KEY, openings=-1)


@pytest.mark.slow
@pytest.mark.parametrize("game", [HEX, LGame()])
def test_random_against_random_is_fair_and_repeatable(game: Game) -> None:
    games = 600
    result = arena.match(game, RANDOM, OTHER, games, KEY, batch=256)
    check(result, games)
    assert arena.match(game, RANDOM, OTHER, games, KEY, batch=256) == result
    assert arena.match(game, RANDOM, OTHER, games, jax.random.key(12), batch=256) != result
    deviation = math.sqrt(0.25 / games)
    assert abs(result.score - 0.5) < 4 * deviation
    # The seat is all that tells them apart: what one gets in the first seat, the other gets there too.
    assert abs(result.by_seat[0].score - (1 - result.by_seat[1].score)) < 4 * 2 * deviation


def test_the_surplus_of_the_last_batch_is_dropped() -> None:
    told: list[tuple[int, int]] = []
    result = arena.match(HEX, FIRST, RANDOM, 1101, KEY, batch=500, on_batch=lambda *progress: told.append(progress))
    check(result, 1101)
    assert told == [(500, 1101), (1000, 1101), (1101, 1101)]
    half, begun = (arena.match(HEX, FIRST, RANDOM, games, KEY, batch=500) for games in (500, 1000))
    assert begun.wins != 2 * half.wins  # each batch has games of its own
    for now, before in zip(result.by_seat, begun.by_seat, strict=True):
        assert 0 <= now.wins - before.wins <= 51
        assert 0 <= now.losses - before.losses <= 51


def test_a_match_on_the_device_can_be_read_after_each_batch() -> None:
    match, read = arena.Match(HEX, FIRST, RANDOM, 1101), []
    assert match.result() is None
    whole = match.play(KEY, batch=500, on_batch=lambda done, total: read.append(match.result()))
    assert read[0] == arena.match(HEX, FIRST, RANDOM, 500, KEY, batch=500)
    assert [result.games for result in read if result is not None] == [500, 1000, 1101]
    assert read[-1] == match.result() == whole
    assert whole.forfeits == (0, 0)


def test_of_pairs_that_are_there_by_half_the_interval_is_wider() -> None:
    """As of lanes side by side, where the games of one seat may end first."""
    match = arena.Match(HEX, FIRST, LAST, 6)
    assert match.openings > 0
    none = np.zeros((3, 2), np.uint32)
    match.so_far.add(np.array([5, 1, 3]), Ends(np.array([-1.0, -1, 1]), np.array([3, 4, 8]), none, none), {})
    result = match.result()
    assert result is not None
    assert (result.wins, result.losses, result.mean_plies) == (1, 2, 5)
    assert match.so_far.played().end.tolist() == [-1, 1, -1]  # by their places
    assert result.by_seat[0].games == 0
    assert result.ci95 == score_interval(0.5, 0, 1)


def test_one_game_and_no_decision() -> None:
    result = arena.match(LGame(cap=1), RANDOM, OTHER, 1, KEY)
    check(result, 1)
    assert (result.draws, result.mean_plies, result.by_seat[1].games) == (1, 1, 0)
    assert json.loads(json.dumps(asdict(result), allow_nan=False))["score"] == 0.5


def test_a_match_is_compiled_once() -> None:
    traced = 0

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        nonlocal traced
        traced += 1
        return policy_of(HEX, "random")(key, states)

    class Counted(Player):
        name, chance = "counted", True

        def batched(self, game: Game) -> Batched:
            return Batched.fixed(policy)

    arena.match(HEX, Counted(), RANDOM, 8, KEY, batch=8)
    once = traced
    arena.match(HEX, Counted(), RANDOM, 30, KEY, batch=8)
    assert traced == once > 0


def test_players_of_a_kind_are_compiled_once_for_all_their_weights() -> None:
    """The weights are which of the legal moves is made, counted from the first: the players are not each other's."""
    traced = 0

    def policy_of_weights(weights: Array) -> Policy:
        def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
            nonlocal traced
            traced += 1
            count = jax.vmap(HEX.num_legal)(states)
            return jax.vmap(HEX.nth_legal)(states, jnp.where(weights < 0, count - 1, jnp.zeros_like(count)))

        return policy

    class Learned(Player):
        name = "learned"

        def __init__(self, weights: Any) -> None:
            self.weights = weights

        def batched(self, game: Game) -> Batched:
            return Batched(policy_of_weights, self.weights)

    first, last = Learned(jnp.int32(0)), Learned(jnp.int32(-1))
    found = [arena.match(HEX, a, b, 8, KEY) for a, b in ((first, last), (last, first), (first, first))]
    assert traced == 2  # one program, in which both of them choose
    pairs = ((FIRST, LAST), (LAST, FIRST), (FIRST, FIRST))
    assert found == [arena.match(HEX, a, b, 8, KEY) for a, b in pairs]


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(BadInput, match="solitaire-chess has 1"):
        arena.match(SolitaireChess(), RANDOM, OTHER, 2, KEY)
    with pytest.raises(BadInput, match="not 0 and 8"):
        arena.match(HEX, RANDOM, OTHER, 0, KEY, batch=8)
