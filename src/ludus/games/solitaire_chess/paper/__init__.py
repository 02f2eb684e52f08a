"""Stephens, "Applying Deep Reinforcement Learning to Finite State Single Player Games": every claim."""

from ludus.games.solitaire_chess.paper.figures import STUDY

__all__ = ["STUDY"]
