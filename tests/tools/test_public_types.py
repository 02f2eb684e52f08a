"""What the check of the public face makes of pyright's report. That the face passes it, `make lint` says."""

from __future__ import annotations

from typing import Any

import pytest
from public_types import PUBLIC, faults


def report(*symbols: dict[str, Any], modules: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "modules": [{"name": name} for name in (*PUBLIC, "ludus.core.bits", "ludus.web.app", *modules)],
        "symbols": list(symbols),
    }


def symbol(name: str, known: bool = False, exported: bool = True, *messages: str) -> dict[str, Any]:
    found = [{"message": message} for message in messages]
    return {"name": name, "isTypeKnown": known, "isExported": exported, "diagnostics": found}


@pytest.mark.parametrize(
    "name", ["ludus.game", "ludus.face.Player.move", "ludus.core.bits.Bits", "ludus.core.game.Game.init"]
)
def test_a_public_name_of_unknown_type_is_told(name: str) -> None:
    assert list(faults(report(symbol(name, False, True, "Return type\n  is partially unknown")))) == [
        f"{name}: Return type is partially unknown"
    ]
    assert list(faults(report(symbol(name)))) == [f"{name}: a type that it is made of is not known"]


def test_other_names_are_left_alone() -> None:
    known, within = symbol("ludus.game", known=True), symbol("ludus.face.inner", exported=False)
    assert not list(faults(report(known, within, symbol("ludus.web.app.FILES"))))


def test_a_face_that_was_not_found_is_no_face_that_passes() -> None:
    assert list(faults({"modules": [], "symbols": []})) == [
        f"{name}: pyright has not found this module" for name in PUBLIC
    ]
