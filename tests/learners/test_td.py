"""TD(lambda) of Abalearn: held to a line worked out by hand, to the definition of lambda-returns, and to the equations
followed slowly, on whole games; who learns, and when it ends.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.text import refusal
from helpers.valuation import PUSHES, by_hand, worth
from jax.flatten_util import ravel_pytree

from ludus.agents.find import find_player
from ludus.core.game import legal_actions
from ludus.games.abalone.rules import Abalone
from ludus.games.hex.rules import Hex
from ludus.games.lgame.rules import LGame
from ludus.games.solitaire_chess.rules import SolitaireChess
from ludus.learners import td, td_game, valuation
from ludus.learners.configs import TdConfig
from ludus.learners.recipe import Recipe
from ludus.learners.td import epsilon_at, sweep_of
from ludus.learners.td_game import StepSize, chi, learn
from ludus.learners.valuation import Network
from ludus.training import train as training
from ludus.truth import sampled

HEX3 = Hex(size=3)
#: Each with its features, and where a game begins: of Abalone, where a few marbles can be pushed off at once.
GAMES: dict[str, tuple[Any, str, str | None]] = {
    "lgame": (LGame(cap=12), "planes", None),
    "hex": (HEX3, "planes", None),
    "abalone": (Abalone(cap=16), "abalearn-1.2", PUSHES),
    "solitaire-chess": (SolitaireChess(), "planes", None),
}


def few_first(*cases: tuple[Any, ...]) -> list[Any]:
    """The cases that every run of the tests has, on Hex and at one setting of Abalone; the rest takes long."""
    quick = [case for case in cases if case[0] == "hex"] + [case for case in cases if case[0] == "abalone"][:1]
    return [pytest.param(*case, marks=() if case in quick else pytest.mark.campaign) for case in cases]


@contextlib.contextmanager
def exactly() -> Iterator[None]:
    """In double precision, except the random bits."""
    with pytest.MonkeyPatch.context() as patch, jax.enable_x64(True), jax.numpy_dtype_promotion("standard"):
        patch.setattr(jax.random, "bits", functools.partial(jax.random.bits, dtype=jnp.uint32))
        yield


# --- one difference -----------------------------------------------------------------------------------------


def test_three_steps_by_hand() -> None:
    """Two cells, each worth its own weight, visited in the order first, second, first; alpha 1/2, lambda 1/2."""
    step = StepSize(jnp.float32(0.5), jnp.float32(0.5), jnp.float32(0))
    weights, trace = jnp.array([0.5, 0.25]), jnp.zeros(2)
    # From the first to the second: d = 0.25 - 0.5, e = (1, 0).
    weights, trace, d = learn(step, lambda w: w[0], weights, trace, weights[1])
    assert (float(d), trace.tolist(), weights.tolist()) == (-0.25, [1, 0], [0.375, 0.25])
    # To the first again, which gains 1: d = 1 + 0.375 - 0.25, e = (1/2, 1), and half of both is added.
    weights, trace, d = learn(step, lambda w: w[1], weights, trace, 1 + weights[0])
    assert (float(d), trace.tolist(), weights.tolist()) == (1.125, [0.5, 1], [0.65625, 0.8125])
    # The game is lost: d = -1 - 0.65625, e = (1/4 + 1, 1/2).
    weights, trace, d = learn(step, lambda w: w[0], weights, trace, jnp.float32(-1))
    assert (float(d), trace.tolist(), weights.tolist()) == (-1.65625, [1.25, 0.5], [-0.37890625, 0.3984375])


@pytest.mark.parametrize(
    ("kappa", "good", "bad"), [(0, 2, -2), (-1, 4, 0), (1, 0, -4), (-0.5, 3, -1), (0.75, 0.5, -3.5)]
)
def test_sensitivity_to_risk(kappa: float, good: float, bad: float) -> None:
    assert float(chi(jnp.float32(2), kappa)) == good
    assert float(chi(jnp.float32(-2), kappa)) == bad
    assert float(chi(jnp.float32(0), kappa)) == 0
    mirrored = sweep_of(TdConfig(kappa=kappa, risk="text")).kappa
    assert float(chi(jnp.float32(2), mirrored)) == -bad
    assert float(chi(jnp.float32(-2), mirrored)) == -good


def test_a_sensitivity_out_of_reach_is_refused() -> None:
    assert refusal(TdConfig, kappa=-1.5) == "kappa goes from -1 to 1, so it cannot be -1.5."


# --- whole games --------------------------------------------------------------------------------------------


class Played(NamedTuple):
    """A game move by move, and what was learned from it."""

    states: list[Any]  # the start, and where each move led
    movers: list[int]
    returns: list[float]
    before: Network
    learning: Any


@functools.cache
def steps_of(game: Any, config: TdConfig) -> tuple[Any, Any]:
    return jax.jit(functools.partial(td_game.ply, config, game)), jax.jit(
        functools.partial(td_game.finish, config, game)
    )


def play(name: str, games: int = 0, seed: int = 0, **settings: Any) -> Played:
    """One game of a run that has played some, nearly at random, in double precision."""
    game, features, start = GAMES[name]
    config = TdConfig(features=features, hidden=3, reward_counts=True, epsilon=0.7, final_epsilon=0.7, **settings)
    one_ply, finish = steps_of(game, td.program(config))
    key_init, key_play = jax.random.split(jax.random.key(seed))
    state = td.init(config, game, key_init)._replace(games=jnp.int32(games))
    before = jax.tree.map(lambda leaf: 100 * leaf.astype(jnp.float64), state.network)
    rates, under_way = td.rates_of(game, state), td_game.begin(config, game, before, key_play)
    step = StepSize(*(jnp.float64(getattr(config, name)) for name in StepSize._fields))
    rates = rates._replace(step=step, gamma=jnp.float64(config.gamma))
    if start is not None:
        first = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.parse(start))
        under_way = under_way._replace(lanes=under_way.lanes._replace(state=first))
    states, movers = [jax.tree.map(lambda leaf: leaf[0], under_way.lanes.state)], []
    while True:
        under_way = one_ply(rates, under_way)
        if under_way.over:
            break
        states.append(jax.tree.map(lambda leaf: leaf[0], under_way.lanes.state))
        movers.append(int(under_way.mover))
    return Played(states, movers, under_way.returns.tolist(), before, finish(rates, under_way))


class Sequence(NamedTuple):
    """One seat's afterstates, without one that ended the game, and the reward from each to the next or the end."""

    inputs: list[Any]
    rewards: list[float]


def seats_of(name: str, played: Played) -> list[Sequence]:
    """By the texts of positions, and by who moved: rewards are marbles, and the result."""
    game, features, _ = GAMES[name]
    look = jax.jit(lambda state: valuation.inputs_of(TdConfig(features=features), game, state))
    texts = [game.format(state) for state in played.states]
    tie = game.repetition_ties and texts[-1] in texts[:-1] and not game.done(played.states[-1])
    result = [0.0] * game.num_players if tie else game.returns(played.states[-1]).tolist()
    assert result == played.returns
    found = []
    for seat in range(game.num_players):
        inputs, rewards, gained = [], [], 0.0
        for ply, mover in enumerate(played.movers):
            if name == "abalone":  # what black is ahead by, before and after
                lead = [text.split()[0].count("b") - text.split()[0].count("w") for text in texts[ply : ply + 2]]
                gained += (lead[1] - lead[0]) * (1 if seat == 0 else -1)
            if mover == seat and ply + 1 < len(played.movers):
                rewards.append(gained)
                inputs.append(np.asarray(look(played.states[ply + 1]), np.float64))
                gained = 0.0
        rewards.append(gained + result[seat])
        found.append(Sequence(inputs, rewards[1:]))  # the first move was from nowhere
    return found


def flat(tree: Any) -> np.ndarray:
    return np.concatenate([np.asarray(leaf).ravel() for leaf in jax.tree.leaves(tree)])


def lambda_returns(rewards: list[float], values: list[float], decay: float) -> list[float]:
    """By their definition: of the n-step returns from a position on, each counts lambda^(n-1), and those that reach the
    end (all of the same worth) have what is left.
    """
    found = []
    for t in range(len(values)):
        ahead = len(values) - t  # steps to the end
        steps = [sum(rewards[t : t + n]) + (values[t + n] if n < ahead else 0.0) for n in range(1, ahead + 1)]
        counted = [(1 - decay) * decay ** (n - 1) for n in range(1, ahead)] + [decay ** (ahead - 1)]
        found.append(float(np.dot(steps, counted)))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "decay", "opponent", "games"),
    few_first(
        *(
            (name, decay, opponent, games)
            for name in GAMES
            for decay in (0.5, 0.0, 1.0)
            for opponent, games in (("self", 0), ("random", 0), ("random", 1))
        )
    ),
)
def test_all_that_is_learned_from_a_game_is_what_lambda_returns_ask_for(
    name: str, decay: float, opponent: str, games: int
) -> None:
    """With steps so small that the weights do not change. Against an opponent one seat learns, the two by turns."""
    alpha = 1e-9
    with exactly():
        for seed in range(3):
            played = play(name, games=games, seed=seed, alpha=alpha, trace=decay, opponent=opponent)
            sequences = seats_of(name, played)
            learners = range(len(sequences)) if opponent == "self" else [games % len(sequences)]
            wanted = 0.0 * flat(played.before)
            for seat in learners:
                inputs, rewards = sequences[seat]
                values = [float(worth("sigmoid", played.before, x)) for x in inputs]
                gradients = [flat(jax.grad(worth, 1)("sigmoid", played.before, x)) for x in inputs]
                for value, gradient, target in zip(
                    values, gradients, lambda_returns(rewards, values, decay), strict=True
                ):
                    wanted += (target - value) * gradient
            found = (flat(played.learning.network) - flat(played.before)) / alpha
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
            assert int(played.learning.differences) == sum(len(sequences[seat].inputs) for seat in learners)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "output"), few_first(*((name, output) for name in GAMES for output in ("sigmoid", "scaled")))
)
def test_the_equations_followed_slowly_come_to_the_same_weights(name: str, output: str) -> None:
    """With steps that matter, a gamma (which the trace must not have) and a sensitivity to risk."""
    alpha, decay, gamma, kappa = 0.3, 0.6, 0.9, -0.4
    gains = 0.0
    with exactly():
        played = play(name, output=output, seed=1, alpha=alpha, trace=decay, gamma=gamma, kappa=kappa)
        sequences = seats_of(name, played)
        weights, traces = played.before, [0.0 * flat(played.before) for _ in sequences]
        row, rebuild = ravel_pytree(weights)
        row, at = np.asarray(row), [0] * len(sequences)

        def step(seat: int, target: float) -> None:
            nonlocal row
            inputs = sequences[seat].inputs[at[seat]]
            value, gradient = jax.value_and_grad(worth, 1)(output, rebuild(jnp.asarray(row)), inputs)
            traces[seat] = decay * traces[seat] + flat(gradient)
            d = target - float(value)
            row = row + alpha * (d * (1 - kappa) if d > 0 else d * (1 + kappa)) * traces[seat]
            at[seat] += 1

        moved = [0] * len(sequences)
        for mover in played.movers[:-1]:
            if moved[mover]:
                sequence = sequences[mover]
                there = float(worth(output, rebuild(jnp.asarray(row)), sequence.inputs[at[mover] + 1]))
                step(mover, sequence.rewards[at[mover]] + gamma * there)
            moved[mover] += 1
        for seat, sequence in enumerate(sequences):
            if moved[seat]:
                step(seat, sequence.rewards[-1])
            gains += sum(map(abs, sequence.rewards[:-1]))
        np.testing.assert_allclose(flat(played.learning.network), row, rtol=1e-9)
        assert np.abs(row - flat(played.before)).max() > 1e-3
    assert (gains > 0) == (name == "abalone")


class Step(NamedTuple):
    """A move of a chain: where it leads, and the reward to the chain's owner."""

    inputs: np.ndarray
    reward: float


def chains_of(played: Played, view: str) -> list[list[Step]]:
    """The chains of a game of Abalone, by the texts of its positions; the last step of each leads nowhere. In the view
    "first" there is one, of all moves, and every position is written as if black had just moved into it.
    """
    game, features, _ = GAMES["abalone"]
    look = jax.jit(lambda state: valuation.inputs_of(TdConfig(features=features), game, state))
    texts = [game.format(state).split()[0] for state in played.states]
    lead = [text.count("b") - text.count("w") for text in texts]  # what black is ahead by
    gains = [after - before for before, after in itertools.pairwise(lead)]
    found = []
    for owner in (0,) if view == "first" else (0, 1):
        chain, gained, side = [], 0.0, 1 if owner == 0 else -1
        for ply, mover in enumerate(played.movers):
            gained += side * gains[ply]
            if (mover == owner or view == "first") and ply + 1 < len(played.movers):
                seen = game.parse(f"{texts[ply + 1]} {'bw'[1 - owner]}")
                chain.append(Step(np.asarray(look(seen), np.float64), gained))
                gained = 0.0
        found.append([*chain, Step(np.zeros(0), gained + played.returns[owner])])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("view", ["mover", "first"])
def test_each_views_chain_by_hand(view: Any) -> None:
    """A game of Abalone with pushes in it, followed in NumPy: every difference, trace and weight."""
    alpha, decay, gamma, kappa = 0.3, 0.6, 0.9, -0.4
    with exactly():
        played = play("abalone", view=view, seed=1, alpha=alpha, trace=decay, gamma=gamma, kappa=kappa)
        chains = chains_of(played, view)
        weights = tuple(np.asarray(leaf) for leaf in played.before)
        traces = [tuple(np.zeros_like(leaf) for leaf in weights) for _ in chains]
        at, count = [-1] * len(chains), 0

        def arrive(owner: int) -> None:
            """The chain has reached its next step: its last position is moved towards it."""
            nonlocal weights, count
            chain, at[owner] = chains[owner], at[owner] + 1
            if at[owner] == 0:
                return
            step = chain[at[owner]]
            following = by_hand(weights, step.inputs)[0] if at[owner] + 1 < len(chain) else 0.0
            before, gradient = by_hand(weights, chain[at[owner] - 1].inputs)
            d = step.reward + (gamma * following if at[owner] + 1 < len(chain) else 0.0) - before
            traces[owner] = tuple(decay * e + g for e, g in zip(traces[owner], gradient, strict=True))
            far = alpha * (d * (1 - kappa) if d > 0 else d * (1 + kappa))
            weights = tuple(w + far * e for w, e in zip(weights, traces[owner], strict=True))
            count += 1

        for mover in played.movers[:-1]:
            arrive(0 if view == "first" else mover)
        for owner in range(len(chains)):
            arrive(owner)
        np.testing.assert_allclose(flat(played.learning.network), flat(weights), rtol=1e-9)
        assert int(played.learning.differences) == count
        assert count == len(played.movers) - 1
        gains = {step.reward for chain in chains for step in chain[:-1]}
        assert gains >= ({-1, 1} if view == "first" else {1})


@pytest.mark.slow
def test_a_view_of_the_first_player_learns_from_all_moves_whoever_plays() -> None:
    with exactly():
        played = play("abalone", view="first", seed=1, games=1, opponent="random")
        assert int(played.learning.differences) == len(played.movers) - 1


def test_a_game_that_cannot_be_seen_from_one_side_is_refused() -> None:
    message = refusal(td.init, TdConfig(view="first"), HEX3, jax.random.key(0))
    assert message == "hex cannot be seen from the first player's side alone (view 'first'); give view 'mover'."


def test_games_play_on_where_positions_are_not_remembered() -> None:
    game = Abalone(cap=16)
    network = td.init(TdConfig(features="abalearn-1.1"), game, jax.random.key(0)).network
    for repetition, memory in (("ends", 17), ("plays-on", 0)):
        config = TdConfig(features="abalearn-1.1", repetition=repetition)  # pyright: ignore[reportArgumentType]
        begun = jax.eval_shape(functools.partial(td_game.begin, config, game), network, jax.random.key(0))
        assert len(begun.lanes.seen) == memory
        assert td.program(config).repetition == repetition


# --- a run --------------------------------------------------------------------------------------------------


@functools.cache
def round_of(game: Any, program: TdConfig) -> Any:
    return jax.jit(functools.partial(td.advance, program, game))


def run(game: Any, rounds: int, seed: int = 0, **settings: Any) -> tuple[list[Any], list[Any]]:
    """The states of a run after each round, the first included; and the metrics."""
    config = TdConfig(hidden=4, **settings)
    states, metrics = [td.init(config, game, jax.random.key(seed))], []
    for _ in range(rounds):
        state, seen = round_of(game, td.program(config))(states[-1])
        states.append(state)
        metrics.append(jax.device_get(seen))
    return states, metrics


def test_the_first_weights_are_small() -> None:
    network = td.init(TdConfig(hidden=50), HEX3, jax.random.key(0)).network
    for leaf in jax.tree.leaves(network):
        assert np.abs(leaf).max() <= 0.01
    assert np.abs(flat(network)).max() > 0.009
    assert flat(network).min() < -0.009


@pytest.mark.slow
def test_nothing_is_learned_after_its_games() -> None:
    states, metrics = run(HEX3, 4, games=2)
    before, *after = (flat(state.network) for state in states)
    assert (before != after[0]).any()
    assert (after[0] != after[1]).any()
    np.testing.assert_array_equal(after[1], after[2])
    np.testing.assert_array_equal(after[1], after[3])
    assert [int(state.games) for state in states] == [0, 1, 2, 3, 4]
    assert all(seen["plies"] >= 5 for seen in metrics)  # play goes on


def test_random_moves_grow_rarer() -> None:
    def shares(*games: int, **settings: Any) -> list[float]:
        sweep = sweep_of(TdConfig(epsilon_games=100, **settings))
        return [float(epsilon_at(sweep, jnp.int32(number))) for number in games]

    assert shares(0, 50, 99, 100, 5000, epsilon=0.9, final_epsilon=0.009) == pytest.approx(
        [0.9, 0.09, 0.9 * 0.1 ** (2 * 0.99), 0.009, 0.009], rel=1e-4
    )
    assert shares(0, 50, 100, epsilon=0.9, final_epsilon=0) == pytest.approx([0.9, 0.9 * 0.001**0.5, 0], rel=1e-4)
    assert shares(0, 7, 200, epsilon=0.05, final_epsilon=0.05) == pytest.approx([0.05] * 3)
    assert shares(0, 7, 200, epsilon=0, final_epsilon=0) == [0, 0, 0]


@pytest.mark.slow
def test_runs_of_one_program_are_what_each_is_alone() -> None:
    cases: list[dict[str, Any]] = [
        {"alpha": 0.5, "trace": 0.9, "epsilon": 0.9, "final_epsilon": 0, "epsilon_games": 2},
        {"gamma": 0.8, "kappa": -1.0, "opponent": "random", "epsilon": 0.3, "final_epsilon": 0.3},
        {"kappa": 0.5, "risk": "text", "opponent": "random-first", "first_games": 2},
        {"kappa": -0.5, "opponent": "random-first", "first_games": 2},
        {"games": 1, "trace": 0.0},
    ]
    sweeps = jax.tree.map(lambda *leaves: jnp.stack(leaves), *(sweep_of(TdConfig(hidden=4, **case)) for case in cases))
    program = td.program(TdConfig(hidden=4, **cases[0]))
    assert all(td.program(TdConfig(hidden=4, **case)) == program for case in cases)
    begin = jax.vmap(lambda sweep: td.init(program, HEX3, jax.random.key(3), sweep))
    together = begin(sweeps)
    for _ in range(4):
        together, _ = jax.jit(jax.vmap(functools.partial(td.advance, program, HEX3)))(together)
    ends = [flat(run(HEX3, 4, 3, **case)[0][-1].network) for case in cases]
    for i, end in enumerate(ends):
        row = flat(jax.tree.map(lambda leaf, i=i: leaf[i], together.network))
        np.testing.assert_allclose(row, end, rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(ends[2], ends[3])  # the text is the formula's mirror image
    assert len({end.tobytes() for end in ends}) == len(cases) - 1


@pytest.mark.slow
def test_a_round_is_a_game_and_says_how_it_went() -> None:
    game = Abalone(cap=10)
    _, metrics = run(game, 2, features="abalearn-1.1", epsilon=0.25, final_epsilon=0.25)
    for seen in metrics:
        assert 0 < seen["plies"] <= 10
        assert seen["epsilon"] == 0.25
        assert seen["result"] == np.sign(seen["lead"])  # a stopped game is decided by marbles
        assert 0.4 < seen["value"] < 0.6
        assert np.isfinite(seen["loss"])


@pytest.mark.parametrize(
    ("opponent", "met"),
    [
        ("self", [valuation.SELF] * 4),
        ("random", [valuation.RANDOM] * 4),
        ("minimax", [valuation.MINIMAX] * 4),
        ("random-first", [valuation.RANDOM] * 2 + [valuation.SELF] * 2),
    ],
)
def test_whom_it_meets_and_where_it_sits(opponent: Any, met: list[int]) -> None:
    begun = td.init(TdConfig(features="abalearn-1.1", opponent=opponent, first_games=2), Abalone(), jax.random.key(0))
    found = [td.rates_of(Abalone(), begun._replace(games=jnp.int32(number))).seating for number in range(4)]
    assert [int(seating.opponent) for seating in found] == met
    assert [int(seating.seat) for seating in found] == [0, 1, 0, 1]
    for seating, code in zip(found, met, strict=True):
        ours = [True, True] if code == valuation.SELF else [int(seating.seat) == seat for seat in range(2)]
        assert seating.learns(jnp.arange(2)).tolist() == ours


# --- the training path --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["hex", *(pytest.param(name, marks=pytest.mark.campaign) for name in ("lgame", "abalone"))]
)
def test_it_is_trained_and_played_like_any_other(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled, "GAMES", dict.fromkeys(sampled.GAMES, 4))
    game, features, _ = GAMES[name]
    recipe = Recipe.of("td", "td", features=features, hidden=4, games=6, rounds=3, alpha=0.3, opponent="random-first")
    outcome = training.train(game, recipe, 0, tmp_path / "run")
    assert outcome.games == 6
    agent = find_player(str(tmp_path / "run"), game)
    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.init())
    move = int(jax.jit(agent.on_device(game).policy)(jax.random.key(0), states)[0])
    assert move in legal_actions(game, game.init())
