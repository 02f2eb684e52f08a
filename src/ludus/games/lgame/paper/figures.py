"""Giannakopoulos and Cotronis, "A Deep Q-Learning Agent for the L-Game with Variable Batch Training": every claim."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludus.games import make_game
from ludus.learners import dqn
from ludus.study.grid import SAMPLED, Point, Setting, at_end, over_time, plot, run_settings, write_csv
from ludus.study.statistics import FAILS, difference, estimate, together, verdict

PAPER = dqn.Config()
FULL = replace(PAPER, head="full", inputs="planes")
EARLY, WHOLE = 25_000, 100_000  # games: figures 4 to 6, and figure 7

NOTICEABLE = 0.005  # half a percentage point
RECALLS = (0, 1, 5, 10, 20, 50)
GAMMAS = (0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
#: The paper names no rates, so each optimiser is given three and judged by its best.
RATES = {"nesterov": (0.03, 0.1, 0.3), "rmsprop": (1e-4, 3e-4, 1e-3), "adadelta": (0.3, 1.0, 3.0)}


@dataclass(frozen=True)
class Scale:
    """How much of it: whole, or quickly drawn in outline."""

    seeds: int
    early: int
    whole: int
    every: int
    sampled: int


def scale(quick: bool, seeds: int | None) -> Scale:
    if quick:
        return Scale(seeds or 2, 480, 480, 240, 0)
    return Scale(seeds or 5, EARLY, WHOLE, 1000, SAMPLED)


@dataclass(frozen=True)
class Finding:
    """A claim, what was found, and the verdict."""

    id: str
    claim: str
    verdict: str
    values: dict[str, Any]
    points: tuple[Point, ...]
    title: str
    measure: str = "vs_random"


Log = Callable[[str], None]


def _rates(points: Sequence[Point], labels: Sequence[str], measure: str = "vs_random") -> dict[str, Any]:
    return {label: str(estimate(at_end(points, label, measure))) for label in labels}


def fig4(size: Scale, log: Log) -> Finding:
    """Replay of N games a recall."""
    recalls = RECALLS if size.early == EARLY else (0, 1, 10, 20)
    settings = [Setting(f"N = {n}", replace(PAPER, recall=n)) for n in recalls]
    points = run_settings(make_game("lgame"), settings, size.seeds, size.early, size.every, log, size.sampled)
    gain = difference(over_time(points, "N = 10"), over_time(points, "N = 0"))
    beyond = difference(over_time(points, f"N = {recalls[-1]}"), over_time(points, "N = 10"))
    # The second half fails only if more than ten games are better by more than anyone would notice.
    judged = FAILS if beyond.low > NOTICEABLE else verdict(gain)
    values = _rates(points, [s.label for s in settings]) | {
        "N = 10 over N = 0, mean of the curve": str(gain),
        f"N = {recalls[-1]} over N = 10, mean of the curve": str(beyond),
    }
    claim = "recalling games helps up to N = 10; more brings no further gain"
    return Finding("fig4", claim, judged, values, tuple(points), "Games recalled a step")


def fig5(size: Scale, log: Log) -> Finding:
    """Nesterov SGD with annealed rate against RMSProp and ADADELTA."""
    game, kept, values = make_game("lgame"), [], {}
    for name, rates in RATES.items():
        rates = rates if size.early == EARLY else rates[1:2]
        settings = [
            Setting(f"{name}, rate {rate:g}", replace(PAPER, optimizer=name, learning_rate=rate)) for rate in rates
        ]
        points = run_settings(game, settings, size.seeds, size.early, size.every, log, size.sampled)
        values |= _rates(points, [s.label for s in settings])
        kept += points
    means = {label: estimate(over_time(kept, label)).mean for label in dict.fromkeys(p.label for p in kept)}
    best = {name: max((l for l in means if l.startswith(name)), key=lambda label: means[label]) for name in RATES}
    verdicts = []
    for other in ("rmsprop", "adadelta"):
        gain = difference(over_time(kept, best["nesterov"]), over_time(kept, best[other]))
        values[f"{best['nesterov']} over {best[other]}, mean of the curve"] = str(gain)
        verdicts.append(verdict(gain))
    judged = together(verdicts)
    claim = "Nesterov SGD with an annealed rate beats RMSProp and ADADELTA"
    return Finding("fig5", claim, judged, values, tuple(kept), "Optimisers, three rates each")


def fig6(size: Scale, log: Log) -> Finding:
    """Whole-game batches against fixed batches of 32 transitions."""
    settings = [
        Setting("10 whole games", PAPER),
        Setting("1 whole game", replace(PAPER, recall=1)),
        Setting("32 transitions", replace(PAPER, batch="transitions")),
    ]
    points = run_settings(make_game("lgame"), settings, size.seeds, size.early, size.every, log, size.sampled)
    gain = difference(over_time(points, "1 whole game"), over_time(points, "32 transitions"))
    ten = difference(over_time(points, "10 whole games"), over_time(points, "32 transitions"))
    values = _rates(points, [s.label for s in settings]) | {
        "1 whole game over 32 transitions, mean of the curve": str(gain),
        "10 whole games over 32 transitions, mean of the curve": str(ten),
    }
    claim = "batches of whole games beat fixed batches of 32 transitions"
    return Finding("fig6", claim, verdict(gain), values, tuple(points), "What a step learns from")


def fig7(size: Scale, log: Log) -> Finding:
    """Win rate against random over the whole of training, with both heads."""
    points = _whole(size, log)
    values = _rates(points, ["128 outputs", "624 outputs"])
    first = estimate([p.vs_random for p in points if p.label == "128 outputs" and p.games <= size.whole // 10])
    gain = difference(at_end(points, "128 outputs"), [first.mean] * size.seeds)
    values["128 outputs, end over first tenth"] = str(gain)
    claim = "the win rate against random rises over 100,000 games"
    return Finding("fig7", claim, verdict(gain), values, tuple(points), "Win rate against random")


def headline(size: Scale, log: Log) -> Finding:
    """98% against random at epsilon 0.01, 95% no-loss against perfect."""
    points = _whole(size, log)
    values: dict[str, Any] = {}
    verdicts = {}
    for label in ("128 outputs", "624 outputs"):
        against_random = estimate(at_end(points, label, "vs_random"))
        against_perfect = estimate(at_end(points, label, "vs_perfect"))
        values[f"{label}: wins against random"] = str(against_random)
        values[f"{label}: wins against random, sampled"] = str(estimate(at_end(points, label, "random_sampled")))
        values[f"{label}: no loss against perfect"] = str(against_perfect)
        values[f"{label}: no loss against perfect, sampled"] = str(estimate(at_end(points, label, "perfect_sampled")))
        verdicts[label] = together([against_random.reaches(0.98), against_perfect.reaches(0.95)])
        values[f"{label}: verdict"] = verdicts[label]
    claim = "98% wins against random in either seat at epsilon 0.01, and 95% draws against perfect over 100 turns"
    return Finding(
        "headline", claim, verdicts["128 outputs"], values, tuple(points), "No loss against perfect", "vs_perfect"
    )


def _whole(size: Scale, log: Log) -> list[Point]:
    """The runs that figure 7 and the headline share."""
    settings = [Setting("128 outputs", PAPER), Setting("624 outputs", FULL)]
    return run_settings(make_game("lgame"), settings, size.seeds, size.whole, size.every, log, size.sampled)


def gamma(size: Scale, log: Log) -> Finding:
    """The discount factor."""
    values_tried = GAMMAS if size.early == EARLY else (0.7, 0.9, 1.0)
    settings = [Setting(f"gamma = {g:g}", replace(PAPER, gamma=g)) for g in values_tried]
    points = run_settings(make_game("lgame"), settings, size.seeds, size.early, size.every, log, size.sampled)
    values = _rates(points, [s.label for s in settings])
    verdicts = []
    for other in (s.label for s in settings if s.label != "gamma = 0.9"):
        gain = difference(over_time(points, "gamma = 0.9"), over_time(points, other))
        values[f"0.9 over {other.removeprefix('gamma = ')}, mean of the curve"] = str(gain)
        verdicts.append(verdict(gain))
    judged = together(verdicts)
    claim = "0.9 is the best of 0.7 to 1"
    return Finding("gamma", claim, judged, values, tuple(points), "Discount factors")


FIGURES = {"headline": headline, "fig4": fig4, "fig5": fig5, "fig6": fig6, "fig7": fig7, "gamma": gamma}


def reproduce(figure: str, quick: bool, seeds: int | None, out: Path, log: Log) -> dict[str, Any]:
    """One figure: its CSV, its picture and its verdict."""
    found = FIGURES[figure](scale(quick, seeds), log)
    out.mkdir(parents=True, exist_ok=True)
    table, picture = out / f"{found.id}.csv", out / f"{found.id}.svg"
    write_csv(found.points, table)
    label = "wins against random, %" if found.measure == "vs_random" else "no loss against perfect, %"
    plot(found.points, picture, f"L-Game, {found.id}: {found.title}", found.measure, label)
    return {
        "id": found.id,
        "claim": found.claim,
        "verdict": found.verdict,
        "values": found.values,
        "csv": str(table),
        "svg": str(picture),
    }
