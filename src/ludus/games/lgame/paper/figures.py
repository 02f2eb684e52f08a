"""The figures: what is run for each, and what to make of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ludus.games import make_game
from ludus.study.data import Data
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, more_of, share, together, verdict
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study
from ludus.training.recipes import Recipe

PAPER = Recipe.of("paper", "dqn")
FULL = Recipe.of("paper-full", "dqn", head="full", inputs="planes")
EARLY, WHOLE, EVERY = 25_000, 100_000, 1_000  # games: figures 4 to 6, figure 7, and between two points
TRIAL, OTHER_SEEDS = 8_000, 1000  # games of a trial, and the first of its seeds, which no figure shows
SAMPLED = 1000  # games of each opponent in each seat, where the paper sampled

NOTICEABLE = 0.005  # half a percentage point
RANDOM = 0.5  # what a random player wins; a network that has diverged does not do better
RECALLS = (0, 1, 5, 10, 20, 50)
GAMMAS = (0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
#: The paper names no rates, so each optimiser is given three and judged by its best.
NAMED = {"rmsprop": "RMSProp", "adadelta": "ADADELTA"}
RATES = {"nesterov": (0.03, 0.1, 0.3), "rmsprop": (1e-4, 3e-4, 1e-3), "adadelta": (0.3, 1.0, 3.0)}


def scales(length: str, quick: bool, seeds: int | None) -> Scale:
    first = OTHER_SEEDS if length == "trial" else 0
    if quick:
        return Scale(seeds or 2, points=2, every=240, first_seed=first)
    if length == "trial":
        return Scale(seeds or 5, TRIAL // EVERY, EVERY, first)
    return Scale(seeds or 5, (WHOLE if length == "whole" else EARLY) // EVERY, EVERY)


def _rates(data: Data, measure: str = "vs_random") -> dict[str, str]:
    return {runs.label: str(share(runs.end(measure))) for runs in data.curves}


def _gain(data: Data, better: str, worse: str) -> Any:
    return more_of(data.curve(better).mean("vs_random"), data.curve(worse).mean("vs_random"))


def replay_of_games(data: Data) -> Finding:
    """Fig. 4."""
    most = data.curves[-1].label
    gain, beyond = _gain(data, "N = 10", "N = 0"), _gain(data, most, "N = 10")
    values = _rates(data) | {
        "N = 10 over N = 0, mean of the curve": str(gain),
        f"{most} over N = 10, mean of the curve": str(beyond),
    }
    # N = 10 is not the best of few only if more is better by more than anyone would notice.
    no_gain = FAILS if beyond.low > NOTICEABLE else HOLDS if beyond.high < NOTICEABLE else UNDECIDED
    slower = HOLDS if beyond.high < 0 else FAILS if beyond.low > -NOTICEABLE else UNDECIDED
    claims = (
        Claim("recalling games helps up to N = 10", verdict(gain), f"N = 10 over N = 0: {gain}"),
        Claim("more brings no further gain (of half a point)", no_gain, f"{most} over N = 10: {beyond}"),
        Claim("very large N slows learning", slower, f"{most} over N = 10: {beyond}"),
    )
    return Finding(claims, values)


def optimisers(data: Data) -> Finding:
    """Fig. 5: the best of each optimiser's rates."""
    values, claims = _rates(data), []
    best = {
        name: max(
            (runs for runs in data.curves if runs.label.startswith(name)), key=lambda r: np.mean(r.mean("vs_random"))
        ).label
        for name in RATES
    }
    for other in ("rmsprop", "adadelta"):
        gain = _gain(data, best["nesterov"], best[other])
        values[f"{best['nesterov']} over {best[other]}, mean of the curve"] = str(gain)
        found = f"best of three rates each, {best['nesterov']} over {best[other]}: {gain}"
        claims.append(Claim(f"Nesterov SGD with an annealed rate beats {NAMED[other]}", verdict(gain), found))
    return Finding(tuple(claims), values)


def batches(data: Data) -> Finding:
    """Fig. 6."""
    values, claims = _rates(data), []
    for games in ("1 whole game", "10 whole games"):
        gain = _gain(data, games, "32 transitions")
        values[f"{games} over 32 transitions, mean of the curve"] = str(gain)
        claims.append(Claim(f"batches of {games} beat fixed batches of 32 transitions", verdict(gain), str(gain)))
    return Finding(tuple(claims), values)


def rises(data: Data) -> Finding:
    """Fig. 7: the end against the first tenth."""
    runs = data.curve("128 outputs")
    gain = more_of(runs.end("vs_random"), runs.at("vs_random", 0.1))
    values = _rates(data) | {"128 outputs, end over first tenth": str(gain)}
    claim = Claim(
        "the win rate against random rises over 100,000 games", verdict(gain), f"end over first tenth: {gain}"
    )
    return Finding((claim,), values)


def headline(data: Data) -> Finding:
    """98% against random at epsilon 0.01, 95% no-loss against perfect."""
    values, claims = {}, []
    for runs in data.curves:
        against_random, against_perfect = (share(runs.end(m)) for m in ("vs_random", "vs_perfect"))
        values[f"{runs.label}: wins against random"] = str(against_random)
        values[f"{runs.label}: no loss against perfect"] = str(against_perfect)
        for other in ("random", "perfect"):
            if f"{other}_sampled" in runs.measured:
                values[f"{runs.label}: the same against {other}, sampled"] = str(share(runs.end(f"{other}_sampled")))
        random_claim = f"98% wins against random in either seat at epsilon 0.01, {runs.label}"
        perfect_claim = f"95% draws against perfect over 100 turns, {runs.label}"
        claims.append(Claim(random_claim, against_random.reaches(0.98), str(against_random)))
        claims.append(Claim(perfect_claim, against_perfect.reaches(0.95), str(against_perfect)))
    return Finding(tuple(claims), values)


def discounts(data: Data) -> Finding:
    values, verdicts, found = _rates(data), [], []
    for runs in data.curves:
        if runs.label != "gamma = 0.9":
            gain = _gain(data, "gamma = 0.9", runs.label)
            values[f"0.9 over {runs.label.removeprefix('gamma = ')}, mean of the curve"] = str(gain)
            found.append(f"over {runs.label.removeprefix('gamma = ')}: {gain}")
            verdicts.append(verdict(gain))
    one = share(data.curve("gamma = 1").end("vs_random"))
    claims = (
        Claim("0.9 is the best of 0.7 to 1", together(verdicts), "; ".join(found)),
        Claim("values near 1 diverge", FAILS if one.low > RANDOM else UNDECIDED, f"gamma = 1 ends at {one}"),
    )
    return Finding(claims, values)


def rates(data: Data) -> Finding:
    """Ours: which rate the other figures should have, from seeds that they do not show."""
    best = max(data.curves, key=lambda runs: np.mean(runs.mean("vs_random")))
    return Finding((Claim("(ours) the best rate for N = 10", "chosen", best.label),), _rates(data))


def own_turn(data: Data) -> Finding:
    """Ours: what the paper leaves open, whose value is backed up."""
    values = _rates(data) | {f"{name}, no loss": value for name, value in _rates(data, "vs_perfect").items()}
    better = max(np.mean(runs.end("vs_perfect")) for runs in data.curves if runs.panel == "own turn")
    worse = min(np.mean(runs.end("vs_perfect")) for runs in data.curves if runs.panel == "negamax")
    found = f"no loss against perfect: at most {100 * better:.1f}%, and at least {100 * worse:.1f}% with negamax"
    claim = "(ours) backing up the mover's own next position holds fewer draws than negamax"
    return Finding((Claim(claim, HOLDS if better < worse else FAILS, found),), values)


def drawn(
    title: str,
    curves: Sequence[tuple[str, Recipe]],
    judge: Callable[[Data], Finding],
    measure: str = "vs_random",
    **more: Any,
) -> Figure:
    return Figure(title, tuple(Curve("", label, recipe) for label, recipe in curves), judge, (measure,), **more)


HEADS = (("128 outputs", PAPER), ("624 outputs", FULL))

FIGURES: dict[str, Figure] = {
    "headline": drawn("No loss against perfect", HEADS, headline, "vs_perfect", length="whole", same_data="fig7"),
    "fig4": drawn(
        "Games recalled a step",
        [(f"N = {n}", PAPER.with_settings(recall=n)) for n in RECALLS],
        replay_of_games,
        outline=("N = 0", "N = 1", "N = 10", "N = 20"),
    ),
    "fig5": drawn(
        "Optimisers, three rates each",
        [
            (f"{name}, rate {rate:g}", PAPER.with_settings(optimizer=name, learning_rate=rate))
            for name, rates in RATES.items()
            for rate in rates
        ],
        optimisers,
        outline=tuple(f"{name}, rate {rates[1]:g}" for name, rates in RATES.items()),
    ),
    "fig6": drawn(
        "What a step learns from",
        [
            ("10 whole games", PAPER),
            ("1 whole game", PAPER.with_settings(recall=1)),
            ("32 transitions", PAPER.with_settings(batch="transitions")),
        ],
        batches,
    ),
    "fig7": drawn("Win rate against random", HEADS, rises, length="whole"),
    "gamma": drawn(
        "Discount factors",
        [(f"gamma = {g:g}", PAPER.with_settings(gamma=g)) for g in GAMMAS],
        discounts,
        outline=("gamma = 0.7", "gamma = 0.9", "gamma = 1"),
    ),
    "rates": drawn(
        "Learning rates, for N = 10",
        [(f"rate {rate:g}", PAPER.with_settings(learning_rate=rate)) for rate in (0.01, 0.03, 0.1, 0.3)],
        rates,
        length="trial",
    ),
    "own-turn": Figure(
        "Whose value is backed up",
        tuple(
            Curve(panel, f"{panel}, rate {rate:g}", FULL.with_settings(backup=backup, learning_rate=rate))
            for panel, backup in (("negamax", "negamax"), ("own turn", "own-turn"))
            for rate in (0.03, 0.1)
        ),
        own_turn,
        ("vs_random", "vs_perfect"),
        length="trial",
    ),
}


def _measure(game: Any, quick: bool) -> Any:
    from ludus.study.measures import matches

    return matches(game, 0 if quick else SAMPLED)


STUDY = Study(
    paper="lgame",
    title="L-Game",
    game=lambda: make_game("lgame"),
    unit="games",
    figures=FIGURES,
    measure=_measure,
    scales=scales,
    words={
        "vs_random": Axis("wins against random, %", 100, (0, 100)),
        "vs_perfect": Axis("no loss against perfect, %", 100, (0, 100)),
    },
    points_a_call=1,
)
