"""Games of the Abalearn paper's agents: counted as the slow rules count them, and the same however they are played."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import reference_of
from helpers.policies import scripted

from ludus.agents.find import find_player
from ludus.core.line import Line
from ludus.games.abalone.paper import matches, measures
from ludus.games.abalone.paper.matches import AgentNetworks, lanes, meet
from ludus.games.abalone.paper.measures import Counts, against, counted
from ludus.games.abalone.paper.settings import ONE, td
from ludus.games.abalone.rules import Abalone
from ludus.learners.recipe import Recipe
from ludus.learners.valuation import Network
from ludus.play import selfplay
from ludus.play.host_batch import Ends
from ludus.play.player import Clock, Player

GAME = Abalone(cap=16)
START = "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb"
ONE_OFF = "wwwww/wwwww./..www../......../........./......../..bbb../bbbbbb/bbbbb"
LOST = "wwwww/www.../......./......../........./......../..bbb../bbbbbb/bbbbb"


def networks(version: str, count: int, seed: int) -> Network:
    """With large weights, so that no two moves are worth the same."""
    recipe = td(version)
    made = jax.vmap(lambda key: recipe.learner.init(recipe.config, GAME, key).network)(
        jax.random.split(jax.random.key(seed), count)
    )
    return jax.tree.map(lambda leaf: np.asarray(300 * leaf), made)


def agent(version: str, count: int = 2, seed: int = 0, name: str = "") -> matches.Agent:
    return name or version, td(version), networks(version, count, seed)


def values_of(recipe: Recipe) -> Callable[[Network, Any], Any]:
    """What a network of this recipe expects of each move of a state."""
    values = recipe.learner.move_values
    assert values is not None
    return jax.jit(functools.partial(values, recipe.config, GAME))


# --- counting -----------------------------------------------------------------------------------------------------


def test_games_are_counted_by_hand() -> None:
    """Black to move in the end or white, the player black or white: a repetition that black leads in, a game stopped at
    the limit that black leads, one that black has won, and a repetition with as many on both sides.
    """
    ends = [(f"{ONE_OFF} w", 0, 0, 5), (f"{ONE_OFF} b", 1, -1, 16), (f"{LOST} w", 0, 1, 9), (f"{START} b", 1, 0, 4)]
    texts, seats, got, plies = zip(*ends, strict=True)
    final = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(GAME.parse(text) for text in texts))
    line = jnp.zeros((4, 2), jnp.uint32)
    given = Ends(jnp.array(got, jnp.float32), jnp.array(plies, jnp.int32), line, final)
    found = counted(GAME, given, jnp.array(seats, jnp.int32))
    assert found.score.tolist() == [0.5, 0, 1, 0.5]
    assert found.ahead.tolist() == [1, 0, 1, 0.5]
    assert found.won.tolist() == [1, 0, 6, 0]
    assert found.lost.tolist() == [0, 1, 0, 0]
    assert found.repeated.tolist() == [True, False, False, True]


SHUFFLED = ["a1b1", "i5h4", "c1b1", "g3h4"]  # two moves and back again: the start recurs after four plies


@pytest.mark.slow
def test_a_game_that_repeats_is_counted_where_it_does_and_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Black has one marble less all along. As black the player has lost by marbles; where a repetition ends the game it
    is a tie by the rules of the house.
    """
    game, start = Abalone(cap=7), START.replace("..bbb..", "..bb...") + " b"
    policy, pool = (
        scripted(game, start, SHUFFLED),
        jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.parse(start)),
    )
    fresh = selfplay.fresh
    monkeypatch.setattr(selfplay, "fresh", lambda game, lanes, starts=None, ties=True: fresh(game, lanes, pool, ties))
    on, house = measures.played_on(game, (policy, policy), jax.random.key(0), jnp.array([0, 1], jnp.int32))
    for counts, plies, score, repeated in ((on, 7, [0, 1], False), (house, 4, [0.5, 0.5], True)):
        assert counts.plies.tolist() == [plies] * 2
        assert counts.score.tolist() == score
        assert counts.ahead.tolist() == [0, 1]
        assert counts.repeated.tolist() == [repeated] * 2
        assert counts.lost.tolist() == [1, 0]
        assert counts.won.tolist() == [0, 1]


@pytest.mark.slow
@pytest.mark.campaign
def test_a_measure_is_the_slow_count_of_the_games_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two networks, against both players, in both seats: games are followed move by move and counted from texts."""
    game, recipe, stack = Abalone(cap=40), td("1.1", ONE), networks("1.1", 2, 3)
    monkeypatch.setattr(measures, "QUICK", (4, 2))
    found = against(game, True)(recipe.learner, recipe.config, stack)
    policy_of = recipe.learner.policy
    others = [find_player(name, game).on_device(game).policy for name in ("minimax:1", "random")]

    def either(key: Any, states: Any) -> Any:
        parts = (jax.tree.map(lambda leaf: leaf[:4], states), jax.tree.map(lambda leaf: leaf[4:], states))
        return jnp.concatenate(
            [other(k, part) for other, k, part in zip(others, jax.random.split(key), parts, strict=True)]
        )

    @jax.jit
    def follow(network: Any, key: Any) -> Any:
        policy = selfplay.seated(game, (policy_of(recipe.config, game, network, 0.0), either), jnp.asarray(SEATS))
        return selfplay.stream(game, policy, selfplay.fresh(game, 6, ties=False), key, game.max_plies + 1)[1]

    names = (
        ("minimax", "minimax_ahead", "minimax_plies", "repeated", "on", "on_won", "on_lost"),
        ("random", "random_ahead"),
    )
    for number, key in enumerate(jax.random.split(jax.random.key(0), 2)):
        network = jax.tree.map(lambda leaf, number=number: jnp.asarray(leaf[number]), stack)
        record = jax.device_get(follow(network, key))
        slow = np.array([_slowly_counted(game, record, lane) for lane in range(6)])
        for measured, rows in zip(names, (slow[:4], slow[4:]), strict=True):
            for measure, value in zip(measured, rows.mean(axis=0), strict=False):
                assert found[measure][number] == pytest.approx(value, abs=1e-6), measure
    assert found["on_lost"].max() > 0
    assert {"live", "spread", "size", "ratings", "level"} < set(found)


SEATS = np.array([0, 1, 0, 1, 0, 1], np.int32)


def _slowly_counted(game: Any, record: Any, lane: int) -> tuple[float, ...]:
    """A game by the slow rules: up to where a position comes back, and to the limit."""
    slow, text, plies, seat = reference_of(game), game.format(game.init()), 0, int(SEATS[lane])
    seen, again = {text}, None
    while not bool(record.over[plies, lane]):
        state = jax.tree.map(lambda leaf, now=plies: leaf[now, lane], record.state)
        text = slow.play(text, game.format_move(state, int(record.action[plies, lane])))
        plies += 1
        if again is None and text in seen and slow.result(text) is None:
            again = (plies, text)
        seen.add(text)

    def lead(text: str) -> tuple[float, int, int]:
        ours, theirs = (text.split()[0].count("bw"[side]) for side in (seat, 1 - seat))
        return (1 + float(np.sign(ours - theirs))) / 2, 14 - theirs, 14 - ours

    when, there = again or (plies, text)
    score = 0.5 if again else lead(there)[0]
    return score, lead(there)[0], when, again is not None and when < game.max_plies, *lead(text)


def test_a_network_that_says_the_same_of_every_position_is_seen() -> None:
    recipe, states = td("1.1"), measures.positions(GAME)
    stack = networks("1.1", 1, 0)
    living = jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), stack)
    dead = living._replace(hidden=jnp.zeros_like(living.hidden))
    some = dead._replace(hidden=dead.hidden.at[1, :5].set(3.0), hidden_bias=jnp.zeros_like(dead.hidden_bias))
    seen = [measures.vitals(recipe.config, GAME, network, states) for network in (dead, living, some)]
    assert float(seen[0]["spread"]) < 1e-5
    assert [float(each["live"]) for each in seen[::2]] == [0, 0.25]  # of the last, five units in twenty
    assert float(seen[1]["spread"]) > 0.01
    units = 1 / (1 + np.exp(-np.asarray(dead.hidden_bias, np.float64)))
    rating = units @ np.asarray(dead.output, np.float64) + float(dead.output_bias)
    assert float(seen[0]["level"]) == pytest.approx(1 / (1 + np.exp(-rating)), abs=1e-5)
    assert np.asarray(seen[0]["ratings"]) == pytest.approx(np.full(measures.POSITIONS, rating), rel=1e-4)
    assert float(seen[0]["size"]) == pytest.approx(abs(rating), rel=1e-4)


# --- who meets whom -----------------------------------------------------------------------------------------------


def test_lanes_have_the_networks_of_one_seed_and_openings_in_both_seats() -> None:
    crowd = AgentNetworks([agent("1.1", 3), agent("1.1", 3, name="b"), agent("1.0", 3, name="c")])
    found = lanes(crowd, [(0, 2), (1, None)], 2)
    assert found.one.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert found.two.tolist()[:6] == [6, 6, 7, 7, 8, 8]
    assert found.places.tolist() == [0, 1, 2, 3, 4, 5] * 2
    assert len(crowd.groups) == 2
    assert crowd.groups[0].row.tolist() == [0, 1, 2, 3, 4, 5, 0, 0, 0]
    assert crowd.groups[1].row.tolist() == [0] * 6 + [0, 1, 2]
    assert crowd.groups[1].member.tolist() == [False] * 6 + [True] * 3
    part = found.part(8, 6)
    assert part.one.tolist()[:4] == [4, 4, 5, 5]
    assert part.places.tolist() == [2, 3, 4, 5, matches.NOBODY, matches.NOBODY]


@pytest.mark.slow
def test_in_each_lane_its_own_network_moves() -> None:
    agents = [agent("1.1"), agent("1.0"), agent("1.1", seed=5, name="other")]
    crowd = AgentNetworks(agents)
    states = jax.tree.map(lambda leaf: leaf[:6], measures.positions(GAME))
    who = jnp.array([5, 0, 3, 2, 1, 4], jnp.int32)
    best = set()
    moves = jax.jit(lambda: crowd.policy(GAME, crowd.stacks, who)(jax.random.key(0), states))()
    rates = [values_of(td(version)) for version in ("1.1", "1.0")]
    for lane, number in enumerate(who.tolist()):
        _, _, stack = agents[number // 2]
        network = jax.tree.map(lambda leaf, seed=number % 2: jnp.asarray(leaf[seed]), stack)
        state = jax.tree.map(lambda leaf, lane=lane: leaf[lane], states)
        values = rates[number // 2 == 1](network, state)
        assert float(values[int(moves[lane])]) == pytest.approx(float(values.max()), abs=1e-6)  # 1.1 sees many alike
        best.add(float(values.max()))
    assert len(best) == 6


class Wrapped(Player):
    """A network that is asked on the host."""

    def __init__(self, given: matches.Agent) -> None:
        self.name, recipe, stack = given
        network = jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), stack)
        self.values = functools.partial(values_of(recipe), network)

    def move(self, line: Line, clock: Clock) -> int:
        return int(self.values(jax.tree.map(jnp.asarray, line.state)).argmax())


@pytest.mark.campaign
def test_games_are_the_same_on_the_host_and_mirrored_where_names_are_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = agent("1.0", 1, name="a"), ("b", td("1.0", output="scaled"), networks("1.0", 1, 4))
    forth, back = meet([one, two], [("a", "b"), ("b", "a")], 4, GAME)
    assert (forth.first, forth.second, forth.games, forth.seed) == ("a", "b", 4, 0)
    assert (back.won, back.tied, back.ahead, back.behind) == (
        4 - forth.won - forth.tied,
        forth.tied,
        forth.behind,
        forth.ahead,
    )
    assert (back.gained, back.lost, back.plies) == (forth.lost, forth.gained, forth.plies)
    monkeypatch.setattr(matches, "find_player", lambda name, game: Wrapped(two))
    (hosted,) = meet([one], [("a", "somebody")], 4, GAME)
    assert vars(hosted) == vars(forth) | {"second": "somebody"}


def test_a_series_is_its_games() -> None:
    rows = (1, 0.5, 0.5, 0), (1, 1, 0.5, 0), (6, 1, 2, 0), (1, 0, 2, 3), (9, 8, 7, 6), (False,) * 4
    counts = Counts(*map(np.array, rows))
    found = matches.series(7, "a", "b", counts)
    assert vars(found) == {
        **{"seed": 7, "first": "a", "second": "b", "games": 4, "won": 1, "tied": 2, "ahead": 2, "behind": 1},
        **{"gained": 9, "lost": 6, "plies": 30},
    }
    assert (found.score, found.lead) == (0.5, 0.625)


@pytest.mark.slow
def test_players_that_have_not_learned_meet_too() -> None:
    (found,) = matches.between(("random", "alphabeta:1"), 4, GAME)
    assert (found.seed, found.first, found.second, found.games) == (0, "random", "alphabeta:1", 4)
    assert 0 < found.plies <= 4 * 16
