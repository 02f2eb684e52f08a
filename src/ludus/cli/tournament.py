"""`ludus tournament`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import (
    NO_OPTIONS,
    GameOptions,
    Json,
    Quiet,
    Seed,
    TheirGame,
    Whole,
    check_range,
    print_json,
    print_table,
)
from ludus.cli.eval import Openings, check_openings, game_for
from ludus.cli.meeting import ONLY_TWO, forfeited, forfeits, note_stopped, random_openings
from ludus.cli.stopped import keeping
from ludus.cli.watching import Watching
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.play.tournament import Pairing, Row, Table


def tournament(
    *agents: Annotated[str, Parameter(help="Two or more: random, alphabeta:2, lgame/best, the folder of a run, ...")],
    games: Annotated[
        Whole, Parameter(help="In each pairing and season; an even number, as each side begins half of them.")
    ] = 1000,
    seasons: Annotated[Whole, Parameter(help="How many times all of it is played.")] = 1,
    openings: Openings | None = None,
    seed: Seed = 0,
    game: TheirGame | None = None,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Let several agents all play each other, sides swapped, and rate them with intervals.

    For example:

        ludus tournament lgame/best lgame/paper random --games 200
        ludus tournament random perfect --game hex --size 3 --seasons 2

    Ratings are Elo points by Bradley and Terry's model, with 95% intervals, and
    their mean is 0: 400 points are odds of 10 to 1. Two agents without chance
    begin with random openings, as in "ludus match"; with --openings 0 the two games
    that they play over and over count as two. Ctrl-C prints the table so far.
    """
    if len(agents) < 2:
        raise BadInput(f"a tournament takes two agents or more, not {len(agents)}; see 'ludus tournament --help'.")
    for name in agents:
        if agents.count(name) > 1:
            raise BadInput(f"the agent '{name}' is named {agents.count(name)} times; name each once.")
    check_range("--games", games, 2, 10**8)
    if games % 2:
        raise BadInput(f"--games {games} is odd, and each side begins half of them; give an even number.")
    check_range("--seasons", seasons, 1, 10**4)
    check_range("--seed", seed, 0, 2**31 - 1)
    check_openings(openings)
    made = game_for(list(agents), game, options)
    import jax

    from ludus.agents.find import find_player
    from ludus.play.tournament import Tournament

    watch = Watching(f"a tournament of {len(agents)}", quiet)
    players = [find_player(name, made) for name in agents]
    under_way = Tournament(made, players, games, seasons, openings, watch.forfeit)

    def tell(table: Table, stopped: bool) -> None:
        if as_json:
            document = {"game": made.describe(), "games_per_pair": games, "seasons": seasons, "seed": seed}
            print_json(document | table_document(table) | {"stopped": stopped})
        else:
            every = f" and season, {seasons} seasons" if seasons > 1 else ""
            print(f"{made.describe()}, {games:,} games a pair{every}")
            print_table_of(table)

    def stop(failed: bool) -> None:
        watch.end()
        table = under_way.table()
        played = sum(pairing.games for pairing in table.pairings)
        if failed and played == sum(row.forfeits for row in table.rows):
            return
        note_stopped(played, under_way.games)
        if played:
            tell(table, stopped=True)

    with keeping(stop), watch:
        table = under_way.play(jax.random.key(seed), on_batch=watch.games)
    tell(table, stopped=False)


def table_document(table: Table) -> dict[str, Any]:
    """A tournament's games, as they stand in the JSON document."""
    return {
        "openings": max(pairing.openings for pairing in table.pairings),
        "distinct": sum(pairing.distinct for pairing in table.pairings),
        "forfeits": forfeits((row.agent, row.forfeits) for row in table.rows),
        "table": [vars(row) for row in table.rows],
        "pairings": [vars(pairing) for pairing in table.pairings],
    }


def print_table_of(table: Table) -> None:
    print_rows(table.rows)
    for pairing in table.pairings:
        print_pairing(pairing)
    for row in table.rows:
        if row.forfeits:
            print(shown(forfeited(row.agent, row.forfeits)))


def print_pairing(pairing: Pairing) -> None:
    """What there is to say of how two agents met: nothing, where chance alone made their games differ."""
    if pairing.openings:
        how = f"{random_openings(pairing.openings)}, {pairing.distinct:,} different games"
    elif pairing.distinct <= 2 < pairing.games:
        how = ONLY_TWO
    else:
        return
    print(shown(f"{pairing.a} and {pairing.b}: {how}"))


def print_rows(rows: list[Row]) -> None:
    """The ratings, and by season what was won in each seat."""
    counts, seats = ("games", "won", "drawn", "lost"), ("won first", "won second")
    table, won = [], []
    for row in rows:
        numbers = (f"{count:,}" for count in (row.games, row.wins, row.draws, row.losses))
        table.append((row.agent, f"{row.rating:+.0f} ± {row.ci95[1] - row.rating:.0f}", *numbers))
        for season, by_seat in enumerate(zip(row.first, row.second, strict=True), start=1):
            won.append((row.agent, str(season), *(f"{count:,}" for count in by_seat)))
    print_table(("agent", "rating", *counts), table, right=("rating", *counts))
    print_table(("agent", "season", *seats), won, right=("season", *seats))
