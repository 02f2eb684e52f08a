"""`ludus play`: hints and opinions, the rules, games saved and gone on with, and names that a folder has too."""

from __future__ import annotations

import functools
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from ludus.cli.shared.agents import load_player
from ludus.cli.shared.hints import GameHints
from ludus.core.game import Game
from ludus.core.line import Line
from ludus.games import guide
from ludus.games.hex.rules import Hex
from ludus.play import player
from ludus.play.batched import Batched
from ludus.play.player import Clock, Player, RandomPlayer
from ludus.play.selfplay import Policy
from ludus.play.thoughts import ActionRating
from ludus.truth import truth_of
from ludus.truth.sampled import Unsolved

HUMAN = ["--against", "human"]


class LastCells(Player):
    """An agent that likes the last cells best, and one that it cannot have most of all."""

    name, weights = "thinker", 0.5

    def batched(self, game: Game) -> Batched:
        return Batched(_last, self.weights)

    def expected(self, game: Game) -> ActionRating:
        return _rates(game)


def _last(weights: float) -> Policy:
    return lambda key, states: jnp.full(states.mover.shape, 8, jnp.int32)


@functools.cache
def _rates(game: Game) -> ActionRating:
    count = game.num_actions
    return lambda weights, state: weights * jnp.arange(count, dtype=jnp.float32) / count


@pytest.fixture
def hints() -> GameHints:
    return GameHints(Hex(size=3), "thinker", LastCells())


def line_at(position: str, size: int = 3) -> Line:
    game = Hex(size=size)
    return Line(game, game.parse(position))


# --- hints and opinions -------------------------------------------------------------------------------------


def test_a_hint_holds_the_value_and_says_so(ludus) -> None:
    shown = ludus("play", "hex", "--position", "BW./.../... b", *HUMAN, stdin="hint\n").out
    (said,) = [line for line in shown.splitlines() if "holds" in line]
    move, _, rest = said.partition(" ")
    assert rest == "holds the win, by the exact solution."
    line = line_at("BW./.../... b")
    answer: Any = truth_of(line.game).solve(line.state)
    assert move in answer.winning_moves


def test_where_all_is_lost_a_hint_says_that(ludus) -> None:
    shown = ludus("play", "hex", "--position", ".B./.../... w", *HUMAN, stdin="hint\n").out
    assert "holds the win" in shown  # b1 is no winning opening
    lost = ludus("play", "hex", "--position", ".../.B./... w", *HUMAN, stdin="hint\n").out
    assert "is as good as any: by the exact solution every move loses here." in lost


def test_without_truth_a_hint_is_what_the_agent_would_play(hints: GameHints, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.truth.truth_of", Unsolved)
    said = hints.hint(line_at(".../.../... b"))
    assert said == "c3 is what thinker would play; whether it is right is not known."
    opinion = hints.opinion(line_at(".../.../... b")).splitlines()
    assert opinion[0] == "The best moves, what thinker expects of them (-1 to 1):"
    assert [line.split() for line in opinion[1:3]] == [["c3", "+0.444"], ["b3", "+0.389"]]
    assert opinion[-1] == "  and 4 more"


def test_of_moves_that_hold_alike_the_hint_is_the_agents_favourite(
    hints: GameHints, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.truth.answers import MoveValue, Values

    moves = [MoveValue("a1", 1), MoveValue("b1", 1), MoveValue("c3", -1)]
    line = line_at(".../.../... b")
    found = Values(line.game, line.state, 1, moves)
    monkeypatch.setattr("ludus.cli.shared.hints._truth", lambda line, beat: (found, ""))
    assert hints.hint(line) == "b1 holds the win, by the exact solution."


def test_an_opinion_stands_beside_what_moves_are_worth(hints: GameHints) -> None:
    line = line_at(".../.../... b")
    answer: Any = truth_of(line.game).solve(line.state)
    said = hints.opinion(line).splitlines()
    assert (
        said[0]
        == "The best moves, what thinker expects of them (-1 to 1) and what they are worth by the exact solution:"
    )
    for row in said[1:-1]:
        move, _, value = row.split()
        assert (value == "win") == (move in answer.winning_moves)
    assert len(said) == 7


def test_only_legal_moves_are_thought_of(hints: GameHints) -> None:
    said = hints.opinion(line_at("..W/.B./..B w"))
    assert "c3" not in said
    assert " b3 " in said


def test_without_an_agent_an_opinion_is_what_moves_are_worth(ludus) -> None:
    shown = ludus("play", "hex", "--position", ".../.../... b", *HUMAN, stdin="opinion\n").out
    assert "The best moves, what they are worth by the exact solution:\n  b2  win\n" in shown


@pytest.mark.parametrize("word", ["hint", "opinion"])
@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["hex", "--size", "11", "--against", "random"], "random has no opinion of moves."),
    ],
)
def test_where_nothing_is_known_that_is_said_in_a_sentence(ludus, argv: list[str], why: str, word: str) -> None:
    shown = ludus("play", *argv, stdin=f"{word}\n")
    assert shown.status == 0
    (said,) = [line for line in shown.out.splitlines() if line.startswith(f"There is no {word}: ")]
    assert said.endswith(f"; {why}")


def test_a_stuck_puzzle_has_no_hint(ludus) -> None:
    stuck = ludus("play", "solitaire-chess", "--position", "N3/1B2/P3/4", stdin="b3a2\nhint\n").out
    assert "There is no move here; undo takes one back." in stuck


@pytest.mark.slow
def test_a_shipped_agent_has_an_opinion(ludus) -> None:
    shown = ludus("play", "hex", "--against", "hex/best-3", "--side", "black", stdin="opinion\nhint\n").out
    assert (
        "The best moves, what hex/best-3 expects of them (-1 to 1) and what they are worth by the exact solution:"
        in shown
    )
    assert "b2 holds the win" in shown


def test_one_program_serves_every_seed_and_move() -> None:
    for seed in (0, 7, 2**32 - 1):
        for line in (line_at(".../.B./... w"), line_at(".../.../... b")):
            assert LastCells().move(line, Clock.at(line, seed)) == 8
    program: Any = player._one_game(Hex(size=3), _last)
    assert program._cache_size() == 1


# --- the rules ----------------------------------------------------------------------------------------------


def test_the_rules_are_told_at_the_table(ludus) -> None:
    assert guide("hex") in ludus("play", "hex", "--size", "2", *HUMAN, stdin="rules\n").out


# --- saved games --------------------------------------------------------------------------------------------


def test_a_saved_game_is_gone_on_with(ludus, tmp_path: Path) -> None:
    file = tmp_path / "my game.txt"
    argv = ["play", "hex", "--size", "3", "--against", "random", "--seed", "1", "--side", "black"]
    shown = ludus(*argv, stdin=f"b2\nsave {file}\n").out
    moves = ludus(*argv, "--json", stdin="b2\n").document["moves"]
    command = file.read_text().splitlines()[0].removeprefix("# Go on with: ")
    assert f"Saved {file}. {command} goes on with it." in shown
    assert shlex.split(command)[-4:] == ["--against", "random", "--side", "black"]
    again = ludus(*shlex.split(command)[1:], "--json").document
    assert (again["moves"], again["start"], again["side"], again["options"]["size"]) == (
        moves,
        ".../.../... b",
        "black",
        3,
    )
    back = ludus("play", "hex", "--load", str(file), *HUMAN, "--json", stdin="undo\nundo\n").document
    assert back["moves"] == []


def test_a_game_is_loaded_at_the_table(ludus, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    argv = ["play", "hex", "--size", "3", *HUMAN]
    ludus(*argv, stdin=f"a1\nb1\nsave {file}\nc1\n")
    loaded = ludus(*argv, "--json", stdin=f"b2\nload {file}\nc3\n").document
    assert loaded["moves"] == ["a1", "b1", "c3"]
    alone = ["play", "solitaire-chess", "--position", "N3/1B2/P3/4"]
    ludus(*alone, stdin=f"a2b3\nsave {file}\n")
    assert file.read_text().startswith("# Go on with: ludus play solitaire-chess --load ")
    solved = ludus("play", "solitaire-chess", "--load", str(file), "--json", stdin="b3a4\n").document
    assert (solved["result"], solved["start"]) == ("solved", "N3/1B2/P3/4")


def test_a_foreign_or_damaged_file_is_a_sentence_and_the_game_goes_on(ludus, tmp_path: Path) -> None:
    files = {
        "another": "game hex size=4 swap=False\nstart ..../..../..../.... b\nmoves 0\n",
        "damaged": "game hex size=3 swap=False\nstart .../.../... b\nmoves 2\n1 black b2\n",
        "foreign": "Dear diary,\n",
        "binary": "\0\x01",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin").write_bytes(b"\xff\xfe game")
    (tmp_path / "folder").mkdir()
    names = [*files, "latin", "folder", "nowhere"]
    typed = "".join(f"load {tmp_path / name}\n" for name in names)
    played = ludus("play", "hex", "--size", "3", *HUMAN, "--json", stdin=f"a1\n{typed}load\nb1\n")
    assert played.document["moves"] == ["a1", "b1"]
    assert "is a game of hex size=4 swap=False, not hex size=3 swap=False; ludus play hex --load" in played.err
    assert "it says that it has '2' moves, and has 1." in played.err
    assert played.err.count("is not a game that Ludus has saved.") == 3
    assert played.err.count("cannot read") == 2
    assert "name the file of a saved game" in played.err


def test_saving_writes_over_a_saved_game_and_nothing_else(ludus, tmp_path: Path) -> None:
    diary, game = tmp_path / "diary.txt", tmp_path / "game.txt"
    diary.write_text("precious")
    lines = [f"save {game}", "a1", f"save {game}", f"save {diary}", "save", f"save {tmp_path}", f"save {tmp_path}/no/x"]
    shown = ludus("play", "hex", "--size", "2", *HUMAN, stdin="\n".join(lines)).out
    assert diary.read_text() == "precious"
    assert game.read_text().endswith("moves 1\n1 black a1\n")
    assert sorted(tmp_path.iterdir()) == [diary, game]
    assert shown.count("is there already, and is not a saved game; try another name.") == 1
    assert shown.count("cannot write") == 2
    assert "name a file, like save game.txt." in shown


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        ("hex --load nowhere.txt", "cannot read 'nowhere.txt': No such file or directory"),
        ("hex --load {file} --position ../..", "give --position or --load, not both"),
        ("lgame --load {file}", "is a game of hex, not lgame; ludus play hex --load {file} goes on with it."),
        ("hex --load {file} --size 4", "is a game of hex size=3 swap=False; leave out the options that say otherwise."),
        (
            "hex --load {file} --against hex/best-4",
            "'hex/best-4' plays hex size=4 swap=False, and '{file}' is",
        ),
        ("hex --load {file} --layout standard", "hex has no option 'layout'"),
    ],
)
def test_what_cannot_be_gone_on_with_is_refused(ludus, tmp_path: Path, argv: str, why: str) -> None:
    file = tmp_path / "game.txt"
    file.write_text("game hex size=3 swap=False\nstart .../.../... b\nmoves 1\n1 black b2\n")
    assert why.format(file=file) in ludus("play", *argv.format(file=file).split()).refusal
    assert why.format(file=file) in ludus("play", *argv.format(file=file).split(), "--json").refusal


def test_options_that_a_saved_game_has_may_be_said_again(ludus, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("game hex size=3 swap=False\nstart .../.../... b\nmoves 1\n1 black b2\n")
    document = ludus("play", "hex", "--load", str(file), "--size", "3", "--against", "random", "--json").document
    assert (document["moves"], document["side"]) == (["b2"], "white")


# --- names that a folder has too ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "human", "perfect"])
def test_a_built_in_name_is_never_a_folders(ludus, tmp_path: Path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text('{"game": "lgame", "options": {"cap": 100}, "recipe": {}}')
    shown = ludus("play", "hex", "--size", "2", "--against", name, "--json", stdin="")
    assert shown.document["against"] == name
    first, *_ = shown.err.splitlines()
    assert first == f"ludus: '{name}' is the built-in player; the folder of that name is ./{name}."
    assert shown.err.count("built-in") == 1
    assert "plays lgame, not hex" in ludus("play", "hex", "--size", "2", "--against", f"./{name}").refusal


def test_so_it_is_in_a_match(ludus, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random").mkdir()
    assert ludus("match", "random", "random", "--game", "hex", "--size", "2", "--games", "2", "--json").err == ""
    (tmp_path / "random" / "config.json").write_text("{}")
    played = ludus("match", "random", "random", "--game", "hex", "--size", "2", "--games", "2", "--json")
    assert played.document["games"] == 2
    assert played.err.count("the folder of that name is ./random.") == 1


# --- the first question comes soon --------------------------------------------------------------------------


def test_nothing_of_an_opponent_is_compiled_before_it_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jax.jit", lambda *_: pytest.fail("compiled"))
    assert isinstance(load_player("random", Hex(size=3)), RandomPlayer)
    assert load_player("human", Hex(size=3)) is None
    assert load_player("hex/best-3", Hex(size=3)) is not None


def test_an_agent_that_learned_from_a_table_plays_without_it(ludus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.truth.tabular.as_table", lambda game: pytest.fail("the table takes seconds"))
    shown = ludus("play", "lgame", stdin="")
    assert "You are A, against lgame/best." in shown.out
    assert shown.out.endswith("A to move> \nGoodbye.\n")


def test_random_needs_no_agents(ludus) -> None:
    loaded = "print('ludus.agents.find' in sys.modules)"
    program = f"import sys; from ludus.cli import main; main(['play', 'abalone', '--against', 'random']); {loaded}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, input="")
    assert "against random." in done.stdout
    assert done.stdout.endswith("\nFalse\n")
