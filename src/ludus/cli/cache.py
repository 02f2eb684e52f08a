"""`ludus cache`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.agents import best_agent, load_player
from ludus.cli.shared.hints import GameHints, PuzzleHints
from ludus.cli.shared.options import Flag, Json, Quiet
from ludus.cli.shared.output import print_json
from ludus.cli.shared.progress import ProgressLine
from ludus.core import cache as kept
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.core.game import Game


def cache(
    game: Annotated[str | None, Parameter(help="With --warm: this game alone.")] = None,
    /,
    *,
    clear: Annotated[Flag, Parameter(help="Delete all of it; the next calls compile again.")] = False,
    warm: Annotated[Flag, Parameter(help="Compile now what first calls would wait for, of a game or of all.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Show the compiled programs that are kept between calls, so that later calls start quickly.

    For example:

        ludus cache
        ludus cache --warm
        ludus cache --warm hex

    They are in your cache folder. LUDUS_CACHE=FOLDER puts them elsewhere,
    LUDUS_CACHE=off keeps none. You may delete the folder at any time. A folder that
    belongs to another user, or that anybody may write to, is not used, because the
    programs in it are run.

    The first call on a machine that solves, searches, makes puzzles or gives a
    hint compiles for some seconds; --warm does that for all of them, in about a
    minute. Ctrl-C leaves at once, and what is compiled so far stays.
    """
    if game is not None:
        registry.entry(game)  # refused where there is none
        if not warm:
            raise BadInput(f"'{game}' says what to compile; add --warm, or leave it out.")
    if warm and clear:
        raise BadInput("give one of --warm and --clear.")
    where = kept.folder()
    if warm and where is None:
        raise BadInput("no programs are kept, for LUDUS_CACHE is off; leave it out, or let it name a folder.")
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
    done = []
    for name in games:
        for call, run in first_calls(name):
            began = time.perf_counter()
            with ProgressLine(f"{name}: {call}", quiet):
                run()
            done.append({"game": name, "call": call, "seconds": round(time.perf_counter() - began, 3)})
    return done


# --- what a first call compiles -----------------------------------------------------------------------------


def first_calls(name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The calls of a game that compile much, by name, each as short as possible."""
    from ludus.agents.spec import can_be_searched

    known, made = registry.entry(name), registry.make_game(name)
    solvable = _solvable(known)
    if solvable is not None:
        yield "solve", lambda: _solve(registry.make_game(name, **solvable))
    if len(known.seats) > 1 and known.evaluation is not None and can_be_searched(name):
        yield "solve --depth", lambda: _search(made)
    if known.puzzles is not None:
        yield "puzzles", lambda: registry.part(name, "puzzles").make(made, known.levels[0], 1, 0, None)
    yield "a hint in play", lambda: _hint(made)


def _solvable(known: Entry) -> dict[str, Any] | None:
    """Options of a game that can be solved: the defaults, or the largest smaller board."""
    if known.solved is None:
        return None
    sizes = [(option.name, option.default, option.low or 1) for option in known.options if option.size]
    tries: list[dict[str, Any]] = [{}]
    for name, largest, least in sizes:
        tries += [{name: size} for size in range(int(largest) - 1, least - 1, -1)]
    for given in tries:
        try:
            registry.refuse_unsolved(known.name, given)
        except BadInput:
            continue
        return given
    return None


def _solve(game: Game) -> Any:
    """With no time: until the solver first looks at the clock."""
    from ludus.truth import truth_of

    return truth_of(game).solve(game.init(), 0.0)


def _search(game: Game) -> Any:
    from ludus.agents.alphabeta import evaluation_of
    from ludus.search.alphabeta.analysis import analyse
    from ludus.search.alphabeta.search import AlphaBeta, Limits

    return analyse(AlphaBeta(game, evaluation_of(game)), game.init(), Limits(depth=2)).to_json()


def _hint(game: Game) -> str:
    from ludus.core.line import Line, fresh_start

    line = Line(game, fresh_start(game, 0))
    if game.num_players == 1:
        return PuzzleHints(game).hint(line)
    name = best_agent(game)
    return GameHints(game, name, load_player(name, game)).hint(line)
