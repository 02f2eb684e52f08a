"""Whatever the checker of Hex proofs accepts is so, by brute force on 3 x 3; and what is wrong it names."""

from __future__ import annotations

import functools
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.hex_proofs import (
    EVERYTHING,
    SIZE,
    Guesser,
    Scribe,
    accepts,
    each,
    joined,
    joins,
    some_positions,
    truth,
    wins,
)
from helpers.text import read_or_refuse, refusal
from hypothesis import given
from hypothesis import strategies as st

from ludus.games.hex import checker

EXAMPLE = "\n".join(
    re.findall(r"^    (game hex|[a-z]+ \S+(?: [bw])?(?= {4}|$)|\d+ [MO] .*)", checker.__doc__ or "", re.M)
)


def test_proofs_are_accepted() -> None:
    for text in some_positions(60, seed=1):
        winner = checker.SIDES.index(truth(text))
        proof = Scribe(text, winner)
        assert checker.check(proof.text) == (checker.SIDES[winner], text, len(proof.rows) - 4)
        assert checker.check(proof.text + "\n") == checker.check(proof.text)
        assert Scribe(text, 1 - winner).found is None


@pytest.mark.parametrize(
    ("flaw", "fault"),
    [
        ("a cell is missing", "which is not free."),
        ("a move is forgotten", "and the other may play there."),
        ("a bridge is joined", "do not join the winner's edges."),
        ("the edges are the other's", "do not join the winner's edges."),
    ],
)
def test_proofs_of_a_wrong_search_are_refused(flaw: str, fault: str) -> None:
    refused = 0
    for text in some_positions(60, seed=2):
        for winner in (0, 1):
            proof = Scribe(text, winner, flaw)
            if not proof.found:
                continue
            if checker.SIDES[winner] != truth(text):
                assert refusal(checker.check, proof.text).endswith(fault), proof.text
                refused += 1
            elif read_or_refuse(checker.check, proof.text) is None:
                refused += 1
    assert refused > 10


def test_stones_are_joined_as_by_the_rules() -> None:
    rng = random.Random(3)
    for _ in range(1000):
        side, stones = rng.randrange(2), rng.randrange(EVERYTHING + 1)
        assert joined(side, stones, []) == joins(side, stones)


def test_a_pair_joins_whichever_cell_it_gives() -> None:
    rng, accepted = random.Random(4), 0
    for _ in range(3000):
        side, cells = rng.randrange(2), [1 << cell for cell in rng.sample(range(SIZE**2), 7)]
        pairs = [cells.pop() | cells.pop() for _ in range(rng.randint(1, 3))]
        stones = sum(cells)
        if joined(side, stones, pairs):
            accepted += 1
            gets = {stones}
            for pair in pairs:
                gets = {got | cell for got in gets for cell in each(pair)}
            assert all(joins(side, got) for got in gets)
    assert accepted > 300


@pytest.mark.parametrize("seed", range(6))
def test_every_line_that_is_accepted_is_true(seed: int) -> None:
    """Lines upon lines at random: a rule that let a false one pass would be found out by brute force."""
    guesser, refused, rest_on_more = Guesser(seed % 2, seed), 0, 0
    while len(guesser.lines) < 700:
        line = accepts(guesser.side, guesser.lines, guesser.guess())
        if line is None:
            refused += 1
            continue
        assert wins(guesser.side, line.stones, line.free | sum(line.pairs), line.kind == "M"), line
        guesser.lines.append(line)
        rest_on_more += line.kind == "O" and line.free > 0
    assert refused > 700
    assert rest_on_more > 30


@functools.cache
def valid() -> list[str]:
    """Short proofs."""
    texts = [Scribe(text, checker.SIDES.index(truth(text))).text for text in some_positions(40, seed=5)]
    start = "game hex\nsize 3\nposition .../.../... b\nwinner black"
    return [*sorted(texts, key=len)[:12], f"{start}\n5 O b2 b1+c1,a3+b3 joined\n6 M - b1+c1,a3+b3,b2 b2 5"]


def tampered(text: str, rng: random.Random) -> str:
    """A proof with one or two cells, lines, rows, sides or reasons changed for others, or left out."""
    for _ in range(rng.randint(1, 2)):
        cell = f"{rng.choice('abc')}{rng.randint(1, 3)}"
        kinds = {
            r"\b[a-c][1-3]\b": (cell, f"{cell},{rng.choice('abc')}{rng.randint(1, 3)}"),
            r",[a-c][1-3]\b": ("", f"+{cell}"),
            r"\+": (",",),
            r"(?<= )\d+$": (str(rng.randint(5, 40)), f"{rng.randint(5, 40)} {rng.randint(5, 40)}", "joined"),
            r" \d+(?= )": ("",),
            r"(?<=[./BW])[.BW](?=[./BW])": (".", "B", "W"),
            r"[bw]$": ("b", "w"),
            r"black|white": checker.SIDES,
        }
        pattern = rng.choice([pattern for pattern in kinds if re.search(pattern, text, re.MULTILINE)])
        start, end = rng.choice([match.span() for match in re.finditer(pattern, text, re.MULTILINE)])
        text = text[:start] + rng.choice(kinds[pattern]) + text[end:]
    return text


def test_what_is_tampered_with_is_refused_or_still_true() -> None:
    rng, accepted, refused = random.Random(7), 0, 0
    for _ in range(800):
        proof = rng.choice(valid())
        text = tampered(proof, rng)
        found = read_or_refuse(checker.check, text)
        refused += found is None
        if found is not None and text != proof:
            accepted += 1
            assert found.winner == truth(found.position), text
    assert accepted > 20
    assert refused > 200


def test_the_winner_and_the_position_are_held_to() -> None:
    """All other claims on top of the same lines."""
    accepted = 0
    for proof in valid():
        rows = proof.split("\n")
        for text in {*some_positions(12, seed=6)}:
            for winner in checker.SIDES:
                found = read_or_refuse(
                    checker.check, "\n".join([*rows[:2], f"position {text}", f"winner {winner}", *rows[4:]])
                )
                accepted += found is not None
                assert found is None or found.winner == truth(text)
    assert accepted > 0


@given(st.text(alphabet=st.sampled_from("gamehx sizpotnwrbkl.BWMO0123456789,+-/\n\r\x0b\u2028\u0663"), max_size=80))
def test_whatever_is_no_proof_is_refused_with_a_sentence(text: str) -> None:
    for start in ("", EXAMPLE[: EXAMPLE.index("5 O")], EXAMPLE, EXAMPLE + "\n"):
        assert read_or_refuse(checker.check, start + text) is None or not text.strip("\n")


def test_the_example_is_a_proof() -> None:
    assert checker.check(EXAMPLE) == ("black", "W.../..B./..../B... w", 5)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("game hex", "game go", "line 1 of the proof: the game should be hex, not 'go'."),
        ("game hex\n", "", "line 1 of the proof: it should begin with 'game ', not be 'size 4'."),
        ("size 4", "size 04", "line 2 of the proof: the size should be a number from 2 to 19, not '04'."),
        ("size 4", "size 5", "line 3 of the proof: the position should be 5 rows of 5 of the letters B, W and ., "),
        ("W.../", "W.../..../", "line 3 of the proof: the position should be 4 rows of 4 of the letters B, W and ., "),
        ("W...", "X...", "line 3 of the proof: the position should be 4 rows of 4 of the letters B, W and ., "),
        ("... w", "...", "line 3 of the proof: the position should be 4 rows of 4 of the letters B, W and ., "),
        ("... w", "... ww", "line 3 of the proof: the position should be 4 rows of 4 of the letters B, W and ., "),
        ("W...", "WW..", None),
        (
            "W...",
            "WWW.",
            "line 3 of the proof: the side to move should have as many stones as the other or one fewer, ",
        ),
        (
            "W...",
            "....",
            "line 3 of the proof: the side to move should have as many stones as the other or one fewer, ",
        ),
        ("winner black", "winner red", "line 4 of the proof: the winner should be black or white, not 'red'."),
        ("winner black", "winner white", "line 5 of the proof: the stones and pairs do not join the winner's edges."),
        ("5 O c2,b3,a4 c1+d1 joined", "5 O c2", "line 5 of the proof: it should have a number, M or O, stones, "),
        ("\n7 O", "\n\n7 O", "line 7 of the proof: it should have a number, M or O, stones, free cells, and why "),
        ("7 O c2,c3", "9 O c2,c3", "line 7 of the proof: it should begin with its number, not with '9'."),
        ("7 O c2,c3", "07 O c2,c3", "line 7 of the proof: it should begin with its number, not with '07'."),
        ("7 O c2,c3", "7 X c2,c3", "line 7 of the proof: a line is an M or an O, not 'X'."),
        ("7 O c2,c3", "7 O c2,c5", "line 7 of the proof: there is no cell 'c5' on the board."),
        ("7 O c2,c3", "7 O c2,e3", "line 7 of the proof: there is no cell 'e3' on the board."),
        ("7 O c2,c3", "7 O c2,,c3", "line 7 of the proof: there is no cell '' on the board."),
        ("7 O c2,c3", "7 O c2,C3", "line 7 of the proof: there is no cell 'C3' on the board."),
        ("7 O c2,c3", "7 O c2,c3,c2", "line 7 of the proof: c2 is named twice in 'c2,c3,c2'."),
        ("7 O c2,c3", "7 O c2+c3", "line 7 of the proof: stones do not come in pairs, as in 'c2+c3'."),
        ("c1+d1,b4+c4 joined", "c1+d1,b4+c1 joined", "line 7 of the proof: c1 is named twice in 'c1+d1,b4+c1'."),
        ("c1+d1,b4+c4 joined", "c1+c1,b4+c4 joined", "line 7 of the proof: c1 is named twice in 'c1+c1,b4+c4'."),
        ("c1+d1,b4+c4 joined", "c1+d1,b4,b4+c4 joined", "line 7 of the proof: b4 is named twice in "),
        ("c1+d1,b4+c4 joined", "c1+d1+b4,c4 joined", "line 7 of the proof: a pair is two cells, not 'c1+d1+b4'."),
        ("c1+d1,b4+c4 joined", "c1+d1,b4+c3 joined", "line 7 of the proof: c3 cannot have a stone and be free."),
        ("c1+d1,b4+c4 joined", "c1+d1,b4,c4 joined", "line 7 of the proof: the stones and pairs do not join the "),
        ("c1+d1,b4+c4 joined", "c1+d1,b4+d4 joined", "line 7 of the proof: the stones and pairs do not join the "),
        ("c1+d1,b4+c4 joined", "c1+d1,b4+c4 joined 5", "line 7 of the proof: 'joined' is not the number of a line."),
        ("O c2,b3,a4 c1", "O c2,b3 c1", "line 5 of the proof: the stones and pairs do not join the winner's edges."),
        ("b3 b3 5", "b3 5", "line 6 of the proof: an M ends with a move and the number of a line."),
        ("b3 b3 5", "b3 b3 5 5", "line 6 of the proof: an M ends with a move and the number of a line."),
        ("b3 b3 5", "b3 joined", "line 6 of the proof: an M ends with a move and the number of a line."),
        ("b3 b3 5", "b3 a1 5", "line 6 of the proof: the move 'a1' is no free cell, or one of a pair."),
        ("b3 b3 5", "b3 c1 5", "line 6 of the proof: the move 'c1' is no free cell, or one of a pair."),
        ("b3 b3 5", "b3 c2 5", "line 6 of the proof: the move 'c2' is no free cell, or one of a pair."),
        ("b3 b3 5", "b3 x 5", "line 6 of the proof: the move 'x' is no free cell, or one of a pair."),
        ("b3 b3 5", "b3 b3 05", "line 6 of the proof: '05' is not the number of a line."),
        ("b3 b3 5", "b3 b3 +5", "line 6 of the proof: '+5' is not the number of a line."),
        ("b3 b3 5", "b3 b3 \u0665", "line 6 of the proof: '\u0665' is not the number of a line."),
        ("b3 b3 5", "b3 b3 " + "5" * 5000, "line 6 of the proof: '55555555555555555555555555555555555555555555555"),
        ("b3 b3 5", "b3 b3 4", "line 6 of the proof: there is no line 4 of the proof before it."),
        ("b3 b3 5", "b3 b3 6", "line 6 of the proof: there is no line 6 of the proof before it."),
        ("b3 b3 5", "b3 b3 7", "line 6 of the proof: there is no line 7 of the proof before it."),
        ("c3 c3 7", "c3 c3 6", "line 8 of the proof: line 6 should be an O."),
        ("b3,c3 6 8", "b3,c3 6 7", "line 9 of the proof: line 7 should be an M."),
        ("8 M c2", "8 M -", "line 8 of the proof: line 7 takes a stone on c2, which is not there."),
        ("8 M c2 c1+d1,b4+c4,c3 c3", "8 M c2 c1+d1,b4+c4,b3 b3", "line 8 of the proof: line 7 takes a stone on c3, "),
        ("9 O c2,a4", "9 O c2", "line 9 of the proof: line 6 takes a stone on a4, which is not there."),
        ("b4+c4,b3,c3 6", "b4+c4,c3 6", "line 9 of the proof: line 6 takes b3, which is not free."),
        ("c2,a4 c1+d1,b4", "c2,a4 c1,d1,b4", "line 9 of the proof: all the lines that it names take c1,d1, and the "),
        ("c2,a4 c1+d1,b3", "c2,a4 c1,b3", "line 6 of the proof: line 5 takes the pair c1,d1, which is neither a pair "),
        ("8 M c2 c1+d1,b4+c4,c3", "8 M c2 c1+b4,d1+c4,c3", "line 8 of the proof: line 7 takes the pair c1,d1, which "),
        (
            "b3,c3 6 8",
            "b3,c3 6",
            "line 9 of the proof: all the lines that it names take b3, and the other may play there.",
        ),
        ("b3,c3 6 8", "b3,c3 6 6", "line 9 of the proof: all the lines that it names take b3, and the other may play "),
        ("6 8", "6 8\n10 M c2,a4 c1+d1,b4+c4,b3,c3 b3 9", "line 10 of the proof: line 9 takes b3, which is not free."),
        ("6 8", "6 8\n10 M c2,a4 c1,d1,b4+c4,b3,c3 c1 9", "line 10 of the proof: line 9 takes the pair c1,d1, "),
        ("b3,c3 6 8", "b3,c3 ", "line 9 of the proof: '' is not the number of a line."),
        ("b3,c3 6 8", "b3,c3", "line 9 of the proof: it should have a number, M or O, stones, free cells, and why "),
        (
            "\n9 O c2,a4 c1+d1,b4+c4,b3,c3 6 8",
            "",
            "line 8 of the proof: it is the last, the root, and it should be an O ",
        ),
        (
            "W.../..B./..../B... w",
            "W.../..BW/..../B... b",
            "line 9 of the proof: it is the last, the root, and it should ",
        ),
        (
            "..B.",
            ".B..",
            "line 9 of the proof: it is the last, the root, and the winner has no stone on c2 in the position.",
        ),
        (
            "W.../..B./....",
            "..../..B./..W.",
            "line 9 of the proof: it is the last, the root, and the loser has a stone on c3 ",
        ),
        (
            "W.../..B.",
            "..W./..B.",
            "line 9 of the proof: it is the last, the root, and the loser has a stone on c1 in the ",
        ),
        (
            "W...",
            "...W",
            "line 9 of the proof: it is the last, the root, and the loser has a stone on d1 in the position.",
        ),
        (
            EXAMPLE[EXAMPLE.index("\n5 O") :],
            "",
            "line 5 of the proof: there is none, and the last line should be the root.",
        ),
        (EXAMPLE, "", "line 1 of the proof: it should begin with 'game ', not be ''."),
    ],
)
def test_each_fault_has_its_sentence(old: str, new: str, sentence: str | None) -> None:
    assert EXAMPLE.count(old) == 1, old
    text = EXAMPLE.replace(old, new)
    if sentence is None:
        assert checker.check(text).winner == "black"
    else:
        assert refusal(checker.check, text).startswith(sentence)


@pytest.mark.parametrize(
    ("root", "accepted"),
    [
        ("c2,a4 c1+d1,b3", True),
        ("c2,a4 c1,d1,b3", True),
        ("c2,a4 d1+c1,b3", True),
        ("c2,a4 c1+d1,b4+c4,b3,a2", True),
        ("c2 c1+d1,b3,a4", False),
        ("c2,a4 c1+a3,d1,b3", False),
        ("c2,a4 c1+d1,b3+a3", False),
        ("c2,a4,b4 c1+d1,b3", False),  # b4 is free in the position
    ],
)
def test_what_is_there_and_not_taken_does_no_harm(root: str, accepted: bool) -> None:
    """Two free cells do for a pair, and more will do, but half a pair is no free cell."""
    rows = EXAMPLE.replace("W.../..B./..../B... w", "W.../..B./...W/B... b").split("\n")[:5]
    assert (read_or_refuse(checker.check, "\n".join([*rows, f"6 M {root} b3 5"])) is not None) == accepted


def test_the_command_tells_who_wins_or_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad, odd = (tmp_path / name for name in ("good", "bad", "odd"))
    good.write_text(EXAMPLE)
    bad.write_text(EXAMPLE.replace("6 8", "6"))
    odd.write_bytes(b"\xff")
    assert checker.main([str(good), str(good)]) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (f"{good}: black wins from W.../..B./..../B... w, 5 lines checked\n" * 2, "")
    assert checker.main([str(bad), str(good), str(odd), str(tmp_path / "none"), str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == f"{good}: black wins from W.../..B./..../B... w, 5 lines checked\n"
    assert err.splitlines() == [
        f"'{bad}', line 9 of the proof: all the lines that it names take b3, and the other may play there.",
        f"'{odd}' cannot be read: it is not plain text.",
        f"'{tmp_path / 'none'}' cannot be read: No such file or directory.",
        f"'{tmp_path}' cannot be read: Is a directory.",
    ]
    assert checker.main([]) == 2
    assert capsys.readouterr().err.endswith(".\n")


def test_it_runs_without_anything_heavy(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text(EXAMPLE + " ")
    code = "import sys; from ludus.games.hex import checker; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"jax", "numpy", "numba", "ludus.games.hex.rules", "ludus.games.hex.solver"} & {*loaded}
    command = [sys.executable, "-m", "ludus.games.hex.checker", str(tmp_path / "bad")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
