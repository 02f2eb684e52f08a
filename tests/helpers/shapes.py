"""jaxtyping's hook (pyproject.toml) checks shapes as the tests run. Each check of a call costs some 30 microseconds, a
fifth of all tests' time; so functions whose signatures have no shapes are left as they are: pyright knows their types.

To be imported before anything of Ludus is.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import jaxtyping

#: Float[Array, "B A"] and its like.
SHAPE = re.compile(r"\w\[(?:[\w.]+\.)?(?:Array|ndarray)\b")
_every = jaxtyping.jaxtyped


def has_shapes(function: Any) -> bool:
    """Whether its signature has shapes; its annotations may be strings."""
    return any(SHAPE.search(str(found)) for found in getattr(function, "__annotations__", {}).values())


def _jaxtyped(function: Any = None, **options: Any) -> Any:
    """The decorator that the hook puts on every function, where there are shapes; else nothing."""
    if function is None:
        return lambda decorated: _jaxtyped(decorated, **options)
    if inspect.isfunction(function) and not has_shapes(function):
        return function
    return _every(function, **options)


assert "ludus" not in sys.modules, "too late: functions of Ludus have been decorated already"
jaxtyping.jaxtyped = _jaxtyped
