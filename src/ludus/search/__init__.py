"""Search, for any game that has a twin: its rules once more, compiled by Numba."""
