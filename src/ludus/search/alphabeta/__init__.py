"""Alpha-beta search for games for two with a twin."""
