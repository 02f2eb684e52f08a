"""Playing games: players, matches, self-play, ratings and saved games."""
