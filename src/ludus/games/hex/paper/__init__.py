"""The paper on reinforcement learning in 3 x 3 Hex, reproduced: figures 5 to 20 and Table I.

Next to the paper's measure, the values of moves, stands the truth: the share of won positions held.
"""

from ludus.games.hex.paper.figures import STUDY

__all__ = ["STUDY"]
