"""Curves can be told apart, and those of a series are in its order."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from ludus.study.styles import styles


def lightness(color: str) -> float:
    return float(np.dot(to_rgb(color), (0.2126, 0.7152, 0.0722)))


@pytest.mark.parametrize(
    "labels",
    [
        ["alpha 0.001", "alpha 1e-05", "alpha 1e+06", "alpha 0.1"],
        ["N = 50", "N = 0", "N = 5"],
        [
            "nesterov, rate 3",
            "nesterov, rate 1",
            "nesterov, rate 2",
            "adadelta, rate 1",
            "adadelta, rate 2",
            "adadelta, rate 3",
        ],
    ],
)
def test_a_series_is_coloured_in_the_order_of_its_numbers(labels: list[str]) -> None:
    look, legend = styles(labels)
    assert list(legend) == labels
    series = {label.rstrip("0123456789.e+-") for label in labels}
    for words in series:
        mine = sorted(
            (label for label in labels if label.startswith(words)), key=lambda label: float(label.split()[-1])
        )
        steps = np.diff([lightness(look[label].color) for label in mine])
        assert (steps > 0.02).all()
    assert len({style.color for style in look.values()}) == len(labels)


def test_names_are_told_apart_by_colour_and_then_by_line() -> None:
    labels = [f"learner {letter}" for letter in "abcdefghijkl"]
    look = styles([*labels, "GTD2", "128 outputs", "624 outputs"])[0]
    assert len({(style.color, style.line) for style in look.values()}) == len(look)
    assert len({look[label].color for label in labels[:7]}) == 7
    assert max(lightness(style.color) for style in look.values()) < 0.75  # not too pale on white
    beside = styles(["GTD2", "alpha 1", "alpha 2", "alpha 3"])[0]
    assert len({style.color for style in beside.values()}) == 4


def test_a_second_number_is_told_from_none() -> None:
    made, _ = styles(["gamma = 0.9", "gamma = 0.99", "gamma = 1", "gamma = 1, at the rate of 0.9"])
    assert made["gamma = 1"].color == made["gamma = 1, at the rate of 0.9"].color
    assert made["gamma = 1"].line != made["gamma = 1, at the rate of 0.9"].line
