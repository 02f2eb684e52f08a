"""How long work is getting on, on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING

from ludus.core import compiling
from ludus.core.text import shown

if TYPE_CHECKING:
    from ludus.play.played import Fault

LIVE_SECONDS, QUIET_SECONDS = 1.0, 10.0  # between two reports of long work: in a terminal, and where none shows them
SILENT_SECONDS = 10.0  # without a word, after which it says that it is still at work


class Watching:
    """Says on stderr how long work is getting on: on a terminal all the time, else now and then. As a context it also
    says how long nothing has been told, and on a terminal what is compiled meanwhile. What is `passing` is for a
    terminal alone, and leaves nothing there.
    """

    def __init__(self, what: str = "", quiet: bool = False, passing: bool = False) -> None:
        self._what, self._live = shown(what), sys.stderr is not None and sys.stderr.isatty()
        self._passing, self._quiet = passing, quiet or (passing and not self._live)
        self._open, self._said, self._count, self._width = False, 0.0, "", 60
        self._compiled, self._told = "", contextlib.ExitStack()
        self._begin = self._heard = time.monotonic()
        self._over, self._saying = threading.Event(), threading.Lock()

    def __call__(self, sentence: str, last: bool) -> None:
        """How far it has come; the last of its kind is always said, and nothing is not."""
        if not sentence:
            return
        sentence = self._what = shown(sentence)
        self._compiled, self._heard = "", time.monotonic()
        if self._live or last or self._heard - self._said >= QUIET_SECONDS:
            self._say(sentence, last)

    def games(self, done: int, total: int) -> None:
        """So many of so many games have been played; where no terminal shows it, nothing of a short match."""
        now, self._count = time.monotonic(), f", {done:,} of {total:,} games"
        if self._live or (now - max(self._begin, self._said) >= QUIET_SECONDS and done < total):
            self._heard = now
            self._say(f"{done:,} of {total:,} games", self._live and done == total)

    def forfeit(self, fault: Fault) -> None:
        """A player has lost a game by making no move."""
        self._say(shown(f"game {fault.game + 1:,} is forfeited: {fault.why}"), True)

    def __enter__(self) -> Watching:
        if not self._quiet:
            threading.Thread(target=self._beat, daemon=True).start()
            if self._live:
                self._told.enter_context(compiling.told(self._compiles))
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Leave the line that was being written; nothing is said of itself from here on."""
        self._told.close()
        with self._saying:
            self._over.set()
        if self._open and self._passing:
            with contextlib.suppress(OSError):
                print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
        elif self._open:
            self._say("", True)

    def _compiles(self, what: str) -> None:
        """It is news while it goes on; afterwards the work is what is being done again."""
        self._compiled = what and f"compiling, once on this machine: {what}"
        if what:
            self._heard = time.monotonic()
            self._say(self._compiled, False, beat=True)

    def _beat(self) -> None:
        pause = LIVE_SECONDS if self._live else SILENT_SECONDS
        while not self._over.wait(pause):
            if time.monotonic() - self._heard >= pause:
                doing = self._compiled or f"{self._what}{self._count}"
                self._say(f"{doing} ({time.monotonic() - self._begin:.0f} s so far)", False, beat=True)

    def _say(self, sentence: str, last: bool, beat: bool = False) -> None:
        if self._quiet or sys.stderr is None:  # which is None where it was closed
            return
        with self._saying, contextlib.suppress(OSError):  # nobody listens: no reason to stop working
            if beat and self._over.is_set():
                return
            self._said = time.monotonic()
            if self._live:
                self._width = max(60, len(sentence), self._width if self._open else 0)  # of what is written over
                print(
                    f"\r{sentence:<{self._width}}" if sentence else "",
                    end="\n" if last else "",
                    file=sys.stderr,
                    flush=True,
                )
                self._open = not last
            else:
                print(sentence, file=sys.stderr, flush=True)
