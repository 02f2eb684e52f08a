"""The two laws of the house: no layer knows a game, and imports go one way. Every import is read, wherever it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "ludus"
LAYERS = (
    *("version", "stopping", "errors", "core", "games", "play", "search", "truth", "networks", "learners", "runs"),
    *("agents", "training", "ladder", "study"),
    *("bench", "face", "cli", "web", "adapters"),
)
SHELLS = {"cli", "web", "adapters"}
ROOMS = {path.name for path in (ROOT / "games").iterdir() if path.is_dir() and (path / "__init__.py").exists()}
#: What the strictest parts of a room may import beside their own room.
STRICT = {"__init__": {"core"}, "rules": {"core", "errors"}, "notation": {"core", "errors"}, "reference": set()}


def modules() -> Iterator[tuple[str, str]]:
    """Every module of the package, by its dotted name, with its text."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path.read_text()


def imports(text: str) -> Iterator[str]:
    """The modules of Ludus that a text imports, at its top or in a function, and those that it names in a string."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "ludus")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ludus":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\bludus\.games\.\w+(?:\.\w+)*", node.value)


def faults(module: str, text: str) -> Iterator[str]:
    """What a module imports against the laws."""
    where = module.split(".")
    room = where[2] if where[1:2] == ["games"] and len(where) > 2 else None
    for name in imports(text):
        parts = [*name.split("."), "", ""]
        layer, its_room = parts[1], parts[2] if parts[1] == "games" and parts[2] in ROOMS else None
        if layer not in LAYERS:  # a name of the package itself
            continue
        if room is not None:
            allowed = STRICT.get(where[3] if len(where) > 3 else "__init__")
            if its_room not in (None, room):
                yield f"{module}: a room imports another room, {name}"
            elif its_room is None and layer in SHELLS:
                yield f"{module}: a room imports a shell, {name}"
            elif allowed is not None and its_room is None and layer not in allowed:
                yield f"{module}: this part of a room may not import {name}"
            elif where[3:4] == ["reference"]:
                yield f"{module}: slow rules import nothing of Ludus, not {name}"
        elif its_room is not None and where[1:] != ["games"]:
            yield f"{module}: a layer names a room, {name}"
        elif len(where) > 1 and where[1] in LAYERS and LAYERS.index(layer) > LAYERS.index(where[1]):
            yield f"{module}: an import points back, to {name}"
        elif len(where) > 1 and layer in SHELLS and where[1] not in (layer, "__main__"):
            yield f"{module}: a shell is imported, {name}"


def test_imports_go_one_way_and_no_layer_names_a_room() -> None:
    assert not [fault for module, text in modules() for fault in faults(module, text)]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("ludus.agents.find", "from ludus.games.hex.rules import Hex"),
        ("ludus.learners.dqn", "def f():\n    import ludus.games.lgame.rules"),
        ("ludus.study.grid", "where = 'ludus.games.abalone.twin:moves'"),
        ("ludus.core.game", "from ludus.play import selfplay"),
        ("ludus.truth.exact", "from ludus.agents.find import NetworkPlayer"),
        ("ludus.training.train", "from ludus.cli import common"),
        ("ludus.games.hex.truth", "from ludus.games.abalone import rules"),
        ("ludus.games.hex.rules", "from ludus.play.selfplay import stream"),
        ("ludus.games.hex.reference", "from ludus.errors import BadInput"),
        ("ludus.games.hex.reference", "from ludus.games.hex.notation import read"),
        ("ludus.games.hex.recipes", "from ludus.cli.train import train"),
        ("ludus.games.hex", "from ludus.games.hex.rules import Hex\nfrom ludus.play import arena"),
    ],
)
def test_a_broken_law_is_seen(module: str, text: str) -> None:
    assert list(faults(module, text))


def test_every_module_has_its_place() -> None:
    places = {name.split(".")[1] for name, _ in modules() if "." in name}
    assert places <= {*LAYERS, "__main__"}


def test_outside_its_room_hex_is_only_a_hexagon_or_an_example() -> None:
    for module, text in modules():
        if module.startswith("ludus.games.hex"):
            continue
        lines = [line for line in text.splitlines() if re.search(r"hex(?!agon|digest)", line, re.IGNORECASE)]
        allowed = r"ludus \w+ .*hex|lgame, hex|\(hex 5 x 5\)|the Hex text protocol"  # which a command is named after
        shown = [line for line in lines if not re.search(allowed, line)]
        assert not shown or module == "ludus.games", f"{module}: {shown}"
