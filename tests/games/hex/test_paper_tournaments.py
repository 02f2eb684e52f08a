"""Table I: games of two networks held to the slow rules, and the counts of a tournament whose outcome is known."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import reference_of

from ludus.games.hex.paper import objectives
from ludus.games.hex.paper.standings import standings, wins_by_tournament
from ludus.games.hex.paper.tournaments import FREE, GAME, first_wins, tournaments
from ludus.learners import batch
from ludus.learners.recipe import Recipe
from ludus.learners.views import view
from ludus.networks import HexagonNet, Recurrent, squash
from ludus.study.data import Data, Runs, TournamentGame
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED

CNN, RNN = batch.Config(network="cnn"), batch.Config(network="rnn")


def network_of(config: batch.Config, seed: int) -> Any:
    net = jax.tree.map(lambda leaf: 3 * leaf, HexagonNet((7, 7, 6), 9, jax.random.key(seed)))
    return net if config.network == "cnn" else Recurrent(net, jax.random.key(seed + 50))


def played_slowly(black: tuple[batch.Config, Any], white: tuple[batch.Config, Any], opening: int) -> bool:
    """The same game by the slow rules: each looks at every position, and remembers if it can."""
    slow, text = reference_of(GAME), GAME.format(GAME.init())
    players, memories = (black, white), [jnp.zeros(9), jnp.zeros(9)]
    look = jax.jit(lambda state: view(GAME, state))
    while (result := slow.result(text)) is None:
        values: list[Any] = [None, None]
        seen = look(GAME.parse(text))
        for seat, (config, network) in enumerate(players):
            if config.network == "cnn":
                values[seat] = squash(network(seen.planes))
            else:
                memories[seat], values[seat] = network(seen.planes, memories[seat])
        mover = "bw".index(text[-1])
        best = max(np.flatnonzero(np.asarray(seen.legal)), key=lambda cell: float(values[mover][cell]))
        best, opening = (best, FREE) if opening == FREE else (opening, FREE)
        row, column = divmod(int(best), 3)
        text = slow.play(text, "abc"[column] + "123"[row] if mover == 0 else "abc"[row] + "123"[column])
    return result == (1, -1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), [(CNN, CNN), (RNN, CNN), (CNN, RNN)], ids=["cnn", "rnn first", "rnn second"]
)
def test_a_game_is_the_one_the_slow_rules_play(first: batch.Config, second: batch.Config) -> None:
    """Whether black begins as it likes, or in a corner or the middle."""
    play = jax.jit(lambda a, b, opening: first_wins(GAME, (first, a), (second, b), opening))
    outcomes = set()
    for seed, opening in enumerate((FREE, FREE, FREE, FREE, 0, 4)):
        a, b = network_of(first, seed), network_of(second, seed + 10)
        won = played_slowly((first, a), (second, b), opening)
        assert float(play(a, b, jnp.int32(opening))) == won
        outcomes.add(won)
    assert outcomes == {True, False}


def by_strength(game: Any, black: tuple[Any, Any], white: tuple[Any, Any], opening: Any) -> Any:
    """Weights are numbers here: the higher wins, and black where they are alike, or if it begins in the middle."""
    return ((black[1] >= white[1]) | (opening == 4)).astype(jnp.float32)


def agents(**strengths: list[float]) -> list[tuple[str, Recipe, Any]]:
    recipe = Recipe.of("", "batch")
    return [(name, recipe, jnp.array(each, jnp.float32)) for name, each in strengths.items()]


def test_wins_are_counted_by_seat_and_season(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tournaments a season: a is the best in the first season, and level with b in the second."""
    monkeypatch.setattr("ludus.games.hex.paper.tournaments.first_wins", by_strength)
    rows = standings(tournaments(agents(a=[3, 3, 2, 2], b=[2, 2, 2, 2], c=[1, 1, 1, 3])))
    row = {r.agent: r for r in rows}
    assert all(r.games == 4 for r in rows)  # two opponents, two tournaments
    assert (row["a"].first, row["a"].second) == ((4, 3), (4, 1))
    assert (row["b"].first, row["b"].second) == ((2, 3), (2, 1))
    assert (row["c"].first, row["c"].second) == ((0, 2), (0, 2))
    total = sum(sum(r.first + r.second) for r in rows)
    assert total == 3 * 2 * 4  # every ordered pair in every tournament has one winner
    assert [r.agent for r in rows] == ["a", "b", "c"]
    assert rows[0].rating > rows[1].rating > rows[2].rating


def test_an_odd_seed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.games.hex.paper.tournaments.first_wins", by_strength)
    rows = standings(tournaments(agents(a=[2, 2, 0], b=[1, 1, 9])))
    assert [(r.agent, r.first, r.second) for r in rows] == [("a", (1, 1), (1, 1)), ("b", (0, 0), (0, 0))]


def test_from_every_first_move_there_are_nine_games_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.games.hex.paper.tournaments.first_wins", by_strength)
    games = tournaments(agents(a=[2, 2], b=[1, 1]), range(9))
    assert len(games) == 2 * 2 * 9
    rows = {row.agent: row for row in standings(games)}
    assert (rows["a"].first, rows["a"].second, rows["a"].games) == ((9, 9), (8, 8), 9)
    assert (rows["b"].first, rows["b"].second) == ((1, 1), (0, 0))


def test_wins_are_counted_tournament_by_tournament() -> None:
    games = [
        TournamentGame(1, 1, "a", "b", "a"),
        TournamentGame(1, 1, "b", "a", "a"),
        TournamentGame(1, 2, "a", "b", "b"),
    ]
    games += [TournamentGame(2, 1, "b", "a", "b")]
    assert wins_by_tournament(games) == {"a": [2, 0, 0], "b": [0, 1, 1]}


# --- what is made of it -------------------------------------------------------------------------------------------

AGENTS = ("CNN-MSE", "CNN-PBE", "RNN-MSE", "RNN-PBE")


def tournament(strengths: dict[str, float]) -> list[TournamentGame]:
    """Ten tournaments in each of two seasons; the stronger wins, and of equals each half of the time."""
    games = []
    for season, number, (one, two) in itertools.product((1, 2), range(1, 11), itertools.permutations(strengths, 2)):
        ahead = strengths[one] - strengths[two]
        games.append(TournamentGame(season, number, one, two, one if ahead > 0 or (ahead == 0 and number % 2) else two))
    return games


@pytest.mark.parametrize(("strengths", "wanted"), [
    # PBE over MSE with the CNN and the RNN, the CNN over the RNN with MSE and PBE
    ((3, 4, 1, 2), [HOLDS, HOLDS, HOLDS, HOLDS]),
    ((4, 3, 1, 2), [FAILS, HOLDS, HOLDS, HOLDS]),
    ((1, 1, 1, 1), [UNDECIDED] * 4),
    ((1, 2, 1, 1), [HOLDS, UNDECIDED, UNDECIDED, HOLDS]),
    ((1, 2, 4, 3), [HOLDS, FAILS, FAILS, FAILS]),
])  # fmt: skip
def test_the_order_of_agents(strengths: tuple[float, ...], wanted: list[str]) -> None:
    games = tournament(dict(zip(AGENTS, strengths, strict=True)))
    measured = {"value": np.full((2, 2), 0.5), "held": np.array([[0.5, 0.2], [0.5, 0.3]])}
    seen = Data([Runs(name[:3], name, (0, 1), np.array([0, 50]), measured) for name in AGENTS], games)
    for judge, ours in ((objectives.order_of_agents, False), (objectives.order_of_negated, True)):
        finding = judge(seen)
        assert [claim.verdict for claim in finding.claims] == wanted
        assert all(claim.claim.startswith("(ours)") == ours for claim in finding.claims)
        assert {len(row) for row in finding.table} == {6}
        if strengths == (3, 4, 1, 2):
            assert [row[0] for row in finding.table[1:]] == ["CNN-PBE", "CNN-MSE", "RNN-PBE", "RNN-MSE"]
            assert finding.table[1][1:4] == ["30 / 30", "30 / 30", "120"]
            assert finding.table[2][1:4] == ["20 / 20", "20 / 20", "80"]
            assert finding.table[1][-1] == "25.00% [20.00, 30.00]"
            assert finding.claims[0].found == "120 wins against 80; more a tournament: 2.000 [2.000, 2.000]"
