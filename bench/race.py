"""Two sides over every opening cell of Hex in both colours: networks alone, or searches of any kind around them.

    python bench/race.py hex/best-11 runs/mine                # bare policies
    python bench/race.py hex/best-11@128 hex/best-11@128:rescaled:0.1
    python bench/race.py hex/best-11@32 hex/best-11 --taught                    # what there is to learn from a search

A side is AGENT, or AGENT@SIMULATIONS; after it how the search weighs values: `plain:S`, as they are, times S, or
`rescaled:S`, stretched from 0 to 1 first, as mctx does without being told. Without it, as searches play. `--taught`
lets searches draw by chance at the root, as in training, and make the move that they then teach as the best.

The score is the first side's: a share of games, with its 95% interval over openings. The entropy, in nats, is that of
the policies that the first side's search teaches, over the first plies, which are not decided yet.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from prototype import race

from ludus.agents.find import find_player, game_of
from ludus.core.game import Game
from ludus.games import make_game
from ludus.learners import two_heads
from ludus.play.scores import paired_interval
from ludus.search.network import gumbel

EARLY = 20  # plies over which entropies are averaged

Choose = Callable[[Any, np.ndarray], np.ndarray]


def side(text: str, game: Game, taught: bool, entropies: list[float]) -> Choose:
    name, _, thought = text.partition("@")
    agent: Any = find_player(name, game)
    if not thought:
        policy = agent.on_device(game).policy
        bare = jax.jit(lambda states: policy(jax.random.key(0), states))
        return lambda states, over: np.asarray(bare(states))
    simulations, *values = thought.split(":")
    weighed = {"rescaled": values[0] == "rescaled", "scale": float(values[1])} if values else {}
    effort = gumbel.GumbelSettings(int(simulations), noise=1.0 if taught else 0.0, **weighed)
    view = two_heads.policy_value if taught else two_heads.mean_policy_value
    judge = two_heads.judge(agent.recipe.config, game, agent.weights, view)

    @jax.jit
    def searched(states: Any, key: Any) -> Any:
        found = gumbel.search(game, judge, key, states, effort)
        entropy = -(found.weights * jnp.log(jnp.maximum(found.weights, 1e-9))).sum(axis=1)
        return found.weights.argmax(axis=1).astype(jnp.int32) if taught else found.action, entropy.mean()

    def choose(states: Any, over: np.ndarray) -> np.ndarray:
        action, entropy = searched(states, jax.random.key(len(entropies)))
        entropies.append(float(entropy))
        return np.asarray(action)

    return choose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", nargs=2)
    parser.add_argument("--taught", action="store_true", help="the moves that searches of training teach as the best")
    parser.add_argument("--size", type=int, help="of the board; without it, the first side's own")
    given = parser.parse_args()
    learned = game_of(given.sides[0].partition("@")[0])
    assert learned is not None, f"'{given.sides[0]}' is no agent that was trained"
    game = make_game("hex", size=given.size or learned.options()["size"])
    begun, entropies = time.perf_counter(), []
    first, second = side(given.sides[0], game, given.taught, entropies), side(given.sides[1], game, given.taught, [])
    got = race(game, first, second)
    black, white = got[0::2], got[1::2]
    row = {
        "sides": given.sides,
        "games": len(got),
        "score": round(float((got.mean() + 1) / 2), 4),
        "ci95": [round(float(end), 3) for end in paired_interval(got)],
        "both_lost_both": [int(((black > 0) & (white > 0)).sum()), int(((black < 0) & (white < 0)).sum())],
        "entropy_nats": round(float(np.mean(entropies[:EARLY])), 3) if entropies else None,
        "seconds": round(time.perf_counter() - begun, 1),
        "device": jax.devices()[0].device_kind,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
