"""The course of training on stderr: a bar that moves on a terminal, else a line now and then, or nothing at all."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ludus.cli.watching import Watching

if TYPE_CHECKING:
    from ludus.training.progress import Progress

LINE_SECONDS = 5.0  # between two lines where no terminal shows a bar


class Screen:
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
        self.watching = Watching("compiling, then the first rounds", not self.lines)

    def __enter__(self) -> Screen:
        self.bar.start()
        self.watching.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Leave the lines that were being written."""
        self.watching.end()
        self.bar.stop()

    def say(self, sentence: str) -> None:
        """Something that stays to be read."""
        if self.lines:
            self.watching(sentence, True)
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
            self.watching(f"{line}: {strength}", True)


def rate_of(progress: Progress) -> str:
    """How fast it goes and how long it will take, once that is known."""
    if not (progress.rate or progress.expected):
        return ""
    left = f"{span(progress.eta)} to go" if progress.eta else ""
    return ", ".join(filter(None, (f"{progress.rate:,.0f} games/s" if progress.rate else "", left)))


def span(seconds: float) -> str:
    """A time as people say it."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    if whole < 48 * 3600:
        return f"{whole // 60} min" if whole < 7200 else f"{whole / 3600:.1f} h"
    return f"{whole / 86400:,.0f} days"


def strength_of(progress: Progress) -> str:
    """What is known of the agent so far, in a few words."""
    if not progress.metrics:
        return "to be measured"
    if progress.grade is None:
        return f"loss {progress.metrics.get('loss', float('nan')):.4f}"
    return progress.grade.summary()
