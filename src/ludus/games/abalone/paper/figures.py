"""What is run for each figure; `verdicts` and `standings` judge it."""

from __future__ import annotations

import functools
from typing import Any

from ludus.games import make_game
from ludus.games.abalone.paper import standings, verdicts
from ludus.games.abalone.paper.settings import (
    FALLING,
    KAPPAS,
    LAMBDA,
    LAMBDAS,
    LEARNED,
    LONG,
    NETS,
    OPPONENTS,
    OUTPUTS,
    TEXT,
    chosen,
    kappa_arm,
    lambda_arm,
    rates_trial,
    shipped,
)
from ludus.games.abalone.paper.standings import DEPTHS, OTHERS, REFERENCES, VERSIONS, net
from ludus.games.abalone.paper.verdicts import FORMULA, THE_TEXT
from ludus.learners.recipe import Recipe
from ludus.study.study import Axis, Choices, Curve, Figure, Play, Scale, Study, lazily

EVERY = 300  # games between two points
FIRST = 500  # games of the networks that learn least
SCALES = {
    "": Scale(10, LEARNED // EVERY, EVERY),
    "half": Scale(10, LEARNED // 2 // EVERY, EVERY),
    "first": Scale(10, 5, FIRST // 5),
    "short": Scale(10, 4, EVERY),  # the figure that is ours
    "long": Scale(10, 10, LONG // 10),
    "trial": Scale(3, 3, 250, first_seed=1000),
}
#: Games a seed: the paper's 500 with ten seeds, and few against players that think long.
GAMES, SEARCHED = 50, 2
QUICK_GAMES, QUICK_DEPTHS, QUICK_OTHERS = 2, (1,), ("alphabeta:1",)
MEASURES = ("minimax_ahead", "minimax")


def _long_enough(games: int) -> str:
    """The shortest length with so many games."""
    return "first" if games <= FIRST else "half" if games <= LEARNED // 2 else ""


figure = functools.partial(Figure.of, measures=MEASURES)


def _play(name: str, **given: Any) -> Play:
    """A function of `matches`, which needs JAX, with these arguments."""
    return functools.partial(lazily(f"ludus.games.abalone.paper.matches:{name}"), **given)


class AbaloneFigures:
    """The figures, with these steps."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def at(self, name: str, **changed: Any) -> Recipe:
        """An arm with the step that was chosen for it."""
        return chosen(self.choices, name).with_settings(**changed)

    def traces(self) -> Figure:
        """Fig. 6."""
        curves = [("", f"lambda {value:g}", self.at(lambda_arm(value))) for value in LAMBDAS]
        return figure("Traces", curves, verdicts.longer_traces)

    def nets(self) -> Figure:
        """Fig. 7: one run, stopped after so many games. A network that learns no more needs no more games."""
        curves = [
            Curve("", net(games), self.at(lambda_arm(LAMBDA), games=games), length=_long_enough(games))
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

    def opponents(self) -> Figure:
        """Fig. 8."""
        curves = [("", how, self.at(f"1.1, {how}")) for how in OPPONENTS.values()]
        curves.append(("", "random first, then itself", self.at(lambda_arm(LAMBDA))))
        return figure("Whom it learns against", curves, verdicts.competent_play)

    def agents(self) -> dict[str, Curve]:
        """The three versions, each as it is at the end of its section of the paper; 1.0 learns for longer."""
        arms = dict(zip(VERSIONS, ("1.0", lambda_arm(LAMBDA), kappa_arm(-1.0)), strict=True))
        return {
            version: Curve("", version, self.at(name), length="long" if version == VERSIONS[0] else "")
            for version, name in arms.items()
        }

    def versions(self) -> Figure:
        """Section 5: version 1.1 against version 1.0."""
        curves = [self.agents()[version] for version in VERSIONS[:2]]
        pairs = [(VERSIONS[1], VERSIONS[0])]
        return figure(
            "Version 1.1 against 1.0",
            curves,
            standings.features_beat_the_board,
            play=_play("meet", pairs=pairs, games=GAMES),
            play_quick=_play("meet", pairs=pairs, games=QUICK_GAMES),
        )

    def random_opponent(self) -> Figure:
        """Fig. 9, with version 1.1 beside it."""
        curves = [("", "1.2", self.at("1.2, against random")), ("", "1.1", self.at(lambda_arm(LAMBDA)))]
        return figure("Version 1.2 against a random player", curves, verdicts.fewer_games, measures=("won", "lost"))

    def exploration(self) -> Figure:
        """Fig. 10, with few random moves from the start beside it."""
        curves = [
            ("", f"epsilon from {FALLING['epsilon']:g}", self.at(kappa_arm(-1.0))),
            ("", "epsilon 0.01", self.at("1.2, few random moves")),
        ]
        return figure("Self-play from the start", curves, verdicts.self_play, measures=("won", "lost", "minimax_ahead"))

    def risks(self) -> Figure:
        """Fig. 11: kappa with the formula's sign, and with the sign in a sentence of the text."""
        curves = [(FORMULA, f"kappa {value:g}", self.at(kappa_arm(value))) for value in KAPPAS]
        curves += [(THE_TEXT, f"kappa {value:g}", self.at(kappa_arm(value, TEXT))) for value in KAPPAS[:2]]
        return figure("Sensitivity to risk", curves, verdicts.risk_seeking, measures=("minimax_ahead", "won", "lost"))

    def outputs(self) -> Figure:
        """Not in the paper: a network whose output reaches all returns."""
        curves = []
        for panel, arm, before in (
            ("1.1", lambda_arm(LAMBDA), ""),
            *(("1.2", kappa_arm(value), f"kappa {value:g}, ") for value in (-1.0, 0.0)),
        ):
            curves += [(panel, f"{before}{how}", self.at(arm + more)) for how, more in OUTPUTS.items()]
        return figure(
            "Values from 0 to 1, or as far as returns go",
            curves,
            verdicts.scaled_is_stronger,
            measures=("minimax_ahead", "level", "spread"),
            length="short",
            outline=tuple(OUTPUTS),  # version 1.1 alone: each version is two programs
        )

    def searched(self) -> Figure:
        """Table 2."""
        return figure(
            "Against a search",
            [self.agents()[version] for version in VERSIONS[1:]],
            standings.few_marbles_lost,
            measures=("minimax_ahead", "won", "lost"),
            play=_play("meet_searches", depths=DEPTHS, games=SEARCHED),
            play_quick=_play("meet_searches", depths=QUICK_DEPTHS, games=SEARCHED),
        )

    def ladder(self) -> Figure:
        """Tables 3 and 4, against the players that we have."""
        return figure(
            "A ladder",
            self.agents().values(),
            standings.versions_in_order,
            measures=("minimax_ahead", "won", "lost"),
            play=_play("all_meet", others=OTHERS, games=SEARCHED),
            play_quick=_play("all_meet", others=QUICK_OTHERS, games=SEARCHED),
        )


def figures(choices: Choices) -> dict[str, Figure]:
    make = AbaloneFigures(choices)
    return {
        "rates": rates_trial(),
        "fig6": make.traces(),
        "fig7": make.nets(),
        "fig8": make.opponents(),
        "v10v11": make.versions(),
        "fig9": make.random_opponent(),
        "fig10": make.exploration(),
        "fig11": make.risks(),
        "outputs": make.outputs(),
        "table2": make.searched(),
        "tables34": make.ladder(),
    }


STUDY = Study(
    paper="abalone",
    title="Abalone",
    game=lambda: make_game("abalone"),
    unit="games",
    figures_with=figures,
    choices=shipped(),
    measure=lazily("ludus.games.abalone.paper.measures:against"),
    scales=SCALES,
    outline=Scale(2, 2, 5),
    words={
        "minimax_ahead": Axis("score against minimax, more marbles win, %", 100, (0, 100)),
        "minimax": Axis("score against minimax, a repetition is a tie, %", 100, (0, 100)),
        "won": Axis("marbles won against minimax", bounds=(0, 6)),
        "lost": Axis("marbles lost against minimax", bounds=(0, 6)),
        "level": Axis("mean of J"),
        "spread": Axis("deviation of J, before its sigmoid"),
    },
    points_a_call=1,
    checkpoints=True,
)
