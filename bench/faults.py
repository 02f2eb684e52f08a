"""Faults put into the source one at a time, to see whether a test notices: what the tests are worth.

    python bench/faults.py                            # every fault of bench/faults.toml, in a copy of the working tree
    python bench/faults.py "hex: " "sprt: "           # those whose names begin so
    python bench/faults.py --every "returns: "        # all tests that notice, not the first alone
    python bench/faults.py --tests tests/learners     # would these tests notice?
    python bench/faults.py --at 9e20814 --keep        # in the tree of a commit; the outcome goes to bench/results
    python bench/faults.py --at HEAD --keep --missed 9e20814     # only what was missed there
    python bench/faults.py --page                     # docs/faults.md, made from all outcomes that were kept

A fault is a file, a text that stands there once, what stands there instead, and the tests that should notice: files, or
single tests of a file that takes long. The working tree is never touched. A test may go from `make test` to `make
campaign` if every fault that it notices is noticed by one that stays.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ludus.core import cache

ROOT = Path(__file__).resolve().parent.parent
FAULTS, RESULTS, PAGE = (ROOT / path for path in ("bench/faults.toml", "bench/results/faults.json", "docs/faults.md"))
PATIENCE = 1200  # seconds; a fault may well make a search endless
CAUGHT, MISSED, ABSENT = "caught", "missed", "not in this tree"


class Fault(NamedTuple):
    name: str  # the module, and what is wrong
    part: str  # the heading of its table
    file: str
    old: str
    new: str
    tests: list[str]


class Outcome(NamedTuple):
    result: str
    by: list[str]  # the tests that noticed, or that nobody did
    seconds: float


def known() -> list[Fault]:
    faults = [Fault(**row) for row in tomllib.loads(FAULTS.read_text(encoding="utf-8"))["fault"]]
    names = [fault.name for fault in faults]
    assert len(set(names)) == len(names), "two faults have one name"
    return faults


# --- a copy of the tree ---------------------------------------------------------------------------------------------


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def copied(commit: str | None) -> Iterator[Path]:
    """The tree of a commit, or the working tree with what git does not ignore."""
    with tempfile.TemporaryDirectory(prefix="ludus-faults-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        if commit is None:
            for name in git("ls-files", "-coz", "--exclude-standard").rstrip("\0").split("\0"):
                if (ROOT / name).is_file():
                    (tree / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, tree / name)
        else:
            archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", str(tree)], input=archive, check=True)
        yield tree


def surroundings(tree: Path) -> dict[str, str]:
    """Of a test run: the tree's own sources, JAX's programs as the tests keep them, and Numba's in a folder that goes
    with the tree, since any change to any source makes all of them anew.
    """
    kept, own = cache.folder(), tree.parent / "cache"
    own.mkdir(exist_ok=True)
    if kept is not None and not (own / "jax").exists():
        shared = kept if "LUDUS_CACHE" in os.environ else kept.with_name("ludus-tests")
        (shared / "jax").mkdir(parents=True, exist_ok=True)
        (own / "jax").symlink_to(shared / "jax", target_is_directory=True)
    # Python's compiled files go by seconds, in which a fault comes and goes.
    return {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1", "LUDUS_CACHE": str(own)}


# --- planting -------------------------------------------------------------------------------------------------------


def there(tree: Path, tests: Sequence[str]) -> list[str]:
    """Those of these files and single tests that a tree has."""
    found = []
    for test in tests:
        file, _, name = test.partition("::")
        if (tree / file).exists() and (not name or f"def {name}(" in (tree / file).read_text(encoding="utf-8")):
            found.append(test)
    return found


def planted(tree: Path, fault: Fault, tests: Sequence[str], every: bool) -> Outcome:
    """Whether these tests notice a fault."""
    path, began = tree / fault.file, time.perf_counter()
    whole = path.read_text(encoding="utf-8") if path.exists() else ""
    if whole.count(fault.old) != 1:
        return Outcome(ABSENT, [f"{fault.file} has the text {whole.count(fault.old)} times"], 0.0)
    tests = there(tree, tests)
    if not tests:
        return Outcome(MISSED, ["no such test"], 0.0)
    path.write_text(whole.replace(fault.old, fault.new), encoding="utf-8")
    try:
        code, said = run(tree, tests, every)
    finally:
        path.write_text(whole, encoding="utf-8")
        shutil.rmtree(tree.parent / "cache" / "numba", ignore_errors=True)
    seconds = round(time.perf_counter() - began, 1)
    noticed = re.findall(r"^(?:FAILED|ERROR) (\S+(?: \S+)*?)(?: - .*)?$", said, re.MULTILINE)
    if code is None:
        return Outcome(CAUGHT, [f"{tests[0]} does not end"], seconds)
    if code not in (0, 1) or (code == 1 and not noticed):
        raise SystemExit(f"'{fault.name}': the tests could not be run.\n{said[-3000:]}")
    return Outcome(CAUGHT if code else MISSED, noticed or tests, seconds)


def run(tree: Path, tests: Sequence[str], every: bool) -> tuple[int | None, str]:
    """The exit status, None where they did not come to an end, and what was said."""
    words = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=short", "-rfE"]
    with subprocess.Popen(
        [*words, *([] if every else ["-x"]), *tests],
        cwd=tree,
        env=surroundings(tree),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                return None, ""
            raise
        return process.returncode, said


# --- outcomes -------------------------------------------------------------------------------------------------------


def kept() -> dict[str, dict[str, Any]]:
    """By commit: when it was run, and the outcome of each fault."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def keep(commit: str, fault: Fault, outcome: Outcome) -> None:
    outcomes = kept()
    at = outcomes.setdefault(commit, {"faults": {}})
    at["date"] = datetime.date.today().isoformat()
    at["faults"][fault.name] = outcome._asdict()
    RESULTS.write_text(json.dumps(outcomes, indent=1) + "\n", encoding="utf-8")


def cell(outcome: Mapping[str, Any] | None) -> str:
    if outcome is None:
        return ""
    noticed = [re.sub(r"\[.*\]$", "", test.removeprefix("tests/")) for test in outcome["by"]]
    return f"`{noticed[0]}`" if outcome["result"] == CAUGHT else outcome["result"]


def page() -> str:
    outcomes, faults = kept(), known()
    lines = [
        "# Faults that tests notice",
        "",
        "Each was put into the source by itself ([what was changed](../bench/faults.toml)), and the tests that should "
        "notice were run to the first that failed, which stands beside it. `missed`: all passed. An empty cell: "
        "not tried in this tree. Made by `python bench/faults.py --at COMMIT --keep`, in later trees with the names of "
        "some faults alone, and `python bench/faults.py --page`.",
        "",
        "| tree of | on | tried | noticed |",
        "| --- | --- | ---: | ---: |",
    ]
    for commit, at in outcomes.items():
        results = [at["faults"][fault.name]["result"] for fault in faults if fault.name in at["faults"]]
        lines.append(f"| {commit} | {at['date']} | {len(results)} | {results.count(CAUGHT)} |")
    first, *later = outcomes
    for part in dict.fromkeys(fault.part for fault in faults):
        lines += ["", f"## {part}", "", f"| fault | {first} | later |", "| --- | --- | --- |"]
        for fault in faults:
            if fault.part == part:
                last = next((at for at in reversed(later) if fault.name in outcomes[at]["faults"]), None)
                now = f"{cell(outcomes[last]['faults'][fault.name])} ({last})" if last else ""
                lines.append(f"| {fault.name} | {cell(outcomes[first]['faults'].get(fault.name))} | {now} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="how the names of the faults begin; without any, all")
    parser.add_argument("--at", metavar="COMMIT", help="the tree of a commit, not the working tree")
    parser.add_argument("--tests", nargs="+", help="these tests, not those that the list names")
    parser.add_argument("--every", action="store_true", help="all tests that notice, not the first alone")
    parser.add_argument("--missed", metavar="COMMIT", help="only the faults that were missed in this tree")
    parser.add_argument("--keep", action="store_true", help="write the outcomes down, for --page")
    parser.add_argument("--page", action="store_true", help="write docs/faults.md, and plant nothing")
    given = parser.parse_args()
    if given.page:
        PAGE.write_text(page(), encoding="utf-8")
        return
    if given.keep and not given.at:
        parser.error("only the outcomes of a commit are kept: give --at.")
    commit = git("rev-parse", "--short=7", given.at).strip() if given.at else None
    before = kept()[given.missed]["faults"] if given.missed else {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that no copy and no test run is left behind
    faults = [fault for fault in known() if not given.names or fault.name.startswith(tuple(given.names))]
    faults = [fault for fault in faults if before.get(fault.name, {}).get("result") != CAUGHT]
    missed = 0
    with copied(commit) as tree:
        for fault in faults:
            outcome = planted(tree, fault, given.tests or fault.tests, given.every)
            missed += outcome.result != CAUGHT
            print(f"{outcome.result:<8} {outcome.seconds:6.1f} s  {fault.name}: {', '.join(outcome.by)}", flush=True)
            if commit and given.keep:
                keep(commit, fault, outcome)
    print(f"{len(faults) - missed} of {len(faults)} faults were noticed.")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
