"""The walks through the source: how they are traced, and that CONTRIBUTING tells of them what the trace says."""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILE = re.compile(r"`((?:\w+/)*\w+\.py)`")


def script() -> types.ModuleType:
    found = importlib.util.spec_from_file_location("walks", ROOT / "bench" / "walks.py")
    assert found is not None
    assert found.loader is not None
    made = sys.modules["walks"] = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


walks = script()


def told() -> dict[str, list[str]]:
    """The files that CONTRIBUTING lists for each walk, in their order, as modules."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sections = re.findall(r"^### Walk: (\w+)\n(.*?)(?=^##)", text, re.MULTILINE | re.DOTALL)
    return {name: [module_of(file) for file in FILE.findall(section)] for name, section in sections}


def module_of(file: str) -> str:
    assert (ROOT / "src" / "ludus" / file).is_file(), f"there is no {file}"
    return ".".join(("ludus", *file.removesuffix(".py").removesuffix("__init__").rstrip("/").split("/"))).rstrip(".")


def test_contributing_tells_of_every_walk() -> None:
    assert set(told()) == set(walks.WALKS)
    assert all(len(files) >= 8 for files in told().values())


@pytest.mark.campaign
def test_what_contributing_tells_is_what_the_trace_says_and_few_modules_call_each_other() -> None:
    found = walks.traced(list(walks.WALKS))
    for name, files in told().items():
        order = found[name].order
        assert [file for file in files if file not in order] == [], name
        assert files == sorted(files, key=order.index), name
    assert len(walks.all_pairs(found)) <= walks.MOST


def functions(name: str, source: str) -> types.ModuleType:
    """A module of Ludus that there is not."""
    made = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), made.__dict__)
    return made


def test_calls_there_and_back_are_seen_and_those_through_others_are_not() -> None:
    a = functions("ludus.a", "def one(f): return f()\ndef two(): return 2")
    b = functions("ludus.b", "def begin(a): return a.one(lambda: 1)")
    c = functions("ludus.c", "def begin(a): return a.two()")
    other = functions("other", "def call(f): return f()")
    trace = walks.Trace()
    trace.begin()
    b.begin(a)
    c.begin(a)
    other.call(a.two)
    traced = trace.end()
    assert traced.order == ["ludus.b", "ludus.a", "ludus.c"]
    assert traced.edges == {("ludus.b", "ludus.a"), ("ludus.a", "ludus.b"), ("ludus.c", "ludus.a")}
    assert traced.calls["ludus.b -> ludus.a"] == ["begin -> one"]
    assert walks.both_ways(traced.edges) == [("ludus.a", "ludus.b")]


def test_what_runs_while_a_module_is_imported_is_not_seen() -> None:
    a = functions("ludus.a", "def one(): return 1")
    trace = walks.Trace()
    trace.begin()
    made = types.ModuleType("ludus.b")
    made.__dict__["a"] = a
    exec(compile("x = a.one()\nclass C:\n    y = a.one()", "b.py", "exec"), made.__dict__)
    assert trace.end() == ([], {})
