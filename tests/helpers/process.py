"""The command as a process of its own, on a run as small as can be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from helpers.command import Result

#: A training of a second or two, once it is compiled.
SMALL = ("hidden=8", "lanes=4", "memory=64", "recall=2")
TRAIN = ["train", "hex", "--size", "2", "--recipe", "dqn", *(f"--with={setting}" for setting in SMALL)]
LIMIT = 300.0  # seconds, on a machine however busy, after which what was waited for will not come


def start(
    argv: Sequence[str], cache: Path | None, cwd: Path | None = None, before: str | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Begin it, after some Python of one's own."""
    command = ["-m", "ludus"] if before is None else ["-c", f"{before}; from ludus.cli import main; sys.exit(main())"]
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "LUDUS_CACHE": "off" if cache is None else str(cache)}
    for name in ("JAX_COMPILATION_CACHE_DIR", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"):
        environment.pop(name, None)
    environment |= options.pop("env", {})
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    whole = [sys.executable, *command, *argv]
    return subprocess.Popen(whole, env=environment, cwd=cwd, text=True, **(pipes | options))


def finish(process: subprocess.Popen[str], timeout: float = LIMIT) -> Result:
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(
            f"it did not end in {timeout:g} s; it had said {Result(process.returncode, out, err)}"
        ) from None
    return Result(process.returncode, out, err)


def ludus(*argv: str, cache: Path | None, cwd: Path | None = None, before: str | None = None) -> Result:
    return finish(start(argv, cache, cwd, before))


def rows(run: Path) -> list[dict[str, Any]]:
    """The whole lines of a run's metrics, so far."""
    path = run / "metrics.jsonl"
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def wait_for(run: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Until the run has so many reports."""
    wait_until(lambda: len(rows(run)) >= count, process)


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str], limit: float = LIMIT) -> None:
    """Until it is so; whoever waits in vain is told what the process has said so far."""
    deadline = time.monotonic() + limit
    while not condition():
        assert process.poll() is None or condition(), finish(process)
        if time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"this took more than {limit:g} s: {finish(process)}")
        time.sleep(0.02)
