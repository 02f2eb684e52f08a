"""A game's ladder: a file of all results, ratings, and the choice of the next opponents."""
