"""`ludus play`: a game in the terminal."""

from __future__ import annotations

import random
import shlex
import sys
import threading
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import stopping
from ludus.cli.play.puzzle import check_puzzle, puzzle_start
from ludus.cli.play.session import GameSession
from ludus.cli.shared.agents import HUMAN, RANDOM, best_agent, game_for, note_namesakes
from ludus.cli.shared.files import load_game
from ludus.cli.shared.interrupt import on_stop
from ludus.cli.shared.options import MAX_PLAY_SEED, NO_OPTIONS, GameOptions, Json, Name, Position, whole
from ludus.cli.shared.output import print_json
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.core.line import Ending, Line


def play(
    game: Name,
    /,
    *,
    against: Annotated[
        str | None,
        Parameter(
            help="Who plays the other side: random, perfect, alphabeta:2s, lgame/best, the folder of a run, "
            "or human for two at one keyboard. [default: the game's best agent, or random]"
        ),
    ] = None,
    side: Annotated[str | None, Parameter(help="Your seat; without it, the one to move.")] = None,
    seed: Annotated[
        int | None, whole(0, MAX_PLAY_SEED, "Random seed: for the opponent's moves, and a puzzle's number.")
    ] = None,
    position: Position = None,
    level: Annotated[str | None, Parameter(help="A puzzle of this level: beginner, intermediate, ...")] = None,
    daily: Annotated[str | None, Parameter(help="The puzzle of a day: today, or a date like 2026-01-31.")] = None,
    load: Annotated[str | None, Parameter(help="Go on with a saved game: its file.")] = None,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Play a game in the terminal, against an agent or another person; a puzzle alone.

    For example:

        ludus play lgame
        ludus play lgame --against perfect:hardest --side B
        ludus play hex --against hex/best-5
        ludus play hex --size 5 --swap --against human
        ludus play abalone --layout belgian-daisy --side white
        ludus play abalone --against alphabeta:5s
        ludus play hex --size 5 --against "htp:mohex --quiet"
        ludus play solitaire-chess --seed 7
        ludus play solitaire-chess --level expert
        ludus play solitaire-chess --daily today
        ludus play hex --load game.txt

    Type help while you play: hint, opinion, undo, save and more, and rules for how
    the game is played. Moves can also come from a file, one a line:
    ludus play lgame --seed 1 < moves.txt. With --json the boards and questions
    go to stderr, and the record of the game to stdout. Ctrl-C ends the game; during
    a hint or an opinion it only ends that.
    """
    if load is not None and position is not None:
        raise BadInput("give --position or --load, not both: a saved game has its own start.")
    _refuse_early(game, against, side)
    check_puzzle(game, level, daily, position is not None or load is not None)
    loaded = None if load is None else _loaded(game, load, options)
    made, start = options.setup(game, position) if loaded is None else (loaded.game, None)
    if against is not None and made.num_players == 2:
        from ludus.agents.spec import bound_of, setup_of

        setup, learned = setup_of(against), _as_learned(made, against, options)
        if loaded is None:
            made, start = learned, start if learned == made or position is None else learned.parse(position)
        elif setup is not None and not setup.meets(bound_of(made)):
            raise BadInput(
                f"the agent '{against}' plays {learned.describe()}, and '{load}' is {made.describe()}; "
                "name another with --against, or leave it out."
            )
    against = _check_against(made, against, side)
    side = None if side is None else _check_side(made.name, made.seats, side)

    from ludus.core.line import Line, fresh_start

    seed = random.SystemRandom().randint(0, MAX_PLAY_SEED) if seed is None else seed
    if level is not None or daily is not None:
        start, seed = puzzle_start(made, level, daily, seed)
    line = loaded or Line(made, fresh_start(made, seed) if start is None else start)
    mine = made.seats.index(side) if side else line.player()
    people = list(range(made.num_players)) if against in (None, HUMAN) else [mine]
    first = threading.Lock()  # never released: the record is printed once, by whichever thread hears of it first

    def stopped() -> None:
        if first.acquire(blocking=False):
            session.say("")
            if as_json:
                print_json(_record(session, None) | {"interrupted": True})

    session = GameSession(line, people, against, seed, sys.stderr if as_json else sys.stdout)
    try:
        with on_stop(stopped):
            session.greet()
            ending = session.play()
    except KeyboardInterrupt:
        stopped()
        raise
    if as_json:
        print_json(_record(session, ending) | {"interrupted": False})
    if session.background.busy and stopping.listens():
        stopping.leave(0)  # an abandoned hint may still be compiling


def _record(session: GameSession, ending: Ending | None) -> dict[str, Any]:
    game, line, puzzle = session.game, session.line, session.puzzle
    return {
        "game": game.name,
        "options": game.options(),
        "against": session.against,
        "side": None if len(session.people) > 1 else game.seats[session.people[0]],
        "seed": session.seed,
        "start": game.format(line.states[0]),
        "moves": line.moves(),
        "position": game.format(line.state),
        "result": ending.result if ending else None,
        "returns": list(ending.returns) if ending else None,
        "resigned": None if line.resigned is None else game.seats[line.resigned],
    } | ({} if puzzle is None else {"score": puzzle.score(line)})


def _loaded(game: str, file: str, options: GameOptions) -> Line:
    """A saved game. It has its own options; those given must agree with them."""
    from ludus.games import entry, make_game

    given = options.given(entry(game))
    line = load_game(file)
    saved = line.game
    if saved.name != game:
        command = shlex.join(["ludus", "play", saved.name, "--load", file])
        raise BadInput(f"'{file}' is a game of {saved.name}, not {game}; {command} goes on with it.")
    if make_game(game, **saved.options() | given) != saved:
        raise BadInput(f"'{file}' is a game of {saved.describe()}; leave out the options that say otherwise.")
    return line


def _refuse_early(game: str, against: str | None, side: str | None) -> None:
    """What can be refused before the game itself is loaded."""
    from ludus import games as registry
    from ludus.agents.spec import refuse_strangers

    entry = registry.entry(game)
    if side is not None:
        _check_side(entry.name, entry.seats, side)
    if against not in (None, HUMAN) and len(entry.seats) > 1:
        try:
            refuse_strangers([against], game)
        except BadInput as error:  # its list of agents lacks `human`, which is only known here
            raise BadInput(str(error).replace(f"{game}; there are ", f"{game}; there are {HUMAN}, ")) from None


def _as_learned(game: Game, against: str, options: GameOptions) -> Game:
    """The game with the options that a trained opponent has learned, where none were given; others must agree."""
    if against in (HUMAN, RANDOM):
        note_namesakes([against])
        return game
    from ludus.agents.spec import is_built_in, setup_of

    note_namesakes(filter(is_built_in, [against]))
    return game if setup_of(against) is None else game_for([against], game.name, options)


def _check_against(game: Game, against: str | None, side: str | None) -> str | None:
    """The opponent's name, None for a puzzle."""
    if game.num_players == 1:
        if against is not None:
            raise BadInput(f"{game.name} is played alone, so nobody can play against you; leave out --against.")
        return None
    if against == HUMAN and side is not None:
        raise BadInput("with --against human every seat is a person's; leave out --side.")
    return against or best_agent(game)


def _check_side(game: str, seats: tuple[str, ...], side: str) -> str:
    """The seat's name as the game spells it."""
    named = {seat.lower(): seat for seat in seats}
    if side.lower() not in named:
        raise BadInput(f"{game} has no seat '{side}'; its seats are {', '.join(seats)}.")
    return named[side.lower()]
