"""The Hex solvers: the tablebase equals the game graph, H-search makes no false claim, a proof is the truth."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from helpers.positions import random_positions, unstack
from jaxtyping import UInt8, UInt64

from ludus.games.hex.notation import name
from ludus.games.hex.rules import Hex
from ludus.games.hex.solver import analysis as hex_analysis
from ludus.games.hex.solver import circuit as hex_circuit
from ludus.games.hex.solver import connections as hex_connections
from ludus.games.hex.solver import dfpn as hex_dfpn
from ludus.games.hex.solver import perfect as hex_perfect
from ludus.games.hex.solver import prover as hex_prover
from ludus.games.hex.solver import tablebase as hex_tablebase
from ludus.games.hex.solver import transposition_table as hex_transpositions
from ludus.games.hex.solver import workspace as hex_workspace
from ludus.games.hex.solver.connection_lists import FULL, HALF, joins
from ludus.games.hex.solver.grid import Grid, grid, joined, masks, transpose
from ludus.search.compiled import jit
from ludus.search.words import Word
from ludus.truth.graph import build
from ludus.truth.solve import solve

pytestmark = pytest.mark.slow  # Numba compiles for ten seconds before the first of them

# The first moves that win. Those of 3 and 4 are well known; those of 5 to 7 are what the prover says. On 5, a search
# that knows only the rules and what it has refuted found b3, c2, c3 and d2 to win as well, in a minute for each.
OPENINGS = {
    2: "a2 b1",
    3: "a2 a3 b2 c1 c2",
    4: "a4 b3 c2 d1",
    5: "a4 a5 b2 b3 b4 c2 c3 c4 d2 d3 d4 e1 e2",
    6: "a3 a4 a5 a6 b2 b3 b4 b5 c2 c3 c4 c5 d2 d3 d4 d5 e2 e3 e4 e5 f1 f2 f3 f4",
    7: "a4 a6 a7 b3 b4 b5 b6 c2 c3 c4 c5 c6 d3 d4 d5 e2 e3 e4 e5 e6 f2 f3 f4 f5 g1 g2 g4",
}


def across(size: int, cells: int) -> np.uint64:
    return np.uint64(transpose(grid(size), np.uint64(cells)))


@jit
def wins(board: Grid, own: Word, other: Word) -> bool:
    """Whether the mover wins a position that nobody has won, by trying everything."""
    free = ~(own | other) & np.uint64((1 << board.size * board.size) - 1)
    while free:
        stones = own | (free & (~free + np.uint64(1)))
        if joined(board, stones) or not wins(board, transpose(board, other), transpose(board, stones)):
            return True
        free &= free - np.uint64(1)
    return False


def truth(size: int, own: int, other: int) -> int:
    """All winning moves."""
    winning = 0
    for cell in range(size**2):
        stones = own | 1 << cell
        if not (own | other) >> cell & 1 and (
            joined(grid(size), np.uint64(stones)) or not wins(grid(size), across(size, other), across(size, stones))
        ):
            winning |= 1 << cell
    return winning


def late_positions(size: int, num_empty: int, number: int, seed: int) -> list[tuple[int, int]]:
    """Positions with few empty cells that nobody has won, in the mover's view."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < number:
        cells = rng.permutation(size**2)[num_empty:]
        own, other = (sum(1 << int(cell) for cell in half) for half in (cells[::2], cells[1::2]))
        if len(cells) % 2:
            own, other = other, own
        if not joined(grid(size), np.uint64(own)) and not joined(grid(size), across(size, other)):
            found.append((own, other))
    return found


def table_positions(size: int, number: int, seed: int) -> list[tuple[int, int, int]]:
    """Unfinished positions of the table, and their winning moves."""
    table = hex_tablebase.tablebase(size)
    live = np.flatnonzero(table.plies)
    rows = np.random.default_rng(seed).choice(live, min(number, len(live)), replace=False)
    found = zip(table.own[rows], table.other[rows], table.winning[rows], strict=True)
    return [(int(own), int(other), int(winning)) for own, other, winning in found]


@pytest.mark.parametrize("size", [2, 3])
def test_the_table_is_the_explicit_graph(size: int) -> None:
    game = Hex(size)
    graph, solution, table = build(game), solve(game), hex_tablebase.tablebase(size)
    sides = np.array([masks(game, graph.state(index)) for index in range(graph.num_positions)])
    rows = table.find(sides[:, 0], sides[:, 1])
    assert sorted(rows.tolist()) == list(range(len(table.keys)))
    assert (table.own[rows] == sides[:, 0]).all()
    assert (table.other[rows] == sides[:, 1]).all()
    assert (table.plies[rows] == solution.plies).all()
    assert (table.wins[rows] == (solution.value > 0)).all()
    winning = np.zeros(graph.num_positions, np.int64)
    np.add.at(winning, graph.parent, np.where(solution.move_value > 0, 1 << graph.action, 0))
    assert (table.winning[rows] == winning).all()
    assert table.find(np.array([1]), np.array([0])).tolist() == [-1]  # the mover has one stone more


def test_the_table_of_4_is_the_truth() -> None:
    table = hex_tablebase.tablebase(4)
    assert (len(table.keys), int(table.wins.sum())) == (9_386_235, 5_896_679)
    assert (np.diff(table.keys.astype(np.int64)) > 0).all()
    assert ((table.winning != 0) == table.wins).all()
    for own, other in late_positions(4, 8, 40, seed=0) + late_positions(4, 7, 40, seed=1):
        row = table.find(np.array([own]), np.array([other]))[0]
        assert table.winning[row] == truth(4, own, other), (own, other)


def test_h_search_claims_only_what_is_so() -> None:
    """A half connection of the mover's edges wins; so does a full one of the other's, moving second."""
    cases = [(3, *row) for row in table_positions(3, 6000, seed=0)]
    cases += [(4, *row) for row in table_positions(4, 4000, seed=1)]
    for seed, num_empty in enumerate((6, 7, 8, 9)):
        cases += [(5, *sides, truth(5, *sides)) for sides in late_positions(5, num_empty, 60, seed)]
    by_size = {size: hex_connections.connections(size) for size in (3, 4, 5)}
    seen = {True: 0, False: 0}
    for size, own, other, winning in cases:
        vcs = by_size[size]
        hex_connections.connect(vcs, np.uint64(own), np.uint64(other))
        if any(joins(vcs.lists, kind) for kind in (FULL, HALF)):
            assert winning, (size, own, other)
            seen[True] += 1
        hex_connections.connect(vcs, across(size, other), across(size, own))
        if joins(vcs.lists, FULL):
            assert not winning, (size, own, other)
            seen[False] += 1
        else:
            must = int(across(size, hex_connections.must_play(vcs)[0]))
            assert not winning & ~must, (size, own, other)
    assert sum(seen.values()) > 0.98 * len(cases), "it should see nearly all there is to see on such boards"


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.campaign)])
def test_the_openings_that_win(size: int) -> None:
    empty = np.zeros((1, size**2), bool)
    for winning in (hex_perfect.winning_moves(size, empty, empty)[0], hex_prover.Prover(size).solve(0, 0).moves == 1):
        assert " ".join(sorted(name(divmod(int(cell), size)) for cell in np.flatnonzero(winning))) == OPENINGS[size]


def test_a_proof_is_the_truth() -> None:
    provers = {size: hex_prover.Prover(size, log_places=6) for size in (3, 4, 5)}  # so few that most are replaced
    cases = [(3, *row) for row in table_positions(3, 300, seed=2)]
    cases += [(4, *row) for row in table_positions(4, 600, seed=3)]
    cases += [(5, *sides, truth(5, *sides)) for n in (7, 9, 11) for sides in late_positions(5, n, 40, seed=n)]
    for size, own, other, winning in cases:
        proof = provers[size].solve(own, other)
        assert proof.winning == winning, (size, own, other)
        assert (proof.value, proof.gave_up) == (1 if winning else -1, False)
        assert np.count_nonzero(proof.moves) == size**2 - (own | other).bit_count()


@jit
def finishing(board: Grid, own: Word, other: Word) -> Word:
    """The cells that join top and bottom at once."""
    free, found = board_of(board) & ~(own | other), np.uint64(0)
    while free:
        cell = free & (~free + np.uint64(1))
        free ^= cell
        if joined(board, own | cell):
            found |= cell
    return found


@jit
def board_of(board: Grid) -> Word:
    return np.uint64((1 << board.size * board.size) - 1)


@jit
def wins_against_everything(
    space: hex_workspace.Workspace,
    own: Word,
    other: Word,
    depth: int,
    orders: UInt8[np.ndarray, "D N"],
    seen: UInt64[np.ndarray, "S 2"],
) -> bool:
    """Whether the mover, asking the prover for one move at a time, beats every reply by the rules."""
    board, sideways = space.inferior.grids
    if finishing(board, own, other):
        return True
    place = np.int64((own * np.uint64(0x9E3779B97F4A7C15) ^ other * np.uint64(0xC2B2AE3D27D4EB4F)) >> np.uint64(44))
    if seen[place, 0] == own and seen[place, 1] == other:
        return True
    space.nodes[1] = space.nodes[0] + 1_000_000
    order, move = orders[depth], np.uint64(0)
    length, _ = hex_analysis.root_moves(space, own, other, 0, order)
    for i in range(length):
        cell = np.uint64(1) << np.uint64(order[i])
        value, _ = hex_dfpn.prove(space, own | cell, other, 1)
        if value == hex_transpositions.LOSS:
            move = cell
            break
    stones = own | move
    if not move or finishing(sideways, other, stones):
        return False
    threats = finishing(board, stones, other)
    replies = board_of(board) & ~(stones | other)
    if threats:  # every reply but one on the only threat is answered by it
        replies = threats if threats & (threats - np.uint64(1)) == np.uint64(0) else np.uint64(0)
    while replies:
        cell = replies & (~replies + np.uint64(1))
        replies ^= cell
        if not wins_against_everything(space, stones, other | cell, depth + 1, orders, seen):
            return False
    seen[place, 0], seen[place, 1] = own, other
    return True


def test_the_winner_has_an_answer_to_everything() -> None:
    """For every opening, by the rules alone: the moves come from the prover, but all replies to them are tried."""
    size = 4
    space, seen = hex_workspace.workspace(size, log_places=18), np.zeros((1 << 20, 2), np.uint64)
    orders = np.zeros((size**2, size**2), np.uint8)
    for cell in range(size**2):
        if name(divmod(cell, size)) in OPENINGS[size].split():  # for black, whatever white replies
            sides = [(np.uint64(1 << cell), np.uint64(1 << reply)) for reply in range(size**2) if reply != cell]
        else:  # for white, to move in its own view
            sides = [(np.uint64(0), across(size, 1 << cell))]
        assert all(wins_against_everything(space, own, other, 0, orders, seen) for own, other in sides), cell


def test_a_search_gives_up_honestly() -> None:
    prover = hex_prover.Prover(6)
    proof = prover.solve(0, 0, limit=0.0)
    assert (proof.value, proof.gave_up, proof.winning) == (0, True, 0)
    reports = []
    proof = prover.solve(0, 0, limit=0.2, report=lambda *report: reports.append(report))
    assert proof.gave_up
    assert (proof.moves == 0).any()
    assert reports[-1][0] == proof.nodes > 0
    over = prover.solve(0, 0b1111_11)
    assert (over.value, over.moves.any(), over.gave_up) == (-1, False, False)


def test_the_prover_agrees_with_itself_turned_and_transposed() -> None:
    """On 6 x 6 there is nothing else to ask: searches from scratch of all four images of a position."""
    game = Hex(6)
    states = random_positions(game, 64, seed=5, ends=False)
    done = np.asarray(jax.vmap(game.done)(states))
    stones = np.asarray(jax.vmap(lambda s: s.own.stones.count() + s.other.stones.count())(states))
    for lane in np.flatnonzero(~done & (stones > 8))[:6]:
        state = unstack(states, int(lane))
        images, actions = jax.tree.map(np.asarray, game.symmetries(state))
        values = []
        for image in range(4):
            view = unstack(images, image)
            found = hex_prover.Prover(6).solve(*masks(game, view)).moves
            found = found.reshape(6, 6).T.ravel() if int(view.mover) else found
            values.append(found[actions[image]].tolist())
        assert values.count(values[0]) == 4, game.format(state)


def test_scores_rate_moves() -> None:
    """Proven moves have 1 and -1, in truth; all others lie between, and are the same from either side's view."""
    game, table = Hex(3), hex_tablebase.tablebase(3)
    states = random_positions(game, 200, seed=3, ends=False)
    for lane in np.flatnonzero(~np.asarray(jax.vmap(game.done)(states)))[:60]:
        state = unstack(states, int(lane))
        found = hex_circuit.scores(game, state)
        legal = np.asarray(game.legal(state))
        assert (found[~legal] == 0).all()
        own, other = masks(game, state)
        winning = int(table.winning[table.find(np.array([own]), np.array([other]))[0]])
        view = found.reshape(3, 3).T.ravel() if int(state.mover) else found
        for cell in np.flatnonzero(np.abs(view) == 1):
            assert (view[cell] == 1) == bool(winning >> int(cell) & 1), (game.format(state), cell)
        images, actions = jax.tree.map(np.asarray, game.symmetries(state))
        for image in range(4):
            there = hex_circuit.scores(game, unstack(images, image))
            np.testing.assert_allclose(there[actions[image]], found, atol=1e-6)


@pytest.mark.parametrize("size", [4, 5, 8])
def test_scores_of_an_empty_board_prefer_the_centre(size: int) -> None:
    found = hex_circuit.scores(Hex(size), Hex(size).init())
    assert (np.abs(found) <= 1).all()
    inner = found.reshape(size, size)[1:-1, 1:-1]
    assert found.max() == inner.max() > max(found[0], found[-1])


def test_resistance_is_that_of_the_circuit() -> None:
    """Without connections beyond the neighbours, on 2 x 2: worked out by hand."""
    vcs, circuit = hex_connections.connections(2), hex_circuit.circuit(2)
    hex_connections.reset_connections(vcs, np.uint64(0), np.uint64(0))
    # Two columns, a link between them that carries a current from b1 to a2, and ends of resistance 1 at either edge.
    matrix = [[2, -0.5, -0.5, 0], [-0.5, 2.5, -0.5, -0.5], [-0.5, -0.5, 2.5, -0.5], [0, -0.5, -0.5, 2]]
    top_left, top_right, *_ = np.linalg.solve(matrix, [1, 1, 0, 0])
    assert hex_circuit.resistance(vcs, circuit) == pytest.approx(1 / (2 - top_left - top_right), rel=1e-6)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_perfect_policy_plays_any_winning_move(size: int) -> None:
    """And any move where none wins; all of them in time."""
    game = Hex(size)
    texts = {3: ["..B/.../... w", "B../.../... w"], 4: ["...B/..../..../.... w", "...B/..../..W./.... b"]}
    texts[5] = ["..B../...../...../...../..... w", "....B/...../...../...../..... w", "B.W../..B../.W.../..B../..... w"]
    states = [game.parse(text) for text in texts[size]]
    copies = 512
    batch = jax.tree.map(lambda *leaves: np.repeat(np.stack(leaves), copies, axis=0), *states)
    played = np.asarray(jax.jit(hex_perfect.policy(game))(jax.random.key(0), batch)).reshape(len(states), copies)
    prover = hex_prover.Prover(size)
    for state, actions in zip(states, played, strict=True):
        moves = prover.solve(*masks(game, state)).moves
        moves = moves.reshape(size, size).T.ravel() if int(state.mover) else moves
        expected = moves == 1 if (moves == 1).any() else moves == -1
        assert set(actions.tolist()) == set(np.flatnonzero(expected).tolist()), game.format(state)
