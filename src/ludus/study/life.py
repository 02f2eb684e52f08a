"""Whether networks live: by one rule, from what a figure's CSV says of each seed. A verdict over dead networks is none.

A network that rates every position the same, or as it did before it learned anything, still has a score, and its score
still has an interval. So a claim says which arms it compares, and where in one of them fewer than eight networks in ten
live, the claim cannot be judged. A claim about death itself says so (`Claim.dead_too`).

The columns, at every point: `live`, the share of the last hidden units that are ever above zero (or that vary, where no
unit can be below); `spread`, how much a rating deviates between positions; `size`, the mean size of the ratings;
`moved`, how far the weights are from the first ones; `rank`, Spearman's correlation of the ratings with those of the
first weights (`study.movement` has both). Older files have not all of them: a rule that needs a column which is not
there says nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float

from ludus.study.data import Data, Place, Runs
from ludus.study.statistics import FEWEST, FEWEST_TORN, UNJUDGED
from ludus.study.study import Claim, Finding

COLUMNS = ("live", "spread", "size", "moved", "rank")
LEAST = 0.8  # the share of an arm's networks that must live
HUGE = 1000.0  # returns are at most 1, and a policy is certain of every move long before its logits are as large
#: Ratings of this size cannot be told apart in single precision, or hardly: some hundred of its steps.
RESOLUTION = 1e-5
#: Values near 0 or 1 differ little even where all is well: so a spread is seen against the distance from both.
FLAT = 0.01
KEPT = 0.5  # but a network that began as flat, and has kept so much of that, is not dead
SAME_ORDER = 0.999  # the rank correlation from which the order of ratings is the first one
EARLY, STILL = 0.1, 1e-3  # a part of the course; and a change of `moved`, as a share of it, that is none


def causes(runs: Runs) -> list[str]:
    """By seed: why the final network is not alive, or nothing if it is. The first that is true:

    - diverged: its ratings are no numbers any more, or huge;
    - dark: none of its last hidden units is ever above zero;
    - flat: it rates every position the same;
    - unmoved: it orders all moves as it did before it learned;
    - stopped: its weights have stayed as they were after the first tenth of its course.
    """
    found = [""] * len(runs.seeds)
    for cause, is_so in RULES.items():
        found = [known or cause * bool(dead) for known, dead in zip(found, is_so(runs), strict=True)]
    return found


def alive(runs: Runs) -> list[bool]:
    """By seed: whether the final network lives."""
    return [not cause for cause in causes(runs)]


def is_known(runs: Runs) -> bool:
    return any(name in runs.measured for name in COLUMNS)


def count(runs: Runs) -> str:
    return f"{sum(alive(runs))} of {len(runs.seeds)}"


def said(runs: Runs) -> str:
    """`7 of 10 networks alive (2 flat, 1 dark)`."""
    if not is_known(runs):
        return "life not measured"
    why = Counter(cause for cause in causes(runs) if cause)
    detail = f" ({', '.join(f'{many} {cause}' for cause, many in why.items())})" if why else ""
    return f"{count(runs)} networks alive{detail}"


def judged(finding: Finding, data: Data) -> Finding:
    """The same finding; claims over dead arms cannot be judged. And each claim says how many of its networks live, in
    the worst of its arms, and how few seeds it has.
    """
    return replace(finding, claims=tuple(_judged(claim, data) for claim in finding.claims))


def _judged(claim: Claim, data: Data) -> Claim:
    arms = _arms(claim, data)
    if not arms:
        return claim
    fewest = min(len(runs.seeds) for runs in arms)
    known = [runs for runs in arms if is_known(runs)]
    if not known:
        return replace(claim, seeds=fewest)
    worst = min(known, key=_share)
    wanted = FEWEST_TORN if any(0 < _share(runs) < 1 for runs in known) else FEWEST
    claim = replace(claim, networks=count(worst), seeds=fewest, seeds_wanted=wanted)
    dead = [runs for runs in known if _share(runs) < LEAST]
    if claim.dead_too or not dead:
        return claim
    why = "; ".join(f"{runs.name}: {said(runs)}" for runs in dead)
    found = f"{claim.found}; {why}" if claim.found else why
    return replace(claim, verdict=UNJUDGED, found=found)


def _arms(claim: Claim, data: Data) -> list[Runs]:
    """The curves that were run among those that the claim compares."""
    places: Iterable[Place] = [runs.place for runs in data.curves] if claim.arms is None else dict.fromkeys(claim.arms)
    return [runs for runs in map(data.find, places) if runs is not None]


def _share(runs: Runs) -> float:
    return sum(alive(runs)) / len(runs.seeds)


# --- the rules: by seed, whether it is dead for this cause --------------------------------------------------------


def _end(runs: Runs, name: str) -> Float[np.ndarray, "S"] | None:
    return runs.measured[name][:, -1] if name in runs.measured else None


def _none(runs: Runs) -> Bool[np.ndarray, "S"]:
    return np.zeros(len(runs.seeds), bool)


def _diverged(runs: Runs) -> Bool[np.ndarray, "S"]:
    dead = _none(runs)
    for name in ("size", "spread"):
        if (end := _end(runs, name)) is not None:
            dead |= ~(np.abs(end) <= HUGE)  # NaN is no number either
    return dead


def _dark(runs: Runs) -> Bool[np.ndarray, "S"]:
    live = _end(runs, "live")
    return _none(runs) if live is None else live == 0


def _flat(runs: Runs) -> Bool[np.ndarray, "S"]:
    spread, size = _end(runs, "spread"), _end(runs, "size")
    if spread is None or size is None:
        return _none(runs)
    first, room, before = runs.measured["spread"][:, 0], _room(size), _room(runs.measured["size"][:, 0])
    with np.errstate(invalid="ignore", over="ignore"):  # of a network that has diverged
        shrunk = (spread < FLAT * room) & (spread * before < KEPT * first * room)
    return (spread <= RESOLUTION * size) | shrunk


def _room(size: Float[np.ndarray, "S"]) -> Float[np.ndarray, "S"]:
    """How far ratings are from 0 and from 1, the nearer of both: there a sigmoid's outputs differ little."""
    return np.clip(np.minimum(size, 1 - size), 0, None)


def _unmoved(runs: Runs) -> Bool[np.ndarray, "S"]:
    rank = _end(runs, "rank")
    return _none(runs) if rank is None or not runs.steps[-1] else rank >= SAME_ORDER


def _stopped(runs: Runs) -> Bool[np.ndarray, "S"]:
    late = runs.steps >= EARLY * runs.steps[-1]
    if "moved" not in runs.measured or late.sum() < 3:
        return _none(runs)
    moved = runs.measured["moved"][:, late]
    return moved.max(axis=1) - moved.min(axis=1) <= STILL * moved.max(axis=1)


RULES: dict[str, Callable[[Runs], Bool[np.ndarray, "S"]]] = {
    "diverged": _diverged,
    "dark": _dark,
    "flat": _flat,
    "unmoved": _unmoved,
    "stopped": _stopped,
}
