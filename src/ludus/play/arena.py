"""Who plays better: matches with the sides swapped, on the device or `hosted`, and the score with its interval."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, UInt32

from ludus.core.game import Game, select
from ludus.errors import BadInput
from ludus.games import part
from ludus.play import hosted, selfplay
from ludus.play import openings as openings_of
from ludus.play.hosted import Ends, Mover, PolicyOf, Thinker, apart, line_weights, mover_of
from ludus.play.openings import Opening
from ludus.play.selfplay import Policy

Z95 = 1.959963984540054  # 95% of a normal distribution lie within so many standard deviations

#: Told after every batch, or after every game on the host: games played, games in all.
Progress = Callable[[int, int], Any]


@runtime_checkable
class Player(Protocol):
    """Anything that can sit down to play. One that gives the same policy object each time is compiled only once; of
    those that go by weights (`hosted.Learned`), all of a kind. One that thinks on the host has a `thinker` too.
    """

    @property
    def name(self) -> str: ...

    @property
    def chance(self) -> bool:
        """Whether it moves by chance: two that do not play the same game over and over."""
        ...

    def policy(self, game: Game) -> Policy: ...


# --- matches ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """How games ended, from one player's side."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float  # a win is 1, a draw 1/2
    ci95: tuple[float, float] | None  # none where the same games were played over and over

    @property
    def interval(self) -> str:
        """For people, after the score."""
        if self.ci95 is None:
            return ""
        low, high = self.ci95
        return f" (95% interval {100 * low:.2f} to {100 * high:.2f})"


@dataclass(frozen=True)
class Result(Tally):
    """A match from the first-named player's side, and the same by the seat it had."""

    by_seat: tuple[Tally, Tally]
    mean_plies: float
    openings: int  # random plies that each game begins with; two games, with the seats exchanged, have the same
    distinct: int  # games that differ, in a move or in who sits where
    taken: tuple[float, float] | None  # a game, by each player: marbles or the like, where there is such a thing


def match(
    game: Game,
    a: Player,
    b: Player,
    games: int,
    key: Key[Array, ""],
    batch: int = 1024,
    on_batch: Progress | None = None,
    openings: int | None = None,
) -> Result:
    """Play so many games, `a` in the first seat and in the second by turns (of an odd number, one more in the first).

    `openings` is the number of random plies that games begin with, each opening played in both seats; if not given, as
    many as make games differ between two players without chance, and none where one moves by chance. The same key and
    batch give the same games, and a longer match begins with those of a shorter one (of a batch or more).

    The intervals take games for independent, or pairs of games where two share an opening. Two players without chance
    and without openings play only two games: there is no interval then.
    """
    plies = openings_between(game, a, b, games, openings)
    played = play_games(game, (mover_of(a, game), mover_of(b, game)), games, key, batch, plies, on_batch)
    whole, by_seat = tally_ends(played.end), (tally_ends(played.end[0::2]), tally_ends(played.end[1::2]))
    if plies:
        whole = replace(whole, ci95=paired_interval(played.end))
    elif not (a.chance or b.chance) and played.distinct <= 2:
        whole, by_seat = replace(whole, ci95=None), (replace(by_seat[0], ci95=None), replace(by_seat[1], ci95=None))
    length = float(played.plies.mean())
    return Result(
        **vars(whole),
        by_seat=by_seat,
        mean_plies=length,
        openings=plies,
        distinct=played.distinct,
        taken=_taken(game, played),
    )


def _taken(game: Game, played: Played) -> tuple[float, float] | None:
    """What each player took from the other, in the mean over games."""
    if part(game, "taken") is None:
        return None
    by_seat = np.asarray(_taking(game)(played.final))
    seat = played.line[:, :1].astype(np.int64)
    first, second = (np.take_along_axis(by_seat, place, axis=1).mean() for place in (seat, 1 - seat))
    return float(first), float(second)


def openings_between(game: Game, a: Player, b: Player, games: int, wanted: int | None) -> int:
    """How many plies the openings of two players' games have."""
    if wanted is None:
        return 0 if a.chance or b.chance else openings_of.plies_for(game, max(1, games // 2))
    if wanted < 0:
        raise BadInput(f"an opening cannot have {wanted} plies; 0 is none.")
    return min(wanted, game.max_plies - 1)


@functools.lru_cache(maxsize=16)
def _taking(game: Game) -> Callable[[Any], Float[Array, "N 2"]]:
    return jax.jit(jax.vmap(functools.partial(part(game, "taken"), game)))


class Played(NamedTuple):
    """Games on the host: what the first-named player got, the plies, and by what to know the game."""

    end: Float[np.ndarray, "N"]
    plies: Int[np.ndarray, "N"]
    line: UInt32[np.ndarray, "N 3"]  # the seat, and a fingerprint of the moves
    final: Any  # the last positions, every leaf [N, ...]

    @property
    def distinct(self) -> int:
        return len(np.unique(self.line, axis=0))


def play_games(
    game: Game,
    movers: tuple[Mover, Mover],
    games: int,
    key: Key[Array, ""],
    batch: int = 1024,
    openings: int = 0,
    on_batch: Progress | None = None,
) -> Played:
    """The games of a match, in order: on the device, or on the host where one of the two thinks there."""
    if game.num_players != 2:
        raise BadInput(f"a match takes two players, and {game.name} has {game.num_players}.")
    if games < 1 or batch < 1:
        raise BadInput(f"a match takes at least one game in batches of at least one, not {games} and {batch}.")
    tell = on_batch or (lambda played, total: None)
    a, b = movers
    on_host = isinstance(a, Thinker) or isinstance(b, Thinker)
    batch = min(batch, games, hosted.LANES) if on_host else min(batch, games)
    key_openings = jax.random.fold_in(key, np.uint32(2**32 - 1))  # beyond any number of batches
    parts = []
    for number, begin in enumerate(range(0, games, batch)):
        places, key_batch = begin + np.arange(batch, dtype=np.int32), jax.random.fold_in(key, number)
        if isinstance(a, Thinker) or isinstance(b, Thinker):
            spare = max(0, begin + batch - games)  # lanes beyond the last game, which have ended before they begin

            def ended(count: int, before: int = begin - spare) -> None:
                tell(before + count, games)

            parts.append(hosted.play_batch(game, (a, b), key_batch, key_openings, places, games, openings, ended))
        else:
            (one, its), (other, others) = apart(a), apart(b)
            play_batch = _compiled(game, one, other, batch, openings)
            parts.append(jax.device_get(play_batch(its, others, key_batch, key_openings, jnp.asarray(places))))
            tell(min(begin + batch, games), games)
    end, plies, line, final = jax.tree.map(lambda *leaves: np.concatenate(leaves)[:games], *parts)
    return Played(end, plies, np.column_stack([np.arange(games, dtype=np.uint32) % 2, line]), final)


@functools.lru_cache(maxsize=16)  # bounded, since a policy may hold a network
def _compiled(game: Game, a: PolicyOf, b: PolicyOf, batch: int, openings: int) -> Callable:
    """A batch of games as one program, for any weights: always of the same shape, so that a match is compiled once."""

    @jax.jit
    def play_batch(its: Any, others: Any, key: Key[Array, ""], key_openings: Key[Array, ""], places: Array) -> Ends:
        opening = openings_of.draw(game, key_openings, places // 2, openings) if openings else None
        return play_seated(game, (a(its), b(others)), key, places % 2, opening)

    return play_batch


def play_seated(
    game: Game,
    policies: tuple[Policy, Policy],
    key: Key[Array, ""],
    seats: Int[Array, "B"],
    opening: Opening | None = None,
) -> Ends:
    """A game for each seat that the first player is given."""
    policy, steps = selfplay.seated(game, policies, shift=seats), game.max_plies + 1

    def ply(carry: tuple[Any, Any, Array], given: tuple[Array, Array, Array]) -> tuple[tuple[Any, Any, Array], Any]:
        (lanes, final, live), (key, now, made) = carry, given

        def choose(key: Key[Array, ""], states: Any, again: selfplay.Again) -> Int[Array, "B"]:
            action = selfplay.ask(policy, key, states, again)
            return action if opening is None else jnp.where(now < opening.length, made, action)

        lanes, record = selfplay.advance(game, selfplay.Wary(choose), lanes, key)
        final = jax.vmap(select)(live, record.state, final)  # of what follows a game's end, nothing counts
        return (lanes, final, live & ~record.over), (record.action, live, record.over, record.returns)

    made = jnp.zeros((steps, len(seats)), jnp.int32)
    if opening is not None:
        made = made.at[: len(opening.actions)].set(opening.actions)
    given = jax.random.split(key, steps), jnp.arange(steps, dtype=jnp.int32), made
    lanes = selfplay.fresh(game, len(seats))
    begin = lanes, lanes.state, jnp.ones(len(seats), bool)
    (_, final, _), (action, live, over, returns) = jax.lax.scan(ply, begin, given)
    last = (live & over)[:, :, None].astype(jnp.float32)
    got = jnp.take_along_axis((returns * last).sum(axis=0), seats[:, None], axis=1)[:, 0]
    moved = live & ~over
    moves = jnp.where(moved, action + 1, 0).astype(jnp.uint32)
    line = (moves[:, :, None] * line_weights(steps)[:, None]).sum(axis=0, dtype=jnp.uint32)
    return Ends(got, moved.sum(axis=0, dtype=jnp.int32), line, final)


def tally_ends(end: Float[np.ndarray, "N"]) -> Tally:
    """Of what a player got in each game."""
    return tally(int((end > 0).sum()), int((end == 0).sum()), int((end < 0).sum()))


def tally(wins: int, draws: int, losses: int) -> Tally:
    """The score and its interval. Of no games at all nothing is known: 1/2, give or take 1/2."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games if games else 0.5
    return Tally(games, wins, draws, losses, score, score_interval(wins, draws, losses))


def paired_interval(end: Float[np.ndarray, "N"]) -> tuple[float, float]:
    """The interval of the score where two games after another share an opening: of pairs, which are independent.

    A pair that is won is a win, one that is halved a draw. One with a draw in it is half of each, which keeps its score
    and makes the interval a little wider than it need be; a game without another is half a pair.
    """
    sign = np.append(np.sign(end), [0.0] * (len(end) % 2))
    lead = sign.reshape(-1, 2).mean(axis=1)
    wins, losses = float(lead.clip(0).sum()), float((-lead).clip(0).sum())
    return score_interval(wins, len(end) / 2 - wins - losses, losses)


def score_interval(wins: float, draws: float, losses: float) -> tuple[float, float]:
    """The 95% interval of the true score: all scores that a score test does not reject.

    A score of `mu` is tested with the variance that games of that score would have, not with the variance seen, so
    that the interval keeps its width when all games end alike. What `mu` leaves open is the share of draws, for which
    the likeliest value is taken. This is Tango's interval for paired proportions (Statistics in Medicine 17, 1998;
    wins and losses are the discordant pairs), and Wilson's where there are no draws.
    """
    games = wins + draws + losses
    if games == 0:
        return 0.0, 1.0
    score, edges = (wins + draws / 2) / games, []
    for outside in (0.0, 1.0):
        inside = score
        for _ in range(40):
            middle = (inside + outside) / 2
            variance = _variance(middle, wins, draws, losses)
            accepted = games * (score - middle) ** 2 < Z95**2 * variance
            inside, outside = (middle, outside) if accepted else (inside, middle)
        edges.append(outside)
    low, high = edges
    return low, high


def _variance(score: float, wins: float, draws: float, losses: float) -> float:
    """The likeliest variance of one game, after these results, if the true score were this.

    With x half the share of draws it is `score (1 - score) - x / 2`, and x is what maximises
    `wins log(score - x) + draws log(x) + losses log(1 - score - x)`: the smaller root of a quadratic.
    """
    games = wins + draws + losses
    half = (draws + wins * (1 - score) + losses * score) / (2 * games)
    product = draws / games * score * (1 - score)
    x = product / (half + math.sqrt(max(half**2 - product, 0.0))) if draws else 0.0
    return score * (1 - score) - x / 2
