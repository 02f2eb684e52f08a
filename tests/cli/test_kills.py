"""`kill -9` at random moments, and then the same command again: the same bytes, or an exact prefix of them."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.command import Result
from helpers.process import TRAIN, finish, start, wait_until
from helpers.training import results

pytestmark = pytest.mark.campaign

TIMES = 34  # kills for each of the three
SEED = 28
HEX3 = ["ladder", "hex", "--size", "3", "--batch", "8", "--file", "ladder.jsonl"]
#: It saves whenever it looks up, and not every minute; and it looks up often.
SAVING = """import sys; from ludus.games.hex.solver import prover
prover.SAVE_SECONDS = 0.0; prover.BATCH = prover.LONGEST = 64"""


LONG = 3600.0  # seconds that compiling everything may take on a busy machine


def ludus(*argv: str, cache: Path, cwd: Path) -> Result:
    return finish(start(argv, cache, cwd), LONG)


def killed(
    argv: list[str], cache: Path, here: Path, seconds: float, before: str | None = None, grows: Path | None = None
) -> bool:
    """Whether it ran still after so many seconds; counted from when it has written to a file, if one is named."""

    def stamp() -> tuple[int, int] | None:
        return None if grows is None or not grows.exists() else (grows.stat().st_mtime_ns, grows.stat().st_size)

    was, process = stamp(), start(argv, cache, here, before)
    if grows is not None:
        wait_until(lambda: stamp() != was or process.poll() is not None, process, LONG)
    time.sleep(seconds)
    ran = process.poll() is None
    process.kill()
    finish(process)
    return ran


def timed(work: Callable[[], object]) -> float:
    begun = time.monotonic()
    work()
    return time.monotonic() - begun


def test_training_comes_to_the_same_bytes(tmp_path: Path) -> None:
    chance, cache = random.Random(f"{SEED} train"), tmp_path / "cache"
    whole, here = tmp_path / "whole", tmp_path / "here"
    command = [*TRAIN, "--games=1600", "--json", "--out", "run"]
    for folder in (whole, here):
        folder.mkdir()
    assert ludus(*command, cache=cache, cwd=whole).status == 0
    seconds = timed(lambda: ludus(*command[:-1], "again", cache=cache, cwd=whole))
    hits, finished, run = 0, 0, here / "run"
    lines = (whole / "run" / "metrics.jsonl").read_bytes()
    while hits < TIMES:
        argv = ["train", "--resume", "run", "--json"] if (run / "config.json").exists() else command
        hits += killed(argv, cache, here, chance.uniform(0.1, seconds))
        if (run / "final.json").exists():
            assert results(run) == results(whole / "run")
            finished += 1
            run.rename(here / f"run {finished}")
        elif (run / "metrics.jsonl").exists():
            kept = (run / "metrics.jsonl").read_bytes()
            assert lines.startswith(kept[: kept.rfind(b"\n") + 1])
    if (run / "config.json").exists():
        assert ludus("train", "--resume", "run", "--json", cache=cache, cwd=here).status == 0
        assert results(run) == results(whole / "run")


def test_a_ladder_is_an_exact_prefix_and_goes_on(tmp_path: Path) -> None:
    chance, cache = random.Random(f"{SEED} ladder"), tmp_path / "cache"
    whole, here = tmp_path / "whole", tmp_path / "here"
    endless = [*HEX3, "random", "perfect", "--within", "1", "--games", "1000000", "--quiet"]
    for folder in (whole, here):
        folder.mkdir()
    ladder, hits, seen = here / "ladder.jsonl", 0, 0
    while hits < TIMES:
        written = hits % 2 == 0  # every second one while games are kept, the others at any moment
        seconds = chance.uniform(0, 0.5) if written else chance.uniform(0.1, 6.0)
        assert killed(endless, cache, here, seconds, grows=ladder if written else None)
        hits += 1
        if ladder.exists():
            kept = ladder.read_bytes()
            assert kept.count(b"\n") >= seen, "what was kept once is kept"
            seen = kept.count(b"\n")
    shown = ludus(*HEX3, "--json", cache=cache, cwd=here).document
    rows = [json.loads(line) for line in ladder.read_bytes().split(b"\n")[:seen]]
    assert [row["number"] for row in rows] == list(range(seen))
    assert shown["games"] == 8 * seen > 0
    # The same number of games in one go are the same bytes.
    argv = [*HEX3, "random", "perfect", "--within", "1", "--games", str(8 * seen), "--quiet", "--json"]
    assert ludus(*argv, cache=cache, cwd=whole).status == 0
    assert (whole / "ladder.jsonl").read_bytes() == ladder.read_bytes()[: ladder.read_bytes().rfind(b"\n") + 1]


def test_a_kept_search_is_never_damaged_and_goes_on(tmp_path: Path) -> None:
    """The file is whole or not there; what it has agrees with what is found without it."""
    chance, cache = random.Random(f"{SEED} solve"), tmp_path / "cache"
    command = ["solve", "hex", "--size", "6", "--keep", "six.proofs", "--json", "--quiet"]
    truth = ludus("solve", "hex", "--size", "6", "--json", cache=cache, cwd=tmp_path).document
    seconds = timed(lambda: ludus("solve", "hex", "--size", "6", "--json", cache=cache, cwd=tmp_path))
    kept, hits, sizes = tmp_path / "six.proofs", 0, []
    while hits < TIMES:
        writing = kept if hits % 2 == 0 else None
        delay = chance.uniform(0, 0.5) if writing else chance.uniform(0.1, seconds)
        ran = killed(command, cache, tmp_path, delay, SAVING, writing)
        hits += ran
        if kept.exists():
            sizes.append(kept.stat().st_size)
            if not ran or hits % 5 == 0:  # once it has everything, there is nothing more to kill
                found = ludus(*command, cache=cache, cwd=tmp_path).document
                assert set(found["winning_moves"]) == set(truth["winning_moves"])
                assert not found["gave_up"]
                kept.unlink()  # from the beginning again
    assert len(sizes) > 1, "it was killed while it kept something"
    assert {path.name for path in tmp_path.iterdir()} <= {"cache", "six.proofs", ".six.proofs.tmp", ".six.proofs.lock"}
