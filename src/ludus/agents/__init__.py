"""Agents: how their names are read (`spec`), and the players behind the names."""
