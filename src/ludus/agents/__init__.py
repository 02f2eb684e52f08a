"""Agents: what their names say (`spec`), and the players that they are."""
