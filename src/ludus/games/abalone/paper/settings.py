"""The settings of Abalearn: the paper's, and what stands where it is silent.

The paper does not say whose value the network has. It is read in two ways, and claims about learning are put to both:

- two trails: the value to the player who has just moved. Each side learns from its own moves, and a game of training
  ends when a position comes back. This was our only reading at first.
- one view: the value to the first player, as in TD-Gammon, which the paper follows. One chain of differences goes over
  all plies, the second player looks for low values, and games of training run on to the limit of moves.

The paper gives no learning rate either. All arms have the same, and `rates` shows what others would do.
"""

from __future__ import annotations

from typing import Any

from ludus.learners.recipe import Recipe

TRAILS, ONE = "two trails", "one view"
READINGS: dict[str, dict[str, Any]] = {
    TRAILS: {"view": "mover", "repetition": "ends"},
    ONE: {"view": "first", "repetition": "plays-on"},
}
#: The two of four that are neither: what of the second reading matters?
MIXED: dict[str, dict[str, Any]] = {
    "two trails, playing on": {"view": "mover", "repetition": "plays-on"},
    "one view, ended by repetition": {"view": "first", "repetition": "ends"},
}

HIDDEN, FEW_UNITS, MANY_UNITS = 20, 5, 60
LAMBDAS = (0.0, 0.3, 0.7, 0.9, 0.99)
LAMBDA = 0.9  # in figures that do not compare it
KAPPAS = (-1.0, -0.8, 0.0)
FIRST_GAMES = 100  # against the random player, in arms that begin with it
LEARNED, TWICE, LONG = 1_000, 2_000, 10_000  # games: of most networks, of 1.0's, and of `long`
NETS = (10, 100, 250, LEARNED)  # games learned; the paper's references are 10, 250 and 2750, late in its run
FALLING: dict[str, Any] = {"epsilon": 0.9, "final_epsilon": 0.001, "epsilon_games": 100}
FIRST: dict[str, Any] = {"opponent": "random-first", "first_games": FIRST_GAMES}
OPPONENTS = {"random": "against random", "minimax": "against minimax", "self": "against itself"}

ALPHA = 0.03  # of all arms
ALPHAS = (0.003, 0.01, 0.03, 0.1, 0.3)
SCALED_ALPHA = 0.002  # where values go from -7 to 7: the slope is fourteen times the sigmoid's


def td(version: str, reading: str = TRAILS, **settings: Any) -> Recipe:
    """A version of Abalearn that plays itself, with these settings changed."""
    given = {
        **{"features": f"abalearn-{version}", "hidden": HIDDEN, "trace": LAMBDA, "games": LEARNED, "alpha": ALPHA},
        **(READINGS | MIXED)[reading],
        **settings,
    }
    return Recipe.of(f"abalearn-{version}", "td", **given)
