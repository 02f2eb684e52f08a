"""The Hex study (SARSA, Q-learning, GTD2, TDC, Greedy GQ, actor-critic and batches on a 3 x 3 board): every figure from
5 to 20 and Table I. Beside the paper's measure, the values, stands the truth: how many won positions are kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus.games.hex.paper import verdicts
from ludus.games.hex.paper.grid import Curve, Result, compile_side_by_side, run_curves
from ludus.games.hex.paper.report import write_csv, write_plot
from ludus.games.hex.paper.table import OBJECTIVES, SEASONS, batch_learner
from ludus.games.hex.paper.verdicts import Judge, approaches
from ludus.learners import online

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1)
RATIOS = (0.01, 0.1, 1.0, 10.0, 100.0)
EPSILONS = (0.0001, 0.01, 0.1, 0.5, 0.99)
TRACES = (0.0, 0.01, 0.1, 0.5, 1.0)
RATES = (0.001, 0.01, 0.1, 1.0, 10.0)  # of an actor, and of RMSProp
ACTOR_TRACES = (0.0, 0.1, 0.5, 1.0)

NAMES = {
    "sarsa": "SARSA",
    "q": "Q-learning",
    "gtd2": "GTD2",
    "tdc": "TDC",
    "greedy-gq": "Greedy GQ",
    "tdc-natural": "TDC, natural gradient",
}
#: The paper gives no best settings; ours have the highest value at the end of figs. 5 to 8, 11 and 12, except for the
#: natural gradient: with steps of 0.1 its values are all 1, and all alike.
BEST: dict[str, dict[str, float]] = {
    "sarsa": {"alpha": 0.1},
    "q": {"alpha": 0.1},
    "gtd2": {"alpha": 0.1, "ratio": 0.1},
    "tdc": {"alpha": 0.1, "ratio": 0.01},
    "greedy-gq": {"alpha": 0.1, "ratio": 0.01},
    "tdc-natural": {"alpha": 0.01, "ratio": 0.01},
}
BEST_ACTOR = {"actor_rate": 1.0}
CRITICS = (("tdc", "plain"), ("tdc", "natural"), ("gtd2", "plain"), ("greedy-gq", "plain"), ("q", "plain"))


@dataclass(frozen=True)
class Scale:
    """How much of it: whole, or quickly drawn in outline."""

    seeds: int
    points: int
    every: int  # moves between two points
    quick: bool = False

    def runs(self, seasons: int) -> int:
        """The seeds of a curve; in outline, seasons share them."""
        return self.seeds if self.quick else seasons * self.seeds


def scale(quick: bool, seeds: int | None) -> Scale:
    return Scale(seeds or 2, 4, 150, quick) if quick else Scale(seeds or 10, 20, 250)


@dataclass(frozen=True)
class Figure:
    """What to run, and what to make of the results (one for each curve, in order)."""

    title: str
    curves: tuple[Curve, ...]
    judge: Judge
    seasons: int = 1  # runs are wanted from so many times the seeds


def value_learner(algorithm: Any, **settings: Any) -> online.Config:
    """A learner of the paper's at its best, but for what is given."""
    return online.Config(algorithm=algorithm, **{"backup": "paper", **BEST[algorithm], **settings})


def actor_critic(critic: str, **settings: Any) -> online.Config:
    return value_learner(critic, **{"actor": "plain", **BEST_ACTOR, **settings})


def _grid(algorithm: str) -> Figure:
    """Figs. 5, 6, 7 and 11: steps and ratios of the two time scales."""
    name = NAMES[algorithm]
    curves = [
        Curve(f"beta/alpha {r:g}", f"alpha {a:g}", value_learner(algorithm, alpha=a, ratio=r))
        for r in RATIOS
        for a in ALPHAS
    ]
    judge = approaches(f"the values learned by {name} approach 1 for some alpha and beta/alpha", all_as=name)
    return Figure(f"{name}: steps and time scales", tuple(curves), judge)


def _swept(title: str, what: str, algorithms: Sequence[str], option: str, values: Sequence[float]) -> Figure:
    """Figs. 8, 9 and 10: one option of several algorithms."""
    curves = [
        Curve(NAMES[n], f"{what} {value:g}", value_learner(n, **{option: value}))
        for n in algorithms
        for value in values
    ]
    names = ", ".join(NAMES[n] for n in algorithms)
    return Figure(title, tuple(curves), approaches(f"the values learned by {names} approach 1 for some {what}"))


def _actors(title: str, what: str, option: str, values: Sequence[float]) -> Figure:
    """Figs. 12 and 13: one option of the actor, with each critic."""
    curves = [
        Curve(
            NAMES[critic] + (", natural actor" if actor == "natural" else ""),
            f"{what} {value:g}",
            actor_critic(critic, actor=actor, **{option: value}),
        )
        for critic, actor in CRITICS
        for value in values
    ]
    claim = f"the values learned beside an actor approach 1 for some {what} of the actor, with each critic"
    return Figure(title, tuple(curves), approaches(claim))


def _pretraining() -> Figure:
    """Fig. 14: with and without pre-training on the scores of H-search."""
    configs = {NAMES[n]: value_learner(n) for n in ("tdc", "gtd2", "greedy-gq", "q", "sarsa")}
    configs["TDC, natural actor"] = actor_critic("tdc", actor="natural")
    curves = [
        Curve(name, "pre-trained" if taught else "self-play only", config, taught)
        for name, config in configs.items()
        for taught in (True, False)
    ]
    return Figure("Pre-training on H-search", tuple(curves), verdicts.no_visible_difference)


def _batches(target: str, name: str) -> Figure:
    """Figs. 15 and 16: rates of RMSProp."""
    curves = [
        Curve(network.upper(), f"rate {r:g}", batch_learner(network=network, target=target, learning_rate=r))
        for network in ("cnn", "rnn")
        for r in RATES
    ]
    claim = f"batch training towards {name} targets brings the values near 1 for some rate, with CNN and RNN"
    return Figure(f"Batch training, {name} targets", tuple(curves), approaches(claim))


def _backups() -> Figure:
    """Not in the paper: what its backup, which adds v' where it should be negated, costs in strength."""
    curves = [
        Curve(panel, name, value_learner(n, backup=backup))
        for panel, backup in (("added, as in the paper", "paper"), ("negated", "negamax"))
        for n, name in NAMES.items()
    ]
    return Figure("The paper's backup, and negamax", tuple(curves), verdicts.negated_is_stronger)


AGENTS = tuple(Curve(name[:3], name, config) for name, config in OBJECTIVES.items())

FIGURES: dict[str, Figure] = {
    "fig5": _grid("gtd2"),
    "fig6": _grid("tdc"),
    "fig7": _grid("greedy-gq"),
    "fig8": _swept("SARSA and Q-learning: steps", "alpha", ("sarsa", "q"), "alpha", ALPHAS),
    "fig9": _swept("Random moves", "epsilon", ("greedy-gq", "tdc", "gtd2", "q", "sarsa"), "epsilon", EPSILONS),
    "fig10": _swept("Eligibility traces", "lambda", ("greedy-gq", "tdc", "gtd2", "sarsa"), "trace", TRACES),
    "fig11": _grid("tdc-natural"),
    "fig12": _actors("Actor-critic: the actor's rate", "rate", "actor_rate", RATES),
    "fig13": _actors("Actor-critic: the actor's traces", "lambda", "actor_trace", ACTOR_TRACES),
    "fig14": _pretraining(),
    "fig15": _batches("q", "Q-learning"),
    "fig16": _batches("sarsa", "SARSA"),
    "fig17": Figure("Two objectives: values", AGENTS, verdicts.faster_objective),
    "fig18": Figure("Two objectives: errors", AGENTS, verdicts.smaller_error),
    "fig19": Figure("Projection error", AGENTS[1::2], verdicts.smaller_projection),
    "fig20": Figure(
        "Six algorithms",
        tuple(Curve("at their best", name, value_learner(n)) for n, name in NAMES.items()),
        verdicts.faster_algorithms,
    ),
    "backups": _backups(),
    "table1": Figure("Table I", AGENTS, verdicts.order_of_agents, seasons=SEASONS),
}


def _what(curve: Curve) -> Any:
    return curve.config, curve.pretrained


_DONE: dict[Any, Result] = {}  # by what was run, from how many seeds, and how long


def _missing(figures: Sequence[str], size: Scale, done: Container[Any]) -> dict[int, list[Curve]]:
    """What these figures still have to run, by the number of seeds."""
    wanted: dict[int, dict[Any, Curve]] = {}
    for figure in map(FIGURES.__getitem__, figures):
        seeds = size.runs(figure.seasons)
        for curve in figure.curves:
            if (_what(curve), seeds, size) not in done:
                wanted.setdefault(seeds, {})[_what(curve)] = curve
    return {seeds: list(curves.values()) for seeds, curves in wanted.items()}


def run(figures: Sequence[str], size: Scale) -> None:
    """The runs of these figures in one compiled call; what was run before is not run again."""
    for seeds, curves in _missing(figures, size, _DONE).items():
        for result in run_curves(curves, seeds, size.points, size.every):
            _DONE[_what(result.curve), seeds, size] = result


def prepare(figures: Sequence[str], quick: bool, seeds: int | None, log: Callable[[str], None]) -> None:
    """Several figures: in outline their runs are one call; whole, their programs are compiled side by side."""
    size = scale(quick, seeds)
    if len(figures) == 1:
        return
    if quick:
        log(f"training all runs of {len(figures)} figures at once ...")
        return run(figures, size)
    log(f"compiling the programs of {len(figures)} figures ...")
    planned, done = [], set(_DONE)
    for figure in figures:  # as they will be run, each without what the ones before it have run
        for many, curves in _missing([figure], size, done).items():
            planned.append((curves, many))
            done |= {(_what(curve), many, size) for curve in curves}
    compile_side_by_side(planned, size.points, size.every)


def reproduce(figure: str, quick: bool, seeds: int | None, out: Path, log: Callable[[str], None]) -> dict[str, Any]:
    """One figure: its CSV, its picture and its verdict."""
    size, plan, begin = scale(quick, seeds), FIGURES[figure], time.perf_counter()
    many = size.runs(plan.seasons)
    log(f"{figure}: {len(plan.curves)} curves, {many} seeds, {size.points * size.every:,} moves a run ...")
    run([figure], size)
    results = [_DONE[_what(curve), many, size]._replace(curve=curve) for curve in plan.curves]
    found = plan.judge(results)
    out.mkdir(parents=True, exist_ok=True)
    table, picture = out / f"{figure}.csv", out / f"{figure}.svg"
    write_csv(results, table)
    write_plot(results, picture, f"Hex, {figure}: {plan.title}", found.measures)
    log(f"{figure}: {found.verdict}, {time.perf_counter() - begin:.0f} s")
    return {
        "id": figure,
        "claim": found.claim,
        "verdict": found.verdict,
        "values": found.values,
        "csv": str(table),
        "svg": str(picture),
    }
