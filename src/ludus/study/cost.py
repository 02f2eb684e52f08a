"""How much a run is, said before it starts: curves, runs, games, programs to compile; and about how long it takes here.

What a game, a point and a program cost was recorded once (`paper/cost.json` of a game's room, by kind of device; the
file says where). A machine that has run the paper before knows itself better: what was run from its beginning leaves
beside its saved runs how much longer or shorter it took than was said, and the next estimate goes by it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jax

from ludus.games import entry, load
from ludus.runs.files import write_file
from ludus.study.cache import RunCache
from ludus.study.grid import CurveRunner
from ludus.study.programs import batches
from ludus.study.study import Study

RECORDED = "cost.json"
HERE = "took.json"  # beside the saved runs: how much longer than recorded it took, by kind of device
LONG = 3600.0  # seconds, from which it says so
TELLING = 30.0  # a shorter run says little of how long a longer one takes


class Work(NamedTuple):
    """What is to be run, without what was kept from before."""

    programs: int
    curves: int
    runs: int
    units: int  # games or moves, of all runs
    points: int  # measurements, of all runs
    played: int  # figures whose final agents play
    kept: int  # runs that need not be run again

    def seconds(self, each: Mapping[str, float], cores: int) -> float:
        """The costs are in seconds of a core, or of the whole accelerator, where a run has but one "core"."""
        counts = {"program": self.programs, "unit": self.units, "point": self.points, "played": self.played}
        return sum(each[name] * many for name, many in counts.items()) / cores


def work(study: Study, figures: Sequence[str], runner: CurveRunner, quick: bool, seeds: int | None) -> Work:
    """All that these figures need, with the settings as they are before trials choose others."""
    chosen = [study.figure(name) for name in figures]
    wanted = [(curve, study.scale(f, curve, quick, seeds)) for f in chosen for curve in f.drawn(quick)]
    programs = curves = runs = units = points = kept = 0
    for plan in runner.plan(wanted):
        total = len(plan.curves) * plan.scale.seeds
        mine = 0
        for number, rows in enumerate(parts := batches(total)):
            real = min(len(rows), total - number * len(parts[0]))
            if runner.cache is not None and runner.cache.has(plan.described(rows)):
                kept += real
            else:
                mine += real
        programs, runs, curves = programs + (mine > 0), runs + mine, curves + len(plan.curves)
        units += mine * plan.scale.points * plan.rounds * plan.learner.span(plan.config).size
        points += mine * (plan.scale.points + 1)
    played = sum(figure.play is not None for figure in chosen) if not quick else 0
    return Work(programs, curves, runs, units, points, played, kept)


def recorded(game: str, kind: str) -> Mapping[str, float] | None:
    """The seconds of a program, a game or move, a point, and a figure whose agents play, on this kind of device."""
    room = load(entry(game).room)
    path = Path(room.__path__[0]) / "paper" / RECORDED if hasattr(room, "__path__") else None
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path and path.is_file() else {}
    return known.get(kind)


class Estimate(NamedTuple):
    """The work, and about how long it takes here; None if nobody knows."""

    work: Work
    seconds: float | None
    device: str
    unit: str

    @property
    def sentence(self) -> str:
        todo, many = self.work, f"{self.work.units:,} {self.unit}"
        kept = f" ({todo.kept:,} more runs are kept from before)" if todo.kept else ""
        if not todo.runs:
            return f"nothing to train: all {todo.kept:,} runs are kept from before"
        programs = f"{todo.programs} program{'s' * (todo.programs != 1)} to compile{kept}"
        head = f"{todo.runs:,} runs of {todo.curves:,} curves, {many} in all, {programs}"
        long = "how long it takes here is not known" if self.seconds is None else f"about {spoken(self.seconds)}"
        return f"{head}; {long} on {self.device}"

    @property
    def warning(self) -> str:
        """What is said besides, where it takes long."""
        if self.seconds is None or self.seconds < LONG or jax.default_backend() != "cpu":
            return ""
        return (
            "there is no accelerator here; --quick makes a rough version, --seeds a shorter one; Ctrl-C loses nothing"
        )


def spoken(seconds: float) -> str:
    if seconds < 90:
        return f"{max(10, round(seconds, -1)):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} hours"


def estimate(study: Study, figures: Sequence[str], runner: CurveRunner, quick: bool, seeds: int | None) -> Estimate:
    kind = jax.default_backend()
    todo, each = work(study, figures, runner, quick, seeds), recorded(runner.game.name, kind)
    cores = (os.cpu_count() or 1) if kind == "cpu" else 1
    seconds = None if each is None else todo.seconds(each, cores) * _factor(runner.cache, kind)
    name = f"{cores} core{'s' * (cores > 1)} of a CPU" if kind == "cpu" else jax.devices()[0].device_kind
    return Estimate(todo, seconds, name, study.unit)


def _factor(cache: RunCache | None, kind: str) -> float:
    return 1.0 if cache is None else _took(cache).get(kind, 1.0)


def _took(cache: RunCache) -> dict[str, float]:
    try:
        return json.loads((cache.folder / HERE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def learn(said: Estimate, took: float, cache: RunCache) -> None:
    """Note how long it really took, for the next estimate on this machine."""
    if said.seconds is None or took < TELLING or not said.work.runs:
        return
    kind = jax.default_backend()
    factor = took / said.seconds * _factor(cache, kind)
    write_file(cache.folder / HERE, (json.dumps(_took(cache) | {kind: round(factor, 3)}) + "\n").encode())
