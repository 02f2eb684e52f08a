"""`ludus eval`."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import (
    NO_OPTIONS,
    Flag,
    GameOptions,
    Json,
    Quiet,
    Whole,
    check_range,
    note_namesakes,
    print_json,
)
from ludus.cli.meeting import Meeting, match_document, print_match
from ludus.cli.stopped import keeping
from ludus.cli.watching import Watching
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.agents.spec import Setup
    from ludus.core.game import Game
    from ludus.play.arena import Result
    from ludus.truth.protocol import Grade

Openings = Annotated[
    Whole | None,
    Parameter(
        help="Random plies at the beginning of a game, the same with both seats. [default: as few as make games "
        "differ, where neither player moves by chance]"
    ),
]
MAX_OPENING = 1000


def eval(
    agent: Annotated[str, Parameter(help="random, perfect, alphabeta:4, lgame/best, the folder of a run, ...")],
    /,
    *,
    against: Annotated[
        tuple[str, ...], Parameter(help="Opponents to play sampled games with.", negative="", consume_multiple=True)
    ] = (),
    games: Annotated[Whole, Parameter(help="Sampled games with each opponent.")] = 1000,
    openings: Openings | None = None,
    exact: Annotated[Flag, Parameter(help="Exact strength on every position, without sampling.")] = False,
    every_defence: Annotated[
        Flag,
        Parameter(help="With --exact, where defences are left out (hex 5 x 5): follow all. Wants an accelerator."),
    ] = False,
    ladder: Annotated[
        Flag, Parameter(help="Games with each player of the game's ladder, where nothing exact is known (abalone).")
    ] = False,
    epsilon: Annotated[float, Parameter(help="Share of random moves against the random player, with --exact.")] = 0.01,
    game: Annotated[str | None, Parameter(help="The game, for an agent that plays any.")] = None,
    seed: Annotated[Whole, Parameter(help="Random seed, for sampled games.")] = 0,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure the strength of one agent: exactly where the game is small, else by games.

    Of a puzzle's agent it is how little a search explores that tries moves in its
    order, and how often its first move keeps the puzzle solvable. Ctrl-C prints what
    is known so far.

    For example:

        ludus eval lgame/best --exact
        ludus eval runs/mine --against random perfect --games 10000
        ludus eval random --game lgame --exact
        ludus eval minimax:1 --game abalone --against random
        ludus eval abalone/best --ladder
        ludus eval random --game solitaire-chess
    """
    check_range("--epsilon", epsilon, 0, 1)
    check_range("--games", games, 1, 10**8)
    check_range("--seed", seed, 0, 2**31 - 1)
    check_openings(openings)
    if every_defence and not exact:
        raise BadInput("--every-defence goes with --exact: it says how far the proof goes.")
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
        raise BadInput(f"{made.describe()} has no ladder; {'give --exact' if truth.grades else 'leave out --ladder'}.")
    if every_defence and effort not in truth.grades:
        raise BadInput(f"--every-defence is for games where some are left out without it, not {made.describe()}.")
    alone = made.num_players == 1
    if alone and against:
        raise BadInput(f"{made.name} is a puzzle for one: there is no opponent to play; leave out --against.")
    exact |= alone and bool(truth.grades)  # a puzzle's agent has nobody to meet
    player = find_player(agent, made)
    report = _Report(agent, made, as_json)
    with keeping(report.stopped):
        if exact or ladder:
            with Watching(f"grading {agent}", quiet) as watch:
                report.graded(truth.grade(player, effort, epsilon, watch))
        for name in against or (() if exact or ladder else ("random",)):
            report.play(name, Meeting(made, player, find_player(name, made), games, seed, openings, quiet))
    report.end(stopped=False)


class _Report:
    """What is known so far: for people each part as it comes, as JSON all at the end."""

    def __init__(self, agent: str, game: Game, as_json: bool) -> None:
        self._agent, self._game, self._as_json = agent, game, as_json
        self._exact: dict[str, Any] = {}
        self._results: list[dict[str, Any]] = []
        self._meeting: tuple[str, Meeting] | None = None  # under way
        self._adding = threading.Lock()  # so that nothing is told twice by whoever is stopped

    def graded(self, grade: Grade) -> None:
        self._exact = grade.to_json()
        if not self._as_json:
            print(shown(f"{self._agent} at {self._game.describe()}"))
            print_grade(grade)

    def play(self, name: str, meeting: Meeting) -> None:
        self._meeting = name, meeting
        result = meeting.play()
        with self._adding:
            self._add(name, result)
            self._meeting = None

    def _add(self, name: str, result: Result) -> None:
        self._results.append({"against": name, **match_document(self._agent, name, result)})
        if not self._as_json:
            print_match(self._agent, name, result)

    def stopped(self, failed: bool) -> None:
        with self._adding:
            if self._meeting is not None:
                name, meeting = self._meeting
                if (result := meeting.stopped(failed)) is not None:
                    self._add(name, result)
        if self._exact or self._results:
            self.end(stopped=True)

    def end(self, stopped: bool) -> None:
        several = {"results": self._results} if len(self._results) > 1 else {}
        one = self._results[0] if len(self._results) == 1 else {}
        if self._as_json:
            known = {"agent": self._agent, "game": self._game.describe(), **self._exact}
            print_json(known | one | several | {"stopped": stopped})


def game_for(agents: list[str], game: str | None, options: GameOptions) -> Game:
    """The game these agents play, or the one named. All that can be refused is refused before it is loaded."""
    from ludus.games import make_game

    name, chosen, _ = setup_for(agents, game, options)
    return make_game(name, **chosen)


def setup_for(agents: list[str], game: str | None, options: GameOptions) -> Setup:
    """The same, nothing loaded: what is asked for, and what each was trained for, must agree. Of options that are free
    what is asked for is taken, or what the first of them was trained for.
    """
    from ludus import games as registry
    from ludus.agents.spec import PERFECT, Setup, is_built_in, refuse_strangers, setup_of

    note_namesakes(filter(is_built_in, agents))
    refuse_strangers(agents, game if game in registry.names() else None)
    trained = [(name, setup) for name in agents if (setup := setup_of(name)) is not None]
    for name, setup in trained:
        if game is not None and game != setup.game:
            raise BadInput(f"the agent '{name}' plays {setup.game}, not {game}.")
        asked = Setup(setup.game, setup.options | options.given(registry.entry(setup.game)))
        if not setup.meets(asked):
            raise BadInput(f"the agent '{name}' plays {setup.bound.describe()}, not {asked.bound.describe()}.")
        first, its_setup = trained[0]
        if not setup.meets(its_setup):
            raise BadInput(
                f"the agents '{first}' and '{name}' cannot meet: one plays {its_setup.bound.describe()}, the other "
                f"{setup.bound.describe()}."
            )
    if not trained and game is None:
        raise BadInput(f"'{agents[0]}' plays any game; name one with --game.")
    name = trained[0][1].game if trained else game or ""
    refuse_strangers(agents, name)  # where an agent's game is not every built-in player's
    chosen = (trained[0][1].options if trained else {}) | options.given(registry.entry(name))
    if PERFECT.keys() & set(agents):
        registry.refuse_unsolved(name, chosen)
    return Setup(name, chosen)


def check_openings(openings: int | None) -> None:
    if openings is not None:
        check_range("--openings", openings, 0, MAX_OPENING)


def print_grade(grade: Grade) -> None:
    """The strength, for people."""
    for line in grade.lines():
        print(f"  {shown(line)}")
