"""Giannakopoulos and Cotronis, "A Deep Q-Learning Agent for the L-Game with Variable Batch Training": every claim."""

from ludus.games.lgame.paper.figures import STUDY

__all__ = ["STUDY"]
