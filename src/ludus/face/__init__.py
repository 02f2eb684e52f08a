"""Ludus from Python: `ludus.game`, `ludus.agent`, `ludus.solve`, `ludus.train`, `ludus.match`, `ludus.eval`,
`ludus.tournament`, `ludus.ladder`, `ludus.runs` and `ludus.reproduce` do what the commands of these names do.

Positions and moves are texts, as on the command line; a position may also be a state of the game, or a `Table`, a game
under way. Results are frozen records: `print` shows what the command prints, `.to_json()` is its JSON document, and a
notebook shows tables, boards and curves. Bad arguments raise `BadInput`, whose message is one sentence. Everything else
is in the modules: `ludus.play.selfplay`, `ludus.learners.recipes`, and so on.
"""

from __future__ import annotations

from ludus.core.table import Table as Table
from ludus.face.agent import Agent as Agent
from ludus.face.agent import AgentLike as AgentLike
from ludus.face.agent import Position as Position
from ludus.face.agent import agent as agent
from ludus.face.agent import game as game
from ludus.face.agent import solve as solve
from ludus.face.contests import evaluate as evaluate
from ludus.face.contests import ladder as ladder
from ludus.face.contests import match as match
from ludus.face.contests import tournament as tournament
from ludus.face.training import reproduce as reproduce
from ludus.face.training import runs as runs
from ludus.face.training import train as train
