"""What to make of games between the paper's agents, and of games against players that search: by the rules of
`verdicts`, with the games of one seed's networks taken together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ludus.games.abalone.paper.verdicts import at_most, values_of
from ludus.study.data import Data, Series
from ludus.study.statistics import UNDECIDED, difference, estimate, together, verdict
from ludus.study.study import Claim, Finding

REFERENCES = (10, 250, 2750)  # games that the networks of reference have learned
VERSIONS = ("1.0", "1.1", "1.2")
DEPTHS = (4, 5, 6)
OTHERS = ("random", "minimax:1", "minimax:2", *(f"alphabeta:{depth}" for depth in (1, 2, 3, 4)))

ALL = 0.99  # of the games: "all"
MARBLES = 1.5  # a game: 750 in 500
NOTHING, TWO = 0.5, 2.5  # marbles a game that round to none, and to at most two


def net(games: int) -> str:
    """The network that has learned so many games."""
    return f"Net {games}"


def by_seed(data: Data, first: str, second: str, what: Callable[[Series], float]) -> list[float]:
    """A number of each seed's games of two agents, in the first one's eyes."""
    return [what(each) for each in data.series if (each.first, each.second) == (first, second)]


def _lead(each: Series) -> float:
    return each.lead


def later_nets(data: Data) -> Finding:
    """Fig. 7, three claims, each of scores above one half: those that learned more than 10 games win against Net 10,
    each of them; those that learned more than 250 against Net 250; and Net 2750 against all others.
    """
    nets = [int(runs.label.split()[-1]) for runs in data.curves]
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
    """That all of these win against one, or that it wins against all of them."""
    verdicts, found = [], []
    for name in names:
        scores = by_seed(data, name, reference, _lead)
        gain = estimate([score - 0.5 if others_win else 0.5 - score for score in scores], len(names))
        verdicts.append(verdict(gain))
        found.append(f"{name} {estimate(scores, len(names))}")
    return Claim(claim, together(verdicts or [UNDECIDED]), f"score against {reference}: {'; '.join(found)}")


def features_beat_the_board(data: Data) -> Finding:
    """Section 5, three claims of version 1.1 after 3,000 games against 1.0 after 10,000: it is ahead in more games than
    it is behind in; it wins all games, where one that comes to no end is won by who has more marbles (its share of
    them is 0.99 or more with its whole interval; a game with as many on both sides is not won); and it pushes off 1.5
    marbles a game or more, as 750 in 500 games are.
    """
    new, old = VERSIONS[1], VERSIONS[0]
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
    claims = (
        Claim("1.1 beats 1.0", verdict(lead), f"games ahead, less games behind: {lead}"),
        Claim("1.1 wins all games", won.reaches(ALL), f"won {won}"),
        Claim("1.1 pushes off 1.5 marbles a game", pushed.reaches(MARBLES), f"{pushed.plain()} a game"),
    )
    played = f"ahead {won}, marbles won {pushed.plain()} and lost {lost.plain()} a game, score of the house {score}"
    return Finding(claims, values_of(data) | {"1.1 against 1.0": played})


def few_marbles_lost(data: Data) -> Finding:
    """Table 2, of version 1.1 that looks one ply ahead, against our engine in place of the paper's: against depths 4
    and 5 it loses no marble (fewer than 0.5 a game), against depth 6 no more than two (fewer than 2.5).
    """
    claims, table, values = [], [["", "opponent", "games", "marbles won", "marbles lost", "score", "plies"]], {}
    for depth, most, words in zip(
        DEPTHS, (NOTHING, NOTHING, TWO), ("no marble", "no marble", "at most two marbles"), strict=True
    ):
        lost = by_seed(data, "1.1", f"alphabeta:{depth}", lambda each: each.lost / each.games)
        claim = f"1.1 at one ply loses {words} to a search of depth {depth}"
        found = estimate(lost) if lost else None
        claims.append(
            Claim(claim, at_most(found, most), f"{found.plain()} a game")
            if found is not None
            else Claim(claim, UNDECIDED, "not run")
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
    """Tables 3 and 4: people are not to be had. Ours: each version scores more than the one before it, in the mean over
    all others that it met, seed by seed, by the rules of the house. The ratings are of all games together; their
    intervals take games for independent, which those of one network are not.
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
    others, claims = [name for name in names if name not in VERSIONS], []
    for older, newer in itertools.pairwise(VERSIONS):
        scores = [
            np.mean([by_seed(data, version, name, lambda each: each.score) for name in others], axis=0).tolist()
            for version in (newer, older)
        ]
        gain = difference(*scores)
        claims.append(Claim(f"(ours) {newer} is stronger than {older}", verdict(gain), f"score over others: {gain}"))
    return Finding(tuple(claims), values_of(data) | values, table)
