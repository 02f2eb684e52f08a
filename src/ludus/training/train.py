"""Training: a recipe, a seed and a run folder. Compiled rounds of self-play and learning, metrics and a checkpoint
after every few, and the same bytes at the end whether the run was interrupted or not.
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
from ludus.errors import BadInput, shorten
from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.learners.settings import MAX_SEED, check_games
from ludus.runs import run_folder, tensors
from ludus.runs.event_files import Events
from ludus.runs.files import pretty_json, write_file
from ludus.runs.records import FINAL, WEIGHTS, fingerprint, read_config, read_metrics
from ludus.training import snapshots
from ludus.training.progress import Meter, OnProgress, Progress, nobody
from ludus.training.snapshots import Earlier, Shipped
from ludus.truth import truth_of
from ludus.truth.protocol import Effort, Grade

NEVER = 2**31 - 1  # games: more than any run has
CALL_SECONDS = 2.0  # that a compiled call takes at most, if a round does not take longer: who watches sees it move


@dataclass(frozen=True)
class Outcome:
    run: Path
    games: int
    seconds: float  # of this sitting
    final: Grade
    finished: bool = True  # or broken off, to be gone on with


def train(
    game: Game,
    recipe: Recipe,
    seed: int,
    out: Path | str,
    command: str = "",
    on_progress: OnProgress = nobody,
    tensorboard: Path | None = None,
    start: NetworkPlayer | None = None,
    seconds: float = float("inf"),
) -> Outcome:
    """A new run in a folder that is not there yet; with the weights of `start`, if there is one, to begin with."""
    config = {
        "game": game.name,
        "options": game.options(),
        "recipe": recipe.to_json(),
        "seed": seed,
        "command": command,
    }
    task = _Task(game, recipe, seed)  # before anything is made
    begun = None
    if start is not None:
        begun = task.onto(start)
        config["from"] = {"agent": start.name, "sha256": tensors.digest(start.weights)}
    with run_folder.begin(Path(out), config) as run:
        if begun is not None:  # what it begins with is part of the run, so that nothing else is needed to go on
            with _saving(run):
                run.checkpoint(0, begun)
        return _continue(run, task, on_progress, tensorboard, seconds)


def resume(
    path: Path | str,
    on_progress: OnProgress = nobody,
    games: int | None = None,
    tensorboard: Path | None = None,
    seconds: float = float("inf"),
) -> Outcome:
    """A run that was interrupted, from its last checkpoint to its end; or any, to a larger number of games."""
    with run_folder.go_on(Path(path)) as run:
        if games is not None:
            run = _extended(run, games)
        return _continue(run, _Task.of(run), on_progress, tensorboard, seconds)


class _Task:
    """What a run is asked to do; refused if it cannot be done here."""

    def __init__(self, game: Game, recipe: Recipe, seed: Any) -> None:
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise BadInput(f"the seed of a run is a whole number from 0 to {MAX_SEED}, not {shorten(repr(seed))}.")
        self.game, self.recipe, self.seed = game, recipe, seed
        self.rules, self.learner, self.total = recipe.rules(game), recipe.learner, recipe.config.games
        self.learner.refuse(recipe.config, self.rules)
        self.shapes = self._shapes()

    @staticmethod
    def of(run: run_folder.Run) -> _Task:
        config = read_config(run.path)
        game = make_game(config["game"], **config["options"])
        return _Task(game, Recipe.from_json(config["recipe"]), run.config.get("seed", 0))

    def begin(self, key: Any) -> Any:
        return self.learner.init(self.recipe.config, self.rules, key)

    def onto(self, start: NetworkPlayer) -> Any:
        """The run as it begins, with the weights of another."""
        state, onto = jax.jit(self.begin)(jax.random.key(self.seed)), self.learner.onto
        if onto is None:
            raise BadInput(f"a run of the learner '{self.learner.name}' begins with random weights; leave out --from.")
        begun = onto(state, start.weights)
        like, given = (jax.tree.map(jnp.shape, self.learner.weights(found)) for found in (state, begun))
        if like != given:
            raise BadInput(f"the weights of '{start.name}' are not those of this recipe: its network has other layers.")
        return begun

    def _shapes(self) -> Any:
        """What its state looks like, if memory can hold it."""
        shapes = jax.eval_shape(self.begin, jax.random.key(0))
        wanted = sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(shapes))
        if wanted > (there := _memory()):
            sizes = f"{wanted / 1e9:,.1f} GB, and there are {there / 1e9:,.1f}"
            raise BadInput(f"the recipe '{self.recipe.name}' wants {sizes}: make its memory, lanes or layers smaller.")
        return shapes


def _memory() -> float:
    """The bytes there are for arrays, as far as can be told."""
    stats = jax.devices()[0].memory_stats() or {}
    if "bytes_limit" in stats:
        return stats["bytes_limit"]
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _extended(run: run_folder.Run, games: int) -> run_folder.Run:
    task = _Task.of(run)
    check_games(games)
    if games == task.total:  # as when the same command is given again
        return run
    if games < task.total:
        raise BadInput(f"--games {games}: the run '{run.path}' has {task.total:,} already; give more than that.")
    run.newest(task.shapes)  # what cannot be gone on from is refused before the old end is taken away
    with _saving(run):
        return run.extended(games)


@contextlib.contextmanager
def _saving(run: run_folder.Run) -> Iterator[None]:
    """What cannot be written is one sentence, with what to do about it."""
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
    """What does not fit into memory is one sentence too."""
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
    """So many rounds, and none after the one that reaches a number of games: the state, and the last round's metrics.

    How many is an argument, so that a run may be cut into calls of any length: one program, and the same bytes.
    """

    def advance(state: Any) -> tuple[Any, Any]:
        return recipe.learner.advance(recipe.config, rules, state)

    def several(state: Any, rounds: Int[Array, ""], until: Int[Array, ""]) -> tuple[Any, Any]:
        nothing = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), jax.eval_shape(advance, state)[1])
        _, state, metrics = jax.lax.while_loop(
            lambda at: (at[0] < rounds) & (at[1].games < until),
            lambda at: (at[0] + 1, *advance(at[1])),
            (jnp.int32(0), state, nothing),
        )
        return state, metrics

    return jax.jit(several, donate_argnums=0)


def _meter(task: _Task) -> Meter:
    """Where rounds are counted in moves, games are taken to last half as long as they can."""
    size, unit = task.learner.span(task.recipe.config)
    a_round = size if unit == "games" else size / (task.game.max_plies / 2)
    return Meter(a_round, task.recipe.config.lanes or 1)


def _continue(
    run: run_folder.Run, task: _Task, on_progress: OnProgress, tensorboard: Path | None, seconds_left: float
) -> Outcome:
    begin = time.perf_counter()
    recipe, learner, total = task.recipe, task.learner, task.total
    with _fitting(recipe):
        state = jax.jit(task.begin)(jax.random.key(task.seed))
    with _saving(run):
        restored = run.restore(state)
        events = None if tensorboard is None else Events(tensorboard, read_metrics(run.path), "games")
    if restored is not None:
        state = restored[1]
    truth, pace, program = truth_of(task.game), learner.pace(recipe.config), _program(recipe, task.rules)
    stretch = max(1, pace.rounds // pace.calls)  # rounds after which it is looked whether the games are played
    until = total if recipe.by_round else NEVER
    games, rounds, meter = int(state.games), 1, _meter(task)
    metrics, row, seen = {}, {}, None
    rated = learner.rated and task.game.num_players == 2
    earlier = Earlier(task.game, recipe, learner.weights(state), read_metrics(run.path)) if rated else None
    shipped = Shipped.of(task.game, recipe) if rated and Effort.QUICK not in truth.grades else None
    reported = begun = games
    if games < total:  # no rounds at all: so it is compiled, and how long the first one takes can be told
        with _fitting(recipe):
            state, _ = program(state, 0, until)
        meter.stop("call")
    while games < total:
        done = 0
        while done < stretch * pace.calls:
            length = min(rounds, stretch - done % stretch)
            meter.start()
            with _fitting(recipe):
                state, metrics = program(state, length, until)
                before, games = games, int(state.games)
            if seconds := meter.stop("call", games - before, length):
                rounds = max(1, min(8 * length, int(length * CALL_SECONDS / seconds)))
            done += length
            if games >= total and (recipe.by_round or done % stretch == 0):
                break
            if done < stretch * pace.calls:
                on_progress(Progress(games, total, meter.rate, row, seen, expected=meter.expected))
        meter.start()
        seen = truth.grade(NetworkPlayer("", recipe, learner.weights(state)), Effort.QUICK)
        row = {"games": games, **{name: float(value) for name, value in metrics.items()}}
        if earlier is not None:
            row |= earlier.beaten_by(learner.weights(state))
        if shipped is not None:
            row |= shipped.beaten_by(learner.weights(state))
        with _saving(run):
            line = row | seen.to_json() | {"summary": seen.summary()}
            run.log(line)
            if events is not None:
                events.add(line)
            if rated:  # before the checkpoint: killed between the two, it is kept again
                snapshots.keep(run.path, learner.weights(state), games, reported, total)
                reported = games
            run.checkpoint(games, state)
            run.time({"games": games, "seconds": time.perf_counter() - begin, "since": begun})
        meter.stop("report")
        on_progress(Progress(games, total, meter.rate, row, seen, reported=True, expected=meter.expected))
        if games < total and time.perf_counter() - begin > seconds_left and learner.may_pause(recipe.config, state):
            return Outcome(run.path, games, time.perf_counter() - begin, seen, finished=False)
    weights = learner.weights(state)
    with _saving(run):
        extra = {"games": games, "config_sha256": fingerprint(read_config(run.path))}
        tensors.write_tensors(run.path / WEIGHTS, weights, extra)
    final = truth.grade(NetworkPlayer(str(run.path), recipe, weights))
    with _saving(run):
        write_file(run.path / FINAL, pretty_json(final.to_json() | {"summary": final.summary()}))
    return Outcome(run.path, games, time.perf_counter() - begin, final)
