"""Agents by name. Nothing that a request says becomes a path: a name is one that is built in, one that comes with a
game, or `run:NAME` for a run found in the folder that was given at the start, looked up in a list of what is there. And
nothing becomes a command: `htp:COMMAND`, an agent elsewhere, is none here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from ludus import games as registry
from ludus.agents.mind import Mind
from ludus.agents.players import TrainedAgent, find_agent, load_agent
from ludus.agents.spec import BUILT_IN, Searcher, bound_of, learned, searcher_of, thought_of, untrained
from ludus.core.game import Game
from ludus.errors import BadInput, shorten
from ludus.runs.records import WEIGHTS, checkpoints, find_runs, read_config

RUN = "run:"
KEPT = 32  # agents that are kept ready


class Minds:
    """Agents at their games, kept ready."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._kept: OrderedDict[tuple[str, Game], tuple[Any, Mind, threading.RLock]] = OrderedDict()
        self._lock = threading.Lock()

    def runs(self) -> dict[str, Path]:
        """The runs there are, by the names that they have here."""
        if not self._runs.is_dir():
            return {}
        return {f"{RUN}{path.relative_to(self._runs).as_posix()}": path for path in find_runs(self._runs)}

    def find(self, name: str, game: Game) -> tuple[Mind, threading.RLock]:
        """An agent at a game, and the lock of what only one may use at a time: its search for advice."""
        folder, version = self._folder(name)
        with self._lock:
            kept = self._kept.get((name, game))
            if kept is not None and kept[0] == version:
                self._kept.move_to_end((name, game))
                return kept[1], kept[2]
        agent = self._agent(name, game, folder)
        with self._lock:
            # A run that has come further plays with other weights, by the same programs.
            if kept is not None and isinstance(agent, TrainedAgent) and kept[1].agent is not None:
                mind, lock = kept[1], kept[2]
                if isinstance(mind.agent, TrainedAgent) and mind.agent.recipe == agent.recipe:
                    mind.agent = agent
                else:
                    mind = Mind(agent, game)
            else:
                mind, lock = Mind(agent, game), threading.RLock()
            self._kept[name, game] = version, mind, lock
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return mind, lock

    def _folder(self, name: str) -> tuple[Path | None, Any]:
        """The folder of a run, and how far it has come: None for an agent that is no run's."""
        if not name.startswith(RUN):
            return None, None
        if name not in self.runs() and (thought := thought_of(name)) is not None:
            return None, self._folder(thought.agent)[1]
        folder = self.runs().get(name)
        if folder is None:
            raise BadInput(f"there is no run '{shorten(name.removeprefix(RUN))}' in the folder of this page.")
        newest = [at.name for at in checkpoints(folder)[-1:]]
        return folder, (folder, (folder / WEIGHTS).is_file(), *newest)

    def _agent(self, name: str, game: Game, folder: Path | None) -> Any:
        if folder is None and (thought := thought_of(name)) is not None:
            from ludus.agents.searching import SearchingAgent

            inside = self._agent(thought.agent, game, self._folder(thought.agent)[0])
            if not isinstance(inside, TrainedAgent):
                raise BadInput(f"'{shorten(name)}': '{shorten(thought.agent)}' has no network to search by.")
            return SearchingAgent(name, thought, inside, game)
        if folder is not None:
            _refuse_other(name, game, read_config(folder))
            return load_agent(folder, game, name)
        if (searcher := searcher_of(name)) is not None:
            return self._searching(name, searcher, game)
        if name not in BUILT_IN and name not in registry.shipped(game.name):
            raise BadInput(
                f"there is no agent '{shorten(name)}' for {game.name}; there are {', '.join(names_of(game.name))}."
            )
        if name in registry.shipped(game.name):
            _refuse_other(name, game, read_config(registry.shipped_folder(game.name) / name.partition("/")[2]))
        return find_agent(name, game)

    def _searching(self, name: str, searcher: Searcher, game: Game) -> Any:
        """A search; what stands inside is one of the game's evaluations, or an agent with a name here."""
        if registry.entry(game.name).twin is None or game.num_players != 2:
            raise BadInput(f"there is no search for {game.name}, so '{shorten(name)}' cannot play it.")
        from ludus.agents.engine import EngineAgent
        from ludus.search.alphabeta.evaluation import evaluations

        inside = searcher.inside
        if inside is not None and inside.startswith(RUN):
            folder, _ = self._folder(inside)
            searcher = searcher._replace(inside=str(folder))
        elif inside is not None and inside not in evaluations(game) and inside not in registry.shipped(game.name):
            known = ", ".join([*evaluations(game), *registry.shipped(game.name)])
            raise BadInput(f"'{shorten(inside)}' has no evaluation to search {game.name} with; there are {known}.")
        return EngineAgent(name, searcher, game)


def _refuse_other(name: str, game: Game, config: dict[str, Any]) -> None:
    """An agent plays what it has learned."""
    if config["game"] != game.name:
        raise BadInput(f"the agent '{shorten(name)}' plays {config['game']}, not {game.name}.")
    setup = learned(config)
    if not setup.meets(bound_of(game)):
        raise BadInput(
            f"the agent '{shorten(name)}' has learned {setup.bound.describe()}, and this is {game.describe()}."
        )


def names_of(game: str) -> list[str]:
    """The agents of a game that are no runs."""
    return [*untrained(game), *registry.shipped(game)]
