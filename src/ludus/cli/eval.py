"""`ludus eval`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.shared.agents import game_for
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import MatchRun, match_document, print_match
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
from ludus.cli.shared.output import print_grade, print_json, print_shown
from ludus.cli.shared.progress import ProgressLine
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.play.arena import MatchResult
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
    if every_defence and not exact:
        raise BadInput("--every-defence goes with --exact; give both.")
    made = game_for([agent, *against], game, options)
    from ludus.agents.find import find_player
    from ludus.truth import truth_of
    from ludus.truth.protocol import Effort

    truth, effort = truth_of(made), Effort.EVERY_DEFENCE if every_defence else Effort.WHOLE
    if exact and not truth.grades:
        if made.num_players == 1:
            raise BadInput(f"{made.name} is a puzzle for one: there is no opponent to be exact about.")
        raise BadInput(f"{made.describe()} cannot be graded exactly; leave out --exact, and games are played.")
    if ladder and (truth.grades or made.num_players == 1):
        instead = "give --exact" if truth.grades else "leave out --ladder"
        raise BadInput(f"{made.describe()} has no fixed list of opponents; {instead}.")
    if every_defence and effort not in truth.grades:
        raise BadInput(f"--every-defence is for games where --exact alone skips some defences, not {made.describe()}.")
    alone = made.num_players == 1
    if alone and against:
        raise BadInput(f"{made.name} is a puzzle for one: there is no opponent to play; leave out --against.")
    exact |= alone and bool(truth.grades)  # a puzzle's agent has no opponents
    player = find_player(agent, made)
    report = _EvalReport(agent, made, as_json)
    with on_early_end(report.end_early):
        if exact or ladder:
            with ProgressLine(f"grading {agent}", quiet) as progress:
                report.add_grade(truth.grade(player, effort, epsilon, progress))
        for name in against or (() if exact or ladder else ("random",)):
            report.play(name, MatchRun(made, player, find_player(name, made), games, seed, openings, quiet))
    report.end(stopped=False)


class _EvalReport:
    """The results so far. People read each as it comes; JSON is printed at the end."""

    def __init__(self, agent: str, game: Game, as_json: bool) -> None:
        self._agent, self._game, self._as_json = agent, game, as_json
        self._exact: dict[str, Any] = {}
        self._results: list[dict[str, Any]] = []
        self._running: tuple[str, MatchRun] | None = None
        self._adding = threading.Lock()  # so that a match is not added twice, by its end and by a stop

    def add_grade(self, grade: Grade) -> None:
        self._exact = grade.to_json()
        if not self._as_json:
            print_shown(f"{self._agent} at {self._game.describe()}")
            print_grade(grade)

    def play(self, name: str, run: MatchRun) -> None:
        self._running = name, run
        result = run.play()
        with self._adding:
            self._add(name, result)
            self._running = None

    def _add(self, name: str, result: MatchResult) -> None:
        self._results.append({"against": name, **match_document(self._agent, name, result)})
        if not self._as_json:
            print_match(self._agent, name, result)

    def end_early(self, failed: bool) -> None:
        with self._adding:
            if self._running is not None:
                name, run = self._running
                if (result := run.end_early(failed)) is not None:
                    self._add(name, result)
        if self._exact or self._results:
            self.end(stopped=True)

    def end(self, stopped: bool) -> None:
        if self._as_json:
            known = {"agent": self._agent, "game": self._game.describe(), **self._exact}
            results = self._results[0] if len(self._results) == 1 else {"results": self._results}
            print_json(known | (results if self._results else {}) | {"stopped": stopped})
