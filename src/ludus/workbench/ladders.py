"""The ladder of a game: agents are added or tested, all are rated; in words, as tables, as JSON and as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus import games as registry
from ludus.agents.spec import Setup
from ludus.core.results import Result, Sheet
from ludus.core.whole_files import check_folder, check_picture, save_picture
from ludus.errors import BadInput
from ludus.ladder import results_file
from ludus.ladder.results_file import Entrant, ResultsFile, labels, tidy
from ludus.ladder.sprt import Judgement, Sprt
from ludus.workbench.setups import Given, refuse_repeated, setup_for

if TYPE_CHECKING:
    from ludus.ladder.challenge import Placement
    from ludus.ladder.growth import GrowthCurve
    from ludus.ladder.rating_list import RatingRow
    from ludus.workbench.observer import Observing

WORDS = {
    "stronger": "stronger than {}",
    "weaker": "weaker than {}",
    "no difference": "no difference shown from {}",
    "undecided": "not told yet from {}",
}
WHY = {"tests": "its place is known", "within": "known well enough", "games": "no more games were allowed"}


@dataclass(frozen=True)
class Play:
    """Which games are played for a ladder, and when they are enough."""

    test: Sprt
    games: int = 2000  # at most, for each agent that is added
    batch: int = 64
    within: float | None = None
    openings: int | None = None
    seed: int = 0


@dataclass(frozen=True, repr=False)
class Ladder(Result):
    """The ratings of all agents that have played for a ladder, the best first, in `.rows`; and how the agents that this
    call added or tested did, in `.played`.
    """

    game: str
    file: Path
    games: int  # of all agents
    anchor: str | None
    rows: tuple[RatingRow, ...]
    played: dict[str, Any]  # by this call, as the JSON document has it; empty if none were
    said: tuple[str, ...] = ()  # the same in sentences
    svg: Path | None = None  # where the picture is
    curve: Path | None = None
    runs: tuple[GrowthCurve, ...] = ()

    def to_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"game": self.game, "file": str(self.file), **self.played}
        if self.svg is not None:
            document["svg"] = str(self.svg)
        if self.curve is not None:
            document |= {"curve": str(self.curve), "runs": [run.to_json() for run in self.runs]}
        return document | {"games": self.games, "anchor": self.anchor, "table": [row.to_json() for row in self.rows]}

    def parts(self) -> Iterator[str | Sheet]:
        from ludus.workbench.tournaments import rating_sheet

        if not self.rows:
            yield f"There is no ladder of {self.game} yet: name agents, and they begin one."
            return
        yield f"{self.game}, {self.games:,} games of {len(self.rows)} agents in {self.file}"
        yield rating_sheet(self.rows, scores=True)
        yield from self.said
        if self.svg is not None:
            yield f"The picture: {self.svg}"
        if self.curve is not None:
            yield f"The curve of {len(self.runs)} run{'s' * (len(self.runs) != 1)}: {self.curve}"

    def to_svg(self) -> str | None:
        from ludus.ladder.rating_list import svg

        return svg(self.rows, self.game, self.anchor) if self.rows else None


class LadderRun:
    """A ladder to be read or played for; the constructor refuses what cannot be."""

    names: list[str]
    setup: Setup
    results: ResultsFile

    def __init__(
        self,
        game: str,
        agents: Sequence[str],
        given: Given,
        play: Play,
        sprt: Sequence[str] | None = None,
        anchor: str | None = None,
        file: Path | None = None,
        out: Path | None = None,
        curve: Path | None = None,
    ) -> None:
        """`sprt`: two agents that play until a test tells whether they differ; then nobody else is added."""
        self._play, self._testing, self._out, self._curve = play, sprt is not None, out, curve
        self.names = [tidy(name) for name in sprt or agents]
        self._anchor = anchor and tidy(anchor)
        if self._testing and agents:
            raise BadInput(f"--sprt tests two agents and adds no other; leave out '{agents[0]}', or --sprt.")
        if sprt is not None and len(sprt) != 2:
            raise BadInput(f"--sprt tests two agents, not {len(sprt)}.")
        refuse_repeated(self.names)
        if len(registry.entry(game).seats) != 2:
            raise BadInput(f"{game} is a puzzle for one: there is nobody to be rated against.")
        self.setup = _setup(self.names, game, given)
        where = file or results_file.default_file(self.setup)
        if file is not None and not self.names and not file.is_file():
            raise BadInput(f"--file: there is no ladder '{file}' yet; name agents to begin one.")
        if self.names:
            check_folder("--file", where.parent)
        self.results = ResultsFile(where, self.setup)
        self.results.refuse_alone(self.names)
        if self._anchor is not None and self._anchor not in (*self.names, *labels(self.results.entrants).values()):
            raise BadInput(f"--anchor: '{self._anchor}' is not on the ladder '{where}'.")
        for option, picture in (("--out", out), ("--curve", curve)):
            if picture is not None:
                check_picture(picture)
                check_folder(option, picture.parent)
                if not (self.names or self.results.games):
                    raise BadInput(f"{option}: there is nothing to draw, as nobody has played for this ladder yet.")
        self._before = self.results.games

    @property
    def played(self) -> int:
        """The games that this call has played so far."""
        return self.results.games - self._before

    def play(self, observing: Observing | None = None) -> Ladder:
        """Play the games, if agents were named; then rate everybody, and draw what was asked for."""
        document, said = self._games(observing) if self.names else ({}, [])
        from ludus.ladder import growth
        from ludus.ladder.rating_list import rating_rows, svg

        rows, game = rating_rows(self.results, self._anchor), self.setup.describe()
        if self._out is not None:
            save_picture(self._out, svg(rows, game, self._anchor))
        runs = [] if self._curve is None else growth.growth_curves(rows)
        if self._curve is not None:
            save_picture(self._curve, growth.svg(runs, game))
        path, total = self.results.path, self.results.games
        return Ladder(
            game, path, total, self._anchor, tuple(rows), document, tuple(said), self._out, self._curve, tuple(runs)
        )

    def _games(self, observing: Observing | None) -> tuple[dict[str, Any], list[str]]:
        """Play the games; the results for the JSON document, and as sentences."""
        from ludus.ladder.challenge import MatchRunner, StopRule, compare, place, summary
        from ludus.workbench.matches import forfeited, forfeits
        from ludus.workbench.observer import Unwatched

        play, results, made = self._play, self.results, registry.make_game(self.setup.game, **self.setup.options)
        title = " against ".join(self.names) if self._testing else f"a ladder of {made.describe()}"
        with (observing or Unwatched)(title) as observer:
            runner = MatchRunner(made, results, play.seed, min(play.batch, play.games), play.openings, observer)
            # An agent that cannot be loaded is refused before the file is changed.
            newcomers = [runner.load(name) for name in self.names]
            with results.held():
                self._before = results.games
                if self._testing:
                    one, two = newcomers
                    judged = compare(runner, one, two, StopRule(play.test, None, play.games))
                    found, sentence = _tested(results, one, two, judged, play.test)
                    document, sentences = {"sprt": found}, [sentence]
                else:
                    placements = place(runner, newcomers, StopRule(play.test, play.within, play.games))
                    called = labels(results.entrants)
                    document = {"added": [summary(one, called) for one in placements]}
                    sentences = [_added(one, called) for one in placements]
        lost = [(labels(results.entrants)[who], count) for who, count in runner.forfeits.items()]
        played = {"played": self.played, "forfeits": forfeits(lost)}
        return played | document, sentences + [forfeited(name, count) for name, count in lost]


def _setup(names: Sequence[str], game: str, given: Given) -> Setup:
    """How the ladder's game is set up: the options given, else what its agents are bound to. Their other options do not
    matter, as one ladder is for one setup.
    """
    entry = registry.entry(game)
    chosen = given(entry)
    bound = entry.binding(setup_for(names, game, given, "name its game").options) if names else {}
    return Setup(game, entry.filled(bound | chosen))


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
