"""Input that is read line by line: from stdin, and from files of positions, where each line gets its own answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.cli.shared.explain import one_line
from ludus.errors import BadInput

if TYPE_CHECKING:
    from typing import TextIO

MAX_FILE, MAX_LINE = 1 << 24, 1 << 16  # characters


def read_line(stream: TextIO) -> str:
    """The next line of input, empty at the end of input. A line that is too long is refused."""
    line = stream.readline(MAX_LINE + 1)
    if len(line) > MAX_LINE:
        raise BadInput(f"a line of the input has more than {MAX_LINE:,} characters; give one a line.")
    return line


def read_lines(path: Path) -> list[str]:
    """The lines of a text file of positions."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            text = stream.read(MAX_FILE + 1)
    except UnicodeDecodeError:
        text = "\0"
    except (OSError, ValueError) as error:  # ValueError: a name no file can have
        reason = error.strerror if isinstance(error, OSError) else None
        raise BadInput(f"cannot read '{path}': {reason or error}; give a file with one position a line.") from None
    if "\0" in text:
        raise BadInput(f"'{path}' is not a text file in UTF-8; give one with one position a line.")
    if len(text) > MAX_FILE:
        raise BadInput(f"'{path}' has more than {MAX_FILE:,} characters; divide it into smaller files.")
    return text.removesuffix("\n").split("\n") if text else []


def answer_lines(
    lines: Iterable[str], answer: Callable[[int, str], tuple[dict[str, Any], str]], as_json: bool
) -> list[dict[str, Any]]:
    """Answer each line: result n is for line n, or says why that line was refused. `answer` gives a result as JSON and
    in words; where people read them, the words are printed at once.
    """
    results = []
    for number, line in enumerate(lines, start=1):
        try:
            result, said = answer(number, line)
        except BadInput as error:
            said = f"line {number}: {one_line(str(error))}"
            result = {"error": said}
        results.append(result)
        if not as_json:
            print(said, flush=True)
    return results
