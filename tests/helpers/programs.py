"""Programs of others, in pure Python, that do as a test wants."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
from pathlib import Path

#: A program that writes down what it is asked, in a file named by its number, and plays the first cell that is free.
PROGRAM = """
import itertools, os, sys, time
log = open(os.path.join({folder!r}, str(os.getpid())), "w")
def cells():
    return [f"{{c}}{{r}}" for r in range(1, size + 1) for c in "abcdefghijk"[:size]]
def genmove(colour):
    move = next(cell for cell in cells() if cell not in down)
    down[move] = colour
    return move
size, down, games = 0, {{}}, 0
for line in sys.stdin:
    log.write(line)
    log.flush()
    words = line.split()
    answer = ""
    if words[0] == "boardsize":
        size = int(words[1])
    elif words[0] == "clear_board":
        down, games = {{}}, games + 1
{clear}
    elif words[0] == "play":
        assert words[2] not in down and words[2] in cells()
        down[words[2]] = words[1]
    elif words[0] == "genmove":
{genmove}
    elif words[0] == "quit":
        break
    print("= " + answer + "\\n", flush=True)
"""


class Made:
    """A program that answers in some way, and what became of it."""

    def __init__(
        self, folder: Path, genmove: str = "answer = genmove(words[1])", seconds: str = "", clear: str = ""
    ) -> None:
        self.folder = folder / "log"
        self.folder.mkdir()
        self.path = folder / "program.py"
        code = {"genmove": genmove, "clear": clear}
        indented = {name: textwrap.indent(lines, " " * 8) for name, lines in code.items()}
        self.path.write_text(PROGRAM.format(folder=str(self.folder), **indented))
        self.agent = f"htp:{seconds}{shlex.join([sys.executable, str(self.path)])}"

    def said(self) -> list[str]:
        """All that it was told, of the one process that there was."""
        (log,) = self.folder.iterdir()
        return log.read_text().splitlines()

    def gone(self) -> bool:
        """Whether every process of it has ended, and been waited for."""
        return bool(list(self.folder.iterdir())) and not any(alive(int(log.name)) for log in self.folder.iterdir())


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True
