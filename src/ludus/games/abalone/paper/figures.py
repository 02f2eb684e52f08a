"""What is run for each figure; `verdicts` and `standings` judge it."""

from __future__ import annotations

import functools
from typing import Any

from ludus.games import make_game
from ludus.games.abalone.paper import standings, verdicts
from ludus.games.abalone.paper.settings import (
    ALPHAS,
    FALLING,
    FEW_UNITS,
    FIRST,
    HIDDEN,
    KAPPAS,
    LAMBDA,
    LAMBDAS,
    LEARNED,
    LONG,
    MANY_UNITS,
    MIXED,
    NETS,
    ONE,
    OPPONENTS,
    READINGS,
    SCALED_ALPHA,
    TRAILS,
    TWICE,
    td,
)
from ludus.games.abalone.paper.standings import DEPTHS, OTHERS, REFERENCES, VERSIONS, named, net
from ludus.learners.recipe import Recipe
from ludus.study.study import Axis, Curve, Figure, Play, Scale, Study, lazily

EVERY = 250  # games between two points
SCALES = {
    "start": Scale(10, 1, EVERY),
    "short": Scale(10, 2, EVERY),  # figures that are ours
    "fresh": Scale(10, 2, 300, first_seed=100),  # what other seeds had suggested
    "": Scale(10, LEARNED // EVERY, EVERY),
    "twice": Scale(10, TWICE // LEARNED, LEARNED),
    "long": Scale(10, LONG // LEARNED, LEARNED),
}
#: Games a seed: 20 between networks, and few against players that think long.
GAMES, SEARCHED = 20, 2
QUICK_GAMES, QUICK_DEPTHS, QUICK_OTHERS = 2, (1,), ("alphabeta:1",)
MEASURES = ("on", "minimax_ahead", "minimax")
MARBLES = ("on", "on_won", "on_lost")

figure = functools.partial(Figure.of, measures=MEASURES)


def _play(name: str, **given: Any) -> Play:
    """A function of `matches`, which needs JAX, with these arguments."""
    return functools.partial(lazily(f"ludus.games.abalone.paper.matches:{name}"), **given)


# --- arms ---------------------------------------------------------------------------------------------------------


def first_random(version: str, reading: str, **settings: Any) -> Recipe:
    """The regime of the paper's version 1.1: the random player first, then itself."""
    return td(version, reading, **FIRST | settings)


def risky(kappa: float, reading: str, **settings: Any) -> Recipe:
    """The regime of the paper's version 1.2: itself from the start, with epsilon falling."""
    return td("1.2", reading, kappa=kappa, **FALLING | settings)


def agents(reading: str) -> dict[str, Curve]:
    """The three versions, each as it is at the end of its section of the paper, but 1.2 with the kappa that learns; as
    in the paper 1.0 learns for longer.
    """
    old = first_random("1.0", reading, games=TWICE)
    return {
        "1.0": Curve("", named("1.0", reading), old, length="twice"),
        "1.1": Curve("", named("1.1", reading), first_random("1.1", reading)),
        "1.2": Curve("", named("1.2", reading), risky(0.0, reading)),
    }


# --- figures of the paper -----------------------------------------------------------------------------------------


def branching() -> Figure:
    """Table 1, of which Abalone's row can be measured."""
    curves = [
        Curve("", "random play", td("1.1", alpha=0.0, epsilon=1.0, final_epsilon=1.0), length="start"),
        *(Curve("", f"1.2, {reading}", risky(0.0, reading), length="short") for reading in READINGS),
    ]
    return figure("Legal moves in a position", curves, verdicts.about_eighty, measures=("moves", "plies"))


def hidden_units() -> Figure:
    """Fig. 4, whose range of hidden units is lost."""
    curves = [
        Curve("", f"{units} hidden units", risky(0.0, ONE, hidden=units), length="short")
        for units in (FEW_UNITS, HIDDEN, MANY_UNITS)
    ]
    return figure("Hidden units", curves, verdicts.more_units, outline=(f"{HIDDEN} hidden units",))


def traces() -> Figure:
    """Fig. 6."""
    curves = [("", f"lambda {value:g}", first_random("1.1", TRAILS, trace=value)) for value in LAMBDAS]
    return figure("Traces", curves, verdicts.longer_traces)


def nets() -> Figure:
    """Fig. 7: one run, stopped after so many games. A network that learns no more needs no more games."""
    curves = [
        Curve("", net(games), first_random("1.1", TRAILS, trace=LAMBDA, games=games), length=_long_enough(games))
        for games in NETS
    ]
    return figure(
        "Networks along one run",
        curves,
        standings.later_nets,
        outline=tuple(map(net, REFERENCES)),
        play=_play("nets_meet", games=GAMES),
        play_quick=_play("nets_meet", games=QUICK_GAMES),
    )


def _long_enough(games: int) -> str:
    """The shortest length with so many games."""
    return next(name for name, scale in SCALES.items() if scale.points * scale.every >= games)


def opponents() -> Figure:
    """Fig. 8."""
    curves = [("", how, td("1.1", opponent=opponent)) for opponent, how in OPPONENTS.items()]
    curves.append(("", "random first, then itself", first_random("1.1", TRAILS)))
    return figure("Whom it learns against", curves, verdicts.competent_play)


def features_and_board() -> Figure:
    """Section 5: version 1.1 against version 1.0, which learns for longer."""
    curves = [agents(reading)[version] for reading in READINGS for version in VERSIONS[:2]]
    pairs = [(named("1.1", reading), named("1.0", reading)) for reading in READINGS]
    return figure(
        "Version 1.1 against 1.0",
        curves,
        standings.features_beat_the_board,
        play=_play("meet", pairs=pairs, games=GAMES),
        play_quick=_play("meet", pairs=pairs, games=QUICK_GAMES),
    )


def random_opponent() -> Figure:
    """Fig. 9, with version 1.1 beside it."""
    curves = []
    for reading in READINGS:
        curves.append((reading, "1.2, kappa -1", td("1.2", reading, kappa=-1.0, opponent="random")))
        curves.append((reading, "1.1", first_random("1.1", reading)))
    return figure("Version 1.2 against a random player", curves, verdicts.fewer_games, measures=MARBLES)


def exploration() -> Figure:
    """Fig. 10, with few random moves from the start beside it."""
    curves = []
    for reading in READINGS:
        curves.append((reading, f"epsilon from {FALLING['epsilon']:g}", risky(-1.0, reading)))
        curves.append((reading, "epsilon 0.01", td("1.2", reading, kappa=-1.0)))
    return figure("Self-play from the start", curves, verdicts.self_play, measures=MARBLES)


def risks() -> Figure:
    """Fig. 11: kappa with the formula's sign, and with the sign in a sentence of the text."""
    curves = []
    for reading in READINGS:
        curves += [(reading, f"kappa {value:g}", risky(value, reading)) for value in KAPPAS]
        curves.append((reading, verdicts.THE_TEXT, risky(-1.0, reading, risk="text")))
    return figure("Sensitivity to risk", curves, verdicts.risk_seeking, measures=MARBLES)


def long_run() -> Figure:
    """Section 6.3: 10,000 games with kappa = -1."""
    recipe = risky(-1.0, TRAILS, games=LONG)
    return figure("Kappa -1 for longer", [Curve("", "kappa -1", recipe, length="long")], verdicts.keeps_its_level)


def newer_features() -> Figure:
    """Sections 5 and 6.3: version 1.2 over 1.1, in the same regime; and what kappa does to 1.1."""
    curves = []
    for reading in READINGS:
        curves.append((reading, "1.1", first_random("1.1", reading)))
        curves.append((reading, "1.2", first_random("1.2", reading)))
        curves.append((reading, "1.1, kappa -1", first_random("1.1", reading, kappa=-1.0)))
    return figure("Version 1.2 over 1.1", curves, verdicts.more_features, measures=MARBLES)


# --- figures that are ours ----------------------------------------------------------------------------------------


def steps() -> Figure:
    """One alpha for all: what the others would do."""
    arms = {
        "1.1, two trails": first_random("1.1", TRAILS),
        "1.2, one view": risky(0.0, ONE),
        "1.2, one view, kappa -1": risky(-1.0, ONE),
    }
    curves = [
        Curve(panel, f"alpha {alpha:g}", recipe.with_settings(alpha=alpha), length="short")
        for panel, recipe in arms.items()
        for alpha in ALPHAS
    ]
    return figure("One step for all", curves, verdicts.one_step, outline=("alpha 0.03", "alpha 0.1"))


def readings() -> Figure:
    """Views and repetition, each with each."""
    curves = [Curve("", reading, risky(0.0, reading), length="short") for reading in (*READINGS, *MIXED)]
    return figure(
        "Whose value, and when games end", curves, verdicts.one_view, measures=MARBLES, outline=tuple(READINGS)
    )


def counted_rewards() -> Figure:
    """Moves rated by R + J, the target of equation 4, and not by J alone: self-play from the start, 600 games."""
    given = {"reward_counts": True}
    curves = []
    for reading in READINGS:
        curves += [(reading, f"1.2, kappa {value:g}", risky(value, reading, **given)) for value in KAPPAS]
    curves.append((ONE, "1.1, kappa 0", td("1.1", ONE, **FALLING | given)))
    return figure("Moves rated by reward and value", curves, verdicts.rewards_decide, measures=MARBLES, length="fresh")


def outputs() -> Figure:
    """A network whose output reaches all returns."""
    curves = []
    for value in (0.0, -1.0):
        for how, more in (("sigmoid", {}), ("scaled", {"output": "scaled", "alpha": SCALED_ALPHA})):
            curves.append(Curve(f"kappa {value:g}", how, risky(value, ONE, **more), length="short"))
    return figure(
        "Values from 0 to 1, or as far as returns go",
        curves,
        verdicts.scaled_is_stronger,
        measures=("on", "level", "spread"),
        outline=("sigmoid",),
    )


def searched() -> Figure:
    """Table 2."""
    found = [agents(reading)["1.1"] for reading in READINGS]
    return figure(
        "Against a search",
        found,
        standings.few_marbles_lost,
        measures=MARBLES,
        play=_play("meet_searches", depths=DEPTHS, games=SEARCHED),
        play_quick=_play("meet_searches", depths=QUICK_DEPTHS, games=SEARCHED),
    )


def ladder() -> Figure:
    """Tables 3 and 4, against the players that we have."""
    return figure(
        "A ladder",
        agents(ONE).values(),
        standings.versions_in_order,
        measures=MARBLES,
        play=_play("all_meet", others=OTHERS, games=SEARCHED),
        play_quick=_play("all_meet", others=QUICK_OTHERS, games=SEARCHED),
    )


FIGURES = {
    "rates": steps,
    "readings": readings,
    "rewards": counted_rewards,
    "table1": branching,
    "fig4": hidden_units,
    "fig6": traces,
    "fig7": nets,
    "fig8": opponents,
    "v10v11": features_and_board,
    "v11v12": newer_features,
    "fig9": random_opponent,
    "fig10": exploration,
    "fig11": risks,
    "long": long_run,
    "outputs": outputs,
    "table2": searched,
    "tables34": ladder,
}


STUDY = Study(
    paper="abalone",
    title="Abalone",
    game=lambda: make_game("abalone"),
    unit="games",
    figures_with=lambda choices: {name: make() for name, make in FIGURES.items()},
    measure=lazily("ludus.games.abalone.paper.measures:against"),
    scales=SCALES,
    outline=Scale(2, 2, 5),
    words={
        "on": Axis("score against minimax, played on, more marbles win, %", 100, (0, 100)),
        "on_won": Axis("marbles won against minimax", bounds=(0, 6)),
        "on_lost": Axis("marbles lost against minimax", bounds=(0, 6)),
        "minimax_ahead": Axis("the same, ended by repetition, %", 100, (0, 100)),
        "minimax": Axis("the same, a repetition is a tie, %", 100, (0, 100)),
        "moves": Axis("legal moves in a position"),
        "plies": Axis("plies of a game", bounds=(0, 200)),
        "level": Axis("mean of J"),
        "spread": Axis("deviation of J, before its sigmoid"),
    },
    points_a_call=1,
    checkpoints=True,
)
