"""The Game protocol: what every game offers, and the few helpers all games share.

A game is a frozen, hashable instance (`LGame(cap=100)`), so it can be a static argument of a compiled function. A
state is a NamedTuple of arrays and holds the position, nothing else. Every method is pure and written for ONE state;
callers `vmap`. Illegal moves, ply caps, repetition, auto-reset and seats belong to `selfplay`.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Key

from ludus.core import compiling
from ludus.core.barrier import barrier
from ludus.core.compiled import Compiled as Compiled
from ludus.core.compiled import compiled as compiled
from ludus.core.compiled import legal_actions as legal_actions
from ludus.core.entry import Entry
from ludus.errors import BadInput, shorten

#: What a state is; where a signature says `Game` alone, it may be anything.
if TYPE_CHECKING:
    from typing_extensions import TypeVar  # Python's own takes a default from 3.13 on

    from ludus.core.table import Table

    S = TypeVar("S", bound=tuple, default=Any)
else:
    from typing import TypeVar

    S = TypeVar("S", bound=tuple)

jax.monitoring.register_event_listener(compiling.Programs())


class Rules(abc.ABC, Generic[S]):
    """What play, learning and search need of a game: its rules, on the device."""

    #: The game's name in the registry; rules without an entry (a table, a test's game) have none.
    name: ClassVar[str] = ""
    num_players: ClassVar[int]
    #: Whether a position that comes back ends the game in a tie (self-play and the terminal keep count).
    repetition_ties: ClassVar[bool] = False

    @property
    @abc.abstractmethod
    def num_actions(self) -> int: ...

    @property
    @abc.abstractmethod
    def max_plies(self) -> int:
        """Self-play stops a game here, and `returns` gives the result."""
        ...

    @property
    def max_legal(self) -> int:
        """No position has more legal moves than this: the padding of `afterstates`."""
        return self.num_actions

    def action_groups(self) -> tuple[int, Int[np.ndarray, "A"]]:
        """Actions that share an output of a network: the number of outputs, and each action's output."""
        return self.num_actions, np.arange(self.num_actions)

    @abc.abstractmethod
    def init(self) -> S:
        """The start."""

    def sample(self, key: Key[Array, ""]) -> S:
        """A start drawn at random. A board game has one start; a puzzle game makes a new puzzle."""
        del key
        return self.init()

    @property
    def one_start(self) -> bool:
        """Whether every game begins at `init()`, and none is drawn at random."""
        return type(self).sample is Rules.sample

    @abc.abstractmethod
    def step(self, state: S, action: Int[Array, ""] | int) -> S:
        """The position after a legal action."""

    @abc.abstractmethod
    def player(self, state: S) -> Int[Array, ""]:
        """Whose turn it is: a seat, from 0."""

    @abc.abstractmethod
    def legal(self, state: S) -> Bool[Array, "A"]:
        """Which actions may be played."""

    def num_legal(self, state: S) -> Int[Array, ""]:
        """How many actions may be played. Games with a quicker way than the mask override this and the next."""
        return self.legal(state).sum(dtype=jnp.int32)

    def nth_legal(self, state: S, n: Int[Array, ""]) -> Int[Array, ""]:
        """The n-th legal action in the order of action numbers, n from 0."""
        return jnp.argmax(jnp.cumsum(self.legal(state), dtype=jnp.int32) == n + 1).astype(jnp.int32)

    @abc.abstractmethod
    def done(self, state: S) -> Bool[Array, ""]:
        """Whether the game is over."""

    @abc.abstractmethod
    def returns(self, state: S) -> Float[Array, "P"]:
        """The result by seat; for a game that is not over, the result if it were stopped here."""

    @abc.abstractmethod
    def observe(self, state: S) -> Float[Array, "..."]:
        """The position from the mover's side, for a network: planes, last axis the channels."""

    @abc.abstractmethod
    def symmetries(self, state: S) -> tuple[S, Int[Array, "G A"]]:
        """The G images of a position (the first is itself), and the action each action becomes in each image."""

    def images(self, state: S) -> S:
        """The image positions alone; a game whose actions are slow to map may override it."""
        return self.symmetries(state)[0]

    def canonical(self, state: S) -> S:
        """The same position with the mover in the first seat, if the rules allow it: this halves the positions."""
        return state

    def canonical_action(self, state: S, action: Int[Array, ""]) -> Int[Array, ""]:
        """An action of a position as one of its canonical form, and back again."""
        del state
        return action


class Game(Rules[S]):
    """One game: its rules, its notation and its picture.

    Subclasses are frozen dataclasses whose fields are the options (`size`, `layout`, ...). Name, seats and the range of
    each option come from their `entry` in the registry.
    """

    entry: ClassVar[Entry]
    name: ClassVar[str]
    num_players: ClassVar[int]
    #: The names of the seats.
    seats: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        if not hasattr(cls, "entry"):  # a base of several games
            return
        cls.name, cls.seats, cls.num_players = cls.entry.name, cls.entry.seats, len(cls.entry.seats)
        # The registry shows the entry's default, but a game made without the option has the class's.
        for option in cls.entry.options:
            if not hasattr(cls, option.name):
                raise TypeError(f"{cls.name}: its entry has the option '{option.name}', and its class no such field")
            if getattr(cls, option.name) != option.default:
                raise TypeError(
                    f"{cls.name}: the option '{option.name}' has another default in its entry than in its class"
                )

    def __post_init__(self) -> None:
        self.entry.check(**self.options())

    @property
    def small(self) -> bool:
        """Whether all its positions can be written down, so that it can be solved and agents graded exactly."""
        return False

    @abc.abstractmethod
    def parse(self, text: str) -> S:
        """Read a position; `BadInput` says what is wrong with it."""

    @abc.abstractmethod
    def format(self, state: S) -> str:
        """Write a position."""

    @abc.abstractmethod
    def format_move(self, state: S, action: int) -> str:
        """Write a legal move."""

    def parse_move(self, state: S, text: str) -> int:
        """Read a move; `BadInput` says why it cannot be played here."""
        wanted = self.tidy_move(text.strip())
        for action in legal_actions(self, state):
            if self.format_move(state, action) == wanted:
                return action
        over = bool(compiled(self).done(state))
        raise BadInput(
            f"{self.name} move '{shorten(text)}': {'the game is over' if over else self.why_not(state, wanted)}."
        )

    def tidy_move(self, text: str) -> str:
        """The spelling `format_move` would use, for a move spelled another way."""
        return text.lower()

    @abc.abstractmethod
    def why_not(self, state: S, move: str) -> str:
        """Why this (tidy) move is not legal: the end of a sentence."""

    @abc.abstractmethod
    def draw(self, state: S) -> str:
        """The board for a terminal, coordinates included."""

    @abc.abstractmethod
    def svg(self, state: S) -> str:
        """The board as a picture."""

    def start(self, position: str | None = None, seed: int = 0) -> Table:
        """A game under way, to play move by move: from its start, or from a position, written as text.

        A puzzle begins at the one of this seed.

        >>> import ludus
        >>> table = ludus.game("hex", size=3).start()
        >>> table.push("b2").turn
        'white'
        """
        from ludus.core.table import Table

        return Table(self, position, seed)

    def describe(self) -> str:
        """The game with its options, to name it in logs and recorded games: `lgame cap=100`."""
        return " ".join([self.name, *(f"{name}={value}" for name, value in self.options().items())])

    def options(self) -> dict[str, Any]:
        """The options of this game: `size`, `layout`, ..."""
        return {option.name: getattr(self, option.name) for option in self.entry.options}


class NotatedGame(Game[S]):
    """A game whose room has a notation module: plain functions that write, explain and draw a position."""

    notation: ClassVar[Any]  # the module, with `write`, `why_not`, `draw` and `svg`

    @abc.abstractmethod
    def position(self, state: S) -> tuple[Any, ...]:
        """The position as those functions take it: the pieces by square first."""

    def format(self, state: S) -> str:
        return self.notation.write(*self.position(state))

    def why_not(self, state: S, move: str) -> str:
        return self.notation.why_not(*self.position(state), move)

    def draw(self, state: S) -> str:
        return self.notation.draw(*self.position(state))

    def svg(self, state: S) -> str:
        return self.notation.svg(*self.position(state))


class Afterstates(NamedTuple):
    """The legal successors of one position, padded to `max_legal` (M) with copies that `valid` marks as none."""

    states: Any  # every leaf [M, ...]
    actions: Int[Array, "M"]
    valid: Bool[Array, "M"]


def afterstates(game: Rules[S], state: S, limit: int | None = None) -> Afterstates:
    """The position after each legal move: for learners that rate positions, not moves."""
    index = jnp.arange(limit or game.max_legal, dtype=jnp.int32)
    return _reached(game, state, barrier(game.num_legal(state)), index)


def _reached(game: Rules[S], state: S, count: Int[Array, ""], index: Int[Array, "M"]) -> Afterstates:
    actions = barrier(jax.vmap(game.nth_legal, (None, 0))(state, jnp.minimum(index, count - 1)))
    return barrier(Afterstates(jax.vmap(game.step, (None, 0))(state, actions), actions, index < count))


SOME = 128  # moves in a chunk, on a processor


class Moves(NamedTuple):
    """The legal moves of one position, padded to `max_legal` (M), and what was computed for each."""

    said: Any  # every leaf [M]
    actions: Int[Array, "M"]
    valid: Bool[Array, "M"]


def each_move(game: Rules[S], state: S, say: Callable[[S], Any], limit: int | None = None) -> Moves:
    """`say` of the position after each legal move. Most positions have far fewer moves than `max_legal`, so a processor
    takes chunks of moves, as many as needed; an accelerator takes all at once.
    """
    most = limit or game.max_legal
    if jax.default_backend() != "cpu" or most <= SOME:
        after = afterstates(game, state, most)
        return Moves(jax.vmap(say)(after.states), after.actions, after.valid)
    count, parts = barrier(jnp.minimum(game.num_legal(state), most)), -(-most // SOME)

    def look(part: Int[Array, ""]) -> Any:
        after = _reached(game, state, count, part * SOME + jnp.arange(SOME, dtype=jnp.int32))
        return jax.vmap(say)(after.states), after.actions

    def go_on(carry: Any) -> Any:
        part, known = carry
        here = (jnp.arange(parts) == part)[:, None]
        return part + 1, jax.tree.map(lambda new, old: jnp.where(here, new[None], old), look(part), known)

    shapes = jax.eval_shape(look, jax.ShapeDtypeStruct((), jnp.int32))
    blank = jax.tree.map(lambda leaf: jnp.zeros((parts, *leaf.shape), leaf.dtype), shapes)
    _, known = jax.lax.while_loop(lambda carry: carry[0] * SOME < count, go_on, (jnp.int32(0), blank))
    said, actions = jax.tree.map(lambda leaf: leaf.reshape(-1)[:most], known)
    return Moves(said, actions, jnp.arange(most, dtype=jnp.int32) < count)
