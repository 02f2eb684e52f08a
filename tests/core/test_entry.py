"""Options and entries: typed values are read, and bad ones refused in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.text import one_line, read_or_refuse, refusal
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.entry import Entry, Option, ply_cap

STONES = Option("stones", 5, "In the heap.", low=-3, high=12_000)
POLITE = Option("polite", False, "Whether one bows.")
STYLE = Option("style", "plain", "How it is played.", choices=("plain", "fancy"))
MOTTO = Option("motto", "none", "What is said.")
GO = Entry(
    name="go",
    about="Not that one.",
    room="nowhere",
    seats=("a", "b"),
    actions=3,
    rules="nowhere:Go",
    options=(STONES, POLITE, STYLE),
)
BARE = Entry(name="bare", about="Nothing to choose.", room="nowhere", seats=("a",), actions=1, rules="nowhere:Bare")


# --- reading ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "text", "value"),
    [
        (STONES, "7", 7),
        (STONES, "+7", 7),
        (STONES, "-3", -3),
        (STONES, "007", 7),
        (STONES, "999999", 999_999),  # read, though it will be refused
        (POLITE, "true", True),
        (POLITE, "FALSE", False),
        (STYLE, "fancy", "fancy"),
        (STYLE, "odd", "odd"),  # the same
        (MOTTO, "", ""),
    ],
)
def test_a_text_is_read_as_the_kind_of_the_default(option: Option, text: str, value: Any) -> None:
    found = option.read("go", text)
    assert found == value
    assert type(found) is type(option.default)


@pytest.mark.parametrize("text", ["", "two", "1.5", "1e3", " 7", "7 ", "--7", "+-7", "1_000", "٣", "9" * 19, "0x10"])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    message = refusal(STONES.read, "go", text)
    assert message.startswith("go: stones='")
    assert message.endswith("' is not a whole number.")


@pytest.mark.parametrize("text", ["", "yes", "1", "0", "truth", "none"])
def test_what_is_not_true_or_false_is_refused(text: str) -> None:
    assert refusal(POLITE.read, "go", text) == f"go: polite='{text}' is not true or false."


@given(st.text(max_size=30).filter(one_line))
def test_any_text_is_read_or_refused(text: str) -> None:
    for option in (STONES, POLITE, STYLE):
        found = read_or_refuse(lambda text, option=option: option.read("go", text), text)
        assert found is None or type(found) is type(option.default)


@given(st.integers(-(10**18) + 1, 10**18 - 1))
def test_every_whole_number_survives_text(number: int) -> None:
    assert STONES.read("go", str(number)) == number


def test_a_text_of_two_lines_is_refused_in_one() -> None:
    for option in (STONES, POLITE):
        refusal(option.read, "go", "a\nb")
    refusal(STYLE.check, "go", "a\nb")


# --- checking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value"),
    [(STONES, -3), (STONES, 0), (STONES, 12_000), (POLITE, True), (POLITE, False), (STYLE, "fancy"), (MOTTO, "any")],
)
def test_what_a_game_can_be_made_with_is_not_refused(option: Option, value: Any) -> None:
    option.check("go", value)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        (STONES, -4, "go: stones goes from -3 to 12,000, so it cannot be -4."),
        (STONES, 12_001, "go: stones goes from -3 to 12,000, so it cannot be 12001."),
        (STONES, 5.0, "go: stones is a whole number, not 5.0."),
        (STONES, "5", "go: stones is a whole number, not '5'."),
        (STONES, True, "go: stones is a whole number, not True."),
        (STONES, None, "go: stones is a whole number, not None."),
        (POLITE, 1, "go: polite is true or false, not 1."),
        (POLITE, "true", "go: polite is true or false, not 'true'."),
        (STYLE, 3, "go: style is a text, not 3."),
        (STYLE, "odd", "go has no style 'odd'; there are plain, fancy."),
    ],
)
def test_what_a_game_cannot_be_made_with_is_refused(option: Option, value: Any, message: str) -> None:
    assert refusal(option.check, "go", value) == message


@pytest.mark.parametrize("cap", [1, 40, 1_000_000])
def test_a_ply_cap_is_one_at_least(cap: int) -> None:
    option = ply_cap(40)
    assert (option.name, option.default) == ("cap", 40)
    option.check("go", cap)
    for bad in (0, -1, 1_000_001):
        assert refusal(option.check, "go", bad) == f"go: cap goes from 1 to 1,000,000, so it cannot be {bad}."


@pytest.mark.parametrize("name", ["two words", "a-b", "", "3d", "class"])
def test_an_option_has_a_name_that_a_field_can_have(name: str) -> None:
    with pytest.raises(ValueError, match="an option's name"):
        Option(name, 1, "Whatever.")


# --- entries ------------------------------------------------------------------------------------------------


def test_an_entry_knows_its_options_and_their_defaults() -> None:
    assert GO.defaults == {"stones": 5, "polite": False, "style": "plain"}
    assert GO.option("polite") is POLITE
    assert BARE.defaults == {}


@pytest.mark.parametrize(
    ("entry", "options", "message"),
    [
        (GO, {"size": 3}, "go has no option 'size'; its options are stones, polite, style."),
        (GO, {"stones": 5, "size": 3}, "go has no option 'size'; its options are stones, polite, style."),
        (BARE, {"size": 3}, "bare has no option 'size'; it has no options."),
        (GO, {"stones": -4}, "go: stones goes from -3 to 12,000, so it cannot be -4."),
        (GO, {"style": "fancy", "polite": 1}, "go: polite is true or false, not 1."),
    ],
)
def test_options_are_refused_by_an_entry(entry: Entry, options: dict[str, Any], message: str) -> None:
    assert refusal(entry.check, **options) == message
    assert refusal(entry.filled, options) == message
    for name in options:
        if name not in entry.defaults:
            assert refusal(entry.option, name) == message


def test_what_is_not_given_is_filled_with_defaults() -> None:
    given = {"polite": True}
    assert GO.filled(given) == {"stones": 5, "polite": True, "style": "plain"}
    assert given == {"polite": True}
    assert GO.filled({}) == GO.defaults
    assert BARE.filled({}) == {}
    GO.check()
    GO.check(**GO.defaults)


def test_an_agent_is_bound_to_what_is_not_free() -> None:
    tempo = Option("tempo", 3, "How fast.", free=True)
    entry = replace(GO, options=(STONES, tempo, ply_cap(40), ply_cap(40, free=True)))
    assert entry.binding({"stones": 7, "tempo": 1}) == {"stones": 7}
    assert entry.binding({"tempo": 1}) == {}
    assert GO.binding({"stones": 7, "polite": True}) == {"stones": 7, "polite": True}
    assert [option.free for option in entry.options] == [False, True, False, True]


@given(st.text(max_size=60))
def test_any_name_is_an_option_or_refused_in_one_sentence(name: str) -> None:
    found = read_or_refuse(GO.option, name)
    assert (found is None) == (name not in GO.defaults)
