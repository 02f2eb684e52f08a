"""The figures: what is run for each, and what to make of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ludus.games import make_game
from ludus.games.hex.paper import verdicts
from ludus.games.hex.paper.verdicts import SEASONS, approaches
from ludus.study.data import Data
from ludus.study.study import Axis, Curve, Figure, Finding, Scale, Study
from ludus.training.recipes import Recipe

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


def scales(length: str, quick: bool, seeds: int | None) -> Scale:
    """Table I wants the seeds of all its seasons; in outline, seasons share them."""
    if quick:
        return Scale(seeds or 2, points=4, every=150)
    return Scale((seeds or 10) * (SEASONS if length == "seasons" else 1), points=20, every=250)


def value_learner(algorithm: str, **settings: Any) -> Recipe:
    """A learner of the paper's at its best, but for what is given."""
    return Recipe.of(algorithm, "online", **{"algorithm": algorithm, "backup": "paper", **BEST[algorithm], **settings})


def actor_critic(critic: str, **settings: Any) -> Recipe:
    return value_learner(critic, **{"actor": "plain", **BEST_ACTOR, **settings})


def batch_learner(**settings: Any) -> Recipe:
    """A learner of the paper's in batches."""
    return Recipe.of("batch", "batch", **{"backup": "paper", **settings})


#: The paper's four agents: the mean squared error with Q-learning, its projected error with SARSA.
OBJECTIVES = {
    f"{network.upper()}-{objective.upper()}": batch_learner(network=network, target=target, objective=objective)
    for network in ("cnn", "rnn")
    for objective, target in (("mse", "q"), ("pbe", "sarsa"))
}


def drawn(
    title: str,
    curves: Iterable[Curve],
    judge: Callable[[Data], Finding],
    measures: tuple[str, ...] = ("value", "held"),
    **more: Any,
) -> Figure:
    return Figure(title, tuple(curves), judge, measures, **more)


def _grid(algorithm: str) -> Figure:
    """Figs. 5, 6, 7 and 11: steps and ratios of the two time scales."""
    name = NAMES[algorithm]
    curves = [
        Curve(f"beta/alpha {r:g}", f"alpha {a:g}", value_learner(algorithm, alpha=a, ratio=r))
        for r in RATIOS
        for a in ALPHAS
    ]
    judge = approaches(f"the values learned by {name} approach 1 for some alpha and beta/alpha", all_as=name)
    return drawn(f"{name}: steps and time scales", curves, judge)


def _swept(title: str, what: str, algorithms: Sequence[str], option: str, values: Sequence[float]) -> Figure:
    """Figs. 8, 9 and 10: one option of several algorithms."""
    curves = [
        Curve(NAMES[n], f"{what} {value:g}", value_learner(n, **{option: value}))
        for n in algorithms
        for value in values
    ]
    names = ", ".join(NAMES[n] for n in algorithms)
    return drawn(title, curves, approaches(f"the values learned by {names} approach 1 for some {what}"))


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
    return drawn(title, curves, approaches(claim))


def _pretraining() -> Figure:
    """Fig. 14: with and without pre-training on the scores of H-search."""
    recipes = {NAMES[n]: value_learner(n) for n in ("tdc", "gtd2", "greedy-gq", "q", "sarsa")}
    recipes["TDC, natural actor"] = actor_critic("tdc", actor="natural")
    curves = [
        Curve(name, setup or "self-play only", recipe, setup)
        for name, recipe in recipes.items()
        for setup in ("pre-trained", "")
    ]
    return drawn("Pre-training on H-search", curves, verdicts.no_visible_difference)


def _batches(target: str, name: str) -> Figure:
    """Figs. 15 and 16: rates of RMSProp."""
    curves = [
        Curve(network.upper(), f"rate {r:g}", batch_learner(network=network, target=target, learning_rate=r))
        for network in ("cnn", "rnn")
        for r in RATES
    ]
    claim = f"batch training towards {name} targets brings the values near 1 for some rate, with CNN and RNN"
    return drawn(f"Batch training, {name} targets", curves, approaches(claim))


def _backups() -> Figure:
    """Not in the paper: what its backup, which adds v' where it should be negated, costs in strength."""
    curves = [
        Curve(panel, name, value_learner(n, backup=backup))
        for panel, backup in (("added, as in the paper", "paper"), ("negated", "negamax"))
        for n, name in NAMES.items()
    ]
    return drawn("The paper's backup, and negamax", curves, verdicts.negated_is_stronger)


def _tournaments(agents: Any) -> Any:
    from ludus.games.hex.paper.table import tournaments

    return tournaments(agents)


AGENTS = tuple(Curve(name[:3], name, recipe) for name, recipe in OBJECTIVES.items())

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
    "fig17": drawn("Two objectives: values", AGENTS, verdicts.faster_objective),
    "fig18": drawn("Two objectives: errors", AGENTS, verdicts.smaller_error, ("loss", "held"), same_data="fig17"),
    "fig19": drawn("Projection error", AGENTS[1::2], verdicts.smaller_projection, ("projection", "held")),
    "fig20": drawn(
        "Six algorithms",
        (Curve("at their best", name, value_learner(n)) for n, name in NAMES.items()),
        verdicts.faster_algorithms,
    ),
    "backups": _backups(),
    "table1": drawn("Table I", AGENTS, verdicts.order_of_agents, length="seasons", play=_tournaments),
}


def _measure(game: Any, quick: bool) -> Any:
    from ludus.study.measures import won_held

    return won_held(game)


def _pretrained(*given: Any) -> Any:
    from ludus.games.hex.paper.pretraining import pretrained

    return pretrained(*given)


STUDY = Study(
    paper="hex",
    title="Hex",
    game=lambda: make_game("hex", size=3),
    unit="moves",
    figures=FIGURES,
    measure=_measure,
    scales=scales,
    words={
        "value": Axis("value of the moves made", bounds=(-1, 1)),
        "held": Axis("won positions held, %", 100, (0, 100)),
        "loss": Axis("training error"),
        "projection": Axis("projection error"),
    },
    setups={"pre-trained": _pretrained},
)
