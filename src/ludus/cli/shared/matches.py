"""Matches of two agents: the games, with progress; and the result in words and as JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ludus.cli.shared.output import print_shown
from ludus.cli.shared.progress import ProgressLine
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.core.game import Game
    from ludus.ladder.rating_list import RatingRow
    from ludus.play.arena import MatchResult
    from ludus.play.player import Player
    from ludus.play.tournament import TournamentRow

ONLY_TWO = "only two different games"


class MatchRun:
    """The games of a match, with progress on stderr; it can end early with the result so far."""

    def __init__(
        self, game: Game, player: Player, other: Player, games: int, seed: int, openings: int | None, quiet: bool
    ) -> None:
        from ludus.play.arena import Match

        if game.num_players != 2:
            raise BadInput(f"{game.name} is a puzzle for one: there is no opponent to play.")
        self.games, self._seed = games, seed
        self._progress = ProgressLine(f"{player.name} against {other.name}", quiet)
        self._match = Match(game, player, other, games, openings, self._progress.forfeit)

    def play(self) -> MatchResult:
        import jax

        with self._progress:
            return self._match.play(jax.random.key(self._seed), on_batch=self._progress.games)

    def end_early(self, failed: bool) -> MatchResult | None:
        """The result so far; None if there is none, or if an error came when all games so far were forfeits."""
        self._progress.end()
        result = self._match.result()
        if failed and (result is None or len(result.faults) == result.games):
            return None
        note_stopped(0 if result is None else result.games, self.games)
        return result


def note_stopped(played: int, games: int) -> None:
    """Say on stderr that not all games were played."""
    if sys.stderr is not None:
        far = f"after {played:,} of {games:,} games" if played else "before a game was over"
        print(f"Stopped {far}.", file=sys.stderr, flush=True)


def match_document(name: str, other: str, result: MatchResult) -> dict[str, Any]:
    """A match, as it stands in the JSON document."""
    by_seat = [{"games": t.games, "wins": t.wins, "draws": t.draws, "losses": t.losses} for t in result.by_seat]
    return {
        "games": result.games,
        "wins": result.wins,
        "draws": result.draws,
        "losses": result.losses,
        "score": result.score,
        "ci95": result.ci95 and list(result.ci95),
        "by_seat": dict(zip(("first", "second"), by_seat, strict=True)),
        "mean_plies": result.mean_plies,
        "openings": result.openings,
        "distinct": result.distinct,
        "forfeits": forfeits(zip((name, other), result.forfeits, strict=True)),
        **({} if result.taken is None else {"taken": list(result.taken[:2]), "taken_more": result.taken.more}),
    }


def forfeits(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Forfeited games by agent, for the JSON document: of those that have any."""
    found: dict[str, int] = {}
    for name, count in counts:
        if count:
            found[name] = found.get(name, 0) + count
    return found


def print_match(name: str, other: str, result: MatchResult) -> None:
    name, other = shown(name), shown(other)
    print(
        f"{name} against {other}: {result.wins:,} won, {result.draws:,} drawn, {result.losses:,} lost of "
        f"{result.games:,}; score {100 * result.score:.2f}%{result.interval}"
    )
    if result.openings:
        print(f"  {random_openings(result.openings)}, each with both seats: {result.distinct:,} different games")
    elif result.ci95 is None:
        print(f"  {ONLY_TWO}, as neither moves by chance: --openings N makes them differ")
    if result.taken is not None:
        ours, theirs, more = result.taken
        by_pieces = f"score if more taken wins: {100 * more:.2f}%"
        print(f"  taken a game: {ours:.2f} by {name}, {theirs:.2f} by {other}; {by_pieces}")
    for player, who in enumerate((name, other)):
        if faults := [fault for fault in result.faults if fault.player == player]:
            last = f"the last in game {faults[-1].game + 1:,}: {faults[-1].why}"
            print_shown(f"  {forfeited(who, len(faults))}, {last}")


def rating_cells(row: RatingRow | TournamentRow) -> tuple[str, ...]:
    """An agent's rating and games, as cells of a table."""
    counts = (row.games, row.wins, row.draws, row.losses)
    return row.agent, f"{row.rating:+.0f} ± {row.ci95[1] - row.rating:.0f}", *(f"{count:,}" for count in counts)


def forfeited(name: str, count: int) -> str:
    return f"{name} forfeited {count:,} game{'s' * (count != 1)}"


def random_openings(plies: int) -> str:
    return f"random openings of {plies} {'ply' if plies == 1 else 'plies'}"
