"""What a game gets for nothing when it states its rules: tried on a game that states no more than it must."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from helpers.cases import cases, reference_of
from helpers.text import refusal
from jaxtyping import Array, Bool, Float, Int

from ludus.core.game import Game, afterstates, legal_actions, select
from ludus.errors import BadInput
from ludus.games import GAMES, make_game
from ludus.play import selfplay
from ludus.play.perft import perft


class State(NamedTuple):
    heap: Int[Array, ""]
    mover: Int[Array, ""]


@dataclass(frozen=True)
class Nim(Game[State]):
    """Take one or three from a heap (actions 0 and 2; 1 is never legal). Who takes the last wins."""

    heap: int = 6

    name: ClassVar[str] = "nim"
    num_players: ClassVar[int] = 2
    seats: ClassVar[tuple[str, ...]] = ("first", "second")
    num_actions = 3  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    max_plies = 20  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]

    def init(self) -> State:
        return State(np.int32(self.heap), np.int32(0))  # pyright: ignore[reportArgumentType]

    def step(self, state: State, action: Int[Array, ""]) -> State:
        return State(state.heap - action - 1, 1 - state.mover)

    def player(self, state: State) -> Int[Array, ""]:
        return state.mover

    def legal(self, state: State) -> Bool[Array, "3"]:
        return jnp.stack([state.heap >= 1, jnp.zeros_like(state.heap, bool), state.heap >= 3])

    def done(self, state: State) -> Bool[Array, ""]:
        return state.heap == 0

    def returns(self, state: State) -> Float[Array, "2"]:
        lost = jnp.where(state.mover == 0, jnp.float32(-1), jnp.float32(1)) * self.done(state).astype(jnp.float32)
        return jnp.stack([lost, -lost])

    def observe(self, state: State) -> Float[Array, "1"]:
        return state.heap.astype(jnp.float32)[None]

    def symmetries(self, state: State) -> tuple[State, Int[Array, "1 3"]]:
        return jax.tree.map(lambda leaf: leaf[None], state), jnp.arange(3, dtype=jnp.int32)[None]

    def parse(self, text: str) -> State:
        if not text.isdecimal():
            raise BadInput(f"nim position '{text}': it should be a number.")
        return State(np.int32(int(text)), np.int32(0))  # pyright: ignore[reportArgumentType]

    def format(self, state: State) -> str:
        return str(int(state.heap))

    def format_move(self, state: State, action: int) -> str:
        return f"take{action + 1}"

    def why_not(self, state: State, move: str) -> str:
        return "take one or three"

    def draw(self, state: State) -> str:
        return "o" * int(state.heap)

    def svg(self, state: State) -> str:
        return "<svg/>"


NIM = Nim()


def test_moves_are_counted_and_numbered_from_the_mask() -> None:
    state = NIM.parse("5")
    assert int(jax.jit(NIM.num_legal)(state)) == 2
    assert [int(jax.jit(NIM.nth_legal)(state, np.int32(n))) for n in (0, 1)] == [0, 2]
    assert legal_actions(NIM, state) == [0, 2]
    assert legal_actions(NIM, NIM.parse("2")) == [0]
    assert legal_actions(NIM, NIM.parse("0")) == []


def test_moves_are_read_without_regard_to_case() -> None:
    assert NIM.parse_move(NIM.parse("3"), " Take3 ") == 2
    assert refusal(NIM.parse_move, NIM.parse("2"), "take3") == "nim move 'take3': take one or three."


@pytest.mark.slow
def test_afterstates_are_padded_to_the_limit() -> None:
    after = afterstates(NIM, jax.tree.map(jnp.asarray, NIM.parse("5")))
    assert after.valid.tolist() == [True, True, False]
    assert after.actions.tolist()[:2] == [0, 2]
    assert after.states.heap.tolist()[:2] == [4, 2]
    assert afterstates(NIM, jax.tree.map(jnp.asarray, NIM.parse("5")), limit=1).states.heap.tolist() == [4]


def test_lines_are_counted() -> None:
    """Lines of ones and k threes that take six or fewer."""
    expected = [sum(math.comb(depth, k) for k in range(depth + 1) if depth + 2 * k <= 6) for depth in range(8)]
    assert [perft(NIM, NIM.init(), depth) for depth in range(8)] == expected


def test_it_plays_itself() -> None:
    games = jax.jit(lambda key: selfplay.play(NIM, selfplay.random_policy(NIM), key, 50))(jax.random.key(0))
    plies = np.asarray(games.plies)
    assert set(plies.tolist()) <= {2, 4, 6}  # six is even, and so is the number of odd numbers that add up to it
    assert np.asarray(games.returns).tolist() == [[-1, 1]] * 50


def test_it_has_a_name_a_value_and_one_form() -> None:
    assert NIM.describe() == "nim heap=6"
    assert Nim(heap=6) == NIM
    state = NIM.init()
    assert NIM.canonical(state) == state
    assert NIM.sample(jax.random.key(0)) == state
    assert int(NIM.canonical_action(state, jnp.int32(2))) == 2


def test_select_takes_one_state_or_the_other() -> None:
    one, two = (jax.tree.map(jnp.asarray, NIM.parse(text)) for text in ("1", "2"))
    assert [int(select(jnp.bool_(flag), one, two).heap) for flag in (True, False)] == [1, 2]


def test_a_game_in_the_registry_is_held_to_the_laws_and_needs_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "nim", Nim)
    assert make_game("nim", heap=9) == Nim(heap=9)
    [case] = [case for case in cases() if case.values[0].name == "nim"]
    assert case.values == (NIM,)
    assert not case.marks
    with pytest.raises(pytest.fail.Exception, match=r"the game 'nim', but there is no ludus\.reference\.nim"):
        reference_of(NIM)
