"""The results of a figure's runs: every measure by curve, seed and point. As CSV, one line for each seed and point."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from jaxtyping import Float, Int

from ludus.errors import BadInput
from ludus.runs.files import write_file

Played: TypeAlias = "TournamentGame | Series | SearchStep | Counts"  # what the final agents of a figure did
NAMES = ("panel", "label", "seed")


Place: TypeAlias = tuple[str, str]  # a curve's panel and label


def name_of(place: Place) -> str:
    panel, label = place
    return f"{panel}, {label}" if panel else label


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of one curve, one for each seed."""

    panel: str
    label: str
    seeds: tuple[int, ...]
    steps: Int[np.ndarray, "P"]  # games or moves before each point; the first is 0, before any learning
    measured: Mapping[str, Float[np.ndarray, "S P"]]

    @property
    def place(self) -> Place:
        return self.panel, self.label

    @property
    def name(self) -> str:
        return name_of(self.place)

    def end(self, measure: str) -> list[float]:
        """The last value of each seed."""
        return self.measured[measure][:, -1].tolist()

    def mean(self, measure: str) -> list[float]:
        """The mean of each seed's curve, without its start: how soon it rose as well as how far."""
        return self.measured[measure][:, self.steps > 0].mean(axis=1).tolist()

    def up_to(self, measure: str, fraction: float) -> list[float]:
        """The mean of each seed up to this fraction of its curve, without its start."""
        learned = self.measured[measure][:, self.steps > 0]
        return learned[:, : max(1, round(fraction * learned.shape[1]))].mean(axis=1).tolist()

    def at(self, measure: str, fraction: float) -> list[float]:
        """The value of each seed at the point nearest to this fraction of its curve; 0 is the start."""
        place = int(np.abs(self.steps - fraction * self.steps[-1]).argmin())
        return self.measured[measure][:, place].tolist()


@dataclass(frozen=True)
class TournamentGame:
    """One game of a tournament between agents of a figure."""

    season: int
    tournament: int
    first: str
    second: str
    winner: str


@dataclass(frozen=True)
class Series:
    """Results of games between two agents, for the first agent, in a game with ties and points."""

    seed: int  # of the networks; 0 between players that do not learn
    first: str
    second: str
    games: int
    won: int
    tied: int
    ahead: int  # games that it ended with more points than the other, whoever won
    behind: int
    gained: int  # points, in all games
    lost: int
    plies: int

    @property
    def score(self) -> float:
        """The mean result; a tie counts half."""
        return (self.won + self.tied / 2) / self.games

    @property
    def lead(self) -> float:
        """The mean result if more points win the game."""
        return (1 + (self.ahead - self.behind) / self.games) / 2


@dataclass(frozen=True)
class SearchStep:
    """A position that a search of a puzzle has entered, in the order of a network or in a fixed order."""

    seed: int
    order: str
    puzzle: str
    number: int  # from 0, the puzzle itself
    parent: int  # the number of the position before it; -1 for the first
    action: int  # that led here; -1 for the first
    line: str  # all moves up to here


@dataclass(frozen=True)
class Counts:
    """How many positions were explored, in one order, in each of a set of puzzles."""

    seed: int
    order: str
    puzzles: str  # the set's name
    counts: str  # the numbers, with spaces between them

    @classmethod
    def of(cls, seed: int, order: str, puzzles: str, values: Iterable[float]) -> Counts:
        return cls(seed, order, puzzles, " ".join(f"{value:g}" for value in values))

    @property
    def values(self) -> Float[np.ndarray, "N"]:
        return np.array(self.counts.split(), float)


@dataclass(frozen=True, eq=False)
class Data:
    """All that a figure's judge and picture use."""

    curves: Sequence[Runs]
    games: Sequence[TournamentGame] = field(default=())
    series: Sequence[Series] = field(default=())
    steps: Sequence[SearchStep] = field(default=())
    counts: Sequence[Counts] = field(default=())

    @classmethod
    def of(cls, curves: Sequence[Runs], played: Sequence[Played]) -> Data:
        """Sort what was played by its kind."""
        meetings = [each for each in played if isinstance(each, TournamentGame)]
        series = [each for each in played if isinstance(each, Series)]
        steps = [each for each in played if isinstance(each, SearchStep)]
        return cls(curves, meetings, series, steps, [each for each in played if isinstance(each, Counts)])

    def curve(self, label: str, panel: str | None = None) -> Runs:
        for runs in self.curves:
            if runs.label == label and panel in (None, runs.panel):
                return runs
        raise KeyError(f"there is no curve '{label}'")

    def find(self, place: Place) -> Runs | None:
        """A curve; None where it was not run, as in an outline."""
        return next((runs for runs in self.curves if runs.place == place), None)

    def panels(self) -> dict[str, list[Runs]]:
        found: dict[str, list[Runs]] = {}
        for runs in self.curves:
            found.setdefault(runs.panel, []).append(runs)
        return found


def write_curves(path: Path, unit: str, curves: Sequence[Runs]) -> None:
    measures = list(dict.fromkeys(name for runs in curves for name in runs.measured))
    rows = (
        (runs.panel, runs.label, seed, step, *(_number(runs.measured.get(name), s, p) for name in measures))
        for runs in curves
        for s, seed in enumerate(runs.seeds)
        for p, step in enumerate(runs.steps)
    )
    _write(path, (*NAMES, unit, *measures), rows)


def _number(values: Float[np.ndarray, "S P"] | None, seed: int, point: int) -> str:
    return "" if values is None else f"{values[seed, point]:.5g}"


def read_curves(path: Path) -> list[Runs]:
    """The curves of a file, in the file's order."""
    head, rows = _read(path)
    groups: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        groups.setdefault((row[0], row[1]), []).append(row)
    curves = []
    for (panel, label), mine in groups.items():
        seeds = list(dict.fromkeys(int(row[2]) for row in mine))
        steps = sorted({int(row[3]) for row in mine})
        if len(mine) != len(seeds) * len(steps):
            raise BadInput(f"'{path}' has not all points of all seeds of '{label}'.")
        shaped = np.full((len(seeds), len(steps), len(head) - 4), np.nan)
        for row in mine:  # in any order
            shaped[seeds.index(int(row[2])), steps.index(int(row[3]))] = [float(cell or "nan") for cell in row[4:]]
        measured = {name: shaped[:, :, k] for k, name in enumerate(head[4:]) if not np.isnan(shaped[:, :, k]).all()}
        curves.append(Runs(panel, label, tuple(seeds), np.array(steps), measured))
    return curves


def write_games(path: Path, games: Sequence[Played]) -> None:
    """Write games, series, steps or counts: all must be of one kind."""
    _write(path, tuple(vars(games[0])), (tuple(vars(game).values()) for game in games))


def read_games(path: Path) -> list[Played]:
    head, rows = _read(path)
    if head == list(SearchStep.__dataclass_fields__):
        return [
            SearchStep(int(seed), order, puzzle, int(number), int(parent), int(action), line)
            for seed, order, puzzle, number, parent, action, line in rows
        ]
    if head == list(Counts.__dataclass_fields__):
        return [Counts(int(seed), *rest) for seed, *rest in rows]
    if head == list(Series.__dataclass_fields__):
        return [Series(int(seed), one, two, *map(int, counts)) for seed, one, two, *counts in rows]
    return [TournamentGame(int(season), int(tournament), *names) for season, tournament, *names in rows]


def _write(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text.getvalue().encode())  # replaced at once: a reader never sees half a file


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        with open(path, newline="") as file:
            head, *rows = csv.reader(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"'{path}' cannot be read: run the figure first, without --judge.") from error
    return head, rows
