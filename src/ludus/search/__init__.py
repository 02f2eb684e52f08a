"""Search for any game that has a twin of its rules on machine words."""
