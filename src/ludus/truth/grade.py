"""The exact strength of an agent on a game that can be written down: every position, no sampling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
from jaxtyping import Float
from numpy import ndarray

from ludus.training.agents import Agent
from ludus.truth import evaluate
from ludus.truth.graph import Graph
from ludus.truth.solve import Solution, solve
from ludus.core.game import Game, compiled

EPSILON = 0.01  # of the moves against the random player are random, as the L-Game paper has it


@dataclass(frozen=True)
class Grade:
    """What is known of a policy without sampling a game."""

    positions: int  # that have a move
    value_preserving: int  # of them: the policy keeps the value
    unbeatable: bool
    beaten_by: tuple[str, ...]  # the shortest line that beats it, from the start; empty if there is none
    beaten_in_seat: int | None
    vs_random: tuple[evaluate.Worth, evaluate.Worth] | None  # as first and second player
    vs_perfect: tuple[evaluate.Worth, evaluate.Worth] | None
    epsilon: float
    won_positions: int  # positions that the mover can win
    held: float  # the share of them in which the policy keeps the win
    first_player_win: bool  # whether it wins from the start, moving first, against every defence

    @property
    def perfect(self) -> bool:
        return self.value_preserving == self.positions

    def summary(self) -> str:
        share = 100 * self.value_preserving / self.positions
        words = "perfect" if self.perfect else "unbeatable" if self.unbeatable else "beatable"
        return f"right in {share:.1f}% of {self.positions:,} positions, {words}"

    def to_json(self) -> dict[str, Any]:
        """Win rates against random (moving at random with probability epsilon), no-loss rates against perfect."""
        report: dict[str, Any] = {
            "value_preserving": self.value_preserving,
            "positions": self.positions,
            "perfect": self.perfect,
            "unbeatable": self.unbeatable,
            "won_positions": self.won_positions,
            "held": self.held,
            "first_player_win": self.first_player_win,
        }
        if self.vs_random and self.vs_perfect:
            report["vs_random"] = dict(zip(("first", "second"), (w.win for w in self.vs_random), strict=True))
            report["vs_perfect"] = dict(zip(("first", "second"), (w.no_loss for w in self.vs_perfect), strict=True))
            report["epsilon"] = {"vs_random": self.epsilon, "vs_perfect": 0.0}
        if not self.unbeatable:
            report["beaten_by"] = list(self.beaten_by)
            report["beaten_in_seat"] = self.beaten_in_seat
        return report


def grade(agent: Agent, game: Game, epsilon: float = EPSILON, matches: bool = True) -> Grade:
    """Grade an agent; without `matches` only its positions and the proof, which is quick."""
    solution = solve(game)
    return grade_policy(solution, agent.probabilities(solution.graph), epsilon, matches)


def grade_policy(
    solution: Solution, policy: Float[ndarray, "E"], epsilon: float = EPSILON, matches: bool = True
) -> Grade:
    graph = solution.graph
    proof = evaluate.prove(graph, policy)
    kept = evaluate.keeps(solution, policy)
    won = (solution.value > 0) & ~graph.over
    against_random = against_perfect = None
    if matches:
        cap = graph.game.max_plies
        noisy = evaluate.noisy(graph, policy, epsilon)
        against_random = evaluate.worth(graph, noisy, evaluate.uniform(graph), cap)
        against_perfect = evaluate.worth(graph, policy, evaluate.among(graph, solution.preserving), cap)
    return Grade(
        positions=int((~graph.over).sum()),
        value_preserving=int(kept.sum()),
        unbeatable=proof.unbeatable,
        beaten_by=line_text(graph, proof.line),
        beaten_in_seat=proof.seat,
        vs_random=against_random,
        vs_perfect=against_perfect,
        epsilon=epsilon,
        won_positions=int(won.sum()),
        held=float(kept[won].mean()) if won.any() else 1.0,
        first_player_win=bool(solution.value[0] > 0) and evaluate.wins_first(graph, policy),
    )


def line_text(graph: Graph, line: tuple[int, ...]) -> tuple[str, ...]:
    """The moves of a line from the start, as text; the graph knows them as moves of canonical positions."""
    game, texts = graph.game, []
    state = game.init()
    for move in line:
        action = int(game.canonical_action(state, jnp.int32(graph.action[move])))
        texts.append(game.format_move(state, action))
        state = compiled(game).step(state, jnp.int32(action))
    return tuple(texts)
