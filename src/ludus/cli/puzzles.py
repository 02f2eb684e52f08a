"""`ludus puzzles`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.lines import answer_lines, read_lines
from ludus.cli.shared.options import MAX_SEED, NO_OPTIONS, Flag, GameOptions, Json, check_level, whole
from ludus.cli.shared.output import print_json
from ludus.cli.shared.progress import ProgressLine
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.play.puzzles import Puzzle

MOST = 10**6


def puzzles(
    *,
    count: Annotated[int, whole(1, MOST, "How many.")] = 10,
    level: Annotated[str | None, Parameter(help="How hard: beginner, intermediate, advanced or expert.")] = None,
    seed: Annotated[int, whole(0, MAX_SEED - 1, "Random seed.")] = 0,  # the last one is for grading
    file: Annotated[Path | None, Parameter(help="Measure the puzzles of this file instead, one a line.")] = None,
    benchmark: Annotated[Flag, Parameter(help="Measure the eighty puzzles that agents are compared on.")] = False,
    game: Annotated[str | None, Parameter(help="The game, where several make puzzles.")] = None,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Make new puzzles with one possible final piece and square, or measure your own.

    For example:

        ludus puzzles --count 20 --level expert
        ludus puzzles --count 5 --level expert --size 8 --rules solo --pieces 12
        ludus puzzles --file mine.txt --json
        ludus puzzles --benchmark

    A puzzle's level is the highest that it reaches in all three respects: how many
    pieces it has, how many positions the baseline search explores per piece, and
    what share of the moves makes it unsolvable. No two puzzles are the same, or
    mirror images. Each line shows the position, its level, the final piece and
    square, and how many positions the baseline explores. A file has one position a
    line; line n of it is result n.
    """
    if sum((level is not None, file is not None, benchmark)) > 1:
        raise BadInput("give one of --level, --file and --benchmark.")
    known = _game(game)
    level = known.levels[0] if level is None else level
    check_level(known, level)
    given = options.given(known)
    made, _ = options.setup(known.name)
    maker = registry.part(known.name, "puzzles")
    if file is None and not benchmark:
        with ProgressLine("making puzzles", transient=True):
            puzzles: list[Puzzle] = maker.make(made, level, count, seed, given.get("pieces") or None)
        if as_json:
            return print_json({"puzzles": [puzzle.to_json() for puzzle in puzzles]})
        return print("\n".join(map(_line, puzzles)))

    def answer(number: int, line: str) -> tuple[dict[str, Any], str]:
        puzzle = maker.measure(*options.setup(known.name, line))
        return puzzle.to_json(), _line(puzzle)

    results = answer_lines(maker.benchmark() if file is None else read_lines(file), answer, as_json)
    if as_json:
        print_json({"puzzles" if file is None else "results": results})


def _game(name: str | None) -> Entry:
    """The game that puzzles are made of."""
    makers = [known for known in registry.names() if registry.entry(known).puzzles]
    if name is None and len(makers) != 1:
        raise BadInput(f"several games make puzzles; name one with --game: {', '.join(makers)}.")
    found = registry.entry(name or makers[0])
    if found.puzzles is None:
        raise BadInput(f"{found.name} makes no puzzles; {', '.join(makers)} does.")
    return found


def _line(puzzle: Puzzle) -> str:
    return f"{puzzle.position:<24} {puzzle.level:<12} {' on '.join(puzzle.final)}, {puzzle.explored:,} explored"
