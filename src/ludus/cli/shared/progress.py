"""Progress of long work, on stderr."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ludus.core import compiling
from ludus.core.text import shown

if TYPE_CHECKING:
    from ludus.play.finished import Fault

LIVE_SECONDS, QUIET_SECONDS = 1.0, 10.0  # between two reports: on a terminal, and elsewhere
SILENT_SECONDS = 10.0  # without a report, after which work says that it still goes on


class ProgressLine:
    """Progress as a sentence on stderr: on a terminal one line that is written over, elsewhere a line now and then.

    As a context it also says how long the work takes while no report comes, and on a terminal what is being compiled.
    A `transient` line is shown on a terminal alone, and erased at the end.
    """

    def __init__(self, what: str = "", quiet: bool = False, transient: bool = False) -> None:
        self._what, self._live = shown(what), sys.stderr is not None and sys.stderr.isatty()
        self._transient, self._quiet = transient, quiet or (transient and not self._live)
        self._open, self._said, self._count, self._width = False, 0.0, "", 60
        self._compiled, self._compilations = "", contextlib.ExitStack()
        self._begin = self._heard = time.monotonic()
        self._over, self._saying = threading.Event(), threading.Lock()

    @classmethod
    def unless(cls, quiet: bool) -> Callable[[str], ProgressLine]:
        """Makes such a line for each piece of work, named by a few words."""
        return lambda what: cls(what, quiet)

    def __call__(self, sentence: str, last: bool) -> None:
        """Report progress. The last report of its kind is always printed; an empty one never is."""
        if not sentence:
            return
        sentence = self._what = shown(sentence)
        self._compiled, self._heard = "", time.monotonic()
        if self._live or last or self._heard - self._said >= QUIET_SECONDS:
            self._say(sentence, last)

    def games(self, done: int, total: int) -> None:
        """So many of so many games have been played. Of a short match this prints nothing, except on a terminal."""
        now, self._count = time.monotonic(), f", {done:,} of {total:,} games"
        if self._live or (now - max(self._begin, self._said) >= QUIET_SECONDS and done < total):
            self._heard = now
            self._say(f"{done:,} of {total:,} games", self._live and done == total)

    def forfeit(self, fault: Fault) -> None:
        """A player has lost a game by making no move."""
        self._say(shown(f"game {fault.game + 1:,} is forfeited: {fault.why}"), True)

    def __enter__(self) -> ProgressLine:
        if not self._quiet:
            threading.Thread(target=self._beat, daemon=True).start()
            if self._live:
                self._compilations.enter_context(compiling.told(self._compiles))
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the line that was being written. The beat prints nothing from here on."""
        self._compilations.close()
        with self._saying:
            self._over.set()
        if self._open and self._transient:
            with contextlib.suppress(OSError):
                print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
        elif self._open:
            self._say("", True)

    def _compiles(self, what: str) -> None:
        """Something is being compiled; with an empty text that has ended."""
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
        if self._quiet or sys.stderr is None:  # it is None where it was closed
            return
        with self._saying, contextlib.suppress(OSError):  # a closed stderr is no reason to stop working
            if beat and self._over.is_set():
                return
            self._said = time.monotonic()
            if not self._live:
                print(sentence, file=sys.stderr, flush=True)
                return
            self._width = max(60, len(sentence), self._width if self._open else 0)  # covers what was there before
            text = f"\r{sentence:<{self._width}}" if sentence else ""
            print(text, end="\n" if last else "", file=sys.stderr, flush=True)
            self._open = not last
