"""`ludus demo`."""

from __future__ import annotations

import random
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.interrupt import on_stop
from ludus.cli.shared.options import Flag, Json, Seed
from ludus.cli.shared.output import print_json, print_table
from ludus.cli.shared.runs import say_stopped
from ludus.errors import BadInput
from ludus.workbench.run_lists import new_folder

if TYPE_CHECKING:
    from ludus.core.line import Line

FRAMES, FRAME_SECONDS = 24, 0.125  # of a game, at most: three seconds
NEXT = """What to do next:
  ludus play lgame     play it yourself
  ludus serve          play it in the browser, and see what agents think
  ludus games          what else there is
  ludus --help         all commands"""


def demo(
    *,
    seed: Seed = 0,
    tour: Annotated[
        Flag, Parameter(help="Instead, watch a random game of each kind, and see how fast games are played.")
    ] = False,
    fast: Annotated[Flag, Parameter(help="With --tour: no animation, only how each game ends.")] = False,
    as_json: Json = False,
) -> None:
    """Watch an agent teach itself a small game to perfection, in about a minute.

    It knows the rules and no more, and plays against itself. Its share of right
    moves is measured with the solved game, which it never sees. With --tour, watch
    all the games instead.
    """
    if fast and not tour:
        raise BadInput("--fast goes with --tour, whose animation it leaves out; learning cannot be hurried.")
    return _tour(fast, as_json) if tour else _teach(seed, as_json)


def _teach(seed: int, as_json: bool) -> None:
    """Train the game whose room has a demo."""
    from ludus.learners.recipes import find_recipe
    from ludus.training.progress import Progress
    from ludus.training.train import train

    name = next(name for name in registry.names() if registry.entry(name).demo)
    shown, game, out = registry.part(name, "demo"), registry.make_game(name), sys.stderr if as_json else sys.stdout
    folder = new_folder("demo")
    print(shown.introduction(), file=out, flush=True)

    def show(progress: Progress) -> None:
        if (line := shown.line(progress)) is not None:
            print(line, file=out, flush=True)

    with on_stop(lambda: say_stopped(folder)):
        outcome = train(game, find_recipe(game), seed, folder, "ludus demo", show)
    if as_json:
        return print_json(outcome.to_json())
    head, rows = shown.comparison(outcome)
    print()
    print_table(head, rows)
    print(f"Play against it:  .venv/bin/ludus play {name} --against {shlex.quote(str(outcome.run))}")
    print("See also:         .venv/bin/ludus games, and .venv/bin/ludus --help")
    print(f"In the browser:   .venv/bin/ludus serve --play {shlex.quote(str(outcome.run))}")


def _tour(fast: bool, as_json: bool) -> None:
    """Every game played at random."""
    from ludus.bench import measure
    from ludus.core.line import Line, fresh_start, play_randomly

    moving = not (fast or as_json) and sys.stdout.isatty()
    entries: list[dict[str, Any]] = []
    for seed, name in enumerate(registry.names()):
        game = registry.make_game(name)
        with ThreadPoolExecutor(1) as beside:
            rate = beside.submit(measure, game)  # mostly compiling, which need not wait for the animation
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
    """The game as a few seconds of animation, erased at the end."""
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    plies = len(line.actions)
    shown = sorted({round(k * plies / FRAMES) for k in range(FRAMES + 1)})
    with Live(auto_refresh=False, transient=True) as live, on_stop(live.stop):  # it has hidden the cursor
        for ply in shown:
            title = Text(f"{line.game.describe()}: move {ply} of {plies}", style="bold")
            live.update(Group(title, Text(line.game.draw(line.states[ply]))), refresh=True)
            time.sleep(FRAME_SECONDS)
