"""Whether every type of the public face is known to a type checker: a part of `make lint`.

    python tools/public_types.py

The public face is what README and CONTRIBUTING show: the package itself, its functions with what they give, and
the modules that a game of another package imports. pyright says of each name whether its type is written down, with all
that this is made of (`pyright --verifytypes`). Names of other modules are not held to that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = (
    *("ludus", "ludus.face", "ludus.errors", "ludus.games", "ludus.play.selfplay"),
    *("ludus.face.agent", "ludus.face.contests", "ludus.face.training", "ludus.agents.function"),
    *("ludus.workbench.matches", "ludus.workbench.evaluations", "ludus.workbench.tournaments"),
    *("ludus.workbench.ladders", "ludus.workbench.run_lists", "ludus.workbench.reproductions"),
    *("ludus.truth.answers", "ludus.truth.protocol", "ludus.learners.recipe", "ludus.learners.recipes"),
    "ludus.core.game",
)


def faults(completeness: dict[str, Any]) -> Iterator[str]:
    """A line for every public name whose type is not known, of pyright's report on the types of a package."""
    modules = {module["name"] for module in completeness["modules"]}
    yield from (f"{module}: pyright has not found this module" for module in PUBLIC if module not in modules)
    for symbol in completeness["symbols"]:
        module = symbol["name"]
        while module and module not in modules:
            module = module.rpartition(".")[0]
        public = module in PUBLIC or module.startswith("ludus.core.")
        if public and symbol["isExported"] and not symbol["isTypeKnown"]:
            why = [" ".join(found["message"].split()) for found in symbol["diagnostics"]]
            yield f"{symbol['name']}: {'; '.join(why) or 'a type that it is made of is not known'}"


def report() -> dict[str, Any]:
    """What pyright finds in this tree. It looks for packages where the first Python on the path does."""
    there = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{there}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(ROOT / "src"),
    }
    command = [sys.executable, "-m", "pyright", "--verifytypes", "ludus", "--ignoreexternal", "--outputjson"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["typeCompleteness"]
    except (json.JSONDecodeError, KeyError):
        raise SystemExit(f"pyright says nothing of the types of Ludus: {done.stdout}{done.stderr}") from None


def main() -> None:
    found = list(faults(report()))
    if found:
        raise SystemExit("\n".join([*found, f"The types of {len(found)} public names are not known."]))
    print("Every type of the public face is known.")


if __name__ == "__main__":
    main()
