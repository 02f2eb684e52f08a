"""One game on the host, move by move, as people watch it; `selfplay` plays batches of games on the device."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from ludus.core.compiled import compiled, legal_actions

if TYPE_CHECKING:
    from ludus.core.game import Game


class Ending(NamedTuple):
    """How a game ended."""

    result: str  # a seat's name, or tie; for a puzzle solved or unsolved
    sentence: str
    returns: tuple[float, ...]


class Line:
    """The positions of one game from its start, and the moves between them."""

    def __init__(self, game: Game, start: Any) -> None:
        self.game = game
        self.states: list[Any] = [jax.tree.map(np.asarray, start)]
        self.actions: list[int] = []
        self.undone: list[int] = []  # moves taken back, the next one to redo first
        self.resigned: int | None = None  # the seat that resigned
        self._players: list[int] = []  # cache: whose turn it was, for the first positions
        self._texts: list[str] = []  # cache: the moves in notation, for the first moves
        self._keys: dict[Any, list[int]] = {}

    def copy(self) -> Line:
        """An independent copy, without moves to redo and without a resignation."""
        made = copy.copy(self)
        made.states, made.actions, made.undone, made.resigned = list(self.states), list(self.actions), [], None
        made._players, made._texts = list(self._players), list(self._texts)
        made._keys = {key: list(numbers) for key, numbers in self._keys.items()}
        return made

    @property
    def state(self) -> Any:
        return self.states[-1]

    def player(self, ply: int = -1) -> int:
        """Whose turn it was at a ply, or is now."""
        return self.players()[ply]

    def players(self) -> list[int]:
        """Whose turn it was at each ply, and is now."""
        for state in self.states[len(self._players) :]:
            self._players.append(int(compiled(self.game).player(state)))
        return self._players

    def legal(self) -> list[int]:
        return legal_actions(self.game, self.state)

    def push(self, action: int) -> None:
        self.undone.clear()
        self._advance(action)

    def follow(self, action: int, state: Any) -> None:
        """Append a move whose next position is known already."""
        self.undone.clear()
        self.actions.append(action)
        self.states.append(state)

    def seen(self, key: Callable[[Any], int]) -> list[int]:
        """The keys of the earlier positions, for a game where a repeated position is a tie. `key` is the search's hash
        of a position; its results are cached.
        """
        if not self.game.repetition_ties:
            return []
        keys = self._keys.setdefault(key, [])
        keys += [key(state) for state in self.states[len(keys) : -1]]
        return keys[: len(self.states) - 1]

    def _advance(self, action: int) -> None:
        after = compiled(self.game).step(self.state, np.int32(action))
        self.states.append(jax.tree.map(np.asarray, after))
        self.actions.append(action)

    def cut(self, plies: int) -> None:
        """Take back all moves after the first `plies`."""
        self.undone[:0] = self.actions[plies:]
        del self.actions[plies:], self._texts[plies:]
        del self.states[plies + 1 :], self._players[plies + 1 :]
        for numbers in self._keys.values():
            del numbers[plies + 1 :]

    def redo(self) -> None:
        """Make again the next move that was taken back."""
        self._advance(self.undone.pop(0))

    def resign(self) -> None:
        """The player to move resigns."""
        self.resigned = self.player()

    def moves(self) -> list[str]:
        for ply in range(len(self._texts), len(self.actions)):
            self._texts.append(self.game.format_move(self.states[ply], self.actions[ply]))
        return list(self._texts)

    def ending(self) -> Ending | None:
        """How the game ended: by the rules, a resignation, repetition or the ply cap; None while it goes on. `returns`
        is compiled only when a game has ended.
        """
        game, plies = self.game, len(self.actions)
        if bool(compiled(game).done(self.state)):
            returns = self._returns()
            return Ending(*_verdict(game, returns), returns)
        if self.resigned is not None:
            return self._given_up(self.resigned)
        if game.repetition_ties and self._repeats():
            sentence = "It is a tie: this position has been on the board before."
            return Ending("tie", sentence, (0.0,) * game.num_players)
        if plies >= game.max_plies:
            returns = self._returns()
            result, sentence = _verdict(game, returns)
            return Ending(result, f"The game stops after {plies} moves. {sentence}", returns)
        return None

    def _returns(self) -> tuple[float, ...]:
        return tuple(np.asarray(compiled(self.game).returns(self.state)).tolist())

    def _given_up(self, seat: int) -> Ending:
        game = self.game
        if game.num_players == 1:
            return Ending("unsolved", "Given up.", self._returns())
        returns = tuple(-1.0 if other == seat else 1.0 for other in range(game.num_players))
        result, sentence = _verdict(game, returns)
        return Ending(result, f"{game.seats[seat]} resigns. {sentence}", returns)

    def _repeats(self) -> bool:
        now = jax.tree.leaves(self.state)
        return any(all(map(np.array_equal, now, jax.tree.leaves(before))) for before in self.states[:-1])


def _verdict(game: Game, returns: tuple[float, ...]) -> tuple[str, str]:
    if game.num_players == 1:
        solved = returns[0] > 0
        return ("solved", "Solved.") if solved else ("unsolved", "No move is left, and it is not solved.")
    winners = [seat for seat, value in zip(game.seats, returns, strict=True) if value == max(returns)]
    if len(winners) == len(game.seats):
        return "tie", "It is a tie."
    names = " and ".join(winners)
    return names, f"{names} wins." if len(winners) == 1 else f"{names} win."


def fresh_start(game: Game, seed: int) -> Any:
    """The start position; for a game with random starts (a puzzle), the one of this seed."""
    if game.one_start:  # one start: nothing to compile
        return game.init()
    return _sampler(game)(jax.random.key(seed))


@functools.cache
def _sampler(game: Game) -> Any:
    return jax.jit(game.sample)


def play_randomly(line: Line, chance: random.Random) -> Ending:
    """Play to the end, every legal move equally likely."""
    while (ending := line.ending()) is None:
        line.push(chance.choice(line.legal()))
    return ending
