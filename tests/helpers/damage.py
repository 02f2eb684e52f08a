"""Files as they may come back: with bits flipped, cut short, with parts lost, doubled or exchanged, or another's."""

from __future__ import annotations

import random


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The same bytes but for some damage; never just as they were."""
    found = data
    while found == data:
        found = _damage(data, chance)
    return found


def _damage(data: bytes, chance: random.Random) -> bytes:
    at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    match chance.randrange(8):
        case 0 | 1:  # what a disk or a cable does
            spoilt = bytearray(data)
            for _ in range(chance.choice((1, 1, 1, 2, 8))):
                spoilt[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            return bytes(spoilt)
        case 2:
            return data[:at]
        case 3:
            return data[:at] + data[to:]
        case 4:
            return data[:to] + data[at:]
        case 5:  # a block that was never written
            return data[:at] + bytes(to - at) + data[to:]
        case 6:
            return data[:at] + chance.randbytes(chance.choice((1, 20, 2000))) + data[at:]
        case _:  # two blocks exchanged
            length = min(chance.choice((1, 8, 64, 512)), len(data) // 2)
            one, two = sorted(chance.randrange(len(data) - length + 1) for _ in range(2))
            two = max(two, one + length)
            if two + length > len(data):
                return data[:at]
            return (
                data[:one]
                + data[two : two + length]
                + data[one + length : two]
                + data[one : one + length]
                + data[two + length :]
            )
