"""The training loop: compiled rounds of self-play and learning, with metrics and a checkpoint after every few.

A recipe and a seed give the same bytes at the end, whether the run was interrupted or not.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from ludus.agents.network import NetworkPlayer
from ludus.core.game import Game, Rules
from ludus.core.results import Result, Sheet
from ludus.errors import BadInput, shorten
from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.learners.settings import MAX_SEED, check_games
from ludus.runs import curves, run_folder, tensors
from ludus.runs.files import pretty_json, write_file
from ludus.runs.run_info import FINAL, WEIGHTS, fingerprint, read_config, read_metrics
from ludus.runs.tensorboard import EventFile
from ludus.training import snapshots
from ludus.training.progress import Meter, OnProgress, Progress, no_progress
from ludus.truth import truth_of
from ludus.truth.protocol import Effort, Grade

NEVER = 2**31 - 1  # games: more than any run has
CALL_SECONDS = 2.0  # of a compiled call, at most, unless one round takes longer: so that progress is seen


@dataclass(frozen=True, repr=False)
class Outcome(Result):
    """A run as far as it was trained: `.run` is its folder, which is also the agent's name; `.final` its strength."""

    run: Path
    games: int
    seconds: float  # since it began or was resumed
    final: Grade
    finished: bool = True  # False: paused, to be resumed

    def to_json(self) -> dict[str, Any]:
        found = {"run": str(self.run), "games": self.games, "seconds": self.seconds, "final": self.final.to_json()}
        return found | ({} if self.finished else {"finished": False})

    def parts(self) -> Iterator[str | Sheet]:
        yield f"{self.games:,} games of self-play in {self.seconds:.0f} s: {self.run}"
        yield from (f"  {line}" for line in self.final.lines())

    def to_svg(self) -> str | None:
        """The curves of its strength and its loss."""
        panels = curves.panels_of([self.run])
        return curves.svg(panels, str(self.run)).decode() if panels else None


def train(
    game: Game,
    recipe: Recipe,
    seed: int,
    out: Path | str,
    command: str = "",
    on_progress: OnProgress = no_progress,
    tensorboard: Path | None = None,
    start: NetworkPlayer | None = None,
    seconds: float = float("inf"),
) -> Outcome:
    """Train a new run in a new folder, from random weights or from those of `start`."""
    config = {
        "game": game.name,
        "options": game.options(),
        "recipe": recipe.to_json(),
        "seed": seed,
        "command": command,
    }
    job = _Job(game, recipe, seed)  # it refuses what cannot be trained before anything is made
    begun = None
    if start is not None:
        begun = job.state_from(start)
        config["from"] = {"agent": start.name, "sha256": tensors.digest(start.weights)}
    with run_folder.begin(Path(out), config) as run:
        if begun is not None:  # the weights are saved in the run, so that it can be resumed without the other agent
            with _saving(run):
                run.checkpoint(0, begun)
        return _continue(run, job, on_progress, tensorboard, seconds)


def resume(
    path: Path | str,
    on_progress: OnProgress = no_progress,
    games: int | None = None,
    tensorboard: Path | None = None,
    seconds: float = float("inf"),
) -> Outcome:
    """Train a run from its newest checkpoint to its end, or to a larger number of games."""
    with run_folder.reopen(Path(path)) as run:
        if games is not None:
            run = _extended(run, games)
        return _continue(run, _Job.of(run), on_progress, tensorboard, seconds)


class _Job:
    """A game, a recipe and a seed, checked: what cannot be trained here is refused."""

    def __init__(self, game: Game, recipe: Recipe, seed: Any) -> None:
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise BadInput(f"the seed of a run is a whole number from 0 to {MAX_SEED}, not {shorten(repr(seed))}.")
        self.game, self.recipe, self.seed = game, recipe, seed
        self.rules, self.learner, self.total = recipe.rules(game), recipe.learner, recipe.config.games
        self.learner.refuse(recipe.config, self.rules)
        self.shapes = self._shapes()

    @staticmethod
    def of(run: run_folder.Run) -> _Job:
        config = read_config(run.path)
        game = make_game(config["game"], **config["options"])
        return _Job(game, Recipe.from_json(config["recipe"]), run.config.get("seed", 0))

    def begin(self, key: Any) -> Any:
        return self.learner.init(self.recipe.config, self.rules, key)

    def state_from(self, start: NetworkPlayer) -> Any:
        """The learner's first state, with another agent's weights."""
        state, onto = jax.jit(self.begin)(jax.random.key(self.seed)), self.learner.onto
        if onto is None:
            raise BadInput(f"a run of the learner '{self.learner.name}' begins with random weights; leave out --from.")
        begun = onto(state, start.weights)
        like, given = (jax.tree.map(jnp.shape, self.learner.weights(found)) for found in (state, begun))
        if like != given:
            raise BadInput(f"the weights of '{start.name}' are not those of this recipe: its network has other layers.")
        return begun

    def _shapes(self) -> Any:
        """The shapes of the learner's state, which must fit into memory."""
        shapes = jax.eval_shape(self.begin, jax.random.key(0))
        wanted = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(shapes))
        if wanted > (there := _memory()):
            sizes = f"{wanted / 1e9:,.1f} GB, and there are {there / 1e9:,.1f}"
            raise BadInput(f"the recipe '{self.recipe.name}' wants {sizes}: make its memory, lanes or layers smaller.")
        return shapes


def _memory() -> float:
    """The bytes of memory for arrays; infinite if unknown."""
    stats = jax.devices()[0].memory_stats() or {}
    if "bytes_limit" in stats:
        return stats["bytes_limit"]
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _extended(run: run_folder.Run, games: int) -> run_folder.Run:
    job = _Job.of(run)
    check_games(games)
    if games == job.total:  # the same command was given again
        return run
    if games < job.total:
        raise BadInput(f"--games {games}: the run '{run.path}' has {job.total:,} already; give more than that.")
    run.read_newest(job.shapes)  # a bad checkpoint is refused before the old final files are removed
    with _saving(run):
        return run.extended(games)


@contextlib.contextmanager
def _saving(run: run_folder.Run) -> Iterator[None]:
    """Tell in one sentence what cannot be written, and the remedy."""
    try:
        yield
    except OSError as error:
        why, resume = error.strerror or str(error), shlex.join(["ludus", "train", "--resume", str(run.path)])
        where = f"'{error.filename}'" if error.filename else f"the run '{run.path}'"
        if not run.path.is_dir():
            raise BadInput(f"the run folder '{run.path}' has gone while it was trained: begin a new run.") from error
        raise BadInput(
            f"cannot write to {where}: {why}; what was saved before is kept: make room, then go on with {resume}."
        ) from error


@contextlib.contextmanager
def _fitting(recipe: Recipe) -> Iterator[None]:
    """Tell in one sentence that memory is too small."""
    try:
        yield
    except jax.errors.JaxRuntimeError as error:
        if "RESOURCE_EXHAUSTED" not in str(error) and "Out of memory" not in str(error):
            raise
        raise BadInput(
            f"the recipe '{recipe.name}' does not fit into memory: make its memory, lanes, batch or layers smaller."
        ) from error


@functools.lru_cache(maxsize=8)
def _program(recipe: Recipe, rules: Rules) -> Callable[[Any, int, int], tuple[Any, Any]]:
    """Compiled `several(state, rounds, until)`: the state after some rounds, and the last round's metrics.

    It stops early once `until` games are played. The number of rounds is an argument, so one program serves calls of
    any length, and the length of calls does not change the result.
    """

    def advance(state: Any) -> tuple[Any, Any]:
        return recipe.learner.advance(recipe.config, rules, state)

    def several(state: Any, rounds: Int[Array, ""], until: Int[Array, ""]) -> tuple[Any, Any]:
        no_metrics = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(advance, state)[1])
        _, state, metrics = jax.lax.while_loop(
            lambda at: (at[0] < rounds) & (at[1].games < until),
            lambda at: (at[0] + 1, *advance(at[1])),
            (jnp.int32(0), state, no_metrics),
        )
        return state, metrics

    return jax.jit(several, donate_argnums=0)


def _meter(job: _Job) -> Meter:
    """Where a round is a number of moves, games are assumed to last half the ply limit."""
    size, unit = job.learner.span(job.recipe.config)
    games_a_round = size if unit == "games" else size / (job.game.max_plies / 2)
    return Meter(games_a_round, job.recipe.config.lanes or 1)


def _continue(
    run: run_folder.Run, job: _Job, on_progress: OnProgress, tensorboard: Path | None, seconds_left: float
) -> Outcome:
    """The training loop, from the newest checkpoint to the end, or until the time is up."""
    began = time.perf_counter()

    def elapsed() -> float:
        return time.perf_counter() - began

    # --- the learner's state: as it begins, or as the newest checkpoint has it
    recipe, learner, total = job.recipe, job.learner, job.total
    with _fitting(recipe):
        state = jax.jit(job.begin)(jax.random.key(job.seed))
    with _saving(run):
        if (restored := run.restore(state)) is not None:
            state = restored[1]
        earlier_rows = read_metrics(run.path)
        events = None if tensorboard is None else EventFile(tensorboard, earlier_rows, "games")
    games = games_at_begin = games_at_report = int(state.games)

    # --- what measures it: the truth, and games against other networks where the learner wants them
    truth, grade, row = truth_of(job.game), None, {}
    plays = job.game.num_players == 2
    comparisons = []
    if plays and learner.rated:
        comparisons = snapshots.comparisons(job.game, recipe, learner.weights(state), earlier_rows, truth)

    # --- compile: a call of no rounds, so that the first real call can be timed
    program, meter, metrics = _program(recipe, job.rules), _meter(job), {}
    until = total if recipe.by_round else NEVER
    if games < total:
        with _fitting(recipe):
            state, _ = program(state, 0, until)
        meter.stop("call")

    def tell(reported: bool) -> None:
        on_progress(Progress(games, total, meter.rate, row, grade, reported, meter.expected))

    # A report comes after `calls` stretches of rounds. After each stretch it is checked whether all games are played;
    # a stretch is cut into calls of about CALL_SECONDS.
    pace, length = learner.pace(recipe.config), 1
    stretch = max(1, pace.rounds // pace.calls)
    while games < total:
        # --- play and learn, until the next report
        done = 0
        while done < stretch * pace.calls:
            rounds = min(length, stretch - done % stretch)
            meter.start()
            with _fitting(recipe):
                state, metrics = program(state, rounds, until)
                before, games = games, int(state.games)
            if seconds := meter.stop("call", games - before, rounds):
                length = max(1, min(8 * rounds, int(rounds * CALL_SECONDS / seconds)))
            done += rounds
            if games >= total and (recipe.by_round or done % stretch == 0):
                break
            if done < stretch * pace.calls:
                tell(reported=False)

        # --- measure
        meter.start()
        weights = learner.weights(state)
        grade = truth.grade(NetworkPlayer("", recipe, weights), Effort.QUICK)
        row = {"games": games, **{name: float(value) for name, value in metrics.items()}}
        for comparison in comparisons:
            row |= comparison.measure(weights)

        # --- save: metrics, a snapshot to keep, a checkpoint, the time
        with _saving(run):
            line = row | grade.to_json() | {"summary": grade.summary()}
            run.log(line)
            if events is not None:
                events.add(line)
            if plays:  # before the checkpoint: after a kill between the two, the snapshot is written again
                snapshots.keep(run.path, weights, games, games_at_report, total)
            run.checkpoint(games, state)
            run.time({"games": games, "seconds": elapsed(), "since": games_at_begin})
        games_at_report = games
        meter.stop("report")
        tell(reported=True)

        # --- pause, if the time is up
        if games < total and elapsed() > seconds_left and learner.may_pause(recipe.config, state):
            return Outcome(run.path, games, elapsed(), grade, finished=False)

    # --- the end: the weights, and the whole grade
    weights = learner.weights(state)
    with _saving(run):
        extra = {"games": games, "config_sha256": fingerprint(read_config(run.path))}
        tensors.write_tensors(run.path / WEIGHTS, weights, extra)
    final = truth.grade(NetworkPlayer(str(run.path), recipe, weights))
    with _saving(run):
        write_file(run.path / FINAL, pretty_json(final.to_json() | {"summary": final.summary()}))
    return Outcome(run.path, games, elapsed(), final)
