"""Ludus: board-game agents that learn by playing themselves, graded against the truth.

Importing this package loads nothing heavy. Its functions (`ludus.face`) are loaded when one is first used; everything
else is in the modules.
"""

from __future__ import annotations

import sys

from ludus.version import __version__ as __version__

TYPE_CHECKING = False  # `typing` is not loaded before Ctrl-C is answered
if TYPE_CHECKING:
    from typing import Any

    from ludus.face import agent as agent
    from ludus.face import evaluate as eval  # noqa: F401
    from ludus.face import evaluate as evaluate
    from ludus.face import game as game
    from ludus.face import ladder as ladder
    from ludus.face import match as match
    from ludus.face import reproduce as reproduce
    from ludus.face import runs as runs
    from ludus.face import solve as solve
    from ludus.face import tournament as tournament
    from ludus.face import train as train

#: `eval` is left out: `from ludus import *` would hide Python's own.
__all__ = [
    "agent",
    "evaluate",
    "game",
    "ladder",
    "match",
    "reproduce",
    "runs",
    "solve",
    "tournament",
    "train",
]
FUNCTIONS = {name: name for name in __all__} | {"eval": "evaluate"}


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        from ludus import face

        # A package of this name may be there by now: it can be called too.
        return globals().get(name) or getattr(face, FUNCTIONS[name])
    raise AttributeError(f"module 'ludus' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*globals(), *FUNCTIONS])


# `ludus.runs` and `ludus.ladder` are packages too, and as soon as one is imported it hides the function of its name. So
# such a package can be called, and does what the function does.


class _CallablePackage(type(sys)):
    @property
    def __signature__(self) -> Any:
        import inspect

        return inspect.signature(self._function)

    @property
    def _function(self) -> Any:
        from ludus import face

        return getattr(face, self.__name__.rpartition(".")[2])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)


class _Package(type(sys)):
    def __setattr__(self, name: str, value: Any) -> None:
        if name in FUNCTIONS and type(value) is type(sys.modules["sys"]):
            value.__class__ = _CallablePackage
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
