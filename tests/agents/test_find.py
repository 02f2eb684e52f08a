"""Agents play on the device what they say on the host, and one that cannot be had is refused with a sentence."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.positions import random_positions, stack, unstack
from helpers.runs import contents, same
from helpers.text import refusal
from helpers.trained import write_run

from ludus.agents.find import find_player, game_of
from ludus.agents.network import NetworkPlayer, load_network
from ludus.agents.perfect import PerfectPlayer
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import make_game, shipped
from ludus.learners.recipe import Recipe
from ludus.play import selfplay
from ludus.play.player import RandomPlayer
from ludus.runs import run_folder, tensors
from ludus.runs.run_info import fingerprint, read_config
from ludus.truth import evaluate, truth_of
from ludus.truth.graph import Graph, build, graph_policy
from ludus.truth.solve import solve

LGAME, HEX2, HEX3 = make_game("lgame"), make_game("hex", size=2), make_game("hex", size=3)
GAMES = pytest.mark.parametrize("game", [LGAME, HEX3], ids=lambda game: game.describe())

SMALL = {
    "table": Recipe.of("small", "afterstate", as_table=True, hidden=(8,)),
    "positions": Recipe.of("small", "afterstate", hidden=(8,)),
    "moves": Recipe.of("small", "dqn", hidden=(8,), head="full", inputs="planes"),
}


def live_positions(game: Game, count: int = 256) -> Any:
    """Positions to play on from, with either side to move."""
    states = random_positions(game, 2 * count, seed=1, ends=False)
    live = np.flatnonzero(~np.asarray(jax.jit(jax.vmap(game.done))(states)))[:count]
    states = jax.tree.map(lambda leaf: leaf[live], states)
    assert set(np.asarray(jax.vmap(game.player)(states)).tolist()) == {0, 1}
    return states


def edges(game: Game, graph: Graph, states: Any, actions: Any) -> list[set[int]]:
    """The moves of the graph from each position to where this action leads: found by playing it, not by its name."""
    legal = np.asarray(jax.jit(jax.vmap(game.legal))(states))
    assert legal[np.arange(len(actions)), np.asarray(actions)].all(), "an illegal move"
    numbers = graph.find(states)
    after = graph.find(jax.jit(jax.vmap(game.step))(states, actions))
    found = []
    for number, there in zip(numbers.tolist(), after.tolist(), strict=True):
        moves = range(graph.first[number], graph.first[number + 1])
        found.append({move for move in moves if graph.child[move] == there})
        assert found[-1]
    return found


@pytest.mark.slow
@GAMES
@pytest.mark.parametrize("name", ["random", "perfect", "perfect:hardest"])
def test_an_agent_plays_only_moves_of_its_support(game: Game, name: str) -> None:
    agent, graph = find_player(name, game), build(game)
    assert agent.name == name
    support = agent.probabilities(graph) > 0
    wanted = {
        "random": np.ones_like(support),
        "perfect": solve(game).holding,
        "perfect:hardest": solve(game).hardest,
    }
    np.testing.assert_array_equal(support, wanted[name])
    states, policy = live_positions(game), jax.jit(agent.on_device(game).policy)
    played = [policy(jax.random.key(seed), states) for seed in range(3)]
    for actions in played:
        assert all(support[list(moves)].any() for moves in edges(game, graph, states, actions))
    assert any((a != b).any() for a, b in itertools.pairwise(played))


@pytest.mark.slow
@GAMES
def test_a_single_allowed_move_is_found_for_either_mover(game: Game) -> None:
    graph = build(game)
    rng = np.random.default_rng(2)
    allowed = evaluate.greedy(graph, rng.random(len(graph.child))) > 0
    states = live_positions(game)
    actions = jax.jit(graph_policy(graph, allowed))(jax.random.key(0), states)
    [only] = {int(np.bincount(graph.parent[allowed]).max())}
    assert only == 1
    for number, moves in zip(graph.find(states), edges(game, graph, states, actions), strict=True):
        [move] = [move for move in range(graph.first[number], graph.first[number + 1]) if allowed[move]]
        assert move in moves


@pytest.mark.slow
def test_white_plays_the_transposed_move() -> None:
    graph = build(HEX3)
    texts = ("W../.B./... b", "B../.W./..B w", "B../.../... w")
    states = stack([HEX3.parse(text) for text in texts])
    last = np.zeros(len(graph.child), bool)
    last[graph.first[1:][~graph.over] - 1] = True  # the highest action of every position
    actions = jax.jit(graph_policy(graph, last))(jax.random.key(0), states)
    moves = [HEX3.format_move(unstack(states, k), int(action)) for k, action in enumerate(actions)]
    assert moves == ["c3", "c2", "c3"]  # for white, down the columns: c2 comes after b3


@pytest.mark.slow
@pytest.mark.parametrize("agent", [RandomPlayer(), PerfectPlayer()], ids=lambda agent: agent.name)
def test_all_moves_of_the_support_are_as_likely(agent: Any) -> None:
    graph, games = build(HEX3), 4096
    holds = solve(HEX3).holding

    def has_a_choice(state: Any) -> bool:
        here = holds[graph.first[graph.number(state)] : graph.first[graph.number(state) + 1]]
        return state.mover == 1 and 1 < here.sum() < len(here)

    candidates = live_positions(HEX3)
    state = next(state for k in range(256) if has_a_choice(state := unstack(candidates, k)))
    number = graph.number(state)
    states = jax.tree.map(lambda leaf: np.repeat(np.asarray(leaf)[None], games, axis=0), state)
    actions = np.asarray(jax.jit(agent.on_device(HEX3).policy)(jax.random.key(3), states))
    count = np.bincount(actions, minlength=9)
    wanted = np.zeros(9)
    for move in range(graph.first[number], graph.first[number + 1]):
        wanted[graph.action[move] % 3 * 3 + graph.action[move] // 3] = agent.probabilities(graph)[move]
    assert (np.abs(count - games * wanted) <= 5 * np.sqrt(games * wanted * (1 - wanted))).all()
    assert (wanted > 0).sum() > 1


# --- trained agents ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "game"),
    [
        ("table", HEX3),
        ("positions", HEX3),
        ("moves", LGAME),
        ("moves", HEX3),
    ],
    ids=["table of hex", "positions of hex", "moves of lgame", "moves of hex"],
)
def test_a_trained_agent_plays_as_it_says(kind: str, game: Game, tmp_path: Path) -> None:
    options = {"size": 3} if game == HEX3 else {}
    folder = write_run(tmp_path / "run", game.name, options, SMALL[kind], seed=4)
    agent, graph = find_player(str(folder), game), build(game)
    assert isinstance(agent, NetworkPlayer)
    assert agent.name == str(folder)
    assert agent.recipe == SMALL[kind]
    assert game_of(str(folder)) == game
    probabilities = agent.probabilities(graph)
    np.testing.assert_allclose(np.bincount(graph.parent, probabilities, graph.num_positions), ~graph.over)
    states = live_positions(game)
    actions = jax.jit(agent.on_device(game).policy)(jax.random.key(0), states)
    as_said = [probabilities[list(moves)].any() for moves in edges(game, graph, states, actions)]
    assert np.mean(as_said) > 0.98  # ties of rounded values may fall either way
    other = find_player(str(write_run(tmp_path / "other", game.name, options, SMALL[kind], seed=5)), game)
    assert (other.probabilities(graph) != probabilities).any()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["random", *SMALL])
def test_what_it_says_of_one_position_is_what_it_says_of_all(kind: str) -> None:
    """Probabilities and values for a single state, for weights that are given: as graders of large boards ask."""
    agent, graph, states = RandomPlayer(), build(HEX3), live_positions(HEX3)
    if kind != "random":
        learner, config = SMALL[kind].learner, SMALL[kind].config
        start = learner.init(config, SMALL[kind].rules(HEX3), jax.random.key(4))
        agent = NetworkPlayer("", SMALL[kind], learner.weights(start))
    chosen = np.asarray(jax.jit(jax.vmap(agent.choices(HEX3), (None, 0)))(agent.weights, states))
    legal = np.asarray(jax.jit(jax.vmap(HEX3.legal))(states))
    np.testing.assert_allclose(chosen.sum(axis=1), 1, rtol=1e-6)
    assert not chosen[~legal].any()
    everywhere, as_said = agent.probabilities(graph), []
    for k, row in enumerate(chosen):
        state, said = unstack(states, k), np.zeros(9)
        number = graph.number(state)
        for move in range(graph.first[number], graph.first[number + 1]):
            said[int(HEX3.canonical_action(state, jnp.int32(graph.action[move])))] = everywhere[move]
        as_said.append(said[row > 0].all())
    assert np.mean(as_said) > 0.98  # ties of rounded values may fall either way
    if not isinstance(agent, NetworkPlayer):
        assert agent.ratings(HEX3) is None
        return
    values = np.asarray(jax.jit(jax.vmap(agent.ratings(HEX3), (None, 0)))(agent.weights, states))
    best = np.where(legal, values, -np.inf).argmax(axis=1)
    assert (chosen[np.arange(len(best)), best] > 0).all()
    # One function for all weights, so that what is compiled is found again.
    twin = NetworkPlayer("another", SMALL[kind].with_settings(), agent.weights)
    assert twin.choices(HEX3) is agent.choices(HEX3)
    assert twin.on_device(HEX3).policy_of is agent.on_device(HEX3).policy_of
    assert twin.ratings(HEX3) is agent.ratings(HEX3)


def test_there_is_no_such_agent(tmp_path: Path) -> None:
    for name in ("nobody", "perfect:softest", "", "Random", str(tmp_path), "lgame/none"):
        message = refusal(find_player, name, HEX2)
        assert f"'{name}'" in message
        assert "random, perfect, perfect:hardest" in message
        assert game_of(name) is None
    assert game_of("random") is None
    assert all(name.startswith("lgame/") for name in shipped("lgame"))
    assert set(shipped("lgame")) <= set(shipped())


def test_perfect_is_refused_for_a_game_too_large() -> None:
    for name in ("perfect", "perfect:hardest"):
        assert "boards of 2 to 8, not 11" in refusal(find_player, name, make_game("hex"))
        assert "boards of 2 to 7, not 8" in refusal(find_player, name, make_game("hex", size=8))
        assert "too many positions" in refusal(find_player, name, make_game("abalone"))
    assert find_player("random", make_game("hex")).name == "random"
    assert "take perfect" in refusal(find_player, "perfect:hardest", make_game("hex", size=4))
    for name in ("perfect", "perfect:hardest"):
        assert "3 alone, not 4" in refusal(find_player, name, make_game("hex", size=4, swap=True))


@pytest.mark.campaign
def test_perfect_plays_hex_by_search() -> None:
    """It wins every game that it begins, and both sides play by the rules."""
    for size in (4, 5):
        game = make_game("hex", size=size)
        perfect, other = (
            find_player("perfect", game).on_device(game).policy,
            find_player("random", game).on_device(game).policy,
        )
        found = selfplay.play(game, selfplay.seated(game, [perfect, other]), jax.random.key(size), 32)
        assert (np.asarray(found.returns)[:, 0] == 1).all()
    assert truth_of(game).solvers == ("perfect",)


def test_the_agent_of_another_game_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "hex", {"size": 2}, SMALL["positions"])
    assert refusal(find_player, str(folder), LGAME) == f"the agent '{folder}' plays hex, not lgame."
    assert find_player(str(folder), HEX2).name == str(folder)


def test_the_agent_of_another_board_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "hex", {"size": 2}, SMALL["positions"])
    assert "does not fit" in refusal(find_player, str(folder), HEX3)


def test_a_run_without_a_checkpoint_is_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "my run", "hex", {"size": 2}, SMALL["positions"], seed=None)
    message = refusal(find_player, str(folder), HEX2)
    assert "no checkpoint yet" in message
    assert f"--resume '{folder}'" in message


@pytest.mark.parametrize("kind", ["table", "moves"])
def test_an_unfinished_run_plays_as_it_stands(kind: str, tmp_path: Path) -> None:
    recipe = SMALL[kind]
    config = {"game": "hex", "options": {"size": 2}, "recipe": recipe.to_json(), "seed": 0}
    run, learner, rules = run_folder.create(tmp_path / "run", config), recipe.learner, recipe.rules(HEX2)
    for step in (1, 2):
        state = learner.init(recipe.config, rules, jax.random.key(step))
        run.checkpoint(step, state)
        agent = find_player(str(run.path), HEX2)
        assert isinstance(agent, NetworkPlayer)
        assert same(agent.weights, learner.weights(state))
    before = contents(run.path)
    assert game_of(str(run.path)) == HEX2
    # Final weights, once they are whole, go before.
    other = learner.weights(learner.init(recipe.config, rules, jax.random.key(3)))
    tensors.write_tensors(run.path / "weights.safetensors", other, {})
    assert same(load_network(run.path, HEX2).weights, other)
    (run.path / "weights.json").unlink()  # as if it were killed before the manifest
    assert same(load_network(run.path, HEX2).weights, learner.weights(state))
    (run.path / "weights.safetensors").unlink()
    assert contents(run.path) == before
    newest = run.path / "checkpoints" / "000000000002.safetensors"
    newest.write_bytes(newest.read_bytes()[:-1])
    assert newest.name in refusal(find_player, str(run.path), HEX2)


def test_weights_are_tied_to_their_config(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "hex", {"size": 2}, SMALL["moves"])
    config = json.loads((folder / "config.json").read_text())
    weights = load_network(folder, HEX2).weights
    tensors.write_tensors(folder / "weights.safetensors", weights, {"config_sha256": fingerprint(read_config(folder))})
    assert same(load_network(folder, HEX2).weights, weights)
    # The command is not part of it, as that of a shipped agent is another; the recipe is.
    (folder / "config.json").write_text(json.dumps(config | {"command": "ludus train hex --size 2"}))
    assert same(load_network(folder, HEX2).weights, weights)
    config["recipe"]["gamma"] = 0.5
    (folder / "config.json").write_text(json.dumps(config))
    assert "do not belong together" in refusal(load_network, folder, HEX2)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        "7",
        '"text"',
        "{}",
        '{"game": "hex", "options": {}}',
        '{"game": "hex", "recipe": {}}',
        "\x00",
    ],
)
def test_a_damaged_config_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    for read in (lambda: find_player(str(tmp_path), HEX2), lambda: game_of(str(tmp_path))):
        message = refusal(read)
        assert str(tmp_path) in message
        assert "config.json" in message


DAMAGE: dict[str, Any] = {
    "an empty recipe": {"recipe": {}},
    "an unknown learner": {"recipe": {"name": "best", "learner": "oracle", "as_table": False}},
    "no name": {"recipe": {"learner": "dqn", "as_table": False}},
    "no text at all": {"recipe": 7},
    "a text for the layers": {"recipe": {**SMALL["moves"].to_json(), "hidden": "wide"}},
}


@pytest.mark.parametrize(
    "damage",
    [
        "an empty recipe",
        "an unknown learner",
        "no text at all",
        "a text for the layers",
    ],
)
def test_a_damaged_recipe_is_refused(damage: str, tmp_path: Path) -> None:
    config = {"game": "hex", "options": {"size": 2}, **DAMAGE[damage]}
    (tmp_path / "config.json").write_text(json.dumps(config))
    refusal(find_player, str(tmp_path), HEX2)


def test_damaged_options_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"game": "hex", "options": [2], "recipe": {}}))
    refusal(game_of, str(tmp_path))


def test_damaged_or_foreign_weights_are_refused(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", "hex", {"size": 2}, SMALL["positions"])
    wider = SMALL["positions"].with_settings(hidden=(9,))
    foreign = write_run(tmp_path / "wider", "hex", {"size": 2}, wider)
    for name in ("weights.safetensors", "weights.json"):
        shutil.copy(folder / name, tmp_path / name)
        shutil.copy(foreign / name, folder / name)
    assert "does not fit" in refusal(find_player, str(folder), HEX2)
    for name in ("weights.safetensors", "weights.json"):
        shutil.copy(tmp_path / name, folder / name)
    find_player(str(folder), HEX2)
    whole = (folder / "weights.safetensors").read_bytes()
    (folder / "weights.safetensors").write_bytes(whole[:-1])
    assert "bytes" in refusal(find_player, str(folder), HEX2)
    (folder / "weights.safetensors").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert "SHA-256" in refusal(find_player, str(folder), HEX2)
    (folder / "weights.json").unlink()
    with pytest.raises(BadInput):
        find_player(str(folder), HEX2)
