"""What a lead is worth: the chance to win of a side that leads by so many marbles, gains to come included.

Fitted to results of games: `python bench/chances.py` prints the slope (0.769, by 4,096 positions of 256 games) and how
well it fits.
"""

from __future__ import annotations

import math

SLOPE = 0.77  # of the logistic curve, a marble


def chance(lead: float, unit: str) -> float | None:
    """By a lead in marbles; no other unit says who wins."""
    return 1 / (1 + math.exp(-SLOPE * min(60.0, max(-60.0, lead)))) if unit == "marbles" else None
