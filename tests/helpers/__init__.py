"""What several test files need: cases over the registry, their slow truth, random positions, playthroughs."""
