"""How far the truth about Hex reaches, said once: 2 and 3 as a graph, 4 by a table, 5 to 8 by proof search; agents are
graded and met by a perfect player up to 7, and every defence is followed up to 5. With the swap rule, 2 and 3 alone.
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
