"""What a player that sees nothing holds of the won positions on 3 x 3, and which networks hold more than it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

import numpy as np

from ludus.study.baseline import Blind, blind
from ludus.study.data import Data, Place, Runs
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, estimate
from ludus.study.study import Claim, Finding, Lines

SIZE = 3
SHOWN = 5  # arms of each backup that are named
WORDS = {"added": "the paper's backup", "negated": "negamax"}


@functools.cache
def blind_players() -> Blind:
    """Exactly, over all orders of the nine cells in the mover's view, in which a network sees the board."""
    from ludus.games.hex.solver.tablebase import tablebase

    table = tablebase(SIZE)
    cells = 1 << np.arange(SIZE**2)
    taken = (table.own | table.other)[table.wins]
    return blind((taken[:, None] & cells) == 0, (table.winning[table.wins, None] & cells) != 0)


def levels(data: Data) -> Lines:
    """The lines of every picture of positions held, in percent."""
    known = blind_players()
    return (100 * known.uniform, "random player"), (100 * known.highest, "best fixed order of moves")


def above_the_blind(backups: Mapping[Place, str]) -> Callable[[Data], Finding]:
    """Two claims: no arm under the paper's backup holds more than the best order of moves; some arm under negamax does.

    An arm holds more if its whole interval lies above, and less if it lies below; the intervals are wide enough for all
    arms of that backup together. That no arm holds more is so if all hold less. `backups` has the backup of the curves
    that count, of the figures that are gathered.
    """

    def judge(data: Data) -> Finding:
        known = blind_players()
        rows = [["", "won positions held"]]
        rows += [[name, f"{100 * share:.2f}%"] for name, share in _shares(known).items()]
        claims, values = [], {name: f"{100 * share:.2f}%" for name, share in _shares(known).items()}
        for backup, words in WORDS.items():
            arms = arms_of(data, backups, backup)
            ends = {f"{runs.panel}: {runs.label}": estimate(runs.end("held"), len(arms)) for runs in arms}
            over = sum(end.low > known.highest for end in ends.values())
            under = sum(end.high < known.highest for end in ends.values())
            chance = sum(end.low > known.uniform for end in ends.values())
            none = FAILS if over else HOLDS if ends and under == len(ends) else UNDECIDED
            some = {FAILS: HOLDS, HOLDS: FAILS}.get(none, UNDECIDED)
            best = sorted(ends.items(), key=lambda item: -item[1].mean)[:SHOWN]
            mean = sum(end.mean > known.highest for end in ends.values())
            found = (
                f"of {len(ends)} arms {over} hold more than {100 * known.highest:.2f}%, {under} hold less, and "
                f"{mean} are above it in the mean; {chance} hold more "
                f"than a random player; the most: {'; '.join(f'{name} {end}' for name, end in best[:2])}"
            )
            which, verdict = ("no", none) if backup == "added" else ("some", some)
            claim = f"(ours) {which} arm under {words} holds more won positions than the best fixed order of moves"
            claims.append(Claim(claim, verdict, found, dead_too=True))  # whatever they are
            values |= {f"{words}, {name}": str(end) for name, end in best}
            rows += [[f"{words}: {name}", str(end)] for name, end in best]
        return Finding(tuple(claims), values, rows)

    return judge


def arms_of(data: Data, backups: Mapping[Place, str], backup: str) -> list[Runs]:
    """The arms of a backup, each once."""
    return _without_repeats([runs for runs in data.curves if backups.get((runs.panel, runs.label)) == backup])


def _shares(known: Blind) -> dict[str, float]:
    return {
        f"a random player; also the mean of all {known.orders.sum():,} orders": known.uniform,
        "an order that 2.5% of orders pass": known.quantile(0.975),
        f"the best order, {' '.join('abc'[cell % SIZE] + str(cell // SIZE + 1) for cell in known.best)}": known.highest,
    }


def _without_repeats(curves: list[Runs]) -> list[Runs]:
    """Without curves that another figure shows too: they have the same numbers."""
    seen = {tuple(runs.end("held")): runs for runs in reversed(curves)}
    return list(reversed(seen.values()))
