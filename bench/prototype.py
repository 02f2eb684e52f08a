"""An agent of ours against the prototype, over every opening cell in both colours.

    python bench/prototype.py AZ_HEX.py WEIGHTS.pkl hex/best-11             # bare policies
    python bench/prototype.py AZ_HEX.py WEIGHTS.pkl hex/best-11 --simulations 128

AZ_HEX.py is the throw-away prototype of Gumbel AlphaZero that the issue on search names, WEIGHTS.pkl what it trained:
`python bench/prototype.py AZ_HEX.py --train SECONDS -- --width 96 --out WEIGHTS` trains it as it stands, on the rules
that it was written for under their present names. `--keep KEPT.safetensors` writes them as the device reads them, its
layers in half as many bits; `bench/results/prototype-11.safetensors` was kept so, and is read like the other.

Black's first stone goes to each cell in turn; each side of that game is played once by us. With simulations both
search, ours with what is certain of a position as in any match.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import pickle
import sys
import types
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.flax import load_file, save_file

from ludus.agents.find import find_player, game_of
from ludus.core import game as core_game
from ludus.core.game import Game
from ludus.core.line import Line
from ludus.games.hex import rules
from ludus.play.host_batch import state_at
from ludus.play.player import Clock
from ludus.play.scores import paired_interval

BLOCK = ("w1", "b1", "w2", "b2", "g", "pool")  # of the prototype's blocks; every other one has no pool


def prototype(path: Path, size: int, seconds: float, more: list[str]) -> Any:
    """The prototype as a module: it reads its arguments as it is loaded, and knows the rules by older names."""
    room = types.ModuleType("ludus.games.hex")
    room.Hex, room.geometry = rules.Hex, rules.geometry  # pyright: ignore[reportAttributeAccessIssue]
    kept, argv = dict(sys.modules), sys.argv
    sys.modules |= {"ludus.game": core_game, "ludus.games.hex": room}
    sys.argv = [str(path), str(size), str(seconds), *more]
    try:
        spec = importlib.util.spec_from_file_location("az_hex", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.argv = argv
        sys.modules["ludus.games.hex"] = kept["ludus.games.hex"]
    return module


def read_weights(path: Path) -> Any:
    """What the prototype wrote, or what was kept of it."""
    if path.suffix == ".pkl":
        return pickle.loads(path.read_bytes())
    kept = {name: leaf.astype(jnp.float32) for name, leaf in load_file(path).items()}
    weights: dict[str, Any] = {name: leaf for name, leaf in kept.items() if "." not in name}
    places = sorted({int(name.split(".")[1]) for name in kept if name.startswith("blocks.")})
    weights["blocks"] = [{key: kept.get(f"blocks.{place}.{key}") for key in BLOCK} for place in places]
    return weights


def keep_weights(weights: Any, path: Path) -> None:
    blocks = {f"blocks.{i}.{key}": block[key] for i, block in enumerate(weights["blocks"]) for key in BLOCK}
    flat = {name: leaf for name, leaf in (weights | blocks).items() if name != "blocks" and leaf is not None}
    save_file({name: jnp.asarray(leaf, jnp.bfloat16 if leaf.ndim == 4 else None) for name, leaf in flat.items()}, path)


def race(game: Game, ours: Any, theirs: Any) -> np.ndarray:
    """What we get of each game, ours as black first and as white next, opening by opening."""
    step, done = jax.jit(jax.vmap(game.step)), jax.jit(jax.vmap(game.done))
    some = jax.jit(lambda states, places: jax.tree.map(lambda leaf: leaf[places], states))
    cells = np.repeat(np.arange(game.num_actions, dtype=np.int32), 2)
    seats = np.tile(np.array([0, 1], np.int32), game.num_actions)
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (len(cells), *np.shape(leaf))), game.init())
    states = step(start, jnp.asarray(cells))
    for ply in range(1, game.max_plies):
        over = np.asarray(done(states))
        if over.all():
            break
        action = np.zeros(len(cells), np.int32)
        for side, seat in ((ours, ply % 2), (theirs, 1 - ply % 2)):  # at every ply half of the games wait for each
            places = np.flatnonzero(seats == seat)
            action[places] = side(some(states, places), over[places])
        moved = step(states, jnp.asarray(action))
        states = jax.tree.map(
            lambda old, new, over=over: jnp.where(over.reshape(-1, *[1] * (new.ndim - 1)), old, new), states, moved
        )
    returns = np.asarray(jax.vmap(game.returns)(states))
    return returns[np.arange(len(seats)), seats]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prototype", type=Path)
    parser.add_argument("weights", type=Path, nargs="?")
    parser.add_argument("agent", nargs="?")
    parser.add_argument("--simulations", type=int, default=0)
    parser.add_argument("--images", type=int, help="of a position that ours takes the mean over; without it, its own")
    parser.add_argument("--keep", type=Path, help="write the weights to this file instead")
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--train", type=float, help="seconds: train the prototype; what follows -- is for it")
    given, more = parser.parse_known_args()
    more = [word for word in more if word != "--"]
    if given.train is not None:
        return prototype(given.prototype, given.size or 11, given.train, more).main()
    weights = read_weights(given.weights)
    if given.keep is not None:
        return keep_weights(weights, given.keep)
    learned = game_of(given.agent)
    assert learned is not None, f"'{given.agent}' is no agent that was trained"
    game = rules.Hex(size=given.size or learned.options()["size"])
    width, blocks = weights["inb"].shape[0], len(weights["blocks"])
    module = prototype(given.prototype, game.size, 0, ["--width", str(width), "--blocks", str(blocks)])
    if jax.default_backend() == "cpu":
        module.bf = jnp.float32  # as ours: half as many bits take longer there
    name = f"{given.agent}@{given.simulations}" if given.simulations else given.agent
    agent = find_player(name, game)
    if given.images is not None:
        inside: Any = getattr(agent, "inside", agent)
        inside.recipe = inside.recipe.with_settings(images=given.images)

    @jax.jit
    def their_move(states: Any) -> Any:
        if given.simulations:
            return module.search(weights, jax.random.key(0), states, given.simulations, gumbel=0.0).action
        logits, _, _ = module.evaluate(weights, states)
        return logits.argmax(axis=1).astype(jnp.int32)

    choose = agent.on_device(game).policy
    policy = None if given.simulations else jax.jit(lambda states: choose(jax.random.key(0), states))

    def theirs(states: Any, over: np.ndarray) -> np.ndarray:
        return np.asarray(their_move(states))

    def ours(states: Any, over: np.ndarray) -> np.ndarray:
        if policy is not None:
            return np.asarray(policy(states))
        host, places, chosen = jax.device_get(states), np.flatnonzero(~over).tolist(), np.zeros(len(over), np.int32)
        if places:
            lines = [Line(game, state_at(host, lane)) for lane in places]
            chosen[places] = agent.moves(lines, [Clock()] * len(places))
        return chosen

    got = race(game, ours, theirs)
    black, white = got[0::2], got[1::2]
    document = {
        "agent": name,
        "games": len(got),
        "score": float((got.mean() + 1) / 2),
        "ci95": [float(x) for x in paired_interval(got)],
        "as_black": float((black.mean() + 1) / 2),
        "as_white": float((white.mean() + 1) / 2),
        "both_lost_both": [int(((black > 0) & (white > 0)).sum()), int(((black < 0) & (white < 0)).sum())],
        "device": jax.devices()[0].device_kind,
    }
    print(json.dumps(document))
    marks = np.array(["-", "w", "b", "#"])[(white > 0) + 2 * (black > 0)].reshape(game.size, game.size)
    print("what we won of each opening: # both games, b as black, w as white, - none", file=sys.stderr)
    print("\n".join(" " * row + " ".join(line) for row, line in enumerate(marks)), file=sys.stderr)


if __name__ == "__main__":
    main()
