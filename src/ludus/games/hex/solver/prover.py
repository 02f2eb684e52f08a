"""Who wins in Hex on boards of up to 8, and every move that does, for certain."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int8

from ludus.core.compiling import clock
from ludus.games.hex.solver import checkpoint
from ludus.games.hex.solver.analysis import root_moves
from ludus.games.hex.solver.dfpn import prove
from ludus.games.hex.solver.grid import joined
from ludus.games.hex.solver.inferior import BLACK, WHITE
from ludus.games.hex.solver.proof_library import add_proofs, added_after
from ludus.games.hex.solver.transposition_table import LOSS, UNKNOWN, WIN, rotate
from ludus.games.hex.solver.workspace import SolverOptions, workspace

BATCH, LONGEST = 256, 2048  # positions before a worker looks up for the first time, and later: less than a second
SLICE = 1 << 16  # positions that a move is looked into before another one is
PAUSE = 0.25  # seconds between two looks at several workers
SAVED = 60.0  # seconds between two savings
Report = Callable[[int, float, int, int], None]


class ProverResult(NamedTuple):
    """What is known of a position in the mover's view: 1 for a win, -1 for a loss, 0 for what was given up."""

    value: int
    moves: Int8[np.ndarray, "N"]  # 0 where a stone is, too
    nodes: int
    seconds: float
    gave_up: bool
    believed: int = 0  # entries of a file that it rests on and has not proved itself

    @property
    def winning(self) -> int:
        """All moves that win, as a set of cells."""
        return sum(1 << int(cell) for cell in np.flatnonzero(self.moves == WIN))


class Prover:
    """Solves positions on one size of board, and remembers what it has proved.

    Each worker has a table of its own, of so many places, 54 bytes and one for every cell each; what one has proved the
    others learn a little later. A search by one worker is the same every time.
    """

    def __init__(self, size: int, log_places: int = 20, workers: int = 1, options: SolverOptions | None = None) -> None:
        if size > 2:
            compile_all()
        self.size = size
        self.workspaces = [workspace(size, log_places, options) for _ in range(workers)]
        self.lock = threading.Lock()  # there is room for one search
        self.believed = 0  # entries that it has of a file: whatever it proves from then on rests on them

    @property
    def bytes(self) -> int:
        """The memory it takes, which does not grow."""
        tables = (getattr(each, part) for each in self.workspaces for part in ("table", "library", "stack"))
        stacks = (stack[1:] for each in self.workspaces for stack in each.connections)
        return sum(array.nbytes for part in (*tables, *stacks) for array in part)

    def solve(
        self,
        own: int,
        other: int,
        limit: float = float("inf"),
        report: Report | None = None,
        keep: Path | None = None,
        one_will_do: bool = False,
    ) -> ProverResult:
        """Prove every move of a position a win or a loss, for so many seconds or until Ctrl-C; or until one wins.

        `report` is told now and then how many positions have been looked at, for how long, how many moves are decided
        and how many there are. With `keep` it goes on from what a file has, and leaves there what it has proved.
        """
        with self.lock, checkpoint.locked(keep) if keep is not None else contextlib.nullcontext():
            began = clock()
            for each in self.workspaces:
                each.nodes[0] = 0
            for value, grid, stones in zip((WIN, LOSS), self.workspaces[0].inferior.grids, (own, other), strict=True):
                if joined(grid, np.uint64(stones)):
                    return ProverResult(value, np.zeros(self.size**2, np.int8), 0, clock() - began, False)
            kept = None if keep is None else checkpoint.read(keep, self.size)
            if kept is not None:
                kept.load_into(self.workspaces)
                self.believed = kept.entries
            search = _RootSearch(self, own, other, began, limit, report or (lambda *_: None), keep, one_will_do)
            return search.run()._replace(believed=self.believed)


class _RootSearch:
    """One position: its moves are handed out to the workers, the most promising first."""

    def __init__(
        self,
        prover: Prover,
        own: int,
        other: int,
        began: float,
        limit: float,
        report: Report,
        keep: Path | None,
        one_will_do: bool,
    ) -> None:
        self.workspaces, self.size = prover.workspaces, prover.size
        self.own, self.other = np.uint64(own), np.uint64(other)
        self.began, self.limit, self.report, self.keep = began, limit, report, keep
        num_cells = self.size**2
        self.moves, order = np.zeros(num_cells, np.int8), np.zeros(num_cells, np.uint8)
        length, must = root_moves(self.workspaces[0], self.own, self.other, BLACK, order)
        self.order, self.must = order[:length].tolist(), int(must)
        self.rotated = (self._rotate(own), self._rotate(other)) == (own, other)
        self.taken: set[int] = set()
        self.spent = [0] * num_cells  # positions looked at for each move
        self.stop, self.one_will_do, self.lock = False, one_will_do, threading.Lock()
        self.learned = [int(each.library.hand[2]) for each in self.workspaces]
        self.boxes: list[list[Any]] = [[] for _ in self.workspaces]  # what the others have for each
        self.kept = [checkpoint.snapshot(each) for each in self.workspaces if keep is not None]
        self.saved = [0.0] * len(self.workspaces)
        self.failed: list[BaseException] = []

    def _rotate(self, cells: int) -> int:
        return int(rotate(self.size**2, np.uint64(cells)))

    def seconds(self) -> float:
        return clock() - self.began

    def run(self) -> ProverResult:
        if len(self.workspaces) == 1:
            try:
                self.work(0)
            except KeyboardInterrupt:
                self.stop = True
        else:
            self._run_side_by_side()
        if self.failed:
            raise self.failed[0]
        if self.keep is not None:
            checkpoint.save(self.keep, self.size, [checkpoint.snapshot(each) for each in self.workspaces])
        for cell in self.order:
            if not self.must >> cell & 1:
                assert self.moves[cell] != WIN, "a proof contradicts another"
                self.moves[cell] = LOSS
        left = int(np.count_nonzero(self.moves[self.order] == UNKNOWN))
        value = WIN if (self.moves == WIN).any() else UNKNOWN if left else LOSS
        return ProverResult(value, self.moves, self.nodes(), self.seconds(), left > 0)

    def _run_side_by_side(self) -> None:
        def work(number: int) -> None:
            try:
                self.work(number)
            except BaseException as error:
                self.failed.append(error)
                self.stop = True

        threads = [threading.Thread(target=work, args=(number,)) for number in range(len(self.workspaces))]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            try:
                for thread in threads:
                    thread.join(PAUSE)
                self._tell()
            except KeyboardInterrupt:
                self.stop = True
            except BaseException:  # whoever watches has had enough
                self.stop = True
                for thread in threads:
                    thread.join()
                raise

    def nodes(self) -> int:
        return int(sum(each.nodes[0] for each in self.workspaces))

    def _tell(self) -> None:
        decided = sum(bool(self.moves[cell]) or not self.must >> cell & 1 for cell in self.order)
        self.report(self.nodes(), self.seconds(), decided, len(self.order))

    def _next(self) -> int | None:
        """A move that may win, into which or whose mirror image nobody looks now, and that was least looked into."""
        with self.lock:
            left = [cell for cell in self.order if self.must >> cell & 1 and not self.moves[cell]]
            free = [cell for cell in left if cell not in self.taken]
            if not free:
                return None
            cell = min(free, key=lambda cell: self.spent[cell])
            self.taken |= self._images(cell)
            return cell

    def _images(self, cell: int) -> set[int]:
        return {cell, self.size**2 - 1 - cell} if self.rotated else {cell}

    def work(self, number: int) -> None:
        """What one worker does until there are no moves left, or no time: it goes from move to move, and looks into
        each as long as all the times before. What is easily decided is decided first, and may decide what is not.
        """
        space, board, batch = self.workspaces[number], self.workspaces[number].inferior.grids[0], BATCH
        while not self.stop and self.seconds() < self.limit and (cell := self._next()) is not None:
            stones = self.own | np.uint64(1 << cell)
            if joined(board, stones):
                self._decide(cell, LOSS, 0)
                continue
            value, carrier, began = UNKNOWN, np.uint64(0), int(space.nodes[0])
            until = began + max(SLICE, self.spent[cell])
            while value == UNKNOWN and self.must >> cell & 1 and not self.stop and self.seconds() < self.limit:
                space.nodes[1] = space.nodes[0] + batch
                value, carrier = prove(space, stones, self.other, WHITE)
                batch = min(2 * batch, LONGEST)  # by no clock: a search by one worker is the same every time
                self._look_up(number)
                if space.nodes[0] >= until:
                    break
            self._decide(cell, int(value), int(carrier))
            with self.lock:
                self.taken -= self._images(cell)
                for image in self._images(cell):
                    self.spent[image] += int(space.nodes[0]) - began

    def _decide(self, cell: int, value: int, carrier: int) -> None:
        """Of the position after a move to the other's eyes; a refutation refutes all moves that are not in its way."""
        with self.lock:
            images = [(cell, carrier)]
            if self.rotated:
                images.append((self.size**2 - 1 - cell, self._rotate(carrier)))
            for at, cells in images:
                self.moves[at] = -value
                if value == WIN:
                    self.must &= cells
            self.stop |= self.one_will_do and value == LOSS

    def _look_up(self, number: int) -> None:
        """Exchange what has been proved with the others; now and then save."""
        library = self.workspaces[number].library
        with self.lock:
            fresh = added_after(library, self.learned[number])
            for other, box in enumerate(self.boxes):
                if other != number:
                    box.append(fresh)
            for fresh_proofs in self.boxes[number]:
                for kind, (stones, carriers) in enumerate(fresh_proofs):
                    add_proofs(library, kind, stones, carriers)
            self.boxes[number].clear()
            self.learned[number] = int(library.hand[2])
            if self.keep is not None and self.seconds() - self.saved[number] > SAVED:
                self.saved[number], self.kept[number] = self.seconds(), checkpoint.snapshot(self.workspaces[number])
                checkpoint.save(self.keep, self.size, self.kept)
        if len(self.workspaces) == 1:
            self._tell()


@functools.cache
def compile_all() -> None:
    """Compile what a search takes, lest it be counted as the time of the first."""
    Prover(2, log_places=4).solve(0, 0)


@functools.cache
def large_prover(size: int, workers: int, keep: Path | None = None) -> Prover:
    """For a long search: with room for four million positions each. What it has of a file is for that file alone."""
    return Prover(size, log_places=22, workers=workers)


@functools.cache
def shared_prover(size: int) -> Prover:
    """The one that the whole process shares."""
    return Prover(size)
