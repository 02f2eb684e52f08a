"""`ludus ladder`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ludus.cli.common import (
    NO_OPTIONS,
    GameOptions,
    Json,
    Name,
    Quiet,
    Seed,
    Whole,
    check_folder,
    check_range,
    print_json,
    print_table,
)
from ludus.cli.eval import MAX_OPENING, setup_for
from ludus.cli.files import check_picture, save_picture
from ludus.cli.meeting import forfeited, forfeits
from ludus.cli.stopped import keeping
from ludus.cli.watching import Watching
from ludus.core.text import shown
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.agents.spec import Setup
    from ludus.ladder.challenge import Settled
    from ludus.ladder.rungs import Row
    from ludus.ladder.sprt import Judgement, Sprt
    from ludus.ladder.standings import Entrant, Standings

MAX_BATCH, MAX_WITHIN = 10**6, 10**4
WORDS = {
    "stronger": "stronger than {}",
    "weaker": "weaker than {}",
    "no difference": "no difference shown from {}",
    "undecided": "not told yet from {}",
}
WHY = {"tests": "its place is known", "within": "known well enough", "games": "no more games were allowed"}


def ladder(
    game: Name,
    /,
    *agents: Annotated[str, Parameter(help="Agents to play for it. Without any, the ladder is shown.")],
    sprt: Annotated[
        tuple[str, str] | None,
        Parameter(help="Let these two meet until a test tells whether they differ.", negative=""),
    ] = None,
    games: Annotated[
        Whole, Parameter(help="At most so many for each agent, or each two with --sprt, in this call.")
    ] = 2000,
    batch: Annotated[Whole, Parameter(help="Games at a time; an even number.")] = 64,
    within: Annotated[
        float | None, Parameter(help="Play until an agent's interval is no wider than so many points to either side.")
    ] = None,
    elo0: Annotated[float, Parameter(help="Of a test: points apart that are no difference.")] = 0.0,
    elo1: Annotated[float, Parameter(help="Of a test: points apart that are one.")] = 40.0,
    alpha: Annotated[float, Parameter(help="Of a test: how often to find a difference where there is none.")] = 0.05,
    beta: Annotated[float, Parameter(help="Of a test: how often to miss one of --elo1 points.")] = 0.05,
    openings: Annotated[
        Whole | None,
        Parameter(
            help="Random plies at the beginning of a game, the same with both seats. [default: as few as make games "
            "differ, where neither player moves by chance]"
        ),
    ] = None,
    anchor: Annotated[str | None, Parameter(help="Who has rating 0. [default: the mean of all]")] = None,
    file: Annotated[
        Path | None, Parameter(help="The ladder's file. [default: one for each setup, in runs/ladders]")
    ] = None,
    out: Annotated[Path | None, Parameter(help="Draw it too, as an SVG picture.")] = None,
    curve: Annotated[
        Path | None, Parameter(help="Draw how runs grew: their selves' ratings against minutes of training.")
    ] = None,
    seed: Seed = 0,
    options: GameOptions = NO_OPTIONS,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Keep the results of a game's agents in one file, rate them all with intervals, add agents.

    For example:

        ludus ladder hex --size 7
        ludus ladder hex --size 7 runs/mine
        ludus ladder hex --size 7 runs/mine/selves/* --within 30 --out ladder.svg
        ludus ladder hex --size 7 --curve curve.svg
        ludus ladder hex --size 3 --sprt hex/best-3 alphabeta:2

    An agent that is added meets those from whom most is learned of it, in pairs of
    games with the seats exchanged, until a sequential test (SPRT) has told it from
    the next above and the next below, or has shown no difference; with --within
    until its 95% interval is that narrow. Ratings are Elo points by Bradley and
    Terry's model. Every batch of games is kept at once: Ctrl-C loses nothing, and
    the same command goes on. An agent that was trained again is another agent.
    """
    from ludus import games as registry
    from ludus.ladder import standings as kept
    from ludus.ladder.sprt import Sprt

    names = [kept.tidy(name) for name in (agents if sprt is None else sprt)]
    anchor = anchor and kept.tidy(anchor)
    _refuse_names(names, list(agents), sprt is not None)
    _refuse_numbers(games, batch, within, openings, seed)
    test = Sprt(elo0, elo1, alpha, beta)
    if len(registry.entry(game).seats) != 2:
        raise BadInput(f"{game} is a puzzle for one: there is nobody to be rated against.")
    setup = _setup(names, game, options)
    where = file or kept.default_file(setup)
    if file is not None and not names and not file.is_file():
        raise BadInput(f"--file: there is no ladder '{file}' yet; name agents to begin one.")
    if names:
        check_folder("--file", where.parent)
    standings = kept.Standings(where, setup)
    standings.refuse_alone(names)
    if anchor is not None and anchor not in (*names, *kept.labels(standings.entrants).values()):
        raise BadInput(f"--anchor: '{anchor}' is not on the ladder '{where}'.")
    for option, picture in (("--out", out), ("--curve", curve)):
        if picture is not None:
            check_picture(str(picture))
            check_folder(option, picture.parent)
            if not (names or standings.games):
                raise BadInput(f"{option}: there is nothing to draw, as nobody has played for this ladder yet.")
    document: dict[str, Any] = {"game": setup.describe(), "file": str(where)}
    said: list[str] = []
    if names:
        found, said = _play(
            setup, standings, names, sprt is not None, test, within, (games, batch, openings, seed), quiet
        )
        document |= found
    from ludus.ladder.rungs import rows_of, svg

    rows = rows_of(standings, anchor)
    if out is not None:
        save_picture(str(out), svg(rows, setup.describe(), anchor))
        document["svg"] = str(out)
        said.append(f"The picture: {out}")
    if curve is not None:
        from ludus.ladder import growth

        runs = growth.grown(rows)
        save_picture(str(curve), growth.svg(runs, setup.describe()))
        document |= {"curve": str(curve), "runs": [run.to_json() for run in runs]}
        said.append(f"The curve of {len(runs)} run{'s' * (len(runs) != 1)}: {curve}")
    document |= {"games": standings.games, "anchor": anchor, "table": [row.to_json() for row in rows]}
    if as_json:
        return print_json(document)
    if not rows:
        return print(f"There is no ladder of {setup.describe()} yet: name agents, and they begin one.")
    print(shown(f"{setup.describe()}, {standings.games:,} games of {len(rows)} agents in {where}"))
    _print_rows(rows)
    for sentence in said:
        print("\n".join(map(shown, sentence.split("\n"))))


def _refuse_names(names: list[str], agents: list[str], testing: bool) -> None:
    if testing and agents:
        raise BadInput(f"--sprt tests two agents and adds no other; leave out '{agents[0]}', or --sprt.")
    for name in names:
        if names.count(name) > 1:
            raise BadInput(f"the agent '{name}' is named {names.count(name)} times; name each once.")


def _refuse_numbers(games: int, batch: int, within: float | None, openings: int | None, seed: int) -> None:
    for what, count, most in (("--games", games, 10**8), ("--batch", batch, MAX_BATCH)):
        check_range(what, count, 2, most)
        if count % 2:
            raise BadInput(f"{what} {count} is odd, and games come in pairs; give an even number.")
    if within is not None:
        check_range("--within", within, 1, MAX_WITHIN)
    if openings is not None:
        check_range("--openings", openings, 1, MAX_OPENING)
    check_range("--seed", seed, 0, 2**31 - 1)


def _setup(names: list[str], game: str, options: GameOptions) -> Setup:
    """How the ladder's game is set up: as was asked, and where nothing was, as its agents must have it. What they may
    have otherwise does not matter: one ladder is for one setup.
    """
    from ludus import games as registry
    from ludus.agents.spec import Setup

    entry = registry.entry(game)
    given = options.given(entry)
    bound = entry.binding(setup_for(names, game, options).options) if names else {}
    return Setup(game, entry.filled(bound | given))


def _play(
    setup: Setup,
    standings: Standings,
    names: list[str],
    testing: bool,
    test: Sprt,
    within: float | None,
    numbers: tuple[int, int, int | None, int],
    quiet: bool,
) -> tuple[dict[str, Any], list[str]]:
    """Play what is to be played; what came of it, for the document and for people."""
    from ludus import games as registry
    from ludus.ladder.challenge import Club, Enough, add, compare, summary
    from ludus.ladder.standings import labels

    games, batch, openings, seed = numbers
    before, made = standings.games, registry.make_game(setup.game, **setup.options)

    def stopped(failed: bool) -> None:
        watch.end()
        played = standings.games - before
        if (played or not failed) and sys.stderr is not None:
            said = shown(f"Stopped: {played:,} games are kept in '{standings.path}'.")
            print(said, file=sys.stderr, flush=True)

    title = " against ".join(names) if testing else f"a ladder of {made.describe()}"
    watch = Watching(title, quiet)
    with keeping(stopped), watch:
        club = Club(made, standings, seed, min(batch, games), openings, watch)
        coming = [club.welcome(name) for name in names]  # before anything is written: what cannot be loaded is refused
        with standings.held():
            before = standings.games
            if testing:
                one, two = coming
                judged = compare(club, one, two, Enough(test, None, games))
                found, sentence = _tested(standings, one, two, judged, test)
                document, sentences = {"sprt": found}, [sentence]
            else:
                settled = add(club, coming, Enough(test, within, games))
                called = labels(standings.entrants)
                document = {"added": [summary(one, called) for one in settled]}
                sentences = [_added(one, called) for one in settled]
    lost = [(labels(standings.entrants)[who], count) for who, count in club.forfeits.items()]
    played = {"played": standings.games - before, "forfeits": forfeits(lost)}
    return played | document, sentences + [forfeited(name, count) for name, count in lost]


def _tested(
    standings: Standings, one: Entrant, two: Entrant, judged: Judgement, test: Sprt
) -> tuple[dict[str, Any], str]:
    """A test of two, for the document and for people."""
    wins, draws, losses = standings.ends([one, two])[0, 1].astype(int).tolist()
    games = wins + draws + losses
    found = {"a": one.agent, "b": two.agent, **judged.to_json(), **vars(test), "games": games}
    found |= {"wins": wins, "draws": draws, "losses": losses, "pairs": list(standings.pairs(one, two))}
    (ahead, behind), (low, high) = judged.llr, judged.bounds
    sentence = (
        f"{one.agent}: {WORDS[judged.verdict].format(two.agent)} after {games:,} games ({wins:,} won, {draws:,} drawn, "
        f"{losses:,} lost)\n"
        f"  LLR {ahead:+.2f} that it is stronger, {behind:+.2f} that it is weaker; bounds {low:.2f} and {high:.2f}\n"
        f"  {test.elo1:g} points are a difference, {test.elo0:g} none; alpha {test.alpha:g}, beta {test.beta:g}"
    )
    return found, sentence


def _added(settled: Settled, names: dict[Entrant, str]) -> str:
    tests = "; ".join(WORDS[test.judgement.verdict].format(names[test.against]) for test in settled.neighbours)
    return f"{names[settled.entrant]}: {settled.games:,} games, {WHY[settled.reason]}: {tests}"


def _print_rows(rows: list[Row]) -> None:
    columns = ("rating", "games", "won", "drawn", "lost", "score")
    cells = [
        (
            row.agent,
            f"{row.rating:+.0f} ± {row.ci95[1] - row.rating:.0f}",
            *(f"{count:,}" for count in (row.games, row.wins, row.draws, row.losses)),
            f"{100 * row.score:.1f}%",
        )
        for row in rows
    ]
    print_table(("agent", *columns), cells, right=columns)
