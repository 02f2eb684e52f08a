"""The strength of an agent on Hex boards too large to be written down for every purpose, against the solvers' truth.

On 4 x 4 every won position is looked at, and every defence followed to its end. On 5 x 5 there are too many of both: a
sample of won positions, the judgement of all openings, and after each winning one a wide part of all defences, or with
an accelerator all of them: tens of millions of positions. Moves that tie are taken one way, not every way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from ludus.core import bits
from ludus.training.agents import Agent, TrainedAgent
from ludus.errors import BadInput
from ludus.truth.follow import ALL, follow
from ludus.truth.graph import in_chunks
from ludus.core.game import compiled
from ludus.games.hex.rules import Hex, Side, State, flood, geometry
from ludus.learners.dqn import best_moves
from ludus.games.hex.solver import table as hex_table
from ludus.games.hex.solver.perfect import winning_moves
from ludus.games.hex.solver.proof import prover

BATCH = 8192  # positions looked at in one compiled call
QUICK = 20_000  # won positions of 4 x 4 that progress is measured by
SAMPLE = 2_000  # positions of random games on 5 x 5, of which the won ones count
LARGEST = 5
WIDTHS = (ALL, ALL, 8, 2, 1)  # replies tried on 5 x 5 at the defender's first turn, at its second, and so on


def can_be_graded(game: Any) -> bool:
    return isinstance(game, Hex) and game.size <= LARGEST and not game.swap


def leaves_defences_out(game: Any) -> bool:
    """Whether not all defences are followed unless that is asked for."""
    return can_be_graded(game) and game.size > hex_table.MAX_SIZE


@dataclass(frozen=True)
class HexGrade:
    """What is known of a policy."""

    won_positions: int  # looked at
    held: float  # the share of them in which it keeps the win
    every: bool  # whether that is all there are
    first_player_win: bool | None = None  # whether it wins from the start against every defence; None: not proved
    beaten_by: tuple[str, ...] = ()
    openings_right: int | None = None  # first moves whose value has the right sign
    openings: int | None = None
    wins_from: tuple[str, ...] | None = None  # winning first moves after which it beat all defences that were followed
    winning_openings: tuple[str, ...] | None = None
    widths: tuple[int, ...] = WIDTHS  # replies that were tried at the defender's first turn, at its second, and so on
    followed: int = 0  # positions met in following those defences

    @property
    def every_defence(self) -> bool:
        """Whether nothing the defender can do was left out."""
        return self.widths == (ALL,)

    def summary(self) -> str:
        return f"keeps the win in {100 * self.held:.2f}% of {self.won_positions:,} won positions"

    def to_json(self) -> dict[str, Any]:
        report: dict[str, Any] = {
            "won_positions": self.won_positions,
            "held": self.held,
            "every_position": self.every,
            "first_player_win": self.first_player_win,
        }
        if self.beaten_by:
            report["beaten_by"] = list(self.beaten_by)
        if self.openings is not None:
            report |= {"openings_right": self.openings_right, "openings": self.openings}
        if self.wins_from is not None:
            report |= {"wins_from": list(self.wins_from), "winning_openings": list(self.winning_openings or ())}
            report |= {"replies_tried": [width or "all" for width in self.widths], "positions_followed": self.followed}
        return report


def state_of(game: Hex, own: Bool[Array, "N"], other: Bool[Array, "N"]) -> State:
    """A position by its stones, the mover black."""
    stride, num_words, cells, _, edges, _ = geometry(game.size)

    def side(stones: Bool[Array, "N"], ends: tuple[bits.Bits, bits.Bits]) -> Side:
        mine = bits.from_plane(stones, cells, num_words)
        return Side(mine, *(flood(mine & end, mine, stride) for end in ends))

    return State(side(own, edges[0]), side(other, edges[1]), jnp.int32(0))


@functools.lru_cache(maxsize=2)
def all_won(size: int) -> tuple[Any, Any, Any]:
    """Every won position of a small board: its stones, the mover's and the other's, and its winning moves."""
    table = hex_table.table(size)
    rows = np.flatnonzero(table.winning)
    return table.own[rows], table.other[rows], table.winning[rows]


def planes(size: int, cells: Integer[np.ndarray, "B"]) -> Bool[np.ndarray, "B N"]:
    return (cells[:, None] >> np.arange(size**2, dtype=cells.dtype) & 1).astype(bool)


@functools.lru_cache(maxsize=8)
def _kept(game: Hex, values: Any) -> Any:
    """How much of a batch of won positions a network's best moves keep (a share, where several moves tie)."""

    def one(network: Any, own: Array, other: Array, winning: Array) -> Float[Array, ""]:
        q = values(network, state_of(game, own, other))
        legal = ~own & ~other
        best = best_moves(q, legal)
        return (best & winning).sum(dtype=jnp.float32) / jnp.maximum(best.sum(dtype=jnp.float32), 1)

    return jax.jit(jax.vmap(one, (None, 0, 0, 0)))


def share_held(agent: TrainedAgent, game: Hex, own: Any, other: Any, winning: Any) -> Float[np.ndarray, "B"]:
    """For each won position (by its sets of cells), how much of the win the agent keeps."""
    keep = functools.partial(_kept(game, agent.recipe.rating(game)), agent.network)
    parts = []
    for begin in range(0, len(own), BATCH * 8):
        sets = (planes(game.size, cells[begin : begin + BATCH * 8]) for cells in (own, other, winning))
        parts.append(in_chunks(BATCH, keep, *sets))
    return np.concatenate(parts)


def quick_grade(agent: TrainedAgent, game: Any) -> HexGrade:
    """What training shows of its progress."""
    if game.size == 4:
        sets = all_won(game.size)
        rows = np.random.default_rng(0).choice(len(sets[0]), QUICK, replace=False)
        held = share_held(agent, game, *(cells[rows] for cells in sets))
        return HexGrade(QUICK, float(held.mean()), every=False)
    right, openings, _ = judge_openings(agent, game)
    own, other, winning = sampled(game)
    held = share_held(agent, game, own, other, winning)
    return HexGrade(len(own), float(held.mean()), False, openings_right=right, openings=openings)


#: Told after which first move defences are followed, to which ply they have come, how many positions that were, and
#: in the end whether one of them won.
Watcher = Callable[[str, int, int, bool | None], Any]


def grade_hex(agent: Agent, game: Any, every_defence: bool = False, watch: Watcher = lambda *news: None) -> HexGrade:
    """All that can be told of an agent; on 5 x 5 with every defence, or part of them."""
    if not isinstance(agent, TrainedAgent) or not agent.recipe.rates_moves:
        raise BadInput(f"on {game.describe()} only a network that rates moves is graded exactly, not '{agent.name}'.")
    choose = agent.policy(game)

    @jax.jit
    def moves(states: Any) -> Any:
        return choose(jax.random.key(0), states)

    if game.size <= hex_table.MAX_SIZE:
        start = follow(game, moves, game.init(), 0)
        held = share_held(agent, game, *all_won(game.size))
        return HexGrade(len(held), float(held.mean()), True, not start.beaten, texts(game, start.line))
    right, openings, truth = judge_openings(agent, game)
    own, other, winning = sampled(game)
    rating = agent.recipe.at_a_glance().rating(game)  # to say which replies are tried first, a glance is enough
    rate = jax.jit(jax.vmap(lambda state: rating(agent.network, state)))
    names, kept, met, line = [], [], 0, ()
    widths = (ALL,) if every_defence else WIDTHS
    for cell in np.flatnonzero(truth).tolist():
        after = compiled(game).step(game.init(), jnp.int32(cell))
        name = game.format_move(game.init(), cell)
        names.append(name)
        found = follow(game, moves, after, 0, widths, rate, lambda ply, met, name=name: watch(name, ply, met, None))
        watch(name, len(found.line), found.positions, found.beaten)
        met += found.positions
        if found.beaten:
            line = line or (names[-1], *texts(game, found.line))
        else:
            kept.append(names[-1])
    return HexGrade(
        won_positions=len(own),
        held=float(share_held(agent, game, own, other, winning).mean()),
        every=False,
        first_player_win=_first_move(game, moves) in kept if every_defence else None,
        beaten_by=line,
        openings_right=right,
        openings=openings,
        wins_from=tuple(kept),
        winning_openings=tuple(names),
        widths=widths,
        followed=met,
    )


def _first_move(game: Hex, moves: Any) -> str:
    start = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.init())
    return game.format_move(game.init(), int(moves(start)[0]))


def texts(game: Hex, line: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(game.format_move(game.init(), action) for action in line)


def judge_openings(agent: TrainedAgent, game: Hex) -> tuple[int, int, Bool[np.ndarray, "N"]]:
    """How many first moves the agent's values call rightly a win or a loss, of how many; and which win."""
    truth = np.asarray(prover(game.size).solve(0, 0).moves > 0)
    values = np.asarray(jax.jit(agent.recipe.rating(game))(agent.network, game.init()))
    return int(((values > 0) == truth).sum()), len(truth), truth


@functools.lru_cache(maxsize=2)
def sampled(game: Hex) -> tuple[Any, Any, Any]:
    """Won positions met in random games, by their sets of cells, solved one by one."""
    from ludus.learners.online import random_starts

    states = jax.jit(lambda key: jax.vmap(game.canonical)(random_starts(game, key, SAMPLE)))(jax.random.key(0))
    cells = geometry(game.size).cells
    own, other = (np.asarray(jax.vmap(lambda s: s.plane(cells))(side.stones)) for side in (states.own, states.other))
    winning = winning_moves(game.size, own, other)
    rows = winning.any(axis=1)
    powers = np.uint64(1) << np.arange(game.size**2, dtype=np.uint64)
    return own[rows] @ powers, other[rows] @ powers, winning[rows] @ powers
