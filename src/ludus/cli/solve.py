"""`ludus solve`."""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.common import NO_OPTIONS, Flag, GameOptions, Json, Name, Quiet, Watching, check_range, print_json
from ludus.cli.explain import one_line
from ludus.errors import BadInput


def solve(
    game: Name,
    position: Annotated[str | None, Parameter(help="The position to solve; without it, the start.")] = None,
    /,
    *,
    everything: Annotated[Flag, Parameter(name="--all", help="Count all positions by their value.")] = False,
    file: Annotated[Path | None, Parameter(help="Solve each line of this file in turn.")] = None,
    limit: Annotated[float, Parameter(help="Seconds after which a search of a position gives up.")] = 600.0,
    moves: Annotated[Flag, Parameter(help="List every move with its value, one a line; --json always does.")] = False,
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

    The value is the mover's; plies count to the end if the winner hurries and the
    loser delays. A search that gives up at the limit says what it has proved. A
    file has one position a line; line n of it is result n. What can be solved:

    {solved}
    """
    if sum((position is not None, everything, file is not None)) > 1:
        raise BadInput("give one of POSITION, --all and --file.")
    if moves and (everything or file is not None):
        raise BadInput("--moves lists those of one position; leave out --all and --file.")
    check_range("--limit", limit, 0, 10**6)
    if position is None:  # else its rows say how large the board is
        registry.refuse_unsolved(game, options.given(registry.entry(game)))
    made, state = options.setup(game, position)
    from ludus.truth import truth_of

    truth = truth_of(made)
    if file is None:
        with Watching(f"solving {made.describe()}", quiet) as watch:
            found = truth.count() if everything else truth.solve(made.init() if state is None else state, limit, watch)
        return print_json(found.to_json()) if as_json else print("\n".join(found.lines(moves)))
    from ludus.cli.perft import read_lines

    results = []
    for number, line in enumerate(read_lines(file), start=1):
        try:
            with Watching(f"solving line {number}", quiet) as watch:
                found = truth.solve(made.parse(line), limit, watch)
            results.append(found.to_json())
            said = f"{found.summary():<20} {line}"
        except BadInput as error:
            said = f"line {number}: {one_line(str(error))}"
            results.append({"error": said})
        if not as_json:
            print(said, flush=True)
    if as_json:
        print_json({"game": game, "results": results})


def _solved() -> str:
    """What each room says of its game."""
    entries = (registry.entry(name) for name in registry.names())
    lines = [f"{entry.name}: {entry.solved}" for entry in entries if entry.solved]
    return "\n\n".join(textwrap.fill(line, 78) for line in lines)


solve.__doc__ = inspect.cleandoc(solve.__doc__ or "").replace("{solved}", _solved())
