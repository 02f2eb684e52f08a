"""Games between agents: `ludus.match`, `ludus.eval`, `ludus.tournament`, `ludus.ladder`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.face.agent import AgentLike, gathered
from ludus.face.arguments import as_arguments, check_share, check_whole
from ludus.ladder.sprt import Sprt
from ludus.play.player import Player
from ludus.workbench.evaluations import Evaluation, EvaluationRun, Wanted
from ludus.workbench.ladders import Ladder, LadderRun, Play
from ludus.workbench.limits import MAX_GAMES, MAX_OPENING, MAX_SEED
from ludus.workbench.matches import Match, MatchRun
from ludus.workbench.observer import Observing, Unwatched
from ludus.workbench.tournaments import Tournament, TournamentRun

#: Called as games end: games played, games in all.
OnGames = Callable[[int, int], Any]

GAME = "name one with game="


@as_arguments()
def match(
    a: AgentLike,
    b: AgentLike,
    *,
    game: Game | str | None = None,
    games: int = 1000,
    openings: int | None = None,
    seed: int = 0,
    on_games: OnGames | None = None,
) -> Match:
    """Let two agents play each other on both sides: the score of the first, with its interval. `ludus match` does the
    same.

    Any agent may be a function of your own. One that fails to move (an exception, an illegal move, no answer within a
    minute) loses that game, as `.faults` says. Two agents that never move by chance begin with random openings.

    >>> import ludus
    >>> def first(position, moves):
    ...     return moves[0]
    >>> found = ludus.match(first, "random", game=ludus.game("hex", size=3), games=4)
    >>> found.games, found.forfeits
    (4, (0, 0))
    >>> print(found)
    first against random: ... won, 0 drawn, ... lost of 4; score ...% (95% interval ... to ...)
    """
    made, (one, two) = gathered((a, b), game, GAME)
    _check(games, openings, seed)
    return MatchRun(made, one, two, games, seed, openings, _observing(on_games)).play()


@as_arguments()
def evaluate(
    agent: AgentLike,
    *,
    against: AgentLike | Sequence[AgentLike] = (),
    games: int = 1000,
    openings: int | None = None,
    exact: bool = False,
    every_defence: bool = False,
    ladder: bool = False,
    epsilon: float = 0.01,
    game: Game | str | None = None,
    seed: int = 0,
    on_games: OnGames | None = None,
) -> Evaluation:
    """The strength of one agent, as `ludus.eval`: exactly (`exact`) where the game is small, else by games with others.
    `ludus eval` does the same.

    >>> import ludus
    >>> found = ludus.eval("random", game=ludus.game("hex", size=3), exact=True)
    >>> found.grade.summary()
    '...'
    >>> found.to_json()["agent"]
    'random'
    """
    others: list[AgentLike] = list(against) if isinstance(against, list | tuple) else [against]  # pyright: ignore
    made, (player, *opponents) = gathered((agent, *others), game, GAME)
    _check(games, openings, seed)
    check_share("epsilon", epsilon)
    wanted = Wanted(exact, every_defence, ladder, tuple(opponents)).resolved(made)

    def find(named: str | Player) -> Player:
        return gathered((named,), made, GAME)[1][0]

    return EvaluationRun(made, player, wanted, find, games, seed, openings, epsilon, _observing(on_games)).play()


@as_arguments()
def tournament(
    *agents: AgentLike,
    games: int = 1000,
    seasons: int = 1,
    openings: int | None = None,
    seed: int = 0,
    game: Game | str | None = None,
    on_games: OnGames | None = None,
) -> Tournament:
    """Let all pairs of several agents play each other, and rate the agents with intervals: `.rows`, the best first.
    `ludus tournament` does the same.

    >>> import ludus
    >>> found = ludus.tournament("random", "perfect", game=ludus.game("hex", size=3), games=20)
    >>> [row.agent for row in found.rows]
    ['perfect', 'random']
    """
    if len(agents) < 2:
        raise BadInput(f"a tournament takes two agents or more, not {len(agents)}.")
    made, players = gathered(agents, game, GAME)
    _check(games, openings, seed, pairs=True)
    check_whole("seasons", seasons, 1, 10**4)
    return TournamentRun(made, players, games, seasons, openings, seed, _observing(on_games)).play()


@as_arguments()
def ladder(
    game: Game | str,
    *agents: str | Path,
    sprt: tuple[str | Path, str | Path] | None = None,
    games: int = 2000,
    batch: int = 64,
    within: float | None = None,
    elo0: float = 0.0,
    elo1: float = 40.0,
    alpha: float = 0.05,
    beta: float = 0.05,
    openings: int | None = None,
    seed: int = 0,
    anchor: str | None = None,
    file: str | Path | None = None,
    out: str | Path | None = None,
    curve: str | Path | None = None,
) -> Ladder:
    """The ratings of all agents of a game, kept in one file: `.rows`, the best first. Agents that are named are added
    first, or tested with `sprt`. `ludus ladder` does the same, and its page says how.

    A ladder keeps results by name, so that an agent of your own is named by its module: "python:my_module:choose".

    >>> import ludus
    >>> found = ludus.ladder("hex")
    >>> found.games, found.rows
    (0, ())
    """
    for named in (*agents, *(sprt or ())):
        if not isinstance(named, str | Path):
            raise BadInput(
                f"a ladder keeps results by name, and {shorten(repr(named))} is none: put a function into a module "
                "and name it 'python:my_module:choose'."
            )
    _check(games, openings, seed, pairs=True)
    check_whole("batch", batch, 2, 10**6, even=True)
    play = Play(Sprt(elo0, elo1, alpha, beta), games, batch, within, openings, seed)
    run = LadderRun(
        game if isinstance(game, str) else game.name,
        [str(named) for named in agents],
        lambda entry: {} if isinstance(game, str) else game.options(),
        play,
        None if sprt is None else [str(named) for named in sprt],
        anchor,
        *(None if path is None else Path(path) for path in (file, out, curve)),
    )
    return run.play()


def _check(games: int, openings: int | None, seed: int, pairs: bool = False) -> None:
    check_whole("games", games, 2 if pairs else 1, MAX_GAMES, even=pairs)
    check_whole("seed", seed, 0, MAX_SEED)
    if openings is not None:
        check_whole("openings", openings, 0, MAX_OPENING)


def _observing(on_games: OnGames | None) -> Observing:
    return functools.partial(Unwatched, on_games=on_games)
