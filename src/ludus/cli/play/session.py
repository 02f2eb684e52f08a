"""A game in the terminal, and the words that may be typed instead of a move."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING

from ludus import stopping
from ludus.cli.play.background import Background
from ludus.cli.shared.agents import HUMAN, load_player
from ludus.cli.shared.explain import one_line
from ludus.cli.shared.files import load_game, save_game
from ludus.cli.shared.hints import GameHints, PuzzleHints
from ludus.cli.shared.lines import read_line
from ludus.cli.shared.options import is_puzzle
from ludus.cli.shared.progress import ProgressLine
from ludus.core.text import shown
from ludus.core.whole_files import save_picture
from ludus.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

    from ludus.core.line import Ending, Line

WIDEST = 100  # characters of a line of moves
HELP = """Type a move, such as {example}, or one of these:
  moves      the legal moves
  history    the moves so far
  undo       take your last move back
  redo       play it again after all
  hint       a good move
  opinion    what the agent thinks of the best moves, and what they are worth
  rules      how the game is played, and how moves are written
  position   this position as text, for --position
  svg FILE   save the board as a picture
  save FILE  save the game
  load FILE  go on with a saved game
  resign     give up
  quit       stop here (so does the end of input, Ctrl-D)"""
PUZZLE_HELP = """
  solvable   whether this can still be solved, or how far to go back
A solved puzzle scores points for its captures, and loses some for every undo and hint."""


class GameSession:
    """A game between the people at this terminal and a player that has the other seats."""

    def __init__(self, line: Line, people: list[int], against: str | None, seed: int, out: TextIO) -> None:
        self.line, self.people, self.against, self.seed, self.out = line, people, against, seed, out
        self.game, self.background = line.game, Background()
        self.player = load_player(against, line.game)
        self.puzzle = PuzzleHints(line.game) if is_puzzle(line.game.name) else None
        self.hints = self.puzzle or GameHints(line.game, against, self.player, seed)

    def say(self, text: str) -> None:
        print("\n".join(map(shown, text.split("\n"))), file=self.out, flush=True)

    def greet(self) -> None:
        from ludus.agents.spec import AgentSpec

        self.say(f"{self.game.describe()}, seed {self.seed}")
        if self.against not in (None, HUMAN):
            self.say(f"You are {self.game.seats[self.people[0]]}, against {AgentSpec.parse(self.against).describe()}.")
        self.say("Type a move, or help.")

    def play(self) -> Ending | None:
        """Until the game ends, or the input; the ending, None if there is none."""
        self._warm()
        on_screen = None  # the position whose board was shown last
        while True:
            line = self.line
            ending = line.ending()
            news = on_screen is not line.state
            if news and (ending or line.player() in self.people):
                self.say(f"\n{self.game.draw(line.state)}")
                on_screen = line.state
            if ending and (news or line.resigned is not None):
                self.say(ending.sentence)
                if self.puzzle is not None and ending.result == "solved":
                    self.say(self.puzzle.sentence(line))
            # A puzzle without moves is not lost yet: its player may take moves back.
            if ending and (ending.result != "unsolved" or line.resigned is not None):
                return ending
            if line.player() not in self.people:
                self._opponent_moves()
                continue
            stuck = "undo or quit" if ending else f"{self.game.seats[line.player()]} to move"
            text = self.ask(f"{stuck}> ")
            if text is None or text.lower() in ("quit", "exit"):
                self.say("Goodbye.")
                return ending
            try:
                self._obey(text)
            except BadInput as refused:
                self.say(one_line(str(refused)))

    def ask(self, prompt: str) -> str | None:
        """One line of input, None at its end. Input from a file is printed too, so that the output can be read."""
        if sys.stdin is None:
            return None
        with stopping.Raised():  # so that readline can restore the terminal
            return self._read(prompt)

    def _read(self, prompt: str) -> str | None:
        assert sys.stdin is not None
        if sys.stdin.isatty() and self.out is sys.stdout:
            with suppress(ImportError):
                import readline  # noqa: F401  (gives `input` the arrow keys)
            try:
                return input(prompt).strip()
            except EOFError:
                self.say("")
                return None
        print(prompt, end="", file=self.out, flush=True)
        line = read_line(sys.stdin)
        self.say(one_line(line) if not sys.stdin.isatty() else "")
        return line.strip() if line else None

    def _help(self, ask: Callable[[Line, Callable[[], Any]], str]) -> None:
        """Say a hint or an opinion. Ctrl-C only ends that."""
        with _thinking():
            said = self.background.run(lambda beat: ask(self.line, beat))
        self.say("\nThat was broken off. The game goes on." if said is None else said)

    def _warm(self) -> None:
        """While somebody looks at the board, compile what the first answer needs."""
        line, player = self.line, self.player
        if player is None or line.ending() is not None or line.player() not in self.people:
            return  # there is none, or it moves at once
        if sys.stdin is not None and sys.stdin.isatty():
            from ludus.core.line import Line
            from ludus.play.player import Clock

            here = Line(self.game, line.state)  # which nobody else moves in
            self.background.start(lambda beat: player.warm(here, Clock.at(here, self.seed, beat=beat)))

    def _opponent_moves(self) -> None:
        from ludus.play.player import Clock

        assert self.player is not None
        self.background.wait()
        line = self.line
        with _thinking():
            seat, action = self.game.seats[line.player()], self.player.move(line, Clock.at(line, self.seed))
        if action < 0:  # the player resigns
            line.resign()
            return
        self.say(f"{seat} plays {self.game.format_move(line.state, action)}")
        line.push(action)

    def _obey(self, text: str) -> None:
        """Do what was typed."""
        line, game = self.line, self.game
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        match word.lower():
            case "":
                raise BadInput("Type a move, or help.")
            case "help" | "?":
                legal = line.legal()
                example = game.format_move(line.state, legal[0]) if legal else "none now"
                self.say(HELP.format(example=example) + ("" if self.puzzle is None else PUZZLE_HELP))
            case "moves":
                moves = [game.format_move(line.state, action) for action in line.legal()]
                folded = textwrap.fill(" ".join(moves), _width(), break_long_words=False, break_on_hyphens=False)
                self.say(folded or "There is none.")
            case "history":
                self.say(self._history())
            case "undo":
                self._undo()
                if self.puzzle is not None:
                    self.puzzle.undos += 1
            case "redo":
                self._redo()
            case "hint":
                self._help(self.hints.hint)
            case "opinion":
                self._help(self.hints.opinion)
            case "solvable" if self.puzzle is not None:
                self._help(self.puzzle.solvable)
            case "rules":
                from ludus.games import guide

                self.say(guide(game.name))
            case "position":
                self.say(game.format(line.state))
            case "svg":
                save_picture(rest, game.svg(line.state))
                self.say(f"Saved {rest}.")
            case "save":
                from ludus.play import game_file

                save_game(rest, game_file.write(line, f"Go on with: {self._command(rest)}"))
                self.say(f"Saved {rest}. {self._command(rest)} goes on with it.")
            case "load":
                self._load(rest)
            case "resign":
                line.resign()
            case _:
                line.push(game.parse_move(line.state, text))

    def _history(self) -> str:
        """The moves so far in columns, each with its number and its seat."""
        line, alone = self.line, self.game.num_players == 1
        seats = ["" if alone else f"{self.game.seats[line.player(ply)]} " for ply in range(len(line.actions))]
        items = [f"{ply + 1}. {seat}{move}" for ply, (seat, move) in enumerate(zip(seats, line.moves(), strict=True))]
        if not items:
            return "No move has been made yet."
        width = max(map(len, items)) + 2
        count = max(1, _width() // width)
        rows = (items[k : k + count] for k in range(0, len(items), count))
        return "\n".join("".join(item.ljust(width) for item in row).rstrip() for row in rows)

    def _undo(self) -> None:
        """Back to before the last move that a person made."""
        plies = len(self.line.actions)
        before = next((ply for ply in range(plies - 1, -1, -1) if self.line.player(ply) in self.people), None)
        if before is None:
            raise BadInput("There is no move of yours to take back.")
        self.line.cut(before)

    def _redo(self) -> None:
        """Play the move again that was taken back, and the answer to it."""
        line = self.line
        if not line.undone:
            raise BadInput("There is no move to play again: none has been taken back since the last move.")
        line.redo()
        while line.undone and line.player() not in self.people:
            line.redo()

    def _load(self, name: str) -> None:
        loaded = load_game(name)
        if loaded.game != self.game:
            command = shlex.join(["ludus", "play", loaded.game.name, "--load", name])
            raise BadInput(
                f"'{name}' is a game of {loaded.game.describe()}, not {self.game.describe()}; "
                f"{command} goes on with it."
            )
        self.line = loaded

    def _command(self, name: str) -> str:
        """What to type to go on with a game that was saved here."""
        against = self.against
        words = [] if against is None else ["--against", against]
        words += [] if against in (None, HUMAN) else ["--side", self.game.seats[self.people[0]]]
        return shlex.join(["ludus", "play", self.game.name, "--load", name, *words])


def _thinking() -> ProgressLine:
    """What a terminal shows while an answer is on its way."""
    return ProgressLine("thinking", transient=True)


def _width() -> int:
    return min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns)
