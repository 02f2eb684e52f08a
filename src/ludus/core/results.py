"""Results as people, programs and notebooks read them: sentences, tables, pictures and JSON. It needs no JAX."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator
from typing import Any, NamedTuple

from ludus.core.text import shown


class Sheet(NamedTuple):
    """A table: the names of its columns and the cells of its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    right: tuple[str, ...] = ()  # the columns that hold numbers

    def lines(self) -> Iterator[str]:
        """The table in plain characters."""
        rows = [tuple(map(shown, row)) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(self.columns, *rows, strict=True)]
        for row in (self.columns, *rows):
            cells = (
                f"{cell:>{width}}" if name in self.right else f"{cell:<{width}}"
                for name, cell, width in zip(self.columns, row, widths, strict=True)
            )
            yield "  ".join(cells).rstrip()

    def to_html(self) -> str:
        def row(cells: tuple[str, ...], tag: str) -> str:
            sides = ("right" if name in self.right else "left" for name in self.columns)
            pairs = zip(sides, cells, strict=True)
            made = (f'<{tag} style="text-align: {side}">{escaped(cell)}</{tag}>' for side, cell in pairs)
            return f"<tr>{''.join(made)}</tr>"

        head, body = row(self.columns, "th"), "".join(row(cells, "td") for cells in self.rows)
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


class Picture(NamedTuple):
    """A drawing, for readers who can see one."""

    svg: str

    def to_html(self) -> str:
        # As an image: two drawings in one document may use the same names inside.
        return f'<img src="data:image/svg+xml;base64,{base64.b64encode(self.svg.encode()).decode()}"/>'


class Result:
    """A result. `str` of it is what people read, a notebook shows it with its tables and pictures, and `to_json` is the
    document of the command that gives the same.
    """

    def to_json(self) -> dict[str, Any]:
        """The result as a JSON document, with the keys of the command's `--json`."""
        raise NotImplementedError

    def parts(self) -> Iterator[str | Sheet]:
        """What people read: sentences and tables, in their order."""
        raise NotImplementedError

    def to_svg(self) -> str | None:
        """The result as an SVG picture; None if it has none."""
        return None

    def __str__(self) -> str:
        lines = (part.lines() if isinstance(part, Sheet) else map(shown, part.split("\n")) for part in self.parts())
        return "\n".join(line for part in lines for line in part)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        made = [part.to_html() if isinstance(part, Sheet) else f"<pre>{escaped(part)}</pre>" for part in self.parts()]
        picture = self.to_svg()
        return "".join(made if picture is None else [*made, Picture(picture).to_html()])

    def _repr_svg_(self) -> str | None:
        return self.to_svg()


def escaped(text: str) -> str:
    """A text as HTML: names may come from other people's folders and files."""
    return html.escape("\n".join(map(shown, text.split("\n"))))
