"""The L-Game paper, reproduced."""
