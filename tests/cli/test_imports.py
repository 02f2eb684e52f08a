"""The law of the command line: what two commands need is in `cli/shared`; no command imports another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus.cli
from ludus.cli import COMMANDS, SHELLS

FOLDER = Path(ludus.cli.__file__).parent
OWN = {name for name in COMMANDS if name not in SHELLS}


def modules() -> Iterator[tuple[str, str]]:
    """Every module of the command line, by its dotted name inside `ludus.cli`, with its text."""
    for path in sorted(FOLDER.rglob("*.py")):
        yield (
            path.relative_to(FOLDER).with_suffix("").as_posix().removesuffix("/__init__").replace("/", "."),
            path.read_text(),
        )


def faults(module: str, text: str) -> Iterator[str]:
    """What a module imports of a command that is not its own, at its top or in a function."""
    own = module.split(".")[0]
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + f"{node.module or ''}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if name.startswith("."):
                yield f"{module}: a relative import cannot be checked, {name}"
            elif parts[:2] == ["ludus", "cli"] and parts[2:3] and parts[2] in OWN - {own}:
                yield f"{module}: imports the command {name}"


def test_no_command_imports_another() -> None:
    assert not [fault for module, text in modules() for fault in faults(module, text)]


def test_every_module_is_a_command_or_shared() -> None:
    assert {module.split(".")[0] for module, _ in modules()} == OWN | {"__init__", "shared"}


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("match", "from ludus.cli.eval import game_for"),
        ("match", "from ludus.cli import tournament"),
        ("htp", "def f():\n    import ludus.cli.play.session"),
        ("shared.hints", "from ludus.cli.solve.puzzle import BASELINE"),
        ("solve.exact", "from ..train import train"),
    ],
)
def test_a_broken_law_is_seen(module: str, text: str) -> None:
    assert list(faults(module, text))


def test_a_command_may_import_its_own_package_and_what_is_shared() -> None:
    assert not list(faults("solve.exact", "from ludus.cli.solve.problem import Problem\nimport ludus.cli.shared.lines"))
