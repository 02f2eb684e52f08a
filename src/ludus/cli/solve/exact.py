"""The exact value, by a game's truth: a table of all its positions, or a proof of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.cli.shared.options import GameOptions
from ludus.cli.solve.problem import Problem, setup
from ludus.cli.solve.proving import ProofOptions

if TYPE_CHECKING:
    from ludus.cli.shared.interrupt import StopRequest
    from ludus.core.callbacks import Watch
    from ludus.truth.protocol import Answer


def exact_problem(
    game: str, position: str | None, options: GameOptions, limit: float, everything: bool, proof: ProofOptions
) -> Problem:
    if position is None:  # a position's rows may say another size than the options
        registry.refuse_unsolved(game, options.given(registry.entry(game)))
    made, state = setup(game, position, options)
    truth = proof.truth(made)

    def find(state: Any, watch: Watch, stop: StopRequest) -> Answer:
        return truth.count() if everything else truth.solve(state, limit, stop.polled_by(watch))

    return Problem(made, state, find)
