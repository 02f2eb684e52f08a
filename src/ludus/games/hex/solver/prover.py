"""The prover: who wins a Hex position on boards of up to 8, and by which moves, for certain."""

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

BATCH, LONGEST = 256, 2048  # nodes between two reports of a worker: at first, and at most; less than a second
SLICE = 1 << 16  # nodes of a move before the worker turns to another one
PAUSE = 0.25  # seconds between two reports of several workers
SAVE_SECONDS = 60.0  # seconds between two checkpoints
ProverWatch = Callable[[int, float, int, int], None]  # told nodes, seconds, moves decided, and all moves


class ProverResult(NamedTuple):
    """What was proved of a position, in the mover's view: 1 a win, -1 a loss, 0 not decided."""

    value: int
    moves: Int8[np.ndarray, "N"]  # 0 also where a stone is
    nodes: int
    seconds: float
    gave_up: bool
    believed: int = 0  # entries of a checkpoint that it used and did not prove itself

    @property
    def winning(self) -> int:
        """All moves that win, as a set of cells."""
        return sum(1 << int(cell) for cell in np.flatnonzero(self.moves == WIN))


class Prover:
    """Solves positions on one size of board, and remembers what it has proved.

    Each worker has a transposition table of 2**log_places places, of 54 bytes plus one for every cell. The others get
    its proofs a little later. A search by one worker is deterministic.
    """

    def __init__(self, size: int, log_places: int = 20, workers: int = 1, options: SolverOptions | None = None) -> None:
        if size > 2:
            compile_all()
        self.size = size
        self.workspaces = [workspace(size, log_places, options) for _ in range(workers)]
        self.lock = threading.Lock()  # the workspaces serve one search at a time
        self.believed = 0  # entries loaded from a checkpoint: everything proved afterwards may depend on them

    @property
    def bytes(self) -> int:
        """The memory it takes. It does not grow."""
        tables = (getattr(each, part) for each in self.workspaces for part in ("table", "library", "stack"))
        stacks = (stack[1:] for each in self.workspaces for stack in each.connections)
        return sum(array.nbytes for part in (*tables, *stacks) for array in part)

    def solve(
        self,
        own: int,
        other: int,
        limit: float = float("inf"),
        report: ProverWatch | None = None,
        keep: Path | None = None,
        one_will_do: bool = False,
    ) -> ProverResult:
        """Prove every move of a position a win or a loss, until the limit in seconds or Ctrl-C.

        `one_will_do` stops at the first winning move. `report` is called now and then. With `keep` the search starts
        from the checkpoint in this file, and saves its own there.
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
    """The search of one position: its moves are handed out to the workers, the most promising first."""

    def __init__(
        self,
        prover: Prover,
        own: int,
        other: int,
        began: float,
        limit: float,
        report: ProverWatch,
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
        self.spent = [0] * num_cells  # nodes searched for each move
        self.stop, self.one_will_do, self.lock = False, one_will_do, threading.Lock()
        self.sent = [int(each.library.hand[2]) for each in self.workspaces]
        self.inboxes: list[list[Any]] = [
            [] for _ in self.workspaces
        ]  # by worker, proofs of the others that it has not taken over yet
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
            except BaseException:  # raised by `report`
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
        """Of the undecided moves that no worker has, nor their rotation, the one that was searched least."""
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
        """The loop of one worker, until no moves or no time are left. It goes from move to move, and searches each for
        as many nodes as in all its turns before. So easy moves are decided first, and their proofs may help the others.
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
                batch = min(2 * batch, LONGEST)  # by no clock, so that one worker is deterministic
                self._exchange(number)
                if space.nodes[0] >= until:
                    break
            self._decide(cell, int(value), int(carrier))
            with self.lock:
                self.taken -= self._images(cell)
                for image in self._images(cell):
                    self.spent[image] += int(space.nodes[0]) - began

    def _decide(self, cell: int, value: int, carrier: int) -> None:
        """Set the value of a move, from that of the position after it to the opponent. A refutation also refutes every
        move outside its carrier.
        """
        with self.lock:
            images = [(cell, carrier)]
            if self.rotated:
                images.append((self.size**2 - 1 - cell, self._rotate(carrier)))
            for at, cells in images:
                self.moves[at] = -value
                if value == WIN:
                    self.must &= cells
            self.stop |= self.one_will_do and value == LOSS

    def _exchange(self, number: int) -> None:
        """Exchange proofs with the other workers; now and then save a checkpoint."""
        library = self.workspaces[number].library
        with self.lock:
            fresh = added_after(library, self.sent[number])
            for other, inbox in enumerate(self.inboxes):
                if other != number:
                    inbox.append(fresh)
            for fresh_proofs in self.inboxes[number]:
                for kind, (stones, carriers) in enumerate(fresh_proofs):
                    add_proofs(library, kind, stones, carriers)
            self.inboxes[number].clear()
            self.sent[number] = int(library.hand[2])
            if self.keep is not None and self.seconds() - self.saved[number] > SAVE_SECONDS:
                self.saved[number], self.kept[number] = self.seconds(), checkpoint.snapshot(self.workspaces[number])
                checkpoint.save(self.keep, self.size, self.kept)
        if len(self.workspaces) == 1:
            self._tell()


@functools.cache
def compile_all() -> None:
    """Compile the search now, so that the time is not counted as the first search's."""
    Prover(2, log_places=4).solve(0, 0)


@functools.cache
def large_prover(size: int, workers: int, keep: Path | None = None) -> Prover:
    """For a long search: four million positions a worker. One prover for each checkpoint, as it depends on that."""
    return Prover(size, log_places=22, workers=workers)


@functools.cache
def shared_prover(size: int) -> Prover:
    """The prover that the whole process shares."""
    return Prover(size)
