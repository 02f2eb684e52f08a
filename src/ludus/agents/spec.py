"""Agent names, parsed without JAX and before an agent is loaded: its kind, its folder, and the games that it plays.

The name of an alpha-beta agent says its depth or its time: `minimax:2`, `alphabeta:4`, `alphabeta:0.5s`. After that may
come its evaluation: `alphabeta:4:abalone/best`, or an evaluation of the game by name. A trained agent with a policy and
a value can search with its own network: `NAME@128` (simulations a move) or `NAME@2s`. The name of an external program
has the command that starts it: `htp:engine --quiet`. That of a Python function has its module and its name:
`python:my_module:choose`.
"""

from __future__ import annotations

import errno
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ludus import games as registry
from ludus.agents.installed import refuse_module, refuse_program
from ludus.errors import BadInput, shorten
from ludus.learners import LEARNERS
from ludus.runs.run_info import CONFIG, read_config

if TYPE_CHECKING:
    from ludus.core.game import Game

PERFECT = {"perfect": False, "perfect:hardest": True}  # name -> whether it plays the hardest moves
BUILT_IN = ("random", *PERFECT)
MINIMAX, ALPHABETA = "minimax", "alphabeta"
DEEPEST = {MINIMAX: 4, ALPHABETA: 64}  # plies; minimax visits every line
PROGRAM, FUNCTION = "htp", "python"
PATIENCE = 60.0  # seconds for each answer of a program or a function, by default
LONGEST = 3600.0  # seconds a move
MOST_SIMULATIONS = 10_000
SEARCHERS = (f"{MINIMAX}:2", f"{ALPHABETA}:4", f"{ALPHABETA}:1s")  # one of each kind, for lists
PLIES, WORD = re.compile(r"[0-9]{1,9}"), re.compile(r"[\w-]+")
DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")  # a name of Python's, or several with dots between
SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})s")

#: How an agent chooses its moves: at random, by the solution, by alpha-beta (minimax: every line), by its network
#: alone, by a tree search with its network, by an external program, or by a Python function.
Kind = Literal["random", "perfect", "minimax", "alphabeta", "network", "search", "program", "function"]


#: What a move costs: at most one network evaluation, a search, or the solution of the game.
Cost = Literal["network", "search", "truth"]


class AgentSpec(NamedTuple):
    """A parsed agent name: the kind, the network or evaluation, and the depth or time of its search."""

    name: str
    kind: Kind
    inside: str | None = None  # the network or evaluation: name of a trained agent, or of an evaluation of the game
    plies: int | None = None  # search depth
    simulations: int | None = None  # per move
    seconds: float | None = None  # per move, or per answer of a program
    command: tuple[str, ...] = ()  # starts the program; of a function its module and its name there

    @staticmethod
    def parse(name: str) -> AgentSpec:
        """Parse a name and refuse one that is badly formed. Whether the agent exists is not checked."""
        kind = name.partition(":")[0]
        if name in BUILT_IN:
            return AgentSpec(name, "perfect" if name in PERFECT else "random")
        if kind in DEEPEST:
            return _alphabeta(name, "minimax" if kind == MINIMAX else "alphabeta")
        if kind == PROGRAM:
            return _program(name)
        if kind == FUNCTION:
            return _function(name)
        return _search(name) or AgentSpec(name, "network", name)

    @property
    def cost(self) -> Cost:
        """What a move costs, so that quick agents need not wait for slow ones."""
        if self.kind in ("minimax", "alphabeta", "search", "program", "function"):
            return "search"
        return "truth" if self.kind == "perfect" else "network"

    @property
    def one_game_at_a_time(self) -> bool:
        """Whether it is the work of others, which has a single board."""
        return self.kind in ("program", "function")

    def describe(self) -> str:
        """Its name, and its time a move if the name sets one."""
        timed = self.seconds is not None and self.kind not in ("program", "function")
        return f"{self.name}, which thinks for {self.seconds:g} s a move" if timed else self.name


class Setup(NamedTuple):
    """A game with all its options, as an agent was trained on it."""

    game: str
    options: dict[str, Any]
    scales: bool = False  # whether its network plays boards of any size

    def describe(self) -> str:
        return " ".join([self.game, *(f"{name}={value}" for name, value in self.options.items())])

    @property
    def bound(self) -> Setup:
        """Without the free options: those that may differ from the agent's training."""
        return Setup(self.game, registry.entry(self.game).binding(self.options, self.scales))

    def meets(self, other: Setup) -> bool:
        """Whether an agent fits a game or another agent: all bound options that both have are equal."""
        mine, theirs = self.bound.options, other.bound.options
        return self.game == other.game and all(mine[name] == theirs[name] for name in mine.keys() & theirs.keys())


def bound_of(game: Game) -> Setup:
    """The setup that an agent must have been trained on to play this game."""
    return Setup(game.name, game.options()).bound


def shipped_best(game: Game) -> list[tuple[str, Setup]]:
    """The shipped agents named `best` that fit the game's options; first the one trained on the nearest board size."""

    def off(setup: Setup) -> int:
        return sum(abs(setup.options[o.name] - game.options()[o.name]) for o in game.entry.options if o.size)

    learned = {name: setup_of(name) for name in registry.shipped(game.name) if name.startswith(f"{game.name}/best")}
    fit = {name: setup for name, setup in learned.items() if setup is not None and setup.meets(bound_of(game))}
    return sorted(fit.items(), key=lambda found: (off(found[1]), found[1].scales))


def folder_of(name: str) -> Path:
    """The folder that an agent of this name would have: in its game's room if shipped, else the name is the path."""
    if name in registry.shipped():
        game, _, short = name.partition("/")
        return registry.shipped_folder(game) / short
    return Path(name)


def is_built_in(name: str) -> bool:
    """Whether a name is that of an agent without training; such a name is never read as a folder."""
    return name in BUILT_IN or name.partition(":")[0] in (*DEEPEST, PROGRAM, FUNCTION)


def is_trained(name: str) -> bool:
    """Whether a name is that of a trained agent."""
    try:
        return not is_built_in(name) and (folder_of(name) / CONFIG).is_file()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # no file has that name
            return False
        raise


def _alphabeta(name: str, kind: Literal["minimax", "alphabeta"]) -> AgentSpec:
    far, colon, inside = name.partition(":")[2].partition(":")
    deepest, shown = DEEPEST[kind], shorten(name)
    if kind == MINIMAX and (colon or not (PLIES.fullmatch(far) and 1 <= int(far) <= deepest)):
        raise BadInput(f"'{shown}' is not minimax and how many plies it looks ahead, minimax:1 to minimax:{deepest}.")
    if colon and not inside:
        raise BadInput(f"'{shown}' ends with a colon; an agent or an evaluation comes after it, or leave it out.")
    if PLIES.fullmatch(far):
        if not 1 <= int(far) <= deepest:
            raise BadInput(f"'{shown}': {kind} looks 1 to {deepest} plies ahead, not {int(far)}.")
        return AgentSpec(name, kind, inside or None, plies=int(far))
    if timed := SECONDS.fullmatch(far):
        seconds = float(timed[1])
        if not 0 < seconds <= LONGEST:
            raise BadInput(f"'{shown}': {kind} thinks for some time up to {LONGEST:.0f}s, not {far}.")
        return AgentSpec(name, kind, inside or None, seconds=seconds)
    raise BadInput(
        f"'{shown}' does not say how far {kind} looks: {kind}:4 is four plies, {kind}:2s two seconds a move."
    )


def _program(name: str) -> AgentSpec:
    seconds, command = _timed(name, "a program")
    shown = shorten(name)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadInput(f"'{shown}' is no command: {str(error).lower()}.") from None
    if not words:
        raise BadInput(
            f"'{shown}' names no program: a command comes after {PROGRAM}:, as in '{PROGRAM}:engine --quiet'."
        )
    return AgentSpec(name, "program", seconds=seconds, command=words)


def _function(name: str) -> AgentSpec:
    seconds, where = _timed(name, "a function")
    module, _, function = where.partition(":")
    if not (DOTTED.fullmatch(module) and DOTTED.fullmatch(function)):
        raise BadInput(
            f"'{shorten(name)}' names no function of a module: both come after {FUNCTION}:, as in "
            f"'{FUNCTION}:my_module:choose'."
        )
    return AgentSpec(name, "function", seconds=seconds, command=(module, function))


def _timed(name: str, who: str) -> tuple[float, str]:
    """The seconds that an answer may take, and what comes after them: `5s:` may stand before a command."""
    rest = name.partition(":")[2]
    far, colon, after = rest.partition(":")
    timed = SECONDS.fullmatch(far) if colon else None
    seconds = PATIENCE if timed is None else float(timed[1])
    if not 0 < seconds <= LONGEST:
        raise BadInput(f"'{shorten(name)}': {who} has some time up to {LONGEST:.0f}s for an answer, not {far}.")
    return seconds, rest if timed is None else after


def _search(name: str) -> AgentSpec | None:
    agent, at, far = name.rpartition("@")
    if not at or is_trained(name):  # a folder's name may contain @
        return None
    shown = shorten(name)
    if PLIES.fullmatch(far):
        if not 1 <= int(far) <= MOST_SIMULATIONS:
            raise BadInput(f"'{shown}': a search has 1 to {MOST_SIMULATIONS:,} simulations a move, not {int(far):,}.")
        return AgentSpec(name, "search", agent, simulations=int(far))
    if timed := SECONDS.fullmatch(far):
        if not 0 < float(timed[1]) <= LONGEST:
            raise BadInput(f"'{shown}': an agent thinks for some time up to {LONGEST:.0f}s, not {far}.")
        return AgentSpec(name, "search", agent, seconds=float(timed[1]))
    raise BadInput(
        f"'{shown}' does not say how long it searches: NAME@128 is 128 simulations a move, NAME@2s two seconds."
    )


def setup_of(name: str) -> Setup | None:
    """The setup of a trained agent (or of a search with its network); None for an agent that plays any game."""
    inside = AgentSpec.parse(name).inside
    return learned(read_config(folder_of(inside))) if inside is not None and is_trained(inside) else None


def learned(config: Mapping[str, Any]) -> Setup:
    """The setup that a run's config records."""
    recipe = config["recipe"]
    learner = LEARNERS.get(str(recipe.get("learner")))
    options = registry.entry(config["game"]).filled(config["options"])
    return Setup(config["game"], options, learner is not None and learner.scales(recipe))


def can_be_searched(game: str) -> bool:
    """Whether alpha-beta agents can play a game: it needs two players and a twin."""
    known = registry.entry(game)
    return known.twin is not None and len(known.seats) == 2


def untrained(game: str) -> tuple[str, ...]:
    """The agents of a game that need no training."""
    return ("random", *registry.entry(game).solvers, *(SEARCHERS if can_be_searched(game) else ()))


def refuse_strangers(names: Sequence[str], game: str | None = None) -> None:
    """Refuse names of no agent: for this game, or for any if None."""
    for spec in map(AgentSpec.parse, names):
        match spec.kind:
            case "minimax" | "alphabeta":
                refuse_unsearched(game, f"'{shorten(spec.name)}' cannot play it")
                if spec.inside is not None:
                    refuse_no_evaluation(spec.inside, game)
            case "search":
                assert spec.inside is not None
                if is_built_in(spec.inside):
                    raise BadInput(f"'{shorten(spec.name)}': '{shorten(spec.inside)}' has no network to search by.")
                refuse_strangers([spec.inside], game)
            case "program":
                refuse_program(spec.name, spec.command[0], game)
            case "function":
                refuse_module(spec.name, spec.command[0])
            case "network" if not is_trained(spec.name):
                known = ", ".join((*(untrained(game) if game else ("random", *PERFECT)), *registry.shipped(game)))
                there_is = f"'{shorten(spec.name)}'{f' for {game}' if game else ''}"
                raise BadInput(f"there is no agent {there_is}; there are {known}, and the folder of any run.")


def refuse_unfit(name: str, setup: Setup) -> None:
    """Refuse a game that an agent cannot play: not the one it was trained on, or (for a perfect agent) not solved."""
    learned = setup_of(name)
    if learned is not None and not learned.meets(setup):
        raise BadInput(f"the agent '{name}' plays {learned.bound.describe()}, not {setup.bound.describe()}.")
    if name in PERFECT:
        registry.refuse_unsolved(setup.game, setup.options)


def refuse_unsearched(game: str | None, why: str) -> None:
    """Refuse a game that has no search, if the game is known already."""
    if game is not None and not can_be_searched(game):
        raise BadInput(f"there is no search for {game}, so {why}.")


def refuse_no_evaluation(name: str, game: str | None = None) -> None:
    """Refuse an evaluation that does not exist: neither a trained agent's nor (if it can be told here) the game's."""
    if is_built_in(name):
        raise BadInput(
            f"'{shorten(name)}' has no evaluation to search with; name a trained agent, or one of the game's."
        )
    theirs = WORD.fullmatch(name) and (game is None or registry.entry(game).evaluation)
    if not theirs:  # else the loaded game checks the name later
        refuse_strangers([name], game)
