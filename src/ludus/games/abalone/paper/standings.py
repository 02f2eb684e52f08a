"""The judges of games between the paper's agents and against players that search: by the rules of `verdicts`, with all
games of one seed's networks taken together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ludus.games.abalone.paper.settings import LEARNED, NETS, ONE, READINGS, TRAILS
from ludus.games.abalone.paper.verdicts import values_of
from ludus.study.data import Data, Series
from ludus.study.statistics import UNDECIDED, UNTESTED, difference, estimate, together, verdict
from ludus.study.study import Claim, Finding

REFERENCES = (10, 250, LEARNED)  # games that the reference networks have learned
VERSIONS = ("1.0", "1.1", "1.2")
DEPTHS = (4, 5, 6)
OTHERS = ("random", "minimax:1", "minimax:2", *(f"alphabeta:{depth}" for depth in (1, 2, 3, 4)))

ALL = 0.99  # this share of the games counts as "all"
MARBLES = 1.5  # a game: 750 in 500


def net(games: int) -> str:
    """The network that has learned so many games."""
    return f"Net {games}"


def named(version: str, reading: str) -> str:
    """The name of a version that was trained in this reading."""
    return f"{version}, {reading}"


def by_seed(data: Data, first: str, second: str, what: Callable[[Series], float]) -> list[float]:
    """By seed: a number from the games of two agents, seen from the first."""
    return [what(each) for each in data.series if (each.first, each.second) == (first, second)]


def _lead(each: Series) -> float:
    return each.lead


def later_nets(data: Data) -> Finding:
    """Fig. 7, three claims that scores are above one half: all networks that learned more than 10 games win against
    Net 10; all that learned more than 250 against Net 250; and the last against all others (in the paper Net 2750, of a
    run three times as long). Each rests on the networks
    that are to win: the others have learned little, and are meant to.
    """
    nets = [number for number in NETS if data.find(("", net(number)))]
    claims = []
    for reference in REFERENCES[:2]:
        later = [net(games) for games in nets if games > reference]
        claims.append(_beats(f"all later networks win against {net(reference)}", data, later, net(reference)))
    last = REFERENCES[-1]
    claims.append(
        _beats(f"{net(last)} wins against all others", data, [net(n) for n in nets if n != last], net(last), False)
    )
    table = [["", *(f"score against {net(reference)}" for reference in REFERENCES)]]
    for name in map(net, nets):
        scores = (by_seed(data, name, net(reference), _lead) for reference in REFERENCES)
        table.append([name, *(str(estimate(each)) if each else "" for each in scores)])
    return Finding(tuple(claims), values_of(data), table)


def _beats(claim: str, data: Data, names: Sequence[str], reference: str, others_win: bool = True) -> Claim:
    """All of these win against the reference, or it wins against all of them."""
    verdicts, found = [], []
    for name in names:
        scores = by_seed(data, name, reference, _lead)
        gain = estimate([score - 0.5 if others_win else 0.5 - score for score in scores], len(names))
        verdicts.append(verdict(gain))
        found.append(f"{name} {estimate(scores, len(names))}")
    arms = tuple(("", name) for name in (names if others_win else [reference]))
    return Claim(claim, together(verdicts or [UNDECIDED]), f"score against {reference}: {'; '.join(found)}", arms=arms)


def features_beat_the_board(data: Data) -> Finding:
    """Section 5, three claims in each reading about 1.1 against 1.0, which has learned from twice as many games.

    - It is ahead in more games than it is behind.
    - It wins all games: the whole interval of its share is 0.99 or more. More marbles win a game that does not end; a
      game with equal marbles is not won.
    - It pushes off 1.5 marbles a game or more: the paper has 750 in 500 games.
    """
    claims, values = [], dict(values_of(data))
    for reading in READINGS:
        new, old = named("1.1", reading), named("1.0", reading)
        arms = ("", new), ("", old)
        lead, won, pushed, lost, score = (
            estimate(by_seed(data, new, old, what))
            for what in (
                lambda each: (each.ahead - each.behind) / each.games,
                lambda each: each.ahead / each.games,
                lambda each: each.gained / each.games,
                lambda each: each.lost / each.games,
                lambda each: each.score,
            )
        )
        found = f"games ahead, less games behind: {lead}"
        claims += [
            Claim(f"1.1 beats 1.0: {reading}", verdict(lead), found, arms=arms),
            Claim(f"1.1 wins all games: {reading}", won.reaches(ALL), f"won {won}", arms=arms),
            Claim(
                f"1.1 pushes off 1.5 marbles a game: {reading}",
                pushed.reaches(MARBLES),
                f"{pushed.plain()} a game",
                arms=arms,
            ),
        ]
        values[f"1.1 against 1.0, {reading}"] = (
            f"ahead {won}, marbles won {pushed.plain()} and lost {lost.plain()} a game, score of the house {score}"
        )
    return Finding(tuple(claims), values)


def few_marbles_lost(data: Data) -> Finding:
    """Table 2: version 1.1, looking one ply ahead, loses no marble to depths 4 and 5 of "Abalone Werner" and two to
    depth 6. That program is not to be had, so the claims cannot be tested, whatever comes of games against ours: our
    alpha-beta search stands in, and is stronger or weaker by an unknown amount.
    """
    claims, table, values = [], [["", "opponent", "games", "marbles won", "marbles lost", "score", "plies"]], {}
    for depth, words in zip(DEPTHS, ("no marble", "no marble", "at most two marbles"), strict=True):
        found = []
        for reading in READINGS:
            lost = by_seed(data, named("1.1", reading), f"alphabeta:{depth}", lambda each: each.lost / each.games)
            if lost:
                found.append(f"{reading} {estimate(lost).plain()}")
        stand_in = f"our alphabeta:{depth} stands in, which takes a game: {'; '.join(found) or 'not run'}"
        claim = f"1.1 at one ply loses {words} to Abalone Werner at depth {depth}"
        claims.append(
            Claim(claim, UNTESTED, stand_in, arms=tuple(("", named("1.1", r)) for r in READINGS), dead_too=True)
        )
    for first, second in dict.fromkeys((each.first, each.second) for each in data.series):
        mine = [each for each in data.series if (each.first, each.second) == (first, second)]
        games = sum(each.games for each in mine)
        won, lost = (
            estimate(by_seed(data, first, second, what)).plain()
            for what in (lambda each: each.gained / each.games, lambda each: each.lost / each.games)
        )
        score = str(estimate(by_seed(data, first, second, _lead)))
        table.append([first, second, f"{games}", won, lost, score, f"{sum(each.plies for each in mine) / games:.0f}"])
        values[f"{first} against {second}: marbles won and lost"] = f"{won} and {lost}"
    return Finding(tuple(claims), values_of(data) | values, table)


def versions_in_order(data: Data) -> Finding:
    """Tables 3 and 4, without the people whom the paper's agents met. Ours: each version scores more than the one
    before it, and more in one view than in two trails where both play, as a mean over players that do not learn, seed
    by seed; a repetition is a tie. The ratings are from all games
    together; their intervals assume independent games, but the games of one network are not independent.
    """
    from ludus.play.ratings import bradley_terry

    names = list(dict.fromkeys(name for each in data.series for name in (each.first, each.second)))
    wins, games = np.zeros((len(names), len(names))), np.zeros(len(names), int)
    for each in data.series:
        one, two = names.index(each.first), names.index(each.second)
        wins[one, two] += each.won + each.tied / 2
        wins[two, one] += each.games - each.won - each.tied / 2
        games[[one, two]] += each.games
    table, values = [["", "rating", "95% interval", "score", "games"]], {}
    for rating in sorted(bradley_terry(names, wins), key=lambda rating: -rating.rating):
        place, (low, high) = names.index(rating.agent), rating.ci95
        score = 100 * wins[place].sum() / games[place]
        table.append(
            [rating.agent, f"{rating.rating:+.0f}", f"{low:+.0f} to {high:+.0f}", f"{score:.1f}%", f"{games[place]}"]
        )
        values[rating.agent] = f"rating {rating.rating:+.0f} [{low:+.0f}, {high:+.0f}]"
    networks = {named(version, reading) for version in VERSIONS for reading in READINGS}
    others, claims = [name for name in names if name not in networks], []
    scores = {
        agent: np.mean([by_seed(data, agent, name, lambda each: each.score) for name in others], axis=0).tolist()
        for agent in names
        if agent in networks
    }
    pairs = [(named(b, reading), named(a, reading)) for reading in READINGS for a, b in itertools.pairwise(VERSIONS)]
    pairs += [(named(version, ONE), named(version, TRAILS)) for version in VERSIONS]
    for newer, older in (pair for pair in pairs if set(pair) <= set(scores)):
        gain = difference(scores[newer], scores[older])
        words, arms = f"score over others: {gain}", (("", newer), ("", older))
        claims.append(Claim(f"(ours) {newer}, is stronger than {older}", verdict(gain), words, arms=arms))
    return Finding(tuple(claims), values_of(data) | values, table)
