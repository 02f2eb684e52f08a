"""`ludus tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.shared.agents import game_for, refuse_repeated
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import ONLY_TWO, forfeited, forfeits, note_stopped, random_openings, rating_cells
from ludus.cli.shared.options import MAX_GAMES, NO_OPTIONS, GameOptions, Json, Openings, Quiet, Seed, TheirGame, whole
from ludus.cli.shared.output import print_json, print_shown, print_table
from ludus.cli.shared.progress import ProgressLine
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.play.tournament import Pairing, TournamentRow, TournamentTable


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
    refuse_repeated(agents)
    made = game_for(agents, game, options)
    import jax

    from ludus.agents.find import find_player
    from ludus.play.tournament import Tournament

    progress = ProgressLine(f"a tournament of {len(agents)}", quiet)
    players = [find_player(name, made) for name in agents]
    run = Tournament(made, players, games, seasons, openings, progress.forfeit)

    def report(table: TournamentTable, stopped: bool) -> None:
        if as_json:
            document = {"game": made.describe(), "games_per_pair": games, "seasons": seasons, "seed": seed}
            print_json(document | table_document(table) | {"stopped": stopped})
        else:
            every = f" and season, {seasons} seasons" if seasons > 1 else ""
            print(f"{made.describe()}, {games:,} games a pair{every}")
            print_table_of(table)

    def end_early(failed: bool) -> None:
        progress.end()
        table = run.table()
        played = sum(pairing.games for pairing in table.pairings)
        if failed and played == sum(row.forfeits for row in table.rows):
            return
        note_stopped(played, run.games)
        if played:
            report(table, stopped=True)

    with on_early_end(end_early), progress:
        table = run.play(jax.random.key(seed), on_batch=progress.games)
    report(table, stopped=False)


def table_document(table: TournamentTable) -> dict[str, Any]:
    """A tournament's result, as it stands in the JSON document."""
    return {
        "openings": max(pairing.openings for pairing in table.pairings),
        "distinct": sum(pairing.distinct for pairing in table.pairings),
        "forfeits": forfeits((row.agent, row.forfeits) for row in table.rows),
        "table": [vars(row) for row in table.rows],
        "pairings": [vars(pairing) for pairing in table.pairings],
    }


def print_table_of(table: TournamentTable) -> None:
    print_rows(table.rows)
    for pairing in table.pairings:
        print_pairing(pairing)
    for row in table.rows:
        if row.forfeits:
            print_shown(forfeited(row.agent, row.forfeits))


def print_pairing(pairing: Pairing) -> None:
    """How the games of two agents were made to differ, if not by their own chance."""
    if pairing.openings:
        how = f"{random_openings(pairing.openings)}, {pairing.distinct:,} different games"
    elif pairing.distinct <= 2 < pairing.games:
        how = ONLY_TWO
    else:
        return
    print_shown(f"{pairing.a} and {pairing.b}: {how}")


def print_rows(rows: list[TournamentRow]) -> None:
    """The ratings, and the games won in each season and seat."""
    counts, seats = ("games", "won", "drawn", "lost"), ("won first", "won second")
    won = [
        (row.agent, str(season), *(f"{count:,}" for count in by_seat))
        for row in rows
        for season, by_seat in enumerate(zip(row.first, row.second, strict=True), start=1)
    ]
    print_table(("agent", "rating", *counts), map(rating_cells, rows), right=("rating", *counts))
    print_table(("agent", "season", *seats), won, right=("season", *seats))
