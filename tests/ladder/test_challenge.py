"""Agents that come to a ladder find their place: whom they meet, when they stop, and that games are never the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.special
from helpers.text import refusal

from ludus.agents.spec import bound_of
from ludus.games.hex.rules import Hex
from ludus.ladder import challenge
from ludus.ladder.challenge import (
    CurrentRatings,
    MatchRunner,
    Placement,
    StopRule,
    batch_key,
    compare,
    information_gain,
    place,
)
from ludus.ladder.results_file import BatchResult, Entrant, ResultsFile
from ludus.ladder.sprt import Sprt
from ludus.play.ratings import ELO, Fit

HEX = Hex(size=3)
SPLIT = 0.3  # of the simulated pairs the opening decides


class Simulated(MatchRunner):
    """A runner of players with known ratings, whose games are coins."""

    def __init__(self, path: Path, ratings: Mapping[str, float], batch: int = 64, seed: int = 0) -> None:
        path.touch()
        super().__init__(HEX, ResultsFile(path, bound_of(HEX)), seed, batch)
        self.ratings, self.met_by = ratings, Counter[tuple[str, str]]()

    def load(self, name: str) -> Entrant:
        return Entrant(name, "")

    def play(self, a: Entrant, b: Entrant, about: str = "") -> None:
        one, two = sorted((a, b))
        number = self.results.next_number(one, two)
        seed = np.asarray(jax.random.key_data(batch_key(self.seed, one, two, number)))
        rng, count = np.random.default_rng(seed), self.batch // 2
        score = scipy.special.expit((self.ratings[one.agent] - self.ratings[two.agent]) / ELO)
        split = min(SPLIT, score, 1 - score)
        points = np.where(rng.random(count) < split, 2, 2 * rng.binomial(2, (score - split / 2) / (1 - split), count))
        wins = int(points.sum()) // 2
        pairs = tuple(np.bincount(points, minlength=5).tolist())
        self.results.add(BatchResult(one, two, self.seed, number, 0, wins, 0, self.batch - wins, pairs))
        for who in (a, b):
            self.games_played[who] += self.batch
        self.met_by[(a.agent, b.agent)] += 1


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`runner({"a": 100.0})` has players of these ratings; those of an earlier one are on the ladder."""
    monkeypatch.setattr(challenge, "is_there", lambda who: True)
    return lambda ratings, **more: Simulated(tmp_path / "l.jsonl", ratings, **more)


def come(runner: Simulated, names: Sequence[str], stop: StopRule) -> list[Placement]:
    return place(runner, [runner.load(name) for name in names], stop)


LADDER = {f"p{k}": 200.0 * k for k in range(8)}
ENOUGH = StopRule(Sprt(elo1=60), None, 4000)


def test_a_newcomer_finds_its_place_by_meeting_its_neighbours(runner) -> None:
    first = runner(LADDER)
    come(first, list(LADDER), StopRule(Sprt(), 40, 4000))
    for name, rating, neighbours in (("middle", 700.0, (4, 3)), ("best", 1700.0, (7,)), ("worst", -250.0, (0,))):
        club_now = runner(LADDER | {name: rating})
        before = club_now.results.games
        (placement,) = come(club_now, [name], ENOUGH)
        assert (placement.entrant.agent, placement.reason) == (name, "tests")
        assert [test.against.agent for test in placement.neighbours] == [f"p{k}" for k in neighbours]
        told = ["weaker", "stronger"] if len(neighbours) == 2 else ["stronger" if name == "best" else "weaker"]
        assert [test.judgement.verdict for test in placement.neighbours] == told
        assert placement.games == club_now.results.games - before < 1000
        met = club_now.met_by
        near = sum(met[(name, f"p{k}")] for k in range(8) if abs(LADDER[f"p{k}"] - rating) <= 300)
        assert near >= sum(met.values()) - 3  # but for the first batches, which found out where it belongs
        # It leaves again, so that the ladder is the same for the next.
        lines = club_now.results.path.read_text().splitlines(keepends=True)
        club_now.results.path.write_text("".join(line for line in lines if f'"{name}"' not in line))


def test_once_it_has_played_only_neighbours_are_met_that_are_not_told_from_it(runner) -> None:
    now = runner(LADDER | {"new": 500.0})
    come(now, list(LADDER), StopRule(Sprt(), 40, 4000))
    new, everybody = Entrant("new", ""), [Entrant(name, "") for name in LADDER]

    def met(within: float | None) -> list[str]:
        rated = CurrentRatings(now.results, [*everybody, new])
        return [who.agent for who in challenge._opponents(rated, new, StopRule(Sprt(), within, 4000))]

    assert met(None) == met(30.0) == list(LADDER)
    now.play(new, everybody[2])
    assert met(None) == ["p3", "p2"]
    while not Sprt().judge(now.results.pairs(new, everybody[2])).decided:
        now.play(new, everybody[2])
    assert met(None) == ["p3"]
    assert met(30.0) == list(LADDER)


def test_many_at_once_are_known_to_the_width_that_is_wanted(runner) -> None:
    names = list(LADDER)
    crowd = runner(LADDER)
    placements = come(crowd, names, StopRule(Sprt(), 35, 10_000))
    assert {one.reason for one in placements} == {"within"}
    rated = CurrentRatings(crowd.results, [one.entrant for one in placements])
    assert all(rated.width(one.entrant) <= 35 for one in placements)
    found = [rated.rating(one.entrant).rating for one in placements]
    off = np.array(found) - np.array(list(LADDER.values()))
    assert np.abs(off - off.mean()).max() < 70
    # Whoever is far away tells nothing: most games are with the next, or the one after that.
    far = sum(count for (a, b), count in crowd.met_by.items() if abs(LADDER[a] - LADDER[b]) > 400)
    assert far < 0.15 * sum(crowd.met_by.values())


def test_nobody_plays_more_than_is_allowed(runner) -> None:
    few = runner({"a": 0.0, "b": 5.0, "c": -5.0})
    placements = come(few, ["a", "b", "c"], StopRule(Sprt(elo1=1), None, 200))
    assert {one.reason for one in placements} == {"games"}
    assert all(64 < one.games <= 200 + 64 for one in placements)
    again = come(runner(few.ratings), ["a"], StopRule(Sprt(elo1=1), None, 200))
    assert [one.games for one in again] == [192]


def test_no_difference_is_found_too_and_later_calls_need_not_play(runner) -> None:
    alike = {"a": 0.0, "b": 0.0}
    (one, two) = come(runner(alike), ["a", "b"], StopRule(Sprt(elo1=80), None, 10_000))
    assert {one.reason, two.reason} == {"tests"}
    assert one.neighbours[0].judgement.verdict == two.neighbours[0].judgement.verdict == "no difference"
    again = runner(alike)
    assert [one.games for one in come(again, ["a"], StopRule(Sprt(elo1=80), None, 10_000))] == [0]
    a, b = (again.load(name) for name in alike)
    assert compare(again, b, a, StopRule(Sprt(elo1=80), None, 10_000)).verdict == "no difference"
    assert again.games_played[a] == 0


def test_two_are_compared_until_it_is_decided(runner) -> None:
    far = runner({"a": 0.0, "b": 150.0})
    a, b = (far.load(name) for name in far.ratings)
    assert compare(far, a, b, ENOUGH).verdict == "weaker"
    assert far.results.games == far.games_played[a] == far.games_played[b] < 1000
    close = runner({"c": 0.0, "d": 3.0})
    c, d = (close.load(name) for name in close.ratings)
    assert compare(close, c, d, StopRule(Sprt(elo1=2), None, 300)).verdict == "undecided"
    assert close.games_played[c] == 256


def test_the_same_seed_plays_the_same_games_and_another_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenge, "is_there", lambda who: True)
    files = []
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        come(Simulated(tmp_path / name, LADDER, seed=seed), ["p1", "p2", "p3"], ENOUGH)
        files.append((tmp_path / name).read_text())
    assert files[0] == files[1] != files[2].replace('"seed": 1', '"seed": 0')


def test_every_batch_has_a_key_of_its_own() -> None:
    a, b = Entrant("a", "1"), Entrant("b", "")
    others = [(a, b), (a, Entrant("b", "1")), (Entrant("a", "2"), b)]
    keys = [batch_key(seed, *two, number) for seed in range(3) for two in others for number in range(3)]
    assert len({tuple(np.asarray(jax.random.key_data(key)).tolist()) for key in keys}) == len(keys)


def test_what_is_gained_is_what_the_variances_sink_by() -> None:
    """Against the inverse of the information with the games added to it."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4))
    covariance, strength = 0.02 * root @ root.T + 0.01 * np.eye(4), np.array([0.5, 0.0, -1.0, 0.2])
    told = np.array([0.4, 0.3, 0.2, 0.1])
    fit = Fit(strength, covariance, told)
    i, j, games, wanted = 0, 2, 50, [0, 3]
    lead = np.eye(4)[i] - np.eye(4)[j]
    flat = math.sqrt(1 + math.pi / 8 * (lead @ covariance @ lead))
    share = 1 / (1 + math.exp(-(strength[i] - strength[j]) / flat))
    after = np.linalg.inv(np.linalg.inv(covariance) + games * share * (1 - share) * np.outer(lead, lead))
    expected = 0.0
    for u in wanted:
        distance = np.eye(4)[u] - told
        expected += math.log(distance @ covariance @ distance) - math.log(distance @ after @ distance)
    assert information_gain(fit, i, j, games, wanted) == pytest.approx(expected)


def test_most_is_learned_from_who_is_near_and_well_known() -> None:
    """The newcomer is the last; the first is near it, the second far away, the third near and unknown itself."""
    strength, known = np.array([0.0, 3.0, 0.0, 0.1]), np.diag([0.01, 0.01, 1.0, 0.5])
    fit = Fit(strength, known, np.array([0.5, 0.4, 0.1, 0.0]))
    near, far, unknown = (information_gain(fit, 3, other, 64, [3]) for other in range(3))
    assert near > max(far, unknown)


@pytest.mark.slow
def test_real_games_are_kept_as_they_were_played(tmp_path: Path) -> None:
    """And further batches of two without chance begin otherwise."""
    results = ResultsFile(tmp_path / "l.jsonl", bound_of(HEX))
    with results.held():
        runner = MatchRunner(HEX, results, 3, 16)
        best, chance = runner.load("hex/best-3"), runner.load("random")
        perfect = runner.load("perfect")
        runner.play(chance, best)
        runner.play(best, perfect)
        search = runner.load("alphabeta:1")
        for _ in range(2):
            runner.play(search, best)
        assert (runner.games_played[best], runner.games_played[chance], runner.games_played[perfect]) == (64, 16, 16)
    rows = [line for line in results.path.read_text().splitlines() if "alphabeta" in line]
    assert len(rows) == 2
    assert all('"openings": 3' in row for row in rows)
    assert results.outcomes([best, chance])[0, 1].tolist() == [16, 0, 0]
    assert results.pairs(chance, best) == (8, 0, 0, 0, 0)
    # Both hold what is won: from the start each wins whenever it begins.
    assert results.pairs(best, perfect) == (0, 0, 8, 0, 0)


def test_who_is_trained_while_it_is_loaded_is_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter("1233")  # before and after, twice
    monkeypatch.setattr(challenge, "entrant_of", lambda name: Entrant(name, next(digests)))
    runner = MatchRunner(HEX, ResultsFile(tmp_path / "l", bound_of(HEX)), 0, 2)
    assert runner.load("random") == Entrant("random", "3")
    digests = iter("123456789abcdef")
    assert "changes all the time" in refusal(runner.load, "random")
