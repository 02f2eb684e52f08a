"""The board sizes that can be solved: 2 and 3 as a game graph, 4 by tablebase, 5 to 8 by proof search. Agents are
graded, and there is a perfect player, up to 7; every defence is followed up to 5. With the swap rule only 2 and 3.
"""

from __future__ import annotations

GRAPH, TABLE, FOLLOWED, GRADED, SEARCH = 3, 4, 5, 7, 8  # the largest board of each


def unsolved(size: int, swap: bool) -> str | None:
    """Why a board cannot be solved; None if it can."""
    if swap and size > GRAPH:
        return f"hex is solved with the swap rule on boards of 2 and {GRAPH} alone, not {size}; leave --swap out."
    if size > SEARCH:
        why = f"hex is solved on boards of 2 to {SEARCH}, not {size}; give another --size"
        return f"{why} (perfect plays up to {GRADED})."
    return None
