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

from ludus.agents.find import find_player
from ludus.core.line import Line
from ludus.games.abalone.paper import matches, measures
from ludus.games.abalone.paper.matches import AgentNetworks, lanes, meet
from ludus.games.abalone.paper.measures import Counts, against, counted
from ludus.games.abalone.paper.settings import td
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


def slowly(game: Any, episode: selfplay.Episodes, lane: int, seat: int) -> tuple[float, ...]:
    """A game by the slow rules, from its moves: what a player in this seat came to."""
    slow, text, plies = reference_of(game), game.format(game.init()), 0
    seen, again = {text}, False
    while bool(episode.live[plies, lane]):
        state = jax.tree.map(lambda leaf, now=plies: leaf[now, lane], episode.state)
        text = slow.play(text, game.format_move(state, int(episode.action[plies, lane])))
        plies += 1
        again = text in seen
        seen.add(text)
    marbles = [text.split()[0].count(side) for side in "bw"]
    lead = np.sign(marbles[seat] - marbles[1 - seat])
    over = slow.result(text) is not None
    result = 0 if again and not over else lead
    repeated = again and not over and plies < game.max_plies
    return (1 + result) / 2, (1 + lead) / 2, 14 - marbles[1 - seat], 14 - marbles[seat], plies, repeated


@pytest.mark.slow
def test_a_measure_is_the_slow_count_of_the_games_it_stands_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two networks, against both players, in both seats."""
    game, recipe, stack = Abalone(cap=40), td("1.1"), networks("1.1", 2, 3)
    monkeypatch.setattr(measures, "QUICK", (4, 2))
    found = against(game, True)(recipe.learner, recipe.config, stack)
    names = ("minimax", "minimax_ahead", "won", "lost", "minimax_plies", "repeated"), ("random", "random_ahead")
    for place, (other, games) in enumerate((("minimax:1", 4), ("random", 2))):
        seats, player = jnp.arange(games, dtype=jnp.int32) % 2, find_player(other, game).on_device(game).policy

        def play(network: Any, key: Any, games: int = games, seats: Any = seats, player: Any = player) -> Any:
            both = recipe.learner.policy(recipe.config, game, network, 0.0), player
            return selfplay.play(game, selfplay.seated(game, both, seats), key, games)

        compiled = jax.jit(play)
        for number, key in enumerate(jax.random.split(jax.random.key(0), 2)):
            network = jax.tree.map(lambda leaf, number=number: jnp.asarray(leaf[number]), stack)
            episode = jax.device_get(compiled(network, jax.random.split(key)[place]))
            slow = np.array([slowly(game, episode, lane, lane % 2) for lane in range(games)], float).mean(axis=0)
            for measure, value in zip(names[place], slow, strict=False):
                assert found[measure][number] == pytest.approx(value, abs=1e-6), measure
    assert found["lost"].max() > 0
    assert set(found) == {*names[0], *names[1], "level", "spread", "varied"}


def test_a_network_that_says_the_same_of_every_position_is_seen() -> None:
    recipe, states = td("1.1"), measures.positions(GAME)
    stack = networks("1.1", 1, 0)
    living = jax.tree.map(lambda leaf: jnp.asarray(leaf[0]), stack)
    dead = living._replace(hidden=jnp.zeros_like(living.hidden))
    some = dead._replace(hidden=dead.hidden.at[1, :5].set(3.0), hidden_bias=jnp.zeros_like(dead.hidden_bias))
    seen = [measures.vitals(recipe.config, GAME, network, states) for network in (dead, living, some)]
    assert float(seen[0]["spread"]) < 1e-5
    assert [float(each["varied"]) for each in seen[::2]] == [0, 0.25]  # of the last, five units in twenty
    assert float(seen[1]["spread"]) > 0.01
    units = 1 / (1 + np.exp(-np.asarray(dead.hidden_bias, np.float64)))
    level = 1 / (1 + np.exp(-(units @ np.asarray(dead.output, np.float64) + float(dead.output_bias))))
    assert float(seen[0]["level"]) == pytest.approx(level, abs=1e-5)


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
