"""The judges of the L-Game paper's figures: a verdict for each claim, by a rule that was fixed before the runs.

A curve is the win rate against random. Its mean says how fast an agent learns, its end how far it comes. Settings are
compared seed by seed. A claim of several comparisons holds if all of them hold and fails if one fails; their intervals
are wide enough for all of them together. A comparison with a setting that was not run, as in an outline, is undecided.
A claim over dead networks cannot be judged (`study.life`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.study import life
from ludus.study.comparison import beats
from ludus.study.data import Data, Place, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, difference, estimate, together, verdict
from ludus.study.study import Claim, Finding

NOTICEABLE = 0.005  # half a percentage point: less is no difference
RANDOM = 0.239  # the share that a random player wins against another, as a mean over both seats; half are draws
LARGEST = 1.0  # the value of a win; no move is worth more
WINS, DRAWS = 0.98, 0.95  # the paper's own: against random, and against perfect

WORDS = {"vs_random": "wins against random", "vs_perfect": "no loss against perfect"}
BY_RANDOM, BY_PERFECT = "rate chosen against random", "rate chosen against perfect"
HEADS = ("128 outputs", "624 outputs", f"624 outputs, {BY_PERFECT}")
NEGAMAX, OWN_TURN = "negamax", "own turn"  # panels
SAME_RATE = "at the rate of 0.9"  # of gamma
RIVALS = ("RMSProp", "ADADELTA")


# --- values for the page ------------------------------------------------------------------------------------------


def values_of(data: Data, measures: Sequence[str] = ("vs_random",)) -> dict[str, str]:
    """Of every curve: its end, its mean, and how many of its networks are alive."""
    values = {}
    for runs in data.curves:
        name = runs.name
        for measure in measures:
            values[f"{name}: {WORDS[measure]}"] = str(estimate(runs.end(measure)))
            values[f"{name}: {WORDS[measure]}, mean of the curve"] = str(estimate(runs.mean(measure)))
        if life.is_known(runs):
            values[f"{name}: networks alive"] = life.count(runs)
    return values


def _of_all(runs: Runs, which: Sequence[bool]) -> str:
    return f"{sum(which)} of {len(runs.seeds)}"


def ahead(claim: str, data: Data, one: Place, others: Sequence[Place], by: float = 0.0) -> Claim:
    """One setting learns faster than each of the others, by more than this."""
    return beats(claim, data, [(one, other) for other in others], lambda runs: runs.mean("vs_random"), by)


# --- figures ------------------------------------------------------------------------------------------------------


def replay_of_games(data: Data) -> Finding:
    """Fig. 4, four claims about how much faster N = 10 learns.

    - Recall helps: faster than N = 0.
    - It helps more up to N = 10: faster than N = 1 and than N = 5.
    - More brings no further gain: N = 20, 50 and 200 are not faster by half a point. Fails if one surely is.
    - Very large N slows learning: N = 200 is slower by half a point. Fails if it surely is not.
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
    """Fig. 5: Nesterov SGD with an annealed rate learns faster than each rival, annealed and constant, all at their
    chosen rates. A third and three times the chosen rate are shown, not judged.
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

    Ours: does the gain come from whole games or from large batches? Ten games are faster by half a point than as many
    transitions from any games. Fails if they surely are not.
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
    """Fig. 7, for the paper's 128 outputs: the end is above the mean of the first tenth, seed by seed."""
    runs = data.curve(HEADS[0])
    gain = difference(runs.end("vs_random"), runs.up_to("vs_random", 0.1))
    claim = "the win rate against random rises over 100,000 games"
    return Finding((Claim(claim, verdict(gain), f"end over first tenth: {gain}", (runs.place,)),), values_of(data))


def headline(data: Data) -> Finding:
    """Two claims about each final agent. It wins 98% against random in either seat, moving at random 1 time in 100; the
    seat in which it wins less counts. It does not lose 95% of its games against perfect, as a mean over both seats. A
    claim holds where the whole interval reaches the paper's number, and fails where none of it does.
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
        claims.append(Claim(random_claim, lesser.reaches(WINS), f"in the lesser seat {lesser}", (runs.place,)))
        claims.append(Claim(perfect_claim, draws.reaches(DRAWS), str(draws), (runs.place,)))
    return Finding(tuple(claims), values)


def discounts(data: Data) -> Finding:
    """The discount factors. With negamax, each at its own rate, 0.9 learns faster than each of the five others.

    Values near 1 diverge, under either backup (`diverges`): at the rate that was chosen for 0.9, as the paper seems to
    do it; and, ours, also at the rates that suit them best.
    """
    values = values_of(data)
    for runs in data.curves:
        name = runs.name
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
    """Holds if more than half of the runs have diverged at gamma = 1, and none at 0.9. Fails if none has at 0.99 nor at
    1. Otherwise, or where one of these was not run, it is undecided. It is a claim about death: dead networks count.
    """
    shares, found = [], []
    labels = "gamma = 0.9", f"gamma = 0.99{how}", f"gamma = 1{how}"
    for label in labels:
        runs = data.find((panel, label))
        shares.append(None if runs is None else float(np.mean(diverged(runs))))
        found.append(f"{label}: {'not run' if runs is None else _of_all(runs, diverged(runs))}")
    usual, near, one = shares
    decided = UNDECIDED
    if one is not None and one > 0.5 and usual == 0:
        decided = HOLDS
    elif near == one == 0:
        decided = FAILS
    arms = tuple((panel, label) for label in labels)
    return Claim(claim, decided, f"runs that diverged, {'; '.join(found)}", arms, dead_too=True)


def diverged(runs: Runs) -> list[bool]:
    """By seed: whether the final values are no values any more. Their mean size is larger than a win, or not a number;
    or the network has no living unit and rates every position the same, as after its values blew up.
    """
    sizes = runs.end("size") if "size" in runs.measured else [0.0] * len(runs.seeds)
    lives = runs.end("live") if "live" in runs.measured else [1.0] * len(runs.seeds)
    return [not size <= LARGEST or live == 0 for size, live in zip(sizes, lives, strict=True)]


def own_turn(data: Data) -> Finding:
    """Ours: the paper leaves open whose value is backed up. The final negamax agents lose less against perfect than
    those that back up the mover's own next position, at either rate of each.
    """
    claim = "(ours) backing up the mover's own next position holds fewer draws than negamax"
    panels = data.panels()
    pairs = [(a, b) for a in panels.get(NEGAMAX, []) for b in panels.get(OWN_TURN, [])]
    verdicts, found = [] if pairs else [UNDECIDED], []
    for a, b in pairs:
        gain = difference(a.end("vs_perfect"), b.end("vs_perfect"), len(pairs))
        verdicts.append(verdict(gain))
        found.append(f"{a.name} over {b.name}: {gain}")
    arms = tuple(dict.fromkeys(runs.place for pair in pairs for runs in pair))
    return Finding((Claim(claim, together(verdicts), "; ".join(found), arms),), values_of(data, tuple(WORDS)))
