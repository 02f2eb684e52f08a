"""`ludus play`."""

from __future__ import annotations

import random
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus.cli.common import (
    AGENTS,
    NO_OPTIONS,
    GameOptions,
    Json,
    Name,
    Position,
    Whole,
    check_range,
    print_json,
)
from ludus.cli.explain import one_line
from ludus.errors import BadInput

if TYPE_CHECKING:
    from typing import TextIO

    from ludus.cli.line import Ending, Line
    from ludus.game import Game

HUMAN = "human"
MAX_SEED = 2**32 - 1
HELP = """Type a move, such as {example}, or one of these:
  moves      the legal moves
  undo       take your last move back
  position   this position as text, for --position
  svg FILE   save the board as a picture
  quit       stop here (so does the end of input, Ctrl-D)"""


def play(
    game: Name,
    /,
    *,
    against: Annotated[
        str | None,
        Parameter(help="Who plays the other side: random, or human for two at one keyboard. [default: random]"),
    ] = None,
    side: Annotated[str | None, Parameter(help="Your seat; without it, the one to move.")] = None,
    seed: Annotated[
        Whole | None, Parameter(help="What chance begins from: the opponent's moves, a puzzle's number.")
    ] = None,
    position: Position | None = None,
    options: GameOptions = NO_OPTIONS,
    as_json: Json = False,
) -> None:
    """Play a game in the terminal, against an agent or another person; a puzzle alone.

    For example:

        ludus play lgame
        ludus play hex --size 5 --swap --against human
        ludus play abalone --layout belgian-daisy --side white
        ludus play solitaire-chess --seed 7

    Type help while you play. Moves may also come from a file, one a line:
    ludus play lgame --seed 1 < moves.txt. With --json the boards and questions
    go to stderr, and the record of the game to stdout.
    """
    made, start = options.setup(game, position)
    if seed is not None:
        check_range("--seed", seed, 0, MAX_SEED)
    against = _check_agent(made, against, side)
    side = _check_side(made, side)

    from ludus.cli.line import Line, fresh_start

    seed = random.SystemRandom().randint(0, MAX_SEED) if seed is None else seed
    line = Line(made, fresh_start(made, seed) if start is None else start)
    mine = made.seats.index(side) if side else line.player()
    people = range(made.num_players) if against in (None, HUMAN) else [mine]
    table = Table(line, list(people), random.Random(seed), sys.stderr if as_json else sys.stdout)
    table.greet(against, seed)
    ending = table.play()
    if as_json:
        print_json(
            {
                "game": made.name,
                "against": against,
                "side": None if len(people) > 1 else made.seats[mine],
                "seed": seed,
                "start": made.format(line.states[0]),
                "moves": line.moves(),
                "position": made.format(line.state),
                "result": ending.result if ending else None,
                "returns": list(ending.returns) if ending else None,
            }
        )


def _check_agent(game: Game, against: str | None, side: str | None) -> str | None:
    """The opponent's name, None for a puzzle."""
    if against is not None and against not in (*AGENTS, HUMAN):
        raise BadInput(f"there is no agent '{against}' for {game.name}; there are {', '.join((*AGENTS, HUMAN))}.")
    if game.num_players == 1:
        if against is not None:
            raise BadInput(f"{game.name} is played alone, so nobody can play against you; leave out --against.")
        return None
    if against == HUMAN and side is not None:
        raise BadInput("with --against human every seat is a person's; leave out --side.")
    return against or AGENTS[0]


def _check_side(game: Game, side: str | None) -> str | None:
    """The seat's name as the game spells it."""
    if side is None:
        return None
    seats = {seat.lower(): seat for seat in game.seats}
    if side.lower() not in seats:
        raise BadInput(f"{game.name} has no seat '{side}'; its seats are {', '.join(game.seats)}.")
    return seats[side.lower()]


class Table:
    """A game under way between the people at this terminal and an agent that plays the other seats."""

    def __init__(self, line: Line, people: list[int], chance: random.Random, out: TextIO) -> None:
        self.line, self.people, self.chance, self.out = line, people, chance, out
        self.game = line.game

    def say(self, text: str) -> None:
        print(text, file=self.out, flush=True)

    def greet(self, against: str | None, seed: int) -> None:
        self.say(f"{self.game.describe()}, seed {seed}")
        if against not in (None, HUMAN):
            self.say(f"You are {self.game.seats[self.people[0]]}, against {against}.")
        self.say("Type a move, or help.")

    def play(self) -> Ending | None:
        """To the end of the game, or of the input."""
        shown = -1  # the ply whose board is on the screen
        while True:
            ending = self.line.ending()
            if shown != len(self.line.actions) and (ending or self.line.player() in self.people):
                self.say(f"\n{self.game.draw(self.line.state)}")
                shown = len(self.line.actions)
                if ending:
                    self.say(ending.sentence)
            # A puzzle that is stuck is not lost yet: its player may take moves back.
            if ending and ending.result != "unsolved":
                return ending
            if self.line.player() not in self.people:
                self._agent_moves()
                continue
            stuck = "undo or quit" if ending else f"{self.game.seats[self.line.player()]} to move"
            text = self.ask(f"{stuck}> ")
            if text is None or text.lower() in ("quit", "exit"):
                self.say("Goodbye.")
                return ending
            try:
                shown = -1 if self._obey(text) else shown
            except BadInput as refused:
                self.say(one_line(str(refused)))

    def ask(self, prompt: str) -> str | None:
        """One line of input, None at its end. What comes from a file is shown, so that the record can be read."""
        if sys.stdin is None:
            return None
        if sys.stdin.isatty() and self.out is sys.stdout:
            with suppress(ImportError):
                import readline  # noqa: F401  (gives `input` the arrow keys)
            try:
                return input(prompt).strip()
            except EOFError:
                self.say("")
                return None
        print(prompt, end="", file=self.out, flush=True)
        line = sys.stdin.readline()
        self.say(one_line(line) if not sys.stdin.isatty() else "")
        return line.strip() if line else None

    def _agent_moves(self) -> None:
        line = self.line
        seat, action = self.game.seats[line.player()], self.chance.choice(line.legal())
        self.say(f"{seat} plays {self.game.format_move(line.state, action)}")
        line.push(action)

    def _obey(self, text: str) -> bool:
        """Do what was typed; whether the board should be shown again though it may be the same."""
        line, game = self.line, self.game
        word, _, rest = text.partition(" ")
        match word.lower():
            case "":
                raise BadInput("Type a move, or help.")
            case "help" | "?":
                legal = line.legal()
                example = game.format_move(line.state, legal[0]) if legal else "none now"
                self.say(HELP.format(example=example))
            case "moves":
                moves = [game.format_move(line.state, action) for action in line.legal()]
                self.say(textwrap.fill(" ".join(moves), 100) if moves else "There is none.")
            case "position":
                self.say(game.format(line.state))
            case "svg":
                self.say(f"Saved {_save(Path(rest.strip()), game.svg(line.state))}.")
            case "undo":
                self._undo()
                return True
            case _:
                line.push(game.parse_move(line.state, text))
        return False

    def _undo(self) -> None:
        """Back to before the last move that a person made."""
        plies = len(self.line.actions)
        before = next((ply for ply in range(plies - 1, -1, -1) if self.line.player(ply) in self.people), None)
        if before is None:
            raise BadInput("There is no move of yours to take back.")
        self.line.cut(before)


def _save(path: Path, picture: str) -> Path:
    if path.suffix.lower() != ".svg":
        raise BadInput(f"a picture is saved in a file whose name ends in .svg, like board.svg, not '{path}'.")
    try:
        path.expanduser().write_text(picture, encoding="utf-8")
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a ~user that is not there
        reason = error.strerror if isinstance(error, OSError) else None
        raise BadInput(f"cannot write '{path}': {reason or error}; try another name.") from None
    return path
