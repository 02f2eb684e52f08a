"""The judges of the Abalearn paper's figures: a verdict for each claim, by a rule that was fixed before the runs.

A curve is the score against the heuristic player, counted as in the paper: whoever has more marbles when a game ends,
for whatever reason, has won it. Its mean says how fast an agent learns, its end how far it comes. Agents are compared
seed by seed. A claim of several comparisons holds if all of them hold and fails if one fails; their intervals are wide
enough for all of them together. A comparison with a curve that was not run, as in an outline, is undecided.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from ludus.study.comparison import beats
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, difference, estimate, verdict
from ludus.study.study import Claim, Finding

SCORE, HOUSE = "minimax_ahead", "minimax"  # the paper's counting, and the house's
FORMULA, THE_TEXT = "the formula's sign", "the text's sign"  # panels

NEVER, PUSHES = 0.05, 0.5  # a share of games, and marbles a game, that count as none
EARLY, THOUSAND = 1 / 3, 1 / 3  # parts of a curve: its beginning, and its first thousand games
ALIVE = 0.01  # a network whose values, before the last sigmoid, deviate by less is dead


# --- values for the page ------------------------------------------------------------------------------------------


def values_of(data: Data) -> dict[str, str]:
    """Of every curve: the final score by both countings, the mean, marbles, and how many networks are alive."""
    values = {}
    for runs in data.curves:
        name = runs.name
        values[f"{name}: score"] = str(estimate(runs.end(SCORE)))
        values[f"{name}: score, mean of the curve"] = str(estimate(runs.mean(SCORE)))
        values[f"{name}: score, a repetition is a tie"] = str(estimate(runs.end(HOUSE)))
        marbles = (estimate(runs.end(which)).plain() for which in ("won", "lost"))
        values[f"{name}: marbles won and lost"] = " and ".join(marbles)
        values[f"{name}: games that repeat"] = str(estimate(runs.end("repeated")))
        values[f"{name}: score against random"] = str(estimate(runs.end("random_ahead")))
        values[f"{name}: networks alive"] = f"{sum(alive(runs))} of {len(runs.seeds)}"
    return values


def alive(runs: Runs) -> list[bool]:
    """By seed: whether the final network rates different positions differently."""
    return [spread > ALIVE for spread in runs.end("spread")]


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
    return beats(claim, data, places, by, name=lambda place: place[1])


def at_most(found: Estimate, level: float) -> str:
    """Whether a claim that the mean is no more than this holds."""
    return HOLDS if found.high <= level else FAILS if found.low > level else UNDECIDED


# --- curves -------------------------------------------------------------------------------------------------------


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


def fewer_games(data: Data) -> Finding:
    """Fig. 9, two claims: the final version 1.2 wins more marbles than it loses; and its score after a thousand games
    (at the nearest point) is above the final score of version 1.1.
    """
    new, old = data.curve("1.2"), data.curve("1.1")
    lead = difference(new.end("won"), new.end("lost"))
    gain = difference(new.at(SCORE, THOUSAND), old.end(SCORE))
    claims = (
        Claim("1.2 wins more marbles than it loses", verdict(lead), f"more won than lost: {lead.plain()}"),
        Claim("1.2 after 1,000 games is better than 1.1 in the end", verdict(gain), f"score, 1.2 over 1.1: {gain}"),
    )
    return Finding(claims, values_of(data))


def self_play(data: Data) -> Finding:
    """Fig. 10, two claims about epsilon falling from 0.9: the final agent is better than before it learned; and it wins
    more marbles than it loses. Ours: the mean of its curve is better than with few random moves all along.
    """
    falling, few = data.curves[:2]
    gain = difference(falling.end(SCORE), falling.at(SCORE, 0))
    lead = difference(falling.end("won"), falling.end("lost"))
    claims = (
        Claim("self-play from the start succeeds: it learns", verdict(gain), f"score, end over start: {gain}"),
        Claim(
            "self-play from the start succeeds: it wins more marbles than it loses",
            verdict(lead),
            f"more won than lost: {lead.plain()}",
        ),
        ahead("(ours) epsilon that falls is better than few random moves", data, [(falling.label, few.label)]),
    )
    return Finding(claims, values_of(data))


def risk_seeking(data: Data) -> Finding:
    """Fig. 11, with the formula's sign; six claims, and one that is ours.

    - kappa = -1 is the best: its final score is above those of -0.8 and 0.
    - At first -0.8 is better than -1: by the mean of the first third.
    - -0.8 degrades: its end is below the mean of its own first third.
    - -1 is more stable: after the start, its score changes less from point to point than that of -0.8.
    - 0 does not learn to push: in the end it wins less than half a marble a game. Fails if it surely wins more.
    - 0 loses every game: its whole interval is below 0.05. Fails if all of it is above.
    - Ours: kappa = -1 ends with a higher score with the formula's sign than with the text's sign.
    """
    risky, some, neutral = (data.curve(f"kappa {value}", FORMULA) for value in ("-1", "-0.8", "0"))
    early, late = difference(some.up_to(SCORE, EARLY), risky.up_to(SCORE, EARLY)), _end(some)
    falls = difference(some.up_to(SCORE, EARLY), late)
    steadier = difference(_unrest(some), _unrest(risky))
    pushed, score = estimate(neutral.end("won")), estimate(_end(neutral))
    best = [("kappa -1", "kappa -0.8"), ("kappa -1", "kappa 0")]
    said = data.find((THE_TEXT, "kappa -1"))
    sign = None if said is None else difference(_end(risky), _end(said))
    claims = (
        ahead("kappa = -1 is the best", data, best, _end, FORMULA),
        Claim("at first kappa = -0.8 is better than -1", verdict(early), f"mean of the first third: {early}"),
        Claim("kappa = -0.8 degrades", verdict(falls), f"first third over end: {falls}"),
        Claim("kappa = -1 learns more steadily than -0.8", verdict(steadier), f"less change a point: {steadier}"),
        Claim("kappa = 0 does not learn to push", at_most(pushed, PUSHES), f"marbles won: {pushed.plain()}"),
        Claim("kappa = 0 loses every game", at_most(score, NEVER), f"score: {score}"),
        Claim(
            "(ours) the formula's sign is better than the text's, at kappa = -1",
            UNDECIDED if sign is None else verdict(sign),
            "not run" if sign is None else f"{sign}",
        ),
    )
    return Finding(claims, values_of(data))


def _unrest(runs: Runs) -> list[float]:
    """By seed: the mean change of the score from one point to the next, without the start."""
    learned = runs.measured[SCORE][:, runs.steps > 0]
    return np.abs(np.diff(learned, axis=1)).mean(axis=1).tolist()


def scaled_is_stronger(data: Data) -> Finding:
    """Ours: a network whose values reach as far as returns do ends with a higher score than the paper's network, whose
    values lie between 0 and 1. Each has its own step.
    """
    claims = []
    for panel, curves in data.panels().items():
        for paper, ours in zip(curves[::2], curves[1::2], strict=True):
            claim = f"(ours) values as far as returns go are better than values from 0 to 1: {panel}"
            said = ours.label.removesuffix("scaled").removesuffix(", ")
            claims.append(ahead(f"{claim}, {said}" if said else claim, data, [(ours.label, paper.label)], _end, panel))
    values = values_of(data)
    for runs in data.curves:
        level, spread = (estimate(runs.end(which)).plain() for which in ("level", "spread"))
        values[f"{runs.panel}, {runs.label}: mean of J and its deviation"] = f"{level} and {spread}"
    return Finding(tuple(claims), values)
