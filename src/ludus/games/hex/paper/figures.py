"""The figures of the Hex study: the curves of each, and its judge."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any

from ludus.games import make_game
from ludus.games.hex.paper import settings as tried
from ludus.games.hex.paper import verdicts
from ludus.games.hex.paper.settings import (
    ADVANTAGES,
    BACKUPS,
    CRITICS,
    HELD,
    NAMES,
    PROJECTION,
    RATE,
    VALUE,
    VARIANTS,
    actor_arm,
    agent_name,
    batch,
    batch_arm,
    critic_name,
    online,
    settings,
    with_actor,
)
from ludus.games.hex.paper.verdicts import CHOSEN, SEASONS, approaches
from ludus.learners.recipe import Recipe
from ludus.study.study import Axis, Choices, Curve, Figure, Scale, Study, lazily

#: Table I needs seeds for all its seasons, and players that can play.
SCALES = {
    "": Scale(10, 10, 500),
    "seasons": Scale(10, 8, 5_000, sets=SEASONS),
    "trial": Scale(3, 5, 1000, first_seed=1000),
}
PRETRAINED = "pre-trained"
TOURNAMENTS = "ludus.games.hex.paper.tournaments:tournaments"
#: Where the collapse of GTD2 was first seen.
QUOTED = {"alpha": 0.1, "ratio": 0.1}


figure = functools.partial(Figure.of, measures=("gap", "held"))


class HexFigures:
    """Makes the figures with these settings."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def best(self, algorithm: str, backup: str = "added", by: str = VALUE) -> Recipe:
        """An algorithm with its chosen settings."""
        return online(algorithm, backup, **settings(self.choices, f"{NAMES[algorithm]}, {backup}", by))

    def actor(self, critic: str, actor: str, backup: str = "added", advantage: str = "error") -> Recipe:
        """A critic and an actor with their chosen settings."""
        chosen = settings(
            self.choices, actor_arm(critic, actor, backup, advantage), VALUE if backup == "added" else HELD
        )
        return with_actor(self.choices, critic, actor, backup, advantage).with_settings(**chosen)

    def objective(self, network: str, objective: str, target: str) -> Recipe:
        """The paper's learning rate; for the projection, the rate with the lowest error."""
        second = {}
        if objective == "pbe":
            second = settings(self.choices, agent_name(network, "pbe", target), PROJECTION)
        given = {"network": network, "objective": objective, "target": target, "learning_rate": RATE}
        return batch("added", **given, **second)

    def own_objective(self, network: str, objective: str, target: str, backup: str, by: str) -> Recipe:
        """Both rates as chosen for this arm."""
        chosen = settings(self.choices, batch_arm(network, objective, target, backup), by)
        return batch(backup, network=network, objective=objective, target=target, **chosen)

    def grid(self, algorithm: str) -> Figure:
        """Figs. 5, 6, 7 and 11: step sizes, ratios of the two time scales; and the choice from a wider grid."""
        name = NAMES[algorithm]
        curves = [
            Curve(f"beta/alpha {r:g}", f"alpha {a:g}", online(algorithm, "added", alpha=a, ratio=r))
            for r in tried.RATIOS
            for a in tried.ALPHAS
        ]
        curves.append(Curve(CHOSEN, name, self.best(algorithm)))
        claim = f"the values learned by {name} approach 1 for some alpha and beta/alpha"
        return figure(f"{name}: steps and time scales", curves, approaches(claim, chosen=True))

    def swept(self, title: str, what: str, algorithms: Sequence[str], option: str, values: Sequence[float]) -> Figure:
        """Figs. 9 and 10: one option of several algorithms."""
        curves = [
            Curve(NAMES[n], f"{what} {value:g}", self.best(n).with_settings(**{option: value}))
            for n in algorithms
            for value in values
        ]
        names = ", ".join(NAMES[n] for n in algorithms)
        return figure(title, curves, approaches(f"the values learned by {names} approach 1 for some {what}"))

    def steps(self) -> Figure:
        """Fig. 8."""
        curves = [
            Curve(NAMES[n], f"alpha {a:g}", online(n, "added", alpha=a)) for n in ("sarsa", "q") for a in tried.ALPHAS
        ]
        curves += [Curve(CHOSEN, NAMES[n], self.best(n)) for n in ("sarsa", "q")]
        claim = "the values learned by SARSA and by Q-learning approach 1 for some alpha"
        return figure("SARSA and Q-learning: steps", curves, approaches(claim, chosen=True))

    def actors(self, title: str, what: str, option: str, values: Sequence[float]) -> Figure:
        """Figs. 12 and 13: one option of the actor, with each critic."""
        curves = [
            Curve(critic_name(*pair), f"{what} {value:g}", self.actor(*pair).with_settings(**{option: value}))
            for pair in CRITICS
            for value in values
        ]
        claim = f"the values learned beside an actor approach 1 for some {what} of the actor, with each critic"
        return figure(title, curves, approaches(claim))

    def advantages(self) -> Figure:
        """Not in the paper: the two advantages of an actor."""
        curves = [
            Curve(f"{actor} actor", how, self.actor("tdc", actor, "negated", advantage))
            for actor in ("plain", "natural")
            for advantage, how in ADVANTAGES.items()
        ]
        curves.append(Curve("no actor", "TDC", self.best("tdc", "negated", HELD)))
        return figure(
            "What an actor learns from", curves, verdicts.policy_is_the_better_baseline, measures=("value", "held")
        )

    def pretraining(self) -> Figure:
        """Fig. 14: with and without pre-training on the scores of H-search."""
        recipes = {NAMES[n]: self.best(n) for n in ("tdc", "gtd2", "greedy-gq", "q", "sarsa")}
        recipes["TDC, natural actor"] = self.actor("tdc", "natural")
        curves = [
            Curve(name, setup or "self-play only", recipe, setup)
            for name, recipe in recipes.items()
            for setup in (PRETRAINED, "")
        ]
        return figure("Pre-training on H-search", curves, verdicts.no_visible_difference, measures=("value", "held"))

    def batches(self, target: str) -> Figure:
        """Figs. 15 and 16: rates of RMSProp."""
        curves = [
            Curve(network.upper(), f"rate {r:g}", batch("added", network=network, target=target, learning_rate=r))
            for network in ("cnn", "rnn")
            for r in tried.RATES
        ]
        name = NAMES[target]
        claim = f"batch training towards {name} targets brings the values near 1 for some rate, with CNN and RNN"
        return figure(f"Batch training, {name} targets", curves, approaches(claim))

    def agents(self, negated: bool = False) -> tuple[Curve, ...]:
        """The paper's four: the mean squared error with Q-learning, the projected Bellman error with SARSA. `negated`:
        the same with negamax, each with its own rates.
        """

        def recipe(network: str, objective: str, target: str) -> Recipe:
            if negated:
                return self.own_objective(network, objective, target, "negated", HELD)
            return self.objective(network, objective, target)

        return tuple(
            Curve(network.upper(), agent_name(network, objective), recipe(network, objective, target))
            for network in ("cnn", "rnn")
            for objective, target in (("mse", "q"), ("pbe", "sarsa"))
        )

    def two_by_two(self) -> Figure:
        """Not in the paper: every objective with every target, each arm with its own rates."""
        curves = [
            Curve(
                network.upper(),
                f"{objective.upper()}, {NAMES[target]} targets",
                self.own_objective(network, objective, target, "added", VALUE),
            )
            for network in ("cnn", "rnn")
            for objective, target in itertools.product(("mse", "pbe"), ("q", "sarsa"))
        ]
        return figure("Objective and target apart", curves, verdicts.objective_or_target)

    def six(self) -> Figure:
        """Fig. 20."""
        curves = [
            Curve(f"settings chosen by {by}", name, self.best(n, by=by))
            for by in (VALUE, HELD)
            for n, name in NAMES.items()
        ]
        return figure("Six algorithms", curves, verdicts.faster_algorithms)

    def backups(self) -> Figure:
        """Not in the paper: the strength lost by its backup, which adds v' instead of negating it."""
        curves = [Curve(panel, name, self.best(n, panel, HELD)) for panel in BACKUPS for n, name in NAMES.items()]
        return figure(
            "The paper's backup, and negamax", curves, verdicts.negated_is_stronger, measures=("value", "held")
        )

    def second_order(self) -> Figure:
        """Not in the paper: GTD2 with h, without h, and bounded; at one common setting, and each at its own."""
        curves = []
        for backup in BACKUPS:
            own = {name: settings(self.choices, f"{name}, {backup}", HELD) for name in VARIANTS}
            for name, changed in VARIANTS.items():
                given = changed | ({"bound": own[name]["bound"]} if "bound" in own[name] else {})
                curves.append(Curve(f"{backup}, alpha 0.1, ratio 0.1", name, online("gtd2", backup, **given, **QUOTED)))
            curves += [
                Curve(f"{backup}, own settings", name, online("gtd2", backup, **(changed | own[name])))
                for name, changed in VARIANTS.items()
            ]
        measures = ("value", "held", "spread", "size")
        return figure("GTD2's second-order term", curves, verdicts.second_order_collapses, measures=measures)


def figures(choices: Choices) -> dict[str, Figure]:
    make = HexFigures(choices)
    agents, errors = make.agents(), ("loss", "held")
    seasons = {"length": "seasons", "measures": ("value", "held")}
    five, four = ("greedy-gq", "tdc", "gtd2", "q", "sarsa"), ("greedy-gq", "tdc", "gtd2", "sarsa")
    return {
        "settings": tried.values_trial(),
        "actor-settings": tried.actors_trial(choices),
        "objective-settings": tried.objectives_trial(),
        "projection-rate": tried.projection_trial(),
        "fig5": make.grid("gtd2"),
        "fig6": make.grid("tdc"),
        "fig7": make.grid("greedy-gq"),
        "fig8": make.steps(),
        "fig9": make.swept("Random moves", "epsilon", five, "epsilon", tried.EPSILONS),
        "fig10": make.swept("Eligibility traces", "lambda", four, "trace", tried.TRACES),
        "fig11": make.grid("tdc-natural"),
        "fig12": make.actors("Actor-critic: the actor's rate", "rate", "actor_rate", tried.RATES),
        "fig13": make.actors("Actor-critic: the actor's traces", "lambda", "actor_trace", tried.ACTOR_TRACES),
        "fig14": make.pretraining(),
        "fig15": make.batches("q"),
        "fig16": make.batches("sarsa"),
        "fig17": figure("Two objectives: values", agents, verdicts.faster_objective),
        "fig18": figure("Two objectives: errors", agents, verdicts.smaller_error, measures=errors, same_data="fig17"),
        "fig19": figure(
            "Projection error", agents[1::2], verdicts.smaller_projection, measures=("projection", "projection_live")
        ),
        "fig20": make.six(),
        "backups": make.backups(),
        "second-order": make.second_order(),
        "advantages": make.advantages(),
        "objectives": make.two_by_two(),
        "table1": figure("Table I", agents, verdicts.order_of_agents, play=lazily(TOURNAMENTS), **seasons),
        "table1-negated": figure(
            "Table I, negated, from every first move",
            make.agents(negated=True),
            verdicts.order_of_negated,
            play=functools.partial(lazily(TOURNAMENTS), openings=range(9)),  # every first move
            **seasons,
        ),
    }


def _measure(game: Any, quick: bool) -> Any:
    return lazily("ludus.study.measures:won_held")(game)


STUDY = Study(
    paper="hex",
    title="Hex",
    game=lambda: make_game("hex", size=3),
    unit="moves",
    figures_with=figures,
    choices=tried.shipped(),
    measure=_measure,
    scales=SCALES,
    outline=Scale(2, 2, 300),
    words={
        "value": Axis("value of the moves made", bounds=(-1, 1)),
        "gap": Axis("1 - value of the moves made", of="value", log_below=1),
        "held": Axis("won positions held, %", 100, (0, 100), references=((55.0, "random player"),)),
        "loss": Axis("training error"),
        "projection": Axis("projection error"),
        "projection_live": Axis("units of the projection that live, %", 100, (0, 100)),
        "spread": Axis("deviation of the values"),
        "size": Axis("mean size of the values", bounds=(0, 1)),
    },
    setups={PRETRAINED: lazily("ludus.games.hex.paper.pretraining:pretrained")},
)
