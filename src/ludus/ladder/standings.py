"""All that was played for a ladder, in one file: a line a batch of games, added to and never changed.

An agent is known by its name and a digest of its weights: one that was trained again is another, and what its former
self has won stays with that. A batch is known by who met, the seed and its number, and counts once, however often its
line is there, so two files of one game can be joined with `cat`. Here is no JAX: a list needs none.
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
from ludus.agents.spec import AgentSpec, Setup, folder_of, is_built_in, is_trained
from ludus.errors import BadInput, shorten
from ludus.runs import lock
from ludus.runs.files import make_folder, read_bytes, read_manifest, sha256, sync_folder
from ludus.runs.records import fingerprint, playing_tensors, read_config

FORMAT = 1
BEGINS = f'{{"ladder": {FORMAT}, '.encode()  # every line
RANDOM = "random"
FOLDER = Path("runs") / "ladders"
DIGITS, SHOWN = 16, 8  # of a digest, in the file and to people
MOST = 10**10  # any number of a batch; a seed is smaller, and so many games nobody has played


class Entrant(NamedTuple):
    """An agent as it was when it played."""

    agent: str
    digest: str  # of its weights and its recipe; empty for one that nobody trained


def entrant_of(name: str) -> Entrant:
    """An agent as it is now."""
    return Entrant(tidy(name), _digest(name))


def tidy(name: str) -> str:
    """The same name for the same folder, whether or not its path ends in a slash."""
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
    weights = "" if tensors is None else read_manifest(tensors)["sha256"]  # without any it is refused when it is loaded
    return sha256(f"{fingerprint(read_config(folder))} {weights}".encode())[:DIGITS]


def is_there(entrant: Entrant) -> bool:
    """Whether an agent can still be met: its folder is there, and nobody trained it since."""
    try:
        known = AgentSpec.parse(entrant.agent).kind != "network" or is_trained(entrant.agent)
        return known and entrant_of(entrant.agent) == entrant
    except BadInput:  # a folder that is damaged by now
        return False


@dataclass(frozen=True)
class Batch:
    """Some games of two agents, from the first one's side; two after another are a pair, with the seats exchanged."""

    a: Entrant
    b: Entrant
    seed: int
    number: int  # among the batches of these two
    openings: int  # random plies that each pair begins with
    wins: int
    draws: int
    losses: int
    pairs: tuple[int, ...]  # by their score: 0, 1/2, 1, 3/2, 2

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def key(self) -> tuple[Any, ...]:
        """Two of the same key are the same games."""
        return self.a, self.b, self.seed, self.number, self.openings, self.games

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"a": self.a._asdict(), "b": self.b._asdict(), "pairs": list(self.pairs)}


class _Wrong(Exception):
    """Why a line is no batch of this ladder's: the end of a sentence."""


def _line(line: bytes) -> tuple[Setup, Batch]:
    """What a line tells of; whatever may stand in it, a `_Wrong` says why it tells of nothing."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # the latter of brackets in brackets in brackets
        row = None
    if not isinstance(row, dict) or "ladder" not in row:
        raise _Wrong("it is no batch of games")
    if type(row["ladder"]) is not int or row["ladder"] != FORMAT:
        raise _Wrong(f"its format is {shorten(str(row['ladder']))}, and this version of ludus reads {FORMAT}")
    game, options = row.get("game"), row.get("options")
    if not isinstance(game, str) or not isinstance(options, dict):
        raise _Wrong("it does not say which game was played, with which options")
    if not all(type(value) in (bool, int, str) for value in options.values()):
        raise _Wrong("an option of its game is neither a whole number nor a text, nor true or false")
    return Setup(game, options), _batch(row)


def _batch(row: dict[str, Any]) -> Batch:
    a, b = (_entrant(row.get(side)) for side in ("a", "b"))
    counts: dict[str, Any] = {name: row.get(name) for name in ("seed", "number", "openings", "wins", "draws", "losses")}
    pairs = row.get("pairs")
    if not isinstance(pairs, list):
        raise _Wrong("it is no batch of games")
    if not all(type(count) is int and 0 <= count <= MOST for count in (*counts.values(), *pairs)):
        raise _Wrong(f"a count is no whole number up to {MOST:,}")
    batch = Batch(a, b, pairs=tuple(pairs), **counts)
    points = sum(score * count for score, count in enumerate(pairs))
    if len(pairs) != 5 or 2 * sum(pairs) != batch.games or points != 2 * batch.wins + batch.draws or not batch.games:
        raise _Wrong("its pairs are not its games")
    if a >= b:
        raise _Wrong("its agents are not two in their order")
    return batch


def _entrant(said: Any) -> Entrant:
    if isinstance(said, dict):
        agent, digest = said.get("agent"), said.get("digest")
        if isinstance(agent, str) and isinstance(digest, str):
            return Entrant(agent, digest)
    raise _Wrong("it is no batch of games")


class Standings:
    """What was played for the ladder of one game, set up one way."""

    def __init__(self, path: Path, setup: Setup) -> None:
        """What the file says; one that is not there has no games yet. What is wrong with it is a `BadInput`."""
        self.path, self.setup = path, setup
        self._read()

    def _read(self) -> None:
        self._batches: dict[tuple[Any, ...], Batch] = {}
        data = read_bytes(self.path) if self.path.exists() else b""
        *lines, rest = data.split(b"\n")
        for number, line in enumerate(lines, start=1):
            self._take(line, number)
        self._whole = len(data) - len(rest)  # bytes up to the end of the last line
        self._ended = True  # whether that has its newline
        if rest and not rest.startswith(BEGINS) and not BEGINS.startswith(rest):
            raise self._damaged(len(lines) + 1, "it is no batch of games")
        if rest.endswith(b"}"):  # whole, by an editor that ends files without a newline; else a kill came between
            with contextlib.suppress(BadInput):
                self._take(rest, len(lines) + 1)
                self._whole, self._ended = len(data), False

    def _take(self, line: bytes, number: int) -> None:
        try:
            setup, batch = _line(line)
        except _Wrong as error:
            raise self._damaged(number, str(error)) from None
        # As JSON tells them apart, for Python takes 1 for true.
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

    # --- what it says ---------------------------------------------------------------------------------------

    @property
    def games(self) -> int:
        return sum(batch.games for batch in self._batches.values())

    @property
    def entrants(self) -> list[Entrant]:
        """Who has played, in the order in which they came."""
        return list(dict.fromkeys(who for batch in self._batches.values() for who in (batch.a, batch.b)))

    def ends(self, entrants: Sequence[Entrant]) -> Float[np.ndarray, "N N 3"]:
        """Wins, draws and losses of each of these against each other."""
        return self._table(entrants, 3, lambda batch: (batch.wins, batch.draws, batch.losses))

    def results(self, entrants: Sequence[Entrant]) -> tuple[Float[np.ndarray, "N N"], Float[np.ndarray, "N N 5"]]:
        """As ratings take them: what each of these got against each other, and the pairs of games by their score."""
        ends = self.ends(entrants)
        return ends[..., 0] + ends[..., 1] / 2, self._table(entrants, 5, lambda batch: batch.pairs)

    def _table(
        self, entrants: Sequence[Entrant], width: int, counts: Callable[[Batch], Sequence[int]]
    ) -> Float[np.ndarray, "N N C"]:
        """Counts, the best last or first: from the other's side they come in the opposite order."""
        place = {who: number for number, who in enumerate(entrants)}
        both = [batch for batch in self._batches.values() if batch.a in place and batch.b in place]
        found = np.zeros((len(entrants), len(entrants), width))
        for batch in both:
            i, j, end = place[batch.a], place[batch.b], np.array(counts(batch))
            found[i, j] += end
            found[j, i] += end[::-1]
        return found

    def pairs(self, a: Entrant, b: Entrant) -> tuple[int, ...]:
        """So many pairs of games of each score, from the first one's side."""
        one, two = sorted((a, b))
        counts = tuple(map(sum, zip((0,) * 5, *(batch.pairs for batch in self._between(one, two)), strict=True)))
        return counts if (one, two) == (a, b) else counts[::-1]

    def next_number(self, a: Entrant, b: Entrant) -> int:
        """Of a batch that these two have not played with any seed."""
        one, two = sorted((a, b))
        return max((batch.number + 1 for batch in self._between(one, two)), default=0)

    def _between(self, one: Entrant, two: Entrant) -> Iterable[Batch]:
        return [batch for batch in self._batches.values() if (batch.a, batch.b) == (one, two)]

    def refuse_alone(self, names: Sequence[str]) -> None:
        """Refuse to let the random player come where nobody is; anybody else would meet it."""
        if list(names) == [RANDOM] and not any(who.agent != RANDOM and is_there(who) for who in self.entrants):
            raise BadInput(f"'{RANDOM}' has nobody to meet on this ladder; name another agent beside it.")

    # --- adding to it ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """For this process alone to add to, with what others added before. Another that has it is a `BadInput`."""
        make_folder(self.path.parent)
        with lock.held_file(self.path):
            sync_folder(self.path.parent)  # now that the file is there
            self._read()
            yield

    def add(self, batch: Batch) -> None:
        """Once this returns, the batch is on the disk."""
        row = {"ladder": FORMAT, "game": self.setup.game, "options": self.setup.options, **batch.to_json()}
        line = json.dumps(row, allow_nan=False).encode() + b"\n"
        with open(self.path, "r+b") as file:
            file.truncate(self._whole)  # of a line that a kill cut short nobody was told
            file.seek(self._whole)
            data = line if self._ended else b"\n" + line
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._whole, self._ended = self._whole + len(data), True
        self._batches[batch.key] = batch


def default_file(setup: Setup) -> Path:
    """Where a ladder is kept if nobody says: by the game, and those of its options that are not the usual ones."""
    usual = registry.entry(setup.game).defaults
    more = (f"{name}={value}" for name, value in setup.options.items() if usual[name] != value)
    return FOLDER / f"{'-'.join((setup.game, *more))}.jsonl"


def labels(entrants: Sequence[Entrant]) -> dict[Entrant, str]:
    """By what people know them: their names, and of several of one name all but the last with their digest too."""
    last = {who.agent: who for who in entrants}
    return {who: who.agent if last[who.agent] == who else f"{who.agent} ({who.digest[:SHOWN]})" for who in entrants}
