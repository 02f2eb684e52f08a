"""The judges of comparisons of search orders: a verdict for each claim, by a rule that was fixed before the run.

One rule for all: on average one order explores fewer positions than another, at every level. The share that it saves
(one less the quotient of the means) has an interval over seeds and puzzles, wide enough for four levels. The claim
holds if at every level the whole interval is above zero, and does not hold if at one level the whole interval is below
zero. The networks are the final ones. The same seeds and puzzles stand on both sides; the untrained network of a seed
is the one that this seed's training began with.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludus.games.solitaire_chess import LEVELS
from ludus.games.solitaire_chess.paper.counts import SETS, ratio, saved, table
from ludus.games.solitaire_chess.paper.words import BASELINE, DQN, EIGHTY, MORE, RANDOM, TARGET, UNTRAINED
from ludus.study.data import Data
from ludus.study.statistics import UNDECIDED, together, verdict
from ludus.study.study import Claim, Finding

ARMS = (DQN, EIGHTY, TARGET, MORE)


def fewer(claim: str, data: Data, order: str, other: str, words: str) -> Claim:
    """One order explores fewer positions than another at every level, on these sets of puzzles."""
    verdicts, found = [], []
    for level, name in zip(LEVELS, SETS[words], strict=True):
        share = saved(data, order, other, name, len(LEVELS))
        verdicts.append(UNDECIDED if share is None else verdict(share))
        found.append(f"{level} {'not run' if share is None else share}")
    arms = tuple(("", name) for name in (order, other) if name in ARMS)
    return Claim(f"{claim}, on {words}", together(verdicts), f"saved: {'; '.join(found)}", arms)


def _finding(data: Data, claims: Sequence[Claim]) -> Finding:
    sets = [name for some in SETS.values() for name in some]
    values = {f"{arm}: {name}": ratio(data, arm, name) for arm in (UNTRAINED, *ARMS) for name in sets}
    return Finding(tuple(claims), values, table(data, ARMS))


def baseline(data: Data) -> Finding:
    """Figure 4: fewer positions than the baseline at every level. Of the network whose games begin at other puzzles, on
    fresh puzzles and on the eighty; and of the one whose games begin at the eighty, on these.
    """
    claim = "fewer positions than the baseline at every level"
    claims = [fewer(claim, data, DQN, BASELINE, words) for words in SETS]
    claims.append(fewer(f"{EIGHTY}: {claim}", data, EIGHTY, BASELINE, "the eighty"))
    return _finding(data, claims)


def untrained(data: Data) -> Finding:
    """(ours) The trained network explores fewer than the untrained one at every level: the measure of what is learned,
    as an untrained network already explores far less than the baseline at the hardest level.
    """
    claim = "(ours) the trained network explores fewer than the untrained one at every level"
    claims = [fewer(claim, data, DQN, UNTRAINED, words) for words in SETS]
    claims.append(fewer(f"{claim}; {EIGHTY}", data, EIGHTY, UNTRAINED, "the eighty"))
    claims += [fewer(f"{claim}; {arm}", data, arm, UNTRAINED, "fresh puzzles") for arm in (TARGET, MORE)]
    return _finding(data, claims)


def chance(data: Data) -> Finding:
    """(ours) Fewer positions than a random order at every level. The random order is no sample: it is the exact mean
    over all orders, for each puzzle (`search/puzzle/backtrack.py`).
    """
    claim = "(ours) fewer positions than a random order at every level"
    claims = [fewer(claim, data, DQN, RANDOM, words) for words in SETS]
    claims.append(fewer(f"{claim}; {EIGHTY}", data, EIGHTY, RANDOM, "the eighty"))
    claims += [fewer(f"{claim}; {arm}", data, arm, RANDOM, "fresh puzzles") for arm in (TARGET, MORE)]
    return _finding(data, claims)


def other_arms(data: Data) -> Finding:
    """(ours) What 8 times the steps bring, and a target network: fewer positions than the paper's DQN at every level,
    on fresh puzzles. And what it brings to begin at the eighty: fewer there than the DQN that begins elsewhere.
    """
    claims = [
        fewer(f"(ours) {arm}: fewer than {DQN} at every level", data, arm, DQN, words)
        for arm, words in ((MORE, "fresh puzzles"), (TARGET, "fresh puzzles"), (EIGHTY, "the eighty"))
    ]
    return _finding(data, claims)
