"""What a learner is: a frozen config and a few pure functions of it, gathered in one record that says what it can do.

Training, agents and studies go through the record; none of them asks which learner it has. A learner rates moves
(`move_values`), or positions (`position_value`), or both, as one with a policy and a value head would; whatever it
carries along between moves (eligibility traces, a tape, games under way) is part of its state and nobody's business.
The number of players is the game's: targets ask who moves next, so that a puzzle for one is learned like any game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from jaxtyping import Array, Float, Key

from ludus.core.game import Rules
from ludus.play.selfplay import Policy

if TYPE_CHECKING:
    from ludus.search.alphabeta.evaluation import Evaluation
    from ludus.search.network.gumbel import Judge
    from ludus.search.puzzle.order import Order

Config = Any  # a frozen dataclass, of the learner; its `games` is how long training takes
State = Any  # a NamedTuple of arrays, of the learner: all that a run is; `games` counts those finished
Weights = Any  # what a player needs of it
Metrics = dict[str, Float[Array, ""]]


class Pace(NamedTuple):
    """How a run is divided for whoever watches it."""

    rounds: int  # from one report and checkpoint to the next
    calls: int = 1  # that these rounds are compiled into, where they take long


class Span(NamedTuple):
    """How much is played in one round."""

    size: int
    unit: str  # "games" or "moves"


@runtime_checkable
class Init(Protocol):
    def __call__(self, config: Config, game: Rules, key: Key[Array, ""], sweep: Any = None, setup: Any = None) -> State:
        """A new run. `sweep` is what may differ between runs of one program, `setup` what it begins with; without them
        the config and the key say.
        """
        ...


@dataclass(frozen=True)
class Learner:
    name: str
    init: Init
    advance: Callable[[Config, Rules, State], tuple[State, Metrics]]  # one round: play a while, learn from it
    policy: Callable[[Config, Rules, Weights, float], Policy]  # how a player moves, with a share of random moves
    weights: Callable[[State], Weights] = lambda state: state.network
    pace: Callable[[Config], Pace] = lambda config: Pace(config.rounds)
    span: Callable[[Config], Span] = lambda config: Span(config.lanes * config.plies, "moves")
    #: Of one position: a value for every action, legal or not. What is highest is played.
    move_values: Callable[[Config, Rules, Weights, Any], Float[Array, "A"]] | None = None
    #: Whether what it rates moves by are the logarithms of a policy's odds (an actor's), and no values.
    log_odds: Callable[[Config], bool] = lambda config: False
    #: Of one position, in the mover's eyes.
    position_value: Callable[[Config, Rules, Weights, Any], Float[Array, ""]] | None = None
    #: Of one position: what the last hidden units of the network say, so that dead ones are seen.
    last_units: Callable[[Config, Rules, Weights, Any], Float[Array, "U"]] | None = None
    #: The config of a player that does not look ahead, where there is one that does.
    without_lookahead: Callable[[Config], Config] = lambda config: config
    #: What may differ between runs of one program, as arrays; and the config that all such runs share.
    sweep: Callable[[Config], Any] = lambda config: None
    program: Callable[[Config], Config] = lambda config: config
    #: What runs begin with, where it is worth making once for many programs.
    setup: Callable[[Config, Rules, Key[Array, ""]], Any] | None = None
    #: The value of a position as compiled code for a search on the host, where it can be had.
    compiled_evaluation: Callable[[Config, Rules, Weights], Evaluation | None] | None = None
    #: The order in which it tries the moves of a puzzle, the same way; the last argument is its name.
    compiled_order: Callable[[Config, Rules, Weights, str], Order | None] | None = None
    #: What a search goes by, of many positions at once: how likely each move is the best, and what they are worth.
    judge: Callable[[Config, Rules, Weights], Judge] | None = None
    #: Refuses settings that this game could not be trained by.
    refuse: Callable[[Config, Rules], None] = lambda config, game: None
    #: A run that has not begun yet, begun with these weights instead of random ones; None where it cannot be.
    onto: Callable[[State, Weights], State] | None = None
    #: Whether this is a moment at which little need be kept to go on: where a run is broken off, if it is for a while.
    may_pause: Callable[[Config, State], bool] = lambda config, state: True
    rated: bool = False  # whether reports say how it does against what it was a report before
    needs_planes: bool = False  # whether a game must show itself as planes, for convolutions


def unswept(init: Callable[[Config, Rules, Key[Array, ""]], State]) -> Init:
    """For a learner that sweeps nothing and has nothing made beforehand."""

    def begin(config: Config, game: Rules, key: Key[Array, ""], sweep: Any = None, setup: Any = None) -> State:
        return init(config, game, key)

    return begin
