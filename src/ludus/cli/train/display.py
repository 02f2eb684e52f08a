"""The course of training on stderr: a progress bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
from typing import TYPE_CHECKING, Any

from ludus.cli.shared.interrupt import on_stop
from ludus.cli.shared.progress import ProgressLine
from ludus.cli.shared.runs import resume_command, say_stopped
from ludus.runs.run_info import read_config

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ludus.training.progress import Progress

LINE_SECONDS = 5.0  # between two lines where there is no bar
LONG, SHORT = 3600.0, 300.0  # seconds: a run that is announced as long, and one that is suggested instead


class ProgressBar:
    """How far training is: games, rate, time to go, strength."""

    def __init__(self, quiet: bool = False, live: bool = True) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        there = sys.stderr is not None  # it is None where it was closed
        live = live and not quiet and there and sys.stderr.isatty()
        self.lines = there and not (quiet or live)
        self.said = time.perf_counter()
        self.bar = Progress(
            TextColumn("{task.completed:,.0f} games"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rate]}"),
            TextColumn("{task.fields[strength]}"),
            console=Console(stderr=True),
            disable=not live,
        )
        self.task = self.bar.add_task("", total=None, rate="", strength="compiling ...")
        self.line = ProgressLine("compiling, then the first rounds", not self.lines)

    def __enter__(self) -> ProgressBar:
        self.bar.start()
        self.line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the bar, or the line that was being written."""
        self.line.end()
        self.bar.stop()

    def say(self, sentence: str) -> None:
        """Print a sentence that stays."""
        if self.lines:
            self.line(sentence, True)
        elif not self.bar.disable:
            self.bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)

    def show(self, progress: Progress) -> None:
        strength, rate = strength_of(progress), rate_of(progress)
        done = min(progress.games, progress.total)
        self.bar.update(self.task, completed=done, total=progress.total, rate=rate, strength=strength)
        now = time.perf_counter()
        if self.lines and (now - self.said > LINE_SECONDS or done == progress.total):
            self.said = now
            line = ", ".join(filter(None, (f"{progress.games:,} of {progress.total:,} games", rate)))
            self.line(f"{line}: {strength}", True)


class TrainingDisplay:
    """A run's progress, a word before a long one, and how to go on when it is stopped."""

    def __init__(self, quiet: bool, as_json: bool) -> None:
        self._quiet, self._live, self._stack = quiet, not as_json, contextlib.ExitStack()
        self._folder: Path | None = None
        self._bar: ProgressBar | None = None
        self._announced = False  # whether it was said how long a long run takes

    def at(self, folder: Path) -> Callable[[Progress], None]:
        """A run in this folder begins now; returns the callback that shows its progress."""
        self._folder = folder
        self._bar = self._stack.enter_context(ProgressBar(self._quiet, self._live))
        return self._show

    def _show(self, progress: Progress) -> None:
        assert self._bar is not None
        assert self._folder is not None
        if progress.expected and not self._announced:
            self._announced = True
            if progress.eta > LONG:
                self._bar.say(
                    f"This will take about {span(progress.eta)} here: Ctrl-C stops it, {resume_command(self._folder)} "
                    f"goes on, and {_shorter(read_config(self._folder), progress)} takes minutes."
                )
        self._bar.show(progress)

    def __enter__(self) -> TrainingDisplay:
        self._stack.enter_context(on_stop(self._last_words))  # before JAX is loaded, which takes a while
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stack.close()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self._last_words()

    def _last_words(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._folder is not None:
            say_stopped(self._folder)


def _shorter(config: dict[str, Any], progress: Progress) -> str:
    """A command that trains in minutes: the game's small recipe, or fewer games of this one."""
    from ludus import games as registry
    from ludus.learners.recipes import SMALL, recipes

    game, options, name = config["game"], config["options"], config["recipe"]["name"]
    defaults = registry.entry(game).defaults
    others = {option: value for option, value in options.items() if value != defaults[option]}
    given = [word for option, value in others.items() for word in ("--set", f"{option}={value}")]
    if name != SMALL and SMALL in recipes(game, options):
        return shlex.join(["ludus", "train", game, *given, "--recipe", SMALL])
    games = max(1, int(float(f"{SHORT * progress.expected:.0e}")))  # rounded to one digit
    return shlex.join(["ludus", "train", game, *given, "--recipe", name, "--games", str(games)])


def rate_of(progress: Progress) -> str:
    """Games a second and the time to go, once these are known."""
    if not (progress.rate or progress.expected):
        return ""
    left = f"{span(progress.eta)} to go" if progress.eta else ""
    return ", ".join(filter(None, (f"{progress.rate:,.0f} games/s" if progress.rate else "", left)))


def span(seconds: float) -> str:
    """A time in seconds, minutes, hours or days."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 48 * 3600:
        return f"{whole // 60} min" if whole < 7200 else f"{whole / 3600:.1f} h"
    return f"{whole / 86400:,.0f} days"


def strength_of(progress: Progress) -> str:
    """The last grade in a few words, or the loss where there is no grade yet."""
    if not progress.metrics:
        return "to be measured"
    if progress.grade is None:
        return f"loss {progress.metrics.get('loss', float('nan')):.4f}"
    return progress.grade.summary()
