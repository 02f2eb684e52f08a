"""The truth of a game with a whole graph: every position solved, every policy graded without sampling."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from ludus.core.callbacks import Watch, nobody
from ludus.core.game import Game, compiled
from ludus.play.player import Player
from ludus.play.selfplay import Policy
from ludus.truth import evaluate
from ludus.truth.answers import Count, MoveValue, Values
from ludus.truth.graph import Graph, graph_policy
from ludus.truth.protocol import EPSILON, Effort, Grade, Refutation
from ludus.truth.solve import SolvedGraph, solve

PLACES = ("first", "second")


@dataclass(frozen=True)
class GraphTruth:
    """The truth of a game that is `small`, from its solved graph."""

    game: Game
    solvers: tuple[str, ...] = ("perfect", "perfect:hardest")
    grades: tuple[Effort, ...] = (Effort.QUICK, Effort.WHOLE)

    def solve(self, state: Any, limit: float = float("inf"), watch: Watch = nobody) -> Values:
        return answer(solve(self.game), state)

    def count(self) -> Count:
        return count_all(solve(self.game))

    def policy(self, hardest: bool = False) -> Policy:
        solution = solve(self.game)
        return graph_policy(solution.graph, solution.hardest if hardest else solution.holding)

    def grade(
        self, agent: Player, effort: Effort = Effort.WHOLE, epsilon: float = EPSILON, watch: Watch = nobody
    ) -> ExactGrade:
        solution = solve(self.game)
        policy = agent.probabilities(solution.graph)
        return grade_policy(solution, policy, epsilon, matches=effort is not Effort.QUICK)


def answer(solution: SolvedGraph, state: Any) -> Values:
    """The answer for one position of a solved game."""
    graph, game = solution.graph, solution.graph.game
    number = graph.number(state)
    moves = []
    for edge in range(graph.first[number], graph.first[number + 1]):
        action = int(game.canonical_action(state, jnp.int32(graph.action[edge])))
        plies = int(solution.plies[graph.child[edge]])
        value = int(solution.move_value[edge])
        moves.append(MoveValue(game.format_move(state, action), value, None if plies < 0 else plies + 1))
    # Fast wins first, and the losses that take longest.
    moves.sort(key=lambda move: (-(move.value or 0), (move.plies or 0) * (1 if move.value == 1 else -1)))
    plies = int(solution.plies[number])
    return Values(game, state, int(solution.value[number]), moves, None if plies < 0 else plies)


def count_all(solution: SolvedGraph) -> Count:
    """Every position of a solved game, counted by value."""
    graph, value = solution.graph, solution.value
    lost, counts = np.unique(solution.plies[value < 0], return_counts=True)
    return Count(
        game=graph.game,
        positions=graph.num_positions,
        win=int((value > 0).sum()),
        loss=int((value < 0).sum()),
        draw=int((value == 0).sum()),
        terminal=int(graph.over.sum()),
        max_moves=int(np.diff(graph.first).max()),
        mean_moves=float(np.diff(graph.first).mean()),
        loss_plies=dict(zip(lost.tolist(), counts.tolist(), strict=True)),
    )


@dataclass(frozen=True)
class ExactGrade(Grade):
    """The exact grade of a policy. A position is held if the policy keeps its value there."""

    positions: int  # with a move
    held: int
    unbeatable: bool  # never beaten from the start, in either seat
    held_start: bool  # from the start it always gets the result of perfect play, in both seats
    lost_seat: int | None  # the seat that loses from the start under perfect play: losing there is no fault
    beaten_by: tuple[str, ...]  # the shortest line that beats it, if possible in a seat that need not lose
    beaten_in_seat: int | None
    vs_random: tuple[evaluate.Chances, evaluate.Chances] | None  # as first and second player
    vs_perfect: tuple[evaluate.Chances, evaluate.Chances] | None
    epsilon: float
    won_positions: int  # positions that the mover can win
    won_held: float  # the share of these that is held
    first_player_win: bool  # whether it wins from the start, moving first, against every defence

    @property
    def perfect(self) -> bool:
        return self.held == self.positions

    def refutation(self) -> Refutation:
        return Refutation(self.unbeatable, self.beaten_by, self.beaten_in_seat, self.lost_seat)

    def summary(self) -> str:
        unbeaten = "unbeatable" if self.unbeatable else f"unbeatable as {PLACES[1 - (self.lost_seat or 0)]} player"
        words = "perfect" if self.perfect else unbeaten if self.held_start else "beatable"
        return f"holds {100 * self.held / self.positions:.1f}% of {self.positions:,} positions, {words}"

    def to_json(self) -> dict[str, Any]:
        """With win rates against random (at epsilon random moves), and no-loss rates against perfect."""
        report: dict[str, Any] = {
            "value_preserving": self.held,
            "positions": self.positions,
            "perfect": self.perfect,
            "unbeatable": self.unbeatable,
            "held_start": self.held_start,
            "won_positions": self.won_positions,
            "held": self.won_held,
            "first_player_win": self.first_player_win,
        }
        if self.vs_random and self.vs_perfect:
            report["vs_random"] = dict(zip(PLACES, (c.win for c in self.vs_random), strict=True))
            report["vs_perfect"] = dict(zip(PLACES, (c.no_loss for c in self.vs_perfect), strict=True))
            report["epsilon"] = {"vs_random": self.epsilon, "vs_perfect": 0.0}
        if not self.unbeatable:
            report["beaten_by"] = list(self.beaten_by)
            report["beaten_in_seat"] = self.beaten_in_seat
        return report

    def lines(self) -> list[str]:
        share = 100 * self.held / self.positions
        lines = [f"holds the value in {self.held:,} of {self.positions:,} positions ({share:.2f}%)"]
        if self.won_positions:
            lines.append(f"holds the win in {100 * self.won_held:.2f}% of {self.won_positions:,} won positions")
        if self.vs_random and self.vs_perfect:
            first, second = self.vs_random
            lines.append(
                f"wins {100 * first.win:.3f}% first and {100 * second.win:.3f}% second against random "
                f"(moving at random {100 * self.epsilon:g}% of the time)"
            )
            first, second = (100 * chances.no_loss for chances in self.vs_perfect)
            lines.append(f"does not lose {first:.2f}% first and {second:.2f}% second against perfect")
        if self.first_player_win:
            lines.append("moving first, it wins against every defence: all were followed")
        if self.unbeatable:
            lines.append("proved unbeatable: no line of play from the start beats it, in either seat")
        elif self.beaten_in_seat is not None and self.beaten_in_seat != self.lost_seat:
            lines.append(f"beaten as {PLACES[self.beaten_in_seat]} player by: {' '.join(self.beaten_by)}")
        if self.lost_seat is not None and not self.unbeatable:
            loser, winner = PLACES[self.lost_seat], PLACES[1 - self.lost_seat]
            lines.append(f"as {loser} player it is beaten, as anyone is: the {winner} player wins")
        return lines


def grade_policy(
    solution: SolvedGraph, policy: Float[np.ndarray, "E"], epsilon: float = EPSILON, matches: bool = True
) -> ExactGrade:
    """Grade a policy; without `matches` only the positions it holds and the proof, which is quick."""
    graph, start = solution.graph, int(solution.value[0])
    cap, played = graph.game.max_plies, []
    pool = ThreadPoolExecutor(2)  # sparse matrix products, which release the GIL
    if matches:
        others = (evaluate.uniform(graph), epsilon), (graph.among(solution.holding), 0.0)
        played = [pool.submit(evaluate.chances, graph, policy, other, cap, chance) for other, chance in others]
    pool.shutdown(wait=False)
    lost_seat = None if start == 0 else 1 if start > 0 else 0
    owed = tuple(seat for seat in (0, 1) if seat != lost_seat)  # the seats that perfect play does not lose
    proof = evaluate.prove(graph, policy, owed)
    wins = lost_seat is not None and proof.unbeatable and evaluate.wins_from_start(graph, policy, 1 - lost_seat)
    held_start = proof.unbeatable and (lost_seat is None or wins)
    if proof.unbeatable and lost_seat is not None:
        proof = evaluate.prove(graph, policy, (lost_seat,))
    held = evaluate.held(solution, policy)
    won = (solution.value > 0) & ~graph.over
    against_random, against_perfect = (match.result() for match in played) if matches else (None, None)
    return ExactGrade(
        positions=int((~graph.over).sum()),
        held=int(held.sum()),
        unbeatable=proof.unbeatable,
        held_start=held_start,
        lost_seat=lost_seat,
        beaten_by=line_text(graph, proof.line),
        beaten_in_seat=proof.seat,
        vs_random=against_random,
        vs_perfect=against_perfect,
        epsilon=epsilon,
        won_positions=int(won.sum()),
        won_held=float(held[won].mean()) if won.any() else 1.0,
        first_player_win=start > 0 and wins,
    )


def line_text(graph: Graph, line: tuple[int, ...]) -> tuple[str, ...]:
    """The moves of a line from the start, in notation; the graph has them as moves of canonical positions."""
    game, texts = graph.game, []
    state = game.init()
    for move in line:
        action = int(game.canonical_action(state, jnp.int32(graph.action[move])))
        texts.append(game.format_move(state, action))
        state = compiled(game).step(state, jnp.int32(action))
    return tuple(texts)
