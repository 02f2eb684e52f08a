"""What a lead is worth: the slope of the chance to win over a search's score, from games of an agent with itself.

    python bench/chances.py                            # Abalone, by its best agent

Games begin with random moves. Of each, some positions are searched; the score, in units of the agent's evaluation, and
the game's result (a draw is half a win) are fitted with a logistic curve through one half. It prints the slope, how
many positions it rests on, and the shares won that were found and fitted for several leads.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ludus.agents.alphabeta import evaluation_of
from ludus.agents.find import find_player
from ludus.games import make_game
from ludus.play.line import Line
from ludus.play.player import Clock
from ludus.search.alphabeta.player import AlphaBetaPlayer
from ludus.search.alphabeta.search import Limits

WIDTH = 1.0  # units of a bin in what is printed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", default="abalone/best")
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--random-plies", type=int, default=60)
    parser.add_argument("--positions", type=int, default=16, help="Searched in each game.")
    given, began = parser.parse_args(), time.perf_counter()
    game = make_game(given.agent.partition("/")[0])
    states, live, returns = played(game, given.agent, given.games, given.random_plies)
    search = AlphaBetaPlayer("search", game, evaluation_of(game, given.agent), Limits(depth=3))
    luck, leads, results = np.random.default_rng(0), [], []
    for lane in range(given.games):
        plies = np.flatnonzero(live[:, lane])
        for ply in luck.choice(plies, min(given.positions, len(plies)), replace=False):
            line = Line(game, jax.tree.map(lambda leaf, ply=ply, lane=lane: leaf[ply, lane], states))
            found = search.search(line, Limits(depth=3, seconds=Clock().seconds))
            leads.append(found.score / search.inside.unit)
            results.append((1 + returns[lane, line.player()]) / 2)
    lead, won = np.clip(np.array(leads), -20, 20), np.array(results)
    slope = fitted(lead, won)
    bins = np.round(lead / WIDTH).astype(int)
    table = {
        f"{number * WIDTH:+g}": [int((bins == number).sum()), round(float(won[bins == number].mean()), 3),
                                 round(float(1 / (1 + np.exp(-slope * number * WIDTH))), 3)]
        for number in range(-6, 7) if (bins == number).any()
    }  # fmt: skip
    found = {"agent": given.agent, "games": given.games, "positions": len(lead), "slope": round(slope, 3)}
    print(json.dumps(found | {"leads": table, "seconds": round(time.perf_counter() - began)}, indent=1))


def played(game: Any, agent: str, count: int, random_plies: int) -> Any:
    """The states of games side by side, by ply; whether each is live and past the random beginning; and the results."""
    policy, plies = find_player(agent, game).on_device(game).policy, game.max_plies

    @jax.jit
    def run(key: Any) -> Any:
        key_wait, key_play = jax.random.split(key)
        wait = jax.random.randint(key_wait, (count,), 2, random_plies)
        begin = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), game.init())

        def ply(states: Any, numbered: Any) -> Any:
            number, key = numbered
            key_random, key_policy = jax.random.split(key)
            legal = jax.vmap(game.legal)(states)
            chance = jax.random.categorical(key_random, jnp.where(legal, 0.0, -jnp.inf), axis=1)
            action = jnp.where(number < wait, chance, policy(key_policy, states))
            done = jax.vmap(game.done)(states)
            after = jax.vmap(game.step)(states, action)
            kept = jax.tree.map(
                lambda old, new: jnp.where(done.reshape(-1, *[1] * (new.ndim - 1)), old, new), states, after
            )
            return kept, (states, ~done & (number >= wait))

        last, (states, live) = jax.lax.scan(ply, begin, (jnp.arange(plies), jax.random.split(key_play, plies)))
        return states, live, jax.vmap(game.returns)(last)

    return jax.device_get(run(jax.random.key(0)))


def fitted(lead: np.ndarray, won: np.ndarray) -> float:
    """The slope of the likeliest logistic curve, by Newton's steps."""
    slope = 0.1
    for _ in range(100):
        share = 1 / (1 + np.exp(-slope * lead))
        slope += float((lead * (won - share)).sum() / max(1e-9, (lead**2 * share * (1 - share)).sum()))
    return slope


if __name__ == "__main__":
    main()
