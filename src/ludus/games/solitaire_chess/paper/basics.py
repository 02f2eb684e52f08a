"""The judges of the other claims: of single puzzles, of the printed code, and of what no order can miss. Their rules
were fixed before the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper.counts import explored
from ludus.games.solitaire_chess.paper.steps import board_after, by_order, side_by_side, with_boards
from ludus.games.solitaire_chess.paper.words import (
    BASELINE,
    BASELINE_STEPS,
    BOARDS,
    CLOCKWISE,
    DQN,
    EIGHTY,
    EIGHTY_SETS,
    FIG3,
    FIG5,
    FRESH_SETS,
    ONE_5,
    PRINTED,
    SOLUTIONS,
    UNTRAINED,
)
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, estimate, verdict
from ludus.study.study import Claim, Finding


def _values(data: Data, measures: Sequence[str]) -> dict[str, str]:
    """At the end, and before any learning."""
    found = {}
    for runs in data.curves:
        for name in measures:
            found[f"{runs.label}: {name}"] = estimate(runs.end(name)).plain()
            found[f"{runs.label}, {UNTRAINED}: {name}"] = estimate(runs.at(name, 0)).plain()
    return found


def accuracy(data: Data) -> Finding:
    """Section 3.4.6: every puzzle is solved with the right final piece and square. It holds if all are, in every seed.
    A complete search cannot fail, so this only checks our code.
    """
    right = data.curve(DQN).end("right")
    decided = HOLDS if min(right) == 1 else FAILS
    claim = Claim("all puzzles solved, with the right final piece and square", decided, str(estimate(right)), _of(DQN))
    return Finding((claim,), _values(data, ("right",)))


def _of(*labels: str) -> tuple[tuple[str, str], ...]:
    return tuple(("", label) for label in labels)


def printed_code(data: Data) -> Finding:
    """Figure 2: the order that a network suggests reduces the count of the code that is printed. It goes on after a
    solution, so it enters every position of the tree once, in any order. We let it run on the eighty in three orders.
    The claim holds if in any puzzle two orders give different counts, and does not hold if none do.
    """
    counts = [np.concatenate([explored(data, label, name)[0] for name in EIGHTY_SETS]) for label in PRINTED.values()]
    first = np.concatenate([explored(data, BASELINE, name)[0] for name in EIGHTY_SETS])
    same = int(np.all([each == counts[0] for each in counts], axis=0).sum())
    decided = FAILS if same == len(first) else HOLDS
    found = f"in the orders {', '.join(PRINTED)} the same count in {same} of {len(first)} puzzles"
    claim = Claim("the count of the printed code depends on the order of moves", decided, found, ())
    rows = [["positions entered, mean of twenty puzzles", *LEVELS]]
    for label in (*PRINTED.values(), BASELINE):
        means = (explored(data, label, name).mean() for name in EIGHTY_SETS)
        words = f"{label}, to the first solution" if label == BASELINE else label
        rows.append([words, *(f"{mean:,.1f}" for mean in means)])
    return Finding((claim,), {label: f"{each.sum():.0f}" for label, each in zip(PRINTED, counts, strict=True)}, rows)


def one_tree(data: Data) -> Finding:
    """Figures 1 and 3, of one puzzle: the baseline explores 11 positions, and the network fewer. A claim for the
    network whose games begin elsewhere, for that of the eighty, and for that whose games begin at this puzzle. It
    holds if the whole interval of the mean over seeds is below 11, wide enough for the three.
    """
    claims = []
    for runs in data.curves:
        less = estimate([BASELINE_STEPS[FIG3] - steps for steps in runs.end(FIG3)], 3)
        before = estimate(runs.at(FIG3, 0)).mean
        words = "" if runs.label == DQN else f"{runs.label}: "
        found = f"fewer by {less.plain()}; before learning {before:.1f} explored"
        claim = f"{words}fewer than the {BASELINE_STEPS[FIG3]} positions of the baseline"
        claims.append(Claim(claim, verdict(less), found, (runs.place,)))
    return Finding(tuple(claims), _values(data, (FIG3,)), side_by_side(data))


def the_boards(data: Data) -> Finding:
    """Figure 5, of one puzzle, in four claims.

    - Its boards are the baseline's search: with a piece's moves listed clockwise, the positions that our search enters
      are the printed ones in their order, if boards that have been there before are left out where they come again. It
      holds if they are the same.
    - A puzzle has one final piece and square: it holds if all solutions of this one end alike.
    - A tie: the network explores as many positions as the baseline. Once for the network whose games begin elsewhere
      and once for the one whose games begin here. It holds if it does in every seed, and does not hold if in none.
    """
    entered = [board_after(step) for step in by_order(data)[CLOCKWISE]]
    ours = [board_after(step) for step in by_order(data)[BASELINE]]
    printed = without_redrawn(BOARDS, entered)
    other = "" if without_redrawn(BOARDS, ours) == ours else "; in our baseline's list they come in another order"
    claims = [
        Claim(
            "the boards are the baseline's search of B3/R2N/1N2/4",
            HOLDS if printed == entered else FAILS,
            f"{len(printed)} positions in the order clockwise, {len(BOARDS) - len(printed)} boards drawn again{other}",
            (),
        )
    ]
    ends = sorted({board_after(step) for step in data.steps if step.order == SOLUTIONS})
    claims.append(
        Claim(
            "the puzzle has one final piece and square",
            HOLDS if len(ends) == 1 else FAILS,
            f"{sum(step.order == SOLUTIONS for step in data.steps)} solutions, which end in {' and '.join(ends)}",
            (),
        )
    )
    claims += [_tie(data.curve(label)) for label in (DQN, ONE_5)]
    return Finding(tuple(claims), _values(data, (FIG5,)), with_boards(data))


def without_redrawn(boards: Sequence[str], entered: Sequence[str]) -> list[str]:
    """The boards without those that are drawn again: what the search does not enter at this place, but has entered."""
    kept: list[str] = []
    for board in boards:
        due = entered[len(kept)] if len(kept) < len(entered) else ""
        if board == due or board not in kept:
            kept.append(board)
    return kept


def _tie(runs: Runs) -> Claim:
    steps = runs.end(FIG5)
    same = sum(each == BASELINE_STEPS[FIG5] for each in steps)
    decided = HOLDS if same == len(steps) else FAILS if not same else UNDECIDED
    found = f"a tie in {same} of {len(steps)} seeds; explored {estimate(steps).plain()}"
    return Claim(f"{runs.label}: a tie with the {BASELINE_STEPS[FIG5]} of the baseline", decided, found, (runs.place,))


def ties(data: Data) -> Finding:
    """Section 5: in some puzzles both explore equally many positions. It holds if there is one in every seed."""
    tied = data.curve(DQN).end("tied")
    decided = HOLDS if min(tied) > 0 else FAILS
    claim = Claim("some puzzles are a tie", decided, f"of the eighty {estimate(tied)}", _of(DQN))
    return Finding((claim,), _values(data, ("tied",)))


def never_worse(data: Data) -> Finding:
    """Section 3.4.7: the network's order is guaranteed to be no worse than the baseline's. It fails if the network
    explores more in any puzzle of the eighty, in any seed. Once for the network whose games begin elsewhere, once for
    that of the eighty.
    """
    claims, rows = [], [["more explored than by the baseline", *LEVELS]]
    for label in (DQN, EIGHTY):
        worse = data.curve(label).end("worse")
        decided = HOLDS if max(worse) == 0 else FAILS
        words = "" if label == DQN else f"{label}: "
        found = f"worse in {estimate(worse)} of the eighty"
        claims.append(Claim(f"{words}never worse than the baseline", decided, found, _of(label)))
    for label in (UNTRAINED, DQN, EIGHTY):
        for words, sets in (("the eighty", EIGHTY_SETS), ("fresh puzzles", FRESH_SETS)):
            more = ((explored(data, label, name) > explored(data, BASELINE, name)).mean(axis=1) for name in sets)
            rows.append([f"{words}: {label}", *(str(estimate(each.tolist())) for each in more)])
    return Finding(tuple(claims), _values(data, ("worse",)), rows)
