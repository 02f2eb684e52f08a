"""Ludus: board-game agents that learn by playing themselves, graded against the truth.

Importing this package loads nothing heavy. Its four functions (`ludus.face`) are loaded when one is first used;
everything else is in the modules.
"""

from __future__ import annotations

from ludus.version import __version__ as __version__

TYPE_CHECKING = False  # `typing` is not loaded before Ctrl-C is answered
if TYPE_CHECKING:
    from typing import Any

    from ludus.face import agent as agent
    from ludus.face import game as game
    from ludus.face import solve as solve
    from ludus.face import train as train

__all__ = ["agent", "game", "solve", "train"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from ludus import face

        return getattr(face, name)
    raise AttributeError(f"module 'ludus' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
