"""The truth about Hex: by the game graph, by a tablebase, or by proof search. `reach` says at which size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ludus.core.callbacks import Watch, nobody
from ludus.errors import BadInput
from ludus.games.hex.reach import FOLLOWED, GRADED, TABLE, unsolved
from ludus.games.hex.rules import Hex, State
from ludus.games.hex.solver import checkpoint, grid, perfect, prover, tablebase
from ludus.play.player import Player
from ludus.play.selfplay import Policy
from ludus.truth.answers import Count, MoveValue, SearchCost, Values
from ludus.truth.exact import GraphTruth
from ludus.truth.protocol import EPSILON, Effort, Grade, Truth
from ludus.truth.sampled import GAMES, Unsolved, grade_by_games

FIRST_WORDS, NEXT_WORDS = 3.0, 0.5  # seconds until a search says how far it is, and until it says so again


def truth(game: Hex) -> Truth:
    if (why := unsolved(**game.options())) is not None:
        return Unsolved(game, why)
    if game.small:
        return GraphTruth(game)
    return TablebaseTruth(game) if game.size <= TABLE else ProverTruth(game)


@dataclass(frozen=True)
class HexTruth:
    """What the tablebase and the search have in common."""

    game: Hex

    @property
    def grades(self) -> tuple[Effort, ...]:
        """The efforts with which an agent can be graded. No quick grade on 7 x 7: random positions there take minutes
        to solve, too long for a report during training.
        """
        if self.game.size > GRADED:
            return ()
        if self.game.size > FOLLOWED:
            return (Effort.QUICK, Effort.WHOLE) if self.game.size < GRADED else (Effort.WHOLE,)
        return tuple(Effort) if self.game.size > TABLE else (Effort.QUICK, Effort.WHOLE)

    @property
    def solvers(self) -> tuple[str, ...]:
        return ("perfect",) if self.game.size <= GRADED else ()

    def policy(self, hardest: bool = False) -> Policy:
        if self.game.size > GRADED:
            raise BadInput(f"perfect plays hex on boards of 2 to {GRADED}, not {self.game.size}; give another --size.")
        if hardest:
            raise BadInput(
                f"there is no perfect:hardest for {self.game.describe()}, only for smaller boards; take perfect."
            )
        return perfect.policy(self.game)

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> Grade:
        if effort not in self.grades:
            return grade_by_games(agent, self.game, GAMES[effort])
        from ludus.games.hex.grade import grade

        return grade(agent, self.game, effort, watch)

    def _cannot_arise(self, state: State) -> BadInput:
        return BadInput(f"hex position '{self.game.format(state)}' cannot arise in a game.")

    def _move(self, state: State, cell: int, value: int, plies: int | None = None) -> MoveValue:
        """A move by its cell in the mover's view. A value of 0 means unknown."""
        row, column = divmod(cell, self.game.size)
        action = column * self.game.size + row if int(state.mover) else cell
        return MoveValue(self.game.format_move(state, action), value or None, plies)


class TablebaseTruth(HexTruth):
    """All positions are in the tablebase."""

    def solve(self, state: State, limit: float = float("inf"), watch: Watch = nobody) -> Values:
        game, known = self.game, tablebase.tablebase(self.game.size)
        own, other = grid.masks(game, state)
        number = int(known.find(np.array([own]), np.array([other]))[0])
        if number < 0:
            raise self._cannot_arise(state)
        over = known.plies[number] == 0
        moves = []
        for cell in range(0 if over else game.size**2):
            if not (own | other) >> cell & 1:
                sides = (_across(game.size, other), _across(game.size, own | 1 << cell))
                plies = int(known.plies[known.find(*(np.array([side]) for side in sides))[0]]) + 1
                moves.append(self._move(state, cell, 1 if plies % 2 else -1, plies))
        # Fast wins first, and the losses that take longest.
        moves.sort(key=lambda move: (-(move.value or 0), (move.value or 0) * (move.plies or 0)))
        value, plies = 1 if known.plies[number] % 2 else -1, int(known.plies[number])
        return _with_picture(Values(game, state, value, moves, plies))

    def count(self) -> Count:
        known = tablebase.tablebase(self.game.size)
        over = known.plies == 0
        moves = np.where(over, 0, self.game.size**2 - np.bitwise_count(known.keys))
        lost, counts = np.unique(known.plies[~known.wins], return_counts=True)
        return Count(
            game=self.game,
            positions=len(known.keys),
            win=int(known.wins.sum()),
            loss=int((~known.wins).sum()),
            draw=0,
            terminal=int(over.sum()),
            max_moves=int(moves.max()),
            mean_moves=float(moves.mean()),
            loss_plies=dict(zip(lost.tolist(), counts.tolist(), strict=True)),
        )


@dataclass(frozen=True)
class ProverTruth(HexTruth):
    """Every position is searched."""

    keep: Path | None = None
    workers: int = 1

    def checkpoint(self, keep: Path | None, workers: int) -> ProverTruth:
        return replace(self, keep=keep, workers=workers)

    def _prover(self) -> prover.Prover:
        if self.workers == 1 and self.keep is None:
            return prover.shared_prover(self.game.size)
        return prover.large_prover(self.game.size, self.workers, self.keep)

    def write_proof(self, state: State, watch: Watch = nobody) -> str:
        """The text of a proof that the checker has accepted."""
        from ludus.games.hex.checker import check
        from ludus.games.hex.solver.proof_writer import write_proof

        own, other = grid.masks(self.game, state)
        if not _can_arise(self.game.size, own, other):
            raise self._cannot_arise(state)
        tell = _throttled(watch)
        text = write_proof(
            self.game.size,
            own,
            other,
            not int(state.mover),
            lambda nodes, seconds, lines: tell(seconds, f"{lines:,} lines, {nodes:,} positions in {seconds:.0f} s"),
        )
        check(text)
        return text

    def solve(self, state: State, limit: float = float("inf"), watch: Watch = nobody) -> Values:
        game = self.game
        own, other = grid.masks(game, state)
        if not _can_arise(game.size, own, other):
            raise self._cannot_arise(state)
        if self.keep is not None:
            with checkpoint.locked(self.keep):  # a bad file is refused before anything is compiled
                checkpoint.read(self.keep, game.size)
        tell = _throttled(watch)

        def report(nodes: int, seconds: float, decided: int, moves: int) -> None:
            tell(seconds, f"{nodes:,} positions in {seconds:.0f} s, {decided} of {moves} moves decided")

        found = self._prover().solve(own, other, limit, report, self.keep)
        over = not found.moves.any() and not found.gave_up
        cells = [cell for cell in range(0 if over else game.size**2) if not (own | other) >> cell & 1]
        moves = [self._move(state, cell, int(found.moves[cell])) for cell in cells]
        moves.sort(key=lambda move: (1, -1, None).index(move.value))  # wins, losses, unknown
        rests_on = str(self.keep) if found.believed else None
        search = SearchCost(found.nodes, round(found.seconds, 3), found.gave_up, rests_on)
        return _with_picture(Values(game, state, found.value or None, moves, search=search))

    def count(self) -> Count:
        raise BadInput(f"{self.game.describe()} has too many positions to count; boards go up to {TABLE} there.")


def _throttled(watch: Watch) -> Callable[[float, str], None]:
    """A report function that passes on a text only now and then; in between it passes an empty one."""
    next_report = [FIRST_WORDS]

    def tell(seconds: float, words: str) -> None:
        if seconds >= next_report[0]:
            next_report[0] = seconds + NEXT_WORDS
            return watch(words, False)
        watch("", False)

    return tell


def _across(size: int, cells: int) -> int:
    """The transposed set of cells."""
    return int(grid.transpose(grid.grid(size), np.uint64(cells)))


def _can_arise(size: int, own: int, other: int) -> bool:
    """Whether nobody had won before the last move, and the mover has not won."""
    board = grid.grid(size)
    theirs = _across(size, other)
    stones = [1 << cell for cell in range(size**2) if theirs >> cell & 1]
    before = [theirs - stone for stone in stones] or [0]
    return not grid.joined(board, np.uint64(own)) and not all(grid.joined(board, np.uint64(cells)) for cells in before)


def _with_picture(found: Values) -> Values:
    """Add a picture of the board with a + on every winning move."""
    lines = [list(line) for line in found.game.draw(found.state).split("\n")]
    for name in found.winning_moves:
        row, column = int(name[1:]) - 1, ord(name[0]) - ord("a")
        lines[row + 1][row + 4 + 2 * column] = "+"
    return replace(found, picture="\n".join("".join(line) for line in lines))
