"""Whether networks live: every cause of death on both sides of its boundary; and no verdict over the dead."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.study import life, measures, page, reproduce
from ludus.study.comparison import beats
from ludus.study.data import Data, Runs, write_curves
from ludus.study.statistics import FAILS, HOLDS, UNDECIDED, UNJUDGED
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study
from ludus.study.trials import highest, highest_living

#: A network that lives, at its start and at its end.
FIRST = {"live": 1.0, "spread": 0.05, "size": 0.5, "moved": 0.0, "rank": 1.0}
LAST = {"live": 0.5, "spread": 0.1, "size": 0.6, "moved": 0.8, "rank": 0.3}
POINTS = 11
STEPS = 10 * np.arange(POINTS)


def curve(label: str = "a", seeds: int = 10, *, dead: int = 0, score: float = 0.5, **ends: float) -> Runs:
    """Seeds whose measures go straight from their first value to their last; so many of them are killed."""
    last = LAST | ends
    way = {name: np.linspace(FIRST[name], last[name], POINTS) for name in FIRST if not np.isnan(last[name])}
    measured = {name: np.tile(values, (seeds, 1)) for name, values in way.items()}
    for name, value in ends.items():
        if np.isnan(value):
            measured[name] = np.tile(np.append(np.full(POINTS - 1, FIRST[name]), np.nan), (seeds, 1))
    measured["live"][:dead, -1] = 0
    measured["score"] = score + np.arange(seeds)[:, None] / 1000 + np.zeros((seeds, POINTS))
    return Runs("", label, tuple(range(seeds)), STEPS, measured)


# --- causes -------------------------------------------------------------------------------------------------------

CASES = [
    ({}, ""),
    ({"size": 999.0, "spread": 1.0}, ""),
    ({"size": 1001.0, "spread": 1.0}, "diverged"),
    ({"size": 0.5, "spread": 1001.0}, "diverged"),
    ({"size": float("nan")}, "diverged"),
    ({"spread": float("nan"), "live": 0.0}, "diverged"),  # the first cause that is true
    ({"live": 0.01}, ""),
    ({"live": 0.0}, "dark"),
    ({"live": 0.0, "spread": 0.0}, "dark"),
    # Flat: the room of 0.6 is 0.4, of which a hundredth is 0.004.
    ({"spread": 0.0041}, ""),
    ({"spread": 0.0039}, "flat"),
    ({"spread": 0.0}, "flat"),
    # Near 1 values differ little: the room of 0.999 is 0.001.
    ({"size": 0.999, "spread": 1.1e-5}, ""),
    ({"size": 0.999, "spread": 0.97e-5}, "flat"),
    ({"size": 0.001, "spread": 1.1e-5}, ""),  # and near 0
    ({"size": 0.001, "spread": 0.9e-5}, "flat"),
    ({"size": 50.0, "spread": 0.001}, ""),  # logits
    ({"size": 50.0, "spread": 0.0004}, "flat"),  # that cannot be told apart in single precision
    ({"rank": 0.9989}, ""),
    ({"rank": 0.9991}, "unmoved"),
    ({"rank": -1.0}, ""),
]


@pytest.mark.parametrize(("ends", "cause"), CASES)
def test_every_cause_on_both_sides_of_its_boundary(ends: dict[str, float], cause: str) -> None:
    runs = curve("a", 2, **ends)  # pyright: ignore[reportArgumentType]
    assert life.causes(runs) == [cause] * 2
    assert life.alive(runs) == [not cause] * 2


def with_start(runs: Runs, **first: float) -> Runs:
    """The same with other values before learning."""
    for name, value in first.items():
        runs.measured[name][:, 0] = value
    return runs


def test_who_began_flat_and_keeps_half_of_it_lives() -> None:
    """As the smallest networks do, whose values begin near 0 and which move in small steps: what a player of one ply
    makes of them depends on their order alone.
    """
    assert life.causes(with_start(curve(seeds=1, size=0.5, spread=0.0026), spread=0.005)) == [""]
    assert life.causes(with_start(curve(seeds=1, size=0.5, spread=0.0024), spread=0.005)) == ["flat"]
    # Half of it as a sigmoid sees it: at 0.99 there is a fiftieth of the room, and half the spread would be too much.
    assert life.causes(with_start(curve(seeds=1, size=0.99, spread=0.00006), spread=0.005)) == [""]
    assert life.causes(with_start(curve(seeds=1, size=0.99, spread=0.00004), spread=0.005)) == ["flat"]


def test_weights_that_stay_after_the_first_tenth_have_stopped() -> None:
    """Not those that come to rest later: a network that has learned all there is may."""
    for still_from, cause in ((1, "stopped"), (2, ""), (POINTS - 1, "")):
        runs = curve(seeds=1)
        runs.measured["moved"][:, still_from:] = runs.measured["moved"][:, still_from : still_from + 1]
        assert life.causes(runs) == [cause]
    runs = curve(seeds=1)
    runs.measured["moved"][:, 1:] = 0.3 * (1 + np.linspace(0, 0.0011, POINTS - 1))  # it hardly moves, but it does
    assert life.causes(runs) == [""]
    short = Runs("", "a", (0,), STEPS[:3], {name: values[:, -3:] for name, values in curve(seeds=1).measured.items()})
    short.measured["moved"][:] = 0.3
    assert life.causes(short) == [""]  # too few points to tell


def test_a_run_that_was_not_trained_is_not_unmoved() -> None:
    runs = Runs("", "a", (0,), np.array([0]), {"rank": np.ones((1, 1))})
    assert life.causes(runs) == [""]


def test_a_file_without_some_columns_is_judged_by_the_others() -> None:
    whole = curve(live=0.0, rank=0.9999)
    old = Runs("", "a", whole.seeds, STEPS, {n: v for n, v in whole.measured.items() if n not in ("live", "moved")})
    assert set(life.causes(old)) == {"unmoved"}
    none = Runs("", "a", whole.seeds, STEPS, {"score": whole.measured["score"]})
    assert all(life.alive(none))
    assert life.said(none) == "life not measured"
    assert life.said(curve(dead=3)) == "7 of 10 networks alive (3 dark)"
    assert life.said(curve()) == "10 of 10 networks alive"


# --- verdicts -----------------------------------------------------------------------------------------------------


def verdicts(*curves: Runs, **more: object) -> list[str]:
    """What becomes of the claim that `a` beats `b`, of one that names no arms, and of one about death."""
    data = Data(curves)
    one = beats("a beats b", data, [(("", "a"), ("", "b"))], lambda runs: runs.end("score"))
    made = Finding((one, Claim("all", HOLDS), Claim("they die", HOLDS, dead_too=True)), {})
    return [claim.verdict for claim in life.judged(made, data).claims]


def test_a_claim_over_an_arm_with_fewer_than_eight_in_ten_alive_cannot_be_judged() -> None:
    better = curve("a", score=0.7)
    assert verdicts(better, curve("b")) == [HOLDS, HOLDS, HOLDS]
    assert verdicts(better, curve("b", dead=2)) == [HOLDS, HOLDS, HOLDS]
    assert verdicts(better, curve("b", dead=3)) == [UNJUDGED, UNJUDGED, HOLDS]
    assert verdicts(curve("a", dead=3, score=0.7), curve("b")) == [UNJUDGED, UNJUDGED, HOLDS]
    # A third curve is none of the first claim's arms.
    assert verdicts(better, curve("b"), curve("c", dead=10)) == [HOLDS, UNJUDGED, HOLDS]
    # Four of five are eight in ten, and a loss over dead networks is no loss either.
    assert verdicts(curve("a", 5, score=0.7), curve("b", 5, dead=1)) == [HOLDS, HOLDS, HOLDS]
    assert verdicts(curve("a", score=0.1), curve("b", dead=3))[0] == UNJUDGED
    assert verdicts(better)[0] == UNDECIDED  # an arm that was not run


def test_it_says_which_arm_is_dead_and_keeps_what_was_found() -> None:
    data = Data([curve("a", score=0.7), curve("b", dead=4)])
    claim = beats("a beats b", data, [(("", "a"), ("", "b"))], lambda runs: runs.end("score"))
    (found,) = life.judged(Finding((claim,), {}), data).claims
    assert found.found == f"{claim.found}; b: 6 of 10 networks alive (4 dark)"
    assert (found.networks, found.seeds) == ("6 of 10", 10)
    assert life.judged(Finding((found,), {}), Data([curve("c")])).claims == (found,)  # none of its arms


def test_few_seeds_are_said() -> None:
    def remark(*curves: Runs) -> str:
        return life.judged(Finding((Claim("all", HOLDS),), {}), Data(curves)).claims[0].remark

    assert remark(curve("a"), curve("b", 10)) == ""
    assert remark(curve("a"), curve("b", 5)) == "only 5 seeds; 10 are wanted"
    assert remark(curve("a"), curve("b", 10, dead=1)) == "only 10 seeds; 20 are wanted"  # some live and some do not
    assert remark(curve("a", 20), curve("b", 20, dead=1)) == ""
    assert remark(curve("a"), curve("b", 10, dead=10)) == ""


def test_a_figures_verdict_knows_that_a_claim_could_not_be_judged() -> None:
    def whole(*verdicts: str) -> str:
        return Finding(tuple(Claim("", verdict) for verdict in verdicts), {}).verdict

    assert whole(HOLDS, UNJUDGED, UNDECIDED) == UNJUDGED
    assert whole(UNJUDGED, FAILS) == FAILS
    assert whole(UNJUDGED) == UNJUDGED


def test_a_trial_does_not_choose_the_dead_for_a_score_that_they_reach_blindly() -> None:
    blind, seeing = curve(live=0.0, score=0.9), curve(score=0.6)
    blind.measured["score"][:, 0] = 0.4
    criterion = highest_living("score")
    assert criterion(seeing) == pytest.approx(np.mean(seeing.end("score"))) == highest("score")(seeing)
    assert criterion(blind) == pytest.approx(0.4)
    assert 0.4 < criterion(seeing) < highest("score")(blind)


# --- a study in which networks are killed -------------------------------------------------------------------------

SARSA = Recipe.of("", "online", algorithm="sarsa", starts=8)
RATES = {"slow": 0.03, "fast": 0.1, "killed": 1e6}


def judge(seen: Data) -> Finding:
    def ahead(one: str, other: str) -> Claim:
        return beats(f"{one} over {other}", seen, [(("", one), ("", other))], lambda runs: runs.end("held"))

    return Finding((ahead("fast", "slow"), ahead("fast", "killed"), ahead("killed", "slow")), {})


STUDY = Study(
    paper="tiny",
    title="Tiny",
    game=lambda: make_game("hex", size=2),
    unit="moves",
    figures_with=lambda choices: {
        "one": Figure(
            "One", tuple(Curve("", name, SARSA.with_settings(alpha=a)) for name, a in RATES.items()), judge, ("held",)
        )
    },
    measure=lambda game, quick: measures.won_held(game),
    scales={"": Scale(5, 3, 200)},
    outline=Scale(2, 2, 50),
    words={"held": Axis("held")},
)


@pytest.mark.slow
def test_a_network_killed_on_purpose_cannot_be_judged_and_one_that_lives_can(tmp_path: Path) -> None:
    (report,) = reproduce.reproduce(STUDY, ["one"], tmp_path)
    healthy, *killed = report.finding.claims
    assert healthy.verdict in (HOLDS, FAILS, UNDECIDED)
    assert healthy.networks == "5 of 5"
    for claim in killed:
        assert claim.verdict == UNJUDGED
        assert claim.networks == "0 of 5"
        assert "killed: 0 of 5 networks alive" in claim.found
    # The file has every column, at every point of every seed; and nothing has moved before anything was learned.
    head = (tmp_path / "one.csv").read_text().splitlines()[0].split(",")
    assert set(life.COLUMNS) < set(head)
    assert "ratings" not in head
    for runs in reproduce.read(STUDY, "one", tmp_path).curves:
        assert runs.at("moved", 0) == [0.0] * 5
        assert runs.at("rank", 0) == [1.0] * 5
    # The page says it.
    known = json.loads((tmp_path / "verdicts.json").read_text())
    shown = page.filled("<!-- made: verdicts --><!-- end -->", known)
    assert shown.count(f"| 0 of 5 | **{UNJUDGED}** (only 5 seeds; 10 are wanted) |") == 2
    assert "| 5 of 5 | **" in shown
    # From the file alone it is the same; and without the columns that older files do not have.
    (again,) = reproduce.judge_again(STUDY, ["one"], tmp_path)
    assert again.finding == report.finding
    curves = reproduce.read(STUDY, "one", tmp_path).curves
    for runs in curves:
        for name in ("moved", "rank"):
            del runs.measured[name]  # type: ignore[attr-defined]
    write_curves(tmp_path / "one.csv", "moves", curves)
    (older,) = reproduce.judge_again(STUDY, ["one"], tmp_path)
    assert [claim.verdict for claim in older.finding.claims] == [claim.verdict for claim in report.finding.claims]
