"""Adding agents to a ladder: each newcomer plays the most informative opponents until its place is known.

An opponent is chosen by how much its games would narrow the newcomers' ratings, from the covariance of all ratings: it
is an agent of similar strength whose own rating is well known. A newcomer stops once a sequential test (`ladder.sprt`)
has separated it from its neighbours, the next above it and the next below, or has shown no difference; if a width is
wanted, once its interval is that narrow; in any case after a maximum of games.
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
from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.ladder.results_file import RANDOM, BatchResult, Entrant, ResultsFile, entrant_of, is_there, labels
from ludus.ladder.sprt import Judgement, Sprt
from ludus.play.arena import openings_between, play_games
from ludus.play.finished import Fault, GamesSoFar
from ludus.play.player import Player, side_of
from ludus.play.ratings import Fit, Rating, fit

PAIRS = 1000  # different openings wanted between two deterministic agents
RETRIES = 5  # to load an agent that is being trained at the moment
LOGISTIC = math.pi / 8  # a logistic curve averaged over a normal with variance v is flatter by sqrt(1 + v pi / 8)

#: Why a newcomer's games ended.
StopReason = Literal["tests", "within", "games"]


@dataclass(frozen=True)
class StopRule:
    """When a newcomer stops playing."""

    test: Sprt
    within: float | None  # the interval's width to either side, in points; if given, neighbours are not tested
    games: int  # at most, for each newcomer


@dataclass(frozen=True)
class NeighbourTest:
    """The sequential test of an agent against a neighbour."""

    against: Entrant
    games: int
    judgement: Judgement


@dataclass(frozen=True)
class Placement:
    """A newcomer with its tests against its neighbours."""

    entrant: Entrant
    games: int  # that it played in this call
    reason: StopReason
    neighbours: tuple[NeighbourTest, ...]


class MatchRunner:
    """Plays games between agents of a ladder and saves the results; agents are loaded when they first play."""

    def __init__(
        self,
        game: Game,
        results: ResultsFile,
        seed: int,
        batch: int,
        openings: int | None = None,
        watch: Watch = nobody,
    ) -> None:
        self.game, self.results, self.seed, self.batch = game, results, seed, batch
        self.openings, self.watch = openings, watch
        self._players: dict[Entrant, Player] = {}
        self.games_played: Counter[Entrant] = Counter()  # in this call
        self.forfeits: Counter[Entrant] = Counter()  # games lost by making no move, in this call

    def load(self, name: str) -> Entrant:
        """Load an agent by its name, with the weights that it has now."""
        for _ in range(RETRIES):
            who, player = entrant_of(name), find_player(name, self.game)
            if entrant_of(name) == who:  # else its weights changed while they were loaded
                self._players[who] = player
                return who
        raise BadInput(f"the agent '{name}' changes all the time: wait until its training has ended.")

    def batch_size(self, *players: Entrant) -> int:
        """Games per batch: one pair if an external program or a function plays, as it plays one game at a time."""
        return 2 if any(AgentSpec.parse(who.agent).one_game_at_a_time for who in players) else self.batch

    def play(self, a: Entrant, b: Entrant, about: str = "") -> None:
        """Play and save one more batch between these two."""
        one, two = sorted((a, b))
        names = labels([*self.results.entrants, a, b])
        self.watch(f"{names[a]} against {names[b]}{about}", False)
        first, second = self._player(one), self._player(two)
        sides = side_of(first, self.game), side_of(second, self.game)
        number = self.results.next_number(one, two)
        plies = openings_between(self.game, first, second, 2 * PAIRS, self.openings)
        key = batch_key(self.seed, one, two, number)
        batch = self.batch_size(a, b)

        def say(fault: Fault) -> None:
            self.watch(f"a game is forfeited by {names[(one, two)[fault.player]]}: {fault.why}", True)

        played = play_games(self.game, sides, batch, key, batch, plies, so_far=GamesSoFar(say))
        if len(played.faults) == batch and (played.plies < plies + 2).all():
            return  # every loser forfeited before its first move: no result to save, and soon an error
        for fault in played.faults:
            self.forfeits[(one, two)[fault.player]] += 1
        end = np.sign(played.end)
        pairs = np.bincount((end[0::2] + end[1::2] + 2).astype(int), minlength=5)
        wins, draws, losses = (int((end == sign).sum()) for sign in (1, 0, -1))
        self.results.add(BatchResult(one, two, self.seed, number, plies, wins, draws, losses, tuple(pairs.tolist())))
        for who in (a, b):
            self.games_played[who] += batch

    def _player(self, who: Entrant) -> Player:
        if who not in self._players and self.load(who.agent) != who:
            raise BadInput(f"the agent '{who.agent}' was trained meanwhile: it is not the one on the ladder.")
        return self._players[who]


def batch_key(seed: int, a: Entrant, b: Entrant, number: int) -> Key[Array, ""]:
    """A random key of its own for each batch of each pair of agents, always the same."""
    mixed = hashlib.sha256("\0".join((*a, *b, str(number))).encode()).digest()
    key = jax.random.key(seed)
    for word in np.frombuffer(mixed[:8], "<u4"):
        key = jax.random.fold_in(key, word)
    return key


def place(runner: MatchRunner, newcomers: Sequence[Entrant], stop: StopRule) -> list[Placement]:
    """Add agents to the ladder, one or many at once; those on it may play again. On an empty ladder a single agent
    plays the random player.
    """
    others = [who for who in runner.results.entrants if who not in newcomers and is_there(who)]
    if len(newcomers) + len(others) < 2:
        runner.results.refuse_alone([who.agent for who in newcomers])
        others = [runner.load(RANDOM)]
    while True:
        rated = CurrentRatings(runner.results, [*newcomers, *others])
        # Checked anew each time, as neighbours may change with the ratings.
        reasons: dict[Entrant, StopReason | None] = {who: _stop_reason(runner, rated, who, stop) for who in newcomers}
        unplaced = [who for who, reason in reasons.items() if reason is None]
        if not unplaced:
            break
        pairs = [(who, other) for who in unplaced for other in _opponents(rated, who, stop)]
        newcomer, met = rated.choose(pairs, unplaced, runner.batch)
        rating = rated.rating(newcomer)
        about = f": {rating.rating:+.0f} ± {rated.width(newcomer):.0f} after {runner.games_played[newcomer]:,} games"
        runner.play(newcomer, met, about)
    return [
        Placement(who, runner.games_played[who], reason, tuple(rated.tested(who, other, stop.test) for other in near))
        for who, reason in reasons.items()
        if reason is not None
        for near in [rated.neighbours(who)]
    ]


def compare(runner: MatchRunner, one: Entrant, two: Entrant, stop: StopRule) -> Judgement:
    """Let two agents play until the test has decided; their earlier games count."""
    while True:
        judged = stop.test.judge(runner.results.pairs(one, two))
        if judged.decided or runner.games_played[one] + runner.batch_size(one, two) > stop.games:
            return judged
        low, high = judged.bounds
        runner.play(
            one, two, f": LLR {max(judged.llr):+.2f} of {low:.2f} to {high:.2f}, {runner.games_played[one]:,} games"
        )


def _stop_reason(runner: MatchRunner, rated: CurrentRatings, who: Entrant, stop: StopRule) -> StopReason | None:
    near = rated.neighbours(who) if rated.games(who) else []
    if stop.within is not None:
        if near and rated.width(who) <= stop.within:
            return "within"
    elif near and all(rated.tested(who, other, stop.test).judgement.decided for other in near):
        return "tests"
    return "games" if runner.games_played[who] + runner.batch_size(who) > stop.games else None


def _opponents(rated: CurrentRatings, who: Entrant, stop: StopRule) -> list[Entrant]:
    """Its possible next opponents: all at first, then the neighbours from which the test has not separated it."""
    near = rated.neighbours(who) if stop.within is None and rated.games(who) else []
    undecided = [other for other in near if not rated.tested(who, other, stop.test).judgement.decided]
    return undecided or [other for other in rated.present if other != who]


class CurrentRatings:
    """The ratings of all agents that have played, and of the newcomers."""

    def __init__(self, results: ResultsFile, present: Sequence[Entrant]) -> None:
        self.results, self.present = results, list(present)
        self._all = list(dict.fromkeys([*results.entrants, *present]))
        ends = results.outcomes(self._all)
        self._place = {who: number for number, who in enumerate(self._all)}
        self._games = ends.sum(axis=(1, 2))
        self._fit = fit(*results.scores_and_pairs(self._all))
        self._ratings = self._fit.ratings([who.agent for who in self._all], self._fit.told)

    def rating(self, who: Entrant) -> Rating:
        return self._ratings[self._place[who]]

    def width(self, who: Entrant) -> float:
        """Half the 95% interval, in points."""
        rating = self.rating(who)
        return rating.ci95[1] - rating.rating

    def games(self, who: Entrant) -> int:
        return int(self._games[self._place[who]])

    def neighbours(self, who: Entrant) -> list[Entrant]:
        """The next above and the next below, among agents that can be met and have played."""
        mine = self.rating(who).rating
        leads = {other: self.rating(other).rating - mine for other in self.present if other != who}
        known = [other for other in leads if self.games(other)]
        above = sorted((other for other in known if leads[other] >= 0), key=lambda other: leads[other])
        below = sorted((other for other in known if leads[other] < 0), key=lambda other: -leads[other])
        return [*above[:1], *below[:1]]

    def tested(self, who: Entrant, other: Entrant, test: Sprt) -> NeighbourTest:
        pairs = self.results.pairs(who, other)
        return NeighbourTest(other, 2 * sum(pairs), test.judge(pairs))

    def choose(
        self, pairs: Sequence[tuple[Entrant, Entrant]], wanted: Sequence[Entrant], games: int
    ) -> tuple[Entrant, Entrant]:
        """The pair whose games would tell most about the wanted ratings."""
        place, rows = self._place, [self._place[one] for one in wanted]
        return max(pairs, key=lambda pair: information_gain(self._fit, place[pair[0]], place[pair[1]], games, rows))


def information_gain(fit: Fit, i: int, j: int, games: int, wanted: Sequence[int]) -> float:
    """The information that `games` games between i and j give about the wanted ratings: the sum, over these, of the
    decrease of the logarithm of the variance. So a newcomer's first games count most, and certain losses little.

    One game has the information p (1 - p), where p is i's expected score. So the covariance S becomes
    S - w S c c' S / (1 + w c' S c), where c is the difference of i and j, and w the information of all their games
    (Sherman and Morrison).
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


def summary(placement: Placement, names: dict[Entrant, str]) -> dict[str, Any]:
    """A placement for the JSON document."""
    tests = [
        {"against": names[test.against], "games": test.games, **test.judgement.to_json()}
        for test in placement.neighbours
    ]
    return {"agent": names[placement.entrant], "games": placement.games, "stopped_by": placement.reason, "tests": tests}
