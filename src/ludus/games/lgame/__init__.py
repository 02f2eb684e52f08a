"""The L-Game."""
