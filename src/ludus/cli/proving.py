"""What may be asked of the long searches of `ludus solve`: a file to go on from, workers, the proof written down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.cli.common import check_folder, check_range
from ludus.cli.watching import Watching
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.truth.protocol import Truth

MOST_WORKERS = 64


class Proving(NamedTuple):
    """What was asked for; None is nothing."""

    keep: Path | None
    workers: int
    proof: Path | None

    def asked(self) -> list[str]:
        words = {"--keep": self.keep is not None, "--workers": self.workers != 1, "--proof": self.proof is not None}
        return [word for word, given in words.items() if given]

    def check(self, everything: bool, lines: bool, searched: bool) -> None:
        """Refuse early what cannot be done."""
        check_range("--workers", self.workers, 1, MOST_WORKERS)
        if self.asked() and (everything or searched):
            raise BadInput(f"{self.asked()[0]} is for the exact solution of a position by a search; leave it out.")
        if self.proof is not None and lines:
            raise BadInput("--proof writes that of one position; leave out --file.")
        for option, path in (("--keep", self.keep), ("--proof", self.proof)):
            if path is not None:
                check_folder(option, path.parent)
                if path.is_dir():
                    raise BadInput(f"{option}: '{path}' is a folder; name a file.")

    def truth(self, game: Game) -> Truth:
        from ludus.truth import protocol, truth_of

        truth = truth_of(game)
        if not self.asked():
            return truth
        if not isinstance(truth, protocol.Proving):
            why = "its values are written down whole, or not known at all"
            raise BadInput(f"{self.asked()[0]} is not for {game.describe()}: {why}; leave it out.")
        return truth.keeping(self.keep, self.workers)

    def write(self, game: Game, state: Any, quiet: bool) -> str:
        """Write the proof down; what to tell people of it."""
        from ludus.runs.files import write_file
        from ludus.truth import protocol

        truth = self.truth(game)
        assert isinstance(truth, protocol.Proving)
        assert self.proof is not None
        with Watching(f"writing the proof to {self.proof}", quiet) as watch:
            text = truth.written(state, watch)
        try:
            write_file(self.proof, text.encode())
        except OSError as error:
            raise BadInput(f"'{self.proof}' cannot be written: {error.strerror}.") from error
        return f"The proof: {self.proof}, {text.count(chr(10)):,} lines."
