"""`ludus play`: whole games by script, what is refused, and what can be asked for on the way."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.cli.play.background import Background
from ludus.cli.play.session import GameSession
from ludus.core.line import Line
from ludus.games import entry, names
from ludus.play.player import Clock, RandomPlayer, no_beat

EJECT = "..bbw/....../......./......../bbbbbbb../......../......./wwwwww/ww... b"
SCRIPTS = {
    "lgame": (["--position", ".BBB/...B/A.nn/AAA. A"], "a2a3b3c3+c2b1", "A"),
    "hex": (["--size", "2"], "a1 b1 a2", "black"),
    "abalone": (["--position", EJECT], "i7i8", "black"),
    "solitaire-chess": (["--position", "N3/1B2/P3/4"], "Pa2xb3 b3a4", "solved"),
}
WORDS = ("moves", "history", "undo", "redo", "hint", "opinion", "rules", "position", "svg", "save", "load", "resign")


def test_there_is_a_script_for_every_game() -> None:
    assert set(SCRIPTS) == set(names())


@pytest.mark.slow
@pytest.mark.parametrize("game", SCRIPTS)
def test_a_whole_game(ludus, game: str) -> None:
    options, moves, result = SCRIPTS[game]
    two = [] if game == "solitaire-chess" else ["--against", "human"]
    stdin = "a refused move\n" + moves.replace(" ", "\n") + "\nnever read\n"
    played = ludus("play", game, *options, *two, stdin=stdin)
    assert played.status == 0
    assert played.out.rstrip().endswith("0 hints." if result == "solved" else f"{result} wins.")
    assert ("Solved.\nScore 20: 2 captures, 0 undos" in played.out) == (result == "solved")
    assert f"{game} move 'a refused move': " in played.out
    assert "\x1b" not in played.out
    document = ludus("play", game, *options, *two, "--json", stdin=stdin).document
    assert document["result"] == result
    assert document["returns"][0] == 1
    assert len(document["moves"]) == len(moves.split())


@pytest.mark.slow
@pytest.mark.parametrize("game", ["lgame", "hex", "abalone"])
def test_against_random_the_seed_decides(ludus, game: str) -> None:
    second_seat = entry(game).seats[1]
    argv = ["play", game, "--against", "random", "--seed", "5", "--side", second_seat.upper(), "--json"]
    first, second = ludus(*argv).document, ludus(*argv).document
    assert first == second
    assert len(first["moves"]) == 1
    assert (first["against"], first["side"], first["result"]) == ("random", second_seat, None)


def test_an_opponent_is_warmed_while_somebody_at_a_terminal_looks_at_the_board(ludus, monkeypatch) -> None:
    warmed = []

    def warm(player: RandomPlayer, line: Line, clock: Clock) -> None:
        warmed.append((line.game.format(line.state), len(line.actions), clock.seed))

    monkeypatch.setattr(RandomPlayer, "warm", warm)
    monkeypatch.setattr(Background, "start", lambda background, work: work(no_beat))
    play = ("play", "hex", "--size", "2", "--against", "random", "--seed", "5")
    ludus(*play, tty=True)
    assert warmed == [("../.. b", 0, 5)]
    ludus(*play, stdin="a1\n")  # nobody looks
    ludus(*play, "--side", "white", tty=True)  # it moves at once
    assert len(warmed) == 1


def test_random_plays_to_the_end(ludus) -> None:
    cells = "\n".join(["a1", "b1", "a2", "b2"] * 2)  # those that are taken are refused, and asked for again
    argv = ["play", "hex", "--size", "2", "--against", "random"]
    for seed in range(4):
        document = ludus(*argv, "--seed", str(seed), "--json", stdin=cells).document
        assert document["result"] in ("black", "white")
        assert document["moves"][0] == "a1"


@pytest.mark.slow
def test_the_game_is_the_one_a_trained_opponent_has_learned(ludus) -> None:
    document = ludus("play", "hex", "--against", "hex/best-3", "--json", stdin="a1\n").document
    assert document["start"] == ".../.../... b"
    assert len(document["moves"]) == 2
    agreed = ludus("play", "hex", "--size", "3", "--against", "hex/best-3", "--json", stdin="a1\n").document
    assert agreed["moves"] == document["moves"]
    assert "hex/best-3" in ludus("play", "hex", "--size", "4", "--against", "hex/best-3").refusal
    assert "3 rows" in ludus("play", "hex", "--position", "../.. b", "--against", "hex/best-3").refusal
    assert "plays hex, not lgame" in ludus("play", "lgame", "--against", "hex/best-3").refusal


def test_the_side_to_move_is_yours(ludus) -> None:
    assert ludus("play", "hex", "--position", "../.B w", "--json").document["side"] == "white"


def test_a_position_that_comes_back_is_a_tie(ludus) -> None:
    moves = "c3d3\ng5f5\nd3c3\nf5g5\nnever read\n"
    document = ludus("play", "abalone", "--against", "human", "--json", stdin=moves).document
    assert (document["result"], document["returns"], len(document["moves"])) == ("tie", [0, 0], 4)
    assert document["position"] == document["start"]


def test_the_ply_cap_ends_a_game(ludus, nim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nim, "max_plies", 2)
    played = ludus("play", "nim", "--against", "human", stdin="take1\ntake1\ntake1\n").out
    assert played.rstrip().endswith("The game stops after 2 moves. It is a tie.")


def test_a_stuck_puzzle_may_be_taken_back(ludus) -> None:
    stuck = "b3a2\nundo\na2b3\nb3a4\n"
    played = ludus("play", "solitaire-chess", "--position", "N3/1B2/P3/4", stdin=stuck)
    assert "No move is left, and it is not solved." in played.out
    assert "Solved.\nScore 18: 2 captures, 1 undo, 0 hints." in played.out
    given_up = ludus("play", "solitaire-chess", "--position", "N3/1B2/P3/4", "--json", stdin="b3a2\n").document
    assert given_up["result"] == "unsolved"


def test_puzzles_are_numbered_by_seed(ludus) -> None:
    starts = [ludus("play", "solitaire-chess", "--seed", n, "--json").document["start"] for n in "112"]
    assert starts[0] == starts[1] != starts[2]
    again = ludus("perft", "solitaire-chess", "0", "--position", starts[2], "--json").document
    assert again["position"] == starts[2]


def test_undo_takes_back_the_reply_too(ludus) -> None:
    argv = ["play", "hex", "--size", "3", "--seed", "1"]
    assert "There is no move of yours to take back." in ludus(*argv, stdin="undo\n").out
    document = ludus(*argv, "--against", "random", "--json", stdin="a1\nundo\nb2\nundo\n").document
    assert (document["moves"], document["position"]) == ([], document["start"])
    two = ludus(*argv, "--against", "human", "--json", stdin="a1\nb1\nundo\nc1\n").document
    assert two["moves"] == ["a1", "c1"]
    white = ludus(*argv, "--side", "white", "--json", stdin="undo\n").document
    assert len(white["moves"]) == 1


def test_what_was_taken_back_can_be_played_again_with_its_answer(ludus) -> None:
    argv = ["play", "hex", "--size", "3", "--seed", "1", "--against", "random", "--json"]
    once = ludus(*argv, stdin="a1\nc3\n").document["moves"]
    assert len(once) == 4
    assert ludus(*argv, stdin="a1\nc3\nundo\nundo\nredo\n").document["moves"] == once[:2]
    assert ludus(*argv, stdin="a1\nc3\nundo\nundo\nredo\nredo\n").document["moves"] == once
    shown = ludus(*argv, stdin="a1\nundo\nb1\nredo\n")
    assert "There is no move to play again" in shown.err
    assert shown.document["moves"][0] == "b1"


def test_history_tells_who_played_what(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = ["play", "hex", "--size", "3", "--against", "human"]
    assert "No move has been made yet." in ludus(*argv, stdin="history\n").out
    assert "> history\n1. black a1  2. white b1  3. black c3\n" in ludus(*argv, stdin="a1\nb1\nc3\nhistory\n").out
    monkeypatch.setenv("COLUMNS", "27")
    assert "> history\n1. black a1  2. white b1\n3. black c3\n" in ludus(*argv, stdin="a1\nb1\nc3\nhistory\n").out
    alone = ludus("play", "solitaire-chess", "--position", "N3/1B2/P3/4", stdin="a2b3\nhistory\n").out
    assert "> history\n1. a2b3\n" in alone


def test_who_resigns_has_lost(ludus) -> None:
    argv = ["play", "hex", "--size", "3", "--seed", "1"]
    alone = ludus(*argv, "--against", "random", stdin="a1\nresign\nnever read\n")
    assert alone.out.endswith("black to move> resign\nblack resigns. white wins.\n")
    document = ludus(*argv, "--against", "human", "--json", stdin="a1\nRESIGN\n").document
    assert (document["result"], document["returns"], document["resigned"]) == ("black", [1, -1], "white")
    puzzle = ludus("play", "solitaire-chess", "--position", "N3/1B2/P3/4", "--json", stdin="resign\n").document
    assert (puzzle["result"], puzzle["resigned"]) == ("unsolved", "player")


def test_the_record_says_what_was_played_and_how_it_ended(ludus) -> None:
    document = ludus("play", "hex", "--size", "3", "--against", "human", "--json", stdin="a1\n").document
    assert document["options"] == {"size": 3, "swap": False}
    assert (document["resigned"], document["interrupted"], document["result"]) == (None, False, None)


def test_an_interruption_leaves_the_record(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["a1", "b1"])

    def ask(session: GameSession, prompt: str) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(GameSession, "ask", ask)
    stopped = ludus("play", "hex", "--size", "3", "--against", "human", "--json")
    assert stopped.status == 130
    document = json.loads(stopped.out)
    assert (document["moves"], document["interrupted"], document["result"]) == (["a1", "b1"], True, None)
    answers = iter(["a1"])
    plain = ludus("play", "hex", "--size", "3", "--against", "human")
    assert (plain.status, "{" in plain.out) == (130, False)


@pytest.mark.slow
def test_ctrl_c_at_a_real_prompt_leaves_the_record() -> None:
    argv = [sys.executable, "-m", "ludus", "play", "hex", "--size", "2", "--against", "human", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True, bufsize=1) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdin.write("a1\n")
        seen = ""
        while not seen.endswith("white to move> "):
            letter = child.stderr.read(1)
            assert letter, seen
            seen += letter
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 130
        document = json.loads(child.stdout.read())
    assert (document["moves"], document["interrupted"]) == (["a1"], True)


def test_help_moves_and_position(ludus) -> None:
    shown = ludus("play", "hex", "--size", "2", stdin="help\nmoves\nposition\n\nQUIT\na1\n").out
    assert "black to move> moves\n" in shown  # what comes from a file is part of the record
    assert "such as a1" in shown
    assert "a1 b1 a2 b2" in shown
    assert "../.. b" in shown
    for word in WORDS:
        assert f"\n  {word} " in shown
    assert shown.rstrip().endswith("Goodbye.")


def test_the_end_of_input_ends_politely(ludus) -> None:
    played = ludus("play", "lgame", "--against", "human", stdin="")
    assert played.status == 0
    assert played.out.rstrip().endswith("Goodbye.")


def test_saves_a_picture_and_nothing_else(ludus, tmp_path: Path) -> None:
    good, bad = tmp_path / "board one.svg", tmp_path / "notes.txt"
    bad.write_text("precious")
    lines = [f"svg {good}", f"svg {bad}", "svg", f"svg {tmp_path}/no/where.svg", "svg ~nobody-at-all/x.svg"]
    shown = ludus("play", "hex", "--size", "2", stdin="\n".join(lines)).out
    assert good.read_text().startswith("<svg")
    assert bad.read_text() == "precious"
    assert sorted(tmp_path.iterdir()) == [good, bad]
    assert shown.count("ends in .svg") == 2
    assert shown.count("cannot write") == 2


@pytest.mark.slow
@given(st.lists(st.text(max_size=12) | st.text("abc123+ ", max_size=12), max_size=5))
@settings(max_examples=25)
@pytest.mark.parametrize("game", sorted(names()))
def test_whatever_is_typed_a_game_goes_on(ludus, game: str, lines: list[str]) -> None:
    against = ["--against", "random"] if len(entry(game).seats) > 1 else []
    played = ludus("play", game, *against, "--seed", "1", "--json", stdin="\n".join(lines))
    assert played.document["game"] == game
    assert played.document["start"]


def test_a_terminal_asks_with_input(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([("black", "a1"), ("white", "quit")])

    def answer(prompt: str) -> str:
        seat, text = next(answers)
        assert prompt == f"{seat} to move> "
        return text

    monkeypatch.setattr("builtins.input", answer)
    assert ludus("play", "hex", "--size", "3", "--against", "human", tty=True).out.rstrip().endswith("Goodbye.")
