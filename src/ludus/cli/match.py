"""`ludus match`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ludus.cli.shared.agents import game_for
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import note_match
from ludus.cli.shared.options import MAX_GAMES, NO_OPTIONS, GameOptions, Json, Openings, Quiet, Seed, TheirGame, whole
from ludus.cli.shared.output import print_result
from ludus.cli.shared.progress import ProgressLine


def match(
    first: Annotated[str, Parameter(name="A", help="An agent: random, alphabeta:4, lgame/best, the folder of a run.")],
    second: Annotated[str, Parameter(name="B", help="Another.")],
    /,
    *,
    games: Annotated[int, whole(1, MAX_GAMES, "How many; each side begins half of them.")] = 1000,
    openings: Openings = None,
    game: TheirGame = None,
    seed: Seed = 0,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Let two agents play each other on both sides, and give the score with its interval.

    For example:

        ludus match lgame/best random --games 10000
        ludus match random random --game hex --size 5
        ludus match lgame/best lgame/paper --openings 4
        ludus match alphabeta:3 minimax:2 --game abalone --games 20
        ludus match "htp:mohex --quiet" hex/best-5 --games 100
        ludus match python:my_module:choose hex/best-5 --games 20

    Two agents that never move by chance would repeat the same two games. Their games
    therefore begin with random openings, and each opening is played twice, with the
    sides swapped; the interval is that of such pairs. --openings 0 leaves them out.
    A search looks some plies ahead, or takes some time a move (alphabeta:0.5s), and
    may evaluate positions by a trained agent (alphabeta:2:runs/mine). htp:COMMAND
    starts another program: see "ludus htp --help". python:MODULE:NAME is a function
    of yours that is given the position and the legal moves, and answers with a move.
    Ctrl-C prints the score of the finished games; where many run side by side, short
    games finish first.
    """
    made = game_for([first, second], game, options)
    from ludus.agents.find import find_player
    from ludus.workbench.matches import MatchRun

    observing = ProgressLine.unless(quiet)
    run = MatchRun(made, find_player(first, made), find_player(second, made), games, seed, openings, observing)

    def end_early(failed: bool) -> None:
        result = run.stop(failed)
        if not (failed and result is None):
            note_match(result, games)
        if result is not None:
            print_result(result, as_json)

    with on_early_end(end_early):
        result = run.play()
    print_result(result, as_json)
