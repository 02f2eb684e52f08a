"""The settings of every learner in the study: the paper's grids, and our own, from which trials choose.

The paper does not say which settings are best. Every arm of a comparison has its own, chosen on seeds that no other
figure uses, by two criteria: the paper's measure, the value of the moves made, where a collapsed network counts as 0;
and the truth, the won positions held.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludus.games.hex.paper.verdicts import highest_alive, highest_calm, highest_steady
from ludus.learners.recipe import Recipe
from ludus.study.study import Choices, Curve, Figure
from ludus.study.trials import Arm, arm_key, highest, lowest_curve, read_choices, trial

# The paper's.
ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1)
RATIOS = (0.01, 0.1, 1.0, 10.0, 100.0)
EPSILONS = (0.0001, 0.01, 0.1, 0.5, 0.99)
TRACES = (0.0, 0.01, 0.1, 0.5, 1.0)
RATES = (0.001, 0.01, 0.1, 1.0, 10.0)  # of an actor, and of RMSProp
ACTOR_TRACES = (0.0, 0.1, 0.5, 1.0)
RATE = 0.001  # of RMSProp, for figs. 17 to 19 and Table I

PAPERS_PROJECTION_RATE = 0.1  # of the PBE's second network

# Ours, to choose from.
WIDE_ALPHAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
WIDE_RATIOS = (0.001, 0.01, 0.1, 1.0, 10.0)
BOUNDS = (4.0, 6.0, 9.0)  # of the weights' norm, which is about 5.7 at first
TAUGHT_ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # as many as an untaught network's, and lower
ACTOR_RATES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0)
NATURAL_RATES = (0.003, 0.03, 0.3, 1.0)
BATCH_RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
FIRST_WEIGHTS = (
    8.0  # of the RNN's matrices, times the usual: with the usual it ends up saying the same of every position
)
PROJECTION_RATES = (0.001, 0.003, 0.01, 0.03, 0.1)

NAMES = {
    "sarsa": "SARSA",
    "q": "Q-learning",
    "gtd2": "GTD2",
    "tdc": "TDC",
    "greedy-gq": "Greedy GQ",
    "tdc-natural": "TDC, natural gradient",
}
BACKUPS = {"added": "paper", "negated": "negamax"}  # what happens to the next value
#: GTD2 as Maei defines it, which needs a bound that the paper does not mention; without its second-order term; bounded.
VARIANTS: dict[str, dict[str, Any]] = {
    "GTD2": {},
    "GTD2 without h": {"second_order": False},
    "GTD2 bounded": {},
}
CRITICS = (("tdc", "plain"), ("tdc", "natural"), ("gtd2", "plain"), ("greedy-gq", "plain"), ("q", "plain"))
ADVANTAGES = {"error": "against the move's value", "policy": "against the policy's"}

PRETRAINED = "pre-trained"  # of an arm's name, and of the study's setup
VALUE, HELD, PROJECTION = "value", "positions held", "projection error"
BY_BOTH = {VALUE: highest_alive, HELD: highest("held")}
ACTORS_BY_BOTH = {VALUE: highest_calm("value"), HELD: highest_calm("held")}

SHIPPED = Path(__file__).with_name("settings.json")


def shipped() -> Choices:
    """The choices of the committed trials."""
    return read_choices(SHIPPED)


def online(algorithm: str, backup: str, **settings: Any) -> Recipe:
    return Recipe.of(algorithm, "online", **{"algorithm": algorithm, "backup": BACKUPS[backup], **settings})


def batch(backup: str, **settings: Any) -> Recipe:
    return Recipe.of("batch", "batch", **{"backup": BACKUPS[backup], **settings})


def added(network: str, **settings: Any) -> Recipe:
    """A batch learner under the paper's backup; an RNN with first weights with which its networks live."""
    return batch("added", network=network, **({"first_weights": FIRST_WEIGHTS} if network == "rnn" else {}), **settings)


def critic_name(critic: str, actor: str) -> str:
    return NAMES[critic] + (", natural actor" if actor == "natural" else "")


def agent_name(network: str, objective: str, target: str = "") -> str:
    """The name in Table I, with the target if that is not the paper's."""
    return f"{network.upper()}-{objective.upper()}" + (f", {NAMES[target]} targets" if target else "")


def values_trial() -> Figure:
    """The six algorithms and the variants of GTD2, under either backup."""
    curves = []
    for backup in BACKUPS:
        for algorithm, name in NAMES.items():
            grid = {"alpha": WIDE_ALPHAS} | ({} if algorithm in ("sarsa", "q") else {"ratio": WIDE_RATIOS})
            curves += Arm(online(algorithm, backup), grid).tries(f"{name}, {backup}")
        for name, changed in VARIANTS.items():
            if name != "GTD2":
                grid = {"alpha": WIDE_ALPHAS, "ratio": WIDE_RATIOS}
                if "bounded" in name:
                    grid = {"alpha": WIDE_ALPHAS[2:5], "ratio": WIDE_RATIOS[1:4], "bound": BOUNDS}
                curves += Arm(online("gtd2", backup, **changed), grid).tries(f"{name}, {backup}")
    return trial(
        "Settings of the algorithms", curves, ("value", "held"), BY_BOTH, outline=("alpha 0.1", "alpha 0.1, ratio 0.1")
    )


def taught_trial() -> Figure:
    """The algorithms of fig. 14 after pre-training, which need steps of their own; each tries as many as untaught."""
    curves = []
    for algorithm, name in NAMES.items():
        if algorithm != "tdc-natural":
            grid = {"alpha": TAUGHT_ALPHAS} | ({} if algorithm in ("sarsa", "q") else {"ratio": WIDE_RATIOS})
            curves += _taught(Arm(online(algorithm, "added"), grid).tries(f"{name}, {PRETRAINED}"))
    return trial(
        "Settings after pre-training",
        curves,
        ("value", "held"),
        {VALUE: highest_steady},
        outline=("alpha 0.01", "alpha 0.01, ratio 0.1"),
    )


def taught_actor_trial(choices: Choices) -> Figure:
    """The natural actor of fig. 14 after pre-training, with its critic as chosen there."""
    recipe = online("tdc", "added", actor="natural", **settings(choices, f"{NAMES['tdc']}, {PRETRAINED}", VALUE))
    grid = {"actor_rate": ACTOR_RATES, "natural_rate": NATURAL_RATES}
    curves = _taught(Arm(recipe, grid).tries(f"{critic_name('tdc', 'natural')}, {PRETRAINED}"))
    return trial(
        "Settings of an actor after pre-training",
        curves,
        ("value", "held"),
        {VALUE: highest_calm("value")},
        outline=("actor rate 0.01, natural rate 0.03",),
    )


def _taught(curves: Sequence[Curve]) -> list[Curve]:
    return [replace(curve, setup=PRETRAINED) for curve in curves]


def actors_trial(choices: Choices) -> Figure:
    """Actors, with critics as chosen: the paper's under its own backup, and both advantages under negamax."""
    curves = []
    for (critic, actor), (backup, advantage) in itertools.product(
        CRITICS, (("added", "error"), ("negated", "error"), ("negated", "policy"))
    ):
        if backup == "negated" and critic != "tdc":
            continue
        recipe = with_actor(choices, critic, actor, backup, advantage)
        grid = {"actor_rate": ACTOR_RATES} | ({"natural_rate": NATURAL_RATES} if actor == "natural" else {})
        curves += Arm(recipe, grid).tries(actor_arm(critic, actor, backup, advantage))
    return trial("Settings of the actors", curves, ("value", "held"), ACTORS_BY_BOTH, outline=("actor rate 0.01",))


def with_actor(choices: Choices, critic: str, actor: str, backup: str, advantage: str) -> Recipe:
    """A critic as chosen, with an actor whose settings are not chosen yet."""
    chosen = settings(choices, f"{NAMES[critic]}, {backup}", VALUE if backup == "added" else HELD)
    return online(critic, backup, actor=actor, advantage=advantage, **chosen)


def actor_arm(critic: str, actor: str, backup: str, advantage: str) -> str:
    how = "" if backup == "added" else f" {ADVANTAGES[advantage]}"
    return f"{critic_name(critic, actor)}{', plain actor' if actor == 'plain' else ''}{how}, {backup}"


def batch_arm(network: str, objective: str, target: str, backup: str) -> str:
    return f"{agent_name(network, objective, target)}, {backup}"


def objectives_trial() -> Figure:
    """Either network, objective and target, under either backup."""
    curves = []
    for backup, network, objective, target in itertools.product(
        BACKUPS, ("cnn", "rnn"), ("mse", "pbe"), ("q", "sarsa")
    ):
        recipe = batch(backup, network=network, objective=objective, target=target)
        grid = {"learning_rate": BATCH_RATES} | ({"projection_rate": PROJECTION_RATES} if objective == "pbe" else {})
        curves += Arm(recipe, grid).tries(batch_arm(network, objective, target, backup))
    return trial("Settings of the objectives", curves, ("value", "held"), BY_BOTH, outline=("learning rate 0.001",))


def recurrent_trial() -> Figure:
    """The RNN with larger first weights, either objective and target, under the paper's backup."""
    curves = []
    for objective, target in itertools.product(("mse", "pbe"), ("q", "sarsa")):
        grid = {"learning_rate": BATCH_RATES} | ({"projection_rate": PROJECTION_RATES} if objective == "pbe" else {})
        curves += Arm(added("rnn", objective=objective, target=target), grid).tries(recurrent_arm(objective, target))
    return trial(
        "Settings of the RNN with larger first weights",
        curves,
        ("value", "held"),
        {VALUE: highest_steady},
        outline=("learning rate 0.001",),
    )


def recurrent_arm(objective: str, target: str) -> str:
    return f"{agent_name('rnn', objective, target)}, larger first weights"


def projection_trial() -> Figure:
    """The projection's rate, with the paper's learning rate. The lowest projection error is chosen."""
    curves = []
    for network, target in itertools.product(("cnn", "rnn"), ("q", "sarsa")):
        recipe = added(network, objective="pbe", target=target, learning_rate=RATE)
        curves += Arm(recipe, {"projection_rate": PROJECTION_RATES}).tries(agent_name(network, "pbe", target))
    criteria = {PROJECTION: lowest_curve("projection")}
    return trial("The projection's rate", curves, ("projection", "projection_live", "value"), criteria)


def settings(choices: Choices, panel: str, criterion: str) -> dict[str, Any]:
    """What was chosen for an arm."""
    return dict(choices[arm_key(panel, criterion)])
