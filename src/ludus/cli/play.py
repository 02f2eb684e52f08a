"""`ludus play`."""

from __future__ import annotations

import random
import sys
import textwrap
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import NO_OPTIONS, GameOptions, Json, Name, Position, Whole, check_range, print_json
from ludus.cli.explain import one_line
from ludus.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from ludus.core.game import Game
    from ludus.play.line import Ending, Line

    Opponent = Callable[[Line], int]

HUMAN, RANDOM = "human", "random"
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
        Parameter(
            help="Who plays the other side: random, perfect, lgame/best, the folder of a run, "
            "or human for two at one keyboard. [default: the game's best agent, or random]"
        ),
    ] = None,
    side: Annotated[str | None, Parameter(help="Your seat; without it, the one to move.")] = None,
    seed: Annotated[
        Whole | None, Parameter(help="Random seed: for the opponent's moves, and a puzzle's number.")
    ] = None,
    position: Position | None = None,
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
        ludus play solitaire-chess --seed 7

    Type help while you play. Moves may also come from a file, one a line:
    ludus play lgame --seed 1 < moves.txt. With --json the boards and questions
    go to stderr, and the record of the game to stdout.
    """
    made, start = options.setup(game, position)
    if against is not None and made.num_players == 2:
        made, start = _as_learned(made, start, against, options, position)
    if seed is not None:
        check_range("--seed", seed, 0, MAX_SEED)
    against = _check_against(made, against, side)
    side = _check_side(made, side)

    from ludus.play.line import Line, fresh_start

    seed = random.SystemRandom().randint(0, MAX_SEED) if seed is None else seed
    line = Line(made, fresh_start(made, seed) if start is None else start)
    mine = made.seats.index(side) if side else line.player()
    people = range(made.num_players) if against in (None, HUMAN) else [mine]
    opponent = _opponent(made, against, seed)
    table = Table(line, list(people), opponent, sys.stderr if as_json else sys.stdout)
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


def _as_learned(game: Game, start: Any, against: str, options: GameOptions, position: str | None) -> tuple[Game, Any]:
    """The game as a trained opponent plays it: what it has learned says what the options do not, or they must agree."""
    from ludus.cli.eval import game_for
    from ludus.training.agents import game_of

    if game_of(against) is None:
        return game, start
    learned = game_for([against], game.name, options)
    return learned, None if position is None else learned.parse(position)


def _check_against(game: Game, against: str | None, side: str | None) -> str | None:
    """The opponent's name, None for a puzzle."""
    if game.num_players == 1:
        if against is not None:
            raise BadInput(f"{game.name} is played alone, so nobody can play against you; leave out --against.")
        return None
    if against == HUMAN and side is not None:
        raise BadInput("with --against human every seat is a person's; leave out --side.")
    if against is None:
        from ludus.games import shipped
        from ludus.training.agents import game_of

        best = (name for name in shipped(game.name) if name.startswith(f"{game.name}/best") and game_of(name) == game)
        return next(best, RANDOM)
    return against


def _opponent(game: Game, against: str | None, seed: int) -> Opponent:
    """A function that chooses the opponent's moves, the same for the same seed."""
    if against in (None, HUMAN, RANDOM):
        chance = random.Random(seed)
        return lambda line: chance.choice(line.legal())
    from ludus.training.agents import find_agent

    try:
        agent = find_agent(against, game)
    except BadInput as error:  # where it lists the agents: only here may a person sit down too
        raise BadInput(str(error).replace(f"{game.name}; there are ", f"{game.name}; there are {HUMAN}, ")) from None

    import jax

    policy, keys = jax.jit(agent.policy(game)), iter(range(1 << 30))

    def choose(line: Line) -> int:
        key = jax.random.fold_in(jax.random.key(seed), next(keys))
        return int(policy(key, jax.tree.map(lambda leaf: jax.numpy.asarray(leaf)[None], line.state))[0])

    return choose


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

    def __init__(self, line: Line, people: list[int], opponent: Opponent, out: TextIO) -> None:
        self.line, self.people, self.opponent, self.out = line, people, opponent, out
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
        seat, action = self.game.seats[line.player()], self.opponent(line)
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
