"""A paper's page: Markdown whose tables are made from `verdicts.json`, so that no number is typed by hand.

The engine writes what stands between two marks; a person writes the rest of the page:

    <!-- made: verdicts -->        a row for every claim: figure, claim, what was found, how many of the networks
                                   that it compares live (in the worst arm), verdict
    <!-- made: table backups -->   the table of one figure
    <!-- made: values backups -->  all values of one figure
    <!-- made: value backups/SARSA -->...<!-- end -->   one of them, within a sentence
    <!-- end -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ludus.errors import BadInput
from ludus.runs.files import read_object, write_file
from ludus.study.reproduce import VERDICTS, writing

Maker = Callable[[dict[str, Any], str], str]  # from what is known, and what the mark says
MARK = re.compile(r"(<!-- made: (\w+) ?([^>]*?) ?-->)(.*?)(<!-- end -->)", re.DOTALL)


def fill(page: Path, folder: Path) -> None:
    """Fill the page from the folder's verdicts."""
    text = filled(page.read_text(encoding="utf-8"), read_object(folder / VERDICTS))
    with writing(page):
        write_file(page, text.encode())


def filled(text: str, known: dict[str, Any], makers: Mapping[str, Maker] | None = None) -> str:
    """The text with what stands between its marks made by these makers; by default those of a paper's page."""
    makers = MAKERS if makers is None else makers

    def make(match: re.Match[str]) -> str:
        begin, kind, what, _, end = match.groups()
        if kind not in makers:
            raise BadInput(f"a page has no '{kind}' to be made; there are {', '.join(makers)}.")
        return begin + makers[kind](known, what) + end

    return MARK.sub(make, text)


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n" + "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _verdicts(known: dict[str, Any], what: str) -> str:
    """A row for each claim, of all figures or of those named."""
    wanted = what.split() or list(known["figures"])
    rows = []
    for name in wanted:
        figure = _figure(known, name)
        for claim in figure["claims"]:
            rows.append([name, claim["claim"], claim["found"], claim.get("networks", ""), decided(claim)])
    return table(["id", "claim", "found", "networks alive", "verdict"], rows)


def decided(claim: dict[str, Any]) -> str:
    """A verdict, with what its reader must know."""
    return f"**{claim['verdict']}**" + (f" ({claim['remark']})" if claim.get("remark") else "")


def _figure_table(known: dict[str, Any], what: str) -> str:
    head, *rows = _figure(known, what)["table"]
    return table(head, rows)


def _values(known: dict[str, Any], what: str) -> str:
    return table(["", what], [[name, value] for name, value in _figure(known, what)["values"].items()])


def _value(known: dict[str, Any], what: str) -> str:
    name, _, value = what.partition("/")
    values = _figure(known, name)["values"]
    if value not in values:
        raise BadInput(f"{name} has no value '{value}'; there are {', '.join(values)}.")
    return values[value]


def _figure(known: dict[str, Any], name: str) -> dict[str, Any]:
    if name not in known["figures"]:
        raise BadInput(f"the verdicts have no figure '{name}'; there are {', '.join(known['figures'])}.")
    return known["figures"][name]


MAKERS: dict[str, Maker] = {
    "verdicts": _verdicts,
    "values": _values,
    "value": _value,
    "table": _figure_table,
}
