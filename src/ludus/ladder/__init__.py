"""The ladder of a game: all results in one file, ratings, and who plays whom next."""
