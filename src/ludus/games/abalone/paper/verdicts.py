"""The judges of the Abalearn paper's figures: a verdict for each claim, by a rule that was fixed before the runs.

A curve is the score against the heuristic player in games that are played on to the limit of moves; whoever has more
marbles then has won, as in the paper. Its mean says how fast an agent learns, its end how far it comes. Agents are
compared seed by seed. A claim of several comparisons holds if all of them hold and fails if one fails; their intervals
are wide enough for all of them together. A comparison with a curve that was not run, as in an outline, is undecided.

What is run in both readings (`settings`) is judged in each of them, by the same rule. Every claim names the arms that
it rests on: the engine judges none where too few of their networks live (`study.life`). Claims that something does NOT
learn are judged over dead networks too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ludus.games.abalone.paper.settings import ONE, READINGS, TRAILS
from ludus.study.comparison import beats
from ludus.study.data import Data, Place, Runs
from ludus.study.life import said
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, difference, estimate, verdict
from ludus.study.study import Claim, Finding

SCORE, WON, LOST = "on", "on_won", "on_lost"  # in games that are played on
STOPPED, HOUSE = "minimax_ahead", "minimax"  # the same games, ended where a position comes back; and then a tie
THE_TEXT = "kappa -1, the text's sign"

NEVER, PUSHES = 0.05, 0.5  # a share of games, and marbles a game, that count as none
EARLY = 1 / 2  # the part of a curve that is its beginning
THOUSAND = 0.1  # of the long run: its first point
BRANCHING, ABOUT = 80, 10  # the paper's legal moves in a position, and how far off still is that
NEAR = 0.1  # a step that gains less than this over another is no better
SAME = 0.05  # a score that changes by less has stayed


# --- values for the page ------------------------------------------------------------------------------------------


def values_of(data: Data) -> dict[str, str]:
    """Of every curve: the final score in three countings, the mean, marbles, and how many networks are alive."""
    values = {}
    for runs in data.curves:
        name = runs.name
        values[f"{name}: score"] = str(estimate(runs.end(SCORE)))
        values[f"{name}: score, mean of the curve"] = str(estimate(runs.mean(SCORE)))
        values[f"{name}: score, ended by repetition"] = str(estimate(runs.end(STOPPED)))
        values[f"{name}: score, a repetition is a tie"] = str(estimate(runs.end(HOUSE)))
        marbles = (estimate(runs.end(which)).plain() for which in (WON, LOST))
        values[f"{name}: marbles won and lost"] = " and ".join(marbles)
        values[f"{name}: games that repeat"] = str(estimate(runs.end("repeated")))
        values[f"{name}: score against random"] = str(estimate(runs.end("random_ahead")))
        values[f"{name}: plies of a game of training"] = estimate(runs.end("plies")).plain()
        values[f"{name}: networks"] = said(runs)
    return values


def panels(data: Data) -> list[str]:
    return list(data.panels())


def within(claim: str, panel: str) -> str:
    """A claim as it is put to one reading."""
    return f"{claim}: {panel}" if panel else claim


# --- comparisons --------------------------------------------------------------------------------------------------


def _mean(runs: Runs) -> list[float]:
    return runs.mean(SCORE)


def _end(runs: Runs) -> list[float]:
    return runs.end(SCORE)


def ahead(
    claim: str,
    data: Data,
    pairs: Sequence[tuple[str, str]],
    by: Callable[[Runs], list[float]] = _mean,
    panel: str = "",
) -> Claim:
    """The first curve of each pair, given by their labels in a panel, does better than the second."""
    places = [((panel, one), (panel, other)) for one, other in pairs]
    return beats(within(claim, panel), data, places, by, name=lambda place: place[1])


def at_most(found: Estimate, level: float) -> str:
    """Whether a claim that the mean is no more than this holds."""
    return HOLDS if found.high <= level else FAILS if found.low > level else UNDECIDED


def lies_within(found: Estimate, low: float, high: float) -> str:
    """Whether a claim that the mean lies between these holds."""
    if found.low >= low and found.high <= high:
        return HOLDS
    return FAILS if found.high < low or found.low > high else UNDECIDED


def missing(claim: str, *places: Place) -> Claim:
    """A claim over curves that were not run."""
    return Claim(claim, UNDECIDED, "not run", arms=places)


# --- curves -------------------------------------------------------------------------------------------------------


def about_eighty(data: Data) -> Finding:
    """Table 1: in a position of Abalone there are about 80 legal moves: the whole interval of the mean lies between 70
    and 90; fails if all of it lies outside. By the games of training: of players that move at random, and of networks
    that have learned.
    """
    claims = []
    for runs in data.curves:
        found = estimate(runs.end("moves"))
        words = f"about 80 moves in a position: {runs.label}"
        judged = lies_within(found, BRANCHING - ABOUT, BRANCHING + ABOUT)
        claims.append(Claim(words, judged, found.plain(), arms=(runs.place,), dead_too=True))
    values = {f"{runs.name}: plies of a game": estimate(runs.end("plies")).plain() for runs in data.curves}
    return Finding(tuple(claims), values | {claim.claim: claim.found for claim in claims})


def more_units(data: Data) -> Finding:
    """Fig. 4, of which the paper makes no claim. Ours: each larger number of hidden units has a better mean of the
    curve than the one before it.
    """
    labels = [runs.label for runs in data.curves]
    claims = (
        ahead(f"(ours) {more} are better than {few}", data, [(more, few)]) for few, more in itertools.pairwise(labels)
    )
    return Finding(tuple(claims), values_of(data))


def longer_traces(data: Data) -> Finding:
    """Fig. 6, two claims.

    - The larger lambda, the better: a straight line through a seed's means, over lambda, has a slope above zero, as a
      mean over seeds.
    - Every step up is better, as the paper's words say: each lambda learns better than the next smaller one.
    """
    named = {float(runs.label.split()[-1]): runs for runs in data.curves}
    tried = sorted(named)
    means = np.array([_mean(named[value]) for value in tried])
    slope = estimate(np.polyfit(tried, means, 1)[0].tolist())
    steps = [(f"lambda {b:g}", f"lambda {a:g}") for a, b in itertools.pairwise(tried)]
    claims = (
        Claim("the larger lambda, the better", verdict(slope), f"score gained from lambda 0 to 1: {slope}"),
        ahead("every larger lambda that was tried is better than the one before it", data, steps),
    )
    return Finding(claims, values_of(data))


def competent_play(data: Data) -> Finding:
    """Fig. 8: learning against minimax, and against itself, has a better mean of the curve than learning against
    random. Ours: so has learning that begins with random.
    """
    other = "against random"
    claims = tuple(
        ahead(claim, data, [(label, other)])
        for claim, label in (
            ("learning against minimax is better than against random", "against minimax"),
            ("learning against itself is better than against random", "against itself"),
            ("(ours) so is learning against itself after random", "random first, then itself"),
        )
    )
    return Finding(claims, values_of(data))


def more_features(data: Data) -> Finding:
    """Sections 5 and 6.3, in the regime of 1.1 and with kappa = 0. Two claims, in each reading.

    - 1.2 is better than 1.1: by its final score.
    - Ours: kappa = -1 harms 1.1: its final score is below that with kappa = 0. Judged over dead networks too.
    """
    claims = []
    for panel in panels(data):
        claims.append(ahead("1.2 is better than 1.1, with kappa 0", data, [("1.2", "1.1")], _end, panel))
        usual, risky = data.find((panel, "1.1")), data.find((panel, "1.1, kappa -1"))
        words = within("(ours) kappa = -1 harms 1.1", panel)
        if usual is None or risky is None:
            claims.append(missing(words))
            continue
        loss = difference(_end(usual), _end(risky))
        claims.append(
            Claim(words, verdict(loss), f"kappa 0 over -1: {loss}", arms=(usual.place, risky.place), dead_too=True)
        )
    return Finding(tuple(claims), values_of(data))


def fewer_games(data: Data) -> Finding:
    """Fig. 9, two claims in each reading: the final version 1.2, taught by the random player, wins more marbles than it
    loses; and its final score, after a thousand games, is above that of version 1.1.
    """
    claims = []
    for panel in panels(data):
        new, old = data.find((panel, "1.2, kappa -1")), data.find((panel, "1.1"))
        first = within("1.2 wins more marbles than it loses", panel)
        second = within("1.2 after 1,000 games is better than 1.1", panel)
        if new is None or old is None:
            claims += [missing(first), missing(second)]
            continue
        lead, gain = difference(new.end(WON), new.end(LOST)), difference(_end(new), _end(old))
        claims.append(Claim(first, verdict(lead), f"more won than lost: {lead.plain()}", arms=(new.place,)))
        claims.append(Claim(second, verdict(gain), f"score, 1.2 over 1.1: {gain}", arms=(new.place, old.place)))
    return Finding(tuple(claims), values_of(data))


def self_play(data: Data) -> Finding:
    """Fig. 10, two claims in each reading about epsilon falling from 0.9, with kappa = -1: the final agent is better
    than before it learned; and it wins more marbles than it loses. Ours: the mean of its curve is better than with few
    random moves all along.
    """
    claims = []
    for panel in panels(data):
        falling, few = data.panels()[panel][:2]
        gain = difference(_end(falling), falling.at(SCORE, 0))
        lead = difference(falling.end(WON), falling.end(LOST))
        one, two = "self-play from the start succeeds: it learns", "it wins more marbles than it loses"
        words = f"more won than lost: {lead.plain()}"
        claims += [
            Claim(within(one, panel), verdict(gain), f"score, end over start: {gain}", arms=(falling.place,)),
            Claim(within(f"self-play succeeds: {two}", panel), verdict(lead), words, arms=(falling.place,)),
            ahead(
                "(ours) epsilon that falls is better than few random moves",
                data,
                [(falling.label, few.label)],
                panel=panel,
            ),
        ]
    return Finding(tuple(claims), values_of(data))


def risk_seeking(data: Data) -> Finding:
    """Fig. 11, with the formula's sign; six claims in each reading, and two that are ours.

    - kappa = -1 is the best: its final score is above those of -0.8 and 0.
    - At first -0.8 is better than -1: by the mean of the first half.
    - -0.8 degrades: its end is below the mean of its own first half.
    - -1 is more stable: after the start, its score changes less from point to point than that of -0.8. Only over arms
      that have learned: both final scores are surely above those before learning; else it is undecided.
    - 0 does not learn to push: in the end it wins less than half a marble a game. Fails if it surely wins more.
    - 0 loses every game: its whole interval is below 0.05. Fails if all of it is above.
    - Ours: self-play learns with kappa = 0: its final score is above that before learning.
    - Ours: kappa = -1 ends with a higher score with the formula's sign than with the text's sign.
    """
    claims = []
    for panel in panels(data):
        claims += _of_risks(data, panel)
    return Finding(tuple(claims), values_of(data))


def _of_risks(data: Data, panel: str) -> list[Claim]:
    risky, some, neutral = (data.curve(f"kappa {value}", panel) for value in ("-1", "-0.8", "0"))
    early = difference(some.up_to(SCORE, EARLY), risky.up_to(SCORE, EARLY))
    falls = difference(some.up_to(SCORE, EARLY), _end(some))
    steadier = difference(_unrest(some), _unrest(risky))
    gains = [difference(_end(runs), runs.at(SCORE, 0), 2) for runs in (risky, some)]
    both_learned = all(verdict(gain) == HOLDS for gain in gains)
    pushed, score = estimate(neutral.end(WON)), estimate(_end(neutral))
    learned = difference(_end(neutral), neutral.at(SCORE, 0))
    best = [("kappa -1", "kappa -0.8"), ("kappa -1", "kappa 0")]
    said_so = data.find((panel, THE_TEXT))
    sign = None if said_so is None else difference(_end(risky), _end(said_so))
    both, none = (risky.place, some.place), (neutral.place,)
    steady_words = f"less change a point: {steadier}; end over start: kappa -1 {gains[0]}, kappa -0.8 {gains[1]}"
    signs = Claim(
        within("(ours) the formula's sign is better than the text's, at kappa = -1", panel),
        UNDECIDED if sign is None else verdict(sign),
        "not run" if sign is None else f"{sign}",
        arms=(risky.place, (panel, THE_TEXT)),
    )
    return [
        ahead("kappa = -1 is the best", data, best, _end, panel),
        Claim(
            within("at first kappa = -0.8 is better than -1", panel),
            verdict(early),
            f"mean of the first half: {early}",
            arms=both,
        ),
        Claim(
            within("kappa = -0.8 degrades", panel),
            verdict(falls),
            f"first half over end: {falls}",
            arms=(some.place,),
        ),
        Claim(
            within("kappa = -1 learns more steadily than -0.8", panel),
            verdict(steadier) if both_learned else UNDECIDED,
            steady_words,
            arms=both,
        ),
        Claim(
            within("kappa = 0 does not learn to push", panel),
            at_most(pushed, PUSHES),
            f"marbles won: {pushed.plain()}",
            arms=none,
            dead_too=True,
        ),
        Claim(
            within("kappa = 0 loses every game", panel),
            at_most(score, NEVER),
            f"score: {score}",
            arms=none,
            dead_too=True,
        ),
        Claim(
            within("(ours) self-play learns from the start with kappa = 0", panel),
            verdict(learned),
            f"score, end over start: {learned}",
            arms=none,
        ),
        signs,
    ]


def _unrest(runs: Runs) -> list[float]:
    """By seed: the mean change of the score from one point to the next, without the start."""
    learned = runs.measured[SCORE][:, runs.steps > 0]
    return np.abs(np.diff(learned, axis=1)).mean(axis=1).tolist()


def keeps_its_level(data: Data) -> Finding:
    """Section 6.3: with kappa = -1, after 10,000 games performance has stayed the same: the final score differs from
    that after 1,000 games by less than 0.05, with the whole interval; fails if all of it lies beyond. Undecided unless
    something was learned that could stay: the score after 1,000 games is surely above that before learning. (This last
    condition was added after the run; without it the claim held, for networks that had learned nothing.)
    """
    (runs,) = data.curves
    early = runs.up_to(SCORE, THOUSAND)
    change, learned = difference(_end(runs), early), difference(early, runs.at(SCORE, 0))
    claim = "with kappa = -1 performance stays the same up to 10,000 games"
    found = f"score, end over 1,000 games: {change}; 1,000 games over start: {learned}"
    judged = lies_within(change, -SAME, SAME) if verdict(learned) == HOLDS else UNDECIDED
    return Finding((Claim(claim, judged, found, arms=(runs.place,)),), values_of(data))


# --- ours ---------------------------------------------------------------------------------------------------------


def one_step(data: Data) -> Finding:
    """Ours: one alpha serves all arms. In each arm every other alpha gains at most 0.1 of the final score over it, with
    the whole interval; fails if one surely gains more. A step that kills networks is a worse step, so this is judged
    over dead ones too.
    """
    claims, usual = [], "alpha 0.03"
    table = [["arm", *dict.fromkeys(runs.label for runs in data.curves)]]
    for panel, curves in data.panels().items():
        own = data.curve(usual, panel)
        others = [runs for runs in curves if runs.label != usual]
        gains = [difference(_end(runs), _end(own), len(others)) for runs in others]
        judged = [at_most(gain, NEAR) for gain in gains]
        found = "; ".join(f"{runs.label} {gain}" for runs, gain in zip(others, gains, strict=True))
        claims.append(
            Claim(
                f"(ours) no step is much better than 0.03: {panel}",
                next((each for each in (FAILS, UNDECIDED) if each in judged), HOLDS),
                f"gained by {found}",
                arms=tuple(runs.place for runs in curves),
                dead_too=True,
            )
        )
        table.append([panel, *(f"{estimate(_end(runs))}, {said(runs)}" for runs in curves)])
    return Finding(tuple(claims), values_of(data), table)


def one_view(data: Data) -> Finding:
    """Ours, with kappa = 0: one view that plays on has a better final score than two trails that end by repetition, and
    than each mixture.
    """
    one, *others = "one view", "two trails", "two trails, playing on", "one view, ended by repetition"
    claims = (
        ahead(f"(ours) one view, playing on, is better than {other}", data, [(one, other)], _end) for other in others
    )
    return Finding(tuple(claims), values_of(data))


def rewards_decide(data: Data) -> Finding:
    """Ours: self-play from the start, after 600 games, by players that rate a move by its reward and J, on seeds that
    nothing was tried with. Of 1.2 with kappa = 0 four claims.

    - In one view it is better than in two trails, and than 1.1 in one view: by their final scores.
    - In one view it wins more marbles than it loses, and scores above one half.

    And one in each reading: kappa = -1 is the best, as in Fig. 11: its final score is above those of -0.8 and 0.
    """
    mine, usual = (ONE, "1.2, kappa 0"), "1.2, kappa 0"
    runs = data.find(mine)
    claims = [
        beats("(ours) 1.2 is better in one view than in two trails", data, [(mine, (TRAILS, usual))], _end),
        beats("(ours) 1.2 is better than 1.1, in one view", data, [(mine, (ONE, "1.1, kappa 0"))], _end),
    ]
    if runs is not None:
        lead, score = difference(runs.end(WON), runs.end(LOST)), estimate(_end(runs))
        marbles = f"more won than lost: {lead.plain()}"
        claims += [
            Claim("(ours) 1.2 in one view wins more marbles than it loses", verdict(lead), marbles, arms=(mine,)),
            Claim("(ours) 1.2 in one view scores above one half", verdict(score, 0.5), f"score: {score}", arms=(mine,)),
        ]
    pairs = [("1.2, kappa -1", "1.2, kappa -0.8"), ("1.2, kappa -1", usual)]
    claims += [
        ahead("(ours) kappa = -1 is the best where rewards count", data, pairs, _end, panel) for panel in READINGS
    ]
    return Finding(tuple(claims), values_of(data))


def scaled_is_stronger(data: Data) -> Finding:
    """Ours: a network whose values reach as far as returns do ends with a higher score than the paper's network, whose
    values lie between 0 and 1.
    """
    words = "(ours) values as far as returns go are better than values from 0 to 1"
    claims = (ahead(words, data, [("scaled", "sigmoid")], _end, panel) for panel in panels(data))
    values = values_of(data)
    for runs in data.curves:
        level, spread = (estimate(runs.end(which)).plain() for which in ("level", "spread"))
        values[f"{runs.name}: mean of J and its deviation"] = f"{level} and {spread}"
    return Finding(tuple(claims), values)
