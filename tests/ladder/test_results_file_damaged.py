"""Ladder files that are damaged or made up: one sentence, or games that can be rated, and nothing else; and the file is
left as it is.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.damage import damaged
from helpers.text import refusal, sentence

from ludus.agents.spec import Setup
from ludus.errors import BadInput
from ludus.ladder.rating_list import rating_rows
from ludus.ladder.results_file import MOST, BatchResult, Entrant, ResultsFile, is_there

SETUP = Setup("hex", {"size": 3, "swap": False})
FIRST = BatchResult(Entrant("a", "1f"), Entrant("b", ""), 0, 0, 2, wins=5, draws=1, losses=2, pairs=(0, 1, 1, 0, 2))
BATCHES = (
    FIRST,
    replace(FIRST, number=1, wins=2, draws=0, losses=2, pairs=(1, 0, 0, 0, 1)),
    BatchResult(Entrant("b", ""), Entrant("c", "9"), 7, 0, 0, wins=0, draws=0, losses=4, pairs=(2, 0, 0, 0, 0)),
)
VALUES = (
    None,
    True,
    3.5,
    -1,
    10**25,
    10**400,
    "",
    "x" * 300,
    "\0",
    "\ud800",
    "a\nb",
    "\x1b[2J",
    [],
    {},
    [[]],
    {"a": None},
)
VALUES += (float("nan"), float("inf"), 0, 1, MOST, MOST + 1, "hex", "lgame", {"size": 3.5}, {"size": 3, "swap": 0})


def row(batch: BatchResult) -> dict[str, Any]:
    return {"ladder": 1, "game": SETUP.game, "options": dict(SETUP.options), **batch.to_json()}


def written(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in rows)


def made_up(chance: random.Random) -> bytes:
    """A file with some values in the place of others."""
    rows = [json.loads(json.dumps(row(batch))) for batch in BATCHES]
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.choice(rows)
        if chance.random() < 0.3:
            inner = chance.choice([value for value in at.values() if isinstance(value, dict | list) and value] or [at])
            at = inner
        key = chance.choice(list(at)) if isinstance(at, dict) else chance.randrange(len(at))
        if isinstance(at, dict) and chance.random() < 0.2:
            del at[key]
        else:
            at[key] = copy.deepcopy(chance.choice(VALUES))
        rows = [each for each in rows if each]
    return written(rows)


def read_or_refused(path: Path, data: bytes) -> str:
    """What became of a file: it is refused in a sentence, or all that is done with one can be done."""
    path.write_bytes(data)
    said, results = "", None
    try:
        results = ResultsFile(path, SETUP)
    except BadInput as error:
        said = sentence(error)
    if results is None:
        assert f"'{path}'" in said
        assert len(said) < 1000
    else:
        for found in rating_rows(results):
            assert math.isfinite(found.rating), data
            assert all(map(math.isfinite, found.ci95)), data
            json.dumps(found.to_json(), allow_nan=False)
        for who in results.entrants:
            is_there(who)
    assert path.read_bytes() == data
    return "refused" if results is None else "read"


def many(path: Path, count: int, seed: int) -> Counter[str]:
    chance, good = random.Random(seed), written([row(batch) for batch in BATCHES])
    return Counter(
        read_or_refused(path, damaged(good, chance) if number % 2 else made_up(chance)) for number in range(count)
    )


def test_what_is_damaged_is_refused_or_can_be_rated(tmp_path: Path) -> None:
    found = many(tmp_path / "l.jsonl", 400, 0)
    assert found["refused"] > 200, found
    assert found["read"] > 20, "a name that is another, a line that a kill cut short"


@pytest.mark.campaign
def test_ten_thousand_files_are_refused_or_can_be_rated(tmp_path: Path) -> None:
    found = many(tmp_path / "l.jsonl", 10_000, 1)
    assert found["refused"] > 5000, found


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"options": 3.5}, "it does not say which game was played, with which options"),
        ({"options": None}, "it does not say which game was played, with which options"),
        ({"game": None}, "it does not say which game was played, with which options"),
        ({"game": ["hex"]}, "it does not say which game was played, with which options"),
        ({"options": {"size": 3.0, "swap": False}}, "an option of its game is neither"),
        ({"options": {"size": {}, "swap": False}}, "an option of its game is neither"),
        ({"options": {"size": 3, "swap": 0}}, "is a match of hex size=3 swap=0, not of hex size=3 swap=False"),
        ({"options": {"x" * 10**5: 1}}, "is a match of hex xxx"),
        ({"game": "a\nb" * 10**5}, "is a match of a ba b"),
        ({"ladder": True}, "its format is True"),
        ({"ladder": "9\n" * 10**5}, "its format is 9 9"),
        ({"wins": 10**25, "losses": 10**25, "draws": 0, "pairs": [0, 0, 10**25, 0, 0]}, "no whole number up to"),
        ({"seed": 10**400}, "no whole number up to"),
        ({"number": None}, "no whole number up to"),
        ({"pairs": 10**25}, "it is no batch of games"),
        ({"pairs": [1, 0, 0, 0, [1]]}, "no whole number up to"),
        ({"a": None}, "it is no batch of games"),
        ({"a": {"agent": None, "digest": ""}}, "it is no batch of games"),
        ({"a": {"agent": "a", "digest": 7}}, "it is no batch of games"),
    ],
    ids=range(19),
)
def test_values_that_are_none_of_a_batch_are_named(tmp_path: Path, changed: dict[str, Any], why: str) -> None:
    path = tmp_path / "l.jsonl"
    data = written([row(FIRST), row(FIRST) | changed])
    path.write_bytes(data)
    assert why in refusal(ResultsFile, path, SETUP)
    assert path.read_bytes() == data


def test_numbers_that_no_python_reads_are_no_batch(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    path.write_bytes(written([row(FIRST)]) + written([row(FIRST)]).replace(b'"wins": 5', b'"wins": ' + b"5" * 5000))
    assert "it is no batch of games" in refusal(ResultsFile, path, SETUP)


def test_the_largest_counts_are_rated(tmp_path: Path) -> None:
    path = tmp_path / "l.jsonl"
    most = MOST // 2 * 2
    path.write_bytes(written([row(replace(FIRST, wins=most, draws=0, losses=0, pairs=(0, 0, 0, 0, most // 2)))] * 2))
    assert ResultsFile(path, SETUP).games == most
    assert read_or_refused(path, path.read_bytes()) == "read"
