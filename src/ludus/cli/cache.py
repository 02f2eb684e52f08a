"""`ludus cache`."""

from __future__ import annotations

import time
from typing import Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.common import Flag, Json, Quiet, print_json
from ludus.cli.watching import Watching
from ludus.core import cache as kept
from ludus.errors import BadInput


def cache(
    game: Annotated[str | None, Parameter(help="With --warm: this game alone.")] = None,
    /,
    *,
    clear: Annotated[Flag, Parameter(help="Let go of all of it; the next calls compile anew.")] = False,
    warm: Annotated[Flag, Parameter(help="Compile now what first calls would wait for, of a game or of all.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Show what is kept between calls: compiled programs, so that a second call is quick.

    For example:

        ludus cache
        ludus cache --warm
        ludus cache --warm hex

    It lies in your cache folder. LUDUS_CACHE=FOLDER puts it elsewhere,
    LUDUS_CACHE=off keeps nothing. Deleting it by hand does no harm. A folder that is
    another user's, or that anybody may write to, is not used: what lies there is run.

    The first call on a machine that solves, searches, makes puzzles or gives a
    hint compiles for some seconds; --warm does that for all of them, about a
    minute. Ctrl-C leaves at once, and what was compiled so far stays.
    """
    if game is not None:
        registry.entry(game)  # refused where there is none
        if not warm:
            raise BadInput(f"'{game}' says what to compile; add --warm, or leave it out.")
    if warm and clear:
        raise BadInput("give one of --warm and --clear.")
    where = kept.folder()
    if warm and where is None:
        raise BadInput("nothing is kept, for LUDUS_CACHE is off; leave it out, or let it name a folder.")
    if clear:
        kept.clear()
    warmed = _warm([game] if game else list(registry.names()), quiet) if warm else []
    entries, size = kept.size()
    if as_json:
        document: dict[str, Any] = {"entries": entries, "bytes": size, "folder": str(where) if where else None}
        return print_json(document | ({"warmed": warmed} if warm else {}))
    if where is None:
        return print("Nothing is kept: LUDUS_CACHE is off.")
    for call in warmed:
        print(f"{call['game']}: {call['call']}, {call['seconds']:.1f} s")
    print(f"{entries:,} programs, {size / 1e6:.1f} MB, in {where}")


def _warm(games: list[str], quiet: bool) -> list[dict[str, Any]]:
    from ludus.cli.warming import first_calls

    done = []
    for name in games:
        for call, run in first_calls(name):
            began = time.perf_counter()
            with Watching(f"{name}: {call}", quiet):
                run()
            done.append({"game": name, "call": call, "seconds": round(time.perf_counter() - began, 3)})
    return done
