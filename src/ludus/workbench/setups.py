"""Which game some agents play together. It needs no JAX: what can be refused is refused before anything is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.agents.spec import PERFECT, Setup, refuse_strangers, setup_of
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.entry import Entry

#: The options of a game that were given, each checked: those of `--size 3`, or of a game that was made already.
Given = Callable[["Entry"], dict[str, Any]]


def setup_for(agents: Sequence[str], game: str | None, given: Given, remedy: str) -> Setup:
    """The game that these agents play, or the one named. The options given and what each agent was trained for must
    agree. An option that agents are not bound to is as given, or as the first agent was trained. The remedy ends the
    sentence that a game is missing.
    """
    refuse_strangers(agents, game if game in registry.names() else None)
    trained = [(name, setup) for name in agents if (setup := setup_of(name)) is not None]
    for name, setup in trained:
        if game is not None and game != setup.game:
            raise BadInput(f"the agent '{name}' plays {setup.game}, not {game}.")
        wanted = Setup(setup.game, setup.options | given(registry.entry(setup.game)))
        if not setup.meets(wanted):
            raise BadInput(f"the agent '{name}' plays {setup.bound.describe()}, not {wanted.bound.describe()}.")
        first, its_setup = trained[0]
        if not setup.meets(its_setup):
            raise BadInput(
                f"the agents '{first}' and '{name}' cannot meet: one plays {its_setup.bound.describe()}, the other "
                f"{setup.bound.describe()}."
            )
    if not trained and game is None:
        raise BadInput(f"'{agents[0]}' plays any game; {remedy}.")
    name = trained[0][1].game if trained else game or ""
    refuse_strangers(agents, name)  # again, now that the game is known: not every built-in player plays it
    chosen = (trained[0][1].options if trained else {}) | given(registry.entry(name))
    if PERFECT.keys() & set(agents):
        registry.refuse_unsolved(name, chosen)
    return Setup(name, chosen)


def refuse_repeated(names: Sequence[str]) -> None:
    """Refuse an agent that is named more than once."""
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"the agent '{name}' is named {names.count(name)} times; name each once.")
