"""Exact answers for games small enough to write down whole: every position, its value, and what a policy is worth.

`graph` writes the game down, `solve` finds every position's value and distance, `evaluate` gives the exact worth of
a policy against another, and the proof that it cannot be beaten.
"""
