"""Training: recipes, runs, agents."""
