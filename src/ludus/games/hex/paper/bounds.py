"""The judge of a bound on GTD2's weights: whether more of its networks live within one, at the same steps."""

from __future__ import annotations

from collections import defaultdict

from ludus.study import life
from ludus.study.data import Data
from ludus.study.statistics import difference, verdict
from ludus.study.study import Claim, Finding

Lives = list[list[bool]]  # by setting and seed


def counts_by_bound(data: Data) -> list[tuple[str, Lives, Lives]]:
    """For each bound which networks live within it, and which without one, at the same alpha and ratio under the
    paper's backup; from the curves of the trial.
    """
    lives = {runs.label: life.alive(runs) for runs in data.curves if runs.label.startswith("GTD2")}
    within: dict[str, Lives] = defaultdict(list)
    without: dict[str, Lives] = defaultdict(list)
    for label, alive in lives.items():
        setting, _, bound = label.partition(", bound ")
        free = setting.replace("GTD2 bounded", "GTD2")
        if bound and ", added," in label and free in lives:
            within[bound].append(alive)
            without[bound].append(lives[free])
    return [(bound, within[bound], without[bound]) for bound in within]


def bounds_help(data: Data) -> Finding:
    """Holds if a larger share of a seed's networks lives within the bound than without, seed by seed."""
    claims, rows = [], [["bound", "networks alive within it", "without, at the same settings"]]
    for bound, within, without in counts_by_bound(data):
        counts = [f"{sum(map(sum, kind))} of {sum(map(len, kind))}" for kind in (within, without)]
        gap = difference(_by_seed(within), _by_seed(without))
        claim = f"(ours) a bound of {bound} on the weights' norm keeps more networks of GTD2 alive"
        found = f"{counts[0]} within it, {counts[1]} without: {gap} more"
        claims.append(Claim(claim, verdict(gap), found, dead_too=True))
        rows.append([bound, *counts])
    return Finding(tuple(claims), {f"bound {row[0]}": f"{row[1]}; without {row[2]}" for row in rows[1:]}, rows)


def _by_seed(settings: Lives) -> list[float]:
    """The share of its settings at which each seed's network lives."""
    return [sum(seeds) / len(seeds) for seeds in zip(*settings, strict=True)]
