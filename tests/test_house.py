"""The laws of the house: no layer knows a game, imports go one way and never in a circle, and old names stay away."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "src" / "ludus"
LAYERS = (
    *("version", "stopping", "errors", "core", "games", "play", "search", "truth", "networks", "learners", "runs"),
    *("agents", "training", "ladder", "study", "workbench"),
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


# --- circles ------------------------------------------------------------------------------------------------------


def imported(text: str, known: Collection[str]) -> set[str]:
    """The modules that a text imports, at its top or in a function. What only a type checker reads is no import, nor is
    the name of a room's part, which the registry loads.
    """
    tree = ast.parse(text)
    checked = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    unread = {id(node) for block in checked for statement in block.body for node in ast.walk(statement)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {full if full in known else node.module for full in names.values()}
    return found & set(known)


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The sets of modules that import each other, by way of others or at once (strongly connected, by Tarjan)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        order[module] = low[module] = len(order)
        stack.append(module)
        for other in graph[module]:
            if other not in order:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], order[other])
        if low[module] == order[module]:
            at = stack.index(module)
            together = stack[at:]
            del stack[at:]
            if len(together) > 1 or module in graph[module]:
                found.append(sorted(together))

    for module in graph:
        if module not in order:
            visit(module)
    return found


def graph_of(texts: Mapping[str, str]) -> dict[str, set[str]]:
    return {module: imported(text, texts) for module, text in texts.items()}


def test_imports_go_in_no_circle() -> None:
    assert circles(graph_of(dict(modules()))) == []


@pytest.mark.parametrize(
    "texts",
    [
        {"a": "import b", "b": "from a import f"},
        {"a": "import b", "b": "def f():\n    from c import g", "c": "import a"},
        {"a": "from p import b", "p.b": "import a", "p": ""},
        {"p": "def f():\n    from p import a", "p.a": "from p import version"},
        {"a": "import a"},
    ],
)
def test_a_circle_is_seen(texts: dict[str, str]) -> None:
    assert circles(graph_of(texts))


@pytest.mark.parametrize(
    "texts",
    [
        {"a": "import b\nimport c", "b": "import c", "c": "import os"},
        {"a": "import b", "b": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a"},
        {"p": "from p.a import f", "p.a": "from p.b import g", "p.b": ""},
    ],
)
def test_what_is_no_circle_is_none(texts: dict[str, str]) -> None:
    assert not circles(graph_of(texts))


# --- words --------------------------------------------------------------------------------------------------------

#: How a game is named, or what only it has.
GAMES = {
    "hex": r"hex(?!agon|digest)",
    "lgame": r"\bl-?game",
    "abalone": r"abalone|marble",
    "solitaire-chess": r"chess",
}
#: Where a layer may name one: an example of what is typed, of what something is called, or of what is counted.
EXAMPLES = "|".join(
    (
        r"\bludus( [\w-]+)+",  # a command
        r"\b(lgame|hex|abalone|solitaire-chess)/\w",  # an agent
        r"LGame\(cap=100\)|\blgame cap=",  # a game with an option
        r"\(hex 5 x 5\)|\(abalone\)|: lgame, hex",
        r"ludus\.\w+\(.*['\"](lgame|hex|abalone|solitaire-chess)['\"]",  # a function and what it is given
        r"^ *ludus\.errors\.BadInput: hex move",
        r"a marble, a stone|\(marbles\)|: marbles|\(a marble|^ *marbles  ",
        r"Hex text protocol",  # as it is called, of which any room may have its own
        r"\bin the L-Game paper|for the L-Game with Variable",  # a paper
        r"`games\.abalone\.",
    )
)


def namings(text: str) -> list[str]:
    """The lines of a text that name a game, and are no example."""
    lines = [line for line in text.splitlines() if any(re.search(word, line, re.I) for word in GAMES.values())]
    return [line for line in lines if not re.search(EXAMPLES, line)]


def test_a_layer_names_a_game_as_an_example_alone() -> None:
    found = {module: namings(text) for module, text in modules() if not module.startswith("ludus.games")}
    assert {module: lines for module, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        'if game.name == "hex":',
        "The L-Game is learned as a table.",
        "from ludus.games import lgame",
        "half a marble is enough",
        "def for_abalone(game: Game) -> None:",
        'if name in ("solitaire-chess",):',
        "as in chess",
    ],
)
def test_a_game_that_is_named_is_seen(line: str) -> None:
    assert namings(line) == [line]


#: Classes and modules that have other names now, of the field or their own.
FORMER = {
    *("Mind", "Minds", "Thinker", "Thought", "Weighed", "Mover", "Engine", "EngineThinker", "EngineAgent"),
    *("SearchingAgent", "Together", "Timed", "AtBoard", "ProgramThinker", "ProgramAgent", "Searcher", "Analyst"),
    *("Adviser", "Opponent", "Speech", "Once", "Sight", "Looking", "Store"),
}
#: And functions.
FORMER_FUNCTIONS = {"once", "sight", "looking", "rests", "apart", "selves", "nothing", "refuse_thoughtless", "weighed"}


def former(module: str, text: str) -> Iterator[str]:
    """The names of old in a module: its own, its classes' and functions', and the variable `selves`."""
    if module.rpartition(".")[2].replace("_", "") in {name.lower() for name in FORMER}:
        yield module
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef) and node.name.strip("_") in FORMER:
            yield f"{module}: class {node.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") in FORMER_FUNCTIONS:
            yield f"{module}: def {node.name}"
        elif isinstance(node, ast.Name) and node.id == "selves":
            yield f"{module}: {node.id}"


def test_old_names_stay_away() -> None:
    assert [found for module, text in modules() for found in former(module, text)] == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("ludus.play.mind", ""),
        ("ludus.play.player", "class Thinker: ..."),
        ("ludus.core.barrier", "def once(f): ..."),
        ("ludus.learners.td", "async def apart(): ..."),
        ("ludus.training.train", "for selves in (): ..."),
        ("ludus.search.tree", "class A:\n    def _looking(self): ..."),
        ("ludus.agents.atboard", "class _AtBoard: ..."),
    ],
)
def test_an_old_name_is_seen(module: str, text: str) -> None:
    assert list(former(module, text))
