"""Matches are what a slow loop would have played, intervals hold what they promise, ratings find the truth."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from jaxtyping import Array, Int, Key

from ludus.core.game import Game, compiled, legal_actions
from ludus.errors import BadInput
from ludus.games.hex import reference
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.play import arena, selfplay
from ludus.play.selfplay import Policy

HEX = Hex(size=3)
KEY = jax.random.key(11)


@functools.cache
def policy_of(game: Game, kind: str) -> Policy:
    """Random, or always the first or the last of the legal moves."""
    if kind.startswith("random"):
        return selfplay.random_policy(game)

    def policy(key: Key[Array, ""], states: Any) -> Int[Array, "B"]:
        del key
        count = jax.vmap(game.num_legal)(states)
        return jax.vmap(game.nth_legal)(states, jnp.zeros_like(count) if kind == "first" else count - 1)

    return policy


@dataclass(frozen=True)
class Simple:
    name: str

    def policy(self, game: Game) -> Policy:
        return policy_of(game, self.name)


FIRST, LAST, RANDOM, OTHER = (Simple(name) for name in ("first", "last", "random", "random too"))


def check(result: arena.Result, games: int) -> None:
    """What is true of any match."""
    assert result.games == games
    assert [seat.games for seat in result.by_seat] == [games - games // 2, games // 2]
    for tally in (result, *result.by_seat):
        assert tally.wins + tally.draws + tally.losses == tally.games
        assert 0 <= tally.ci95[0] <= tally.score <= tally.ci95[1] <= 1
        assert tally.ci95[0] < tally.ci95[1]
    for what in ("wins", "draws", "losses"):
        assert getattr(result, what) == sum(getattr(seat, what) for seat in result.by_seat)
    assert result.score == (result.wins + result.draws / 2) / games


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
    result = arena.match(game, FIRST, LAST, 10, KEY, batch=5)  # odd, so that batches begin in different seats
    check(result, 10)
    lengths = []
    for seat, tally in enumerate(result.by_seat):
        state, plies = game.init(), 0
        while plies < game.max_plies and (actions := legal_actions(game, state)):
            first_moves = int(compiled(game).player(state)) == seat
            state = compiled(game).step(state, jnp.int32(actions[0] if first_moves else actions[-1]))
            plies += 1
        sign = float(compiled(game).returns(state)[seat])
        assert (tally.wins, tally.draws, tally.losses) == (5 * (sign > 0), 5 * (sign == 0), 5 * (sign < 0))
        lengths.append(plies)
    assert result.mean_plies == sum(lengths) / 2


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

    @dataclass(frozen=True)
    class Counted:
        name: str = "counted"

        def policy(self, game: Game) -> Policy:
            return policy

    arena.match(HEX, Counted(), RANDOM, 8, KEY, batch=8)
    once = traced
    arena.match(HEX, Counted(), RANDOM, 30, KEY, batch=8)
    assert traced == once > 0


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(BadInput, match="solitaire-chess has 1"):
        arena.match(SolitaireChess(), RANDOM, OTHER, 2, KEY)
    with pytest.raises(BadInput, match="not 0 and 8"):
        arena.match(HEX, RANDOM, OTHER, 0, KEY, batch=8)
    with pytest.raises(BadInput, match="random, random"):
        arena.tournament(HEX, [RANDOM, RANDOM], 2, KEY)
    with pytest.raises(BadInput, match="not random"):
        arena.tournament(HEX, [RANDOM], 2, KEY)
    with pytest.raises(BadInput, match="at least one season"):
        arena.tournament(HEX, [RANDOM, FIRST], 2, KEY, seasons=0)


# --- intervals ----------------------------------------------------------------------------------------------


def wilson(wins: int, games: int) -> tuple[float, float]:
    """As in the books."""
    z, p = float(scipy.stats.norm.ppf(0.975)), wins / games
    middle = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    return middle - half, middle + half


@pytest.mark.parametrize(("wins", "games"), [(0, 1), (0, 100), (1, 3), (50, 100), (997, 1000), (1000, 1000)])
def test_without_draws_it_is_wilsons_interval(wins: int, games: int) -> None:
    assert arena.score_interval(wins, 0, games - wins) == pytest.approx(wilson(wins, games), abs=1e-8)


@functools.cache
def intervals(games: int) -> dict[tuple[int, int, int], tuple[float, float]]:
    ends = [(w, d, games - w - d) for w in range(games + 1) for d in range(games + 1 - w)]
    return {end: arena.score_interval(*end) for end in ends}


def test_an_interval_has_a_width_holds_the_score_and_mirrors() -> None:
    for (wins, draws, losses), (low, high) in intervals(20).items():
        assert 0 <= low <= (wins + draws / 2) / 20 <= high <= 1
        assert high - low > 0.08
        assert intervals(20)[losses, draws, wins] == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_draws_make_it_narrower_and_so_do_games() -> None:
    def width(*end: int) -> float:
        low, high = arena.score_interval(*end)
        return high - low

    assert width(10, 80, 10) < 0.6 * width(50, 0, 50)
    assert width(0, 100, 0) < width(1, 98, 1) < width(10, 80, 10)
    assert width(4000, 2000, 4000) == pytest.approx(width(40, 20, 40) / 10, rel=0.05)
    assert width(0, 10**6, 0) > 0


def test_from_many_games_it_is_the_normal_one() -> None:
    low, high = arena.score_interval(50_000, 30_000, 20_000)
    half = 1.959964 * math.sqrt((0.5 + 0.3 / 4 - 0.65**2) / 100_000)
    assert (low, high) == pytest.approx((0.65 - half, 0.65 + half), abs=2e-5)


def test_it_holds_the_truth_19_times_in_20() -> None:
    """Exactly, by the probability of every outcome that 40 games can have.

    Outcomes are whole numbers, so for a single truth the coverage leaps about 95%; over many truths it is that.
    """
    ends = np.array(list(intervals(40)))
    low, high = np.array(list(intervals(40).values())).T
    coverage = []
    for win, draw in itertools.product(np.linspace(0.05, 0.95, 31), (0.0, 0.1, 0.3, 0.5, 0.8)):
        if win + draw <= 0.95:
            chance = scipy.stats.multinomial.pmf(ends, 40, [win, draw, 1 - win - draw])
            held = (low <= win + draw / 2) & (win + draw / 2 <= high)
            coverage.append(chance[held].sum())
    assert np.mean(coverage) == pytest.approx(0.95, abs=0.005)
    assert min(coverage) > 0.92


def test_it_holds_the_truth_in_simulated_matches() -> None:
    rng = np.random.default_rng(0)
    ends = rng.multinomial(300, [0.4, 0.25, 0.35], size=1000)
    found = np.array([arena.score_interval(*map(int, end)) for end in ends])
    held = (found[:, 0] <= 0.525) & (found[:, 1] >= 0.525)
    assert abs(held.mean() - 0.95) < 0.02


# --- ratings ------------------------------------------------------------------------------------------------

TRUE = np.array([300.0, 50.0, 0.0, -100.0, -250.0])
NAMES = list("abcde")


def table(games: float, draw: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The wins of players of the true ratings; `draw` makes the number of wins of each pair from its expectation."""
    wins = np.zeros((5, 5))
    upper = np.triu_indices(5, 1)
    chance = 1 / (1 + 10 ** ((TRUE[upper[1]] - TRUE[upper[0]]) / 400))
    wins[upper] = draw(chance)
    wins.T[upper] = games - wins[upper]
    return wins


def test_ratings_are_found_from_what_is_expected_of_them() -> None:
    ratings = arena.bradley_terry(NAMES, table(10_000, lambda chance: 10_000 * chance))
    assert [rating.agent for rating in ratings] == NAMES
    assert [rating.rating for rating in ratings] == pytest.approx(TRUE, abs=0.1)
    for rating in ratings:
        assert rating.ci95[0] < rating.rating < rating.ci95[1]
        assert rating.ci95[1] - rating.ci95[0] < 12


def test_rating_intervals_hold_the_truth_19_times_in_20() -> None:
    rng = np.random.default_rng(1)
    held = []
    for _ in range(200):
        ratings = arena.bradley_terry(NAMES, table(100, lambda chance: rng.binomial(100, chance)))
        assert sum(rating.rating for rating in ratings) == pytest.approx(0, abs=1e-6)
        held += [rating.ci95[0] <= true <= rating.ci95[1] for rating, true in zip(ratings, TRUE, strict=True)]
    assert abs(np.mean(held) - 0.95) < 0.03


def test_draws_count_half() -> None:
    drawn = arena.bradley_terry(["a", "b"], np.array([[0, 30.0], [30, 0]]))
    assert [rating.rating for rating in drawn] == pytest.approx([0, 0], abs=1e-6)


@pytest.mark.parametrize(
    ("wins", "order"),
    [
        ([[0, 100], [0, 0]], ["a", "b"]),
        ([[0, 1e6], [0, 0]], ["a", "b"]),
        ([[0, 100, 100], [0, 0, 100], [0, 0, 0]], ["a", "b", "c"]),
        ([[0, 0, 0], [100, 0, 100], [100, 0, 0]], ["b", "c", "a"]),
        ([[0, 10, 0, 0], [0, 0, 0, 0], [0, 0, 0, 20], [0, 0, 0, 0]], ["c", "a", "b", "d"]),
    ],
)
def test_who_won_everything_has_a_finite_rating(wins: list[list[float]], order: list[str]) -> None:
    ratings = arena.bradley_terry("abcd"[: len(wins)], np.array(wins, float))
    assert [rating.agent for rating in sorted(ratings, key=lambda rating: -rating.rating)] == order
    assert all(np.isfinite([rating.rating, *rating.ci95]).all() for rating in ratings)
    assert all(abs(rating.rating) < 4000 for rating in ratings)


def test_the_rating_of_who_won_everything_is_what_the_extra_draw_makes_it() -> None:
    a, b = arena.bradley_terry(["a", "b"], np.array([[0, 100.0], [0, 0]]))
    lead = (a.rating - b.rating) / arena.ELO
    assert a.rating == pytest.approx(-b.rating)
    # Where the sum of all results is what was to be expected: 100 wins against b and half a win against 0.
    assert 100 / (1 + math.exp(-lead)) + 1 / (1 + math.exp(-lead / 2)) == pytest.approx(100.5, abs=1e-6)


def test_without_games_all_are_alike() -> None:
    ratings = arena.bradley_terry(["a", "b", "c"], np.zeros((3, 3)))
    assert [rating.rating for rating in ratings] == pytest.approx([0, 0, 0])
    assert ratings[0].ci95[1] > 400
    with pytest.raises(ValueError, match="do not fit"):
        arena.bradley_terry(["a"], np.zeros((2, 2)))


@pytest.mark.slow
def test_wins_are_counted_by_seat_and_season() -> None:
    """Players without chance play two games over and over, and a slow match of each pair says who wins them."""
    rows = {row.agent: row for row in arena.tournament(HEX, [FIRST, LAST], 6, KEY, seasons=3)}
    first, second = (tally.wins > 0 for tally in arena.match(HEX, FIRST, LAST, 2, KEY).by_seat)
    assert (rows["first"].first, rows["first"].second) == ((3 * first,) * 3, (3 * second,) * 3)
    assert (rows["last"].first, rows["last"].second) == ((3 * (not second),) * 3, (3 * (not first),) * 3)
    # With chance the seasons differ, and each seat has half of a season's games.
    rows = arena.tournament(HEX, [FIRST, RANDOM, OTHER], 200, KEY, seasons=2)
    assert any(row.first[0] != row.first[1] for row in rows)
    for season in range(2):
        assert sum(row.first[season] + row.second[season] for row in rows) == 3 * 200  # nothing is drawn in Hex
        assert all(max(row.first[season], row.second[season]) <= 200 for row in rows)


@pytest.mark.slow
def test_a_tournament_makes_a_table() -> None:
    told: list[tuple[int, int]] = []
    rows = arena.tournament(
        HEX, [FIRST, RANDOM, LAST], 600, KEY, seasons=2, batch=500, on_batch=lambda *progress: told.append(progress)
    )
    assert {row.agent for row in rows} == {"first", "random", "last"}
    assert [row.rating for row in rows] == sorted((row.rating for row in rows), reverse=True)
    for row in rows:
        assert row.games == row.wins + row.draws + row.losses == 2 * 600 * 2
        assert row.ci95[0] < row.rating < row.ci95[1]
        assert len(row.first) == len(row.second) == 2
        assert sum(row.first + row.second) == row.wins
    assert sum(row.wins for row in rows) == sum(row.losses for row in rows)
    assert told[-1] == (3600, 3600)
    assert told == sorted(told)
    assert rows == arena.tournament(HEX, [FIRST, RANDOM, LAST], 600, KEY, seasons=2, batch=500)
    assert json.loads(json.dumps([asdict(row) for row in rows]))[0]["agent"] == rows[0].agent
    scores = [(row.wins + row.draws / 2) / row.games for row in rows]
    assert scores == sorted(scores, reverse=True)  # all have met all as often, so the order is that of the scores
