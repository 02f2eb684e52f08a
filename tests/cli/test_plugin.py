"""A game that another package brings: found by its entry point, and at home in every command.

The package in `plugin/noughts` is installed by hand, as pip would: its folder, and beside it a `dist-info` that names
the entry point. The command runs in a process of its own, which is the only way to see what a person would; where
the package stays the same, in forks of one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.command import Result
from helpers.forked import Forked
from helpers.plugins import NOUGHTS, install_noughts, metadata

from ludus.cli import COMMANDS, app
from ludus.cli.shared.options import RESERVED
from ludus.games import names


class Machine(NamedTuple):
    """Where packages are installed, and where one works."""

    site: Path
    work: Path
    forked: Forked | None = None  # a process that has imported already

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PYTHONPATH": str(self.site), "JAX_PLATFORMS": "cpu", "COLUMNS": "200"}

    def bring(self, package: str, code: str, name: str | None = None, **files: str) -> None:
        """Install a package of one game, which goes by the package's name."""
        (self.site / package).mkdir(parents=True)
        for file, text in {"__init__": code, **files}.items():
            (self.site / package / f"{file}.py").write_text(text)
        metadata(self.site, package, f"{name or package} = {package}:ENTRY")

    def ludus(self, *argv: str, stdin: str = "") -> Result:
        if self.forked is not None:
            return self.forked.run(*argv, cwd=self.work, stdin=stdin)
        command = [sys.executable, "-m", "ludus", *argv]
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, cwd=self.work, env=self.environment, check=False
        )
        return Result(done.returncode, done.stdout, done.stderr)


def machine(folder: Path) -> Machine:
    for name in ("site", "work"):
        (folder / name).mkdir()
    return Machine(folder / "site", folder / "work")


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    return machine(tmp_path)


@pytest.fixture(scope="module")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """With the package, and nothing else that is not everybody's."""
    made = machine(tmp_path_factory.mktemp("plugin"))
    install_noughts(made.site)
    with Forked(made.environment) as forked:
        yield made._replace(forked=forked)


@pytest.fixture(scope="module")
def run(equipped: Machine) -> str:
    """The folder of a trained agent, made by the command."""
    document = equipped.ludus("train", "noughts", "--games", "200", "--json").document
    assert document["games"] >= 200
    assert document["final"]["positions"] == 4520
    return document["run"]


def test_it_is_listed_after_ours(equipped: Machine) -> None:
    games = equipped.ludus("games", "--json").document["games"]
    assert [game["name"] for game in games] == [*names(), "noughts"]
    assert {key: games[-1][key] for key in ("players", "seats", "actions", "options", "agents")} == {
        "players": 2,
        "seats": ["cross", "nought"],
        "actions": 9,
        "options": {"misere": False},
        "agents": ["random", "perfect", "perfect:hardest"],
    }
    assert {"best", "dqn", "negamax"} <= set(games[-1]["learners"])
    assert "noughts" in equipped.ludus("games").out
    assert "solitaire-chess, noughts." in equipped.ludus("perft", "go", "1").refusal


def test_its_options_are_in_the_help_and_are_checked(equipped: Machine) -> None:
    shown = equipped.ludus("play", "--help").out
    assert "--misere" in shown
    assert "Whether three in a row lose instead. (noughts)" in shown
    assert "hex has no option 'misere'" in equipped.ludus("perft", "hex", "1", "--misere").refusal
    assert (
        "noughts has no option 'size'; its options are misere"
        in equipped.ludus("perft", "noughts", "1", "--size", "3").refusal
    )


@pytest.mark.slow
def test_perft(equipped: Machine) -> None:
    # 1,440 of the 15,120 lines of five moves end there; from each of the others four squares are left.
    assert equipped.ludus("perft", "noughts", "6", "--json").document == {
        "game": "noughts",
        "depth": 6,
        "nodes": (15_120 - 1440) * 4,
        "position": ".../.../... x",
        "seconds": pytest.approx(0, abs=60),
    }
    document = equipped.ludus("perft", "noughts", "1", "--position", "xx./oo./... x", "--misere", "--json").document
    assert (document["game"], document["nodes"]) == ("noughts", 5)
    assert equipped.ludus("perft", "noughts", "2").out.startswith("noughts misere=False from .../.../... x\n")
    said = equipped.ludus("perft", "noughts", "1", "--position", "xx./.../... x").refusal
    assert said == "noughts position 'xx./.../... x': x begins, and then they take turns."


@pytest.mark.slow
def test_play(equipped: Machine) -> None:
    moves = "b2\na1\nb2\nb1\nz9\nb3\nc1\n"
    played = equipped.ludus("play", "noughts", "--against", "human", "--json", stdin=moves)
    document = played.document
    assert (document["game"], document["moves"]) == ("noughts", ["b2", "a1", "b1", "b3", "c1"])
    assert (document["position"], document["result"]) == (".o./.x./oxx o", None)
    assert "noughts move 'b2': b2 is taken." in played.err
    assert "noughts move 'z9': a move is a square, like b2." in played.err
    for options, winner in (([], "cross"), (["--misere"], "nought")):
        played = equipped.ludus("play", "noughts", "--against", "human", *options, stdin="a1\nb1\na2\nb2\na3\n")
        assert (played.status, played.err) == (0, "")
        assert played.out.startswith(f"noughts misere={bool(options)}, ")
        assert played.out.endswith(f"{winner} wins.\n")
    one = equipped.ludus("play", "noughts", "--against", "random", "--seed", "1", "--json", stdin="b2\n").document
    assert (one["game"], one["side"], len(one["moves"])) == ("noughts", "cross", 2)


@pytest.mark.slow
def test_solve(equipped: Machine) -> None:
    start = equipped.ludus("solve", "noughts", "--json").document
    assert (start["game"], start["value"], {move["value"] for move in start["moves"]}) == ("noughts", "draw", {"draw"})
    misere = equipped.ludus("solve", "noughts", "--misere", "--json").document
    assert [move["move"] for move in misere["moves"] if move["value"] == "draw"] == ["b2"]
    won = equipped.ludus("solve", "noughts", "xx./oo./... x", "--json").document
    assert (won["winner"], won["winning_moves"]) == ("cross", ["c3"])
    # What everybody knows of it: 5,478 positions, of which 626 + 316 are won and 16 are full without a row.
    everything = equipped.ludus("solve", "noughts", "--all", "--json").document
    assert (everything["game"], everything["positions"]) == ("noughts misere=False", 5478)
    assert (everything["terminal"], everything["loss_plies"]["0"]) == (626 + 316 + 16, 626 + 316)


@pytest.mark.slow
def test_train_makes_an_agent_of_the_game(equipped: Machine, run: str) -> None:
    assert run == str(Path("runs") / "noughts-best-0")
    config = json.loads((equipped.work / run / "config.json").read_text())
    assert (config["game"], config["options"], config["recipe"]["as_table"]) == ("noughts", {"misere": False}, True)
    again = equipped.ludus("train", "--resume", run)
    assert again.status == 0
    assert f"ludus play noughts --against {run}" in again.out
    assert "noughts has no recipe 'paper'" in equipped.ludus("train", "noughts", "--recipe", "paper").refusal
    against = equipped.ludus("play", "noughts", "--against", run, "--json", stdin="b2\n").document
    assert (against["game"], against["against"], len(against["moves"])) == ("noughts", run, 2)


@pytest.mark.slow
def test_eval(equipped: Machine, run: str) -> None:
    exact = equipped.ludus("eval", run, "--exact", "--json").document
    assert (exact["game"], exact["positions"]) == ("noughts misere=False", 5478 - 958)
    assert 0 < exact["value_preserving"] <= exact["positions"]
    perfect = equipped.ludus("eval", "perfect", "--game", "noughts", "--exact", "--json").document
    assert (perfect["perfect"], perfect["unbeatable"]) == (True, True)
    assert perfect["vs_perfect"] == {"first": pytest.approx(1), "second": pytest.approx(1)}
    sampled = equipped.ludus("eval", run, "--against", "random", "--games", "20", "--json").document
    assert (sampled["game"], sampled["games"], sampled["against"]) == ("noughts misere=False", 20, "random")


@pytest.mark.slow
def test_match(equipped: Machine, run: str) -> None:
    document = equipped.ludus("match", run, "perfect", "--games", "20", "--json").document
    assert (document["game"], document["games"], document["wins"]) == ("noughts misere=False", 20, 0)
    said = equipped.ludus("match", run, "random", "--misere").refusal
    assert said == f"the agent '{run}' plays noughts misere=False, not noughts misere=True."


@pytest.mark.slow
def test_bench(equipped: Machine) -> None:
    argv = ("bench", "noughts", "--seconds", "0.01", "--lanes", "16")
    (row,) = equipped.ludus(*argv, "--json").document["rows"]
    assert (row["what"], row["lanes"]) == ("noughts misere=False, random play", 16)
    assert row["ours"] > 0
    shown = equipped.ludus(*argv)
    assert (shown.status, "noughts misere=False, random play" in shown.out) == (0, True)


# --- packages that are not as they should be --------------------------------------------------------------------

ENTRY = """
from ludus.core.entry import Entry, Option
ENTRY = Entry(name="{name}", about="", room="{room}", seats=("a", "b"), actions=1, rules="{room}.rules:Rules", {more})
"""

BROKEN: dict[str, tuple[str, str]] = {
    "raises": ("raise RuntimeError('it wants\\na licence.')", "it wants a licence."),
    "says nothing": ("raise NotImplementedError", "NotImplementedError."),
    "misses a module": ("import no_such_module", "No module named 'no_such_module'."),
    "is no Python": ("def", "invalid syntax"),
    "has no entry": ("", "has no attribute 'ENTRY'"),
    "has something else": ("ENTRY = 7", "'broken:ENTRY' is not the entry of a game called 'broken'."),
    "has another's name": (
        ENTRY.format(name="hex", room="broken", more=""),
        "not the entry of a game called 'broken'.",
    ),
    "has a room that is none": (ENTRY.format(name="broken", room="nowhere", more=""), "No module named 'nowhere'."),
    "has an option with a hyphen": (
        ENTRY.format(name="broken", room="broken", more="options=(Option('in-a-row', 3, ''),)"),
        "not 'in-a-row'.",
    ),
    "has an option that is a keyword": (
        ENTRY.format(name="broken", room="broken", more="options=(Option('class', 3, ''),)"),
        "not 'class'.",
    ),
    "has an option that is no whole number": (
        ENTRY.format(name="broken", room="broken", more="options=(Option('komi', 6.5, ''),)"),
        "the default of the option 'komi' is a whole number, a text, or true or false.",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_package_that_cannot_be_loaded_is_left_out(bare: Machine, fault: str) -> None:
    code, words = BROKEN[fault]
    bare.bring("broken", code)
    listed = bare.ludus("games", "--json")
    assert [game["name"] for game in listed.document["games"]] == names()
    assert listed.err.startswith("ludus: ")  # and it is said which, and why
    assert "broken" in listed.err
    said = bare.ludus("perft", "broken", "1").refusal
    assert "broken" in said
    assert words in said
    assert ".." not in said


@pytest.mark.parametrize("part", ["rules", "recipes"])
def test_a_part_that_cannot_be_loaded_breaks_that_game_alone(bare: Machine, part: str) -> None:
    more = "recipes='broken.recipes:recipes'" if part == "recipes" else ""
    whole = {"rules": (NOUGHTS / "rules.py").read_text().replace("Noughts", "Rules")}
    code = ENTRY.format(name="broken", room="broken", more=more)
    bare.bring("broken", code, **whole | {part: "raise RuntimeError('it wants a licence')"})
    listed = bare.ludus("games", "--json")
    assert [game["name"] for game in listed.document["games"]] == [*names(), "broken"]
    assert bool(listed.document["games"][-1]["learners"]) == (part == "rules")
    assert listed.err == ""
    said = bare.ludus("train", "broken").refusal
    assert said.startswith(f"the game 'broken' cannot be loaded from 'broken.{part}:")
    assert said.endswith(": it wants a licence.")
    assert bare.ludus("perft", "hex", "1", "--size", "20").refusal == "hex: size goes from 2 to 19, so it cannot be 20."


@pytest.mark.parametrize(
    ("missing", "more", "words"),
    [
        ("    def legal(", "", "cannot be made: Can't instantiate abstract class Rules"),
        ("none", "options=(Option('size', 3, ''),)", "its entry has the option 'size', and its class no such field."),
    ],
)
def test_rules_that_are_not_whole_are_refused_in_a_sentence(bare: Machine, missing: str, more: str, words: str) -> None:
    rules = (NOUGHTS / "rules.py").read_text().replace("Noughts", "Rules").replace(missing, "    def other(")
    bare.bring("broken", ENTRY.format(name="broken", room="broken", more=more), rules=rules)
    said = bare.ludus("perft", "broken", "1").refusal
    assert said.startswith("the game 'broken' cannot be ")
    assert words in said


def test_a_name_of_ours_cannot_be_taken(bare: Machine) -> None:
    code = "from pathlib import Path\nPath('loaded').touch()\n" + ENTRY.format(name="hex", room="thief", more="")
    bare.bring("thief", code, name="hex")
    games = bare.ludus("games", "--json").document["games"]
    assert [game["name"] for game in games] == names()
    (listed,) = (game for game in games if game["name"] == "hex")
    assert (listed["seats"], listed["actions"]) == (["black", "white"], 121)
    assert bare.ludus("perft", "hex", "1", "--size", "2", "--json").document["nodes"] == 4
    assert list(bare.work.iterdir()) == [], "the other one was loaded"


@pytest.mark.slow
def test_an_option_named_like_a_commands_own_does_no_harm(bare: Machine) -> None:
    """Every command works as before; the game's option is given by --set."""
    taken = ("side", "json", "all", "epsilon", "given", "setup", "set", "help")
    options = "".join(f"Option({name!r}, 3, 'Mine.'), " for name in taken)
    bare.bring("odd", ENTRY.format(name="odd", room="odd", more=f"options=({options})"))
    assert bare.ludus("games", "--json").document["games"][-1]["options"] == dict.fromkeys(taken, 3)
    for command in ("play", "perft"):
        shown = bare.ludus(command, "--help")
        assert (shown.status, "Mine." in shown.out) == (0, False)
    assert bare.ludus("perft", "hex", "0", "--size", "2", "--json").document["nodes"] == 1
    said = bare.ludus("perft", "odd", "1", "--set", "side=three").refusal
    assert said == "odd: side='three' is not a whole number."


def test_no_option_of_a_command_can_be_taken() -> None:
    """`RESERVED` names them all: those of every command that takes a game's options."""
    found: dict[str, set[str]] = {}
    for command in COMMANDS:
        arguments = app[command].assemble_argument_collection()
        own = {name for argument in arguments if not argument.keys for name in argument.names}  # keys: a game's
        if any(argument.keys for argument in arguments):
            found[command] = {name.removeprefix("--").replace("-", "_") for name in own if name.startswith("--")}
    assert {"play", "perft", "solve", "train", "eval", "match", "tournament"} <= found.keys()
    for command, own in found.items():
        assert own <= RESERVED, command
