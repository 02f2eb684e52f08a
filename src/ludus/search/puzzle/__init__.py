"""Search for puzzles with a twin on machine words: orders of moves, backtracking, best-first search."""
