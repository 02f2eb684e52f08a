"""What `ludus demo` shows: an agent that teaches itself the L-Game, compared with the paper's agent."""

from __future__ import annotations

from ludus.games.lgame.rules import LGame
from ludus.training.progress import Progress
from ludus.training.train import Outcome
from ludus.truth.exact import ExactGrade

TITLE = """The L-Game: lay your L somewhere else, then move a neutral piece if you like; who cannot lay it loses.

{board}

An agent that knows only the rules now plays itself. How often is its move right, of all 18,248 positions?
"""
BAR = 40  # characters


def introduction() -> str:
    game = LGame()
    return TITLE.format(board=game.draw(game.init()))


def line(progress: Progress) -> str | None:
    """The run's latest measurement as a bar; None between two measurements."""
    grade = progress.grade
    if not progress.reported or not isinstance(grade, ExactGrade):
        return None
    share = grade.held / grade.positions
    bar = "█" * round(BAR * share) + "░" * (BAR - round(BAR * share))
    words = "unbeatable, not yet perfect" if grade.unbeatable else "still beatable"
    words = "perfect, proved unbeatable" if grade.perfect and grade.unbeatable else words
    return f"{progress.games:>7,} games  {bar}  {100 * share:6.2f}%  {words}"


def comparison(outcome: Outcome) -> tuple[tuple[str, str, str], list[tuple[str, str, str]]]:
    """A table's header and rows: the paper's agent and this one."""
    grade = outcome.final
    assert isinstance(grade, ExactGrade)
    assert grade.vs_random is not None
    assert grade.vs_perfect is not None
    wins = " / ".join(f"{100 * chances.win:.2f}%" for chances in grade.vs_random)
    no_loss = " / ".join(f"{100 * chances.no_loss:.0f}%" for chances in grade.vs_perfect)
    return ("", "the paper's agent", "this one"), [
        ("training", "100,000 games, 9 hours", f"{outcome.games:,} games, {outcome.seconds:.0f} s here"),
        ("wins against random, first / second", "98% / 98%", wins),
        ("no loss against perfect", "95%", no_loss),
        ("right in so many positions", "not known", f"{grade.held:,} of {grade.positions:,}"),
        ("beatable", "yes", "no: proved on every line" if grade.unbeatable else "yes"),
    ]
