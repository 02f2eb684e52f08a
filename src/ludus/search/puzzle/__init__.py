"""Search for puzzles with a twin: move orders, backtracking, best-first search."""
