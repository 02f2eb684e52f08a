"""`ludus solve`."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.common import (
    NO_OPTIONS,
    Flag,
    GameOptions,
    Json,
    Name,
    Quiet,
    Whole,
    check_range,
    print_json,
)
from ludus.cli.files import save_picture
from ludus.cli.interrupt import Heard, heard
from ludus.cli.lines import answer_lines, read_lines
from ludus.cli.ordering import Ordering, is_puzzle
from ludus.cli.proving import Proving
from ludus.cli.searching import LONGEST, SECONDS, Search
from ludus.cli.watching import Watching
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.truth.protocol import Answer, Watch


def solve(
    game: Name,
    position: Annotated[str | None, Parameter(help="The position to solve; without it, the start.")] = None,
    /,
    *,
    everything: Annotated[Flag, Parameter(name="--all", help="Count all positions by their value.")] = False,
    file: Annotated[Path | None, Parameter(help="Solve each line of this file in turn.")] = None,
    limit: Annotated[float, Parameter(help="Seconds after which a search of a position gives up.")] = 600.0,
    moves: Annotated[Flag, Parameter(help="List every move with its value, one a line; --json always does.")] = False,
    depth: Annotated[Whole | None, Parameter(help="Search so many plies ahead, by an evaluation.")] = None,
    seconds: Annotated[float | None, Parameter(help="Search so long, each time a ply deeper.")] = None,
    nodes: Annotated[Whole | None, Parameter(help="Search about so many positions.")] = None,
    evaluation: Annotated[
        str | None, Parameter(help="Search by this evaluation of the game's, or by that of a trained agent.")
    ] = None,
    order: Annotated[
        str | None, Parameter(help="Try a puzzle's moves in this order: baseline, random, or a trained agent's.")
    ] = None,
    best_first: Annotated[
        Flag, Parameter(help="Follow the likeliest line in place of backtracking, by a trained agent's order.")
    ] = False,
    table: Annotated[Flag, Parameter(help="Enter no position of a puzzle again that is known to fail.")] = False,
    tree: Annotated[
        str | None, Parameter(help="Draw the positions of a puzzle that were explored, to an SVG file.")
    ] = None,
    keep: Annotated[
        Path | None, Parameter(help="Go on from what this file has, and keep there what is proved.")
    ] = None,
    workers: Annotated[Whole, Parameter(help="Search so many moves side by side.")] = 1,
    proof: Annotated[Path | None, Parameter(help="Write the proof of the position's value to this file.")] = None,
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

    The value is the mover's; plies count to the end if the winner hurries and the
    loser delays. A search that gives up at the limit or by Ctrl-C says what it has
    proved; with --keep the same command goes on from there, whatever the position,
    and its answer says that it rests on the file, which is believed if its seal fits.
    A file has one position a line; line n of it is result n.

    With --depth, --seconds or --nodes a game for two is searched instead, as far
    as that: the best move, the line that is expected, and the score for the mover
    by an evaluation. Ctrl-C gives the best so far. So is a game that cannot be
    solved but has an evaluation, for {seconds} s if nothing is said.

    A puzzle is searched for its first solution in some order of moves, the paper's
    if nothing is said; a position counts as explored each time it is entered. With
    --all every solution of the position is listed. What can be solved:

    {solved}
    """
    alone = is_puzzle(game)
    if sum((position is not None, everything and not alone, file is not None)) > 1:
        raise BadInput(f"give one of POSITION{'' if alone else ', --all'} and --file.")
    if moves and (everything or file is not None):
        raise BadInput("--moves lists those of one position; leave out --all and --file.")
    check_range("--limit", limit, 0, LONGEST)
    asked = Proving(keep, workers, proof)
    asked.check(everything, file is not None, searched=alone or bool(Search(depth, seconds, nodes, evaluation).asked()))
    search, ordering = Search(depth, seconds, nodes, evaluation), Ordering(order, table, tree, best_first)
    ordering.check(game, file is not None)
    if alone and not search.asked():
        made, state = ordering.setup(game, position, options)
        find = ordering.finder(made, limit, everything)
    elif not everything and search.wanted(game, options):
        if moves:
            raise BadInput("a search gives the best move alone; leave out --moves.")
        search.check(game)
        made, state = search.setup(game, position, options)
        find = search.finder(made, limit, keep=file is None)
    else:
        if search.asked():
            raise BadInput(f"--all counts positions by the exact solution; leave out {' and '.join(search.asked())}.")
        if position is None:  # else its rows say how large the board is
            registry.refuse_unsolved(game, options.given(registry.entry(game)))
        made, state = options.setup(game, position)
        find = _exact(made, everything, limit, asked)
    if file is None:
        with heard() as asked_to_end, Watching(f"solving {made.describe()}", quiet) as watch:
            found = find(made.init() if state is None else state, watch, asked_to_end)
        if as_json:
            print_json(found.to_json())
        else:
            print("\n".join(found.lines(moves)))
        if tree is not None:
            save_picture(tree, found.tree())  # pyright: ignore[reportAttributeAccessIssue]
        asked_to_end.raise_again()
        if proof is not None:
            said = asked.write(made, made.init() if state is None else state, quiet)
            print(said, file=sys.stderr)
        return

    def answer(number: int, line: str) -> tuple[dict[str, Any], str]:
        with Watching(f"solving line {number}", quiet) as watch:
            found = find(made.parse(line), watch, Heard())
        return found.to_json(), f"{found.summary():<20} {line}"

    results = answer_lines(read_lines(file), answer, as_json)
    if as_json:
        print_json({"game": game, "results": results})


def _exact(game: Game, everything: bool, limit: float, asked: Proving) -> Callable[[Any, Watch, Heard], Answer]:
    """By the truth."""
    truth = asked.truth(game)

    def find(state: Any, watch: Watch, asked_to_end: Heard) -> Answer:
        return truth.count() if everything else truth.solve(state, limit, asked_to_end.watching(watch))

    return find


def _solved() -> str:
    """What each room says of its game."""
    entries = (registry.entry(name) for name in registry.names())
    lines = [f"{entry.name}: {entry.solved}" for entry in entries if entry.solved]
    return "\n\n".join(textwrap.fill(line, 78) for line in lines)


solve.__doc__ = (
    inspect.cleandoc(solve.__doc__ or "").replace("{solved}", _solved()).replace("{seconds}", f"{SECONDS:g}")
)
