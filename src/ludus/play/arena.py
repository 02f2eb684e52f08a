"""Matches between two players who swap sides, on the device or on the host. The score so far can be read at any time,
also after a match was stopped.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float, Int, Key

from ludus.core.game import Game
from ludus.errors import BadInput
from ludus.games import part
from ludus.play import device_batch, host_batch
from ludus.play import openings as openings_of
from ludus.play.batched import Batched
from ludus.play.finished import Fault, FinishedGames, GamesSoFar
from ludus.play.host_batch import Ends
from ludus.play.player import Player, Side, side_of
from ludus.play.scores import Tally, paired_interval, tally_ends

#: Callback as games end: games played, games in all.
Progress = Callable[[int, int], Any]


# --- matches ------------------------------------------------------------------------------------------------


class Taken(NamedTuple):
    """The pieces of a match, in a game that has captures."""

    ours: float  # that the first-named player took, a game
    theirs: float
    more: float  # its score if whoever took more pieces wins, however a game ended


@dataclass(frozen=True)
class MatchResult(Tally):
    """The score of a match for the first-named player, in all and by its seat."""

    by_seat: tuple[Tally, Tally]
    mean_plies: float
    openings: int  # random plies at the start of each game; two games, with the seats exchanged, share them
    distinct: int  # different games: in a move, or in the seats
    taken: Taken | None  # None for a game without captures
    faults: tuple[Fault, ...]

    @property
    def forfeits(self) -> tuple[int, int]:
        """Games that each player lost because it failed to move."""
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
    """Play `games` games; `a` alternates between the first seat and the second, and begins in the first.

    `openings` is the number of random plies at the start of each game; each opening is played in both seats. By
    default, enough plies that the games of two deterministic players differ, and none if a player moves by chance. The
    same key and batch give the same games, and a longer match begins with the games of a shorter one (of at least one
    batch).

    The intervals assume that games are independent, or pairs of games if two share an opening. Two deterministic
    players without openings have only two different games: then there is no interval.
    """
    return Match(game, a, b, games, openings).play(key, batch, on_batch)


class Match:
    """A match in progress (see `match`); another thread may read the score so far."""

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
        """The result of the games finished so far, if any. `taken` is left out, because it may need compilation."""
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


def _taken(game: Game, played: FinishedGames) -> Taken | None:
    if part(game, "taken") is None:
        return None
    by_seat = np.asarray(_taking(game)(played.final))
    seat = played.fingerprint[:, :1].astype(np.int64)
    ours, theirs = (np.take_along_axis(by_seat, place, axis=1) for place in (seat, 1 - seat))
    return Taken(*map(float, (ours.mean(), theirs.mean(), (1 + np.sign(ours - theirs)).mean() / 2)))


def openings_between(game: Game, a: Player, b: Player, games: int, wanted: int | None) -> int:
    """The number of opening plies between these two players."""
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
    """Play the games of a match: on the device, or on the host if one of the two thinks there. The games come back in
    order. If an exception stops the match, `so_far` has the finished games.
    """
    if game.num_players != 2:
        raise BadInput(f"a match takes two players, and {game.name} has {game.num_players}.")
    if games < 1 or batch < 1:
        raise BadInput(f"a match takes at least one game in batches of at least one, not {games} and {batch}.")
    tell, so_far = on_batch or (lambda played, total: None), GamesSoFar() if so_far is None else so_far
    a, b = sides
    batch = min(batch, games, *(side.lanes for side in sides if isinstance(side, Player)))
    key_openings = jax.random.fold_in(key, np.uint32(2**32 - 1))  # larger than any batch number
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
