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
    Watching,
    Whole,
    check_folder,
    check_range,
    print_json,
    print_table,
)
from ludus.cli.eval import MAX_OPENING, setup_for
from ludus.cli.files import check_picture, save_picture
from ludus.cli.interrupt import leaving_at_once
from ludus.errors import BadInput

if TYPE_CHECKING:
    from ludus.play.sprt import Judgement
    from ludus.training.challenge import Settled
    from ludus.training.ladder import Row
    from ludus.training.names import Setup
    from ludus.training.standings import Entrant, Standings

MAX_BATCH, MAX_WITHIN = 10**6, 10**4
WORDS = {
    "stronger": "stronger than {}",
    "weaker": "weaker than {}",
    "no difference": "no difference shown from {}",
    "undecided": "not told yet from {}",
}
WHY = {"tests": "told from its neighbours", "within": "known well enough", "games": "no more games were allowed"}


def ladder(
    game: Name,
    /,
    *agents: Annotated[str, Parameter(help="Agents to play for it. Without any, the ladder is shown.")],
    sprt: Annotated[
        tuple[str, str] | None, Parameter(help="Let these two meet until a test tells whether they differ.")
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
        ludus ladder hex --size 3 --sprt hex/best-3 alphabeta:2

    An agent that is added meets those from whom most is learned of it, in pairs of
    games with the seats exchanged, until a sequential test (SPRT) has told it from
    the next above and the next below, or has shown no difference; with --within
    until its 95% interval is that narrow. Ratings are Elo points by Bradley and
    Terry's model. Every batch of games is kept at once: Ctrl-C loses nothing, and the
    same command goes on. An agent that was trained again is another agent.
    """
    from ludus import games as registry

    names = list(agents if sprt is None else sprt)
    _refuse(list(agents), sprt, games, batch, within, openings, seed, out)
    if len(registry.entry(game).seats) != 2:
        raise BadInput(f"{game} is a puzzle for one: there is nobody to be rated against.")
    setup = _setup(names, game, options)
    from ludus.training import standings as kept

    where = file or kept.default_file(setup)
    if file is not None and not names and not file.is_file():
        raise BadInput(f"--file: there is no ladder '{file}' yet; name agents to begin one.")
    if names:
        check_folder("--file", where.parent)
    standings = kept.Standings(where, setup)
    if anchor is not None and anchor not in names:
        known = {who.agent for who in standings.entrants} | set(kept.labels(standings.entrants).values())
        if anchor not in known:
            raise BadInput(f"--anchor: '{anchor}' is not on the ladder '{where}'.")
    from ludus.play.sprt import Sprt

    test = Sprt(elo0, elo1, alpha, beta)
    document: dict[str, Any] = {"game": setup.describe(), "file": str(where)}
    said: list[str] = []
    if names:
        from ludus.training.challenge import Club, Enough, add, compare, summary

        before = standings.games
        made = registry.make_game(setup.game, **setup.options)
        enough = Enough(test, within, games)

        def stopped() -> None:
            print(f"\nStopped: {standings.games - before:,} games are kept in '{where}'.", file=sys.stderr)

        title = f"{' against '.join(names)}" if sprt else f"a ladder of {made.describe()}"
        with standings.held(), Watching(title, quiet) as watch, leaving_at_once(stopped):
            club = Club(made, standings, seed, min(batch, games), openings, watch)
            if sprt is not None:
                one, two, judged = compare(club, *sprt, enough)
                document["sprt"], sentence = _tested(standings, one, two, judged, test, club.met(one))
                said.append(sentence)
            else:
                settled = add(club, names, enough)
                called = kept.labels(standings.entrants)
                document["added"] = [summary(one, called) for one in settled]
                said += [_added(one, called) for one in settled]
        document["played"] = standings.games - before
    from ludus.training.ladder import rows_of, svg

    rows = rows_of(standings, anchor)
    if out is not None:
        save_picture(str(out), svg(rows, setup.describe(), anchor))
        document["svg"] = str(out)
    document |= {"games": standings.games, "anchor": anchor, "table": [row.to_json() for row in rows]}
    if as_json:
        return print_json(document)
    _print(setup, standings, rows, said, out, anchor)


def _refuse(
    agents: list[str],
    sprt: tuple[str, str] | None,
    games: int,
    batch: int,
    within: float | None,
    openings: int | None,
    seed: int,
    out: Path | None,
) -> None:
    """What can be refused by itself."""
    if sprt is not None and agents:
        raise BadInput(f"--sprt tests two agents and adds no other; leave out '{agents[0]}', or --sprt.")
    if sprt is not None and sprt[0] == sprt[1]:
        raise BadInput(f"--sprt takes two agents, and '{sprt[0]}' is one.")
    for name in agents:
        if agents.count(name) > 1:
            raise BadInput(f"the agent '{name}' is named {agents.count(name)} times; name each once.")
    check_range("--games", games, 2, 10**8)
    check_range("--batch", batch, 2, MAX_BATCH)
    for what, count in (("--games", games), ("--batch", batch)):
        if count % 2:
            raise BadInput(f"{what} {count} is odd, and games come in pairs; give an even number.")
    if within is not None:
        check_range("--within", within, 1, MAX_WITHIN)
    if openings is not None:
        check_range("--openings", openings, 1, MAX_OPENING)
    check_range("--seed", seed, 0, 2**31 - 1)
    if out is not None:
        check_picture(str(out))
        check_folder("--out", out.parent)


def _setup(names: list[str], game: str, options: GameOptions) -> Setup:
    """How the ladder's game is set up: as was asked, and where nothing was, as its agents must have it. What they may
    have otherwise does not matter: one ladder is for one setup.
    """
    from ludus import games as registry
    from ludus.training.names import Setup

    entry = registry.entry(game)
    given = options.given(entry)
    bound = entry.binding(setup_for(names, game, options).options) if names else {}
    return Setup(game, entry.filled(bound | given))


def _tested(
    standings: Standings, one: Entrant, two: Entrant, judged: Judgement, test: Any, played: int
) -> tuple[dict[str, Any], str]:
    """A test of two, for the document and for people."""
    names = {one: one.agent, two: two.agent}
    pairs = standings.pairs(one, two)
    wins, draws, losses = standings.ends([one, two])[0, 1].astype(int).tolist()
    found = {"a": names[one], "b": names[two], **judged.to_json(), **vars(test), "played": played}
    found |= {"games": 2 * sum(pairs), "wins": wins, "draws": draws, "losses": losses, "pairs": list(pairs)}
    (ahead, behind), (low, high) = judged.llr, judged.bounds
    sentence = (
        f"{names[one]}: {WORDS[judged.verdict].format(names[two])} after {found['games']:,} games ({wins:,} won, "
        f"{draws:,} drawn, {losses:,} lost)\n"
        f"  LLR {ahead:+.2f} that it is stronger, {behind:+.2f} that it is weaker; bounds {low:.2f} and {high:.2f}\n"
        f"  {test.elo1:g} points are a difference, {test.elo0:g} none; alpha {test.alpha:g}, beta {test.beta:g}"
    )
    return found, sentence


def _added(settled: Settled, names: dict[Entrant, str]) -> str:
    tests = "; ".join(WORDS[test.judgement.verdict].format(names[test.against]) for test in settled.neighbours)
    return f"{names[settled.entrant]}: {settled.games:,} games, {WHY[settled.reason]}: {tests}"


def _print(
    setup: Setup, standings: Standings, rows: list[Row], said: list[str], out: Path | None, anchor: str | None
) -> None:
    if not rows:
        return print(
            f"There is no ladder of {setup.describe()} yet; 'ludus ladder {setup.game} AGENT AGENT' begins one."
        )
    print(f"{setup.describe()}, {standings.games:,} games of {len(rows)} agents in {standings.path}")
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
    print("\n".join(said + ([] if out is None else [f"The picture: {out}"])), end="\n" if said or out else "")
