"""Which modules of Ludus a command goes through, and which call each other: `python bench/walks.py`.

Five walks are traced, each in a process of its own: `ludus train`, `solve`, `play`, `reproduce`, and the page's
`POST /api/move`. Of each it prints the modules in the order of their first call, and the pairs of modules that call
each other both ways; then the pairs of all walks together, where one walk may go there and another back.

What is counted: a call of a function of module B from a function of module A. A callback (a function that A gives to
B) counts as a call of B to A, and so does a method of a class in A that its base class in B calls. What is not counted:
- what runs while a module is imported;
- records that are made, by the functions that Python writes for a dataclass;
- calls through code of others: JAX that traces a function, a library that calls back, a thread that begins. No source
  of ours has that call. A module that is reached in such a way alone stands in the order all the same.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FUNCTION = 0x1  # the flag of code that is a function's; a module's and a class's have it not (inspect.CO_OPTIMIZED)
GENERATED = "<string>"  # the file of what Python writes itself: a dataclass's functions
MOST = 3  # pairs both ways, over all walks


class Walk(NamedTuple):
    command: tuple[str, ...]  # after `ludus`; for the page, the path and the body of a request
    typed: str = ""


WALKS = {
    "train": Walk(("train", "hex", "--size", "3", "--games", "64", "--out", "trained")),
    "solve": Walk(("solve", "hex", "--size", "3")),
    "play": Walk(("play", "hex", "--against", "hex/best-3", "--seed", "1"), "hint\nb2\nopinion\nundo\nquit\n"),
    "page": Walk(("/api/move", '{"game": "hex", "options": {"size": 3}, "moves": ["b2"], "agent": "hex/best-3"}')),
    "reproduce": Walk(("reproduce", "lgame", "gamma", "--quick", "--out", "reproduced")),
}


class Traced(NamedTuple):
    """What a walk went through."""

    order: list[str]  # modules, by their first call
    calls: dict[str, list[str]]  # "A -> B" to all such calls, as "function -> function"

    @property
    def edges(self) -> set[tuple[str, str]]:
        return {(a, b) for a, _, b in (pair.partition(" -> ") for pair in self.calls)}


def both_ways(edges: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs of modules that call each other."""
    found = set(edges)
    return sorted((a, b) for a, b in found if a < b and (b, a) in found)


class Trace:
    """Listens to every call of this process, from here on."""

    def __init__(self) -> None:
        self.order: dict[str, None] = {}
        self.calls: dict[tuple[str, str], dict[tuple[CodeType, CodeType], None]] = {}

    def begin(self) -> None:
        threading.setprofile(self._heard)
        sys.setprofile(self._heard)

    def end(self) -> Traced:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        named = {
            f"{a} -> {b}": [f"{caller.co_qualname} -> {called.co_qualname}" for caller, called in found]
            for (a, b), found in self.calls.items()
        }
        return Traced(list(self.order), named)

    def _heard(self, frame: FrameType, event: str, arg: Any) -> None:
        if event != "call" or not (module := _module(frame)):
            return
        caller = frame.f_back
        if module not in self.order:
            if _importing(caller):
                return
            self.order[module] = None
        before = _module(caller)
        if caller is None or not before or before == module:
            return
        pair, found = (caller.f_code, frame.f_code), self.calls.get((before, module), {})
        if pair not in found and not _importing(caller):
            self.calls.setdefault((before, module), {})[pair] = None


def _module(frame: FrameType | None) -> str:
    """The module of a function that stands in a source of ours; empty for other code."""
    if frame is None or not frame.f_code.co_flags & FUNCTION or frame.f_code.co_filename == GENERATED:
        return ""
    name = frame.f_globals.get("__name__", "")
    return name if name.partition(".")[0] == "ludus" else ""


def _importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__", "").startswith("ludus"):
            return True
        frame = frame.f_back
    return False


def walk(name: str) -> Traced:
    """One walk, in this process and in the folder that it is in."""
    found = WALKS[name]
    trace = Trace()
    if name == "page":
        _ask(*found.command, begin=trace.begin)
    else:
        sys.argv = ["ludus", *found.command]
        trace.begin()
        from ludus.__main__ import main

        status = main()
        assert status in (0, None), f"ludus {' '.join(found.command)} ended with status {status}"
    return trace.end()


def _ask(path: str, body: str, begin: Callable[[], None]) -> None:
    from starlette.testclient import TestClient

    from ludus.web.app import make_app
    from ludus.web.guard import hosts_of

    app = make_app(Path("runs"), hosts_of("127.0.0.1", 8320), patience=10)
    with TestClient(app, base_url="http://127.0.0.1:8320") as client:
        begin()
        answer = client.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text


def traced(names: Sequence[str]) -> dict[str, Traced]:
    """Walks, each in a process and a folder of its own."""
    found = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trace.json"
            subprocess.run(
                [sys.executable, str(Path(__file__).resolve()), "--only", name, "--to", str(path)],
                input=WALKS[name].typed,
                text=True,
                check=True,
                cwd=folder,
                stdout=subprocess.DEVNULL,
                env=os.environ | {"JAX_PLATFORMS": "cpu"},
            )
            found[name] = Traced(**json.loads(path.read_text()))
    return found


def all_pairs(walks: Mapping[str, Traced]) -> list[tuple[str, str]]:
    return both_ways(edge for found in walks.values() for edge in found.edges)


def document(walks: Mapping[str, Traced]) -> dict[str, Any]:
    return {
        "walks": {name: {"modules": found.order, "both_ways": both_ways(found.edges)} for name, found in walks.items()},
        "both_ways": all_pairs(walks),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("walks", nargs="*", help=f"of {', '.join(WALKS)}; without any, all")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--only", choices=WALKS, help=argparse.SUPPRESS)  # what a process of its own is told
    parser.add_argument("--to", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.only:
        asked.to.write_text(json.dumps(walk(asked.only)._asdict()))
        return
    walks = traced(asked.walks or list(WALKS))
    if asked.json:
        print(json.dumps(document(walks)))
        return
    calls: dict[str, dict[str, None]] = {}
    for found in walks.values():
        for pair, said in found.calls.items():
            calls.setdefault(pair, {}).update(dict.fromkeys(said))
    for name, found in walks.items():
        print(f"{name}: {len(found.order)} modules, {len(found.edges)} pairs, {len(both_ways(found.edges))} both ways")
        print(*(f"  {module}" for module in found.order), sep="\n")
    print(f"both ways over all walks: {len(all_pairs(walks))}, and there should be {MOST} at most")
    for a, b in all_pairs(walks):
        print(f"  {a}, {b}")
        print(*(f"    {call}" for pair in (f"{a} -> {b}", f"{b} -> {a}") for call in calls[pair]), sep="\n")


if __name__ == "__main__":
    main()
