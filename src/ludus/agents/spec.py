"""Agents by name, before any is loaded and without JAX: who is built in, whose folder is whose, who plays what.

Those that search are named by how far, or how long, they look: `minimax:2`, `alphabeta:4`, `alphabeta:0.5s`; and after
that, by whose evaluation stands inside: `alphabeta:4:abalone/best`, or the name of one that the game has. A trained
agent with a policy and a value searches by itself: `NAME@128`, so many simulations a move, or `NAME@2s`. A program of
others is named by the command that starts it: `htp:engine --quiet`.
"""

from __future__ import annotations

import errno
import json
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus import games as registry
from ludus.errors import BadInput, shorten
from ludus.learners import LEARNERS
from ludus.runs.records import CONFIG, read_config

if TYPE_CHECKING:
    from ludus.core.game import Game

PERFECT = {"perfect": False, "perfect:hardest": True}  # and whether it is the hardest
BUILT_IN = ("random", *PERFECT)
MINIMAX, ALPHABETA = "minimax", "alphabeta"
DEEPEST = {MINIMAX: 4, ALPHABETA: 64}  # plies; minimax looks at every line
PROGRAM = "htp"
PATIENCE = 60.0  # seconds that a program has for each answer
LONGEST = 3600.0  # seconds a move
MOST_SIMULATIONS = 10_000
SEARCHERS = (f"{MINIMAX}:2", f"{ALPHABETA}:4", f"{ALPHABETA}:1s")  # one of each kind, for lists
PLIES, WORD = re.compile(r"[0-9]{1,9}"), re.compile(r"[\w-]+")
SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})s")


class Searcher(NamedTuple):
    """An agent that searches: so many plies, or so many seconds a move."""

    kind: str
    depth: int | None
    seconds: float | None
    inside: str | None  # whose evaluation: a trained agent's, or one of the game's by name


class Thought(NamedTuple):
    """A trained agent that searches: so many simulations, or so many seconds, a move."""

    agent: str
    simulations: int | None
    seconds: float | None


class Command(NamedTuple):
    """An agent that is a program of others: what starts it, and how long it may take for an answer."""

    words: tuple[str, ...]
    seconds: float


class Setup(NamedTuple):
    """A game with all its options, as an agent has learned it."""

    game: str
    options: dict[str, Any]
    scales: bool = False  # whether its network plays boards of any size

    def describe(self) -> str:
        return " ".join([self.game, *(f"{name}={value}" for name, value in self.options.items())])

    @property
    def bound(self) -> Setup:
        """Without the options that an agent need not have learned it under."""
        return Setup(self.game, registry.entry(self.game).binding(self.options, self.scales))

    def meets(self, other: Setup) -> bool:
        """Whether two agents, or an agent and a game, go together: they agree in all that both are bound to."""
        mine, theirs = self.bound.options, other.bound.options
        return self.game == other.game and all(mine[name] == theirs[name] for name in mine.keys() & theirs.keys())


def bound_of(game: Game) -> Setup:
    """What an agent must have learned to play a game."""
    return Setup(game.name, game.options()).bound


def shipped_best(game: Game) -> list[tuple[str, Setup]]:
    """The best agents that come with a game and play it as it is set up; who learned the nearest board is first."""

    def off(setup: Setup) -> int:
        return sum(abs(setup.options[o.name] - game.options()[o.name]) for o in game.entry.options if o.size)

    learned = {name: setup_of(name) for name in registry.shipped(game.name) if name.startswith(f"{game.name}/best")}
    fit = {name: setup for name, setup in learned.items() if setup is not None and setup.meets(bound_of(game))}
    return sorted(fit.items(), key=lambda found: (off(found[1]), found[1].scales))


def folder_of(name: str) -> Path:
    """Where an agent of this name would lie: with its game's room, or in a folder of its own."""
    if name in registry.shipped():
        game, _, short = name.partition("/")
        return registry.shipped_folder(game) / short
    return Path(name)


def is_built_in(name: str) -> bool:
    """Whether a name is that of an agent nobody trained; it is never a folder's."""
    return name in BUILT_IN or name.partition(":")[0] in (*DEEPEST, PROGRAM)


def is_trained(name: str) -> bool:
    """Whether a name is that of a trained agent."""
    try:
        return not is_built_in(name) and (folder_of(name) / CONFIG).is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # so nothing has that name
            return False
        raise


def searcher_of(name: str) -> Searcher | None:
    """What the name of an agent that searches says, or None for another; a bad one is refused."""
    kind, _, rest = name.partition(":")
    if kind not in DEEPEST:
        return None
    far, colon, inside = rest.partition(":")
    deepest, shown = DEEPEST[kind], shorten(name)
    if kind == MINIMAX and (colon or not (PLIES.fullmatch(far) and 1 <= int(far) <= deepest)):
        raise BadInput(f"'{shown}' is not minimax and how many plies it looks ahead, minimax:1 to minimax:{deepest}.")
    if colon and not inside:
        raise BadInput(f"'{shown}' ends with a colon; an agent or an evaluation comes after it, or leave it out.")
    if PLIES.fullmatch(far):
        if not 1 <= int(far) <= deepest:
            raise BadInput(f"'{shown}': {kind} looks 1 to {deepest} plies ahead, not {int(far)}.")
        return Searcher(kind, int(far), None, inside or None)
    if timed := SECONDS.fullmatch(far):
        seconds = float(timed[1])
        if not 0 < seconds <= LONGEST:
            raise BadInput(f"'{shown}': {kind} thinks for some time up to {LONGEST:.0f}s, not {far}.")
        return Searcher(kind, None, seconds, inside or None)
    raise BadInput(
        f"'{shown}' does not say how far {kind} looks: {kind}:4 is four plies, {kind}:2s two seconds a move."
    )


def command_of(name: str) -> Command | None:
    """What the name of an agent that is a program says, or None for another; a bad one is refused."""
    kind, _, rest = name.partition(":")
    if kind != PROGRAM:
        return None
    far, colon, command = rest.partition(":")
    timed = SECONDS.fullmatch(far) if colon else None
    seconds, shown = PATIENCE if timed is None else float(timed[1]), shorten(name)
    if not 0 < seconds <= LONGEST:
        raise BadInput(f"'{shown}': a program has some time up to {LONGEST:.0f}s for an answer, not {far}.")
    try:
        words = tuple(shlex.split(rest if timed is None else command))
    except ValueError as error:
        raise BadInput(f"'{shown}' is no command: {str(error).lower()}.") from None
    if not words:
        raise BadInput(
            f"'{shown}' names no program: a command comes after {PROGRAM}:, as in '{PROGRAM}:engine --quiet'."
        )
    return Command(words, seconds)


def card(name: str) -> dict[str, Any]:
    """How a shipped agent was trained, and how strong it was measured to be."""
    return json.loads((folder_of(name) / "card.json").read_text())


def thought_of(name: str) -> Thought | None:
    """What the name of an agent that searches by its own network says, or None for another; a bad one is refused."""
    agent, at, far = name.rpartition("@")
    if not at or is_built_in(name) or is_trained(name):
        return None
    shown = shorten(name)
    if PLIES.fullmatch(far):
        if not 1 <= int(far) <= MOST_SIMULATIONS:
            raise BadInput(f"'{shown}': a search has 1 to {MOST_SIMULATIONS:,} simulations a move, not {int(far):,}.")
        return Thought(agent, int(far), None)
    if timed := SECONDS.fullmatch(far):
        if not 0 < float(timed[1]) <= LONGEST:
            raise BadInput(f"'{shown}': an agent thinks for some time up to {LONGEST:.0f}s, not {far}.")
        return Thought(agent, None, float(timed[1]))
    raise BadInput(
        f"'{shown}' does not say how long it searches: NAME@128 is 128 simulations a move, NAME@2s two seconds."
    )


def setup_of(name: str) -> Setup | None:
    """The game that a trained agent plays, or a search with one inside; None for an agent that plays any."""
    searcher = searcher_of(name)
    if searcher is not None and searcher.inside is not None:
        return setup_of(searcher.inside) if is_trained(searcher.inside) else None
    if (thought := thought_of(name)) is not None:
        return setup_of(thought.agent)
    if not is_trained(name):
        return None
    return learned(read_config(folder_of(name)))


def learned(config: Mapping[str, Any]) -> Setup:
    """The setup that the config of a run tells of."""
    recipe = config["recipe"]
    learner = recipe.get("learner")
    scales = getattr(LEARNERS.get(learner) if isinstance(learner, str) else None, "scales", None)
    options = registry.entry(config["game"]).filled(config["options"])
    return Setup(config["game"], options, scales is not None and scales(recipe))


def can_be_searched(game: str) -> bool:
    """Whether agents that search can play a game: for two, with a twin."""
    known = registry.entry(game)
    return known.twin is not None and len(known.seats) == 2


def untrained(game: str) -> tuple[str, ...]:
    """Agents of a game, or of any, that need no training."""
    return ("random", *registry.entry(game).solvers, *(SEARCHERS if can_be_searched(game) else ()))


def refuse_strangers(names: Sequence[str], game: str | None = None) -> None:
    """Refuse a name that is no agent's, of this game or of any."""
    for name in names:
        searcher, thought = searcher_of(name), thought_of(name)
        if thought is not None:
            if is_built_in(thought.agent):
                raise BadInput(f"'{shorten(name)}': '{shorten(thought.agent)}' has no network to search by.")
            refuse_strangers([thought.agent], game)
        elif searcher is not None:
            refuse_unsearched(game, f"'{shorten(name)}' cannot play it")
            if searcher.inside is not None:
                refuse_thoughtless(searcher.inside, game)
        elif (command := command_of(name)) is not None:
            _refuse_program(name, command, game)
        elif name not in BUILT_IN and not is_trained(name):
            known = ", ".join((*(untrained(game) if game else ("random", *PERFECT)), *registry.shipped(game)))
            whose = f" for {game}" if game else ""
            raise BadInput(f"there is no agent '{shorten(name)}'{whose}; there are {known}, and the folder of any run.")


def _refuse_program(name: str, command: Command, game: str | None) -> None:
    """Refuse a program that is not there, or cannot be told of a game."""
    if game is not None and registry.entry(game).protocol is None:
        raise BadInput(f"there is no text protocol for {game}, so '{shorten(name)}' cannot play it.")
    if "\0" in name or shutil.which(command.words[0]) is None:
        raise BadInput(f"there is no program '{shorten(command.words[0])}' to start for '{shorten(name)}'.")


def refuse_unfit(name: str, setup: Setup) -> None:
    """Refuse a game that an agent cannot play: not what it has learned, or not solved."""
    learned = setup_of(name)
    if learned is not None and not learned.meets(setup):
        raise BadInput(f"the agent '{name}' plays {learned.bound.describe()}, not {setup.bound.describe()}.")
    if name in PERFECT:
        registry.refuse_unsolved(setup.game, setup.options)


def refuse_unsearched(game: str | None, why: str) -> None:
    """Refuse a game that there is no search for, where one is known already."""
    if game is not None and not can_be_searched(game):
        raise BadInput(f"there is no search for {game}, so {why}.")


def refuse_thoughtless(name: str, game: str | None = None) -> None:
    """Refuse an evaluation that is nobody's: neither a trained agent's nor, as far as can be told, the game's."""
    if is_built_in(name):
        raise BadInput(
            f"'{shorten(name)}' has no evaluation to search with; name a trained agent, or one of the game's."
        )
    theirs = WORD.fullmatch(name) and (game is None or registry.entry(game).evaluation)
    if not theirs:  # else the game itself is asked, which has to be loaded
        refuse_strangers([name], game)
