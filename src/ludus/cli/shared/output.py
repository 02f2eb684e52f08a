"""What a command prints: one JSON document, or tables for people."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ludus.core.results import Sheet
from ludus.core.text import shown

if TYPE_CHECKING:
    from ludus.core.results import Result


def print_json(document: Mapping[str, Any]) -> None:
    """The one JSON document of a command."""
    print(json.dumps(document, allow_nan=False))


def print_shown(text: str) -> None:
    """Text that may hold names of files or agents: control characters in them are made visible."""
    print("\n".join(map(shown, text.split("\n"))))


def print_parts(parts: Iterable[str | Sheet]) -> None:
    """Sentences and tables, for people."""
    for part in parts:
        if isinstance(part, Sheet):
            print_table(part.columns, part.rows, part.right)
        else:
            print_shown(part)


def print_result(result: Result, as_json: bool) -> None:
    """A result: its JSON document, or what people read of it."""
    if as_json:
        print_json(result.to_json())
    else:
        print_parts(result.parts())


def print_table(columns: Iterable[str], rows: Iterable[Iterable[str]], right: Sequence[str] = ()) -> None:
    """A table for people, or a list where the terminal is too narrow for it. Columns in `right` hold numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    head, cells = tuple(columns), [tuple(map(shown, row)) for row in rows]
    console = Console(markup=False, highlight=False)
    widths = _widths([head, *cells], console.width - 3 * len(head))  # Rich puts three characters between columns
    if widths is None:
        return print("\n".join(_as_list(head, cells, console.width)))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, width in zip(head, widths, strict=True):
        table.add_column(column, justify="right" if column in right else "left", width=width)
    for row in cells:
        table.add_row(*row)
    with console.capture() as captured:  # if Rich printed it, a closed pipe would end the process in Rich's way
        console.print(table)
    print(captured.get(), end="")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The width of each column, so that no word is broken or cropped; None if they do not fit."""
    columns = list(zip(*rows, strict=True))
    wanted = [max(map(len, column)) for column in columns]
    widths = [max([1, *(len(word) for text in column for word in text.split())]) for column in columns]
    if sum(widths) > room:
        return None
    for _ in range(room - sum(widths)):  # each spare character goes to the column that would wrap most
        most = max(range(len(widths)), key=lambda k: wanted[k] / widths[k])
        widths[most] += wanted[most] > widths[most]
    return widths


def _as_list(head: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Iterable[str]:
    """The table as a list: the cells of a row below each other, indented under the first."""
    for row in cells:
        for place, (name, text) in enumerate(zip(head, row, strict=True)):
            line = f"{name}: {text or '-'}" if name else text
            indent = "  " if place else ""
            yield textwrap.fill(
                line, max(width, 10), initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
            )
