"""`ludus solve`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from cyclopts import Parameter

from ludus.cli.common import NO_OPTIONS, Flag, GameOptions, Json, Name, check_range, print_json
from ludus.cli.explain import one_line
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.truth.solve import Solution
    from ludus.core.game import Game
    from ludus.games.hex.rules import Hex

VALUES = {1: "win", 0: "draw", -1: "loss"}


def solve(
    game: Name,
    position: Annotated[str | None, Parameter(help="The position to solve; without it, the start.")] = None,
    /,
    *,
    everything: Annotated[Flag, Parameter(name="--all", help="Count all positions by their value.")] = False,
    file: Annotated[Path | None, Parameter(help="Solve each line of this file in turn.")] = None,
    limit: Annotated[float, Parameter(help="Seconds after which a search of a position gives up.")] = 600.0,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Give the exact value of a position under perfect play, and of every move there.

    For example:

        ludus solve lgame
        ludus solve lgame "nAA./.BA./.BA./.BBn A" --json
        ludus solve lgame --all
        ludus solve hex --size 5
        ludus solve hex "..../.BW./..../.... b" --json

    Small games are written down whole and solved backwards from their ends: the
    L-Game, and Hex on boards of 2 to 4. The value is the mover's; plies count to
    the end if the winner hurries and the loser delays. Hex on boards of 5 to 8 is
    searched until every move is proved a win or a loss: on 5 in seconds, on 6 in
    minutes, on 7 and 8 as a rule only when many stones are down. A search that gives
    up at the limit says what it has proved. A file has one position a line; line n
    of it is result n.
    """
    if sum((position is not None, everything, file is not None)) > 1:
        raise BadInput("give one of POSITION, --all and --file.")
    check_range("--limit", limit, 0, 10**6)
    made, state = options.setup(game, position)
    if made.num_players != 2:
        raise BadInput(f"{game} is a puzzle for one, and puzzles are not solved yet.")
    if everything:
        return _print_all(_count_all(made), as_json)
    solve_state = _solver(made, limit)
    if file is None:
        entry = solve_state(made.init() if state is None else state)
        return print_json(entry) if as_json else _print_one(made, entry)
    from ludus.cli.perft import read_lines

    results = []
    for number, line in enumerate(read_lines(file), start=1):
        try:
            results.append(solve_state(made.parse(line)))
        except BadInput as error:
            results.append({"error": f"line {number}: {one_line(str(error))}"})
        if not as_json:
            print(results[-1].get("error") or f"{_value(results[-1]):<20} {line}", flush=True)
    if as_json:
        print_json({"game": game, "results": results})


def _solver(game: Game, limit: float) -> Callable[[Any], dict[str, Any]]:
    if game.name == "hex" and not game.small:
        from ludus.games.hex import answers as solve_hex

        return solve_hex.solver(cast("Hex", game), limit)
    from ludus.truth.solve import solve as solve_game

    solution = solve_game(game)
    return lambda state: solve_one(solution, state)


def _count_all(game: Game) -> dict[str, Any]:
    if game.name == "hex" and not game.small:
        from ludus.games.hex import answers as solve_hex

        return solve_hex.count_all(cast("Hex", game))
    from ludus.truth.solve import solve as solve_game

    return count_all(solve_game(game))


def solve_one(solution: Solution, state: Any) -> dict[str, Any]:
    """One position, as it stands in the JSON document."""
    import jax.numpy as jnp

    from ludus.core.game import compiled

    graph, game = solution.graph, solution.graph.game
    number = graph.number(state)
    moves = []
    for edge in range(graph.first[number], graph.first[number + 1]):
        action = int(game.canonical_action(state, jnp.int32(graph.action[edge])))
        child = graph.child[edge]
        plies = int(solution.plies[child])
        entry = {"move": game.format_move(state, action), "value": VALUES[int(solution.move_value[edge])]}
        moves.append(entry | {"plies": None if plies < 0 else plies + 1})
    value, plies = int(solution.value[number]), int(solution.plies[number])
    rank = {"win": 0, "draw": 1, "loss": 2}
    moves.sort(key=lambda move: (rank[move["value"]], (move["plies"] or 0) * (1 if move["value"] == "win" else -1)))
    entry = {"game": game.name, "position": game.format(state), "value": VALUES[value]}
    entry |= {"plies": None if plies < 0 else plies, "moves": moves}
    if value and game.name == "hex":
        seat = int(compiled(game).player(state))
        entry["winner"] = game.seats[seat if value > 0 else 1 - seat]
        entry["winning_moves"] = sorted(move["move"] for move in moves if move["value"] == "win")
    return entry


def count_all(solution: Solution) -> dict[str, Any]:
    """Every position of the game, counted by value."""
    import numpy as np

    graph, value = solution.graph, solution.value
    lost, counts = np.unique(solution.plies[value < 0], return_counts=True)
    return {
        "game": graph.game.describe(),
        "positions": graph.num_positions,
        "win": int((value > 0).sum()),
        "loss": int((value < 0).sum()),
        "draw": int((value == 0).sum()),
        "terminal": int(graph.over.sum()),
        "max_moves": int(np.diff(graph.first).max()),
        "mean_moves": float(np.diff(graph.first).mean()),
        "loss_plies": {str(plies): int(count) for plies, count in zip(lost, counts, strict=True)},
    }


def _value(entry: dict[str, Any]) -> str:
    """The value in words."""
    if "plies" not in entry:  # searched
        return entry["value"] or "not known"
    plies = "without end" if entry["plies"] is None else f"in {entry['plies']} plies"
    return f"{entry['value']} {plies}"


def _print_one(game: Game, entry: dict[str, Any]) -> None:
    state = game.parse(entry["position"])
    if game.name == "hex":
        from ludus.games.hex.answers import draw

        print(draw(cast("Hex", game), state, entry["winning_moves"]))
    else:
        print(game.draw(state))
    print(f"{_value(entry)} for the side to move, {len(entry['moves'])} moves")
    for name in (*VALUES.values(), None):
        moves = [move for move in entry["moves"] if move["value"] == name]
        if moves:
            best = ", ".join(move["move"] for move in moves[:8])
            print(f"{len(moves):>5} {name or 'not known'}: {best}{', ...' if len(moves) > 8 else ''}")
    if "nodes" in entry:
        gave_up = "gave up after " if entry["gave_up"] else ""
        print(f"{gave_up}{entry['nodes']:,} positions, {entry['seconds']:.1f} s")


def _print_all(entry: dict[str, Any], as_json: bool) -> None:
    if as_json:
        return print_json(entry)
    for name, value in entry.items():
        if name == "loss_plies":
            value = ", ".join(f"{plies}: {count}" for plies, count in value.items())
        print(f"{name.replace('_', ' '):>12}  {value:,}" if isinstance(value, int) else f"{name:>12}  {value}")
