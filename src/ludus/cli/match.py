"""`ludus match`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus.cli.common import NO_OPTIONS, GameOptions, Json, Quiet, Seed, TheirGame, Whole, check_range, print_json
from ludus.cli.eval import Openings, check_openings, game_for
from ludus.cli.meeting import Meeting, match_document, print_match
from ludus.cli.stopped import keeping

if TYPE_CHECKING:
    from ludus.play.arena import Result


def match(
    first: Annotated[str, Parameter(name="A", help="An agent: random, alphabeta:4, lgame/best, the folder of a run.")],
    second: Annotated[str, Parameter(name="B", help="Another.")],
    /,
    *,
    games: Annotated[Whole, Parameter(help="How many; each side begins half of them.")] = 1000,
    openings: Openings | None = None,
    game: TheirGame | None = None,
    seed: Seed = 0,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Let two agents play each other, sides swapped, and give the score with its interval.

    For example:

        ludus match lgame/best random --games 10000
        ludus match random random --game hex --size 5
        ludus match lgame/best lgame/paper --openings 4
        ludus match alphabeta:3 minimax:2 --game abalone --games 20
        ludus match "htp:mohex --quiet" hex/best-5 --games 100

    Two agents without chance would play the same two games over and over. So their
    games begin with random openings, each of which is played twice, with the sides
    swapped; the interval is then of such pairs. --openings 0 leaves them out.
    Agents that search look some plies ahead, or some time a move (alphabeta:0.5s),
    perhaps with a trained agent inside (alphabeta:2:runs/mine). htp:COMMAND starts
    a program of others: see "ludus htp --help". Ctrl-C prints the score of the games
    that are over; where many go side by side, short ones are over first.
    """
    check_range("--games", games, 1, 10**8)
    check_range("--seed", seed, 0, 2**31 - 1)
    check_openings(openings)
    made = game_for([first, second], game, options)
    from ludus.agents.find import find_player

    meeting = Meeting(made, find_player(first, made), find_player(second, made), games, seed, openings, quiet)

    def tell(result: Result, stopped: bool) -> None:
        if as_json:
            setup = {"a": first, "b": second, "game": made.describe()}
            print_json({**setup, **match_document(first, second, result), "stopped": stopped})
        else:
            print_match(first, second, result)

    def stop(failed: bool) -> None:
        if (result := meeting.stopped(failed)) is not None:
            tell(result, stopped=True)

    with keeping(stop):
        result = meeting.play()
    tell(result, stopped=False)
