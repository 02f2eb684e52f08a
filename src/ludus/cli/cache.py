"""`ludus cache`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ludus.cli.common import Flag, Json, print_json
from ludus.core import cache as kept


def cache(
    *,
    clear: Annotated[Flag, Parameter(help="Let go of all of it; the next calls compile anew.")] = False,
    as_json: Json = False,
) -> None:
    """Show what is kept between calls: compiled programs, so that a second call is quick.

    It lies in your cache folder. LUDUS_CACHE=FOLDER puts it elsewhere,
    LUDUS_CACHE=off keeps nothing. Deleting it by hand does no harm.
    """
    if clear:
        kept.clear()
    entries, size = kept.size()
    where = kept.folder()
    if as_json:
        return print_json({"entries": entries, "bytes": size, "folder": str(where) if where else None})
    if where is None:
        return print("Nothing is kept: LUDUS_CACHE is off.")
    print(f"{entries:,} programs, {size / 1e6:.1f} MB, in {where}")
