"""The list of faults fits the source: each can be planted, and the tests that should notice are there."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def script() -> ModuleType:
    found = importlib.util.spec_from_file_location("faults", ROOT / "bench" / "faults.py")
    assert found is not None
    assert found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    return made


def test_every_fault_can_be_planted_and_its_tests_are_there() -> None:
    """Where the source has changed, `old` in bench/faults.toml wants to change too, or the fault to go."""
    faults = script()
    listed = faults.known()
    assert len(listed) > 60
    for fault in listed:
        assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.old) == 1, fault.name
        assert fault.new != fault.old
        assert faults.there(ROOT, fault.tests) == fault.tests, fault.name


def test_outcomes_are_of_faults_that_are_listed_and_the_page_is_made_of_them() -> None:
    faults = script()
    names = {fault.name for fault in faults.known()}
    for at in faults.kept().values():
        assert set(at["faults"]) <= names
        assert {outcome["result"] for outcome in at["faults"].values()} <= {faults.CAUGHT, faults.MISSED, faults.ABSENT}
    assert faults.PAGE.read_text(encoding="utf-8") == faults.page()
