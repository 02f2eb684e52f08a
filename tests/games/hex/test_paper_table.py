"""Table I: games of two networks held to the slow rules, and the counts of a tournament whose outcome is known."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import reference_of

from ludus.games.hex.paper import table
from ludus.games.hex.paper.table import GAME, first_wins, tournaments
from ludus.games.hex.paper.verdicts import Row, standings
from ludus.learners import batch
from ludus.learners.views import view
from ludus.networks import HexagonNet, Recurrent, squash
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED
from ludus.training.recipes import Recipe

CNN, RNN = batch.Config(network="cnn"), batch.Config(network="rnn")


def network_of(config: batch.Config, seed: int) -> Any:
    net = jax.tree.map(lambda leaf: 3 * leaf, HexagonNet((7, 7, 6), 9, jax.random.key(seed)))
    return net if config.network == "cnn" else Recurrent(net, jax.random.key(seed + 50))


def played_slowly(black: tuple[batch.Config, Any], white: tuple[batch.Config, Any]) -> bool:
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
        row, column = divmod(int(best), 3)
        text = slow.play(text, "abc"[column] + "123"[row] if mover == 0 else "abc"[row] + "123"[column])
    return result == (1, -1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"), [(CNN, CNN), (RNN, CNN), (CNN, RNN)], ids=["cnn", "rnn first", "rnn second"]
)
def test_a_game_is_the_one_the_slow_rules_play(first: batch.Config, second: batch.Config) -> None:
    play = jax.jit(lambda a, b: first_wins(GAME, (first, a), (second, b)))
    outcomes = set()
    for seed in range(4):
        a, b = network_of(first, seed), network_of(second, seed + 10)
        won = played_slowly((first, a), (second, b))
        assert float(play(a, b)) == won
        outcomes.add(won)
    assert outcomes == {True, False}


def by_strength(game: Any, black: tuple[Any, Any], white: tuple[Any, Any]) -> Any:
    """Weights are numbers here: the higher wins, and black where they are alike."""
    return (black[1] >= white[1]).astype(jnp.float32)


def agents(**strengths: list[float]) -> list[tuple[str, Recipe, Any]]:
    recipe = Recipe.of("", "batch")
    return [(name, recipe, jnp.array(each, jnp.float32)) for name, each in strengths.items()]


def test_wins_are_counted_by_seat_and_season(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tournaments a season: a is the best in the first season, and level with b in the second."""
    monkeypatch.setattr(table, "first_wins", by_strength)
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
    monkeypatch.setattr(table, "first_wins", by_strength)
    rows = standings(tournaments(agents(a=[2, 2, 0], b=[1, 1, 9])))
    assert [(r.agent, r.first, r.second) for r in rows] == [("a", (1, 1), (1, 1)), ("b", (0, 0), (0, 0))]


def test_one_leads_where_intervals_do_not_meet() -> None:
    def row(low: float, high: float) -> Row:
        return Row("", (low + high) / 2, (low, high), (), (), 0)

    assert row(10, 20).leads(row(-20, 5)) == HOLDS
    assert row(-20, 5).leads(row(10, 20)) == FAILS
    assert row(0, 20).leads(row(-20, 5)) == UNDECIDED
