"""The settings of every learner, with their defaults and ranges. A run is made from them, and saves them.

They are a module of their own because learners need JAX: a bad setting is refused before it is loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, get_args

from ludus.errors import BadInput

MAX_GAMES = 2_000_000_000  # counted in 32 bits, and the last round may exceed the total
MAX_COUNT = 100_000_000


class Range(NamedTuple):
    """The numbers that a field takes, both ends included."""

    low: int
    high: int


Rate = Annotated[float, Range(0, 1_000_000)]
Share = Annotated[float, Range(0, 1)]
SignedShare = Annotated[float, Range(-1, 1)]
Count = Annotated[int, Range(1, MAX_COUNT)]
CountOrNone = Annotated[int, Range(0, MAX_COUNT)]  # 0 has a meaning of its own
Games = Annotated[int, Range(1, MAX_GAMES)]
Units = Annotated[int, Range(1, 1_000_000)]  # of a layer
UnitsOrNone = Annotated[int, Range(0, 100_000)]
Width = Annotated[int, Range(1, 100_000)]
Depth = Annotated[int, Range(1, 1000)]
Layers = tuple[Units, ...]  # the units of each


class LearnerConfig:
    """What every config answers beside its fields."""

    lanes: int = 0  # games side by side; 0 where a learner has no such setting

    @staticmethod
    def scales(settings: Mapping[str, Any]) -> bool:
        """Whether a network of these settings plays boards of any size."""
        return False


Inputs = Literal["planes", "raw"]
Algorithm = Literal["sarsa", "q", "gtd2", "tdc", "greedy-gq", "tdc-natural"]


@dataclass(frozen=True)
class AfterstateConfig(LearnerConfig):
    """Values of positions, learned from afterstates."""

    hidden: Layers = (256, 256)
    inputs: Inputs = "planes"
    gamma: Share = 0.9
    epsilon: Share = 0.2  # share of moves made at random in training
    learning_rate: Rate = 1e-3  # of Adam, annealed to 0 over these games
    games: Games = 80_000
    lanes: Count = 256  # games side by side
    plies: Count = 32  # played in each lane between two refreshes
    updates: Count = 32  # of the weights, in the same time
    batch: Count = 512  # positions in an update
    memory: Count = 65_536  # latest positions that are stored


@dataclass(frozen=True)
class DqnConfig(LearnerConfig):
    """Values of moves, learned from stored whole games. The defaults are the paper's where it gives them."""

    hidden: Layers = (512, 512)
    inputs: Literal["planes", "raw", "moves"] = "raw"  # "moves": the planes, and which moves are legal
    head: Literal["groups", "full"] = "groups"  # an output for each group of actions, or for each action
    backup: Literal["negamax", "own-turn"] = "negamax"
    memory: Count = 10_000  # latest games that are stored
    recall: CountOrNone = 10  # games in a step's batch; 0: the game just played, without a replay buffer
    batch: Literal["games", "transitions"] = "games"
    transitions: Count = 32  # in a step's batch, with batch "transitions"
    optimizer: Literal["nesterov", "rmsprop", "adadelta"] = "nesterov"
    momentum: Share = 0.9
    learning_rate: Rate = 0.1
    final_rate: Rate = 0.1  # share of the learning rate that is left at the end; 1 is a constant rate
    gamma: Share = 0.9
    epsilon: Share = 0.05
    final_epsilon: Share = 0.01
    games: Games = 100_000  # over which rates are annealed
    lanes: Count = 16  # games side by side, with the same weights; then as many steps
    steps: CountOrNone = 0  # steps after each round of games; 0 is one for each game
    target: CountOrNone = 0  # steps after which the target network is a copy of the network again; 0: no such network

    def __post_init__(self) -> None:
        if self.steps and self.batch == "games" and self.recall == 0:
            raise BadInput("without recall each game is one step's batch; leave out steps, or give recall.")
        if self.backup == "own-turn" and self.batch == "transitions":
            raise BadInput("the backup 'own-turn' learns from whole games; give batch 'games', or backup 'negamax'.")


@dataclass(frozen=True)
class NegamaxConfig(LearnerConfig):
    """Values of moves, learned from a replay buffer of positions."""

    network: Literal["mlp", "tower"] = "mlp"
    hidden: Layers = (256, 256)  # of the MLP
    width: Width = 32  # of the tower
    depth: Depth = 4
    backups: CountOrNone = 0  # moves of a stored position that are backed up at once; 0 is all, 1 the one played
    gamma: Share = 0.95  # below 1, so that quick wins are worth more
    epsilon: Share = 0.3  # share of moves made at random in training
    random_plies: CountOrNone = 0  # games begin with up to so many random moves; 0 is up to a whole game
    handicap: Share = 0.0  # share of lanes where one side plays its best moves, the other more or less random ones
    optimizer: Literal["adam", "rmsprop"] = "adam"
    learning_rate: Rate = 1e-3  # annealed to 0 over these games
    games: Games = 200_000
    lanes: Count = 128  # games side by side
    plies: Count = 16  # played in each lane between two refreshes of the targets
    updates: Count = 16  # of the weights, in the same time
    batch: Count = 256  # positions in an update
    memory: Count = 65_536  # latest positions that are stored
    rounds: Count = 10  # between two reports
    calls: Count = 1  # of the compiled program for these rounds
    lookahead: bool = False  # whether a player looks one ply ahead, to the best reply; training does not
    images: Count = 1  # symmetric images of a position that a player takes the mean over; training takes one


@dataclass(frozen=True)
class OnlineConfig(LearnerConfig):
    """Values of moves, with one update for every move."""

    algorithm: Algorithm = "sarsa"
    actor: Literal["none", "plain", "natural"] = "none"  # who chooses moves: the values, or a policy
    backup: Literal["paper", "negamax"] = "negamax"
    alpha: Rate = 0.01  # step of the values' weights
    ratio: Rate = 1.0  # beta / alpha
    epsilon: Share = 0.1  # share of random moves, without an actor
    trace: Share = 0.0  # lambda
    second_order: bool = True  # whether algorithms that have a second-order term (h) use it
    bound: Rate = 0.0  # on the norm of the values' weights; 0 is none
    advantage: Literal["error", "policy"] = "policy"  # of an actor's move over its own value, or its policy's
    actor_rate: Rate = 0.01
    actor_trace: Share = 0.0
    natural_rate: Rate = 0.1  # step of the weights that find an actor's natural gradient
    games: Games = 20_000
    moves: Count = 50  # in a round
    starts: Count = 1024  # random positions that games begin at
    rounds: Count = 100  # between two reports

    def __post_init__(self) -> None:
        if self.algorithm not in get_args(Algorithm):
            raise BadInput(f"there is no algorithm '{self.algorithm}'; there are {', '.join(get_args(Algorithm))}.")


@dataclass(frozen=True)
class BatchConfig(LearnerConfig):
    """Values of moves, learned in batches. The defaults are the paper's where it gives them, except the projection's
    rate: at the paper's 0.1 all units of the projection die.
    """

    network: Literal["cnn", "rnn"] = "cnn"
    target: Literal["q", "sarsa"] = "q"
    objective: Literal["mse", "pbe"] = "mse"
    backup: Literal["paper", "negamax"] = "negamax"
    learning_rate: Rate = 0.001
    projection_rate: Rate = 0.01  # of the second network
    first_weights: Rate = 1.0  # a factor on the recurrent network's first matrices
    epsilon: Share = 0.1
    games: Games = 20_000
    moves: Count = 50  # between two steps, and in a step's batch
    sequence: Count = 10  # consecutive moves, for the recurrent network
    memory: Count = 5_000  # latest moves that are stored
    starts: Count = 1024  # random positions that games begin at
    rounds: Count = 100  # between two reports


@dataclass(frozen=True)
class ReturnsConfig(LearnerConfig):
    """Values of positions, learned from the lambda-returns of many games side by side."""

    network: Literal["patterns", "mlp"] = "mlp"  # weights for the game's patterns, or layers over planes
    units: UnitsOrNone = 0  # hidden units over the patterns; 0: the value is a plain sum
    hidden: Layers = (256, 256)  # of the MLP
    gamma: Share = 0.98  # a ply
    trace: Share = 0.7  # lambda
    result: Rate = 1.0  # weight of the game's result, beside the rewards on the way
    epsilon: Share = 0.05  # share of moves made at random
    random_plies: CountOrNone = 16  # games begin with up to so many random moves
    learning_rate: Rate = 3e-3  # of Adam, annealed to 0 over these games
    games: Games = 40_000
    lanes: Count = 128  # games side by side
    plies: Count = 32  # played in each lane between two rounds of learning
    updates: Count = 8  # of the weights in a round; each learns from an equal share of the plies
    most_moves: CountOrNone = 0  # of a position that training looks at; 0 is all
    rounds: Count = 10  # between two reports


@dataclass(frozen=True)
class TreesConfig(LearnerConfig):
    """Whether positions of a puzzle can be solved, learned from complete searches of generated puzzles."""

    hidden: Layers = (512, 32)
    learning_rate: Rate = 3e-3  # of Adam, annealed to 0 over these games
    games: Games = 2_000_000  # puzzles
    rows: Count = 8192  # new positions in a round
    width: Width = 64  # most inputs of a position that are not zero: its pieces and its moves
    memory: Count = 131_072  # latest positions that are stored
    updates: Count = 32  # of the weights, in a round
    batch: Count = 2048  # positions in an update
    rounds: Count = 50  # between two reports


@dataclass(frozen=True)
class AlphaZeroConfig(LearnerConfig):
    """A policy and a value, learned from the learner's own searches."""

    network: Literal["tower", "mlp"] = "mlp"  # hexagonal layers for any size of board, or layers over planes
    width: Width = 64  # of the tower
    blocks: Depth = 8
    norms: bool = True  # whether every second block begins with a normalisation
    hidden: Layers = (256, 256)  # of the MLP
    simulations: Count = 32  # a move
    considered: Count = 16  # moves at the root of a search, at most
    value_scale: Rate = 0.1  # weight of values against the policy in its searches
    rescaled: bool = True  # whether a position's move values are first rescaled to 0..1
    images: Count = 2  # symmetric images of a position that a player takes the mean over; training takes one
    random_plies: CountOrNone = 1  # games begin with up to so many random moves
    least_plies: CountOrNone = 0  # and with at least so many
    openings: Literal["random", "balanced"] = "random"  # the first random move: any, or one that keeps the game open
    decided: Rate = 1.0  # a game ends when a search's value exceeds this, except in some lanes; 1 is never
    learning_rate: Rate = 2e-3  # of Adam, annealed over these games
    warm: Count = 200  # updates over which the rate rises first; without, most units of a deep tower die
    final_rate: Rate = 0.02  # share of the learning rate below which it does not fall
    decay: Rate = 1e-4  # of the weights, times the learning rate
    average: Share = 0.99  # decay of the averaged weights, which play, in a step
    games: Games = 20_000
    lanes: Count = 128  # games side by side
    plies: Count = 16  # played in each lane between two rounds of learning
    updates: Count = 8  # of the weights in a round
    batch: Count = 512  # positions in an update
    tape: CountOrNone = 0  # plies of each lane that are stored; 0 is a whole game's
    kept: CountOrNone = 0  # best moves of a position whose weights are stored; 0 is all
    wait: CountOrNone = 0  # plies on the tape before learning begins
    season: CountOrNone = 0  # rounds after which the tape is emptied and all games restart; 0 is never
    rounds: Count = 10  # between two reports
    calls: Count = 1  # of the compiled program for these rounds

    @staticmethod
    def scales(settings: Mapping[str, Any]) -> bool:
        return settings.get("network") == "tower"


@dataclass(frozen=True)
class TdConfig(LearnerConfig):
    """Values of afterstates, learned by temporal differences with eligibility traces, game by game."""

    features: str = "planes"  # the network's inputs: one of the game's own features, or its planes
    view: Literal["mover", "first"] = "mover"  # whose values: of the player who has just moved, or of the first player
    repetition: Literal["ends", "plays-on"] = "ends"  # in training: a game that repeats a position ends, or goes on
    hidden: Units = 20  # sigmoid units
    output: Literal["sigmoid", "scaled"] = "sigmoid"  # values from 0 to 1, or from -scale to scale
    scale: Rate = 7.0
    result_counts: bool = True  # whether a finished game has its result for a value, beyond any other
    reward_counts: bool = False  # whether a move's reward counts when moves are chosen, or the afterstate alone
    alpha: Rate = 0.1  # step of the weights
    trace: Share = 0.7  # lambda
    gamma: Share = 1.0
    kappa: SignedShare = 0.0  # sensitivity to risk, from -1 to 1
    risk: Literal["formula", "text"] = (
        "formula"  # by the formula bad surprises count less where kappa < 0, by the text more
    )
    epsilon: Share = 0.01  # share of random moves, in the first game
    final_epsilon: Share = 0.01  # and after `epsilon_games`; it falls exponentially
    epsilon_games: Count = 100
    opponent: Literal["self", "random", "minimax", "random-first"] = "self"
    first_games: Count = 500  # against the random player, of "random-first"
    games: Games = 3000  # after which nothing is learned any more
    rounds: Count = 50  # games between two reports

    def __post_init__(self) -> None:
        if not -1 <= self.kappa <= 1:
            raise BadInput(f"kappa goes from -1 to 1, so it cannot be {self.kappa}.")
