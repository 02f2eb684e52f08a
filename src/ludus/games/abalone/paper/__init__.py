"""Campos and Langlois, "Abalearn: Efficient Self-Play Learning of the game Abalone": every figure, and the tables
without their human players.

Games are counted in two ways. In the paper's, the side with more marbles wins a game that does not end. In ours, a
position that comes back is a tie.
"""

from ludus.games.abalone.paper.figures import STUDY

__all__ = ["STUDY"]
