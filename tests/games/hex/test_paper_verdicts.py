"""The Hex study's judges, on curves made up: on both sides of every boundary, and between."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ludus.games.hex.paper import bounds, objectives, taught, verdicts
from ludus.games.hex.paper.figures import STUDY
from ludus.games.hex.paper.verdicts import CHOSEN, alike
from ludus.study import life
from ludus.study.data import Data, Runs, TournamentGame
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, UNJUDGED, Estimate
from ludus.study.study import Finding
from ludus.study.trials import chosen

SEEDS = 10
#: Added to every curve: seeds differ by far more than settings do, so that only pairs can be compared.
LUCK = np.linspace(-0.05, 0.05, SEEDS)
#: Seeds that do not agree: their mean is 0.
TORN = np.array([-1, 1] * 5)
Level = float | Sequence[float]  # for all seeds, or by seed
#: Of a network that is alive.
VITAL: dict[str, Level] = {"spread": 0.2, "size": 0.5, "live": 1.0}


def runs(panel: str, label: str, value: Level = 0.5, luck: Any = LUCK, start: float = 0.1, **others: Level) -> Runs:
    """A curve that is level once learning begins, and starts elsewhere."""
    measured = {}
    for name, level in ({"value": value, "held": 0.5} | VITAL | others).items():
        values = np.full(SEEDS, level, float) + (0 if name in VITAL else luck)
        measured[name] = np.stack([np.full(SEEDS, start), values, values], axis=1)
    return Runs(panel, label, tuple(range(SEEDS)), np.array([0, 50, 100]), measured)


def found(judge: Any, curves: Sequence[Runs], games: Sequence[TournamentGame] = ()) -> Finding:
    finding = judge(Data(curves, games))
    assert all(claim.claim and claim.found for claim in finding.claims)
    assert finding.values
    assert all(isinstance(text, str) and "nan" not in text for text in finding.values.values())
    assert len({len(row) for row in finding.table}) <= 1
    return finding


def judged(judge: Any, curves: Sequence[Runs], games: Sequence[TournamentGame] = ()) -> list[str]:
    return [claim.verdict for claim in found(judge, curves, games).claims]


# --- networks that say the same of every position -----------------------------------------------------------------


@pytest.mark.parametrize(("spread", "size", "dead"), [
    (0.0099, 0.0, True),
    (0.0101, 0.0, False),
    (0.00049, 0.95, True),  # near 1, as the paper's values are, they differ less
    (0.00051, 0.95, False),
    (0.00009, 1.0, True),
    (0.00011, 1.0, False),
    (0.0, 0.2, True),
])  # fmt: skip
def test_whom_a_trial_takes_for_dead(spread: float, size: float, dead: bool) -> None:
    curve = runs("", "a", spread=spread, size=size)
    assert verdicts.collapsed(curve) == [dead] * SEEDS


def test_logits_have_a_size_and_old_curves_say_nothing() -> None:
    assert verdicts.alive(runs("", "a", size=20.0)) == ", logits of size 20"
    curve = runs("", "a")
    unmeasured = Runs("", "a", curve.seeds, curve.steps, {"value": curve.measured["value"]})
    assert verdicts.alive(unmeasured) == ""


def test_a_network_that_says_what_it_said_at_first_has_not_collapsed() -> None:
    """An untrained recurrent network says little; one whose spread is no number says nothing."""
    for start, now, gone in ((0.002, 0.0011, False), (0.002, 0.0009, True), (0.002, math.nan, True)):
        curve = runs("", "a", start=start, spread=now, size=0.1)
        assert verdicts.collapsed(curve) == [gone] * SEEDS


def test_of_steady_settings_the_liveliest_is_chosen() -> None:
    """Whose values are as high but for 0.02; and a dead network counts for nothing."""
    arm, figure = "SARSA, pre-trained", STUDY.figures["taught-settings"]
    flat, lively, slow = (
        runs(arm, f"alpha {alpha:g}", value, luck=0, spread=spread, size=0.9)
        for alpha, value, spread in ((0.1, 0.999, 0.01), (0.01, 0.985, 0.02), (0.001, 0.97, 0.05))
    )
    dying = runs(arm, "alpha 0.3", 1.0, luck=0, size=0.9, spread=[0.0, *[0.05] * (SEEDS - 1)])
    for order in itertools.permutations([flat, lively, slow, dying]):
        assert chosen(figure, Data(order)) == {f"{arm}, by value": {"alpha": 0.01}}


def test_in_a_choice_a_collapsed_network_counts_for_nothing() -> None:
    """By positions held it may be chosen."""
    arm, figure = "SARSA, added", STUDY.figures["settings"]
    for lost, best in ((3, {"alpha": 1.0}), (4, {"alpha": 0.1})):  # of ten, whose values are 1: 0.7 and 0.6
        pair = [runs(arm, "alpha 0.1", 0.65, luck=0), runs(arm, "alpha 1", 1.0, luck=0, held=0.9, spread=dead(lost))]
        for order in (pair, pair[::-1]):
            assert chosen(figure, Data(order)) == {
                f"{arm}, by value": best,
                f"{arm}, by positions held": {"alpha": 1.0},
            }


@pytest.mark.parametrize("size", [51.0, 1e16, math.nan, math.inf])
def test_an_actor_that_has_run_away_is_not_chosen(size: float) -> None:
    arm, figure = "Q-learning, plain actor, added", STUDY.figures["actor-settings"]
    calm, wild = runs(arm, "actor rate 0.1", 0.1, size=49.0), runs(arm, "actor rate 1", 1.0, held=0.9, size=size)
    for order in ([calm, wild], [wild, calm]):
        found = chosen(figure, Data(order))
        assert found == {f"{arm}, by {by}": {"actor_rate": 0.1} for by in ("value", "positions held")}


def dead(count: int) -> list[float]:
    """The spread of networks of which so many have collapsed."""
    return [0.0] * count + [0.2] * (SEEDS - count)


# --- values that approach 1 ---------------------------------------------------------------------------------------

SURE, NOT = [0.96] * 8 + [0.89] * 2, [0.95] * 7 + [0.8] * 3  # at 0.9 or more with all their interval, or not


@pytest.mark.parametrize(
    ("levels", "wanted"),
    [
        ([("a", 0.1), ("a", 0.9), ("b", 0.901)], [HOLDS, HOLDS]),
        ([("a", 0.98), ("b", 0.5), ("b", 0.899)], [HOLDS, FAILS]),
        ([("a", NOT), ("b", 0.98)], [UNDECIDED, HOLDS]),
        ([("a", SURE)], [HOLDS]),
        ([("a", SURE), *[("a", 0.1)] * 4], [UNDECIDED]),  # it was picked among five, for its value
    ],
)
def test_in_each_panel_some_values_approach_one(levels: list[tuple[str, Level]], wanted: list[str]) -> None:
    curves = [runs(panel, f"curve {i}", level, luck=0.0) for i, (panel, level) in enumerate(levels)]
    assert judged(verdicts.approaches("claim"), curves) == wanted


def test_the_best_is_among_those_that_live() -> None:
    """Where none does, the engine says so: the claim names the arm that it is about."""
    bold, wise = (
        runs("p", name, v, luck=0.0, spread=s) for name, v, s in (("bold", 0.98, dead(3)), ("wise", 0.5, 0.2))
    )
    claim = found(verdicts.approaches("claim"), [bold, wise]).claims[0]
    assert (claim.verdict, claim.arms) == (FAILS, (wise.place,))
    data = Data([bold])
    (alone,) = life.judged(verdicts.approaches("claim")(data), data).claims
    assert alone.verdict == UNJUDGED
    assert alone.found.endswith("p, bold: 7 of 10 networks alive (3 flat)")


def test_what_was_chosen_elsewhere_is_judged_alone() -> None:
    judge = verdicts.approaches("claim", chosen=True)
    grid = [runs("beta/alpha 1", f"alpha {i}", level, luck=0.0) for i, level in enumerate((0.99, 0.1))]
    assert judged(judge, [*grid, runs(CHOSEN, "TDC", SURE, luck=0.0)]) == [HOLDS]
    assert judged(judge, [*grid, runs(CHOSEN, "TDC", 0.89, luck=0.0)]) == [FAILS]
    two = [runs(CHOSEN, "SARSA", 0.95, luck=0.0), runs(CHOSEN, "Q-learning", NOT, luck=0.0)]
    assert judged(judge, [*grid, *two]) == [HOLDS, UNDECIDED]
    assert "beta/alpha 1, alpha 0" in found(judge, [*grid, *two]).values


def test_the_best_is_named_by_values_and_by_truth() -> None:
    curves = [runs("p", "bold", 0.98, luck=0.0, held=0.4, spread=0.0), runs("p", "wise", luck=0.0, held=0.8)]
    finding = found(verdicts.approaches("claim"), curves)
    assert finding.values["p: highest value, wise"].endswith("10 of 10 networks alive")
    assert "won positions held 80.00%" in finding.values["p: most positions held, wise"]


# --- alike or not -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "high", "verdict"), [
    (-0.049, 0.049, HOLDS),
    (-0.051, 0.0, UNDECIDED),
    (0.0, 0.051, UNDECIDED),
    (0.049, 0.2, UNDECIDED),
    (0.051, 0.2, FAILS),
    (-0.2, -0.051, FAILS),
    (-1, 1, UNDECIDED),
    (math.nan, math.nan, UNDECIDED),
])  # fmt: skip
def test_alike_is_what_one_would_not_see(low: float, high: float, verdict: str) -> None:
    assert alike(Estimate((low + high) / 2, low, high, 3)) == verdict


@pytest.mark.parametrize(("level", "verdict"), [
    (0.549, HOLDS), (0.451, HOLDS), (0.551, FAILS), (0.449, FAILS), ((0.5 + 0.2 * TORN).tolist(), UNDECIDED),
])  # fmt: skip
def test_pretraining_makes_no_visible_difference(level: Level, verdict: str) -> None:
    same = [runs("Q", "pre-trained", start=0.3), runs("Q", "self-play only", start=0.2)]
    pair = [runs("TDC", "pre-trained", level, start=0.3), runs("TDC", "self-play only", start=0.2)]
    for curves in (pair + same, same + pair):
        claims = found(taught.pretraining_shows, curves).claims[:2]
        assert {claim.claim.rpartition(": ")[2]: claim.verdict for claim in claims} == {"TDC": verdict, "Q": HOLDS}
        assert all(claim.arms is not None and len(claim.arms) == 2 for claim in claims)


@pytest.mark.parametrize(("start", "verdict"), [(0.301, HOLDS), (0.299, FAILS), (0.3, UNDECIDED)])
def test_what_was_taught_is_there_at_move_0_in_every_pair(start: float, verdict: str) -> None:
    """Whatever becomes of it."""
    same = [runs("Q", "pre-trained", start=0.9), runs("Q", "self-play only", start=0.3)]
    pair = [runs("TDC", "pre-trained", start=start, held=0.1), runs("TDC", "self-play only", start=0.3, held=0.9)]
    assert judged(taught.pretraining_shows, pair + same)[2] == verdict


def test_what_was_taught_is_lost_or_kept_in_part() -> None:
    """At move 0 the first holds 0.8, in the end 0.7: less than at first, more than self-play alone, which holds 0.6."""
    first = [runs("Q", "pre-trained", start=0.8, held=0.7), runs("Q", "self-play only", held=0.6)]
    other = [runs("TDC", "pre-trained", start=0.4, held=0.5), runs("TDC", "self-play only", held=0.6)]
    finding = found(taught.pretraining_shows, first + other)
    assert [claim.verdict for claim in finding.claims[3:5]] == [HOLDS, FAILS]  # lost
    assert [claim.verdict for claim in finding.claims[5:]] == [HOLDS, FAILS]  # more than alone
    assert [row[0] for row in finding.table] == ["", "Q", "TDC"]


@pytest.mark.parametrize(("within", "verdict"), [(0, HOLDS), (4, UNDECIDED), (8, FAILS)])
def test_a_bound_keeps_more_networks_alive(within: int, verdict: str) -> None:
    """At the same steps, under the paper's backup; four of ten are dead without it."""
    grid = [runs("settings", "GTD2, added, alpha 0.1, ratio 1", spread=dead(4))]
    grid.append(runs("settings", "GTD2 bounded, added, alpha 0.1, ratio 1, bound 6", spread=dead(within)))
    grid.append(runs("settings", "GTD2 bounded, negated, alpha 0.1, ratio 1, bound 6", spread=dead(10)))
    grid.append(runs("settings", "SARSA, added, alpha 0.1", spread=dead(10)))
    finding = found(bounds.bounds_help, grid)
    assert [claim.verdict for claim in finding.claims] == [verdict]
    assert finding.table[1] == ["6", f"{10 - within} of 10", "6 of 10"]


# --- objectives ---------------------------------------------------------------------------------------------------

AGENTS = ("CNN-MSE", "CNN-PBE", "RNN-MSE", "RNN-PBE")
#: Of one arm over another by so little: the verdict.
MORE = [(0.001, HOLDS), (-0.001, FAILS), ((0.01 * TORN).tolist(), UNDECIDED)]


def six(measure: str, cnn: Level, rnn: Level) -> list[Runs]:
    """The projected error over the mean squared one by so much; at the paper's rate of the projection by 0.2 less."""
    curves = []
    for network, over in (("CNN", np.asarray(cnn)), ("RNN", np.asarray(rnn))):
        levels = {"MSE": np.asarray(0.5), "PBE": 0.5 + over, f"PBE{objectives.RATES[1]}": 0.3 + over}
        for name, level in levels.items():
            named: dict[str, Any] = {measure: level.tolist()}
            curves.append(runs(network, f"{network}-{name}", **named))
    return curves


@pytest.mark.parametrize(("more", "verdict"), MORE)
def test_the_projected_error_is_faster_and_smaller_for_each_network(more: Level, verdict: str) -> None:
    """And is judged at both rates of the projection."""
    assert judged(objectives.faster_objective, six("value", more, 0.1)) == [verdict, FAILS, HOLDS, FAILS]
    assert judged(objectives.faster_objective, six("value", -0.1, more)) == [FAILS, FAILS, verdict, FAILS]
    less = (-np.asarray(more)).tolist()
    assert judged(objectives.smaller_error, six("loss", less, -0.1)) == [verdict, HOLDS, HOLDS, HOLDS]
    assert judged(objectives.smaller_error, six("loss", 0.1, less)) == [FAILS, HOLDS, verdict, HOLDS]


def test_faster_is_by_the_mean_of_the_curve_after_its_start() -> None:
    curves = six("value", 0.01, 0.01)
    curves[1].measured["value"][:] += [9.0, 0.1, -0.2]  # worse in the mean, however it began
    curves[4].measured["value"][:] += [-9.0, 0.2, -0.1]
    assert judged(objectives.faster_objective, curves)[::2] == [FAILS, HOLDS]


@pytest.mark.parametrize(("more", "verdict"), MORE)
def test_the_projection_is_better_with_one_or_the_other(more: Level, verdict: str) -> None:
    rnn = (0.5 + np.asarray(more)).tolist()
    levels = {
        "CNN-PBE": 0.5,
        f"CNN-PBE{objectives.RATES[1]}": 0.6,
        "RNN-PBE": rnn,
        f"RNN-PBE{objectives.RATES[1]}": 0.4,
    }
    pair = [runs(name[:3], name, projection=level, projection_live=0.7) for name, level in levels.items()]
    assert judged(objectives.smaller_projection, pair) == [verdict, FAILS, HOLDS, FAILS]
    assert "units of the projection that live 70.00%" in found(objectives.smaller_projection, pair).values["CNN-PBE"]


ARMS = ("MSE, Q-learning targets", "MSE, SARSA targets", "PBE, Q-learning targets", "PBE, SARSA targets")


@pytest.mark.parametrize(("levels", "wanted"), [  # of the objective, of the target
    ((0.5, 0.5, 0.501, 0.501), [HOLDS, UNDECIDED]),
    ((0.5, 0.5, 0.499, 0.499), [FAILS, UNDECIDED]),
    ((0.5, 0.501, 0.5, 0.501), [UNDECIDED, HOLDS]),
    ((0.501, 0.5, 0.501, 0.5), [UNDECIDED, FAILS]),
    ((0.5, 0.5, 0.5, 0.9), [HOLDS, HOLDS]),
    ((0.5, 0.6, 0.6, 0.5), [UNDECIDED, UNDECIDED]),  # each with the other's alone: neither in the mean
])  # fmt: skip
def test_objective_and_target_apart(levels: Sequence[float], wanted: list[str]) -> None:
    mine = [runs("CNN", label, level) for label, level in zip(ARMS, levels, strict=True)]
    other = [runs("RNN", label, level) for label, level in zip(ARMS, (0.1, 0.2, 0.3, 0.6), strict=True)]
    finding = found(objectives.objective_or_target, mine + other)
    assert [claim.verdict for claim in finding.claims] == [*wanted, HOLDS, HOLDS]
    assert [claim.claim[-3:] for claim in finding.claims] == ["CNN", "CNN", "RNN", "RNN"]


# --- algorithms ---------------------------------------------------------------------------------------------------

SIX = ("SARSA", "Q-learning", "GTD2", "TDC", "Greedy GQ", "TDC, natural gradient")


@pytest.mark.parametrize(("levels", "wanted"), [
    # GTD2 faster than both, TDC faster than both, GTD2 like TDC, Greedy GQ like TDC
    ({"GTD2": 0.501, "TDC": 0.501, "Greedy GQ": 0.501}, [HOLDS, HOLDS, HOLDS, HOLDS]),
    ({"GTD2": 0.499, "TDC": 0.6, "Greedy GQ": 0.5}, [FAILS, HOLDS, FAILS, FAILS]),
    ({"GTD2": 0.6, "TDC": 0.649, "Greedy GQ": 0.698}, [HOLDS, HOLDS, HOLDS, HOLDS]),
    ({"GTD2": 0.6, "TDC": 0.651, "Greedy GQ": 0.702}, [HOLDS, HOLDS, FAILS, FAILS]),
    ({"GTD2": 0.6, "TDC": 0.6, "Greedy GQ": 0.6, "Q-learning": 0.601}, [FAILS, FAILS, HOLDS, HOLDS]),
    ({"GTD2": 0.6, "TDC": 0.6, "Greedy GQ": (0.6 + 0.2 * TORN).tolist()}, [HOLDS, HOLDS, HOLDS, UNDECIDED]),
    ({"GTD2": (0.5 + 0.01 * TORN).tolist(), "TDC": 0.6, "Greedy GQ": 0.6}, [UNDECIDED, HOLDS, FAILS, HOLDS]),
])  # fmt: skip
def test_two_algorithms_are_faster_than_two_and_others_alike(levels: Mapping[str, Level], wanted: list[str]) -> None:
    first = [runs("by value", name, levels.get(name, 0.5)) for name in SIX]
    for other in (0.1, 0.9):  # settings chosen otherwise are shown, and decide nothing
        second = [runs("by positions held", name, other) for name in SIX]
        assert judged(verdicts.faster_algorithms, first + second) == wanted


@pytest.mark.parametrize(("more", "verdict"), MORE)
def test_the_backup_that_negates_is_stronger_for_each_algorithm(more: Level, verdict: str) -> None:
    added = [runs("added", name, 0.9) for name in ("SARSA", "TDC")]
    level = (0.5 + np.asarray(more)).tolist()
    negated = [runs("negated", "SARSA", 0.1, held=0.6), runs("negated", "TDC", 0.1, held=level)]
    finding = found(verdicts.negated_is_stronger, added + negated)
    assert [claim.verdict for claim in finding.claims] == [HOLDS, verdict]
    assert finding.claims[1].claim.endswith(": TDC")
    assert [row[0] for row in finding.table] == ["", "SARSA", "TDC"]


@pytest.mark.parametrize(("with_h", "without", "verdict"), [
    (4, 0, HOLDS),
    (3, 0, HOLDS),
    (2, 0, UNDECIDED),  # of ten; zero is within the interval
    (0, 0, UNDECIDED),
    (9, 9, UNDECIDED),
    (0, 2, UNDECIDED),
    (0, 3, FAILS),
])  # fmt: skip
def test_h_collapses_networks_at_one_setting(with_h: int, without: int, verdict: str) -> None:
    names = ("GTD2", "GTD2 without h", "GTD2 bounded")
    quoted = [runs("added, alpha 0.1", n, spread=dead(k)) for n, k in zip(names, (with_h, without, 1), strict=True)]
    finding = found(verdicts.second_order_collapses, quoted)
    assert [claim.verdict for claim in finding.claims] == [verdict]
    assert finding.claims[0].found == f"{with_h} collapse with h, {without} without, 1 within a bound"
    assert [row[4] for row in finding.table[1:]] == [f"{SEEDS - k} of {SEEDS}" for k in (with_h, without, 1)]


@pytest.mark.parametrize(("more", "verdict"), MORE)
def test_gtd2_holds_more_without_h_at_its_own_settings(more: Level, verdict: str) -> None:
    level = (0.5 + np.asarray(more)).tolist()
    own = [runs("added, own settings", "GTD2"), runs("added, own settings", "GTD2 without h", held=level)]
    own.append(runs("added, own settings", "GTD2 bounded", held=0.1, spread=0.0))
    assert judged(verdicts.second_order_collapses, own) == [verdict]


@pytest.mark.parametrize(("more", "verdict"), MORE)
def test_what_a_policy_is_worth_is_the_better_baseline(more: Level, verdict: str) -> None:
    level = (0.5 + np.asarray(more)).tolist()
    plain = [runs("plain actor", "against the move's value"), runs("plain actor", "against the policy's", held=level)]
    natural = [runs("natural actor", c.label, 0.9, held=h) for c, h in zip(plain, (0.3, 0.4), strict=True)]
    alone = runs("no actor", "TDC", held=0.9)
    finding = found(verdicts.policy_is_the_better_baseline, [*plain, *natural, alone])
    assert [claim.verdict for claim in finding.claims] == [verdict, HOLDS]
    assert "no actor: TDC" in finding.values


# --- all of them --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("figure", list(STUDY.figures))
def test_every_figure_is_judged_in_words_whole_and_in_outline(figure: str) -> None:
    measures = dict.fromkeys(("loss", "projection", "projection_live"), 0.5)
    shown = STUDY.figures[figure]
    for quick in (False, True):
        curves = [runs(c.panel, c.label, **measures) for c in shown.drawn(quick)]
        for name in shown.gathers:
            mine = (runs(c.panel, c.label) for c in STUDY.figures[name].drawn(False))
            curves += [replace(each, panel=name, label=each.name) for each in mine]
        games = [TournamentGame(1, 1, a, b, a) for a, b in itertools.permutations(AGENTS, 2)]
        assert found(shown.judge, curves, games).claims
