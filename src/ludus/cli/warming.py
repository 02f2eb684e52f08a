"""What `ludus cache --warm` compiles of a game: all that a first call would have to wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry
    from ludus.core.game import Game

Call = tuple[str, Callable[[], Any]]  # what it is, and what does it


def first_calls(name: str) -> Iterator[Call]:
    """The calls of a game that compile much, each done as briefly as it can be."""
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
    """Options under which it can be solved: its own, or the largest board below."""
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
    """As far as its first look at the clock."""
    from ludus.truth import truth_of

    return truth_of(game).solve(game.init(), 0.0)


def _search(game: Game) -> Any:
    from ludus.agents.alphabeta import evaluation_of
    from ludus.search.alphabeta.analyst import Analyst
    from ludus.search.alphabeta.engine import Limits

    return Analyst(game, evaluation_of(game)).answer(game.init(), Limits(depth=2)).to_json()


def _hint(game: Game) -> str:
    from ludus.cli.opponent import Opponent
    from ludus.cli.play import best_agent
    from ludus.cli.puzzling import Adviser
    from ludus.play.line import Line, fresh_start
    from ludus.play.player import no_beat

    line = Line(game, fresh_start(game, 0))
    if game.num_players == 1:
        return Adviser(game).hint(line, no_beat)
    return Opponent(best_agent(game), game, 0).hint(line)
