"""Comparisons of curves, as claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ludus.study.data import Data, Place, Runs, name_of
from ludus.study.statistics import UNDECIDED, difference, together, verdict
from ludus.study.study import Claim


def beats(
    claim: str,
    data: Data,
    pairs: Sequence[tuple[Place, Place]],
    by: Callable[[Runs], Sequence[float]],
    level: float = 0.0,
    name: Callable[[Place], str] = name_of,
) -> Claim:
    """The first curve of each pair beats the second by more than `level`, compared seed by seed.

    Holds where the whole interval of the advantage lies above the level, and fails where it lies below. The intervals
    are wide enough for all pairs together. A pair with a curve that was not run, as in an outline, is undecided.
    """
    verdicts, found = [], []
    for one, other in pairs:
        better, worse, gain = data.find(one), data.find(other), None
        if better is not None and worse is not None:
            gain = difference(by(better), by(worse), len(pairs))
        verdicts.append(UNDECIDED if gain is None else verdict(gain, level))
        found.append(f"{name(one)} over {name(other)}: {'not run' if gain is None else gain}")
    arms = tuple(dict.fromkeys(place for pair in pairs for place in pair))
    return Claim(claim, together(verdicts), "; ".join(found), arms)
