"""Games by name and options, and what the registry says of each; a bad name or option is refused in a sentence."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator

import pytest
from helpers.cases import options_of
from helpers.nim import Nim
from helpers.text import one_line, read_or_refuse, refusal
from hypothesis import given
from hypothesis import strategies as st

from ludus import games
from ludus.core.game import Game
from ludus.games import entry, former_name, make_game, names, part, shipped, shipped_folder
from ludus.games.hex.rules import Hex
from ludus.truth import truth_of

each_game = pytest.mark.parametrize("name", names())
PARTS = ("protocol", "reference", "twin", "features", "evaluation", "truth", "recipes", "paper", "peers", "demo")


@each_game
def test_a_game_is_found_by_its_name(name: str) -> None:
    assert type(make_game(name)) is part(name, "rules")
    assert make_game(name).name == name


def test_options_that_are_not_given_are_the_defaults() -> None:
    assert make_game("hex", size=None, swap=True) == Hex(swap=True)
    assert make_game("hex", size=5).describe() == "hex size=5 swap=False"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chess", {}, "there is no game 'chess'; there are "),
        ("hex", {"layout": "standard"}, "hex has no option 'layout'; its options are size, swap."),
        ("lgame", {"size": 4}, "lgame has no option 'size'; "),
        ("hex", {"size": 20}, "hex: size goes from 2 to 19, so it cannot be 20."),
        ("abalone", {"layout": "x"}, "abalone has no layout 'x'; "),
        ("solitaire-chess", {"rules": "x"}, "solitaire-chess has no rules 'x'; there are paper, solo."),
    ],
)
def test_a_bad_name_or_option_is_refused(name: str, options: dict, message: str) -> None:
    assert refusal(make_game, name, **options).startswith(message)


@given(st.text(max_size=20).filter(one_line))
def test_any_name_is_found_or_refused(name: str) -> None:
    assert read_or_refuse(make_game, name) is None or name in names()
    read_or_refuse(lambda layout: make_game("abalone", layout=layout), name)
    read_or_refuse(lambda rules: make_game("solitaire-chess", rules=rules), name)


@given(st.integers())
def test_any_size_is_taken_or_refused(size: int) -> None:
    for name, sizes in (("hex", range(2, 20)), ("solitaire-chess", range(3, 9))):
        game = read_or_refuse(lambda _, name=name: make_game(name, size=size, pieces=_pieces(name)), "")
        assert (game is not None) == (size in sizes)


def _pieces(name: str) -> int | None:
    return 2 if name == "solitaire-chess" else None


@pytest.mark.parametrize(("name", "options"), [("he\nx", {}), ("abalone", {"layout": "a\nb"})])
def test_a_name_of_two_lines_is_refused_in_one(name: str, options: dict) -> None:
    refusal(make_game, name, **options)


@pytest.mark.parametrize("name", ["lgame", "abalone"])
@pytest.mark.parametrize("cap", [0, -1])
def test_a_game_of_no_plies_is_refused(name: str, cap: int) -> None:
    refusal(make_game, name, cap=cap)


# --- entries and the games they speak of --------------------------------------------------------------------


@each_game
def test_the_options_of_an_entry_are_the_fields_of_the_game(name: str) -> None:
    fields = {field.name: field.default for field in dataclasses.fields(part(name, "rules"))}
    assert entry(name).defaults == fields
    assert [type(option.default) for option in entry(name).options] == [*map(type, fields.values())]


@each_game
def test_an_entry_says_of_a_game_what_the_game_says_of_itself(name: str) -> None:
    game, known = make_game(name), entry(name)
    assert type(game).entry is known
    assert game.num_actions == known.actions
    assert (game.name, game.seats, game.num_players) == (known.name, known.seats, len(known.seats))
    assert make_game(name, **game.options()) == game
    assert known.about.endswith(".")
    assert all(option.help.endswith(".") for option in known.options)


@each_game
def test_an_entry_lists_the_agents_that_need_no_training(name: str) -> None:
    found = [truth_of(make_game(name, **options)).solvers for options in options_of(name)]
    assert set().union(*found) == set(entry(name).solvers)


@each_game
def test_every_part_is_where_the_entry_says(name: str) -> None:
    assert issubclass(part(name, "rules"), Game)
    for kind in PARTS:
        assert (part(name, kind) is None) == (getattr(entry(name), kind) is None)
    assert part(make_game(name), "reference") is part(name, "reference")
    assert shipped_folder(name).parent.name == name.replace("-", "_")


def test_rules_that_no_room_has_have_no_parts() -> None:
    assert part(Nim(), "truth") is None


@each_game
def test_agents_that_come_with_a_game_are_listed_by_it(name: str) -> None:
    assert all(
        (shipped_folder(name) / agent.removeprefix(f"{name}/") / "config.json").is_file() for agent in shipped(name)
    )
    assert set(shipped(name)) == {agent for agent in shipped() if agent.startswith(f"{name}/")}


def test_what_was_renamed_is_known_by_its_former_name() -> None:
    assert former_name("neurohex") == "negamax"
    assert former_name("dqn") == "dqn"


def test_the_registry_needs_no_jax() -> None:
    """So that `ludus --help` and the refusal of a bad option are quick."""
    program = (
        "import sys; from ludus.games import entry, names, shipped; "
        "[entry(name).check(**entry(name).defaults) for name in names()]; shipped(); "
        "print([heavy for heavy in ('jax', 'numpy', 'numba') if heavy in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# --- games of other packages --------------------------------------------------------------------------------


@pytest.fixture
def other_packages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Entry points as if packages were installed that bring a game, one of our names, and games that do not load."""
    points = {
        "nim": "helpers.odd_nim:ENTRY",
        "hex": "helpers.odd_nim:ENTRY",
        "lost": "no.such.module:ENTRY",
        "misnamed": "helpers.odd_nim:ENTRY",
        "nonsense": "helpers.odd_nim:OddNim",
    }
    found = [importlib.metadata.EntryPoint(name, where, games.GROUP) for name, where in points.items()]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: found if group == games.GROUP else [])
    games.rooms.cache_clear()
    games.entry.cache_clear()
    yield
    monkeypatch.undo()
    games.rooms.cache_clear()
    games.entry.cache_clear()


@pytest.mark.usefixtures("other_packages")
def test_another_package_adds_a_game_and_cannot_take_a_name_or_break_the_others() -> None:
    assert names() == [*games.ROOMS, "nim"]
    assert make_game("nim", heap=9).describe() == "nim heap=9"
    assert make_game("hex") == Hex()
    assert "cannot be loaded from 'no.such.module:ENTRY'" in refusal(entry, "lost")
    for name in ("misnamed", "nonsense"):
        assert f"is not the entry of a game called '{name}'" in refusal(entry, name)
    assert refusal(entry, "go") == f"there is no game 'go'; there are {', '.join(games.ROOMS)}, nim."
