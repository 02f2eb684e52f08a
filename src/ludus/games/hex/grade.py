"""How strong an agent is at Hex on boards of 4 to 7, measured against the solvers.

On 4 x 4 every won position counts, and every defence is followed to its end. On 5 x 5 there are too many of both: it
takes a sample of won positions, the agent's values of all openings, and after each winning opening many of the
defences, or on an accelerator all of them, tens of millions of positions. On 6 x 6 and 7 x 7 no defences are followed.
Where moves tie, only the one that the agent plays is followed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Integer

from ludus.core import bits
from ludus.core.callbacks import Watch, nobody
from ludus.core.game import compiled
from ludus.errors import BadInput
from ludus.games.hex.flood import flood
from ludus.games.hex.reach import FOLLOWED
from ludus.games.hex.rules import Hex, Side, State, geometry
from ludus.games.hex.solver import tablebase
from ludus.games.hex.solver.perfect import winning_moves
from ludus.games.hex.solver.prover import shared_prover
from ludus.play.player import Player
from ludus.play.selfplay import random_positions
from ludus.truth.follow import ALL, follow
from ludus.truth.graph import in_chunks
from ludus.truth.protocol import Effort, Grade, Refutation

BATCH = 8192  # positions in one compiled call
QUICK = 20_000  # won positions of 4 x 4 in a quick grade
SAMPLES = {5: 2_000, 6: 1_000, 7: 200}  # positions of random games; only the won ones count
WIDTHS = (ALL, ALL, 8, 2, 1)  # replies tried on 5 x 5 at the defender's first turn, second turn, and so on


@dataclass(frozen=True)
class HexGrade(Grade):
    """The measured strength of an agent."""

    won_positions: int  # tested
    held: float  # the share of them in which it holds the win
    every: bool  # whether those are all won positions
    first_player_win: bool | None = None  # whether it wins from the start against every defence; None: unknown
    beaten_by: tuple[str, ...] = ()
    openings_right: int | None = None  # first moves whose value has the right sign
    openings: int | None = None
    wins_from: tuple[str, ...] | None = None  # winning openings after which it beat all defences followed
    winning_openings: tuple[str, ...] | None = None
    widths: tuple[int, ...] = WIDTHS  # as `WIDTHS`
    followed: int = 0  # positions met on the way

    @property
    def every_defence(self) -> bool:
        """Whether no defence was left out."""
        return self.widths == (ALL,)

    def refutation(self) -> Refutation:
        return Refutation(line=self.beaten_by)

    def summary(self) -> str:
        return f"holds the win in {100 * self.held:.2f}% of {self.won_positions:,} won positions"

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

    def lines(self) -> list[str]:
        lines = [f"{self.summary()}{', all there are' if self.every else ', a sample'}"]
        if self.openings is not None:
            lines.append(f"judges {self.openings_right} of {self.openings} first moves rightly")
        if self.wins_from is not None and self.winning_openings is not None:
            beaten = sorted(set(self.winning_openings) - set(self.wins_from))
            defences = "every defence" if self.every_defence else "all defences that were followed"
            lines.append(
                f"beats {defences} ({self.followed:,} positions) after {len(self.wins_from)} of "
                f"{len(self.winning_openings)} winning ones"
            )
            if beaten:
                lines.append(f"can be beaten after {' '.join(beaten)}")
        if self.first_player_win:
            lines.append("moving first, it wins against every defence: all were followed")
        elif self.beaten_by:
            lines.append(f"beaten as first player by: {' '.join(self.beaten_by)}")
        return lines


def state_of(game: Hex, own: Bool[Array, "N"], other: Bool[Array, "N"]) -> State:
    """The position with these stones and black to move."""
    stride, num_words, cells, _, edges, _ = geometry(game.size)

    def side(stones: Bool[Array, "N"], ends: tuple[bits.Bits, bits.Bits]) -> Side:
        mine = bits.from_plane(stones, cells, num_words)
        first, last = (flood(mine & end, mine, stride) for end in ends)
        won = (first & last).any()
        return Side(mine, bits.where(won, mine, first), bits.where(won, mine, last))

    return State(side(own, edges[0]), side(other, edges[1]), jnp.int32(0))


@functools.lru_cache(maxsize=2)
def all_won(size: int) -> tuple[Any, Any, Any]:
    """All won positions of a small board: the mover's stones, the opponent's, and the winning moves."""
    known = tablebase.tablebase(size)
    rows = np.flatnonzero(known.winning)
    return known.own[rows], known.other[rows], known.winning[rows]


def planes(size: int, cells: Integer[np.ndarray, "B"]) -> Bool[np.ndarray, "B N"]:
    return (cells[:, None] >> np.arange(size**2, dtype=cells.dtype) & 1).astype(bool)


@functools.lru_cache(maxsize=8)
def _held(game: Hex, choices: Callable[[Any, Any], Float[Array, "A"]]) -> Any:
    """The probability that an agent keeps the win, for a batch of won positions."""

    def one(weights: Any, own: Array, other: Array, winning: Array) -> Float[Array, ""]:
        chosen = choices(weights, state_of(game, own, other))
        return jnp.where(winning, chosen, jnp.float32(0)).sum()

    return jax.jit(jax.vmap(one, (None, 0, 0, 0)))


def share_held(agent: Player, game: Hex, own: Any, other: Any, winning: Any) -> Float[np.ndarray, "B"]:
    """For each won position (as sets of cells), the probability that the agent keeps the win."""
    choices = agent.choices(game)
    if choices is None:
        raise BadInput(
            f"on {game.describe()} '{agent.name}' cannot be graded: it does not give the probability of each move."
        )
    hold = functools.partial(_held(game, choices), agent.weights)
    parts = []
    for begin in range(0, len(own), BATCH * 8):
        sets = (planes(game.size, cells[begin : begin + BATCH * 8]) for cells in (own, other, winning))
        parts.append(in_chunks(BATCH, hold, *sets))
    return np.concatenate(parts)


def grade(agent: Player, game: Hex, effort: Effort, watch: Watch = nobody) -> HexGrade:
    """Measure an agent's strength."""
    if game.size <= tablebase.MAX_SIZE:
        return _grade_by_table(agent, game, effort)
    right, openings, truth = judge_openings(agent, game)
    won = sampled(game)
    held = HexGrade(len(won[0]), float(share_held(agent, game, *won).mean()), False)
    held = replace(held, openings_right=right, openings=openings)
    whole = effort is not Effort.QUICK and game.size <= FOLLOWED
    return _after_openings(agent, game, held, truth, effort, watch) if whole else held


def _grade_by_table(agent: Player, game: Hex, effort: Effort) -> HexGrade:
    """By every won position; by some of them for a quick grade."""
    sets = all_won(game.size)
    if effort is Effort.QUICK:
        rows = np.random.default_rng(0).choice(len(sets[0]), QUICK, replace=False)
        held = share_held(agent, game, *(cells[rows] for cells in sets))
        return HexGrade(QUICK, float(held.mean()), every=False)
    start = follow(game, _moves(agent, game), game.init(), 0)
    held = share_held(agent, game, *sets)
    return HexGrade(len(held), float(held.mean()), True, not start.beaten, texts(game, start.line))


def _moves(agent: Player, game: Hex) -> Callable[[Any], Any]:
    """The agent's moves in a batch of positions, with a fixed seed."""
    choose = agent.on_device(game).policy
    return jax.jit(lambda states: choose(jax.random.key(0), states))


def _after_openings(
    agent: Player, game: Hex, held: HexGrade, truth: Bool[np.ndarray, "N"], effort: Effort, watch: Watch
) -> HexGrade:
    """Follow the defences after each winning opening: all of them, or a part."""
    moves, names, beats, met, line = _moves(agent, game), [], [], 0, ()
    widths = (ALL,) if effort is Effort.EVERY_DEFENCE else WIDTHS
    rating = agent.ratings(game, lookahead=False)  # only for the order of replies
    rate = rating and jax.jit(jax.vmap(lambda state: rating(agent.weights, state)))
    for cell in np.flatnonzero(truth).tolist():
        after = compiled(game).step(game.init(), jnp.int32(cell))
        name = game.format_move(game.init(), cell)
        names.append(name)

        def tell(ply: int, positions: int, name: str = name) -> None:
            watch(f"after {name}: {positions:,} positions up to move {ply + 1}", False)

        found = follow(game, moves, after, 0, widths, rate, tell)
        watch(f"after {name}: {found.positions:,} positions{', beaten' if found.beaten else ''}", True)
        met += found.positions
        if found.beaten:
            line = line or (name, *texts(game, found.line))
        else:
            beats.append(name)
    proved = _first_move(game, moves) in beats if effort is Effort.EVERY_DEFENCE else None
    return replace(
        held,
        first_player_win=proved,
        beaten_by=line,
        wins_from=tuple(beats),
        winning_openings=tuple(names),
        widths=widths,
        followed=met,
    )


def _first_move(game: Hex, moves: Any) -> str:
    start = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], game.init())
    return game.format_move(game.init(), int(moves(start)[0]))


def texts(game: Hex, line: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(game.format_move(game.init(), action) for action in line)


def judge_openings(agent: Player, game: Hex) -> tuple[int | None, int | None, Bool[np.ndarray, "N"]]:
    """How many openings the agent's values call correctly a win or a loss, of how many; and which openings win."""
    truth = np.asarray(shared_prover(game.size).solve(0, 0).moves > 0)
    rating = agent.expected(game)
    if rating is None:
        return None, None, truth
    values = np.asarray(jax.jit(rating)(agent.weights, game.init()))
    return int(((values > 0) == truth).sum()), len(truth), truth


@functools.lru_cache(maxsize=2)
def sampled(game: Hex) -> tuple[Any, Any, Any]:
    """Won positions of random games, as sets of cells, with their winning moves by proof search."""
    states = jax.jit(lambda key: jax.vmap(game.canonical)(random_positions(game, key, SAMPLES[game.size])))(
        jax.random.key(0)
    )
    cells = geometry(game.size).cells
    own, other = (np.asarray(jax.vmap(lambda s: s.plane(cells))(side.stones)) for side in (states.own, states.other))
    winning = winning_moves(game.size, own, other)
    rows = winning.any(axis=1)
    powers = np.uint64(1) << np.arange(game.size**2, dtype=np.uint64)
    return own[rows] @ powers, other[rows] @ powers, winning[rows] @ powers
