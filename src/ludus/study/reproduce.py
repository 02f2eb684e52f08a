"""Reproduces a study's figures: all runs together, then for each figure a CSV, a picture and a verdict."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludus.errors import BadInput
from ludus.runs.files import read_object, write_file
from ludus.runs.run_folder import versions
from ludus.study import cost, data, pictures
from ludus.study.cache import FOLDER, RunCache, sources
from ludus.study.data import Data
from ludus.study.grid import CurveRunner
from ludus.study.life import judged
from ludus.study.study import Finding, Log, Study
from ludus.study.trials import SETTINGS, chosen, write_choices

VERDICTS = "verdicts.json"


@dataclass(frozen=True)
class Report:
    """A figure as it was reproduced."""

    figure: str
    title: str
    finding: Finding
    csv: Path
    svg: Path

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.figure,
            "claim": self.finding.claim,
            "verdict": self.finding.verdict,
            "claims": [claim.to_json() for claim in self.finding.claims],
            "values": dict(self.finding.values),
            "table": [list(row) for row in self.finding.table],
            "csv": str(self.csv),
            "svg": str(self.svg),
        }


def reproduce(
    study: Study,
    figures: Sequence[str],
    out: Path,
    quick: bool = False,
    seeds: int | None = None,
    log: Log = lambda line: None,
    fresh: bool = False,
) -> list[Report]:
    """Run all that these figures need, then write each one's CSV, picture and verdict. Trials are run first, and the
    other figures get the settings that they choose. A figure that gathers others runs and writes these too.

    Finished runs are cached below `out`, where the same call finds them; with `fresh` they are run again.
    """
    game, begin = study.game(), time.perf_counter()
    about = {"paper": study.paper, "quick": quick, "game": game.describe()}
    cache = RunCache(out / FOLDER, about | {"versions": versions(), "sources": sources(game.name)}, fresh)
    runner = CurveRunner(
        game, study.measure(game, quick), study.setups, study.points_a_call, log, cache, study.checkpoints
    )
    run = list(dict.fromkeys(name for each in figures for name in (*study.figure(each).gathers, each)))
    said = cost.estimate(study, run, runner, quick, seeds)
    for sentence in filter(None, (said.sentence, said.warning)):
        log(sentence)
    remedy = f"; what was run is kept in '{cache.folder}', and the same command goes on from there"
    trials = [] if quick else [name for name in study.trials if name in figures]  # an outline is too short
    choices: dict[str, Mapping[str, float]] = {}
    for name in trials:  # in the study's order: one may use what another chose
        _run(study, [name], runner, out, quick, seeds, remedy)
        choices |= chosen(study.figures[name], read(study, name, out))
        study = study.settled(choices)
    if choices:
        with writing(out, remedy):
            write_choices(out / SETTINGS, choices)
    _run(study, [name for name in run if name not in trials], runner, out, quick, seeds, remedy)
    with writing(out, remedy):
        reports = [judge(study, name, out) for name in figures]
        # The time is unknown if another process has run a part.
        seconds = time.perf_counter() - begin
        _record(study, reports, out, quick, None if runner.found else seconds)
        if not runner.found:
            cost.learn(said, seconds, cache)
    return reports


def _run(
    study: Study, figures: Sequence[str], runner: CurveRunner, out: Path, quick: bool, seeds: int | None, remedy: str
) -> None:
    """Run all curves of these figures together, then write their CSVs."""
    wanted = [
        (curve, study.scale(figure, curve, quick, seeds))
        for figure in map(study.figure, figures)
        for curve in figure.drawn(quick)
    ]
    runner.run(wanted)
    with writing(out, remedy):
        for name in figures:
            figure = study.figures[name]
            owner = study.figures[figure.same_data or name]
            if figure.same_data in figures:
                continue  # that one writes the same file
            drawn = figure.drawn(quick)
            results = [runner.result(curve, study.scale(figure, curve, quick, seeds)) for curve in drawn]
            agents = [(c.label, c.recipe, r.weights) for c, r in zip(drawn, results, strict=True)]
            play = owner.play_quick if quick and owner.play_quick else owner.play
            _write(study, name, Data.of([result.runs for result in results], play(agents) if play else ()), out)


@contextlib.contextmanager
def writing(where: Path, remedy: str = "") -> Iterator[None]:
    """An error of the file system becomes a sentence for the user."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"cannot write '{error.filename or where}': {error.strerror}{remedy}.") from error


def judge_again(study: Study, figures: Sequence[str], out: Path) -> list[Report]:
    """Make pictures and verdicts again, from the CSVs."""
    with writing(out):
        reports = [judge(study, name, out) for name in figures]
        _record(study, reports, out, None, None)
    return reports


def judge(study: Study, name: str, out: Path) -> Report:
    """A figure's picture and verdict, from its CSV."""
    figure = study.figure(name)
    seen = read(study, name, out)
    finding = judged(figure.judge(seen), seen)
    picture = out / f"{name}.svg"
    title = f"{study.title}, {name}. {figure.title}"
    if figure.picture is None:
        pictures.draw(seen, picture, title, study.unit, figure.measures, study.words, figure.references)
    else:
        write_file(picture, figure.picture(seen).encode())
    return Report(name, figure.title, finding, _files(study, name, out)[0], picture)


def _files(study: Study, name: str, out: Path) -> tuple[Path, Path]:
    """The files of a figure's curves and games."""
    figure = study.figures[name]
    owner = figure.same_data or next(iter(figure.gathers), name)
    return out / f"{owner}.csv", out / f"{owner}-games.csv"


def _write(study: Study, name: str, seen: Data, out: Path) -> None:
    if study.figures[name].gathers:
        return
    curves, games = _files(study, name, out)
    data.write_curves(curves, study.unit, seen.curves)
    if played := [*seen.games, *seen.series, *seen.steps, *seen.counts]:
        data.write_games(games, played)


def read(study: Study, name: str, out: Path) -> Data:
    """What was measured for a figure, from its CSV; from a shared file, its own curves in its own order. A figure that
    gathers others has all their curves, each in the panel of its figure.
    """
    if gathered := study.figures[name].gathers:
        parts = ((each, read(study, each, out).curves) for each in gathered)
        return Data([replace(runs, panel=each, label=runs.name) for each, curves in parts for runs in curves])
    curves, games = _files(study, name, out)
    found = {(runs.panel, runs.label): runs for runs in data.read_curves(curves)}
    mine = [found[at] for curve in study.figures[name].curves if (at := (curve.panel, curve.label)) in found]
    owner = study.figures[name].same_data or name
    return Data.of(mine, data.read_games(games) if study.figures[owner].play else ())


def _record(study: Study, reports: Sequence[Report], out: Path, quick: bool | None, seconds: float | None) -> None:
    """Write `verdicts.json`, for the page; other figures keep their entries."""
    path = out / VERDICTS
    known: dict[str, Any] = read_object(path) if path.exists() else {"paper": study.paper, "figures": {}}
    for report in reports:
        entry = {key: value for key, value in report.to_json().items() if key not in ("id", "csv", "svg")}
        before = known["figures"].get(report.figure, {})
        made = {key: before[key] for key in ("made_with", "quick") if key in before}
        if quick is not None:
            kept = ("ludus", "jax", "python", "device")
            made = {"made_with": {key: versions()[key] for key in kept}, "quick": quick}
        if gathered := study.figures[report.figure].gathers:  # it was made by nobody: its parts say by whom they were
            made = {"quick": any(known["figures"].get(name, {}).get("quick", False) for name in gathered)}
        known["figures"][report.figure] = {"title": report.title, **entry, **made}
    if seconds is not None and len(reports) == len(study.figures):
        known["seconds"] = round(seconds)
    known["figures"] = {name: known["figures"][name] for name in study.figures if name in known["figures"]}
    write_file(path, (json.dumps(known, indent=1, ensure_ascii=False) + "\n").encode())
