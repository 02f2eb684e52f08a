"""`ludus tournament`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ludus.cli.shared.agents import game_for
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import note_stopped
from ludus.cli.shared.options import MAX_GAMES, NO_OPTIONS, GameOptions, Json, Openings, Quiet, Seed, TheirGame, whole
from ludus.cli.shared.output import print_result
from ludus.cli.shared.progress import ProgressLine
from ludus.errors import BadInput


def tournament(
    *agents: Annotated[str, Parameter(help="Two or more: random, alphabeta:2, lgame/best, the folder of a run, ...")],
    games: Annotated[
        int,
        whole(2, MAX_GAMES, "Of each pair, in a season; an even number, as each side begins half of them.", even=True),
    ] = 1000,
    seasons: Annotated[int, whole(1, 10**4, "How many times the whole tournament is played.")] = 1,
    openings: Openings = None,
    seed: Seed = 0,
    game: TheirGame = None,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Let all pairs of several agents play each other, and rate the agents with intervals.

    For example:

        ludus tournament lgame/best lgame/paper random --games 200
        ludus tournament random perfect --game hex --size 3 --seasons 2

    Ratings are Elo points by Bradley and Terry's model, with 95% intervals, and
    their mean is 0: 400 points are odds of 10 to 1. Two agents that never move by
    chance begin with random openings, as in "ludus match"; with --openings 0 they
    repeat the same two games, which count as two. Ctrl-C prints the table so far.
    """
    if len(agents) < 2:
        raise BadInput(f"a tournament takes two agents or more, not {len(agents)}; see 'ludus tournament --help'.")
    from ludus.workbench.setups import refuse_repeated

    refuse_repeated(agents)
    made = game_for(agents, game, options)
    from ludus.agents.find import find_player
    from ludus.workbench.tournaments import TournamentRun

    players = [find_player(name, made) for name in agents]
    run = TournamentRun(made, players, games, seasons, openings, seed, ProgressLine.unless(quiet))

    def end_early(failed: bool) -> None:
        table = run.stop()
        played = sum(pairing.games for pairing in table.pairings)
        if failed and played == sum(row.forfeits for row in table.rows):
            return
        note_stopped(played, run.games)
        if played:
            print_result(table, as_json)

    with on_early_end(end_early):
        table = run.play()
    print_result(table, as_json)
