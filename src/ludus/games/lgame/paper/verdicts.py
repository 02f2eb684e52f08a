"""What to make of the L-Game paper's figures: a verdict for each claim, by a rule that was fixed before the runs.

How fast an agent learns is the mean of its curve, its win rate against random after every so many games; how far it
comes is the curve's end. Settings are compared seed by seed. Where a claim is one of several comparisons, it holds if
all do and fails if one does, and their intervals are wide enough for all of them together. A comparison with a setting
that was not run, as in an outline, is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, Estimate, difference, estimate, together
from ludus.study.study import Claim, Finding

NOTICEABLE = 0.005  # half a percentage point, where a claim is of no difference
RANDOM = 0.239  # what a random player wins against another, in the mean of both seats: every other game is drawn
LARGEST = 1.0  # the value of a win; no move is worth more
ALIVE = 0.01  # the least deviation of what a living network says
WINS, DRAWS = 0.98, 0.95  # the paper's own: against random, and against perfect

WORDS = {"vs_random": "wins against random", "vs_perfect": "no loss against perfect"}
BY_RANDOM, BY_PERFECT = "rate chosen against random", "rate chosen against perfect"
HEADS = ("128 outputs", "624 outputs", f"624 outputs, {BY_PERFECT}")
NEGAMAX, OWN_TURN = "negamax", "own turn"  # panels
SAME_RATE = "at the rate of 0.9"  # of gamma
RIVALS = ("RMSProp", "ADADELTA")
Place = tuple[str, str]  # a curve's panel and label


# --- values for the page ------------------------------------------------------------------------------------------


def values_of(data: Data, measures: Sequence[str] = ("vs_random",)) -> dict[str, str]:
    """Of every curve its end, its mean, and how many of its networks are alive."""
    values = {}
    for runs in data.curves:
        name = _name((runs.panel, runs.label))
        for measure in measures:
            values[f"{name}: {WORDS[measure]}"] = str(estimate(runs.end(measure)))
            values[f"{name}: {WORDS[measure]}, mean of the curve"] = str(estimate(runs.mean(measure)))
        if "live" in runs.measured:
            values[f"{name}: networks alive"] = _of_all(runs, alive(runs))
    return values


def alive(runs: Runs) -> list[bool]:
    """By seed, whether the network has a living unit in the end and says different things of different moves."""
    return [live > 0 and spread > ALIVE for live, spread in zip(runs.end("live"), runs.end("spread"), strict=True)]


def _of_all(runs: Runs, which: Sequence[bool]) -> str:
    return f"{sum(which)} of {len(runs.seeds)}"


def _name(place: Place) -> str:
    panel, label = place
    return f"{panel}, {label}" if panel else label


# --- comparisons --------------------------------------------------------------------------------------------------


def ahead(claim: str, data: Data, one: Place, others: Sequence[Place], by: float = 0.0) -> Claim:
    """That one setting learns faster than each of the others, by more than this: holds where the whole interval of its
    advantage lies above, fails where it lies below.
    """
    verdicts, found = [], []
    for other in others:
        better, worse, gain = _find(data, one), _find(data, other), None
        if better is not None and worse is not None:
            gain = difference(better.mean("vs_random"), worse.mean("vs_random"), len(others))
        verdicts.append(UNDECIDED if gain is None else _exceeds(gain, by))
        found.append(f"{_name(one)} over {_name(other)}: {'not run' if gain is None else gain}")
    return Claim(claim, together(verdicts), "; ".join(found))


def _find(data: Data, place: Place) -> Runs | None:
    return next((runs for runs in data.curves if (runs.panel, runs.label) == place), None)


def _exceeds(gain: Estimate, level: float) -> str:
    return HOLDS if gain.low > level else FAILS if gain.high < level else UNDECIDED


# --- figures ------------------------------------------------------------------------------------------------------


def replay_of_games(data: Data) -> Finding:
    """Fig. 4, four claims, each of how much faster N = 10 learns.

    - Recall helps: faster than N = 0.
    - It helps more up to N = 10: faster than N = 1 and than N = 5.
    - More brings no further gain: N = 20, 50 and 200 are not faster by half a point. It fails if one is, for sure.
    - Very large N slows learning: N = 200 is slower by half a point. It fails if N = 200 is less slow than that.
    """
    ten, few, many = ("", "N = 10"), [("", f"N = {n}") for n in (1, 5)], [("", f"N = {n}") for n in (20, 50, 200)]
    claims = (
        ahead("recalling 10 games helps", data, ten, [("", "N = 0")]),
        ahead("it helps more than recalling fewer", data, ten, few),
        ahead("more brings no further gain (of half a point)", data, ten, many, by=-NOTICEABLE),
        ahead("very large N slows learning (by half a point)", data, ten, many[-1:], by=NOTICEABLE),
    )
    return Finding(claims, values_of(data))


def optimisers(data: Data) -> Finding:
    """Fig. 5: Nesterov SGD with an annealed rate learns faster than the rival, whether that one's rate is annealed or
    constant; every rate the one that was chosen for it. The rates beside it are shown, and judged by nobody.
    """
    claims = tuple(
        ahead(
            f"Nesterov SGD with an annealed rate beats {rival}",
            data,
            ("Nesterov", "annealed"),
            [(rival, "annealed"), (rival, "constant")],
        )
        for rival in RIVALS
    )
    return Finding(claims, values_of(data))


def batches(data: Data) -> Finding:
    """Fig. 6: whole games, ten or one, are faster than 32 transitions.

    And ours, whether the gain is of whole games or of large batches: ten games are faster by half a point than as many
    transitions from anywhere. It fails if they are not.
    """
    fixed = [("", "32 transitions")]
    claims = (
        ahead("batches of 10 whole games beat fixed batches of 32 transitions", data, ("", "10 whole games"), fixed),
        ahead("batches of 1 whole game beat fixed batches of 32 transitions", data, ("", "1 whole game"), fixed),
        ahead(
            "(ours) batches of 10 whole games beat fixed batches of their size (by half a point)",
            data,
            ("", "10 whole games"),
            [("", "670 transitions")],
            by=NOTICEABLE,
        ),
    )
    return Finding(claims, values_of(data))


def rises(data: Data) -> Finding:
    """Fig. 7, for the paper's 128 outputs: each seed's end is above the mean of its own first tenth."""
    runs = data.curve(HEADS[0])
    gain = difference(runs.end("vs_random"), runs.up_to("vs_random", 0.1))
    claim = "the win rate against random rises over 100,000 games"
    return Finding((Claim(claim, _exceeds(gain, 0), f"end over first tenth: {gain}"),), values_of(data))


def headline(data: Data) -> Finding:
    """Of each agent in the end, two claims: that it wins 98% against random in either seat (itself moving at random 1
    time in 100), so that the seat in which it wins less counts; and that it does not lose 95% of its games against
    perfect, both seats averaged. Holds where the whole interval reaches the paper's figure, fails where none does.
    """
    values, claims = values_of(data, tuple(WORDS)), []
    for runs in data.curves:
        lesser = estimate(np.minimum(runs.end("random_first"), runs.end("random_second")).tolist())
        draws = estimate(runs.end("vs_perfect"))
        values[f"{runs.label}: wins against random in the lesser seat"] = str(lesser)
        for other in ("random", "perfect"):
            if f"{other}_sampled" in runs.measured:
                sampled = estimate(runs.end(f"{other}_sampled"))
                values[f"{runs.label}: {WORDS[f'vs_{other}']}, sampled"] = str(sampled)
        random_claim = f"98% wins against random in either seat at epsilon 0.01, {runs.label}"
        perfect_claim = f"95% draws against perfect over 100 turns, {runs.label}"
        claims.append(Claim(random_claim, lesser.reaches(WINS), f"in the lesser seat {lesser}"))
        claims.append(Claim(perfect_claim, draws.reaches(DRAWS), str(draws)))
    return Finding(tuple(claims), values)


def discounts(data: Data) -> Finding:
    """The discount factors. With negamax, each at its own rate, 0.9 learns faster than each of the five others.

    And values near 1 diverge, under either backup (`diverges`): where only gamma is changed, at the rate that was
    chosen for 0.9, as the paper seems to have it; and, ours, also at the rates that suit them best.
    """
    values = values_of(data)
    for runs in data.curves:
        name = _name((runs.panel, runs.label))
        values[f"{name}: runs that diverged"] = _of_all(runs, diverged(runs))
        if "size" in runs.measured:
            values[f"{name}: mean size of the values, by seed"] = ", ".join(f"{s:.2g}" for s in runs.end("size"))
    others = [(NEGAMAX, f"gamma = {gamma:g}") for gamma in (0.7, 0.8, 0.95, 0.99, 1.0)]
    claims = [ahead("0.9 is the best of 0.7 to 1", data, (NEGAMAX, "gamma = 0.9"), others)]
    for panel in (NEGAMAX, OWN_TURN):
        claims.append(diverges(f"values near 1 diverge, {panel}", data, panel, f", {SAME_RATE}"))
        claims.append(diverges(f"(ours) they diverge even at rates of their own, {panel}", data, panel))
    return Finding(tuple(claims), values)


def diverges(claim: str, data: Data, panel: str, how: str = "") -> Claim:
    """Holds if at gamma = 1 more than half of the runs have diverged in the end, and none at 0.9; fails if none has at
    0.99 nor at 1; else, or where one of these was not run, it is undecided.
    """
    shares, found = [], []
    for label in ("gamma = 0.9", f"gamma = 0.99{how}", f"gamma = 1{how}"):
        runs = _find(data, (panel, label))
        shares.append(None if runs is None else float(np.mean(diverged(runs))))
        found.append(f"{label}: {'not run' if runs is None else _of_all(runs, diverged(runs))}")
    usual, near, one = shares
    verdict = UNDECIDED
    if one is not None and one > 0.5 and usual == 0:
        verdict = HOLDS
    elif near == one == 0:
        verdict = FAILS
    return Claim(claim, verdict, f"runs that diverged, {'; '.join(found)}")


def diverged(runs: Runs) -> list[bool]:
    """By seed, whether in the end the values are none any more: in the mean larger than that of a win, or no numbers;
    or the network has no living unit left and says the same of every position, as one that blew up.
    """
    sizes = runs.end("size") if "size" in runs.measured else [0.0] * len(runs.seeds)
    lives = runs.end("live") if "live" in runs.measured else [1.0] * len(runs.seeds)
    return [not size <= LARGEST or live == 0 for size, live in zip(sizes, lives, strict=True)]


def own_turn(data: Data) -> Finding:
    """Ours: what the paper leaves open, whose value is backed up. In the end negamax loses less against perfect than
    the backup of the mover's own next position, whichever of its two rates either has.
    """
    claim = "(ours) backing up the mover's own next position holds fewer draws than negamax"
    panels = data.panels()
    pairs = [(a, b) for a in panels.get(NEGAMAX, []) for b in panels.get(OWN_TURN, [])]
    verdicts, found = [] if pairs else [UNDECIDED], []
    for a, b in pairs:
        gain = difference(a.end("vs_perfect"), b.end("vs_perfect"), len(pairs))
        verdicts.append(_exceeds(gain, 0))
        found.append(f"{_name((a.panel, a.label))} over {_name((b.panel, b.label))}: {gain}")
    return Finding((Claim(claim, together(verdicts), "; ".join(found)),), values_of(data, tuple(WORDS)))
