"""`ludus demo`."""

from __future__ import annotations

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import Flag, Json, Whole, check_range, print_json, print_table

if TYPE_CHECKING:
    from ludus.play.line import Line

TITLE = """The L-Game: lay your L somewhere else, then move a neutral piece if you like; who cannot lay it loses.

{board}

An agent that knows only the rules now plays itself. How often is its move right, of all 18,248 positions?
"""
FRAMES, FRAME_SECONDS = 24, 0.125  # at most so many a game: three seconds
NEXT = """What to do next:
  ludus play lgame     play it yourself
  ludus games          what else there is
  ludus --help         all commands"""


def demo(
    *,
    seed: Annotated[Whole, Parameter(help="What chance begins from.")] = 0,
    tour: Annotated[Flag, Parameter(help="Instead, watch every game being played at random, and how fast.")] = False,
    fast: Annotated[Flag, Parameter(help="With --tour: no moving pictures, only how each game ends.")] = False,
    as_json: Json = False,
) -> None:
    """Watch an agent teach itself the L-Game to perfection, in about a minute.

    It knows the rules, and nothing else; it plays itself. The share of right
    moves is measured against the solved game, which it never sees. With --tour,
    watch all the games instead.
    """
    check_range("--seed", seed, 0, 2**31 - 1)
    return _tour(fast, as_json) if tour else _teach(seed, as_json)


def _teach(seed: int, as_json: bool) -> None:
    from ludus.cli.train import new_folder
    from ludus.games import make_game
    from ludus.truth.grade import Grade
    from ludus.training.recipes import find_recipe
    from ludus.training.train import Progress, train

    game, out = make_game("lgame"), sys.stderr if as_json else sys.stdout
    print(TITLE.format(board=game.draw(game.init())), file=out, flush=True)

    def show(progress: Progress) -> None:
        grade = progress.grade
        if not isinstance(grade, Grade):
            return
        share = grade.value_preserving / grade.positions
        bar = "█" * round(40 * share) + "░" * (40 - round(40 * share))
        words = "perfect, proved unbeatable" if grade.perfect and grade.unbeatable else "still beatable"
        words = "unbeatable, not yet perfect" if grade.unbeatable and not grade.perfect else words
        print(f"{progress.games:>7,} games  {bar}  {100 * share:6.2f}%  {words}", file=out, flush=True)

    outcome = train(game, find_recipe(game), seed, new_folder("demo"), "ludus demo", show)
    final = outcome.final
    if as_json:
        report = final.to_json() if final else None
        return print_json(
            {"run": str(outcome.run), "games": outcome.games, "seconds": outcome.seconds, "final": report}
        )
    if isinstance(final, Grade) and final.vs_random and final.vs_perfect:
        first, second = final.vs_random
        kept, held = final.vs_perfect
        here = f"{outcome.games:,} games, {outcome.seconds:.0f} s here"
        print()
        print_table(
            ("", "the paper's agent", "this one"),
            (
                ("training", "100,000 games, 9 hours", here),
                (
                    "wins against random, first / second",
                    "98% / 98%",
                    f"{100 * first.win:.2f}% / {100 * second.win:.2f}%",
                ),
                ("no loss against perfect", "95%", f"{100 * kept.no_loss:.0f}% / {100 * held.no_loss:.0f}%"),
                ("right in so many positions", "not known", f"{final.value_preserving:,} of {final.positions:,}"),
                ("beatable", "yes", "no: proved on every line" if final.unbeatable else "yes"),
            ),
        )
    print(f"Play against it:  .venv/bin/ludus play lgame --against {outcome.run}")
    print("See also:         .venv/bin/ludus games, and .venv/bin/ludus --help")


def _tour(fast: bool, as_json: bool) -> None:
    """Every game played at random."""
    from ludus.bench import measure
    from ludus.play.line import Line, fresh_start, play_randomly
    from ludus.games import GAMES, make_game

    moving = not (fast or as_json) and sys.stdout.isatty()
    entries: list[dict[str, Any]] = []
    for seed, name in enumerate(GAMES):
        game = make_game(name)
        with ThreadPoolExecutor(1) as beside:
            rate = beside.submit(measure, game)  # mostly compiling, which need not wait for the pictures
            line = Line(game, fresh_start(game, seed))
            ending = play_randomly(line, random.Random(seed))
            if moving:
                _animate(line)
            if not as_json:
                print(f"{game.describe()}, {len(line.actions)} moves at random:")
                print(game.draw(line.state))
                print(ending.sentence, flush=True)
        if not as_json:
            print(f"This machine plays {rate.result():,.0f} such moves a second.\n", flush=True)
        entries.append(
            {
                "name": name,
                "plies": len(line.actions),
                "result": ending.result,
                "position": game.format(line.state),
                "plies_per_second": rate.result(),
            }
        )
    if as_json:
        print_json({"games": entries})
    else:
        print(NEXT)


def _animate(line: Line) -> None:
    """The game as a few seconds of pictures, which leave no trace."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    plies = len(line.actions)
    shown = sorted({round(k * plies / FRAMES) for k in range(FRAMES + 1)})
    with Live(auto_refresh=False, transient=True) as live:
        for ply in shown:
            title = Text(f"{line.game.describe()}: move {ply} of {plies}", style="bold")
            live.update(Group(title, Text(line.game.draw(line.states[ply]))), refresh=True)
            time.sleep(FRAME_SECONDS)
