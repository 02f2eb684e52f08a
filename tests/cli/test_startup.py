"""Help, lists and refusals are instant: they load no JAX. One process goes through them all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

COMMANDS = [
    *(
        ["--help"],
        ["games"],
        ["games", "--json"],
        ["cache"],
        ["rules", "hex"],
        ["runs"],
        ["htp", "--help"],
        ["ladder", "--help"],
    ),
    *(
        [name, "--help"]
        for name in ("play", "solve", "train", "eval", "match", "tournament", "reproduce", "perft", "bench", "puzzles")
    ),
]
REFUSED = [
    *("perft chess 3", "perft hex 3 --size 1", "perft hex x", "perft hex 2 --position zz"),
    *("play hex --layout a", "play abalone --layout zz", "play hex --against nosuch", "play hex --side pink"),
    *("play lgame --position zz", "solve hex zz", "solve hex --size 12", "solve lgame --limit -1"),
    *("solve solitaire-chess --order nosuch", "puzzles --level hard", "puzzles --game hex"),
    *("solve abalone --all", "solve hex --swap --size 4"),
    *("solve lgame --depth 3", "solve abalone --depth 0", "solve abalone --seconds -1", "solve abalone --moves"),
    *("solve abalone --nodes 0", "solve abalone --evaluation no/body", "solve hex --depth 2 --evaluation perfect"),
    *("match minimax:9 random --game hex", "match alphabeta:2 random --game lgame", "eval alphabeta --game hex"),
    *("play abalone --against alphabeta:0s", "tournament random alphabeta:2:no/body --game abalone"),
    *("eval nosuch", "eval hex/best-6 --exact", "eval random", "eval lgame/best --against nosuch"),
    *("eval perfect --game hex --exact", "eval lgame/best --size 3", "match random nosuch --game hex"),
    *("match lgame/best hex/best-3", "tournament random", "tournament random nosuch --game hex"),
    *("htp nosuch", "htp random --game lgame", "htp hex/best-5 --size 4", "htp perfect", "play hex --against htp:"),
    *("match htp:no-such-program random --game hex", "play abalone --against htp:sh"),
    *("match python:no_such_module:choose random --game hex", "play hex --against python:choose"),
    *("ladder chess", "ladder solitaire-chess", "ladder hex nosuch", "ladder hex random", "ladder hex --file nosuch"),
    *("ladder hex --size 3 lgame/best", "ladder hex --sprt random random", "ladder hex random --alpha 3"),
    *("train hex --recipe zz", "train chess", "train hex --games 0", "train hex --games 3000000000"),
    *("train --resume nowhere", "reproduce zz", "reproduce hex fig99", "bench zz", "runs show nowhere"),
]
SCRIPT = """
import contextlib, io, json, sys
from ludus.cli import main
found = []
for argv in json.loads(sys.argv[1]):
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
        try:
            status = main(argv)
        except SystemExit as left:
            status = left.code or 0
    found.append((status, "jax" in sys.modules, err.getvalue()))
print(json.dumps(found))
"""


def test_nothing_heavy_is_loaded_before_it_is_needed(tmp_path: Path) -> None:
    argv = COMMANDS + [command.split() for command in REFUSED]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(argv)], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    for words, (status, loaded, err) in zip(argv, json.loads(done.stdout), strict=True):
        assert not loaded, f"{words} loads JAX"
        if words in COMMANDS:
            assert (status, err) == (0, ""), words
        else:
            assert status == 2, words
            assert err.startswith("ludus: ")
            assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())
