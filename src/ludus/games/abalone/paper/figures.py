"""The figures: what is run for each. What to make of it is in `verdicts`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
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
from ludus.learners.recipes import Recipe
from ludus.study.data import Data
from ludus.study.study import Axis, Choices, Curve, Figure, Finding, Play, Scale, Study

OTHER_SEEDS = 1000  # the first of the trial's
EVERY, SHORT = 300, 1_200  # games between two points, and of the figure that is ours
FIRST = 500  # games of networks that learned no more
TRIAL, TRIAL_EVERY = 750, 250
#: Games a seed: 500 in all with ten seeds, as the paper has it, and few against players that think long.
GAMES, SEARCHED = 50, 2
QUICK_GAMES, QUICK_DEPTHS, QUICK_OTHERS = 2, (1,), ("alphabeta:1",)


def scales(length: str, quick: bool, seeds: int | None) -> Scale:
    if quick:
        return Scale(seeds or 2, points=2, every=5)
    if length == "trial":
        return Scale(seeds or 3, TRIAL // TRIAL_EVERY, TRIAL_EVERY, first_seed=OTHER_SEEDS)
    if length == "long":
        return Scale(seeds or 10, points=10, every=LONG // 10)
    if length == "first":
        return Scale(seeds or 10, points=5, every=FIRST // 5)
    games = {"": LEARNED, "short": SHORT, "half": LEARNED // 2}[length]
    return Scale(seeds or 10, games // EVERY, EVERY)


def _long_enough(games: int) -> str:
    """The shortest length in which so many games are learned from."""
    return "first" if games <= FIRST else "half" if games <= LEARNED // 2 else ""


def drawn(
    title: str,
    curves: Iterable[tuple[str, str, Recipe]],
    judge: Callable[[Data], Finding],
    measures: tuple[str, ...] = ("minimax_ahead", "minimax"),
    **more: Any,
) -> Figure:
    return Figure(title, tuple(Curve(*curve) for curve in curves), judge, measures, **more)


class Figures:
    """The figures with these steps."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def at(self, name: str, **changed: Any) -> Recipe:
        """An arm with the step that was chosen for it."""
        return chosen(self.choices, name).with_settings(**changed)

    def traces(self) -> Figure:
        """Fig. 6."""
        curves = [("", f"lambda {value:g}", self.at(lambda_arm(value))) for value in LAMBDAS]
        return drawn("Traces", curves, verdicts.longer_traces)

    def nets(self) -> Figure:
        """Fig. 7: one run, stopped after so many games. What has learned all it will is not played on with for long."""
        curves = [
            Curve("", net(games), self.at(lambda_arm(LAMBDA), games=games), length=_long_enough(games))
            for games in NETS
        ]
        return Figure(
            "Networks along one run",
            tuple(curves),
            standings.later_nets,
            ("minimax_ahead", "minimax"),
            outline=tuple(map(net, REFERENCES)),
            play=_nets_meet(GAMES),
            play_quick=_nets_meet(QUICK_GAMES),
        )

    def opponents(self) -> Figure:
        """Fig. 8."""
        curves = [("", how, self.at(f"1.1, {how}")) for how in OPPONENTS.values()]
        curves.append(("", "random first, then itself", self.at(lambda_arm(LAMBDA))))
        return drawn("Whom it learns against", curves, verdicts.competent_play)

    def agents(self) -> dict[str, Curve]:
        """The three versions, each as its paper's section ends with it; 1.0 has a length of its own."""
        arms = dict(zip(VERSIONS, ("1.0", lambda_arm(LAMBDA), kappa_arm(-1.0)), strict=True))
        return {
            version: Curve("", version, self.at(name), length="long" if version == VERSIONS[0] else "")
            for version, name in arms.items()
        }

    def versions(self) -> Figure:
        """Section 5: version 1.1 against version 1.0."""
        curves = [self.agents()[version] for version in VERSIONS[:2]]
        return Figure(
            "Version 1.1 against 1.0",
            tuple(curves),
            standings.features_beat_the_board,
            ("minimax_ahead", "minimax"),
            play=_versions_meet(GAMES),
            play_quick=_versions_meet(QUICK_GAMES),
        )

    def random_opponent(self) -> Figure:
        """Fig. 9, with version 1.1 beside it."""
        curves = [("", "1.2", self.at("1.2, against random")), ("", "1.1", self.at(lambda_arm(LAMBDA)))]
        return drawn("Version 1.2 against a random player", curves, verdicts.fewer_games, ("won", "lost"))

    def exploration(self) -> Figure:
        """Fig. 10, and beside it few random moves from the start."""
        curves = [
            ("", f"epsilon from {FALLING['epsilon']:g}", self.at(kappa_arm(-1.0))),
            ("", "epsilon 0.01", self.at("1.2, few random moves")),
        ]
        return drawn("Self-play from the start", curves, verdicts.self_play, ("won", "lost", "minimax_ahead"))

    def risks(self) -> Figure:
        """Fig. 11, by the formula; and with the sign that a sentence of the text has."""
        curves = [(FORMULA, f"kappa {value:g}", self.at(kappa_arm(value))) for value in KAPPAS]
        curves += [(THE_TEXT, f"kappa {value:g}", self.at(kappa_arm(value, TEXT))) for value in KAPPAS[:2]]
        return drawn("Sensitivity to risk", curves, verdicts.risk_seeking, ("minimax_ahead", "won", "lost"))

    def outputs(self) -> Figure:
        """Not in the paper: a network that can say what returns there are."""
        curves = []
        for panel, arm, before in (
            ("1.1", lambda_arm(LAMBDA), ""),
            *(("1.2", kappa_arm(value), f"kappa {value:g}, ") for value in (-1.0, 0.0)),
        ):
            curves += [(panel, f"{before}{how}", self.at(arm + more)) for how, more in OUTPUTS.items()]
        return drawn(
            "Values from 0 to 1, or as far as returns go",
            curves,
            verdicts.scaled_is_stronger,
            ("minimax_ahead", "level", "spread"),
            length="short",
            outline=tuple(OUTPUTS),  # of 1.1 alone: each version is two programs
        )

    def searched(self) -> Figure:
        """Table 2."""
        return Figure(
            "Against a search",
            tuple(self.agents()[version] for version in VERSIONS[1:]),
            standings.few_marbles_lost,
            ("minimax_ahead", "won", "lost"),
            play=_searchers_meet(DEPTHS, SEARCHED),
            play_quick=_searchers_meet(QUICK_DEPTHS, SEARCHED),
        )

    def ladder(self) -> Figure:
        """Tables 3 and 4, against whom there is."""
        return Figure(
            "A ladder",
            tuple(self.agents().values()),
            standings.versions_in_order,
            ("minimax_ahead", "won", "lost"),
            play=_ladder(OTHERS, SEARCHED),
            play_quick=_ladder(QUICK_OTHERS, SEARCHED),
        )


def figures(choices: Choices) -> dict[str, Figure]:
    make = Figures(choices)
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


# --- games between agents -----------------------------------------------------------------------------------------


def _nets_meet(games: int) -> Play:
    """Every network against the three of reference."""

    def play(agents: Any) -> Any:
        from ludus.games.abalone.paper.matches import meet

        names = [name for name, _, _ in agents]
        references = [net(number) for number in REFERENCES]
        return meet(agents, [(a, b) for a, b in itertools.product(names, references) if a != b], games)

    return play


def _versions_meet(games: int) -> Play:
    def play(agents: Any) -> Any:
        from ludus.games.abalone.paper.matches import meet

        return meet(agents, [(VERSIONS[1], VERSIONS[0])], games)

    return play


def _searchers_meet(depths: tuple[int, ...], games: int) -> Play:
    def play(agents: Any) -> Any:
        from ludus.games.abalone.paper.matches import meet

        return meet(agents, [(name, f"alphabeta:{depth}") for depth in depths for name, _, _ in agents], games)

    return play


def _ladder(others: tuple[str, ...], games: int) -> Play:
    """Everyone against everyone: networks seed by seed, and the others as many games in all."""

    def play(agents: Any) -> Any:
        from ludus.games.abalone.paper.matches import AgentNetworks, between, meet

        names = [name for name, _, _ in agents]
        pairs = [*itertools.combinations(names, 2), *itertools.product(names, others)]
        return [*meet(agents, pairs, games), *between(others, games * AgentNetworks(agents).seeds)]

    return play


# --- the study ----------------------------------------------------------------------------------------------------


def _measure(game: Any, quick: bool) -> Any:
    from ludus.games.abalone.paper.measures import against

    return against(game, quick)


def study(choices: Choices) -> Study:
    return Study(
        paper="abalone",
        title="Abalone",
        game=lambda: make_game("abalone"),
        unit="games",
        figures=figures(choices),
        measure=_measure,
        scales=scales,
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
        settled=lambda found: study({**shipped(), **found}),
    )


STUDY = study(shipped())
