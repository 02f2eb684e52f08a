"""Ludus: board-game agents that learn by playing themselves, graded against the truth.

Importing this package loads nothing heavy; import what you need from its modules.
"""

__version__ = "0.1.0"
