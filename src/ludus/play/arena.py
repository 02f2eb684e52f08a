"""Matches between two players who swap sides, on the device or on the host. The score so far can be read at any time,
also of a match that is stopped.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Float, Int, Key

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import part
from ludus.play import device_batch, host_batch
from ludus.play import openings as openings_of
from ludus.play.finished import Fault, FinishedGames, GamesSoFar
from ludus.play.host_batch import Ends
from ludus.play.player import Batched, Player, Side, side_of
from ludus.play.scores import Tally, paired_interval, tally_ends

#: Told as games end: games played, games in all.
Progress = Callable[[int, int], Any]


# --- matches ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchResult(Tally):
    """A match from the first-named player's side, and the same by the seat it had."""

    by_seat: tuple[Tally, Tally]
    mean_plies: float
    openings: int  # random plies that each game begins with; two games, with the seats exchanged, have the same
    distinct: int  # games that differ, in a move or in who sits where
    taken: tuple[float, float] | None  # by each player, pieces a game; None where nothing is taken
    faults: tuple[Fault, ...]

    @property
    def forfeits(self) -> tuple[int, int]:
        """Games that each player lost because it made no move."""
        second = sum(fault.player for fault in self.faults)
        return len(self.faults) - second, second


def match(
    game: Game,
    a: Player,
    b: Player,
    games: int,
    key: Key[Array, ""],
    batch: int = 1024,
    on_batch: Progress | None = None,
    openings: int | None = None,
) -> MatchResult:
    """Play so many games, `a` in the first seat and in the second by turns (of an odd number, one more in the first).

    `openings` is the number of random plies that games begin with, each opening played in both seats; if not given, as
    many as make games differ between two players without chance, and none where one moves by chance. The same key and
    batch give the same games, and a longer match begins with those of a shorter one (of a batch or more).

    The intervals take games for independent, or pairs of games where two share an opening. Two players without chance
    and without openings play only two games: there is no interval then.
    """
    return Match(game, a, b, games, openings).play(key, batch, on_batch)


class Match:
    """A match under way, as `match` has it; another thread may ask how it stands."""

    def __init__(
        self,
        game: Game,
        a: Player,
        b: Player,
        games: int,
        openings: int | None = None,
        on_fault: Callable[[Fault], Any] | None = None,
    ) -> None:
        self.game, self.players, self.games = game, (a, b), games
        self.openings = openings_between(game, a, b, games, openings)
        self.so_far = GamesSoFar(on_fault)

    def play(self, key: Key[Array, ""], batch: int = 1024, on_batch: Progress | None = None) -> MatchResult:
        sides = side_of(self.players[0], self.game), side_of(self.players[1], self.game)
        played = play_games(self.game, sides, self.games, key, batch, self.openings, on_batch, self.so_far)
        return replace(self._result(played), taken=_taken(self.game, played))

    def result(self) -> MatchResult | None:
        """Of the games that have ended so far, if any has. What was taken is left out: that may have to be compiled."""
        return self._result(self.so_far.played()) if len(self.so_far) else None

    def _result(self, played: FinishedGames) -> MatchResult:
        seat = played.places % 2
        whole, by_seat = tally_ends(played.end), (tally_ends(played.end[seat == 0]), tally_ends(played.end[seat == 1]))
        if self.openings:
            whole = replace(whole, ci95=paired_interval(played.end, played.places))
        elif not any(player.chance for player in self.players) and played.distinct <= 2:
            whole, by_seat = replace(whole, ci95=None), (replace(by_seat[0], ci95=None), replace(by_seat[1], ci95=None))
        return MatchResult(
            **vars(whole),
            by_seat=by_seat,
            mean_plies=float(played.plies.mean()),
            openings=self.openings,
            distinct=played.distinct,
            taken=None,
            faults=played.faults,
        )


def _taken(game: Game, played: FinishedGames) -> tuple[float, float] | None:
    """What each player took from the other, in the mean over games."""
    if part(game, "taken") is None:
        return None
    by_seat = np.asarray(_taking(game)(played.final))
    seat = played.fingerprint[:, :1].astype(np.int64)
    first, second = (np.take_along_axis(by_seat, place, axis=1).mean() for place in (seat, 1 - seat))
    return float(first), float(second)


def openings_between(game: Game, a: Player, b: Player, games: int, wanted: int | None) -> int:
    """How many plies the openings of two players' games have."""
    if wanted is None:
        return 0 if a.chance or b.chance else openings_of.plies_for(game, max(1, games // 2))
    if wanted < 0:
        raise BadInput(f"an opening cannot have {wanted} plies; 0 is none.")
    return min(wanted, game.max_plies - 1)


@functools.lru_cache(maxsize=16)
def _taking(game: Game) -> Callable[[Any], Float[Array, "N 2"]]:
    return jax.jit(jax.vmap(functools.partial(part(game, "taken"), game)))


def play_games(
    game: Game,
    sides: tuple[Side, Side],
    games: int,
    key: Key[Array, ""],
    batch: int = 1024,
    openings: int = 0,
    on_batch: Progress | None = None,
    so_far: GamesSoFar | None = None,
) -> FinishedGames:
    """The games of a match, in order: on the device, or on the host where one of the two thinks there. Whatever ends
    it before its time, `so_far` has the games that were over.
    """
    if game.num_players != 2:
        raise BadInput(f"a match takes two players, and {game.name} has {game.num_players}.")
    if games < 1 or batch < 1:
        raise BadInput(f"a match takes at least one game in batches of at least one, not {games} and {batch}.")
    tell, so_far = on_batch or (lambda played, total: None), GamesSoFar() if so_far is None else so_far
    a, b = sides
    batch = min(batch, games, *(side.lanes for side in sides if isinstance(side, Player)))
    key_openings = jax.random.fold_in(key, np.uint32(2**32 - 1))  # beyond any number of batches
    for number, begin in enumerate(range(0, games, batch)):
        places, key_batch = begin + np.arange(batch, dtype=np.int32), jax.random.fold_in(key, number)

        def ended(lanes: Int[np.ndarray, "K"], ends: Ends, why: Mapping[int, str], places: Any = places) -> None:
            so_far.add(places[lanes], ends, why)
            tell(len(so_far), games)

        if isinstance(a, Batched) and isinstance(b, Batched):
            device_batch.play_batch(game, (a, b), key_batch, key_openings, places, games, openings, ended)
        else:
            host_batch.play_batch(game, (a, b), key_batch, key_openings, places, games, openings, ended)
    return so_far.played()
