"""`ludus puzzles`: made, measured, and what is refused; `ludus solve` of puzzles."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.games.solitaire_chess.levels import benchmark

GOOD = "2R1/N2K/2RQ/PB2"


@pytest.mark.slow
def test_puzzles_are_made_with_the_keys_of_the_design(ludus) -> None:
    made = ludus("puzzles", "--count", "5", "--level", "intermediate", "--seed", "3", "--json").document["puzzles"]
    assert len(made) == len({puzzle["position"] for puzzle in made}) == 5
    for puzzle in made:
        assert {"position", "level", "final", "explored"} <= puzzle.keys()
        found = ludus("solve", "solitaire-chess", puzzle["position"], "--json").document
        assert (found["final"], found["explored"], found["unique"]) == (puzzle["final"], puzzle["explored"], True)
    lines = ludus("puzzles", "--count", "5", "--level", "intermediate", "--seed", "3").out.splitlines()
    assert [line.split()[0] for line in lines] == [puzzle["position"] for puzzle in made]


def test_the_benchmark_is_shown(ludus) -> None:
    shown = ludus("puzzles", "--benchmark").out.splitlines()
    assert len(shown) == 80
    assert [sum(f" {level} " in line for line in shown) for level in ("beginner", "expert")] == [20, 20]


def test_good_lines_of_a_file_are_answered_and_bad_ones_are_told(ludus, tmp_path: Path) -> None:
    lines = [GOOD, "KK2/4/4/4", "N3/1X2/P3/4", "N3/1B2/P3", "N3/4/4/4", "", "2RR/4/4/4", "n3/1b2/p3/4"]
    (file := tmp_path / "mine.txt").write_text("\n".join(lines) + "\n")
    results = ludus("puzzles", "--file", str(file), "--json").document["results"]
    assert [row.get("level") for row in results] == ["expert", *[None] * 6, "beginner"]
    for number, words in enumerate(("2 kings", "'X'", "3 rows of 3", "one piece", "4 rows of 4", "no puzzle"), start=2):
        assert results[number - 1]["error"].startswith(f"line {number}: ")
        assert words in results[number - 1]["error"]
    solved = ludus("solve", "solitaire-chess", "--file", str(file), "--json").document["results"]
    assert [row.get("solvable") for row in solved] == [True, *[None] * 5, True, True]
    assert [row.get("unique") for row in solved] == [True, *[None] * 5, False, True]


BAD = {  # a line, and what is said of it
    "KK2/1P2/4/4": "it has 2 kings",
    "N3/1X2/P3/4": "'X' is none of K Q R B N P",
    "N3/1B2/P3": "rows of",
    "N3/4/4/4": "one piece",
}


@pytest.mark.slow
@pytest.mark.parametrize("argv", [("puzzles",), ("solve", "solitaire-chess", "--quiet")], ids=lambda argv: argv[0])
@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.campaign)])
def test_a_long_file_is_answered_line_by_line(ludus, tmp_path: Path, argv: tuple[str, ...], count: int) -> None:
    """One sentence for each bad line, with its number, and an answer to every other."""
    good, bad = benchmark(), list(BAD)
    wrong = {number: bad[number // 7 % len(bad)] for number in range(7, count + 1, 7)}
    lines = [wrong.get(number, good[number % len(good)]) for number in range(1, count + 1)]
    (file := tmp_path / "many.txt").write_text("\n".join(lines) + "\n")
    results = ludus(*argv, "--file", str(file), "--json").document["results"]
    assert len(results) == count
    for number, (line, result) in enumerate(zip(lines, results, strict=True), start=1):
        if number in wrong:
            assert result["error"].startswith(f"line {number}: ")
            assert BAD[line] in result["error"]
            assert "\n" not in result["error"]
        else:
            assert result["position"] == line
            assert len(result["final"]) == 2
    file.write_text("\n".join(lines[:30]) + "\n")
    shown = ludus(*argv, "--file", str(file)).out.splitlines()
    assert [line.startswith("line ") for line in shown] == ["error" in result for result in results[:30]]


ON_8X8 = ("--size", "8", "--rules", "solo")


@pytest.mark.campaign  # as tests/games/solitaire_chess/test_levels.py has it without the command
def test_twelve_pieces_on_8x8_under_solo_are_made_and_solved(ludus) -> None:
    made = ludus("puzzles", "--count", "2", "--level", "expert", "--pieces", "12", "--seed", "1", *ON_8X8, "--json")
    for puzzle in made.document["puzzles"]:
        assert sum(letter.isalpha() for letter in puzzle["position"]) == 12
        found = ludus("solve", "solitaire-chess", puzzle["position"], *ON_8X8, "--json").document
        assert (found["final"], found["explored"], found["unique"]) == (puzzle["final"], puzzle["explored"], True)
        assert len(found["moves"]) == 11
        movers: dict[str, int] = {}  # how often the piece on a square has captured
        for move in found["moves"]:
            movers[move[2:]] = movers.pop(move[:2], 0) + 1
            assert movers[move[2:]] <= 2


@pytest.mark.slow
def test_twelve_pieces_on_8x8_under_solo_are_proved_unsolvable(ludus) -> None:
    """All there is below is looked through: by the census, and by a search that remembers what failed."""
    position = "8/2K1NB2/4Q3/5NR1/2BBR1P1/2P2R2/8/8"
    found = ludus("solve", "solitaire-chess", position, *ON_8X8, "--table", "--json").document
    assert (found["solvable"], found["moves"], found["final"], found["gave_up"]) == (False, [], None, False)
    assert found["explored"] == found["positions"] == 46_562


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--level hard", "there is no level 'hard'; there are beginner, intermediate, advanced, expert."),
        ("--count 0", "--count goes from 1"),
        ("--count many", "'many' is not a whole number"),
        ("--seed -1", "--seed goes from 0"),
        ("--game hex", "hex makes no puzzles; solitaire-chess does."),
        ("--level expert --pieces 4", "a puzzle of level expert has at least 7 pieces, not 4."),
        ("--level expert --size 3", "a 3 x 3 board has no room for puzzles of level expert."),
        ("--level expert --benchmark", "give one of --level, --file and --benchmark."),
        ("--file nowhere.txt", "nowhere.txt"),
        ("--size 9", "size goes from 3 to 8"),
        ("--rules odd", "there are paper, solo"),
    ],
)
def test_what_is_refused(ludus, words: str, why: str) -> None:
    assert why in ludus("puzzles", *words.split()).refusal


def test_a_puzzle_is_solved_in_an_order(ludus, tmp_path: Path) -> None:
    found = ludus("solve", "solitaire-chess", GOOD, "--order", "baseline", "--json").document
    assert {"solvable", "moves", "final", "unique", "explored"} <= found.keys()
    assert (found["solvable"], found["final"], found["unique"], len(found["moves"])) == (True, ["K", "a1"], True, 6)
    other = ludus("solve", "solitaire-chess", GOOD, "--order", "random", "--json").document
    assert (other["final"], other["whole_tree"]) == (found["final"], found["whole_tree"])
    assert other["explored"] != found["explored"]
    with_table = ludus("solve", "solitaire-chess", GOOD, "--table", "--json").document
    assert (with_table["moves"], with_table["explored"] < found["explored"]) == (found["moves"], True)
    every = ludus("solve", "solitaire-chess", GOOD, "--all", "--json").document
    assert len({tuple(line) for line in every["all"]}) == every["solutions"] == 33
    assert found["moves"] in every["all"]
    tree = tmp_path / "tree.svg"
    shown = ludus("solve", "solitaire-chess", GOOD, "--tree", str(tree), "--moves")
    assert "a3b1  can be solved" in shown.out
    assert tree.read_text().count("<rect") == found["explored"] + 1


@pytest.mark.slow
def test_the_likeliest_line_is_followed_first(ludus, tmp_path: Path) -> None:
    words, tree = (
        ("solve", "solitaire-chess", GOOD, "--order", "solitaire-chess/best", "--best-first"),
        tmp_path / "t.svg",
    )
    found = ludus(*words, "--tree", str(tree), "--json").document
    assert (found["solvable"], found["final"], found["best_first"], found["table"]) == (True, ["K", "a1"], True, False)
    assert found["explored"] == len(found["moves"]) + 1 == 7
    assert tree.read_text().count("<rect") == found["explored"] + 1
    assert "the likeliest line first: 7 positions explored" in ludus(*words).out
    hopeless = ludus("solve", "solitaire-chess", "4/1BB1/1PB1/P2N", *words[3:], "--json").document
    assert (hopeless["solvable"], hopeless["explored"]) == (False, hopeless["whole_tree"])
    assert hopeless["at_random"] == hopeless["whole_tree"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (f"solitaire-chess {GOOD} --best-first", "name it with --order."),
        (f"solitaire-chess {GOOD} --best-first --order random", "name it with --order."),
        (f"solitaire-chess {GOOD} --best-first --order solitaire-chess/best --table", "leave out --table."),
        ("hex --best-first", "hex is no puzzle for one, so leave out --best-first."),
    ],
)
def test_a_search_that_cannot_go_by_likelihood_is_refused(ludus, words: str, why: str) -> None:
    assert why in ludus("solve", *words.split()).refusal


def test_what_cannot_be_solved_is_proved_so(ludus) -> None:
    found = ludus("solve", "solitaire-chess", "4/1BB1/1PB1/P2N", "--json").document
    assert (found["solvable"], found["moves"], found["final"], found["unique"]) == (False, [], None, False)
    assert found["explored"] == found["whole_tree"]
    assert "cannot be solved" in ludus("solve", "solitaire-chess", "4/1BB1/1PB1/P2N").out
