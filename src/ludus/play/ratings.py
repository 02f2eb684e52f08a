"""Who is the best of several: ratings with their intervals, and tournaments."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np
import scipy.optimize
import scipy.special
from jaxtyping import Array, Float, Key

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.play.arena import Z95, Player, Progress, openings_between, play_games
from ludus.play.hosted import mover_of

ALIKE = 16  # pairs of even games that are added
ELO = 400 / math.log(10)  # points to a unit of log odds: 400 points are odds of 10 to 1


@dataclass(frozen=True)
class Rating:
    """A player's strength in Elo points, where the mean of all players is 0, or something else is."""

    agent: str
    rating: float
    ci95: tuple[float, float]


class Fit(NamedTuple):
    """Strengths as log odds, where the player that everyone drew with has 0, and how they vary together."""

    strength: Float[np.ndarray, "N"]
    covariance: Float[np.ndarray, "N N"]
    told: Float[np.ndarray, "N"]  # the share of all information that each one's games have

    def ratings(self, names: Sequence[str], zero: Float[np.ndarray, "N"] | None = None) -> list[Rating]:
        """In Elo points. Zero is the mean by these weights, else the plain one; intervals are of the distance from it.

        By `told`, one of whom little is known (who lost every game, say) does not make everyone's interval wide. With
        all the weight on one of them intervals are of the lead over that one, which is sure of itself alone.
        """
        centre = self.centre(zero)
        spread = Z95 * np.sqrt(np.diag(centre @ self.covariance @ centre.T).clip(0))
        return [
            Rating(name, float(ELO * middle), (float(ELO * (middle - half)), float(ELO * (middle + half))))
            for name, middle, half in zip(names, centre @ self.strength, spread, strict=True)
        ]

    def centre(self, zero: Float[np.ndarray, "N"] | None = None) -> Float[np.ndarray, "N N"]:
        """Makes distances from zero of strengths."""
        count = len(self.strength)
        return np.eye(count) - (np.full(count, 1 / count) if zero is None else zero)[None]


def bradley_terry(names: Sequence[str], wins: Float[np.ndarray, "N N"]) -> list[Rating]:
    """The ratings that make a table likeliest; `wins[i, j]` is what i got against j, a draw half a win to both."""
    if len(names) != len(wins):
        raise ValueError(f"{len(names)} names do not fit a table of {len(wins)} players")
    return fit(wins).ratings(names)


def fit(wins: Float[np.ndarray, "N N"], pairs: Float[np.ndarray, "N N 5"] | None = None) -> Fit:
    """Bradley and Terry's model: i beats j with odds `exp(r_i - r_j)`. Everyone is also given one drawn game against a
    player of rating 0, so that who won every game, or met nobody the others met, has a finite rating all the same;
    among hundreds of games it weighs little. The intervals come from the inverse Fisher information.

    That takes every game for independent, and a draw for half a win and half a loss. Draws vary less, and so do the two
    games of an opening, which often decides both. `pairs` counts the pairs of two games by their score (0 to 2, in
    halves): where they are known, results are taken to vary as the pairs did (White's sandwich).
    """
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
        surprise, np.zeros(len(wins)), jac=slope, hess=information, method="trust-exact", options={"gtol": 1e-9}
    ).x
    inverse = np.linalg.inv(information(found))
    lead = found[:, None] - found
    weight = games * scipy.special.expit(lead) * scipy.special.expit(-lead)
    covariance, told = inverse, weight.sum(axis=1)
    if pairs is not None:
        varied = weight * (_varied(scipy.special.expit(lead), pairs) - 1)
        covariance = inverse + inverse @ (np.diag(varied.sum(axis=1)) - varied) @ inverse
    return Fit(found, covariance, told / told.sum() if told.any() else np.full(len(wins), 1 / len(wins)))


def _varied(score: Float[np.ndarray, "N N"], pairs: Float[np.ndarray, "N N 5"]) -> Float[np.ndarray, "N N"]:
    """How much the pairs of each two players varied about the score of the model, as a share of what independent games
    without draws would have; some pairs that did just that are added, for where few have told anything.
    """
    off = (np.arange(5) / 2 - 2 * score[:, :, None]) ** 2
    alike = 2 * score * (1 - score)
    return (ALIKE / 2 + (pairs * off).sum(axis=2)) / (ALIKE / 2 + pairs.sum(axis=2) * alike)


@dataclass(frozen=True)
class Row(Rating):
    """A line of a tournament's table."""

    games: int
    wins: int
    draws: int
    losses: int
    first: tuple[int, ...]  # of the wins, those in the first seat, by season
    second: tuple[int, ...]


@dataclass(frozen=True)
class Pairing:
    """Two players of a tournament, and their games of all seasons."""

    a: str
    b: str
    games: int
    score: float  # of `a`
    openings: int  # random plies that each game begins with
    distinct: int  # games that differ


class Table(NamedTuple):
    rows: list[Row]  # the best first
    pairings: list[Pairing]


def tournament(
    game: Game,
    players: Sequence[Player],
    games_per_pair: int,
    key: Key[Array, ""],
    seasons: int = 1,
    batch: int = 1024,
    on_batch: Progress | None = None,
    openings: int | None = None,
) -> Table:
    """Everyone against everyone in both seats, so many games a season.

    Openings are those of a match. Where two players without chance have none, the two games that they play over and
    over count as two in the ratings.
    """
    names = [player.name for player in players]
    if len(players) < 2 or len(set(names)) < len(names):
        raise BadInput(f"a tournament takes two players or more, each named once, not {', '.join(names) or 'none'}.")
    if seasons < 1:
        raise BadInput(f"a tournament takes at least one season, not {seasons}.")
    movers = [mover_of(player, game) for player in players]
    pairs = list(itertools.combinations(range(len(players)), 2))
    each = games_per_pair * seasons
    ends = np.zeros((len(players), len(players), 3), int)  # wins, draws, losses of one against another
    got = np.zeros((len(players), len(players)))  # as it counts in the ratings
    won = np.zeros((len(players), 2, seasons), int)  # by seat
    pairings = []
    for number, (i, j) in enumerate(pairs):
        plies = openings_between(game, players[i], players[j], each, openings)
        lines = []
        for season in range(seasons):
            done = each * number + games_per_pair * season
            played = play_games(
                game,
                (movers[i], movers[j]),
                games_per_pair,
                jax.random.fold_in(jax.random.fold_in(key, season), number),
                batch,
                plies,
                on_batch and (lambda played, _, done=done: on_batch(done + played, each * len(pairs))),
            )
            lines.append(played.line)
            by_seat = [
                [(mine > 0).sum(), (mine == 0).sum(), (mine < 0).sum()] for mine in (played.end[0::2], played.end[1::2])
            ]
            ends[i, j] += np.sum(by_seat, axis=0)
            won[i, :, season] += by_seat[0][0], by_seat[1][0]
            won[j, :, season] += by_seat[1][2], by_seat[0][2]
        ends[j, i] = ends[i, j][::-1]
        distinct = len(np.unique(np.concatenate(lines), axis=0))
        repeated = distinct <= 2 and not (plies or players[i].chance or players[j].chance)
        weight = distinct / each if repeated else 1.0
        for one, other in ((i, j), (j, i)):
            got[one, other] = weight * (ends[one, other, 0] + ends[one, other, 1] / 2)
        score = float((ends[i, j, 0] + ends[i, j, 1] / 2) / each)
        pairings.append(Pairing(names[i], names[j], each, score, plies, distinct))
    table = [
        Row(**vars(rating), games=sum(end), wins=end[0], draws=end[1], losses=end[2], first=tuple(a), second=tuple(b))
        for rating, end, (a, b) in zip(bradley_terry(names, got), ends.sum(axis=1).tolist(), won.tolist(), strict=True)
    ]
    return Table(sorted(table, key=lambda row: -row.rating), pairings)
