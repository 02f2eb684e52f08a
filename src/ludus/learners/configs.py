"""The settings of every learner, with their defaults: what a run is made of, and saved with it.

They stand apart from the learners, which need JAX, so that a setting that is not there is refused at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ludus.errors import BadInput

Inputs = Literal["planes", "raw"]
Algorithm = Literal["sarsa", "q", "gtd2", "tdc", "greedy-gq", "tdc-natural"]


@dataclass(frozen=True)
class AfterstateConfig:
    """Values of positions, learned from where moves lead."""

    hidden: tuple[int, ...] = (256, 256)
    inputs: Inputs = "planes"
    gamma: float = 0.9
    epsilon: float = 0.2  # share of moves made at random in training
    learning_rate: float = 1e-3  # of Adam, annealed to nothing over these games
    games: int = 80_000
    lanes: int = 256  # games side by side
    plies: int = 32  # played in each between two refreshes
    updates: int = 32  # of the weights, in the same time
    batch: int = 512  # positions an update
    memory: int = 65_536  # latest positions, to draw from


@dataclass(frozen=True)
class DqnConfig:
    """Values of moves, learned from whole games recalled. The defaults are the paper's where it gives them."""

    hidden: tuple[int, ...] = (512, 512)
    inputs: Literal["planes", "raw", "moves"] = "raw"  # "moves": the planes, and which moves are legal
    head: Literal["groups", "full"] = "groups"  # an output for each group of actions, or for each action
    backup: Literal["negamax", "own-turn"] = "negamax"
    memory: int = 10_000  # latest games
    recall: int = 10  # games in a step's batch; 0 is the game just played, and no memory
    batch: Literal["games", "transitions"] = "games"
    transitions: int = 32  # in a step's batch, where it is not made of games
    optimizer: Literal["nesterov", "rmsprop", "adadelta"] = "nesterov"
    momentum: float = 0.9
    learning_rate: float = 0.1
    final_rate: float = 0.1  # of the learning rate, at the end of training; 1 is a constant rate
    gamma: float = 0.9
    epsilon: float = 0.05
    final_epsilon: float = 0.01
    games: int = 100_000  # over which rates are annealed
    lanes: int = 16  # games played side by side, with the same weights; then as many steps
    steps: int = 0  # or so many steps, from what is remembered

    def __post_init__(self) -> None:
        if self.steps and self.batch == "games" and self.recall == 0:
            raise BadInput("without recall each game is one step's batch; leave out steps, or give recall.")
        if self.backup == "own-turn" and self.batch == "transitions":
            raise BadInput("the backup 'own-turn' learns from whole games; give batch 'games', or backup 'negamax'.")


@dataclass(frozen=True)
class NegamaxConfig:
    """Values of moves, learned from positions recalled."""

    network: Literal["mlp", "tower"] = "mlp"
    hidden: tuple[int, ...] = (256, 256)  # of the MLP
    width: int = 32  # of the tower
    depth: int = 4
    backups: int = 0  # moves of a remembered position that are backed up at once; 0 is all, 1 the one played
    gamma: float = 0.95  # below 1, so that quick wins are liked better
    epsilon: float = 0.3  # share of moves made at random in training
    random_plies: int = 0  # games begin after up to so many random moves; 0 is up to a full game's
    handicap: float = 0.0  # share of lanes where one side makes its best moves, and the other more or less any
    optimizer: Literal["adam", "rmsprop"] = "adam"
    learning_rate: float = 1e-3  # annealed to nothing over these games
    games: int = 200_000
    lanes: int = 128  # games side by side
    plies: int = 16  # played in each between two refreshes of the targets
    updates: int = 16  # of the weights, in the same time
    batch: int = 256  # positions an update
    memory: int = 65_536  # latest positions, to draw from
    rounds: int = 10  # between two reports
    calls: int = 1  # that these rounds are compiled into
    lookahead: bool = False  # whether a player looks at what the best reply to each move leaves; training does not
    images: int = 1  # of a position that a player takes the mean over; training takes it as it is


@dataclass(frozen=True)
class OnlineConfig:
    """Values of moves, learned from every move as it is made."""

    algorithm: Algorithm = "sarsa"
    actor: Literal["none", "plain", "natural"] = "none"  # who moves: the values, or a policy learned beside them
    backup: Literal["paper", "negamax"] = "negamax"
    alpha: float = 0.01  # step of the values' weights
    ratio: float = 1.0  # beta / alpha
    epsilon: float = 0.1  # share of moves made at random, where there is no actor
    trace: float = 0.0  # lambda
    second_order: bool = True  # whether the values' second derivatives count (h), where an algorithm has them
    bound: float = 0.0  # of the norm of the values' weights; 0 is none
    advantage: Literal["error", "policy"] = "policy"  # an actor's move is better than its value, or than its policy's
    actor_rate: float = 0.01
    actor_trace: float = 0.0
    natural_rate: float = 0.1  # step of the weights that find an actor's natural gradient
    games: int = 20_000
    moves: int = 50  # in a round
    starts: int = 1024  # random positions that games begin at
    rounds: int = 100  # between two reports

    def __post_init__(self) -> None:
        if self.algorithm not in get_args(Algorithm):
            raise BadInput(f"there is no algorithm '{self.algorithm}'; there are {', '.join(get_args(Algorithm))}.")


@dataclass(frozen=True)
class BatchConfig:
    """Values of moves, learned in batches. The defaults are the paper's where it gives them, but for the projection's
    rate: at its 0.1 the projection dies.
    """

    network: Literal["cnn", "rnn"] = "cnn"
    target: Literal["q", "sarsa"] = "q"
    objective: Literal["mse", "pbe"] = "mse"
    backup: Literal["paper", "negamax"] = "negamax"
    learning_rate: float = 0.001
    projection_rate: float = 0.01  # of the second network
    epsilon: float = 0.1
    games: int = 20_000
    moves: int = 50  # between two steps, and in a step's batch
    sequence: int = 10  # moves in a row, for the recurrent network
    memory: int = 5_000  # latest moves, to draw from
    starts: int = 1024  # random positions that games begin at
    rounds: int = 100  # between two reports


@dataclass(frozen=True)
class ReturnsConfig:
    """Values of positions, learned from what games side by side come to: lambda-returns."""

    network: Literal["patterns", "mlp"] = "mlp"  # weights of the patterns that a room knows, or layers over planes
    units: int = 0  # hidden ones over the patterns; without any the value is a sum alone
    hidden: tuple[int, ...] = (256, 256)  # of the MLP
    gamma: float = 0.98  # a ply
    trace: float = 0.7  # lambda
    result: float = 1.0  # what a game won counts, beside the rewards on the way
    epsilon: float = 0.05  # share of moves made at random
    random_plies: int = 16  # games begin after up to so many random moves
    learning_rate: float = 3e-3  # of Adam, annealed to nothing over these games
    games: int = 40_000
    lanes: int = 128  # games side by side
    plies: int = 32  # played in each between two rounds of learning
    updates: int = 8  # of the weights in a round, each from its share of what was played
    most_moves: int = 0  # that are looked at in a position while it trains; 0 is all
    rounds: int = 10  # between two reports


@dataclass(frozen=True)
class TreesConfig:
    """Whether positions of a puzzle can be solved, learned from all that is below puzzles of its own."""

    hidden: tuple[int, ...] = (512, 32)
    learning_rate: float = 3e-3  # of Adam, annealed to nothing over these games
    games: int = 2_000_000  # puzzles
    rows: int = 8192  # positions that a round learns of
    width: int = 64  # inputs of a position that are not zero, at most: its pieces and its moves
    memory: int = 131_072  # latest positions, to draw from
    updates: int = 32  # of the weights, in a round
    batch: int = 2048  # positions an update
    rounds: int = 50  # between two reports


@dataclass(frozen=True)
class AlphaZeroConfig:
    """A policy and a value, learned from searches of its own."""

    network: Literal["tower", "mlp"] = "mlp"  # hexagonal layers for any size of board, or layers over planes
    width: int = 64  # of the tower
    blocks: int = 8
    norms: bool = True  # whether every second block begins with a norm
    hidden: tuple[int, ...] = (256, 256)  # of the MLP
    simulations: int = 32  # a move
    considered: int = 16  # moves at the root of a search, at most
    value_scale: float = 0.1  # how much values count in its searches beside what the policy says
    rescaled: bool = True  # whether the values of a position's moves are stretched first, from 0 to 1
    images: int = 2  # of a position that a player takes the mean over; training takes it as it is
    random_plies: int = 1  # games begin after up to so many random moves
    least_plies: int = 0  # and after no fewer than so many
    openings: Literal["random", "balanced"] = "random"  # their first, any alike, or rather one that leaves it open
    decided: float = 1.0  # games end where a search is surer than this of who wins, but in some lanes; 1 is never
    learning_rate: float = 2e-3  # of Adam, annealed over these games
    warm: int = 200  # updates over which it rises first: at once, most units of a deep tower die
    final_rate: float = 0.02  # of the learning rate, below which it does not fall
    decay: float = 1e-4  # of the weights, times the rate
    average: float = 0.99  # of the weights that play, what a step leaves
    games: int = 20_000
    lanes: int = 128  # games side by side
    plies: int = 16  # played in each between two rounds of learning
    updates: int = 8  # of the weights in a round
    batch: int = 512  # positions an update
    tape: int = 0  # plies of each lane that are kept; 0 is a whole game's
    kept: int = 0  # moves of a position whose weights are kept, the best; 0 is all
    wait: int = 0  # plies that are on the tape before anything is learned
    season: int = 0  # rounds after which the tape is emptied and all games begin anew; 0 is never
    rounds: int = 10  # between two reports
    calls: int = 1  # that these rounds are compiled into

    @staticmethod
    def scales(settings: Mapping[str, Any]) -> bool:
        """Whether a network of these settings plays boards of any size."""
        return settings.get("network") == "tower"


@dataclass(frozen=True)
class TdConfig:
    """Values of where moves lead, learned by temporal differences with eligibility traces, game by game."""

    features: str = "planes"  # what the network sees of a position: the game's own, or its planes
    hidden: int = 20  # sigmoid units
    output: Literal["sigmoid", "scaled"] = "sigmoid"  # values from 0 to 1, or from -scale to scale
    scale: float = 7.0
    result_counts: bool = True  # whether a finished game is rated by its result, above or below any value
    reward_counts: bool = False  # whether a move is rated by what it gains too, or by where it leads alone
    alpha: float = 0.1  # step of the weights
    trace: float = 0.7  # lambda
    gamma: float = 1.0
    kappa: float = 0.0  # sensitivity to risk, from -1 to 1
    risk: Literal["formula", "text"] = "formula"  # kappa below 0 takes weight from bad surprises, or gives it to them
    epsilon: float = 0.01  # share of moves made at random, in the first game
    final_epsilon: float = 0.01  # and after so many games, to which it falls exponentially
    epsilon_games: int = 100
    opponent: Literal["self", "random", "minimax", "random-first"] = "self"
    first_games: int = 500  # against the random player, of "random-first"
    games: int = 3000  # after which nothing is learned any more
    rounds: int = 50  # games between two reports

    def __post_init__(self) -> None:
        if not -1 <= self.kappa <= 1:
            raise BadInput(f"kappa goes from -1 to 1, so it cannot be {self.kappa}.")
