"""`ludus bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludus.cli.shared.options import Flag, Json, Name, number, wholes
from ludus.cli.shared.output import print_json, print_table
from ludus.core.whole_files import check_folder

MAX_LANES = 1 << 26


def bench(
    game: Name | None = None,
    /,
    *,
    peers: Annotated[Flag, Parameter(help="Time other implementations in the same run.")] = False,
    lanes: Annotated[
        list[int] | None, wholes(1, MAX_LANES, "Games played side by side; several numbers are tried in turn.")
    ] = None,
    seconds: Annotated[float, number(0.01, 3600, "How long each figure is measured.")] = 1.0,
    learning: Annotated[
        Flag, Parameter(help="Also how fast the game's recipes learn; takes minutes where they want an accelerator.")
    ] = False,
    search: Annotated[
        Flag, Parameter(help="Also simulations a second of tree searches with a new network, and where the time goes.")
    ] = False,
    out: Annotated[Path | None, Parameter(help="Also write the figures and a plot to this folder.")] = None,
    as_json: Json = False,
) -> None:
    """Measure speed: plies a second of random play, of one game or of all, and of networks and searches.

    For example:

        ludus bench
        ludus bench hex --peers
        ludus bench abalone --lanes 1024 4096 16384 --seconds 3 --out out/bench
        ludus bench hex --search

    For some games also: how many afterstates (positions that moves lead to) a
    network rates a second, where lanes are the positions whose moves are rated at
    once; and how many nodes a search visits a second on one core. For puzzles also:
    how many of the hardest are solved a second on one core, by each order.
    """
    if out is not None:
        check_folder("--out", out)
    from ludus.games import entry

    games = [entry(game).name] if game is not None else None
    from ludus.bench import run

    rows = run(games, peers, lanes, seconds, out, learning, search)
    if as_json:
        return print_json({"rows": rows})
    print_table(
        ("what", "lanes", "a second", "peer", "peer's", "ratio", "device"),
        (
            (
                row["what"],
                f"{row['lanes']:,}",
                f"{row['ours']:,.0f}",
                row["peer_name"] or "-",
                f"{row['peer']:,.0f}" if row["peer"] else "-",
                f"{row['ratio']:,.1f}" if row["ratio"] else "-",
                row["device"],
            )
            for row in rows
        ),
        right=("lanes", "a second", "peer's", "ratio"),
    )
