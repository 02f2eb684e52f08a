"""`ludus solve`: the exact value of a position, or what a search finds. Each kind of answer has a file of its own."""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.interrupt import StopRequest, stop_request
from ludus.cli.shared.lines import answer_lines, read_lines
from ludus.cli.shared.options import NO_OPTIONS, Flag, GameOptions, Json, Name, Quiet, is_puzzle, number
from ludus.cli.shared.output import print_json
from ludus.cli.shared.progress import ProgressLine
from ludus.cli.solve.exact import exact_problem
from ludus.cli.solve.problem import Problem
from ludus.cli.solve.proving import NO_PROOF, ProofOptions
from ludus.cli.solve.puzzle import NO_PUZZLE, PuzzleOptions
from ludus.cli.solve.searching import LONGEST, NO_SEARCH, SECONDS, SearchOptions
from ludus.core.whole_files import save_picture
from ludus.errors import BadInput


def solve(
    game: Name,
    position: Annotated[str | None, Parameter(help="The position to solve; without it, the start.")] = None,
    /,
    *,
    everything: Annotated[Flag, Parameter(name="--all", help="Count all positions by their value.")] = False,
    file: Annotated[Path | None, Parameter(help="Solve each line of this file in turn.")] = None,
    limit: Annotated[float, number(0, LONGEST, "Seconds after which a search of a position gives up.")] = 600.0,
    moves: Annotated[Flag, Parameter(help="List every move with its value, one a line; --json always does.")] = False,
    search: SearchOptions = NO_SEARCH,
    puzzle: PuzzleOptions = NO_PUZZLE,
    proof: ProofOptions = NO_PROOF,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Give the exact value of a position under perfect play, and of every move there.

    For example:

        ludus solve lgame
        ludus solve lgame "nAA./.BA./.BA./.BBn A" --json
        ludus solve lgame --moves
        ludus solve lgame --all
        ludus solve hex --size 5
        ludus solve hex "..../.BW./..../.... b" --json
        ludus solve hex --size 8 --workers 2 --limit 3600 --keep eight.proofs
        ludus solve hex "...../...../..B../...../..... w" --proof c3.proof
        ludus solve abalone --depth 6
        ludus solve abalone --layout belgian-daisy --seconds 10
        ludus solve solitaire-chess "N3/1B2/P3/4" --order random --tree tree.svg

    The value is for the side to move. Plies are counted to the end of the game: the
    winner plays for the shortest game, the loser for the longest. A search that
    reaches the limit, or is ended by Ctrl-C, says what it has proved so far. With
    --keep the same command goes on from there, also with other positions; its answer
    then says that it relies on that file, which is used only if its seal is right.
    A file has one position a line; line n of it is result n.

    With --depth, --seconds or --nodes, a game for two is searched that far instead:
    you get the best move, the expected line of play, and the score for the side to
    move by an evaluation. Ctrl-C gives the best move so far. A game that cannot be
    solved but has an evaluation is searched too, for {seconds} s by default.

    For a puzzle, the first solution is searched for, trying moves in an order: the
    paper's by default. A position counts as explored each time it is entered. With
    --all every solution is listed. What can be solved:

    {solved}
    """
    alone = is_puzzle(game)
    if sum((position is not None, everything and not alone, file is not None)) > 1:
        raise BadInput(f"give one of POSITION{'' if alone else ', --all'} and --file.")
    if moves and (everything or file is not None):
        raise BadInput("--moves lists those of one position; leave out --all and --file.")
    proof.check(everything, file is not None, searched=alone or bool(search.given()))
    puzzle.check(game, file is not None)
    if alone and not search.given():
        problem = puzzle.problem(game, position, options, limit, everything)
    elif not everything and search.wanted(game, options):
        if moves:
            raise BadInput("a search gives the best move alone; leave out --moves.")
        problem = search.problem(game, position, options, limit, best_so_far=file is None)
    else:
        if search.given():
            raise BadInput(f"--all counts positions by the exact solution; leave out {' and '.join(search.given())}.")
        problem = exact_problem(game, position, options, limit, everything, proof)
    if file is not None:
        return _solve_lines(problem, file, quiet, as_json)

    with stop_request() as stop, ProgressLine(f"solving {problem.game.describe()}", quiet) as progress:
        found = problem.find(problem.state, progress, stop)
    if as_json:
        print_json(found.to_json())
    else:
        print("\n".join(found.lines(moves)))
    if puzzle.tree is not None:
        save_picture(puzzle.tree, found.tree())  # pyright: ignore[reportAttributeAccessIssue]
    stop.raise_again()
    if proof.proof is not None:
        print(proof.write(problem.game, problem.state, quiet), file=sys.stderr)


def _solve_lines(problem: Problem, file: Path, quiet: bool, as_json: bool) -> None:
    def answer(number: int, line: str) -> tuple[dict[str, Any], str]:
        with ProgressLine(f"solving line {number}", quiet) as progress:
            found = problem.find(problem.game.parse(line), progress, StopRequest())
        return found.to_json(), f"{found.summary():<20} {line}"

    results = answer_lines(read_lines(file), answer, as_json)
    if as_json:
        print_json({"game": problem.game.name, "results": results})


def _solved() -> str:
    """What can be solved of each game, in the words of its room."""
    entries = (registry.entry(name) for name in registry.names())
    lines = [f"{entry.name}: {entry.solved}" for entry in entries if entry.solved]
    return "\n\n".join(textwrap.fill(line, 78) for line in lines)


solve.__doc__ = (
    inspect.cleandoc(solve.__doc__ or "").replace("{solved}", _solved()).replace("{seconds}", f"{SECONDS:g}")
)
