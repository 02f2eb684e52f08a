"""The results file of a ladder: one line per batch of games, append-only. It needs no JAX.

An agent is identified by its name and a digest of its weights: after more training it is another agent, with results of
its own. A batch is identified by its two agents, the seed and its number. A repeated line counts once, so two files of
one game can be joined with `cat`.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from ludus import games as registry
from ludus.agents.spec import AgentSpec, Setup, folder_of, is_built_in, is_trained, refuse_strangers
from ludus.errors import BadInput, shorten
from ludus.runs import lock
from ludus.runs.files import make_folder, read_bytes, read_manifest, sha256, sync_folder
from ludus.runs.run_info import fingerprint, playing_tensors, read_config

FORMAT = 1
BEGINS = f'{{"ladder": {FORMAT}, '.encode()  # every line
RANDOM = "random"
FOLDER = Path("runs") / "ladders"
DIGITS, SHOWN = 16, 8  # of a digest, in the file and in labels
MOST = 10**10  # the largest number in a batch: seeds and counts are smaller


class Entrant(NamedTuple):
    """An agent with the weights that it played with."""

    agent: str
    digest: str  # of its weights and its recipe; empty for an untrained agent


def entrant_of(name: str) -> Entrant:
    """An agent with the weights that it has now."""
    return Entrant(tidy(name), _digest(name))


def tidy(name: str) -> str:
    """One name for one folder, whether or not its path ends in a slash."""
    spec = AgentSpec.parse(name)
    if spec.kind == "search":
        return f"{tidy(spec.inside or '')}@{name.rpartition('@')[2]}"
    if not is_trained(name) or name in registry.shipped():
        return name
    path = str(Path(name))
    return f"./{path}" if is_built_in(path) or path in registry.shipped() else path


def _digest(name: str) -> str:
    spec = AgentSpec.parse(name)
    if spec.inside is not None and spec.inside != name:
        return _digest(spec.inside)
    if not is_trained(name):
        return ""
    folder = folder_of(name)
    tensors = playing_tensors(folder)
    weights = "" if tensors is None else read_manifest(tensors)["sha256"]  # loading refuses an agent without
    return sha256(f"{fingerprint(read_config(folder))} {weights}".encode())[:DIGITS]


def is_there(entrant: Entrant) -> bool:
    """Whether an agent can still play: its folder is there, with the same weights."""
    try:
        kind = AgentSpec.parse(entrant.agent).kind
        if kind == "function":  # it plays when it is named: the file may be somebody else's, and must run no code
            return False
        if kind == "program":  # it may be installed no more
            refuse_strangers([entrant.agent])
        known = kind != "network" or is_trained(entrant.agent)
        return known and entrant_of(entrant.agent) == entrant
    except BadInput:  # or its folder is damaged by now
        return False


@dataclass(frozen=True)
class BatchResult:
    """Results of some games between two agents, for the first one. Games come in pairs with the seats exchanged."""

    a: Entrant
    b: Entrant
    seed: int
    number: int  # counts the batches of these two
    openings: int  # random plies at the beginning of each pair
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]  # numbers of pairs by score: 0, 1/2, 1, 3/2, 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def key(self) -> tuple[Any, ...]:
        """Batches with the same key are the same games."""
        return self.a, self.b, self.seed, self.number, self.openings, self.games

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"a": self.a._asdict(), "b": self.b._asdict(), "pairs": list(self.pairs)}


class _BadLine(Exception):
    """Why a line is not a batch of this ladder: the end of a sentence."""


def _line(line: bytes) -> tuple[Setup, BatchResult]:
    """The setup and the batch that a line holds; for any other line a `_BadLine`."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # RecursionError: brackets nested too deep
        row = None
    if not isinstance(row, dict) or "ladder" not in row:
        raise _BadLine("it is no batch of games")
    if type(row["ladder"]) is not int or row["ladder"] != FORMAT:
        raise _BadLine(f"its format is {shorten(str(row['ladder']))}, and this version of ludus reads {FORMAT}")
    game, options = row.get("game"), row.get("options")
    if not isinstance(game, str) or not isinstance(options, dict):
        raise _BadLine("it does not say which game was played, with which options")
    if not all(type(value) in (bool, int, str) for value in options.values()):
        raise _BadLine("an option of its game is neither a whole number nor a text, nor true or false")
    return Setup(game, options), _batch(row)


def _batch(row: dict[str, Any]) -> BatchResult:
    a, b = (_entrant(row.get(side)) for side in ("a", "b"))
    counts: dict[str, Any] = {name: row.get(name) for name in ("seed", "number", "openings", "wins", "draws", "losses")}
    pairs = row.get("pairs")
    if not isinstance(pairs, list):
        raise _BadLine("it is no batch of games")
    if not all(type(count) is int and 0 <= count <= MOST for count in (*counts.values(), *pairs)):
        raise _BadLine(f"a count is no whole number up to {MOST:,}")
    batch = BatchResult(a, b, pairs=tuple(pairs), **counts)
    points = sum(score * count for score, count in enumerate(pairs))
    if len(pairs) != 5 or 2 * sum(pairs) != batch.games or points != 2 * batch.wins + batch.draws or not batch.games:
        raise _BadLine("its pairs are not its games")
    if a >= b:
        raise _BadLine("its agents are not two in their order")
    return batch


def _entrant(said: Any) -> Entrant:
    if isinstance(said, dict):
        agent, digest = said.get("agent"), said.get("digest")
        if isinstance(agent, str) and isinstance(digest, str):
            return Entrant(agent, digest)
    raise _BadLine("it is no batch of games")


class ResultsFile:
    """The results of one game under one set of options."""

    path: Path
    setup: Setup

    def __init__(self, path: Path, setup: Setup) -> None:
        """Read the file; an absent one has no games yet. A damaged file is a `BadInput`."""
        self.path, self.setup = path, setup
        self._read()

    def _read(self) -> None:
        self._batches: dict[tuple[Any, ...], BatchResult] = {}
        data = read_bytes(self.path) if self.path.exists() else b""
        *lines, rest = data.split(b"\n")
        for number, line in enumerate(lines, start=1):
            self._take(line, number)
        self._whole = len(data) - len(rest)  # bytes up to the end of the last line
        self._ended = True  # whether that has its newline
        if rest and not rest.startswith(BEGINS) and not BEGINS.startswith(rest):
            raise self._damaged(len(lines) + 1, "it is no batch of games")
        if rest.endswith(b"}"):  # complete: an editor removed the newline. Otherwise a kill cut the line short
            with contextlib.suppress(BadInput):
                self._take(rest, len(lines) + 1)
                self._whole, self._ended = len(data), False

    def _take(self, line: bytes, number: int) -> None:
        try:
            setup, batch = _line(line)
        except _BadLine as error:
            raise self._damaged(number, str(error)) from None
        # Compared as JSON, because Python's 1 equals True.
        if json.dumps(setup, sort_keys=True) != json.dumps(self.setup, sort_keys=True):
            said = shorten(setup.describe())
            raise BadInput(
                f"line {number} of '{self.path}' is a match of {said}, not of {self.setup.describe()}: "
                "give that game and its options, or another --file."
            )
        self._batches.setdefault(batch.key, batch)

    def _damaged(self, number: int, why: str) -> BadInput:
        if number == 1:
            return BadInput(f"'{self.path}' is not a ladder: of its first line, {why}.")
        return BadInput(f"line {number} of '{self.path}' is damaged: {why}; mend or delete that line.")

    # --- reading --------------------------------------------------------------------------------------------

    @property
    def games(self) -> int:
        return sum(batch.games for batch in self._batches.values())

    @property
    def entrants(self) -> list[Entrant]:
        """All agents that have played, in the order of their first games."""
        return list(dict.fromkeys(who for batch in self._batches.values() for who in (batch.a, batch.b)))

    def outcomes(self, entrants: Sequence[Entrant]) -> Float[np.ndarray, "N N 3"]:
        """Wins, draws and losses of each of these agents against each other."""
        return self._counts(entrants, 3, lambda batch: (batch.wins, batch.draws, batch.losses))

    def scores_and_pairs(
        self, entrants: Sequence[Entrant]
    ) -> tuple[Float[np.ndarray, "N N"], Float[np.ndarray, "N N 5"]]:
        """For `play.ratings.fit`: the points of each agent against each other, and the numbers of pairs by score."""
        ends = self.outcomes(entrants)
        return ends[..., 0] + ends[..., 1] / 2, self._counts(entrants, 5, lambda batch: batch.pairs)

    def _counts(
        self, entrants: Sequence[Entrant], width: int, counts: Callable[[BatchResult], Sequence[int]]
    ) -> Float[np.ndarray, "N N C"]:
        """Sums over batches. For the second agent, a batch's counts are reversed."""
        place = {who: number for number, who in enumerate(entrants)}
        both = [batch for batch in self._batches.values() if batch.a in place and batch.b in place]
        found = np.zeros((len(entrants), len(entrants), width))
        for batch in both:
            i, j, end = place[batch.a], place[batch.b], np.array(counts(batch))
            found[i, j] += end
            found[j, i] += end[::-1]
        return found

    def pairs(self, a: Entrant, b: Entrant) -> tuple[int, ...]:
        """The numbers of pairs by score, for the first agent."""
        one, two = sorted((a, b))
        counts = tuple(map(sum, zip((0,) * 5, *(batch.pairs for batch in self._between(one, two)), strict=True)))
        return counts if (one, two) == (a, b) else counts[::-1]

    def next_number(self, a: Entrant, b: Entrant) -> int:
        """The number for a new batch of these two: unused with any seed."""
        one, two = sorted((a, b))
        return max((batch.number + 1 for batch in self._between(one, two)), default=0)

    def _between(self, one: Entrant, two: Entrant) -> Iterable[BatchResult]:
        return [batch for batch in self._batches.values() if (batch.a, batch.b) == (one, two)]

    def refuse_alone(self, names: Sequence[str]) -> None:
        """Refuse the random player as the only agent; any other single agent would play against it."""
        if list(names) == [RANDOM] and not any(who.agent != RANDOM and is_there(who) for who in self.entrants):
            raise BadInput(f"'{RANDOM}' has nobody to meet on this ladder; name another agent beside it.")

    # --- writing --------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Lock the file for writing and read it again. If another process has it, raise `BadInput`."""
        make_folder(self.path.parent)
        with lock.held_file(self.path):
            sync_folder(self.path.parent)  # the file may be a new entry
            self._read()
            yield

    def add(self, batch: BatchResult) -> None:
        """Append a batch; it is on the disk when this returns."""
        row = {"ladder": FORMAT, "game": self.setup.game, "options": self.setup.options, **batch.to_json()}
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        with open(self.path, "r+b") as file:
            file.truncate(self._whole)  # remove a line that a kill cut short: it was never reported
            file.seek(self._whole)
            data = line if self._ended else b"\n" + line
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._whole, self._ended = self._whole + len(data), True
        self._batches[batch.key] = batch


def default_file(setup: Setup) -> Path:
    """A ladder's default file, named by the game and its options that differ from the defaults."""
    usual = registry.entry(setup.game).defaults
    more = (f"{name}={value}" for name, value in setup.options.items() if usual[name] != value)
    return FOLDER / f"{'-'.join((setup.game, *more))}.jsonl"


def labels(entrants: Sequence[Entrant]) -> dict[Entrant, str]:
    """Names to show. Where several agents share a name, all but the newest have their digest added."""
    last = {who.agent: who for who in entrants}
    return {who: who.agent if last[who.agent] == who else f"{who.agent} ({who.digest[:SHOWN]})" for who in entrants}
