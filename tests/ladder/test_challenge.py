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
from ludus.ladder.challenge import Club, Enough, Rated, Settled, add, batch_key, compare, gain
from ludus.ladder.sprt import Sprt
from ludus.ladder.standings import Batch, Entrant, Standings
from ludus.play.ratings import ELO, Fit

HEX = Hex(size=3)
SPLIT = 0.3  # of the simulated pairs the opening decides


class Simulated(Club):
    """A club of players with known ratings, whose games are coins."""

    def __init__(self, path: Path, ratings: Mapping[str, float], batch: int = 64, seed: int = 0) -> None:
        path.touch()
        super().__init__(HEX, Standings(path, bound_of(HEX)), seed, batch)
        self.ratings, self.met_by = ratings, Counter[tuple[str, str]]()

    def welcome(self, name: str) -> Entrant:
        return Entrant(name, "")

    def play(self, a: Entrant, b: Entrant, about: str = "") -> None:
        one, two = sorted((a, b))
        number = self.standings.next_number(one, two)
        seed = np.asarray(jax.random.key_data(batch_key(self.seed, one, two, number)))
        rng, count = np.random.default_rng(seed), self.batch // 2
        score = scipy.special.expit((self.ratings[one.agent] - self.ratings[two.agent]) / ELO)
        split = min(SPLIT, score, 1 - score)
        points = np.where(rng.random(count) < split, 2, 2 * rng.binomial(2, (score - split / 2) / (1 - split), count))
        wins = int(points.sum()) // 2
        pairs = tuple(np.bincount(points, minlength=5).tolist())
        self.standings.add(Batch(one, two, self.seed, number, 0, wins, 0, self.batch - wins, pairs))
        for who in (a, b):
            self.played[who] = self.met(who) + self.batch
        self.met_by[(a.agent, b.agent)] += 1


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`club({"a": 100.0})` has players of these ratings; those of an earlier one are on the ladder."""
    monkeypatch.setattr(challenge, "is_there", lambda who: True)
    return lambda ratings, **more: Simulated(tmp_path / "l.jsonl", ratings, **more)


def come(club: Simulated, names: Sequence[str], enough: Enough) -> list[Settled]:
    return add(club, [club.welcome(name) for name in names], enough)


LADDER = {f"p{k}": 200.0 * k for k in range(8)}
ENOUGH = Enough(Sprt(elo1=60), None, 4000)


def test_a_newcomer_finds_its_place_by_meeting_its_neighbours(club) -> None:
    first = club(LADDER)
    come(first, list(LADDER), Enough(Sprt(), 40, 4000))
    for name, rating, place in (("middle", 700.0, (4, 3)), ("best", 1700.0, (7,)), ("worst", -250.0, (0,))):
        club_now = club(LADDER | {name: rating})
        before = club_now.standings.games
        (settled,) = come(club_now, [name], ENOUGH)
        assert (settled.entrant.agent, settled.reason) == (name, "tests")
        assert [test.against.agent for test in settled.neighbours] == [f"p{k}" for k in place]
        told = ["weaker", "stronger"] if len(place) == 2 else ["stronger" if name == "best" else "weaker"]
        assert [test.judgement.verdict for test in settled.neighbours] == told
        assert settled.games == club_now.standings.games - before < 1000
        met = club_now.met_by
        near = sum(met[(name, f"p{k}")] for k in range(8) if abs(LADDER[f"p{k}"] - rating) <= 300)
        assert near >= sum(met.values()) - 3  # but for the first batches, which found out where it belongs
        # It leaves again, so that the ladder is the same for the next.
        lines = club_now.standings.path.read_text().splitlines(keepends=True)
        club_now.standings.path.write_text("".join(line for line in lines if f'"{name}"' not in line))


def test_once_it_has_played_only_neighbours_are_met_that_are_not_told_from_it(club) -> None:
    now = club(LADDER | {"new": 500.0})
    come(now, list(LADDER), Enough(Sprt(), 40, 4000))
    new, everybody = Entrant("new", ""), [Entrant(name, "") for name in LADDER]

    def met(within: float | None) -> list[str]:
        rated = Rated(now.standings, [*everybody, new])
        return [who.agent for who in challenge._opponents(rated, new, Enough(Sprt(), within, 4000))]

    assert met(None) == met(30.0) == list(LADDER)
    now.play(new, everybody[2])
    assert met(None) == ["p3", "p2"]
    while not Sprt().judge(now.standings.pairs(new, everybody[2])).decided:
        now.play(new, everybody[2])
    assert met(None) == ["p3"]
    assert met(30.0) == list(LADDER)


def test_many_at_once_are_known_to_the_width_that_is_wanted(club) -> None:
    names = list(LADDER)
    crowd = club(LADDER)
    settled = come(crowd, names, Enough(Sprt(), 35, 10_000))
    assert {one.reason for one in settled} == {"within"}
    rated = Rated(crowd.standings, [one.entrant for one in settled])
    assert all(rated.width(one.entrant) <= 35 for one in settled)
    found = [rated.rating(one.entrant).rating for one in settled]
    off = np.array(found) - np.array(list(LADDER.values()))
    assert np.abs(off - off.mean()).max() < 70
    # Whoever is far away tells nothing: most games are with the next, or the one after that.
    far = sum(count for (a, b), count in crowd.met_by.items() if abs(LADDER[a] - LADDER[b]) > 400)
    assert far < 0.15 * sum(crowd.met_by.values())


def test_nobody_plays_more_than_is_allowed(club) -> None:
    few = club({"a": 0.0, "b": 5.0, "c": -5.0})
    settled = come(few, ["a", "b", "c"], Enough(Sprt(elo1=1), None, 200))
    assert {one.reason for one in settled} == {"games"}
    assert all(64 < one.games <= 200 + 64 for one in settled)
    again = come(club(few.ratings), ["a"], Enough(Sprt(elo1=1), None, 200))
    assert [one.games for one in again] == [192]


def test_no_difference_is_found_too_and_later_calls_need_not_play(club) -> None:
    alike = {"a": 0.0, "b": 0.0}
    (one, two) = come(club(alike), ["a", "b"], Enough(Sprt(elo1=80), None, 10_000))
    assert {one.reason, two.reason} == {"tests"}
    assert one.neighbours[0].judgement.verdict == two.neighbours[0].judgement.verdict == "no difference"
    again = club(alike)
    assert [one.games for one in come(again, ["a"], Enough(Sprt(elo1=80), None, 10_000))] == [0]
    a, b = (again.welcome(name) for name in alike)
    assert compare(again, b, a, Enough(Sprt(elo1=80), None, 10_000)).verdict == "no difference"
    assert again.met(a) == 0


def test_two_are_compared_until_it_is_decided(club) -> None:
    far = club({"a": 0.0, "b": 150.0})
    a, b = (far.welcome(name) for name in far.ratings)
    assert compare(far, a, b, ENOUGH).verdict == "weaker"
    assert far.standings.games == far.met(a) == far.met(b) < 1000
    close = club({"c": 0.0, "d": 3.0})
    c, d = (close.welcome(name) for name in close.ratings)
    assert compare(close, c, d, Enough(Sprt(elo1=2), None, 300)).verdict == "undecided"
    assert close.met(c) == 256


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
    assert gain(fit, i, j, games, wanted) == pytest.approx(expected)


def test_most_is_learned_from_who_is_near_and_well_known() -> None:
    """The newcomer is the last; the first is near it, the second far away, the third near and unknown itself."""
    strength, known = np.array([0.0, 3.0, 0.0, 0.1]), np.diag([0.01, 0.01, 1.0, 0.5])
    fit = Fit(strength, known, np.array([0.5, 0.4, 0.1, 0.0]))
    near, far, unknown = (gain(fit, 3, other, 64, [3]) for other in range(3))
    assert near > max(far, unknown)


@pytest.mark.slow
def test_real_games_are_kept_as_they_were_played(tmp_path: Path) -> None:
    """And further batches of two without chance begin otherwise."""
    standings = Standings(tmp_path / "l.jsonl", bound_of(HEX))
    with standings.held():
        club = Club(HEX, standings, 3, 16)
        best, chance = club.welcome("hex/best-3"), club.welcome("random")
        perfect = club.welcome("perfect")
        club.play(chance, best)
        club.play(best, perfect)
        search = club.welcome("alphabeta:1")
        for _ in range(2):
            club.play(search, best)
        assert (club.met(best), club.met(chance), club.met(perfect)) == (64, 16, 16)
    rows = [line for line in standings.path.read_text().splitlines() if "alphabeta" in line]
    assert len(rows) == 2
    assert all('"openings": 3' in row for row in rows)
    assert standings.ends([best, chance])[0, 1].tolist() == [16, 0, 0]
    assert standings.pairs(chance, best) == (8, 0, 0, 0, 0)
    # Both hold what is won: from the start each wins whenever it begins.
    assert standings.pairs(best, perfect) == (0, 0, 8, 0, 0)


def test_who_is_trained_while_it_is_loaded_is_loaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = iter("1233")  # before and after, twice
    monkeypatch.setattr(challenge, "entrant_of", lambda name: Entrant(name, next(digests)))
    club = Club(HEX, Standings(tmp_path / "l", bound_of(HEX)), 0, 2)
    assert club.welcome("random") == Entrant("random", "3")
    digests = iter("123456789abcdef")
    assert "changes all the time" in refusal(club.welcome, "random")
