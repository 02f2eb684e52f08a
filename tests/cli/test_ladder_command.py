"""`ludus ladder`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
from helpers.process import finish, start

from ludus.games import hex as hex_room

HEX = ("hex", "--size", "3")
FILE = Path("runs/ladders/hex-size=3.jsonl")
SHIPPED = Path(hex_room.__file__).parent / "shipped" / "best-3"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_ladder_that_nobody_began_is_empty(ludus, here: Path) -> None:
    shown = ludus("ladder", *HEX)
    assert (shown.status, shown.err) == (0, "")
    assert "There is no ladder of hex size=3 swap=False yet" in shown.out
    document = ludus("ladder", *HEX, "--json").document
    assert (document["games"], document["table"], document["file"]) == (0, [], str(FILE))
    assert not list(here.iterdir())


@pytest.mark.slow
def test_agents_come_and_are_rated(ludus) -> None:
    argv = ("ladder", *HEX, "random", "perfect", "--batch", "32", "--seed", "5")
    document = ludus(*argv, "--json").document
    assert document["game"] == "hex size=3 swap=False"
    first, last = document["table"]
    assert [first["agent"], last["agent"]] == ["perfect", "random"]
    for row in (first, last):
        assert row["ci95"][0] < row["rating"] < row["ci95"][1]
        assert row["games"] == row["wins"] + row["draws"] + row["losses"] == document["games"]
        assert row["score"] == (row["wins"] + row["draws"] / 2) / row["games"]
        assert row["digest"] == ""
    assert first["wins"] == last["losses"] > first["losses"]
    for added, verdict in zip(document["added"], ("weaker", "stronger"), strict=True):
        assert (added["stopped_by"], added["games"]) == ("tests", document["games"])
        (test,) = added["tests"]
        assert (test["verdict"], test["games"]) == (verdict, document["games"])
        assert max(test["llr"]) >= test["bounds"][1]
    # It is all in the file, and the same again from another one.
    text = FILE.read_text()
    assert sum(json.loads(line)["wins"] + json.loads(line)["losses"] for line in text.splitlines()) == first["games"]
    again = ludus(*argv, "--json", "--file", "other.jsonl").document
    assert again["table"] == document["table"]
    assert Path("other.jsonl").read_text() == text
    # To look at it plays nothing; nor does to add again what is settled.
    shown = ludus("ladder", *HEX, "--json").document
    assert (shown["table"], "added" in shown) == (document["table"], False)
    assert ludus(*argv, "--json").document["played"] == 0
    # A third one meets them, and a trained one is told by its weights.
    out = ludus("ladder", *HEX, "hex/best-3", "--batch", "32").out
    assert f"games of 3 agents in {FILE}" in out
    assert "no difference shown from perfect" in out
    rows = {row["agent"]: row for row in ludus("ladder", *HEX, "--json").document["table"]}
    assert len(rows["hex/best-3"]["digest"]) == 16
    assert rows["hex/best-3"]["rating"] > rows["random"]["rating"] + 200
    # The zero can be anybody's.
    anchored = ludus("ladder", *HEX, "--anchor", "random", "--json").document
    zero = next(row for row in anchored["table"] if row["agent"] == "random")
    assert (zero["rating"], zero["ci95"]) == (0, [0, 0])
    lead = rows["perfect"]["rating"] - rows["random"]["rating"]
    assert next(row for row in anchored["table"] if row["agent"] == "perfect")["rating"] == pytest.approx(lead)
    # And it can be looked at.
    drawn = ludus("ladder", *HEX, "--out", "ladder.svg")
    assert "The picture: ladder.svg" in drawn.out
    picture = Path("ladder.svg").read_bytes()
    assert picture.startswith(b"<?xml")
    ludus("ladder", *HEX, "--out", "again.svg")
    assert Path("again.svg").read_bytes() == picture


@pytest.mark.slow
def test_it_says_how_it_gets_on_unless_it_is_told_not_to(ludus) -> None:
    argv = ("ladder", *HEX, "random", "perfect", "--batch", "4", "--games", "4", "--json")
    assert "random against perfect: +0 ± " in ludus(*argv).err
    quiet = ludus(*argv, "--quiet")
    assert (quiet.err, quiet.document["played"]) == ("", 4)


@pytest.mark.slow
def test_two_are_tested(ludus) -> None:
    argv = ("ladder", *HEX, "--sprt", "random", "hex/best-3", "--batch", "32")
    found = ludus(*argv, "--json").document["sprt"]
    assert (found["a"], found["b"], found["verdict"]) == ("random", "hex/best-3", "weaker")
    assert (found["elo0"], found["elo1"], found["alpha"], found["beta"]) == (0, 40, 0.05, 0.05)
    assert found["llr"][1] >= found["bounds"][1]
    assert 2 * sum(found["pairs"]) == found["games"] == found["wins"] + found["losses"]
    shown = ludus(*argv)
    assert f"random: weaker than hex/best-3 after {found['games']} games" in shown.out
    assert "LLR" in shown.out
    assert shown.err == ""
    # What they have played counts: a stricter test goes on from there, and one that may not says so.
    more = ludus(*argv, "--alpha", "0.0001", "--beta", "0.0001", "--json").document
    assert more["sprt"]["games"] > found["games"]
    assert more["played"] == more["sprt"]["games"] - found["games"]
    short = ludus("ladder", *HEX, "--sprt", "random", "perfect", "--games", "4", "--json").document["sprt"]
    assert (short["verdict"], short["games"]) == ("undecided", 4)


@pytest.mark.slow
def test_who_was_trained_again_is_another_and_one_alone_meets_the_random_player(ludus, here: Path) -> None:
    mine = here / "mine"
    shutil.copytree(SHIPPED, mine)
    first = ludus("ladder", *HEX, "mine/", "--games", "8", "--batch", "8", "--json").document
    assert sorted(row["agent"] for row in first["table"]) == ["mine", "random"]
    config = json.loads((mine / "config.json").read_text())
    config["recipe"]["epsilon"] = 0.2
    (mine / "config.json").write_text(json.dumps(config))
    manifest = json.loads((mine / "weights.json").read_text())
    if "config_sha256" in manifest.get("extra", {}):  # which vouches for the config
        from ludus.runs.files import pretty_json, seal_of
        from ludus.runs.run_info import fingerprint, read_config

        manifest.pop("seal")
        manifest["extra"]["config_sha256"] = fingerprint(read_config(mine))
        (mine / "weights.json").write_bytes(pretty_json(manifest | {"seal": seal_of(manifest)}))
    table = ludus("ladder", *HEX, "mine", "--games", "8", "--batch", "8", "--json").document["table"]
    digest = next(row["digest"] for row in first["table"] if row["agent"] == "mine")
    assert sorted(row["agent"] for row in table) == ["mine", f"mine ({digest[:8]})", "random"]
    assert all(row["games"] in (8, 16) for row in table)
    # The former one is not there to be met any more; nor is one whose folder has gone.
    shutil.rmtree(mine)
    assert ludus("ladder", *HEX, "perfect", "--games", "8", "--batch", "8", "--json").document["played"] == 8
    assert len(ludus("ladder", *HEX, "--json").document["table"]) == 4


BAD = [
    ("chess", "there is no game 'chess'"),
    ("solitaire-chess", "puzzle for one"),
    ("hex --size 3 nobody random", "there is no agent 'nobody' for hex"),
    ("hex --size 4 hex/best-3 random", "plays hex size=3 swap=False, not hex size=4"),
    ("hex lgame/best", "plays lgame, not hex"),
    ("hex --size 9 perfect random", "boards of 2 to 8, not 9"),
    ("hex --size 3 random perfect random", "'random' is named 2 times"),
    ("hex --size 3 mine mine/", "'mine' is named 2 times"),
    ("hex --size 3 random", "'random' has nobody to meet"),
    ("hex --size 3 --sprt random random", "'random' is named 2 times"),
    ("hex --size 3 perfect --sprt random hex/best-3", "leave out 'perfect', or --sprt"),
    ("hex --size 3 random perfect --games 5", "--games 5 is odd"),
    ("hex --size 3 random perfect --batch 0", "--batch goes from 2"),
    ("hex --size 3 random perfect --within 0", "--within goes from 1"),
    ("hex --size 3 random perfect --within nan", "--within goes from 1"),
    ("hex --size 3 random perfect --openings 0", "--openings goes from 1"),
    ("hex --size 3 random perfect --elo1 -4", "elo0 < elo1"),
    ("hex --size 3 random perfect --alpha 0.7", "alpha, the chance of an error"),
    ("hex --size 3 random perfect --seed -1", "--seed"),
    ("hex --size 3 --anchor perfect", "'perfect' is not on the ladder"),
    ("hex --size 3 --out picture.png", ".svg"),
    ("hex --size 3 --out picture.svg", "nothing to draw"),
    ("hex --size 3 --file nowhere.jsonl", "there is no ladder 'nowhere.jsonl' yet"),
    ("hex --size 3 --file text", "'text' is not a ladder"),
    ("hex --size 3 random perfect --file text", "'text' is not a ladder"),
    ("hex --size 3 random perfect --file text/l.jsonl", "is a file, where a folder is wanted"),
    ("hex --size 3 --file other.jsonl", "a match of hex size=4 swap=False, not of hex size=3 swap=False"),
]


@pytest.mark.parametrize(("command", "words"), BAD)
def test_what_is_refused(ludus, here: Path, command: str, words: str) -> None:
    (here / "text").write_text("Dear diary,\n")
    shutil.copytree(SHIPPED, here / "mine")
    line = {"ladder": 1, "game": "hex", "options": {"size": 4, "swap": False}, "seed": 0, "number": 0, "openings": 0}
    line |= {"a": {"agent": "perfect", "digest": ""}, "b": {"agent": "random", "digest": ""}}
    line |= {"wins": 2, "draws": 0, "losses": 0, "pairs": [0, 0, 0, 0, 1]}
    (here / "other.jsonl").write_text(json.dumps(line) + "\n")
    before = sorted(here.rglob("*"))
    for more in ([], ["--json"]):
        assert words in ludus("ladder", *command.split(), *more).refusal
    assert sorted(here.rglob("*")) == before
    assert (here / "text").read_text() == "Dear diary,\n"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")
def test_an_interrupt_keeps_what_was_played(ludus, here: Path) -> None:
    argv = ["ladder", *HEX, "random", "perfect", "--within", "1", "--batch", "8", "--games", "10000000"]
    process = start(argv, None, here)
    while not FILE.exists() or FILE.read_bytes().count(b"\n") < 2:
        assert process.poll() is None, finish(process)
        time.sleep(0.02)
    assert "another process is writing to" in ludus(*argv).refusal
    process.send_signal(signal.SIGINT)
    status, out, err = finish(process)
    assert (status, out) == (130, "")
    kept = ludus("ladder", *HEX, "--json").document["games"]
    said = int(err.splitlines()[-1].removeprefix("Stopped: ").split()[0].replace(",", ""))
    assert 16 <= said <= kept <= said + 8  # the last batch may have been on its way
    rows = [json.loads(line) for line in FILE.read_text().split("\n")[:-1]]
    assert [row["number"] for row in rows] == list(range(len(rows)))
