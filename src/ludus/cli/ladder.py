"""`ludus ladder`."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ludus.cli.shared.agents import note_namesakes
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.options import (
    MAX_GAMES,
    MAX_OPENING,
    NO_OPTIONS,
    OPENINGS,
    GameOptions,
    Json,
    Name,
    OptionRecord,
    Quiet,
    Seed,
    number,
    whole,
)
from ludus.cli.shared.output import print_result
from ludus.cli.shared.progress import ProgressLine
from ludus.core.text import shown

if TYPE_CHECKING:
    from ludus.workbench.ladders import Play


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlayOptions(OptionRecord):
    """Which games are played, and when they are enough."""

    sprt: Annotated[
        tuple[str, str] | None,
        Parameter(help="Let these two play until a sequential test tells whether they differ.", negative=""),
    ] = None
    games: Annotated[
        int,
        whole(2, MAX_GAMES, "At most so many for each agent, or for the two of --sprt, in this call.", even=True),
    ] = 2000
    batch: Annotated[int, whole(2, 10**6, "Games at a time; an even number.", even=True)] = 64
    within: Annotated[
        float | None,
        number(1, 10**4, "Play until an agent's interval is no wider than so many points to either side."),
    ] = None
    elo0: Annotated[float, Parameter(help="Of a test: so many points apart are no difference.")] = 0.0
    elo1: Annotated[float, Parameter(help="Of a test: so many points apart are a difference.")] = 40.0
    alpha: Annotated[float, Parameter(help="Of a test: how often to find a difference where there is none.")] = 0.05
    beta: Annotated[float, Parameter(help="Of a test: how often to miss a difference of --elo1 points.")] = 0.05
    openings: Annotated[int | None, whole(1, MAX_OPENING, OPENINGS)] = None
    seed: Seed = 0

    @property
    def rule(self) -> Play:
        from ludus.ladder.sprt import Sprt
        from ludus.workbench.ladders import Play

        test = Sprt(self.elo0, self.elo1, self.alpha, self.beta)
        return Play(test, self.games, self.batch, self.within, self.openings, self.seed)


DEFAULTS = PlayOptions()


def ladder(
    game: Name,
    /,
    *agents: Annotated[str, Parameter(help="Agents to add. Without any, the ladder is shown.")],
    play: PlayOptions = DEFAULTS,
    anchor: Annotated[str | None, Parameter(help="Who has rating 0. [default: the mean of all]")] = None,
    file: Annotated[
        Path | None, Parameter(help="The ladder's file. [default: one for each setup, in runs/ladders]")
    ] = None,
    out: Annotated[Path | None, Parameter(help="Also draw the ladder, as an SVG picture.")] = None,
    curve: Annotated[
        Path | None, Parameter(help="Draw how runs grew: the ratings of their snapshots, by minutes of training.")
    ] = None,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Rate all agents of a game with intervals, keep their results in one file, add agents.

    For example:

        ludus ladder hex --size 7
        ludus ladder hex --size 7 runs/mine
        ludus ladder hex --size 7 runs/mine/selves/* --within 30 --out ladder.svg
        ludus ladder hex --size 7 --curve curve.svg
        ludus ladder hex --size 3 --sprt hex/best-3 alphabeta:2

    An agent that is added plays the most informative opponents, in pairs of games
    with the seats swapped, until a sequential test (SPRT) separates it from its
    neighbours above and below, or shows no difference; with --within, until its 95%
    interval is that narrow. Ratings are Elo points by Bradley and Terry's model.
    Every batch of games is saved at once: Ctrl-C loses no results, and the same
    command goes on. A run that was trained further counts as a new agent.
    """
    from ludus.agents.spec import is_built_in
    from ludus.workbench.ladders import LadderRun

    note_namesakes(filter(is_built_in, play.sprt or agents))
    run = LadderRun(game, agents, options.given, play.rule, play.sprt, anchor, file, out, curve)
    lines: list[ProgressLine] = []

    def observing(what: str) -> ProgressLine:
        lines.append(ProgressLine(what, quiet))
        return lines[-1]

    def end_early(failed: bool) -> None:
        for line in lines:
            line.end()
        if run.names and (run.played or not failed) and sys.stderr is not None:
            said = shown(f"Stopped: {run.played:,} games are kept in '{run.results.path}'.")
            print(said, file=sys.stderr, flush=True)

    with on_early_end(end_early) if run.names else contextlib.nullcontext():
        found = run.play(observing)
    print_result(found, as_json)
