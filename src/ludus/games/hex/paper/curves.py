"""What each figure of the Hex study runs: its curves, with the settings of each."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace

from ludus.games.hex.paper import objectives, verdicts
from ludus.games.hex.paper import settings as tried
from ludus.games.hex.paper.settings import (
    ADVANTAGES,
    BACKUPS,
    CRITICS,
    HELD,
    NAMES,
    PAPERS_PROJECTION_RATE,
    PRETRAINED,
    PROJECTION,
    RATE,
    VALUE,
    VARIANTS,
    actor_arm,
    added,
    agent_name,
    batch,
    batch_arm,
    critic_name,
    online,
    recurrent_arm,
    settings,
    with_actor,
)
from ludus.games.hex.paper.taught import pretraining_shows
from ludus.games.hex.paper.verdicts import CHOSEN, approaches
from ludus.learners.recipe import Recipe
from ludus.study.study import Choices, Curve, Figure

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
        return added(network, objective=objective, target=target, learning_rate=RATE, **second)

    def own_objective(self, network: str, objective: str, target: str) -> Recipe:
        """Both rates as chosen for this arm by value, under the paper's backup."""
        arm = batch_arm(network, objective, target, "added")
        if network == "rnn":
            arm = recurrent_arm(objective, target)
        return added(network, objective=objective, target=target, **settings(self.choices, arm, VALUE))

    def negated_objective(self, network: str, objective: str, target: str) -> Recipe:
        """Both rates as chosen for this arm by positions held, under negamax, where the RNN lives anyway."""
        chosen = settings(self.choices, batch_arm(network, objective, target, "negated"), HELD)
        return batch("negated", network=network, objective=objective, target=target, **chosen)

    def grid(self, algorithm: str) -> Figure:
        """Figs. 5, 6, 7 and 11: step sizes, ratios of the two time scales; and the choice from a wider grid."""
        name = NAMES[algorithm]
        curves = [
            Curve(f"beta/alpha {r:g}", f"alpha {a:g}", online(algorithm, "added", alpha=a, ratio=r))
            for r in tried.RATIOS
            for a in tried.ALPHAS
        ]
        curves.append(Curve(CHOSEN, name, self.best(algorithm)))
        claim = "the values approach 1 for some alpha and beta/alpha"
        return figure(f"{name}: steps and time scales", curves, approaches(claim, chosen=True))

    def swept(self, title: str, what: str, algorithms: Sequence[str], option: str, values: Sequence[float]) -> Figure:
        """Figs. 9 and 10: one option of several algorithms."""
        curves = [
            Curve(NAMES[n], f"{what} {value:g}", self.best(n).with_settings(**{option: value}))
            for n in algorithms
            for value in values
        ]
        return figure(title, curves, approaches(f"the values approach 1 for some {what}"))

    def steps(self) -> Figure:
        """Fig. 8."""
        curves = [
            Curve(NAMES[n], f"alpha {a:g}", online(n, "added", alpha=a)) for n in ("sarsa", "q") for a in tried.ALPHAS
        ]
        curves += [Curve(CHOSEN, NAMES[n], self.best(n)) for n in ("sarsa", "q")]
        claim = "the values approach 1 for some alpha"
        return figure("SARSA and Q-learning: steps", curves, approaches(claim, chosen=True))

    def actors(self, title: str, what: str, option: str, values: Sequence[float]) -> Figure:
        """Figs. 12 and 13: one option of the actor, with each critic."""
        curves = [
            Curve(critic_name(*pair), f"{what} {value:g}", self.actor(*pair).with_settings(**{option: value}))
            for pair in CRITICS
            for value in values
        ]
        claim = f"the values learned beside an actor approach 1 for some {what} of the actor"
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
        """Fig. 14: with and without pre-training on the scores of H-search, each with the steps that suit it."""
        alone = {NAMES[n]: self.best(n) for n in ("tdc", "gtd2", "greedy-gq", "q", "sarsa")}
        taught = {
            name: recipe.with_settings(**settings(self.choices, f"{name}, {PRETRAINED}", VALUE))
            for name, recipe in alone.items()
        }
        natural = critic_name("tdc", "natural")
        alone[natural] = self.actor("tdc", "natural")
        chosen = settings(self.choices, f"{natural}, {PRETRAINED}", VALUE)
        actor = {"actor": "natural", "advantage": "error"}
        taught[natural] = taught[NAMES["tdc"]].with_settings(**actor, **chosen)
        curves = [
            Curve(name, setup or "self-play only", recipe, setup)
            for name in alone
            for setup, recipe in ((PRETRAINED, taught[name]), ("", alone[name]))
        ]
        measures = ("value", "held")
        return figure("Pre-training on H-search", curves, pretraining_shows, measures=measures, length="more")

    def batches(self, target: str) -> Figure:
        """Figs. 15 and 16: rates of RMSProp. The RNN also with the usual first weights, with which it does not live."""
        panels = {
            "CNN": added("cnn", target=target),
            "RNN": added("rnn", target=target),
            "RNN, usual first weights": batch("added", network="rnn", target=target),
        }
        curves = [
            Curve(panel, f"rate {r:g}", recipe.with_settings(learning_rate=r))
            for panel, recipe in panels.items()
            for r in tried.RATES
        ]
        name = NAMES[target]
        claim = f"batch training towards {name} targets brings the values near 1 for some rate"
        return figure(f"Batch training, {name} targets", curves, approaches(claim))

    def agents(self, negated: bool = False) -> tuple[Curve, ...]:
        """The paper's four: the mean squared error with Q-learning, the projected Bellman error with SARSA. `negated`:
        the same with negamax, each with its own rates.
        """
        recipe = self.negated_objective if negated else self.objective
        return tuple(
            Curve(network.upper(), agent_name(network, objective), recipe(network, objective, target))
            for network in ("cnn", "rnn")
            for objective, target in (("mse", "q"), ("pbe", "sarsa"))
        )

    def with_the_papers_rate(self) -> tuple[Curve, ...]:
        """The four, and the two with a projection also at the paper's rate of it."""
        cnn, rnn = self.agents()[:2], self.agents()[2:]
        curves = [
            (*pair, replace(pair[1], label=pair[1].label + objectives.RATES[1], recipe=faster))
            for pair in (cnn, rnn)
            for faster in [pair[1].recipe.with_settings(projection_rate=PAPERS_PROJECTION_RATE)]
        ]
        return tuple(itertools.chain(*curves))

    def two_by_two(self) -> Figure:
        """Not in the paper: every objective with every target, each arm with its own rates."""
        curves = [
            Curve(
                network.upper(),
                f"{objective.upper()}, {NAMES[target]} targets",
                self.own_objective(network, objective, target),
            )
            for network in ("cnn", "rnn")
            for objective, target in itertools.product(("mse", "pbe"), ("q", "sarsa"))
        ]
        return figure("Objective and target apart", curves, objectives.objective_or_target)

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
