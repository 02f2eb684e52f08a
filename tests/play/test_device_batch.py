"""Games in parts are the games as a whole, told as they end."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from helpers.players import batched

from ludus.games.hex.rules import Hex
from ludus.play import arena, device_batch

HEX = Hex(size=3)
KEY = jax.random.key(5)


@pytest.mark.parametrize("openings", [0, 2])
def test_games_in_parts_are_the_games_as_a_whole(monkeypatch: pytest.MonkeyPatch, openings: int) -> None:
    """In parts of four plies, which do not go into ten; the last batch has more lanes than there are games."""
    movers = batched(HEX, "random"), batched(HEX, "first")
    whole = arena.play_games(HEX, movers, 13, KEY, 7, openings)
    assert len(set(whole.plies.tolist())) > 2
    monkeypatch.setattr(device_batch, "PLIES", 4)
    told: list[int] = []
    parts = arena.play_games(HEX, movers, 13, KEY, 7, openings, lambda done, total: told.append(done))
    assert all(map(np.array_equal, jax.tree.leaves(parts), jax.tree.leaves(whole)))
    assert told == sorted(set(told))
    assert told[-1] == 13
    assert len(told) > 2  # more often than after each batch
