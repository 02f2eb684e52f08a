"""`ludus perft`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.shared.lines import answer_lines, read_lines
from ludus.cli.shared.options import NO_OPTIONS, Flag, GameOptions, Json, Name, Position, whole
from ludus.cli.shared.output import print_json
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game

MAX_DEPTH = 64  # no count this deep ever ends


def perft(
    game: Name,
    depth: Annotated[int, whole(0, MAX_DEPTH, f"Moves in a line, 0 to {MAX_DEPTH}.")],
    /,
    *,
    position: Position = None,
    file: Annotated[Path | None, Parameter(help="Count from each line of this file in turn.")] = None,
    divide: Annotated[Flag, Parameter(help="Count each first move by itself.")] = False,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Count the lines of exactly DEPTH legal moves: a check of move generators.

    For example:

        ludus perft abalone 3
        ludus perft abalone 3 --layout belgian-daisy
        ludus perft hex 4 --size 3 --swap
        ludus perft hex 2 --position ".../.B./... w" --divide
        ludus perft solitaire-chess 3 --rules solo --file puzzles.txt --json

    Without a position the count begins at the game's start (in a puzzle game, at
    puzzle number 0). A file has one position a line, in UTF-8. Line n of the file
    is result n; a blank line or a comment gives an error as its result.
    """
    if divide and depth == 0:
        raise BadInput("--divide needs a DEPTH of at least 1, as there is no first move at 0.")
    if file is None:
        made, state = options.setup(game, position)
        _one(made, made.init() if state is None else state, depth, divide, as_json)
        return
    if position is not None:
        raise BadInput("--position and --file both say where to begin; give one of them.")
    options.setup(game)  # refuse a bad game or option once, not for each line

    def answer(number: int, line: str) -> tuple[dict[str, Any], str]:
        result = count(*options.setup(game, line), depth, divide)
        return result, _in_words(result)

    results = answer_lines(read_lines(file), answer, as_json)
    if as_json:
        print_json({"game": game, "depth": depth, "results": results})


def count(game: Game, state: Any, depth: int, divide: bool) -> dict[str, Any]:
    """The count from one position, as it stands in the JSON document."""
    from ludus.core.game import compiled, legal_actions
    from ludus.play.perft import perft as count_lines

    begin = time.perf_counter()
    parts = []
    if divide:
        for action in legal_actions(game, state):
            after = compiled(game).step(state, action)
            parts.append({"move": game.format_move(state, action), "nodes": count_lines(game, after, depth - 1)})
    nodes = sum(part["nodes"] for part in parts) if divide else count_lines(game, state, depth)
    seconds = round(time.perf_counter() - begin, 6)
    entry = {"game": game.name, "depth": depth, "nodes": nodes, "position": game.format(state), "seconds": seconds}
    return {**entry, "divide": parts} if divide else entry


def _one(game: Game, state: Any, depth: int, divide: bool, as_json: bool) -> None:
    if as_json:
        return print_json(count(game, state, depth, divide))
    print(f"{game.describe()} from {game.format(state)}")
    entry: dict[str, Any] = {}
    for reached in [depth] if divide else range(min(1, depth), depth + 1):
        entry = count(game, state, reached, divide)
        for part in entry.get("divide", ()):
            print(f"{part['move']:>16} {part['nodes']:>20,}")
        print(f"{f'depth {reached}':>16} {entry['nodes']:>20,}", flush=True)
    print(f"{entry['nodes'] / max(entry['seconds'], 1e-6):,.0f} positions a second at depth {depth}")


def _in_words(result: dict[str, Any]) -> str:
    parts = [f"{part['move']:>16} {part['nodes']:>20,}" for part in result.get("divide", ())]
    return "\n".join([*parts, f"{result['nodes']:>20,}  {result['position']}"])
