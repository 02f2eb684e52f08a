"""Callbacks of long work, which calls them now and then; what they raise ends the work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Told progress: a sentence, and whether it is the last of its kind. An empty sentence says nothing: it only gives the
#: callback the chance to raise.
Watch = Callable[[str, bool], Any]


def nobody(sentence: str, last: bool) -> None:
    """The watch that does nothing."""
