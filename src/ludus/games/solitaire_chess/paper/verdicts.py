"""The judges of comparisons of search orders: a verdict for each claim, by a rule that was fixed before the run.

One rule for all: on average one order explores fewer positions than another, at every level. The share that it saves
(one less the quotient of the means) has an interval over seeds and puzzles, wide enough for four levels. The claim
holds if at every level the whole interval is above zero, and does not hold if at one level the whole interval is below
zero. The networks are the final ones. The same seeds and puzzles stand on both sides; the untrained network of a seed
is the one that this seed's training began with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper.counts import SETS, ratio, saved, table
from ludus.games.solitaire_chess.paper.words import BASELINE, DQN, EIGHTY, MORE, RANDOM, TARGET, UNTRAINED
from ludus.study.data import Data
from ludus.study.statistics import UNDECIDED, together, verdict
from ludus.study.study import Claim, Finding

ARMS = (DQN, EIGHTY, TARGET, MORE)


class Compared(NamedTuple):
    claim: Claim
    saved: list[str]  # by level


def fewer(claim: str, data: Data, order: str, other: str, words: str) -> Compared:
    """One order explores fewer positions than another at every level, on these sets of puzzles."""
    shares = [saved(data, order, other, name, len(LEVELS)) for name in SETS[words]]
    said = ["not run" if share is None else str(share) for share in shares]
    found = "; ".join(f"{level} {share}" for level, share in zip(LEVELS, said, strict=True))
    arms = tuple(("", name) for name in (order, other) if name in ARMS)
    decided = together([UNDECIDED if share is None else verdict(share) for share in shares])
    return Compared(
        Claim(f"{claim}, on {words}", decided, f"saved: {found}", arms), [f"{order} over {other}, on {words}", *said]
    )


def _finding(all_of: Sequence[Compared]) -> Finding:
    rows = [each.saved for each in all_of]
    values = {f"{row[0]}: {level}": cell for row in rows for level, cell in zip(LEVELS, row[1:], strict=True)}
    return Finding(tuple(each.claim for each in all_of), values, [["positions saved", *LEVELS], *rows])


def baseline(data: Data) -> Finding:
    """Figure 4: fewer positions than the baseline at every level. Of the network whose games begin at other puzzles, on
    fresh puzzles and on the eighty; and of the one whose games begin at the eighty, on these.
    """
    claim = "fewer positions than the baseline at every level"
    found = [fewer(claim, data, DQN, BASELINE, words) for words in SETS]
    found.append(fewer(f"{EIGHTY}: {claim}", data, EIGHTY, BASELINE, "the eighty"))
    sets = [name for some in SETS.values() for name in some]
    values = {f"{arm}: {name}": ratio(data, arm, name) for arm in (UNTRAINED, *ARMS) for name in sets}
    return Finding(tuple(each.claim for each in found), values, table(data, ARMS))


def untrained(data: Data) -> Finding:
    """(ours) The trained network explores fewer than the untrained one at every level: the measure of what is learned,
    as an untrained network already explores far less than the baseline at the hardest level.
    """
    return _finding(against("the trained network explores fewer than the untrained one", data, UNTRAINED))


def chance(data: Data) -> Finding:
    """(ours) Fewer positions than a random order at every level. The random order is no sample: it is the exact mean
    over all orders, for each puzzle (`search/puzzle/backtrack.py`).
    """
    return _finding(against("fewer positions than a random order", data, RANDOM))


def against(words: str, data: Data, other: str) -> list[Compared]:
    claim = f"(ours) {words} at every level"
    found = [fewer(claim, data, DQN, other, words) for words in SETS]
    found.append(fewer(f"{claim}; {EIGHTY}", data, EIGHTY, other, "the eighty"))
    return found + [fewer(f"{claim}; {arm}", data, arm, other, "fresh puzzles") for arm in (TARGET, MORE)]


def other_arms(data: Data) -> Finding:
    """(ours) What 8 times the steps bring, and a target network: fewer positions than the paper's DQN at every level,
    on fresh puzzles. And what it brings to begin at the eighty: fewer there than the DQN that begins elsewhere.
    """
    arms = ((MORE, "fresh puzzles"), (TARGET, "fresh puzzles"), (EIGHTY, "the eighty"))
    claim = f"fewer than {DQN} at every level"
    return _finding([fewer(f"(ours) {arm}: {claim}", data, arm, DQN, words) for arm, words in arms])
