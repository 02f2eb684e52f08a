"""The search is held to plain minimax, move by move; its devices to the search without them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.minimax import ABALONE, HEX, end_of, engine, minimax_of, scattered, wander

from ludus import games
from ludus.core.game import Game, compiled, legal_actions
from ludus.errors import BadInput
from ludus.search.alphabeta.evaluation import RESULT, Oracle, evaluation
from ludus.search.alphabeta.nodes import OPEN, WHOLE, close, known, weigh
from ludus.search.alphabeta.search import MATE, PLAIN, AlphaBeta, Found, Limits, Switches, numbering
from ludus.search.alphabeta.transpositions import look
from ludus.search.alphabeta.workspace import PLIES

EXACT = Switches(reductions=False, quiescence=False)
POSITIONS: list[tuple[Game, str, Any]] = [
    *((ABALONE, "hand", wander(ABALONE, 20 * seed + seed % 2, seed)) for seed in range(4)),
    *((ABALONE, "centre", scattered(seed)) for seed in range(3)),
    *((HEX, "result", wander(HEX, 3 + seed, seed)) for seed in range(3)),
]
somewhere = pytest.mark.parametrize(("game", "name", "state"), POSITIONS)


@somewhere
@pytest.mark.parametrize("switches", [PLAIN, EXACT])
def test_every_move_has_the_score_of_minimax(game: Game, name: str, state: Any, switches: Switches) -> None:
    for depth in (1, 2, 3):
        actions, scores = engine(game, name, switches).root_scores(state, depth)
        assert dict(zip(actions.tolist(), scores.tolist(), strict=True)) == minimax_of(game, name)(state, depth)


SINGLE = [PLAIN._replace(**{name: True}) for name in ("table", "ordering", "aspiration")]


@somewhere
@pytest.mark.parametrize("switches", [PLAIN, EXACT, *SINGLE])
def test_the_search_finds_a_best_move_and_its_score(game: Game, name: str, state: Any, switches: Switches) -> None:
    for depth in (1, 2, 3):
        truth = minimax_of(game, name)(state, depth)
        found = engine(game, name, switches).search(state, Limits(depth))
        assert found.score == max(truth.values())
        assert truth[found.action] == found.score
        assert found.action == found.line[0]
        assert end_of(game, name, state, found.line) == found.score
        assert found.complete
        assert len(found.line) == found.depth or abs(found.score) > MATE // 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_positions_that_come_back_in_a_line_are_ties(seed: int) -> None:
    """They can from the fourth ply on: then the start of the line is there again."""
    state = scattered(seed)
    truth = minimax_of(ABALONE, "centre")(state, 4)
    for switches in (PLAIN, PLAIN._replace(ordering=True), EXACT):
        actions, scores = engine(ABALONE, "centre", switches).root_scores(state, 4)
        assert dict(zip(actions.tolist(), scores.tolist(), strict=True)) == truth


def test_a_tie_because_of_the_line_is_not_kept_in_the_table() -> None:
    """A node whose value goes back to a position before it is worth something else on another line."""
    seeker = engine(ABALONE, "centre", EXACT)
    _, setup = seeker._begin(ABALONE.init(), (), reductions=False)
    memory, ply, child = seeker._memory, 2, 3
    for loop, kept in ((1, False), (2, True), (PLIES, True)):
        key = np.uint64(12345 + loop)
        memory.keys[ply], memory.depth[ply], memory.best[ply], memory.loop[ply] = key, 2, 0, loop
        memory.alpha[ply], memory.beta[ply], memory.chosen[ply] = -5, 5, 7
        assert close(memory, setup, ply) == 0
        assert bool(look(memory.table, key, setup.search)) == kept
    # Of several moves all count, but where one is too good for the other side only that one does.
    for value, loop in ((3, 0), (9, 1)):
        memory.alpha[ply], memory.beta[ply], memory.best[ply], memory.stage[ply] = -5, 5, -5, WHOLE
        memory.at[ply], memory.loop[ply], memory.loop[child] = 1, 0, 1
        weigh(memory, ply, value)
        assert memory.loop[ply] == loop


def test_the_table_counts_won_games_from_where_they_stand() -> None:
    """At ply 3 a game is won in two more; met again at ply 1 it is won two plies sooner."""
    seeker = engine(ABALONE, "centre", EXACT)
    _, setup = seeker._begin(ABALONE.init(), (), reductions=False)
    memory, key = seeker._memory, np.uint64(99)
    for sign in (1, -1):
        memory.keys[3], memory.depth[3], memory.best[3], memory.loop[3] = key, 2, sign * (MATE - 5), PLIES
        memory.floor[3], memory.beta[3] = (-2 * MATE, -MATE) if sign > 0 else (MATE, 2 * MATE)  # so that it is a bound
        memory.alpha[1], memory.beta[1] = sign * 10 - 1, sign * 10
        close(memory, setup, 3)
        found = np.uint64(look(memory.table, key, setup.search))
        for depth, exactly, value in (
            (2, True, sign * (MATE - 3)),
            (1, False, sign * (MATE - 3)),
            (1, True, OPEN),  # a deeper look than was asked for
            (3, False, OPEN),
        ):
            memory.depth[1] = depth
            assert known(memory, 1, found, exactly) == value


@pytest.mark.parametrize("switches", [PLAIN, EXACT])
def test_a_position_of_the_game_so_far_is_a_tie(switches: Switches) -> None:
    state, seeker = ABALONE.init(), engine(ABALONE, "centre", switches)
    free = dict(zip(*map(np.ndarray.tolist, seeker.root_scores(state, 1)), strict=True))
    assert max(free.values()) > 0
    better = [action for action, score in free.items() if score > 0]
    seen = tuple(numbering(ABALONE)(compiled(ABALONE).step(state, action)) for action in better)
    bound = dict(zip(*map(np.ndarray.tolist, seeker.root_scores(state, 1, seen)), strict=True))
    assert bound == {action: min(score, 0) for action, score in free.items()}
    assert seeker.search(state, Limits(1), seen).score == 0
    replies = tuple(
        numbering(ABALONE)(compiled(ABALONE).step(compiled(ABALONE).step(state, 126), action))
        for action in range(220, 240)
    )
    for depth in (2, 3):
        truth = minimax_of(ABALONE, "centre")(state, depth, (*seen, *replies))
        assert seeker.search(state, Limits(depth), (*seen, *replies)).score == max(truth.values())


@pytest.mark.parametrize("tie", [-3, 3])
def test_a_tie_may_be_worth_more_or_less_than_nothing(tie: int) -> None:
    """To the side that the search is for; to the other it is the opposite."""
    state, seeker = ABALONE.init(), AlphaBeta(ABALONE, evaluation(ABALONE, "centre"), switches=PLAIN, tie=tie)
    free = dict(zip(*map(np.ndarray.tolist, seeker.root_scores(state, 1)), strict=True))
    tied = next(iter(free))
    mine = compiled(ABALONE).step(state, tied)
    bound = dict(zip(*map(np.ndarray.tolist, seeker.root_scores(state, 1, [numbering(ABALONE)(mine)])), strict=True))
    assert bound == free | {tied: tie}
    # Every reply to the first move is there already: it is for the other to tie, and for us worth the same.
    replies = [numbering(ABALONE)(compiled(ABALONE).step(mine, action)) for action in legal_actions(ABALONE, mine)]
    deeper = dict(zip(*map(np.ndarray.tolist, seeker.root_scores(state, 2, replies)), strict=True))
    assert deeper[tied] == tie


def test_hex_knows_no_ties() -> None:
    state, seeker = wander(HEX, 6, 1), engine(HEX, "result", EXACT)
    found = seeker.search(state, Limits(3))
    seen = [numbering(HEX)(compiled(HEX).step(state, action)) for action in range(HEX.num_actions - 1)]
    assert seeker.search(state, Limits(3), seen)[:4] == found[:4]


def quiet_minimax(game: Game, board: Any, low: int, high: int) -> int:
    """Quiescence by its definition: who is to move may stop here, or make a forcing move."""
    twin, rating = games.part(game, "twin"), evaluation(game, "hand")
    out = np.zeros(game.max_legal, np.int16)
    if twin.over(board):
        return -MATE // 2  # not met in this test
    assert rating.compiled is not None
    best = rating.compiled(board, rating.parameters)
    for action in out[: twin.forcing(board, out)].tolist():
        undo = twin.make(board, action)
        best = max(best, -quiet_minimax(game, board, -high, -low))
        twin.unmake(board, undo)
    return best


def test_beyond_the_depth_only_forcing_moves_are_looked_at() -> None:
    twin, met = games.part(ABALONE, "twin"), 0
    for seed in range(6):
        state = wander(ABALONE, 60, seed)
        board, expected = twin.from_state(ABALONE, state), {}
        actions, scores = engine(ABALONE, "hand", PLAIN._replace(quiescence=True)).root_scores(state, 1)
        _, flat = engine(ABALONE, "hand", PLAIN).root_scores(state, 1)
        for action in actions.tolist():
            undo = twin.make(board, action)
            expected[action] = -quiet_minimax(ABALONE, board, -MATE, MATE)
            twin.unmake(board, undo)
        assert dict(zip(actions.tolist(), scores.tolist(), strict=True)) == expected
        met += int((scores != flat).sum())
    assert met > 10


def test_forcing_moves_are_tried_before_all_others() -> None:
    """But for the one that was best a ply less deep. Where nothing is cut off, moves stand as they were tried."""
    twin, seeker = games.part(ABALONE, "twin"), engine(ABALONE, "hand", PLAIN._replace(ordering=True))
    # Four rows of black's push a marble over the rim on the right.
    state = ABALONE.parse("wwwww/....../......./...bbbww/....bbbww/...bbbww/....bbw/....../..... b")
    best, out = seeker.search(state, Limits(1)).action, np.zeros(ABALONE.max_legal, np.int16)
    seeker.search(state, Limits(2))
    tried = seeker._memory.moves[0, : seeker._memory.number[0]].tolist()
    forcing = set(out[: twin.forcing(twin.from_state(ABALONE, state), out)].tolist()) - {best}
    assert len(forcing) > 2
    assert tried[0] == best
    assert set(tried[1 : 1 + len(forcing)]) == forcing


def test_a_won_game_is_won_as_soon_as_can_be() -> None:
    # White has nine marbles left, one of them at the rim before two black ones.
    state = ABALONE.parse("wwww./wwww../......./......../......bbw/......../......./.bbb../bbbb. b")
    found = engine(ABALONE, "hand", Switches()).search(state, Limits(6))
    assert (found.score, found.mate, found.depth, found.complete) == (MATE - 1, 1, 1, True)
    assert len(found.line) == 1


def test_hex_is_solved_by_looking_to_its_end() -> None:
    """The first player wins on an empty board, in the middle of this one within seven plies."""
    game = games.make_game("hex", size=3, swap=False)
    for switches in (EXACT, Switches()):
        found = AlphaBeta(game, switches=switches).search(game.init(), Limits(9))
        assert found.mate == 5
        assert found.score > 0
    lost = compiled(game).step(game.init(), 4)
    assert AlphaBeta(game).search(lost, Limits(9)).score < 0


def without_seconds(found: Found) -> Found:
    return found._replace(seconds=0.0)


def test_what_was_searched_before_changes_nothing() -> None:
    states = [wander(ABALONE, 30, seed) for seed in (1, 2)]
    used, limits = AlphaBeta(ABALONE), Limits(5)
    first = [without_seconds(used.search(state, limits)) for state in states]
    assert [without_seconds(used.search(state, limits)) for state in states] == first
    assert without_seconds(AlphaBeta(ABALONE).search(states[1], limits)) == first[1]
    small = AlphaBeta(ABALONE, entries=1)  # the number of searches starts anew
    small._number = 2**16 - 2
    assert [small.search(states[1], limits).score for _ in range(3)] == [first[1].score] * 3


def test_a_limit_of_nodes_is_kept_and_gives_the_same_twice() -> None:
    state, seeker = wander(ABALONE, 30, 3), engine(ABALONE, "hand", Switches())
    for nodes in (1, 5_000, 77_777):
        found = seeker.search(state, Limits(nodes=nodes))
        assert found.nodes <= max(nodes, 500)
        assert found.depth >= 1
        assert not found.complete
        assert without_seconds(seeker.search(state, Limits(nodes=nodes))) == without_seconds(found)
        assert found.action in seeker.root_scores(state, 1)[0]
    assert seeker.search(state, Limits(seconds=0)).depth == 1


def test_a_node_is_a_position_that_was_looked_at() -> None:
    """The root and all that lie one move away; two plies deep every line, unless the second move is cut off."""
    state = ABALONE.init()
    actions, _ = engine(ABALONE, "hand", PLAIN).root_scores(state, 1)
    assert engine(ABALONE, "hand", PLAIN).search(state, Limits(1)).nodes == 1 + len(actions)
    actions, _ = engine(ABALONE, "hand", PLAIN).root_scores(state, 2)
    twin = games.part(ABALONE, "twin")
    assert engine(ABALONE, "hand", PLAIN)._nodes == len(actions) + twin.perft(ABALONE, state, 2)


def test_who_interrupts_may_have_the_best_so_far() -> None:
    state, seeker, told = wander(ABALONE, 30, 4), engine(ABALONE, "hand", Switches()), []

    def watch(sentence: str, last: bool) -> None:
        told.append((sentence, last))
        if sentence.startswith("depth 3") and not last:
            raise KeyboardInterrupt

    found = seeker.search(state, watch=watch, on_interrupt="best")
    assert (found.depth, found.complete) == (3, False)
    assert without_seconds(found)[:3] == seeker.search(state, Limits(3))[:3]
    assert [last for _, last in told] == [False, False, False, True]
    assert ABALONE.format_move(state, found.action) in told[-1][0]
    with pytest.raises(KeyboardInterrupt):
        seeker.search(state, watch=watch)


@pytest.mark.parametrize(("game", "state"), [(HEX, wander(HEX, 2, 0)), (ABALONE, scattered(1))])
def test_an_oracle_is_asked_at_the_last_ply(game: Game, state: Any) -> None:
    twin, asked = games.part(game, "twin"), []

    def rate(state: Any) -> np.ndarray:
        """Some number for each move of a position."""
        asked.append(state)
        random = np.random.default_rng(int(twin.key(twin.from_state(game, state))))
        return random.integers(-900, 900, game.num_actions) / 1000

    def by_definition(board: Any, depth: int, ply: int) -> int:
        out = np.zeros(game.max_legal, np.int16)
        legal = out[: twin.moves(board, out)].tolist()
        if not legal:
            first = 1 - 2 * int(compiled(game).player(twin.to_state(game, board)))
            return twin.score(board) * first * (MATE - ply)
        if depth == 1:
            return round(float(rate(twin.to_state(game, board))[legal].max()) * 1000)
        best = -MATE
        for action in legal:
            undo = twin.make(board, action)
            best = max(best, -by_definition(board, depth - 1, ply + 1))
            twin.unmake(board, undo)
        return best

    for depth in (1, 2, 3) if game is HEX else (1, 2):
        expected = by_definition(twin.from_state(game, state), depth, 0)
        for switches in (PLAIN, EXACT):
            seeker = AlphaBeta(game, Oracle("some", rate, 1000), switches=switches)
            found = seeker.search(state, Limits(depth))
            actions, scores = seeker.root_scores(state, depth)
            assert found.score == scores.max() == expected
            assert scores[actions.tolist().index(found.action)] == expected
            assert len(found.line) == depth or found.mate is not None
    asked.clear()
    AlphaBeta(game, Oracle("some", rate, 1000)).search(state, Limits(1))
    assert len(asked) == 1


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(BadInput, match="a game for one"):
        AlphaBeta(games.make_game("solitaire-chess"))
    with pytest.raises(BadInput, match="it has no twin"):
        AlphaBeta(games.make_game("lgame"))
    over = ABALONE.parse("wwww./wwww../......./......../......bb./......../......./.bbb../bbbb. w")
    for ask in (lambda: AlphaBeta(ABALONE).search(over), lambda: AlphaBeta(ABALONE).root_scores(over, 1)):
        with pytest.raises(BadInput, match="the game is over"):
            ask()
    with pytest.raises(BadInput, match="no evaluation 'worth'; there are hand, centre"):
        evaluation(ABALONE, "worth")
    assert evaluation(HEX) == RESULT
