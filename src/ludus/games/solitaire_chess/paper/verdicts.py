"""The judges of the paper's claims: a verdict for each, by a rule that was fixed before the runs. They judge the final
networks, one for each seed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper.steps import side_by_side
from ludus.study.data import Data, Runs
from ludus.study.statistics import FAILS, HOLDS, estimate, together, verdict
from ludus.study.study import Claim, Finding

DQN = "the paper's DQN"
STEPS = 11  # that the baseline takes in the puzzle of figures 1 and 3


def _runs(data: Data) -> Runs:
    (found,) = (runs for runs in data.curves if runs.label == DQN)
    return found


def _values(data: Data, measures: Sequence[str]) -> dict[str, str]:
    return {f"{r.label}: {name}": estimate(r.end(name)).plain() for r in data.curves for name in measures}


def accuracy(data: Data) -> Finding:
    """Section 3.4.6: every puzzle is solved with the right final piece and square. It holds if all are, in every seed.
    A complete search cannot fail, so this only checks our code.
    """
    right = _runs(data).end("right")
    decided = HOLDS if min(right) == 1 else FAILS
    claim = Claim("all puzzles solved, with the right final piece and square", decided, str(estimate(right)))
    return Finding((claim,), _values(data, ("right",)))


def fewer(data: Data) -> Finding:
    """Figure 4: on average the network explores fewer positions than the baseline, at every level; two claims, on the
    eighty of the benchmark and on fresh puzzles. A claim holds if at every level the whole interval of the saved share,
    wide enough for four levels, is above zero; it fails if at one level the whole interval is below zero.
    """
    runs, claims, table = _runs(data), [], [["explored / floor", *LEVELS]]
    for words, name in (("the eighty", "80, {}"), ("fresh puzzles", "{}")):
        saved = [estimate(runs.end(f"fewer, {name.format(level)}"), len(LEVELS)) for level in LEVELS]
        found = "; ".join(f"{level} {each}" for level, each in zip(LEVELS, saved, strict=True))
        claim = f"fewer positions than the baseline at every level, on {words}"
        claims.append(Claim(claim, together([verdict(each) for each in saved]), f"saved: {found}"))
        sets = [name.format(level) for level in LEVELS]
        table.append([f"{words}: {DQN}", *(estimate(runs.end(f"ratio, {each}")).plain() for each in sets)])
        for other in ("baseline", "random"):  # which are the same for all seeds
            table.append([f"{words}: {other}", *(f"{runs.end(f'{other} ratio, {each}')[0]:.3f}" for each in sets)])
    return Finding(tuple(claims), _values(data, [f"ratio, {level}" for level in LEVELS]), table)


def beats_chance(data: Data) -> Finding:
    """(ours) On average the network explores fewer positions than a random order, at every level, on fresh puzzles. The
    baseline is worse than chance at the hardest levels, so beating it does not prove that anything was learned. The
    rule is that of figure 4.
    """
    runs = _runs(data)
    saved = [estimate(runs.end(f"fewer than chance, {level}"), len(LEVELS)) for level in LEVELS]
    found = "; ".join(f"{level} {each}" for level, each in zip(LEVELS, saved, strict=True))
    claim = "(ours) fewer positions than a random order at every level, on fresh puzzles"
    decided = together([verdict(each) for each in saved])
    return Finding((Claim(claim, decided, f"saved: {found}"),), _values(data, [f"ratio, {level}" for level in LEVELS]))


def one_tree(data: Data) -> Finding:
    """Figures 1 and 3, of one puzzle: the baseline explores 11 positions, and the network fewer. It holds if the whole
    interval of the mean over seeds is below 11.
    """
    less = estimate([STEPS - steps for steps in _runs(data).end("puzzle")])
    claim = Claim(f"fewer than the {STEPS} positions of the baseline", verdict(less), f"fewer by {less.plain()}")
    return Finding((claim,), _values(data, ("puzzle",)), side_by_side(data))


def ties(data: Data) -> Finding:
    """Figure 5: in some puzzles both explore equally many positions. It holds if there is one in every seed."""
    tied = _runs(data).end("tied")
    decided = HOLDS if min(tied) > 0 else FAILS
    claim = Claim("some puzzles are a tie", decided, f"of the eighty {estimate(tied)}")
    return Finding((claim,), _values(data, ("tied",)), side_by_side(data))


def never_worse(data: Data) -> Finding:
    """Section 3.4.7: the network's order is guaranteed to be no worse than the baseline's. It fails if the network
    explores more in any puzzle of the eighty, in any seed.
    """
    runs = _runs(data)
    worse = runs.end("worse")
    decided = HOLDS if max(worse) == 0 else FAILS
    claim = Claim("never worse than the baseline", decided, f"worse in {estimate(worse)} of the eighty")
    table = [["more explored than by the baseline", *LEVELS]]
    for words, name in (("the eighty", "80, {}"), ("fresh puzzles", "{}")):
        table.append([words, *(str(estimate(runs.end(f"worse, {name.format(level)}"))) for level in LEVELS)])
    return Finding((claim,), _values(data, ("worse",)), table)
