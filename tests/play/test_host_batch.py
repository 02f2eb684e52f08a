"""Games on the host are those of the device, and a thinker is asked what it should be, knowing how each game went."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.players import FIRST, LAST, RANDOM, batched

from ludus.core.game import Game, compiled, legal_actions
from ludus.core.line import Line
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.play import arena, host_batch
from ludus.play.finished import FinishedGames, GamesSoFar
from ludus.play.host_batch import state_at
from ludus.play.player import RESIGN, Clock, Forfeit, Player
from ludus.play.tournament import tournament

HEX = Hex(size=3)
KEY = jax.random.key(5)
CASES = [(HEX, 2), (LGame(cap=9), 1), (Abalone(cap=12), 0)]


class Thinker(Player):
    """The first or the last of the legal moves, on the host; it writes down what it is asked."""

    name = "thinker"

    def __init__(self, place: int) -> None:
        self.place = place
        self.asked: list[tuple[str, list[str], int]] = []  # position, those before it, number

    def move(self, line: Line, clock: Clock) -> int:
        text, *before = (line.game.format(state) for state in reversed(line.states))
        self.asked.append((text, before[::-1], clock.number))
        return line.legal()[self.place]


def same(found: FinishedGames, expected: FinishedGames) -> bool:
    return all(map(np.array_equal, jax.tree.leaves(found), jax.tree.leaves(expected)))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "openings"), CASES, ids=lambda value: getattr(value, "name", str(value)))
def test_the_host_plays_the_games_of_the_device(game: Game, openings: int) -> None:
    games = 9  # in odd batches, the last not full
    first, last = batched(game, "first"), batched(game, "last")
    expected = arena.play_games(game, (first, last), games, KEY, 5, openings)
    assert expected.distinct > 2 or not openings
    for movers in ((Thinker(0), Thinker(-1)), (first, Thinker(-1))):
        assert same(arena.play_games(game, movers, games, KEY, 5, openings), expected)


@pytest.mark.slow
def test_chance_on_the_device_is_the_same_chance() -> None:
    random = batched(HEX, "random")
    expected = arena.play_games(HEX, (random, random), 8, KEY, 8, 1)
    places = np.arange(8, dtype=np.int32)
    key_openings = jax.random.fold_in(KEY, np.uint32(2**32 - 1))
    found = host_batch.play_batch(HEX, (random, random), jax.random.fold_in(KEY, 0), key_openings, places, 8, 1)
    assert np.array_equal(found.got, expected.end)
    assert np.array_equal(found.fingerprint, expected.fingerprint[:, 1:])


@pytest.mark.slow
@pytest.mark.parametrize("game", [HEX, Abalone(cap=12)], ids=lambda game: game.name)
def test_the_last_positions_are_where_a_slow_loop_ends(game: Game) -> None:
    """On the device too: decided, or back where the game was."""
    played = arena.play_games(game, (batched(game, "first"), batched(game, "last")), 2, KEY)
    for n in range(2):
        state, before = game.init(), []
        while len(before) < game.max_plies and (actions := legal_actions(game, state)):
            before.append(game.format(state))
            state = compiled(game).step(state, jnp.int32(actions[-((len(before) + n + 1) % 2)]))
            if game.repetition_ties and game.format(state) in before:
                break
        assert played.plies[n] == len(before)
        assert game.format(state_at(played.final, n)) == game.format(state)


@pytest.mark.slow
def test_a_thinker_is_asked_where_it_is_to_move_and_the_game_goes_on() -> None:
    game, games, openings = HEX, 7, 2
    thinker, told = Thinker(0), []
    played = arena.play_games(
        game, (thinker, batched(game, "random")), games, KEY, 4, openings, lambda *progress: told.append(progress)
    )
    # It moves first in even games: of p plies it makes the half, rounded up, but for those of the opening.
    moves = [sum(ply % 2 == n % 2 for ply in range(openings, played.plies[n])) for n in range(games)]
    assert len(thinker.asked) == sum(moves)
    for position, before, _ in thinker.asked:  # it knows how the game went, from the start on
        assert len(before) == sum(letter in "BW" for letter in position)
        assert not before or before[0] == game.format(game.init())
    assert len({seed for _, _, seed in thinker.asked}) == len(thinker.asked)
    assert told[-1] == (games, games)
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert len(told) > 2  # not only after each batch


@pytest.mark.slow
def test_a_thinker_knows_the_positions_of_its_game() -> None:
    """Both shuttle: after four plies the start is there again, a tie, and each has seen what came before."""
    game = Abalone(cap=50)
    texts = ("c5d5", "g5f5", "d5c5", "f5g5")
    line, state = [], game.init()
    for text in texts:
        line.append((game.format(state), game.parse_move(state, text)))
        state = compiled(game).step(state, jnp.int32(line[-1][1]))
    assert game.format(state) == game.format(game.init())
    script = dict(line)

    class Shuttle(Thinker):
        def move(self, line: Line, clock: Clock) -> int:
            super().move(line, clock)
            return script[game.format(line.state)]

    a, b = Shuttle(0), Shuttle(0)
    played = arena.play_games(game, (a, b), 2, KEY)
    assert (played.plies.tolist(), played.end.tolist()) == ([4, 4], [0, 0])
    history = [text for text, _ in line]
    for thinker, plies in ((a, (0, 1, 2, 3)), (b, (0, 1, 2, 3))):  # each is once in each seat
        found = {text: before for text, before, _ in thinker.asked}
        assert found == {line[ply][0]: history[:ply] for ply in plies}


class Resigning(Thinker):
    """Gives up when so many stones are down, and writes down where."""

    def __init__(self, stones: int) -> None:
        super().__init__(0)
        self.stones, self.gone = stones, []

    def move(self, line: Line, clock: Clock) -> int:
        action, text = super().move(line, clock), line.game.format(line.state)
        if sum(letter in "BW" for letter in text) < self.stones:
            return action
        self.gone.append(text)
        return RESIGN


@pytest.mark.parametrize("place", [0, 1], ids=["first", "second"])
def test_who_gives_up_has_lost(place: int) -> None:
    """In either seat and at either place, at once; the last position is the one where it did."""
    thinker = Resigning(3)
    movers = (thinker, batched(HEX, "random")) if place == 0 else (batched(HEX, "random"), thinker)
    told: list[int] = []
    played = arena.play_games(HEX, movers, 7, KEY, batch=4, on_batch=lambda done, total: told.append(done))
    assert played.end.tolist() == [(-1.0, 1.0)[place]] * 7
    black = [number for number in range(7) if number % 2 == place]
    assert played.plies.tolist() == [4 if number in black else 3 for number in range(7)]
    assert sorted(HEX.format(state_at(played.final, number)) for number in range(7)) == sorted(thinker.gone)
    assert told[-1] == 7


class Failing(Thinker):
    """Has one board, and makes no move at some of the questions, by their numbers."""

    lanes = 1

    def __init__(self, fails: set[int]) -> None:
        super().__init__(0)
        self.fails = fails

    def move(self, line: Line, clock: Clock) -> int:
        action = super().move(line, clock)
        if len(self.asked) in self.fails:
            raise Forfeit(f"question {len(self.asked)}")
        return action


@pytest.mark.parametrize("place", [0, 1], ids=["first", "second"])
def test_who_makes_no_move_forfeits_that_game_and_the_others_go_on(place: int) -> None:
    """And games are played one after the other: in each question there are two stones more, or a game begins."""
    thinker, said = Failing({1, 3}), []
    movers = (thinker, batched(HEX, "last")) if place == 0 else (batched(HEX, "last"), thinker)
    so_far = GamesSoFar(said.append)
    played = arena.play_games(HEX, movers, 5, KEY, so_far=so_far)
    lost = -1.0 if place == 0 else 1.0
    assert played.faults == tuple(said) == ((0, place, "question 1"), (1, place, "question 3"))
    assert played.end[:2].tolist() == [lost, lost]
    assert same(so_far.played(), played)
    # It is asked once and twice in the games that it forfeits; the rest are those of players that do not fail.
    whole = arena.play_games(HEX, movers, 5, KEY)
    assert (whole.faults, whole.end[2:].tolist(), whole.plies[2:].tolist()) == (
        (),
        played.end[2:].tolist(),
        played.plies[2:].tolist(),
    )
    stones = [sum(letter in "BW" for letter in text) for text, _, _ in thinker.asked]
    assert sum(count < 2 for count in stones) == 10
    assert all(now < 2 or now == before + 2 for before, now in itertools.pairwise(stones))
    assert played.plies[:2].tolist() == ([0, 3] if place == 0 else [1, 2])


def test_a_match_can_be_read_while_games_side_by_side_end() -> None:
    """At any moment it is the games that have ended, each at its place."""
    thinkers = Resigning(3), Thinker(-1)
    match, read = arena.Match(HEX, *thinkers, 6, openings=0), []
    whole = match.play(KEY, on_batch=lambda done, total: read.append((done, match.result())))
    assert [done for done, _ in read] == [3, 6]  # black gives up at its third move, white at its second
    first = read[0][1]
    assert first is not None
    assert (first.games, first.by_seat[0].games, first.by_seat[1].games) == (3, 0, 3)
    assert read[1][1] == whole
    assert (whole.losses, whole.by_seat[0].games) == (6, 3)


@pytest.mark.slow
def test_thinkers_meet_in_matches_and_tournaments() -> None:
    """Between players without chance openings are drawn, for both seats; who has a policy plays by it."""
    thinking, plain = Thinker(-1), FIRST
    thinking.name = "last"
    result = arena.match(HEX, plain, thinking, 12, KEY)
    assert result == arena.match(HEX, FIRST, LAST, 12, KEY)
    assert result.openings > 0
    assert result.distinct > 6
    assert arena.match(HEX, thinking, RANDOM, 4, KEY).openings == 0
    rows, pairings = tournament(HEX, [plain, thinking, RANDOM], 4, KEY)
    assert (rows, pairings) == tournament(HEX, [FIRST, LAST, RANDOM], 4, KEY)
