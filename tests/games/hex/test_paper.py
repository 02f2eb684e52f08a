"""The Hex study: its figures have the paper's curves, each with the settings of its arm, which trials choose."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from ludus.games.hex.paper import STUDY
from ludus.games.hex.paper.settings import shipped
from ludus.games.hex.paper.verdicts import CHOSEN
from ludus.study.study import Study

FIGURES = STUDY.figures
SHOWN = [name for name in FIGURES if name not in STUDY.trials]

#: As the paper has them, in the grids of figs. 5 to 8 and 11 with one more as it was chosen; and figures of ours.
CURVES = {
    **{"settings": 432, "actor-settings": 162, "objective-settings": 240, "projection-rate": 20},
    **{"taught-settings": 119, "taught-actor-settings": 36, "recurrent-settings": 60},
    **{"fig5": 21, "fig6": 21, "fig7": 21, "fig8": 10, "fig9": 25, "fig10": 20, "fig11": 21, "fig12": 25},
    **{"fig13": 20, "fig14": 12, "fig15": 15, "fig16": 15, "fig17": 6, "fig18": 6, "fig19": 4, "fig20": 12},
    **{"backups": 12, "second-order": 12, "advantages": 5, "objectives": 8, "table1": 4, "table1-negated": 4},
    **{"bounds": 0, "blind": 0, "taught-steps": 0},  # which gather the curves of others
}


def numbered() -> dict[str, dict[str, float]]:
    """For every arm settings that no other has, nor any grid."""
    number = itertools.count(1)
    return {name: {setting: next(number) / 4096 for setting in given} for name, given in shipped().items()}


def configs(study: Study, figure: str) -> dict[tuple[str, str], Any]:
    """Of every curve, by panel and label."""
    return {(curve.panel, curve.label): curve.recipe.config for curve in study.figures[figure].curves}


@pytest.fixture(scope="module")
def settled() -> Study:
    return STUDY.settled(numbered())


# --- curves -------------------------------------------------------------------------------------------------------


def test_every_figure_has_its_curves(settled: Study) -> None:
    assert {name: len(figure.curves) for name, figure in FIGURES.items()} == CURVES
    for name, figure in settled.figures.items():
        assert len({curve.run for curve in figure.curves}) == len(figure.curves), name
    assert [curve.setup for curve in FIGURES["fig14"].curves] == ["pre-trained", ""] * 6
    assert {curve.setup for name in SHOWN if name != "fig14" for curve in FIGURES[name].curves} == {""}


def test_the_papers_grids() -> None:
    alphas, ratios, five = {1e-4, 1e-3, 1e-2, 1e-1}, {0.01, 0.1, 1, 10, 100}, (0.001, 0.01, 0.1, 1, 10)

    def swept(figure: str, *names: str) -> set[tuple[Any, ...]]:
        found = configs(STUDY, figure).items()
        return {tuple(getattr(c, name) for name in names) for (panel, _), c in found if panel != CHOSEN}

    for figure, name in {"fig5": "gtd2", "fig6": "tdc", "fig7": "greedy-gq", "fig11": "tdc-natural"}.items():
        assert swept(figure, "algorithm", "alpha", "ratio") == set(itertools.product([name], alphas, ratios))
    assert swept("fig8", "algorithm", "alpha") == set(itertools.product(["sarsa", "q"], alphas))
    epsilons, without_natural = (1e-4, 0.01, 0.1, 0.5, 0.99), ["greedy-gq", "tdc", "gtd2", "q", "sarsa"]
    assert swept("fig9", "algorithm", "epsilon") == set(itertools.product(without_natural, epsilons))
    with_traces = ["greedy-gq", "tdc", "gtd2", "sarsa"]
    assert swept("fig10", "algorithm", "trace") == set(itertools.product(with_traces, (0, 0.01, 0.1, 0.5, 1)))
    critics = [("tdc", "plain"), ("tdc", "natural"), ("gtd2", "plain"), ("greedy-gq", "plain"), ("q", "plain")]
    assert swept("fig12", "algorithm", "actor", "actor_rate") == {(*c, rate) for c in critics for rate in five}
    traces = (0, 0.1, 0.5, 1)
    assert swept("fig13", "algorithm", "actor", "actor_trace") == {(*c, trace) for c in critics for trace in traces}
    for figure, target in (("fig15", "q"), ("fig16", "sarsa")):
        assert swept(figure, "target", "objective", "network", "learning_rate") == set(
            itertools.product([target], ["mse"], ["cnn", "rnn"], five)
        )


def test_backups_and_advantages_are_the_papers_but_where_they_are_compared() -> None:
    negated = {
        ("backups", "negated"),
        ("table1-negated", "CNN"),
        ("table1-negated", "RNN"),
        ("second-order", "negated, alpha 0.1, ratio 0.1"),
        ("second-order", "negated, own settings"),
        *(("advantages", panel) for panel in ("plain actor", "natural actor", "no actor")),
    }
    for name in SHOWN:
        for (panel, label), config in configs(STUDY, name).items():
            assert config.backup == ("negamax" if (name, panel) in negated else "paper")
            if getattr(config, "actor", "none") != "none":
                assert config.advantage == ("policy" if label == "against the policy's" else "error")
    for name in STUDY.trials:
        for (panel, _), config in configs(STUDY, name).items():
            assert config.backup == ("negamax" if panel.endswith(", negated") else "paper")


def test_the_papers_four_agents(settled: Study) -> None:
    """In figs. 17 to 19 the two with a projection are run at the paper's rate of it too."""
    four = {
        "CNN-MSE": ("cnn", "mse", "q"),
        "CNN-PBE": ("cnn", "pbe", "sarsa"),
        "RNN-MSE": ("rnn", "mse", "q"),
        "RNN-PBE": ("rnn", "pbe", "sarsa"),
    }
    for figure in ("fig17", "table1", "table1-negated"):
        found = {label: (c.network, c.objective, c.target) for (_, label), c in configs(settled, figure).items()}
        assert four.items() <= found.items()
    paper, table = configs(settled, "fig17"), configs(settled, "table1")
    assert {config.learning_rate for config in paper.values()} == {0.001}
    assert paper == configs(settled, "fig18")
    assert table == {place: config for place, config in paper.items() if place[1] in four}
    for (panel, label), config in paper.items() - table.items():
        assert config == replace(table[panel, label.partition(",")[0]], projection_rate=0.1)
    assert len(paper) == 6
    pbe = {place: config for place, config in paper.items() if "PBE" in place[1]}
    assert list(configs(settled, "fig19").items()) == list(pbe.items())
    assert FIGURES["fig18"].same_data == "fig17"
    for figure in ("table1", "table1-negated"):
        assert FIGURES[figure].play is not None
        assert FIGURES[figure].length == "seasons"


def test_under_the_papers_backup_the_rnn_has_larger_first_weights_but_where_they_are_compared() -> None:
    for name in FIGURES:
        for (panel, _), config in configs(STUDY, name).items():
            if getattr(config, "network", "cnn") == "rnn":
                usual = config.backup == "negamax" or name == "objective-settings" or "usual" in panel
                assert config.first_weights == (1 if usual else 8)


def test_what_is_gathered_is_every_arm_that_a_figure_shows() -> None:
    own = {name for name in SHOWN if FIGURES[name].curves and not FIGURES[name].same_data}
    assert set(FIGURES["blind"].gathers) == own
    assert (FIGURES["bounds"].gathers, FIGURES["taught-steps"].gathers) == (("settings",), ("taught-settings",))


def test_gtd2_is_run_with_h_without_and_within_a_bound(settled: Study) -> None:
    found = configs(settled, "second-order")
    for panel in dict.fromkeys(panel for panel, _ in found):
        full, without, bounded = (found[panel, name] for name in ("GTD2", "GTD2 without h", "GTD2 bounded"))
        assert {config.algorithm for config in (full, without, bounded)} == {"gtd2"}
        assert [(config.second_order, config.bound > 0) for config in (full, without, bounded)] == [
            (True, False),
            (False, False),
            (True, True),
        ]
        if "own" not in panel:
            assert {(config.alpha, config.ratio) for config in (full, without, bounded)} == {(0.1, 0.1)}


# --- whose settings -----------------------------------------------------------------------------------------------


def by_value(name: str) -> str:
    return f"{name}, added, by value"


def arms(figure: str, panel: str, label: str) -> list[str]:
    """The arms whose settings a curve has."""
    critic = panel.removesuffix(", natural actor")
    match figure:
        case "fig5" | "fig6" | "fig7" | "fig8" | "fig11":
            return [by_value(label)] if panel == CHOSEN else []
        case "fig9" | "fig10":
            return [by_value(panel)]
        case "fig12" | "fig13":
            return [by_value(critic), by_value(panel if critic != panel else f"{panel}, plain actor")]
        case "fig14":
            named = [critic] + ([panel] if critic != panel else [])
            return [f"{each}, pre-trained, by value" if label == "pre-trained" else by_value(each) for each in named]
        case "fig17" | "fig18" | "fig19" | "table1":
            return [f"{label}, SARSA targets, by projection error"] if label.endswith("PBE") else []
        case "fig20":
            return [f"{label}, added, by {panel.removeprefix('settings chosen by ')}"]
        case "backups":
            return [f"{label}, {panel}, by positions held"]
        case "second-order":
            return [f"{label}, {panel.partition(',')[0]}, by positions held"]
        case "advantages":
            actor = f"TDC, {panel} {label}, negated, by positions held"
            return ["TDC, negated, by positions held"] + ([actor] if panel != "no actor" else [])
        case "objectives":
            return (
                [f"{panel}-{label}, larger first weights, by value"]
                if panel == "RNN"
                else [by_value(f"{panel}-{label}")]
            )
        case "table1-negated":
            target = {"MSE": "Q-learning", "PBE": "SARSA"}[label.removeprefix(f"{panel}-")]
            return [f"{label}, {target} targets, negated, by positions held"]
    return []


#: What a figure varies itself, or has at one setting for all.
VARIED = {"fig12": ("actor_rate",), "alpha 0.1, ratio 0.1": ("alpha", "ratio")}


@pytest.mark.parametrize("figure", SHOWN)
def test_every_curve_has_the_settings_of_its_arms_and_of_no_other(figure: str, settled: Study) -> None:
    choices = numbered()
    numbers = {value for given in choices.values() for value in given.values()}
    for (panel, label), config in configs(settled, figure).items():
        varied = VARIED.get(figure, VARIED.get(panel.partition(", ")[2], ()))
        mine = [pair for name in arms(figure, panel, label) for pair in choices[name].items() if pair[0] not in varied]
        assert {name: value for name, value in vars(config).items() if value in numbers} == dict(mine)


def test_a_taught_actors_trial_is_with_the_taught_critic(settled: Study) -> None:
    wanted = numbered()["TDC, pre-trained, by value"]
    for config in configs(settled, "taught-actor-settings").values():
        assert {name: getattr(config, name) for name in wanted} == wanted
    for name in ("taught-settings", "taught-actor-settings"):
        assert {curve.setup for curve in FIGURES[name].curves} == {"pre-trained"}


def test_an_actors_trial_is_with_the_critic_that_was_chosen(settled: Study) -> None:
    choices, seen = numbered(), set()
    for (panel, _), config in configs(settled, "actor-settings").items():
        critic = panel.partition(", ")[0]
        how = "added, by value" if panel.endswith("added") else "negated, by positions held"
        wanted = choices[f"{critic}, {how}"]
        assert {name: getattr(config, name) for name in wanted} == wanted
        seen.add((critic, how))
    assert len(seen) == 5


def test_the_outline_has_all_figures_and_a_curve_or_so_of_each_arm() -> None:
    drawn = {name: figure.drawn(quick=True) for name, figure in FIGURES.items()}
    assert all(drawn[name] == FIGURES[name].curves for name in SHOWN)
    for name in STUDY.trials:
        assert 0 < len(drawn[name]) <= 20
