"""Speed: plies a second of random play, in every game, and what networks, searches and recipes do in a second.

Random play chooses a legal move, plays it, and starts a new game when one is over, with all rules on. It is measured at
several batch sizes on the whole machine. Peers are timed in the same run: each game's own slow reference, and other
programs that its room knows. Each further measurement has a module: `afterstates`, `alphabeta`, `puzzles`, and if asked
for `learning` and `tree_search`.
"""

from __future__ import annotations

import inspect
import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from ludus.bench import afterstates, alphabeta, learning, puzzles, tree_search
from ludus.core.game import Game
from ludus.games import make_game, names, part
from ludus.play import selfplay
from ludus.version import __version__

PLIES = 100  # in one compiled call
CPU_LANES = (1024, 4096, 16384, 65536)
GPU_LANES = (65536, 262144, 1048576, 4194304)
CPU_POSITIONS, GPU_POSITIONS = (256, 1024), (65536, 262144)  # whose moves are rated at once
RANDOM_PLAY = "random play"
POOL = 1024  # starts drawn in advance, for games whose starts differ
REFERENCE_GAMES = 20


def measure(game: Game, lanes: int = 4096, seconds: float = 1.0) -> float:
    """Plies a second of random play, so many games side by side; compilation and the first call do not count."""
    starts = None
    if type(game).sample is not Game.sample:
        starts = jax.jit(jax.vmap(game.sample))(jax.random.split(jax.random.key(0), POOL))
    policy = selfplay.random_policy(game)

    @jax.jit
    def play_on(state: selfplay.Lanes, key: jax.Array) -> tuple[selfplay.Lanes, jax.Array]:
        return selfplay.stream(game, policy, state, key, PLIES, lambda record: (~record.over).sum(), starts)

    state, _ = play_on(selfplay.fresh(game, lanes, starts), jax.random.key(1))
    return best_rate(seconds, lambda state, key: play_on(state, key), state)


def best_rate(seconds: float, play_on: Callable[[Any, jax.Array], tuple[Any, jax.Array]], state: Any) -> float:
    """Call until the time is up; the rate of the fastest call, as others share the machine."""
    best, begin, calls = 0.0, time.perf_counter(), 0
    jax.block_until_ready(state)
    while calls < 2 or time.perf_counter() - begin < seconds:
        key = jax.random.key(calls + 2)
        before = time.perf_counter()
        state, plies = jax.block_until_ready(play_on(state, key))
        best = max(best, float(jnp.sum(plies)) / (time.perf_counter() - before))
        calls += 1
    return best


def measure_reference(game: Game, seconds: float = 1.0) -> float:
    """Plies a second of random play by the game's slow reference rules, which work on text."""
    rules = part(game, "reference")
    taken = inspect.signature(rules.moves).parameters
    options = {name: value for name, value in game.options().items() if name in taken}
    starts = [game.format(jax.tree.map(jnp.asarray, game.init()))]
    if type(game).sample is not Game.sample:
        states = jax.device_get(jax.jit(jax.vmap(game.sample))(jax.random.split(jax.random.key(0), REFERENCE_GAMES)))
        starts = [game.format(jax.tree.map(lambda leaf, i=i: leaf[i], states)) for i in range(REFERENCE_GAMES)]
    chance, plies, begin = random.Random(0), 0, time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds or plies == 0:
        position = chance.choice(starts)
        for _ in range(game.max_plies):
            if not (moves := rules.moves(position, **options)):
                break
            position = rules.play(position, chance.choice(moves), **options)
            plies += 1
            if time.perf_counter() - begin > seconds:
                break
    return plies / spent


class Peer(NamedTuple):
    """Another implementation, its plies a second, and the games that it played side by side, if it can."""

    name: str
    rate: float
    lanes: int | None = None


def peers_of(game: Game, lanes: tuple[int, ...], seconds: float) -> Iterator[Peer]:
    """The peers of a game: its slow reference, and other people's that its room knows."""
    if part(game, "reference") is not None:
        yield Peer("slow reference", measure_reference(game, seconds))
    if (others := part(game, "peers")) is not None:
        yield from others(game, lanes, seconds)


def device_name() -> str:
    kind = jax.devices()[0].device_kind
    return f"{kind} ({os.cpu_count()} cores)" if jax.default_backend() == "cpu" else kind


def run(
    games: list[str] | None = None,
    peers: bool = False,
    lanes: list[int] | None = None,
    seconds: float = 1.0,
    out: Path | None = None,
    learned: bool = False,
    simulated: bool = False,
) -> list[dict[str, Any]]:
    """Measure, with a line on stderr for each figure. There is a row for each game and batch size; for each peer at the
    same batch size, if it has batches; and for the best of ours beside the best of the peer's.
    """
    sizes = tuple(lanes or (CPU_LANES if jax.default_backend() == "cpu" else GPU_LANES))
    rows: list[dict[str, Any]] = []
    for game in (make_game(name) for name in games or names()):
        what, ours = f"{game.describe()}, {RANDOM_PLAY}", {}
        for count in sizes:
            ours[count] = measure(game, count, seconds)
            rows.append(_row(what, count, ours[count]))
            print(f"{what}: {count} lanes, {ours[count]:,.0f} plies/s", file=sys.stderr, flush=True)
        best = max(sizes, key=lambda count: ours[count])
        found = []
        for peer in peers_of(game, sizes, seconds) if peers else ():
            found.append(peer)
            print(f"{what}: {_spoken(peer)}, {peer.rate:,.0f} plies/s", file=sys.stderr, flush=True)
            if peer.lanes is not None:  # at the same batch size
                rows.append(_row(what, peer.lanes, ours[peer.lanes], _spoken(peer), peer.rate))
        for name in dict.fromkeys(peer.name for peer in found):  # the best of ours beside the best of theirs
            rate = max(peer.rate for peer in found if peer.name == name)
            rows.append(_row(what, best, ours[best], name, rate))
            print(f"{what}: ours {ours[best] / rate:,.1f} times {name}", file=sys.stderr, flush=True)
        rows += [*_rated(game, peers, seconds), *_searched(game, peers, seconds), *_solved(game)]
        rows += _learned(game, seconds) if learned else ()
        rows += _simulated(game, seconds) if simulated else ()
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "bench.json").write_text(json.dumps({"versions": versions(), "rows": rows}, indent=1) + "\n")
        plot(rows, out / "bench.svg")
    return rows


def _rated(game: Game, peers: bool, seconds: float) -> Iterator[dict[str, Any]]:
    """Afterstates a second by the network that the game's recipe `best` trains, if that is a pattern network."""
    rater = afterstates.rater_of(game) if part(game, "patterns") is not None else None
    if rater is None:
        return
    what = f"{game.describe()}, afterstates rated"
    sizes = CPU_POSITIONS if jax.default_backend() == "cpu" else GPU_POSITIONS
    rates = {count: afterstates.measure_afterstates(game, rater.network, count, seconds) for count in sizes}
    best = max(rates, key=lambda count: rates[count])
    yield from (_said(_row(what, count, rate)) for count, rate in rates.items())
    if peers:
        theirs = afterstates.measure_one_by_one(game, rater.compiled, seconds)
        yield _said(_row(what, best, rates[best], "one at a time, one core", theirs))


def _searched(game: Game, peers: bool, seconds: float) -> Iterator[dict[str, Any]]:
    """Nodes a second of alpha-beta on one core, and searches a second to a fixed depth."""
    if part(game, "evaluation") is None or part(game, "twin") is None:
        return
    ours = alphabeta.measure_search(game, seconds)
    theirs = alphabeta.measure_minimax(game, seconds) if peers else None
    for kind, what in (("nodes", "nodes searched"), ("searches", f"searches of {alphabeta.DEPTH} plies")):
        name, rate = (None, None) if theirs is None else ("plain minimax", getattr(theirs, kind))
        row = _row(f"{game.describe()}, {what}", 1, getattr(ours, kind), name, rate)
        yield _said(row | {"device": _one_core()})


def _solved(game: Game) -> Iterator[dict[str, Any]]:
    """Puzzles a second on one core; the peer is the order of the room's paper."""
    paper: puzzles.SolveSpeed | None = None
    for found in puzzles.measure(game):
        what = (
            f"{game.describe()}, {game.entry.levels[-1]} puzzles solved in {found.how} ({found.explored:,.1f} explored)"
        )
        peer = (None, None) if paper is None else (paper.how, paper.rate)
        yield _said(_row(what, 1, found.rate, *peer) | {"device": _one_core()})
        paper = paper or found


def _learned(game: Game, seconds: float) -> Iterator[dict[str, Any]]:
    """Games or moves a second that the recipes of the game's room learn from."""
    for speed in learning.measure_all(game, seconds):
        yield _said(
            _row(f"{game.describe()}, {speed.unit} learned from by recipe {speed.recipe}", speed.lanes, speed.rate)
        )


def _simulated(game: Game, seconds: float) -> Iterator[dict[str, Any]]:
    """Simulations a second of a tree search with a residual tower, and the share of time of each part."""
    for found in tree_search.measure(game, seconds):
        parts = {name: getattr(found, name) / found.whole for name in ("network", "rules", "tree")}
        share = ", ".join(f"{name} {100 * part:.0f}%" for name, part in parts.items())
        shape = f"{found.width} channels, {found.blocks} blocks"
        row = _row(f"{game.describe()}, simulations, {shape} ({share})", found.lanes, found.rate)
        yield _said(row | {"shares": parts})
    if part(game, "lattice") is not None:
        width, blocks = tree_search.SHAPES[-1]
        what = f"{game.describe()}, simulations at the board, {width} channels, {blocks} blocks"
        yield _said(_row(what, 1, tree_search.at_board(game, seconds)))


def _one_core() -> str:
    return f"{platform.processor() or platform.machine()} (one core of {os.cpu_count()})"


def _said(row: dict[str, Any]) -> dict[str, Any]:
    beside = f", {row['peer_name']} {row['peer']:,.0f}" if row["peer"] else ""
    print(f"{row['what']}: {row['lanes']} at a time, {row['ours']:,.0f} a second{beside}", file=sys.stderr, flush=True)
    return row


def _spoken(peer: Peer) -> str:
    return peer.name if peer.lanes is None else f"{peer.name}, {peer.lanes} lanes"


def _row(what: str, lanes: int, ours: float, peer_name: str | None = None, peer: float | None = None) -> dict[str, Any]:
    return {
        "what": what,
        "lanes": lanes,
        "ours": ours,
        "peer_name": peer_name,
        "peer": peer,
        "ratio": ours / peer if peer else None,
        "device": device_name(),
    }


def versions() -> dict[str, str]:
    return {"ludus": __version__, "jax": jax.__version__, "python": platform.python_version()}


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """The rate of each game over the batch size, with its peers as horizontal lines."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    rows = [row for row in rows if row["what"].endswith(RANDOM_PLAY)]
    for color, what in enumerate(dict.fromkeys(row["what"] for row in rows)):
        ours = [(row["lanes"], row["ours"]) for row in rows if row["what"] == what and not row["peer"]]
        axes.loglog(*zip(*ours, strict=True), marker="o", color=f"C{color}", label=what.split(",")[0])
        for row in (row for row in rows if row["what"] == what and row["peer"] and "lanes" not in row["peer_name"]):
            axes.axhline(row["peer"], color=f"C{color}", linestyle=":", linewidth=1)
            axes.annotate(row["peer_name"], (ours[0][0], row["peer"]), color=f"C{color}", fontsize=7, va="bottom")
    axes.set(xlabel="games side by side", ylabel="plies a second", title=f"Random play on {rows[0]['device']}")
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.savefig(path)
