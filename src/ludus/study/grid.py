"""All runs of all curves in a few compiled calls, for any learner and any game.

Curves that differ only in what their learner can sweep are one program, mapped over these curves and all their seeds.
A run is measured at points: once before any learning, then after every so many rounds of play and learning; and at each
point it is compared with its first one (`movement`), so that every file says whether its networks live. A program
takes its runs in batches, so that progress can be shown. Nothing is run twice: results stay in memory and, if there is
a cache folder, on disk for other processes.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from ludus.core.game import Game
from ludus.learners.learner import Learner
from ludus.study import programs
from ludus.study.cache import BatchCheckpoint, BatchResult, RunCache, as_tree
from ludus.study.data import Runs
from ludus.study.movement import Origin
from ludus.study.programs import batches, keys_of, own_setup
from ludus.study.study import Curve, Log, Measure, Scale, Setups


class CurveResult(NamedTuple):
    runs: Runs
    weights: Any  # final, every leaf [S, ...]


@dataclass(frozen=True)
class ProgramPlan:
    """Runs that are one compiled program."""

    learner: Learner
    config: Any  # what all runs share
    scale: Scale
    curves: tuple[Curve, ...]

    @property
    def rounds(self) -> int:
        """Between two points."""
        return max(1, self.scale.every // self.learner.span(self.config).size)

    def described(self, rows: Sequence[int]) -> dict[str, Any]:
        """All that these runs depend on, besides the game and the code."""
        seeds = self.scale.all_seeds
        runs = [(self.curves[row // len(seeds)], seeds[row % len(seeds)]) for row in rows]
        return {
            "learner": self.learner.name,
            "points": self.scale.points,
            "every": self.scale.every,
            "runs": [[asdict(curve.recipe.config), curve.setup, seed] for curve, seed in runs],
        }


class CurveRunner:
    """Runs curves of one game, and holds their results."""

    def __init__(
        self,
        game: Game,
        measure: Measure,
        setups: Mapping[str, Setups],
        points_a_call: int | None = None,  # None: all of them
        log: Log = lambda line: None,
        cache: RunCache | None = None,  # finished batches, for other processes to find
        checkpoints: bool = False,  # also unfinished batches, after every call
    ) -> None:
        self.game, self.measure, self.setups, self.log, self.cache = game, measure, setups, log, cache
        self.checkpoints = checkpoints
        self.points_a_call = points_a_call
        self.done: dict[Any, CurveResult] = {}
        self.found = 0  # runs that came from the cache
        self._stop = threading.Event()

    def run(self, wanted: Sequence[tuple[Curve, Scale]]) -> None:
        """Run those of these that have not been run."""
        plans = self.plan(wanted)
        names = (f"program {number} of {len(plans)} ({p.learner.name})" for number, p in enumerate(plans, start=1))
        jobs = [_Job(self, plan, name) for plan, name in zip(plans, names, strict=True)]
        # Programs run side by side on all cores: one is compiled while another runs. On a CPU the batches of a program
        # do too, after its first batch has compiled it. Therefore the first batches of all programs come first.
        cores, on_host = os.cpu_count() or 1, jax.default_backend() == "cpu"
        with ThreadPoolExecutor(cores if on_host else min(4, cores)) as pool:
            try:
                work = {pool.submit(job.run, 0): job for job in jobs}
                if on_host:
                    work |= {pool.submit(job.run, number): job for job in jobs for number in job.later}
                while work:
                    for part in wait(work, return_when=FIRST_COMPLETED).done:
                        job = work.pop(part)
                        part.result()
                        if not on_host and (number := len(job.parts)) < len(job.batches):  # one fills an accelerator
                            work[pool.submit(job.run, number)] = job
            except BaseException:
                self._stop.set()  # running batches are given up, finished ones are saved
                for job in jobs:
                    job.compiled.set()  # so that nobody waits for it
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        for job in jobs:
            self._keep(job)

    def result(self, curve: Curve, scale: Scale) -> CurveResult:
        """The result of a curve, up to the last point of this scale."""
        found = self.done[curve.run, scale.all_seeds, scale.every]
        runs = found.runs
        points = scale.points + 1
        cut = {name: values[:, :points] for name, values in runs.measured.items()}
        named = replace(runs, panel=curve.panel, label=curve.label, steps=runs.steps[:points], measured=cut)
        return CurveResult(named, found.weights)

    def plan(self, wanted: Sequence[tuple[Curve, Scale]]) -> list[ProgramPlan]:
        """Programs for what has not been run. If a curve is wanted at two lengths, only the longer one is run."""
        longest: dict[Any, tuple[Curve, Scale]] = {}
        for curve, scale in wanted:
            key = curve.run, scale.all_seeds, scale.every
            known = self.done.get(key)
            if known is not None and len(known.runs.steps) > scale.points:
                continue
            if key not in longest or longest[key][1].points < scale.points:
                longest[key] = curve, scale
        groups: dict[Any, list[Curve]] = {}
        for curve, scale in longest.values():
            learner = curve.recipe.learner
            # What a learner sets up by itself has the form of all its setups; else runs with one and without differ.
            kind = learner.setup is None and bool(curve.setup)
            groups.setdefault((learner, learner.program(curve.recipe.config), scale, kind), []).append(curve)
        return [ProgramPlan(*key, curves=tuple(curves)) for (*key, _), curves in groups.items()]

    def _keep(self, job: _Job) -> None:
        """Hold the results of a program's runs, curve by curve."""
        plan, total, seeds = job.plan, job.total, job.plan.scale.seeds
        seen, weights = zip(*(job.parts[number] for number in range(len(job.batches))), strict=True)
        measured = {key: np.concatenate([part[key] for part in seen])[:total] for key in seen[0]}
        final = jax.tree.map(lambda *leaves: np.concatenate(leaves)[:total], *weights)
        steps = np.arange(plan.scale.points + 1) * plan.rounds * plan.learner.span(plan.config).size
        for place, curve in enumerate(plan.curves):
            mine = slice(place * seeds, (place + 1) * seeds)
            values = {key: array[mine] for key, array in measured.items() if not np.isnan(array[mine]).all()}
            result = Runs(curve.panel, curve.label, plan.scale.all_seeds, steps, values)
            last = jax.tree.map(lambda leaf, mine=mine: leaf[mine], final)
            self.done[curve.run, plan.scale.all_seeds, plan.scale.every] = CurveResult(result, last)

    def _begin(self, plan: ProgramPlan) -> Any:
        """What all runs of a program begin with: keys, swept settings, and setups."""
        sweeps = [plan.learner.sweep(curve.recipe.config) for curve in plan.curves]
        sweep = jax.tree.map(lambda *leaves: jnp.repeat(jnp.stack(leaves), plan.scale.seeds, axis=0), *sweeps)
        keys = keys_of(plan.scale)
        made = {name: self._setup(plan, name, keys) for name in {curve.setup for curve in plan.curves}}
        setup = jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *(made[curve.setup] for curve in plan.curves))
        return jnp.concatenate([keys] * len(plan.curves)), sweep, setup

    def _find(self, what: Mapping[str, Any], like: Any) -> tuple[Mapping[str, np.ndarray], Any] | None:
        """A batch from the cache; None if its weights do not fit this learner."""
        batch = None if self.cache is None else self.cache.find(what)
        weights = None if batch is None else as_tree(batch.weights, like)
        return None if batch is None or weights is None else (batch.measured, weights)

    def _course(
        self, plan: ProgramPlan, part: Any, tell: Callable[[int], None], checkpoint: BatchCheckpoint | None = None
    ) -> tuple[Mapping[str, np.ndarray], Any]:
        """Run a batch to its end, call by call: each measure by run and point, and the final weights."""
        count, points, seen = len(part[0]), 0, []
        state = programs.first(plan.learner, plan.config, self.game)(*part)
        before = None if checkpoint is None else checkpoint.find(plan.scale.points, state)
        metrics, weights = programs.before(plan.learner, plan.config, self.game)(state)
        strength = self.measure(plan.learner, plan.config, jax.tree.map(lambda leaf: leaf[:, 0], weights))
        origin = Origin.of(weights, strength)

        def look(now: int, metrics: Mapping[str, Any], weights: Any, strength: Mapping[str, Any]) -> None:
            measured = origin.compare(weights, strength)
            shaped = {key: np.asarray(value).reshape(count, now) for key, value in measured.items()}
            seen.append({key: np.asarray(value) for key, value in metrics.items()} | shaped)

        if before is None:
            look(1, metrics, weights, strength)
        else:
            points, measured, state = before
            seen.append(measured)
            tell(points)
        while points < plan.scale.points:
            if self._stop.is_set():
                raise CancelledError
            now = min(self.points_a_call or plan.scale.points, plan.scale.points - points)
            state, metrics, weights = programs.advance(plan.learner, plan.config, self.game, now, plan.rounds)(state)
            flat = jax.tree.map(lambda leaf, now=now: leaf.reshape(count * now, *leaf.shape[2:]), weights)
            look(now, metrics, weights, self.measure(plan.learner, plan.config, flat))
            points += now
            if points < plan.scale.points:
                if checkpoint is not None:
                    checkpoint.keep(points, _joined(seen), state)
                tell(points)
        return _joined(seen), jax.tree.map(lambda leaf: np.asarray(leaf[:, -1]), weights)

    def _setup(self, plan: ProgramPlan, name: str, keys: Key[Array, "S"]) -> Any:
        """What each seed begins with: the learner's own setup, or one of the study's."""
        make = self.setups[name] if name else own_setup
        return make(plan.learner, plan.config, self.game, keys)


class _Job:
    """The runs of one program, batch by batch."""

    def __init__(self, grid: CurveRunner, plan: ProgramPlan, name: str) -> None:
        self.grid, self.plan, self.name = grid, plan, name
        self.total = len(plan.curves) * plan.scale.seeds
        self.batches, self.parts = batches(self.total), {}
        self._points: dict[int, int] = {}  # that each batch has reached
        self._begun, self._lock = time.perf_counter(), threading.Lock()
        self.compiled = threading.Event()

    @property
    def later(self) -> range:
        """All batches but the first."""
        return range(1, len(self.batches))

    def run(self, number: int) -> None:
        """One batch, from the cache or run. All but the first wait until that has compiled the program."""
        if number:
            self.compiled.wait()
            if self.grid._stop.is_set():
                raise CancelledError
        grid, plan, rows = self.grid, self.plan, self.batches[number]
        what, part = plan.described(rows), None
        if grid.cache is not None:
            part = grid._find(what, self._like)
        if part is not None:
            real = self._real(number)
            with self._lock:
                grid.found += real
            grid.log(f"{self.name}: {real} of {self.total} runs were kept from before")
        else:
            mine = jax.tree.map(lambda leaf: leaf[jnp.asarray(rows)], self._runs)
            checkpoint = BatchCheckpoint(grid.cache, what) if grid.cache is not None and grid.checkpoints else None
            part = grid._course(plan, mine, functools.partial(self._tell, number), checkpoint)
            if grid.cache is not None:
                grid.cache.keep(what, BatchResult(part[0], jax.tree.leaves(part[1])))
            if checkpoint is not None:
                checkpoint.drop()
            self._tell(number, plan.scale.points)  # only now: it is saved
        with self._lock:
            self._points[number] = plan.scale.points
            self.parts[number] = part
        self.compiled.set()

    @functools.cached_property
    def _runs(self) -> Any:
        """What the runs begin with; made when the first of them has to be run."""
        with self._lock:
            return self.grid._begin(self.plan)

    @functools.cached_property
    def _like(self) -> Any:
        learner = self.plan.learner
        return jax.eval_shape(
            lambda: learner.weights(learner.init(self.plan.config, self.grid.game, jax.random.key(0)))
        )

    def _real(self, number: int) -> int:
        """How many runs of a batch count; the rest only fill it up."""
        return min(len(self.batches[number]), self.total - number * len(self.batches[0]))

    def _tell(self, number: int, points: int) -> None:
        self.compiled.set()
        with self._lock:
            self._points[number] = points
            done = sum(self._real(place) * now for place, now in self._points.items()) / self.plan.scale.points
        seconds = time.perf_counter() - self._begun
        self.grid.log(f"{self.name}: {100 * done / self.total:.0f}% of {self.total} runs, {seconds:.0f} s")


def _joined(seen: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The measures of all calls, one after the other."""
    return {key: np.concatenate([part[key] for part in seen], axis=1) for key in seen[0]}
