"""Who plays better: matches on the device with the sides swapped, and ratings, each with its interval."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
import scipy.special
from jaxtyping import Array, Float, Int, Key

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play import selfplay
from ludus.play.selfplay import Policy

Z95 = 1.959963984540054  # 95% of a normal distribution lie within so many standard deviations
ELO = 400 / math.log(10)  # points to a unit of log odds: 400 points are odds of 10 to 1

#: Told after every batch: games played, games in all.
Progress = Callable[[int, int], Any]


@runtime_checkable
class Player(Protocol):
    """Anything that can sit down to play. One that gives the same policy object each time is compiled only once."""

    @property
    def name(self) -> str: ...

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
    ci95: tuple[float, float]


@dataclass(frozen=True)
class Result(Tally):
    """A match from the first-named player's side, and the same by the seat it had."""

    by_seat: tuple[Tally, Tally]
    mean_plies: float


def match(
    game: Game,
    a: Player,
    b: Player,
    games: int,
    key: Key[Array, ""],
    batch: int = 1024,
    on_batch: Progress | None = None,
) -> Result:
    """Play so many games, `a` in the first seat and in the second by turns (of an odd number, one more in the first).

    The same key and batch give the same games, and a longer match begins with those of a shorter one (of a batch or
    more). The intervals take games for independent: between two players without chance there are only two games.
    """
    return _play(game, (a.policy(game), b.policy(game)), games, key, batch, on_batch)


def _play(
    game: Game,
    policies: tuple[Policy, Policy],
    games: int,
    key: Key[Array, ""],
    batch: int,
    on_batch: Progress | None,
) -> Result:
    if game.num_players != 2:
        raise BadInput(f"a match takes two players, and {game.name} has {game.num_players}.")
    if games < 1 or batch < 1:
        raise BadInput(f"a match takes at least one game in batches of at least one, not {games} and {batch}.")
    batch = min(batch, games)
    play_batch = _compiled(game, *policies, batch)
    ends, plies = [], []
    for number, begin in enumerate(range(0, games, batch)):
        seats = (begin + np.arange(batch, dtype=np.int32)) % 2
        end, length = play_batch(jax.random.fold_in(key, number), jnp.asarray(seats))
        ends.append(np.asarray(end))
        plies.append(np.asarray(length))
        if on_batch is not None:
            on_batch(min(begin + batch, games), games)
    end, length = np.concatenate(ends)[:games], np.concatenate(plies)[:games]
    by_seat = (tally_ends(end[0::2]), tally_ends(end[1::2]))
    return Result(**vars(tally_ends(end)), by_seat=by_seat, mean_plies=float(length.mean()))


@functools.lru_cache(maxsize=16)  # bounded, since a policy may hold a network
def _compiled(game: Game, a: Policy, b: Policy, batch: int) -> Callable:
    """A batch of games as one program: always of the same shape, so that a match is compiled once."""

    @jax.jit
    def play_batch(key: Key[Array, ""], seats: Int[Array, "B"]) -> tuple[Float[Array, "B"], Int[Array, "B"]]:
        """What `a` got in each game, in the seat it had, and the plies."""
        return play_seated(game, (a, b), key, seats)

    return play_batch


def play_seated(
    game: Game, policies: tuple[Policy, Policy], key: Key[Array, ""], seats: Int[Array, "B"]
) -> tuple[Float[Array, "B"], Int[Array, "B"]]:
    """A game for each seat that the first player is given: what it got there, and the plies."""
    episode = selfplay.play(game, selfplay.seated(game, policies, shift=seats), key, len(seats))
    return jnp.take_along_axis(episode.returns, seats[:, None], axis=1)[:, 0], episode.plies


def tally_ends(end: Float[np.ndarray, "N"]) -> Tally:
    """Of what a player got in each game."""
    return tally(int((end > 0).sum()), int((end == 0).sum()), int((end < 0).sum()))


def tally(wins: int, draws: int, losses: int) -> Tally:
    """The score and its interval. Of no games at all nothing is known: 1/2, give or take 1/2."""
    games = wins + draws + losses
    score = (wins + draws / 2) / games if games else 0.5
    return Tally(games, wins, draws, losses, score, score_interval(wins, draws, losses))


def score_interval(wins: int, draws: int, losses: int) -> tuple[float, float]:
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


def _variance(score: float, wins: int, draws: int, losses: int) -> float:
    """The likeliest variance of one game, after these results, if the true score were this.

    With x half the share of draws it is `score (1 - score) - x / 2`, and x is what maximises
    `wins log(score - x) + draws log(x) + losses log(1 - score - x)`: the smaller root of a quadratic.
    """
    games = wins + draws + losses
    half = (draws + wins * (1 - score) + losses * score) / (2 * games)
    product = draws / games * score * (1 - score)
    x = product / (half + math.sqrt(max(half**2 - product, 0.0))) if draws else 0.0
    return score * (1 - score) - x / 2


# --- ratings ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rating:
    """A player's strength in Elo points, where the mean of all players is 0."""

    agent: str
    rating: float
    ci95: tuple[float, float]


def bradley_terry(names: Sequence[str], wins: Float[np.ndarray, "N N"]) -> list[Rating]:
    """The ratings that make a table likeliest; `wins[i, j]` is what i got against j, a draw being half a win to both.

    Bradley and Terry's model: i beats j with odds `exp(r_i - r_j)`. Everyone is also given one drawn game against a
    player of rating 0, so that who won every game, or met nobody the others met, has a finite rating all the same;
    among hundreds of games it weighs little. The intervals come from the inverse Fisher information. A draw varies
    less than the win and the loss it stands for, so with many draws they are wider than they need be.
    """
    if len(names) != len(wins):
        raise ValueError(f"{len(names)} names do not fit a table of {len(wins)} players")
    games = wins + wins.T

    def surprise(rating: np.ndarray) -> float:
        lead = rating[:, None] - rating
        drawn = scipy.special.log_expit(rating) + scipy.special.log_expit(-rating)
        return float(-(wins * scipy.special.log_expit(lead)).sum() - drawn.sum() / 2)

    def slope(rating: np.ndarray) -> np.ndarray:
        expected = scipy.special.expit(rating[:, None] - rating)
        return (games * expected - wins).sum(axis=1) + scipy.special.expit(rating) - 0.5

    def information(rating: np.ndarray) -> np.ndarray:
        lead = rating[:, None] - rating
        weight = games * scipy.special.expit(lead) * scipy.special.expit(-lead)
        at_zero = scipy.special.expit(rating) * scipy.special.expit(-rating)
        return np.diag(weight.sum(axis=1) + at_zero) - weight

    # Convex, with one minimum; the trust region keeps Newton's steps short where all games are won.
    found = scipy.optimize.minimize(
        surprise, np.zeros(len(names)), jac=slope, hess=information, method="trust-exact", options={"gtol": 1e-9}
    ).x
    centre = np.eye(len(names)) - 1 / len(names)
    spread = Z95 * np.sqrt(np.diag(centre @ np.linalg.inv(information(found)) @ centre))
    return [
        Rating(name, float(ELO * middle), (float(ELO * (middle - half)), float(ELO * (middle + half))))
        for name, middle, half in zip(names, centre @ found, spread, strict=True)
    ]


@dataclass(frozen=True)
class Row(Rating):
    """A line of a tournament's table."""

    games: int
    wins: int
    draws: int
    losses: int
    first: tuple[int, ...]  # of the wins, those in the first seat, by season
    second: tuple[int, ...]


def tournament(
    game: Game,
    players: Sequence[Player],
    games_per_pair: int,
    key: Key[Array, ""],
    seasons: int = 1,
    batch: int = 1024,
    on_batch: Progress | None = None,
) -> list[Row]:
    """Everyone against everyone in both seats, so many games a season: the table, the best first."""
    names = [player.name for player in players]
    if len(players) < 2 or len(set(names)) < len(names):
        raise BadInput(f"a tournament takes two players or more, each named once, not {', '.join(names) or 'none'}.")
    if seasons < 1:
        raise BadInput(f"a tournament takes at least one season, not {seasons}.")
    policies = [player.policy(game) for player in players]
    pairs = list(itertools.combinations(range(len(players)), 2))
    total = games_per_pair * len(pairs) * seasons
    ends = np.zeros((len(players), len(players), 3), int)  # wins, draws, losses of one against another
    won = np.zeros((len(players), 2, seasons), int)  # by seat
    for number, (i, j) in enumerate(pairs):
        for season in range(seasons):
            done = games_per_pair * (number * seasons + season)
            result = _play(
                game,
                (policies[i], policies[j]),
                games_per_pair,
                jax.random.fold_in(jax.random.fold_in(key, season), number),
                batch,
                on_batch and (lambda played, _, done=done: on_batch(done + played, total)),
            )
            end = np.array([result.wins, result.draws, result.losses])
            ends[i, j] += end
            ends[j, i] += end[::-1]
            first, second = result.by_seat
            won[i, :, season] += first.wins, second.wins
            won[j, :, season] += second.losses, first.losses
    ratings = bradley_terry(names, ends[..., 0] + ends[..., 1] / 2)
    table = [
        Row(**vars(rating), games=sum(end), wins=end[0], draws=end[1], losses=end[2], first=tuple(a), second=tuple(b))
        for rating, end, (a, b) in zip(ratings, ends.sum(axis=1).tolist(), won.tolist(), strict=True)
    ]
    return sorted(table, key=lambda row: -row.rating)
