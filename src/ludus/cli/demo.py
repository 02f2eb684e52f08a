"""`ludus demo`."""

from __future__ import annotations

import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import Flag, Json, print_json

if TYPE_CHECKING:
    from ludus.cli.line import Line

FRAMES, FRAME_SECONDS = 24, 0.125  # at most so many a game: three seconds
NEXT = """What to do next:
  ludus play lgame     play it yourself
  ludus games          what else there is
  ludus --help         all commands"""


def demo(
    *,
    fast: Annotated[Flag, Parameter(help="No moving pictures, only how each game ends.")] = False,
    as_json: Json = False,
) -> None:
    """Watch every game being played at random, and see how fast this machine plays it."""
    from ludus.benchmark import measure
    from ludus.cli.line import Line, fresh_start, play_randomly
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
