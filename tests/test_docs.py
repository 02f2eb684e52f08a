"""The documents name files, modules, commands and links that are there. Text is read; nothing of it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from test_house import LAYERS

from ludus.cli import COMMANDS

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "ludus"
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
#: Names of older trees: what has changed, and which test noticed a fault at which commit.
HISTORY = [ROOT / "CHANGELOG.md", ROOT / "docs" / "faults.md"]
#: An example's room and module, a script that is not ours, MoHex's own.
ELSEWHERE = re.compile(r"mygame|my_module|AZ_HEX\.py|tournament/twogtp\.py")

CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FILE = re.compile(r"(?<![\w./*-])([\w./-]+\.py)(?::([A-Za-z]\w*))?")
MODULE = re.compile(r"(?<![\w./-])ludus((?:\.\w+)+)")
COMMAND = re.compile(r"(?<![\w-])(?<!from )ludus ([a-z][\w-]*)")


@cache
def file_names() -> frozenset[str]:
    return frozenset(path.name for top in ("src", "tests", "bench", "tools") for path in (ROOT / top).rglob("*.py"))


def file_of(name: str) -> Path | None:
    """A file by its path from the root, from `src/ludus` or from `tests`."""
    return next((at for top in (ROOT, SOURCE, ROOT / "tests") if (at := top / name).is_file()), None)


def defines(path: Path, name: str) -> bool:
    return bool(re.search(rf"(?:\b(?:class|def) |^\s*){name}\b\s*[(:=\[]", path.read_text(), re.MULTILINE))


def module_is_there(dotted: str) -> bool:
    """Whether the names after `ludus` lead to a module, or to a name that a module has."""
    at, names = SOURCE, dotted.strip(".").split(".")
    while names and (at / names[0]).is_dir():
        at /= names.pop(0)
    if names and (at / f"{names[0]}.py").is_file():
        at /= f"{names.pop(0)}.py"
    text = (at if at.is_file() else at / "__init__.py").read_text()
    return not names or bool(re.search(rf"\b{names[0]}\b", text))


def faults(page: Path, text: str) -> Iterator[str]:
    """What a page names that is not there."""
    for target in LINK.findall(text):
        path = target.partition("#")[0]
        if path and "://" not in path and not (page.parent / path).exists():
            yield f"{page.name}: there is no {path} to link to"
    if page in HISTORY:
        return
    for code in CODE.findall(text):
        for name, defined in FILE.findall(code):
            if ELSEWHERE.search(name):
                continue
            path = file_of(name)
            if path is None and ("/" in name or name not in file_names()):
                yield f"{page.name}: there is no file {name}"
            elif defined and (path is None or not defines(path, defined)):
                yield f"{page.name}: {name} has no {defined}"
        for dotted in MODULE.findall(code):
            if not ELSEWHERE.search(dotted) and not module_is_there(dotted):
                yield f"{page.name}: there is no ludus{dotted}"
        for command in COMMAND.findall(code):
            if command not in COMMANDS:
                yield f"{page.name}: there is no command ludus {command}"


def test_all_that_the_documents_name_is_there() -> None:
    assert not [fault for page in (*PAGES, *HISTORY) for fault in faults(page, page.read_text())]


def test_a_page_of_all_commands_names_each() -> None:
    named = COMMAND.findall((ROOT / "docs" / "commands.md").read_text())
    assert set(COMMANDS) <= set(named)


def test_the_table_of_layers_has_them_in_the_order_of_imports() -> None:
    table = (
        (ROOT / "CONTRIBUTING.md").read_text().partition("| layer, in the order of imports |")[2].partition("\n\n")[0]
    )
    first_cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    assert re.findall(r"`(\w+)`", " ".join(first_cells)) == [name for name in LAYERS if name != "adapters"]


@pytest.mark.parametrize(
    "text",
    [
        "[a page](docs/nowhere.md)",
        "`play/nobody.py`",
        "`nobody.py`",
        "`play/player.py:Nobody`",
        "`ludus.play.nobody`",
        "`ludus.agents.mind.Mind`",
        "`ludus conquer hex`",
        "```\n.venv/bin/ludus conquer hex   # it does not\n```",
    ],
)
def test_what_is_not_there_is_seen(text: str) -> None:
    assert list(faults(ROOT / "README.md", text))


@pytest.mark.parametrize(
    "text",
    [
        "[a page](docs/glossary.md#hex)",
        "[elsewhere](https://example.org/nowhere.md)",
        "`src/ludus/play/player.py`, `play/player.py:Player`, `test_docs.py`",
        "`ludus.play.player.Player`, `ludus.solve`",
        "```\n.venv/bin/ludus play hex\n```",
        "`mygame/rules.py`",
    ],
)
def test_what_is_there_is_not_blamed(text: str) -> None:
    assert not list(faults(ROOT / "README.md", text))
