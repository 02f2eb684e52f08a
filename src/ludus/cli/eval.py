"""`ludus eval`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus.cli.shared.agents import game_for
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import note_match
from ludus.cli.shared.options import (
    MAX_GAMES,
    NO_OPTIONS,
    Flag,
    GameOptions,
    Json,
    Openings,
    Quiet,
    Seed,
    TheirGame,
    number,
    whole,
)
from ludus.cli.shared.output import print_json, print_parts
from ludus.cli.shared.progress import ProgressLine

if TYPE_CHECKING:
    from ludus.play.player import Player
    from ludus.truth.protocol import Grade


def eval(
    agent: Annotated[str, Parameter(help="random, perfect, alphabeta:4, lgame/best, the folder of a run, ...")],
    /,
    *,
    against: Annotated[
        tuple[str, ...], Parameter(help="Opponents to play sampled games with.", negative="", consume_multiple=True)
    ] = (),
    games: Annotated[int, whole(1, MAX_GAMES, "Sampled games with each opponent.")] = 1000,
    openings: Openings = None,
    exact: Annotated[Flag, Parameter(help="Exact strength on every position, without sampling.")] = False,
    every_defence: Annotated[
        Flag,
        Parameter(help="With --exact, where it skips some defences (hex 5 x 5): follow all. Wants an accelerator."),
    ] = False,
    ladder: Annotated[
        Flag, Parameter(help="Games with a fixed list of opponents, where the game cannot be solved (abalone).")
    ] = False,
    epsilon: Annotated[
        float, number(0, 1, "With --exact: the agent's share of random moves against the random player.")
    ] = 0.01,
    game: TheirGame = None,
    seed: Seed = 0,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure the strength of one agent: exactly where the game is small, else by games.

    For an agent of puzzles, strength is how few positions a search explores when it
    tries moves in the agent's order, and how often the first move keeps the puzzle
    solvable. Ctrl-C prints the result so far.

    For example:

        ludus eval lgame/best --exact
        ludus eval runs/mine --against random perfect --games 10000
        ludus eval random --game lgame --exact
        ludus eval minimax:1 --game abalone --against random
        ludus eval abalone/best --ladder
        ludus eval random --game solitaire-chess
    """
    made = game_for([agent, *against], game, options)
    from ludus.agents.find import find_player
    from ludus.workbench.evaluations import EvaluationRun, Wanted, grade_parts
    from ludus.workbench.matches import Match

    wanted = Wanted(exact, every_defence, ladder, against).resolved(made)
    player = find_player(agent, made)

    def say(part: Match | Grade) -> None:
        """People read each result as it comes; JSON is printed at the end."""
        if not as_json:
            print_parts(part.parts() if isinstance(part, Match) else grade_parts(agent, made.describe(), part))

    def find(name: str | Player) -> Player:
        return find_player(name, made) if isinstance(name, str) else name

    run = EvaluationRun(made, player, wanted, find, games, seed, openings, epsilon, ProgressLine.unless(quiet), say)

    def end_early(failed: bool) -> None:
        found = run.stop(failed, note_match)
        if found is not None and as_json:
            print_json(found.to_json())

    with on_early_end(end_early):
        found = run.play()
    if as_json:
        print_json(found.to_json())
