"""Pictures show all that was measured, and nothing beyond what is possible; each curve can be told from the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from ludus.games import make_game
from ludus.learners.recipe import Recipe
from ludus.study import data, reproduce
from ludus.study.data import Data, Runs
from ludus.study.layout import COLUMNS, PAGE
from ludus.study.pictures import AIR, CROWD, FLOOR, draw, plot
from ludus.study.study import Axis, Claim, Curve, Figure, Finding, Scale, Study
from ludus.study.styles import MANY

WORDS = {
    "value": Axis("value", bounds=(-1, 1)),
    "gap": Axis("1 - value", of="value", log_below=1),
    "held": Axis("held, %", 100, (0, 100), references=((55, "random player"),)),
}
STEPS = np.arange(5) * 1000


def made_up(panel: str, label: str, seeds: int = 4, **measured: Any) -> Runs:
    """Seeds that come near 1, each in its own way; or what is given."""
    rises = 1 - np.exp(-np.outer(1 + np.arange(seeds) / 7, STEPS) / 1000)
    given = {name: np.broadcast_to(values, rises.shape).astype(float) for name, values in measured.items()}
    return Runs(panel, label, tuple(range(seeds)), STEPS, given or {"value": 0.99 * rises, "held": 0.5 + 0.4 * rises})


def picture(curves: Sequence[Runs], measures: Sequence[str] = ("value", "held"), references: Any = None) -> Any:
    return plot(Data(curves), "Tiny, one. First", "moves", measures, WORDS, references or {})


def line(axes: Any, label: str) -> Any:
    (found,) = [line for line in axes.lines if line.get_label() == label]
    return found


def entries(figure: Any) -> dict[str, Any]:
    (legend,) = figure.legends
    return dict(zip([text.get_text() for text in legend.get_texts()], legend.get_lines(), strict=True))


def written(curves: Sequence[Runs], path: Path, measures: Sequence[str] = ("value", "held")) -> str:
    draw(Data(curves), path, "Tiny, one. First", "moves", measures, WORDS)
    return path.read_text()


# --- what is shown ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["value", "held", "gap"])
def test_every_seed_is_drawn_under_the_mean_and_its_interval(word: str) -> None:
    runs = made_up("p", "a")
    (axes,) = picture([runs], (word,)).axes
    values = {"value": runs.measured["value"], "held": 100 * runs.measured["held"], "gap": 1 - runs.measured["value"]}
    x, y = line(axes, "_a").get_data()
    drawn = [y[at : at + len(STEPS)] for at in range(0, len(y), len(STEPS) + 1)]
    np.testing.assert_allclose(drawn, values[word])
    assert np.isnan(y[len(STEPS) :: len(STEPS) + 1]).all()  # from one seed to the next nothing is drawn
    assert x[: len(STEPS)].tolist() == STEPS.tolist()
    np.testing.assert_allclose(line(axes, "a").get_ydata(), values[word].mean(axis=0))
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    assert values[word].min() <= corners[:, 1].min() < corners[:, 1].max() <= values[word].max()
    assert line(axes, "_a").get_linewidth() < line(axes, "a").get_linewidth() / 2
    assert line(axes, "_a").get_zorder() < line(axes, "a").get_zorder()
    assert line(axes, "_a").get_color() == line(axes, "a").get_color()


@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.97, 1.0), (1.0, 1.0), (0.5, 1.3)])
def test_no_axis_goes_beyond_what_is_possible(ends: tuple[float, float]) -> None:
    runs = made_up("p", "a", held=np.linspace(*ends, 4)[:, None])
    low, high = picture([runs], ("held",)).axes[0].get_ylim()
    lowest = min(100 * ends[0], 55)  # the random player's
    assert lowest - AIR * 100 <= low < lowest
    assert 100 < high <= 100 + AIR * 100


def test_flat_curves_have_an_axis() -> None:
    low, high = picture([made_up("p", "a", value=1)], ("value",)).axes[0].get_ylim()
    assert 0.9 < low < 1 < high < 1.01


def test_a_logarithmic_axis_shows_what_is_perfect_at_its_floor() -> None:
    """Nothing is said of it: a warning is an error."""
    runs = made_up("p", "a", value=np.array([0.0, 0.9, 0.999, 1.0, 1.0 + 1e-9]))
    figure = picture([runs], ("gap",))
    (axes,) = figure.axes
    np.testing.assert_allclose(line(axes, "a").get_ydata(), [1, 0.1, 0.001, FLOOR, FLOOR], rtol=1e-9)
    np.testing.assert_allclose(line(axes, "_a").get_ydata()[:5], [1, 0.1, 0.001, FLOOR, FLOOR], rtol=1e-9)
    assert axes.get_yscale() == "log"
    assert FLOOR / 2 < axes.get_ylim()[0] < FLOOR
    figure.canvas.draw()
    said = [label.get_text() for label in axes.get_yticklabels()]
    assert said == ["≤0.0001", "0.001", "0.01", "0.1", "1"]


def test_the_start_is_drawn_and_thousands_are_said() -> None:
    figure = picture([made_up("p", "a")], ("value",))
    (axes,) = figure.axes
    assert axes.get_xlim()[0] < 0
    assert line(axes, "a").get_markevery() == [0]
    figure.canvas.draw()
    said = [label.get_text() for label in axes.get_xticklabels()]
    assert {"0", "1k", "4k"} <= set(said)
    assert [text.get_text() for text in figure.texts].count("moves of self-play") == 1


def test_what_was_not_measured_is_left_out() -> None:
    """A loss before learning is nothing, and neither is that of a network that has gone out of bounds."""
    gone = np.array([[np.nan, 0.5, 0.4, 0.3, np.inf], [np.nan, 0.4, 0.3, 0.2, 0.1]])
    figure = picture(
        [made_up("p", "a", 2, value=gone), made_up("q", "a", 2, held=0.7), made_up("q", "b", 2, value=0.2)]
    )
    value_p, value_q, held_p, held_q = figure.axes
    np.testing.assert_allclose(line(value_p, "a").get_ydata(), [np.nan, 0.45, 0.35, 0.25, np.nan])
    np.testing.assert_allclose(line(value_p, "_a").get_ydata()[6:11], gone[1])  # the other seed goes on
    assert [some.get_label() for some in value_q.lines] == ["_b", "b"]
    assert [text.get_text() for text in held_p.texts] == ["not measured"]
    assert not held_q.texts or "not measured" not in held_q.texts[0].get_text()
    assert value_p.get_ylim()[1] < 0.6
    assert picture([]).axes[0].texts[0].get_text() == "not measured"


def test_one_seed_has_no_interval() -> None:
    (axes,) = picture([made_up("p", "a", seeds=1)], ("value",)).axes
    assert not axes.collections
    assert np.isfinite(line(axes, "a").get_ydata()).all()


def test_level_lines_are_in_all_panels_and_named_beside_them() -> None:
    curves = [made_up(f"p{k}", "a") for k in range(COLUMNS + 1)]
    figure = picture(curves, ("held", "value"), {"held": ((56, "the paper's"),)})
    held = [axes for axes in figure.axes if axes.get_xlabel() == "" and len(axes.lines) > 2]
    assert len(held) == len(curves)
    for axes in held:
        assert [some.get_ydata()[0] for some in axes.lines if some.get_label() == "_level"] == [55, 56]
    named = [axes for axes in figure.axes if axes.texts]
    assert len(named) == 2  # the last of each row
    for axes in named:
        (random, paper) = (text.get_window_extent() for text in axes.texts)
        assert min(random.x0, paper.x0) >= axes.get_window_extent().x1  # where no curve is
        assert max(random.x1, paper.x1) <= figure.bbox.x1
        assert random.y1 <= paper.y0


# --- one legend -------------------------------------------------------------------------------------------------------

PANELS = {
    "one": [made_up("", f"N = {n}") for n in (0, 1, 5, 10)],
    "two, with labels of their own": [made_up("p", "p, rate 0.1"), made_up("q", "q, rate 0.1"), made_up("q", "both")],
    "five": [made_up(f"beta/alpha {k}", f"alpha {a:g}") for k in range(5) for a in (0.1, 0.01, 0.001, 1e-4)],
    "many": [
        made_up(f"a panel of a rather long name {k}", f"learning rate {a:g}") for k in range(14) for a in (3, 0.3, 30)
    ],
}


@pytest.mark.parametrize("name", PANELS)
def test_there_is_one_legend_and_it_covers_nothing(name: str) -> None:
    curves = PANELS[name]
    figure = picture(curves)
    assert list(entries(figure)) == list(dict.fromkeys(runs.label for runs in curves))
    assert not any(axes.get_legend() for axes in figure.axes)
    around = [figure.legends[0].get_window_extent(), *(text.get_window_extent() for text in figure.texts)]
    for number, box in enumerate(around):
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1
        assert not any(box.overlaps(axes.get_tightbbox()) for axes in figure.axes)
        assert not any(box.overlaps(other) for other in around[:number])
    for axes in figure.axes:
        for runs in (runs for runs in curves if runs.label in {some.get_label() for some in axes.lines}):
            assert line(axes, runs.label).get_color() == entries(figure)[runs.label].get_color()


@pytest.mark.parametrize("name", PANELS)
def test_panels_wrap_and_share_their_axes(name: str) -> None:
    curves = [made_up(PANELS[name][0].panel, "low", value=-0.5, held=0.1), *PANELS[name]]
    figure = picture(curves)
    boxes = [axes.get_position() for axes in figure.axes]
    count = len({runs.panel for runs in curves})
    assert len(boxes) == 2 * count
    assert len({round(box.x0, 6) for box in boxes}) <= COLUMNS
    assert figure.get_figwidth() <= PAGE + 1e-9
    whole = [axes.get_tightbbox() for axes in figure.axes]  # with titles and labels
    assert not any(a.overlaps(b) for k, a in enumerate(whole) for b in whole[:k])
    figure.canvas.draw()
    for axes, box in zip(figure.axes, boxes, strict=True):
        first, lowest = box.x0 == min(b.x0 for b in boxes), box.y0 == min(b.y0 for b in boxes if b.x0 == box.x0)
        assert bool(axes.get_ylabel()) == first
        assert any(tick.label1.get_visible() for tick in axes.yaxis.get_major_ticks()) == first
        assert any(tick.label1.get_visible() for tick in axes.xaxis.get_major_ticks()) == lowest
        assert axes.get_xlim() == figure.axes[0].get_xlim()
    for row, least in enumerate((-0.5, 10)):
        (limits,) = {axes.get_ylim() for axes in figure.axes[row * count : (row + 1) * count]}
        assert limits[0] < least


def test_many_settings_are_told_by_their_numbers_and_drawn_without_seeds() -> None:
    """A trial's: colour, kind of line, width."""
    grid = [f"alpha {a}, ratio {r}, bound {b}" for a in (1, 2, 3) for r in (10, 0.1) for b in (4, 6, 9)]
    assert len(grid) > max(MANY, CROWD)
    figure = picture([made_up("p", label) for label in grid] + [made_up("q", "alpha 2")], ("value",))
    named = entries(figure)
    assert list(named) == [
        *("alpha 1", "alpha 2", "alpha 3"),
        *("ratio 0.1", "ratio 10"),
        *("bound 4", "bound 6", "bound 9"),
    ]
    crowded, alone = figure.axes
    look = {(some.get_color(), str(some._dash_pattern), some.get_linewidth()) for some in crowded.lines}
    assert len(look) == len(crowded.lines) == len(grid)
    assert [some.get_label() for some in alone.lines] == ["_alpha 2", "alpha 2"]
    colors = {line(crowded, label).get_color() for label in grid if label.startswith("alpha 2,")}
    assert colors == {named["alpha 2"].get_color()} == {line(alone, "alpha 2").get_color()}
    assert f"more than {CROWD} curves" in figure.texts[1].get_text()


# --- as a file --------------------------------------------------------------------------------------------------------


def test_the_same_data_give_the_same_bytes(tmp_path: Path) -> None:
    first = written([made_up("p", "a")], tmp_path / "a.svg")
    assert written([made_up("p", "a")], tmp_path / "b.svg") == first
    assert written([made_up("p", "a", value=0.9)], tmp_path / "c.svg") != first
    assert "dc:date" not in first


def test_a_large_figure_is_a_small_file(tmp_path: Path) -> None:
    """As large as Hex's fig. 5; all digits of noise."""
    rng = np.random.default_rng(0)
    curves = [
        Runs(f"p{k}", f"alpha {a}", tuple(range(10)), 250 * np.arange(21), {"value": v, "held": v})
        for k in range(5)
        for a, v in enumerate(rng.random((4, 10, 21)))
    ]
    made = written(curves, tmp_path / "a.svg")
    assert len(made) < 400_000
    assert not re.search(r' d="[^"]*\.\d{3}', made)
    assert "<image" not in made  # nothing but lines and text


def test_a_file_is_a_picture_with_text_on_white(tmp_path: Path) -> None:
    root = ElementTree.fromstring(written([made_up("first", "a"), made_up("second", "b")], tmp_path / "a.svg"))
    space = "{http://www.w3.org/2000/svg}"
    said = [text.text for text in root.iter(f"{space}text")]
    for words in ("Tiny, one. First", "first", "second", "value", "held, %", "moves of self-play", "random", "2k"):
        assert words in said
    assert said.count("a") == said.count("b") == 1
    ground = next(root.iter(f"{space}path"))
    assert "#ffffff" in ground.attrib["style"]
    assert all("sans-serif" in text.attrib["style"] for text in root.iter(f"{space}text"))  # not everyone has our font


def test_a_figure_has_its_own_level_lines(tmp_path: Path) -> None:
    recipe = Recipe.of("", "online")
    figure = Figure(
        "First",
        (Curve("p", "a", recipe),),
        lambda seen: Finding((Claim("c", "holds"),), {}),
        ("held",),
        references={"held": ((98, "as printed"),)},
    )
    study = Study(
        paper="tiny",
        title="Tiny",
        game=lambda: make_game("hex", size=2),
        unit="moves",
        figures_with=lambda choices: {"one": figure},
        measure=lambda game, quick: lambda learner, config, weights: {},
        scales={"": Scale(2, 2, 50)},
        outline=Scale(2, 2, 50),
        words=WORDS,
    )
    data.write_curves(tmp_path / "one.csv", "moves", [made_up("p", "a")])
    report = reproduce.judge(study, "one", tmp_path)
    assert ">as printed<" in report.svg.read_text()
    assert ">Tiny, one. First<" in report.svg.read_text()
