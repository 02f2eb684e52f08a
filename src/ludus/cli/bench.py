"""`ludus bench`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ludus.cli.common import Flag, Json, Name, Wholes, check_range, print_json, print_table
from ludus.errors import BadInput

MAX_LANES = 1 << 26


def bench(
    game: Name | None = None,
    /,
    *,
    peers: Annotated[Flag, Parameter(help="Time other implementations in the same run.")] = False,
    lanes: Annotated[Wholes | None, Parameter(help="Games played side by side; several are tried in turn.")] = None,
    seconds: Annotated[float, Parameter(help="How long each figure is measured.")] = 1.0,
    learning: Annotated[
        Flag, Parameter(help="Also how fast the game's recipes learn: minutes for those that want an accelerator.")
    ] = False,
    search: Annotated[
        Flag,
        Parameter(help="Also simulations a second of searches by a new tower, and where the time goes."),
    ] = False,
    out: Annotated[Path | None, Parameter(help="Also write the figures and a plot to this folder.")] = None,
    as_json: Json = False,
) -> None:
    """Measure random play in plies a second: of one game, or of all. Then how fast its players think, if they do.

    For example:

        ludus bench
        ludus bench hex --peers
        ludus bench abalone --lanes 1024 4096 16384 --seconds 3 --out out/bench
        ludus bench hex --search

    Of Abalone also how many positions that moves lead to a network rates a second,
    and how many nodes a search visits on one core; lanes are then the positions
    whose moves are rated at once. Of Solitaire Chess also how many of the hardest
    puzzles are solved a second on one core, in which order.
    """
    check_range("--seconds", seconds, 0.01, 3600)
    for count in lanes or ():
        check_range("--lanes", count, 1, MAX_LANES)
    if out is not None:
        _check_folder(out)
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


def _check_folder(path: Path) -> None:
    """Refuse, before any time is spent, a folder that cannot be made."""
    try:
        nearest = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
        good = nearest.is_dir() and os.access(nearest, os.W_OK)
    except (OSError, ValueError):
        good = False
    if not good:
        raise BadInput(f"--out '{path}' is not a folder that can be written; name another.")
