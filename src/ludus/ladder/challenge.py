"""Agents come to a ladder: each meets those from whom most is to be learned of it, until enough is known.

Whom to meet: those whose games narrow the newcomers' ratings most, by the covariance of all ratings. That is somebody
near its own strength, and somebody whose own is well known. When to stop: once its neighbours on the ladder,
the next above it and the next below, are told from it by a sequential test (`play.sprt`), or shown to be no different;
or, if a width is wanted, once its interval is that narrow; and after so many games in any case.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jax
import numpy as np
import scipy.special
from jaxtyping import Array, Float, Key

from ludus.agents.find import find_player
from ludus.agents.spec import AgentSpec
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.ladder.sprt import Judgement, Sprt
from ludus.ladder.standings import RANDOM, Batch, Entrant, Standings, entrant_of, is_there, labels
from ludus.play.arena import openings_between, play_games
from ludus.play.finished import Fault, GamesSoFar
from ludus.play.player import Player, side_of
from ludus.play.ratings import Fit, Rating, fit
from ludus.truth.protocol import Watch, nobody

PAIRS = 1000  # openings that should differ between two agents without chance
RETRIES = 5  # times that an agent is loaded again which is being trained just now
LOGISTIC = math.pi / 8  # squared, how much flatter a logistic curve is after averaging it over a normal variance

#: Why an agent was settled.
Reason = Literal["tests", "within", "games"]


@dataclass(frozen=True)
class Enough:
    """When no more games are played."""

    test: Sprt
    within: float | None  # points either side of a rating; if wanted, neighbours are not tested
    games: int  # at most, for each agent that comes


@dataclass(frozen=True)
class Tested:
    """How an agent stands to a neighbour."""

    against: Entrant
    games: int
    judgement: Judgement


@dataclass(frozen=True)
class Settled:
    """An agent that came, and what was learned of it."""

    entrant: Entrant
    games: int  # that it played in this call
    reason: Reason
    neighbours: tuple[Tested, ...]


class Club:
    """Plays the games of a ladder, and keeps them; agents are loaded when they are first met."""

    def __init__(
        self,
        game: Game,
        standings: Standings,
        seed: int,
        batch: int,
        openings: int | None = None,
        watch: Watch = nobody,
    ) -> None:
        self.game, self.standings, self.seed, self.batch = game, standings, seed, batch
        self.openings, self.watch = openings, watch
        self._players: dict[Entrant, Player] = {}
        self.played: dict[Entrant, int] = {}  # games, in this call
        self.forfeits: Counter[Entrant] = Counter()  # of those, games lost by making no move

    def welcome(self, name: str) -> Entrant:
        """An agent by its name, as it is now."""
        for _ in range(RETRIES):
            who, player = entrant_of(name), find_player(name, self.game)
            if entrant_of(name) == who:  # else it was trained further while it was loaded
                self._players[who] = player
                return who
        raise BadInput(f"the agent '{name}' changes all the time: wait until it is trained.")

    def batch_of(self, *players: Entrant) -> int:
        """So many games are kept at a time: a pair where a program of others plays, for that goes game after game."""
        return 2 if any(AgentSpec.parse(who.agent).one_game_at_a_time for who in players) else self.batch

    def play(self, a: Entrant, b: Entrant, about: str = "") -> None:
        """One more batch between these two."""
        one, two = sorted((a, b))
        names = labels([*self.standings.entrants, a, b])
        self.watch(f"{names[a]} against {names[b]}{about}", False)
        first, second = self._player(one), self._player(two)
        sides = side_of(first, self.game), side_of(second, self.game)
        number = self.standings.next_number(one, two)
        plies = openings_between(self.game, first, second, 2 * PAIRS, self.openings)
        key = batch_key(self.seed, one, two, number)
        batch = self.batch_of(a, b)

        def say(fault: Fault) -> None:
            self.watch(f"a game is forfeited by {names[(one, two)[fault.player]]}: {fault.why}", True)

        played = play_games(self.game, sides, batch, key, batch, plies, so_far=GamesSoFar(say))
        if len(played.faults) == batch and (played.plies < plies + 2).all():
            return  # nobody who lost has made a move: that is no result to be kept, and soon an error
        for fault in played.faults:
            self.forfeits[(one, two)[fault.player]] += 1
        end = np.sign(played.end)
        pairs = np.bincount((end[0::2] + end[1::2] + 2).astype(int), minlength=5)
        wins, draws, losses = (int((end == sign).sum()) for sign in (1, 0, -1))
        self.standings.add(Batch(one, two, self.seed, number, plies, wins, draws, losses, tuple(pairs.tolist())))
        for who in (a, b):
            self.played[who] = self.played.get(who, 0) + batch

    def _player(self, who: Entrant) -> Player:
        if who not in self._players and self.welcome(who.agent) != who:
            raise BadInput(f"the agent '{who.agent}' was trained meanwhile: it is no longer who is on the ladder.")
        return self._players[who]

    def met(self, who: Entrant) -> int:
        return self.played.get(who, 0)


def batch_key(seed: int, a: Entrant, b: Entrant, number: int) -> Key[Array, ""]:
    """Other games for each batch of each two, the same whenever they are asked for."""
    mixed = hashlib.sha256("\0".join((*a, *b, str(number))).encode()).digest()
    key = jax.random.key(seed)
    for word in np.frombuffer(mixed[:8], "<u4"):
        key = jax.random.fold_in(key, word)
    return key


def add(club: Club, coming: Sequence[Entrant], enough: Enough) -> list[Settled]:
    """Let these agents come to the ladder, one or many at once; those on it may come again. Who finds nobody there
    meets the random player.
    """
    others = [who for who in club.standings.entrants if who not in coming and is_there(who)]
    if len(coming) + len(others) < 2:
        club.standings.refuse_alone([who.agent for who in coming])
        others = [club.welcome(RANDOM)]
    while True:
        rated = Rated(club.standings, [*coming, *others])
        # Asked again each time: somebody may have come between an agent and those it was told from.
        reasons: dict[Entrant, Reason | None] = {who: _settled(club, rated, who, enough) for who in coming}
        open_still = [who for who, reason in reasons.items() if reason is None]
        if not open_still:
            break
        pairs = [(who, other) for who in open_still for other in _opponents(rated, who, enough)]
        newcomer, met = rated.choose(pairs, open_still, club.batch)
        rating = rated.rating(newcomer)
        about = f": {rating.rating:+.0f} ± {rated.width(newcomer):.0f} after {club.met(newcomer):,} games"
        club.play(newcomer, met, about)
    return [
        Settled(who, club.met(who), reason, tuple(rated.tested(who, other, enough.test) for other in near))
        for who, reason in reasons.items()
        if reason is not None
        for near in [rated.neighbours(who)]
    ]


def compare(club: Club, one: Entrant, two: Entrant, enough: Enough) -> Judgement:
    """Let two agents meet until the test has decided; what they have played before counts."""
    while True:
        judged = enough.test.judge(club.standings.pairs(one, two))
        if judged.decided or club.met(one) + club.batch_of(one, two) > enough.games:
            return judged
        low, high = judged.bounds
        club.play(one, two, f": LLR {max(judged.llr):+.2f} of {low:.2f} to {high:.2f}, {club.met(one):,} games")


def _settled(club: Club, rated: Rated, who: Entrant, enough: Enough) -> Reason | None:
    near = rated.neighbours(who) if rated.games(who) else []
    if enough.within is not None:
        if near and rated.width(who) <= enough.within:
            return "within"
    elif near and all(rated.tested(who, other, enough.test).judgement.decided for other in near):
        return "tests"
    return "games" if club.met(who) + club.batch_of(who) > enough.games else None


def _opponents(rated: Rated, who: Entrant, enough: Enough) -> list[Entrant]:
    """Those whom it may meet next: anybody while its place is unknown, then neighbours not told from it yet."""
    near = rated.neighbours(who) if enough.within is None and rated.games(who) else []
    untold = [other for other in near if not rated.tested(who, other, enough.test).judgement.decided]
    return untold or [other for other in rated.present if other != who]


class Rated:
    """The ratings as they stand, of all who have played and those who come."""

    def __init__(self, standings: Standings, present: Sequence[Entrant]) -> None:
        self.standings, self.present = standings, list(present)
        self._all = list(dict.fromkeys([*standings.entrants, *present]))
        ends = standings.ends(self._all)
        self._place = {who: number for number, who in enumerate(self._all)}
        self._games = ends.sum(axis=(1, 2))
        self._fit = fit(*standings.results(self._all))
        self._ratings = self._fit.ratings([who.agent for who in self._all], self._fit.told)

    def rating(self, who: Entrant) -> Rating:
        return self._ratings[self._place[who]]

    def width(self, who: Entrant) -> float:
        """Points to either side, with 95% confidence."""
        rating = self.rating(who)
        return rating.ci95[1] - rating.rating

    def games(self, who: Entrant) -> int:
        return int(self._games[self._place[who]])

    def neighbours(self, who: Entrant) -> list[Entrant]:
        """The next above and the next below, of those who can be met and have played."""
        mine = self.rating(who).rating
        leads = {other: self.rating(other).rating - mine for other in self.present if other != who}
        known = [other for other in leads if self.games(other)]
        above = sorted((other for other in known if leads[other] >= 0), key=lambda other: leads[other])
        below = sorted((other for other in known if leads[other] < 0), key=lambda other: -leads[other])
        return [*above[:1], *below[:1]]

    def tested(self, who: Entrant, other: Entrant, test: Sprt) -> Tested:
        pairs = self.standings.pairs(who, other)
        return Tested(other, 2 * sum(pairs), test.judge(pairs))

    def choose(
        self, pairs: Sequence[tuple[Entrant, Entrant]], wanted: Sequence[Entrant], games: int
    ) -> tuple[Entrant, Entrant]:
        """Of these, who shall meet for so many games: where most is learned of all whose rating is wanted."""
        place, rows = self._place, [self._place[one] for one in wanted]
        return max(pairs, key=lambda pair: gain(self._fit, place[pair[0]], place[pair[1]], games, rows))


def gain(fit: Fit, i: int, j: int, games: int, wanted: Sequence[int]) -> float:
    """How much is learned of these players' ratings if i and j play so often: by how much the logarithms of their
    variances sink. So the first games of a newcomer count for much, and somebody who can only lose for little.

    A game of theirs has the information p (1 - p), p being what i will probably get. So the covariance S becomes
    S - w S c c' S / (1 + w c' S c), where c is their lead and w the information of all their games (Sherman, Morrison).
    """
    centre = fit.centre(fit.told)[list(wanted)]
    lead = np.eye(len(fit.strength))[i] - np.eye(len(fit.strength))[j]
    known = fit.covariance @ lead
    variance = float(lead @ known)
    share = float(scipy.special.expit((lead @ fit.strength) / math.sqrt(1 + LOGISTIC * variance)))
    weight = games * share * (1 - share)
    before = ((centre @ fit.covariance) * centre).sum(axis=1)
    sinks: Float[np.ndarray, "M"] = (centre @ known) ** 2 * weight / (1 + weight * variance)
    return float(-np.log1p(-sinks / before).sum())


def summary(settled: Settled, names: dict[Entrant, str]) -> dict[str, Any]:
    """For the JSON document."""
    tests = [
        {"against": names[test.against], "games": test.games, **test.judgement.to_json()} for test in settled.neighbours
    ]
    return {"agent": names[settled.entrant], "games": settled.games, "stopped_by": settled.reason, "tests": tests}
