"""Campos and Langlois, "Abalearn: Efficient Self-Play Learning of the game Abalone": every figure, and its tables as
far as those who played are to be had.

Beside the paper's way of counting, by which a game that comes to no end is won by who has more marbles, stands that of
the house, by which a position that comes back is a tie.
"""

from ludus.games.abalone.paper.figures import STUDY

__all__ = ["STUDY"]
