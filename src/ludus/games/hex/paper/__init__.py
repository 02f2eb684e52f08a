"""The study of reinforcement learning on a 3 x 3 board, reproduced: every figure from 5 to 20 and Table I.

Beside the paper's measure, the values, stands the truth: how many won positions are held.
"""

from ludus.games.hex.paper.figures import STUDY

__all__ = ["STUDY"]
