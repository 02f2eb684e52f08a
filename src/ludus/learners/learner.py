"""What a learner is: a frozen config and a few pure functions of it, in one record that says what the learner can do.

Training, agents and studies use only this record, and never ask which learner it is. A learner rates moves
(`move_values`), positions (`position_value`), or both (a policy head and a value head). What it carries from move to
move (eligibility traces, a tape, unfinished games) is private, in its state. Targets ask the game who moves next, so a
puzzle for one player is learned like any game.
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
State = Any  # a NamedTuple of arrays, of the learner: the whole state of a run; `games` counts finished games
Weights = Any  # what a player needs of it
Metrics = dict[str, Float[Array, ""]]


class Pace(NamedTuple):
    """How often a run reports."""

    rounds: int  # from one report and checkpoint to the next
    calls: int = 1  # of the compiled program for these rounds; more than one where rounds take long


class Span(NamedTuple):
    """How much is played in one round."""

    size: int
    unit: str  # "games" or "moves"


@runtime_checkable
class Init(Protocol):
    def __call__(self, config: Config, game: Rules, key: Key[Array, ""], sweep: Any = None, setup: Any = None) -> State:
        """A new run. `sweep`: what may differ between runs of one compiled program. `setup`: networks and positions to
        begin with. By default both come from the config and the key.
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
    #: Whether `move_values` are the logits of a policy (an actor's), and no values.
    log_odds: Callable[[Config], bool] = lambda config: False
    #: What a value of 1 is, in the plural, where values are no expected results: pieces that are still gained, say.
    unit: Callable[[Config, Rules], str] = lambda config, game: ""
    #: Of one position: its value to the side to move.
    position_value: Callable[[Config, Rules, Weights, Any], Float[Array, ""]] | None = None
    #: Of one position: the outputs of the last hidden units, to find dead ones.
    last_units: Callable[[Config, Rules, Weights, Any], Float[Array, "U"]] | None = None
    #: The config of a player that does not look ahead, if this one's does.
    without_lookahead: Callable[[Config], Config] = lambda config: config
    #: What may differ between runs of one compiled program, as arrays; and the config that all these runs share.
    sweep: Callable[[Config], Any] = lambda config: None
    program: Callable[[Config], Config] = lambda config: config
    #: What runs begin with, if one is to be made for many programs.
    setup: Callable[[Config, Rules, Key[Array, ""]], Any] | None = None
    #: The value of a position as compiled code, for a search on the host.
    compiled_evaluation: Callable[[Config, Rules, Weights], Evaluation | None] | None = None
    #: The order in which to try the moves of a puzzle, as compiled code; the last argument is its name.
    compiled_order: Callable[[Config, Rules, Weights, str], Order | None] | None = None
    #: For a tree search, of a batch of positions: the policy's logits and the values.
    judge: Callable[[Config, Rules, Weights], Judge] | None = None
    #: Refuses settings with which this game cannot be trained.
    refuse: Callable[[Config, Rules], None] = lambda config, game: None
    #: A new run's state with these weights instead of random ones.
    onto: Callable[[State, Weights], State] | None = None
    #: Whether a checkpoint is small at this moment: a run that is to stop for a while stops here.
    may_pause: Callable[[Config, State], bool] = lambda config, state: True
    rated: bool = False  # whether each report has a match against the weights of the report before
    needs_planes: bool = False  # for convolutions: the game's observation must be planes


def unswept(init: Callable[[Config, Rules, Key[Array, ""]], State]) -> Init:
    """The `init` of a learner that has no `sweep` and no `setup`."""

    def begin(config: Config, game: Rules, key: Key[Array, ""], sweep: Any = None, setup: Any = None) -> State:
        return init(config, game, key)

    return begin
