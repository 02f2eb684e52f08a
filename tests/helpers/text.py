"""Texts to try on a parser, and what may come of it: a value, or one sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from ludus.errors import BadInput


def sentence(error: BaseException) -> str:
    """The message of a refusal, which is one line and ends with a full stop."""
    message = str(error)
    assert message.splitlines() == [message], f"not one line: {message!r}"
    assert message == message.strip()
    assert message.endswith(".")
    return message


def refusal(read: Callable[..., Any], *given: Any, **options: Any) -> str:
    """The sentence with which this is refused."""
    with pytest.raises(BadInput) as caught:
        read(*given, **options)
    return sentence(caught.value)


def read_or_refuse(read: Callable[[str], Any], text: str) -> Any:
    """What is read, or None after a proper refusal. Anything else that is raised is a fault."""
    try:
        return read(text)
    except BadInput as error:
        sentence(error)
        return None


def one_line(text: str) -> bool:
    return len(f"-{text}-".splitlines()) == 1


def rough_texts(letters: str, examples: list[str]) -> st.SearchStrategy[str]:
    """Any text at all; text of a notation's own letters; and good texts with a slip of the finger."""

    def slip(parts: tuple[str, int, int, str]) -> str:
        text, begin, length, typed = parts
        begin %= len(text) + 1
        return text[:begin] + typed + text[begin + length :]

    some = st.text(letters, max_size=4) | st.text(max_size=2)
    slips = st.tuples(st.sampled_from(examples), st.integers(0, 200), st.integers(0, 3), some).map(slip)
    return st.one_of(st.text(max_size=40), st.text(letters, max_size=100), slips)
