"""The verdicts on the L-Game paper's claims, on curves made up: on both sides of every boundary, and between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from ludus.games.lgame.paper import STUDY, verdicts
from ludus.study import life
from ludus.study.data import Data, Runs
from ludus.study.statistics import UNJUDGED
from ludus.study.study import Finding

SEEDS = 5
#: Added to every curve: seeds differ by far more than settings do, so that only pairs can be compared.
LUCK = np.linspace(-0.05, 0.05, SEEDS)
#: Not all seeds agree: their mean is 0, and both signs are there.
TORN = np.array([-1.0, 1.0, 0.0, -0.5, 0.5])
YES, NO, MAYBE = "holds", "does not hold", "undecided"
Place = tuple[str, str]
Level = float | Sequence[float]  # for all seeds, or by seed
USUAL = 0.8
MORE: dict[str, Level] = {"vs_perfect": 0.5, "random_first": 0.8, "random_second": 0.8}


def curve(place: Place, level: Level = USUAL, **ends: Level) -> Runs:
    """A curve that is level once learning begins, and has these other measures all along."""
    rates = np.full(SEEDS, level, float) + LUCK
    measured = {"vs_random": np.stack([np.full(SEEDS, 0.1), rates, rates], axis=1)}
    for name, value in ends.items():
        measured[name] = np.full((3, SEEDS), value, float).T
    return Runs(*place, tuple(range(SEEDS)), np.array([0, 1000, 2000]), measured)


def judged(figure: str, levels: Mapping[Place, Level], quick: bool = False) -> Finding:
    """A figure's finding, all its curves as usual but for these."""
    places = [(c.panel, c.label) for c in STUDY.figures[figure].drawn(quick)]
    assert set(levels) <= set(places)
    return STUDY.figures[figure].judge(Data([curve(place, levels.get(place, USUAL), **MORE) for place in places]))


def over(*labels: str, panel: str = "", level: Level = USUAL) -> dict[Place, Level]:
    return {(panel, label): level for label in labels}


TORN_BY_A_POINT = (USUAL + 0.01 * TORN).tolist()
#: About half a point above or below, but not for sure.
HALF_MORE, HALF_LESS = (USUAL + 0.005 + 0.002 * TORN).tolist(), (USUAL - 0.005 + 0.002 * TORN).tolist()
FIVE = ("gamma = 0.7", "gamma = 0.8", "gamma = 0.95", "gamma = 0.99", "gamma = 1")

#: figure, which of its claims, the curves that are not as usual, the verdict
CASES = [
    ("fig4", 0, over("N = 0", level=0.799), YES),
    ("fig4", 0, over("N = 0", level=0.801), NO),
    ("fig4", 0, over("N = 0", level=TORN_BY_A_POINT), MAYBE),
    ("fig4", 1, over("N = 1", "N = 5", level=0.799), YES),
    ("fig4", 1, over("N = 1", level=0.7) | over("N = 5", level=0.801), NO),
    ("fig4", 1, over("N = 1", level=0.7) | over("N = 5", level=TORN_BY_A_POINT), MAYBE),
    ("fig4", 2, over("N = 20", "N = 50", "N = 200", level=0.8049), YES),
    ("fig4", 2, over("N = 50", level=0.8051), NO),  # one that gains is enough
    ("fig4", 2, over("N = 50", level=HALF_MORE), MAYBE),
    ("fig4", 3, over("N = 200", level=0.7949), YES),
    ("fig4", 3, over("N = 200", level=0.7951), NO),
    ("fig4", 3, over("N = 200", level=HALF_LESS), MAYBE),
    ("fig4", 3, over("N = 50", level=0.7), NO),  # that is not very large
    *(
        (figure, claim, over("annealed", panel=rival, level=0.7) | over("constant", panel=rival, level=level), verdict)
        for figure, claim, rival in (("fig5", 0, "RMSProp"), ("fig5", 1, "ADADELTA"))
        for level, verdict in ((0.799, YES), (0.801, NO), (TORN_BY_A_POINT, MAYBE))
    ),
    ("fig5", 0, over("annealed", panel="RMSProp", level=0.801) | over("constant", panel="RMSProp", level=0.7), NO),
    (
        "fig5",  # nobody chose that rate
        0,
        over("annealed", "constant", panel="RMSProp", level=0.7)
        | over("annealed, a third of the rate", panel="RMSProp", level=0.9)
        | over("annealed, three times the rate", panel="Nesterov", level=0.1),
        YES,
    ),
    ("fig6", 0, over("10 whole games", level=0.801), YES),
    ("fig6", 0, over("10 whole games", level=0.799), NO),
    ("fig6", 1, over("1 whole game", level=0.801), YES),
    ("fig6", 1, over("1 whole game", level=0.799), NO),
    ("fig6", 1, over("1 whole game", level=TORN_BY_A_POINT), MAYBE),
    ("fig6", 2, over("670 transitions", level=0.7949), YES),
    ("fig6", 2, over("670 transitions", level=0.7951), NO),
    ("fig6", 2, over("670 transitions", level=HALF_LESS), MAYBE),
    ("gamma", 0, over(*FIVE, panel="negamax", level=0.799), YES),
    ("gamma", 0, over(*FIVE, panel="negamax", level=0.799) | over("gamma = 0.7", panel="negamax", level=0.801), NO),
    ("gamma", 0, over(*FIVE[1:], panel="negamax", level=0.7), MAYBE),  # as 0.7 is just as good
    ("gamma", 0, over(*FIVE, panel="own turn", level=0.9) | over(*FIVE, panel="negamax", level=0.7), YES),
    ("gamma", 0, over("gamma = 0.9", panel="own turn", level=0.1) | over(*FIVE, panel="negamax", level=0.7), YES),
]


@pytest.mark.parametrize(("figure", "claim", "levels", "verdict"), CASES)
def test_verdicts_on_how_fast_agents_learn(
    figure: str, claim: int, levels: Mapping[Place, Level], verdict: str
) -> None:
    found = judged(figure, levels)
    assert found.claims[claim].verdict == verdict
    assert "not run" not in "".join(claim.found for claim in found.claims)


def test_speed_is_the_mean_of_the_curve_and_not_its_end() -> None:
    slow, usual = curve(("", "N = 0")), curve(("", "N = 10"))
    slow.measured["vs_random"][:, 1:] += np.array([-0.2, 0.1])
    usual.measured["vs_random"][:, 1:] += np.array([0.1, -0.1])
    assert STUDY.figures["fig4"].judge(Data([slow, usual])).claims[0].verdict == YES


#: Four seeds of five are better: enough for one comparison, and too little for several.
NEARLY = np.array([0.0099, 0.0046, 0.0045, 0.0038, -0.0005])


def test_more_comparisons_want_more_evidence() -> None:
    nearly = (USUAL - NEARLY).tolist()
    assert judged("fig4", over("N = 0", level=nearly)).claims[0].verdict == YES
    five = over(*FIVE, panel="negamax", level=0.7) | over("gamma = 1", panel="negamax", level=nearly)
    assert judged("gamma", five).claims[0].verdict == MAYBE


def test_what_an_outline_leaves_out_is_undecided() -> None:
    expected = {
        "fig4": [YES, MAYBE, MAYBE, MAYBE],
        "fig5": [MAYBE, MAYBE],
        "fig6": [NO, MAYBE, MAYBE],
        "gamma": [MAYBE] * 5,
    }
    levels = {"fig4": over("N = 0", level=0.7), "fig6": over("10 whole games", level=0.7)}
    for figure, wanted in expected.items():
        found = judged(figure, levels.get(figure, {}), quick=True)
        assert [claim.verdict for claim in found.claims] == wanted
        assert "not run" in found.claims[1].found


# --- the course of a run, and its end ------------------------------------------------------------------------------


LINE = np.linspace(0, 1, 21)


def test_a_rise_is_against_each_seeds_own_first_tenth() -> None:
    def rising(by: Any, course: Any = LINE) -> str:
        course = USUAL + LUCK[:, None] + np.asarray(by)[:, None] * course
        others = [curve(("", label)) for label in verdicts.HEADS[1:]]
        first = Runs("", verdicts.HEADS[0], tuple(range(SEEDS)), np.arange(21), {"vs_random": course})
        return STUDY.figures["fig7"].judge(Data([first, *others])).verdict

    assert rising(np.full(SEEDS, 0.01)) == YES
    assert rising(np.full(SEEDS, -0.01)) == NO
    assert rising(0.01 * TORN) == MAYBE
    hump = LINE + 5 * ((LINE > 0.1) & (LINE < 1))  # higher on the way than in the end
    assert rising(np.full(SEEDS, 0.01), hump) == YES


def headline(place: int, **ends: Level) -> list[str]:
    heads = [curve(("", label), **(MORE | (ends if at == place else {}))) for at, label in enumerate(verdicts.HEADS)]
    finding = STUDY.figures["headline"].judge(Data(heads))
    found = [claim.verdict for claim in finding.claims]
    assert found[: 2 * place] + found[2 * place + 2 :] == [NO] * 4
    assert all(verdicts.HEADS[place] in claim.claim for claim in finding.claims[2 * place : 2 * place + 2])
    return found[2 * place : 2 * place + 2]


@pytest.mark.parametrize("place", range(3))
def test_the_headline_is_of_each_agent_in_its_lesser_seat_and_against_perfect(place: int) -> None:
    assert headline(place, random_first=0.98, random_second=0.98, vs_perfect=0.95) == [YES, YES]
    assert headline(place, random_first=0.99, random_second=0.979, vs_perfect=0.949) == [NO, NO]
    assert headline(place, random_first=0.979, random_second=0.99, vs_perfect=0.99) == [NO, YES]
    torn = {"random_first": (0.98 + 0.005 * TORN).tolist(), "vs_perfect": (0.95 + 0.005 * TORN).tolist()}
    assert headline(place, random_second=0.99, **torn) == [MAYBE, MAYBE]


GAMMA = ("gamma = 0.9", "gamma = 0.99", "gamma = 1")


def divergence(panel: str, how: str, sizes: Sequence[Level], lives: Sequence[Level] = (1.0, 1.0, 1.0)) -> list[str]:
    """The verdicts of the four claims of divergence, these curves' values in the end so large."""
    named = {(panel, f"{label}{how if label != GAMMA[0] else ''}"): place for place, label in enumerate(GAMMA)}
    found = []
    for each in STUDY.figures["gamma"].curves:
        at = named.get((each.panel, each.label))
        ends = {"size": 0.2, "live": 1.0} if at is None else {"size": sizes[at], "live": lives[at]}
        found.append(curve((each.panel, each.label), **ends, spread=0.2))
    return [claim.verdict for claim in STUDY.figures["gamma"].judge(Data(found)).claims[1:]]


NAN = float("nan")
BEYOND = [  # sizes at 0.9, 0.99 and 1, the verdict
    ((0.2, 0.2, [1.1, 1.1, 1.1, 0.2, 0.2]), YES),  # three of five
    ((0.2, 0.2, [1.1, 1.1, 0.2, 0.2, 0.2]), MAYBE),
    ((0.2, 0.2, [NAN, NAN, NAN, NAN, 0.2]), YES),
    ((0.2, 0.2, float("inf")), YES),
    (([1.1, 0.2, 0.2, 0.2, 0.2], 1.1, 1.1), MAYBE),  # it is not gamma, then
    ((0.2, 1.0, 1.0), NO),
    ((0.2, [1.1, 0.2, 0.2, 0.2, 0.2], 0.2), MAYBE),
]


@pytest.mark.parametrize(("claim", "panel", "how"), [
    (0, "negamax", ", at the rate of 0.9"),
    (1, "negamax", ""),
    (2, "own turn", ", at the rate of 0.9"),
    (3, "own turn", ""),
])  # fmt: skip
def test_what_diverges_has_values_beyond_a_wins(claim: int, panel: str, how: str) -> None:
    for sizes, verdict in BEYOND:
        found = divergence(panel, how, sizes)
        assert found[claim] == verdict
        # The other panel knows nothing of it.
        assert found[2 * (1 - claim // 2) :][:2] == [NO, NO]


def test_a_network_that_has_died_has_diverged_too() -> None:
    assert divergence("negamax", "", (0.2, 0.2, 0.2), (1.0, 1.0, 0.0))[1] == YES
    assert divergence("negamax", "", (0.2, 0.2, 0.2), (1.0, 1.0, 0.001))[1] == NO


def own_turn(ends: Mapping[Place, Level]) -> str:
    places = [(each.panel, each.label) for each in STUDY.figures["own-turn"].curves]
    assert set(ends) <= set(places)
    usual = {"negamax": 0.5, "own turn": 0.1}
    runs = [curve(place, vs_perfect=ends.get(place, usual[place[0]])) for place in places]
    return STUDY.figures["own-turn"].judge(Data(runs)).verdict


def test_own_turn_is_judged_at_either_rate_against_perfect() -> None:
    by_random, by_perfect = "rate chosen against random", "rate chosen against perfect"
    assert own_turn({}) == YES
    assert own_turn({("own turn", by_perfect): 0.499}) == YES
    assert own_turn({("own turn", by_perfect): 0.501}) == NO
    assert own_turn({("negamax", by_random): 0.099}) == NO
    assert own_turn({("own turn", by_random): (0.5 + 0.01 * TORN).tolist()}) == MAYBE
    assert own_turn({("own turn", by_random): (0.5 - NEARLY).tolist()}) == MAYBE  # one of four comparisons


# --- values for the page ------------------------------------------------------------------------------------------


def test_values_have_every_arms_end_its_mean_and_its_living_networks() -> None:
    course = np.array([[0.1, 0.5, 0.7], [0.1, 0.6, 0.8]])
    vitals = {"live": np.full((2, 3), 0.5), "spread": np.array([[0.1, 0.1, 0.1], [0.1, 0.1, 0.0]])}
    vitals["size"] = np.full((2, 3), 0.5)
    runs = [
        Runs("p", "a", (0, 1), np.array([0, 1, 2]), {"vs_random": course} | vitals),
        Runs("", "b", (0, 1), np.array([0, 1, 2]), {"vs_random": course}),
    ]
    found = verdicts.values_of(Data(runs))
    assert {name: value.split(" [")[0] for name, value in found.items()} == {
        "p, a: wins against random": "75.00%",
        "p, a: wins against random, mean of the curve": "65.00%",
        "p, a: networks alive": "1 of 2",
        "b: wins against random": "75.00%",
        "b: wins against random, mean of the curve": "65.00%",
    }


#: figure, the one dead arm, the claims that compare it (the rest can be judged)
DEAD = [
    ("fig4", ("", "N = 0"), [0]),
    ("fig4", ("", "N = 200"), [2, 3]),
    ("fig4", ("", "N = 10"), [0, 1, 2, 3]),
    ("fig5", ("RMSProp", "constant"), [0]),
    ("fig5", ("RMSProp", "annealed, a third of the rate"), []),
    ("fig6", ("", "670 transitions"), [2]),
    ("fig7", ("", "128 outputs"), [0]),
    ("fig7", ("", "624 outputs"), []),
    ("headline", ("", "624 outputs"), [2, 3]),
    ("gamma", ("negamax", "gamma = 0.99"), [0]),  # the other claims are about divergence itself
    ("own-turn", ("own turn", "rate chosen against perfect"), [0]),
]


@pytest.mark.parametrize(("figure", "dead", "unjudged"), DEAD)
def test_a_dead_arm_leaves_nothing_to_judge_of_what_is_compared_with_it(
    figure: str, dead: Place, unjudged: list[int]
) -> None:
    places = [(c.panel, c.label) for c in STUDY.figures[figure].curves]
    assert dead in places
    data = Data([curve(place, USUAL, live=float(place != dead), **MORE) for place in places])
    found = life.judged(STUDY.figures[figure].judge(data), data)
    assert [place for place, claim in enumerate(found.claims) if claim.verdict == UNJUDGED] == unjudged


@pytest.mark.parametrize("figure", [name for name in STUDY.figures if name not in STUDY.trials])
def test_every_finding_has_words_and_values_of_every_curve(figure: str) -> None:
    found = judged(figure, {})
    assert all(claim.claim and claim.found for claim in found.claims)
    for each in STUDY.figures[figure].curves:
        name = f"{each.panel}, {each.label}" if each.panel else each.label
        assert f"{name}: wins against random" in found.values
        assert f"{name}: wins against random, mean of the curve" in found.values
