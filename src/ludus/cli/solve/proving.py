"""Options of long proofs: a file to keep what is proved, worker processes, and the proof written to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.shared.options import OptionRecord, whole
from ludus.cli.shared.progress import ProgressLine
from ludus.core.whole_files import check_folder
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.truth.protocol import Truth

MOST_WORKERS = 64


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProofOptions(OptionRecord):
    keep: Annotated[Path | None, Parameter(help="Go on from what this file has, and keep there what is proved.")] = None
    workers: Annotated[int, whole(1, MOST_WORKERS, "Search so many moves side by side.")] = 1
    proof: Annotated[Path | None, Parameter(help="Write the proof of the position's value to this file.")] = None

    def check(self, everything: bool, lines: bool, searched: bool) -> None:
        """Refuse early what cannot be done."""
        if self.given() and (everything or searched):
            raise BadInput(f"{self.given()[0]} is for the exact solution of a position by a search; leave it out.")
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
        if not self.given():
            return truth
        if not isinstance(truth, protocol.ProvingTruth):
            why = "its values come from a table of all positions, or are not known"
            raise BadInput(f"{self.given()[0]} is not for {game.describe()}: {why}; leave it out.")
        return truth.checkpoint(self.keep, self.workers)

    def write(self, game: Game, state: Any, quiet: bool) -> str:
        """Write the proof to its file; returns a sentence that says so."""
        from ludus.runs.files import write_file
        from ludus.truth import protocol

        truth = self.truth(game)
        assert isinstance(truth, protocol.ProvingTruth)
        assert self.proof is not None
        with ProgressLine(f"writing the proof to {self.proof}", quiet) as progress:
            text = truth.write_proof(state, progress)
        try:
            write_file(self.proof, text.encode())
        except OSError as error:
            raise BadInput(f"'{self.proof}' cannot be written: {error.strerror}.") from error
        return f"The proof: {self.proof}, {text.count(chr(10)):,} lines."


NO_PROOF = ProofOptions()
