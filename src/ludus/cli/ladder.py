"""`ludus ladder`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus import games as registry
from ludus.cli.shared.agents import refuse_repeated, setup_for
from ludus.cli.shared.files import check_picture, save_picture
from ludus.cli.shared.interrupt import on_early_end
from ludus.cli.shared.matches import forfeited, forfeits, rating_cells
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
    check_folder,
    number,
    whole,
)
from ludus.cli.shared.output import print_json, print_shown, print_table
from ludus.cli.shared.progress import ProgressLine
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.agents.spec import Setup
    from ludus.ladder.challenge import Placement
    from ludus.ladder.rating_list import RatingRow
    from ludus.ladder.results_file import Entrant, ResultsFile
    from ludus.ladder.sprt import Judgement, Sprt

WORDS = {
    "stronger": "stronger than {}",
    "weaker": "weaker than {}",
    "no difference": "no difference shown from {}",
    "undecided": "not told yet from {}",
}
WHY = {"tests": "its place is known", "within": "known well enough", "games": "no more games were allowed"}


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
    def test(self) -> Sprt:
        from ludus.ladder.sprt import Sprt

        return Sprt(self.elo0, self.elo1, self.alpha, self.beta)


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
    from ludus.ladder import results_file

    testing = play.sprt is not None
    names = [results_file.tidy(name) for name in play.sprt or agents]
    anchor = anchor and results_file.tidy(anchor)
    if testing and agents:
        raise BadInput(f"--sprt tests two agents and adds no other; leave out '{agents[0]}', or --sprt.")
    refuse_repeated(names)
    test = play.test
    if len(registry.entry(game).seats) != 2:
        raise BadInput(f"{game} is a puzzle for one: there is nobody to be rated against.")
    setup = _setup(names, game, options)
    where = file or results_file.default_file(setup)
    if file is not None and not names and not file.is_file():
        raise BadInput(f"--file: there is no ladder '{file}' yet; name agents to begin one.")
    if names:
        check_folder("--file", where.parent)
    results = results_file.ResultsFile(where, setup)
    results.refuse_alone(names)
    if anchor is not None and anchor not in (*names, *results_file.labels(results.entrants).values()):
        raise BadInput(f"--anchor: '{anchor}' is not on the ladder '{where}'.")
    for option, picture in (("--out", out), ("--curve", curve)):
        if picture is not None:
            check_picture(picture)
            check_folder(option, picture.parent)
            if not (names or results.games):
                raise BadInput(f"{option}: there is nothing to draw, as nobody has played for this ladder yet.")

    document: dict[str, Any] = {"game": setup.describe(), "file": str(where)}
    said: list[str] = []
    if names:
        found, said = _play(setup, results, names, play, test, quiet)
        document |= found
    from ludus.ladder import growth
    from ludus.ladder.rating_list import rating_rows, svg

    rows = rating_rows(results, anchor)
    if out is not None:
        save_picture(out, svg(rows, setup.describe(), anchor))
        document["svg"] = str(out)
        said.append(f"The picture: {out}")
    if curve is not None:
        runs = growth.growth_curves(rows)
        save_picture(curve, growth.svg(runs, setup.describe()))
        document |= {"curve": str(curve), "runs": [run.to_json() for run in runs]}
        said.append(f"The curve of {len(runs)} run{'s' * (len(runs) != 1)}: {curve}")
    document |= {"games": results.games, "anchor": anchor, "table": [row.to_json() for row in rows]}
    if as_json:
        return print_json(document)
    if not rows:
        return print(f"There is no ladder of {setup.describe()} yet: name agents, and they begin one.")
    print_shown(f"{setup.describe()}, {results.games:,} games of {len(rows)} agents in {where}")
    _print_rows(rows)
    for sentence in said:
        print_shown(sentence)


def _setup(names: list[str], game: str, options: GameOptions) -> Setup:
    """How the ladder's game is set up: the options given, else what its agents are bound to. Their other options do not
    matter, as one ladder is for one setup.
    """
    from ludus.agents.spec import Setup

    entry = registry.entry(game)
    given = options.given(entry)
    bound = entry.binding(setup_for(names, game, options).options) if names else {}
    return Setup(game, entry.filled(bound | given))


def _play(
    setup: Setup, results: ResultsFile, names: list[str], play: PlayOptions, test: Sprt, quiet: bool
) -> tuple[dict[str, Any], list[str]]:
    """Play the games; the results for the JSON document, and as sentences."""
    from ludus.ladder.challenge import MatchRunner, StopRule, compare, place, summary
    from ludus.ladder.results_file import labels

    before, made = results.games, registry.make_game(setup.game, **setup.options)

    def end_early(failed: bool) -> None:
        progress.end()
        played = results.games - before
        if (played or not failed) and sys.stderr is not None:
            said = shown(f"Stopped: {played:,} games are kept in '{results.path}'.")
            print(said, file=sys.stderr, flush=True)

    title = " against ".join(names) if play.sprt else f"a ladder of {made.describe()}"
    progress = ProgressLine(title, quiet)
    with on_early_end(end_early), progress:
        runner = MatchRunner(made, results, play.seed, min(play.batch, play.games), play.openings, progress)
        newcomers = [
            runner.load(name) for name in names
        ]  # an agent that cannot be loaded is refused before the file is changed
        with results.held():
            before = results.games
            if play.sprt:
                one, two = newcomers
                judged = compare(runner, one, two, StopRule(test, None, play.games))
                found, sentence = _tested(results, one, two, judged, test)
                document, sentences = {"sprt": found}, [sentence]
            else:
                placements = place(runner, newcomers, StopRule(test, play.within, play.games))
                called = labels(results.entrants)
                document = {"added": [summary(one, called) for one in placements]}
                sentences = [_added(one, called) for one in placements]
    lost = [(labels(results.entrants)[who], count) for who, count in runner.forfeits.items()]
    played = {"played": results.games - before, "forfeits": forfeits(lost)}
    return played | document, sentences + [forfeited(name, count) for name, count in lost]


def _tested(
    results: ResultsFile, one: Entrant, two: Entrant, judged: Judgement, test: Sprt
) -> tuple[dict[str, Any], str]:
    """The test of two agents, for the JSON document and for people."""
    wins, draws, losses = results.outcomes([one, two])[0, 1].astype(int).tolist()
    games = wins + draws + losses
    found = {"a": one.agent, "b": two.agent, **judged.to_json(), **vars(test), "games": games}
    found |= {"wins": wins, "draws": draws, "losses": losses, "pairs": list(results.pairs(one, two))}
    (ahead, behind), (low, high) = judged.llr, judged.bounds
    sentence = (
        f"{one.agent}: {WORDS[judged.verdict].format(two.agent)} after {games:,} games ({wins:,} won, {draws:,} drawn, "
        f"{losses:,} lost)\n"
        f"  LLR {ahead:+.2f} that it is stronger, {behind:+.2f} that it is weaker; bounds {low:.2f} and {high:.2f}\n"
        f"  {test.elo1:g} points are a difference, {test.elo0:g} none; alpha {test.alpha:g}, beta {test.beta:g}"
    )
    return found, sentence


def _added(placement: Placement, names: dict[Entrant, str]) -> str:
    tests = "; ".join(WORDS[test.judgement.verdict].format(names[test.against]) for test in placement.neighbours)
    return f"{names[placement.entrant]}: {placement.games:,} games, {WHY[placement.reason]}: {tests}"


def _print_rows(rows: list[RatingRow]) -> None:
    columns = ("rating", "games", "won", "drawn", "lost", "score")
    print_table(("agent", *columns), ((*rating_cells(row), f"{100 * row.score:.1f}%") for row in rows), right=columns)
