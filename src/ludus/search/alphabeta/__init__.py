"""Alpha-beta search for games of two with a twin on machine words."""
