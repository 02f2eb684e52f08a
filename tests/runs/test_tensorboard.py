"""TensorBoard event files, read back by the published format alone."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helpers.runs import CONFIG, refusal

from ludus.runs import run_folder, run_info, tensorboard


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not data[at - 1] & 0x80:
            return number, at


def read_message(data: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a protocol buffer, by the rules of its wire format."""
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        if tag & 7 == 0:
            value, at = read_varint(data, at)
        elif tag & 7 == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        else:
            assert tag & 7 == 5
            (value,), at = struct.unpack("<f", data[at : at + 4]), at + 4
        yield tag >> 3, value


def slow_crc32c(data: bytes) -> int:
    """Bit by bit, as division by the Castagnoli polynomial."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def read_events(path: Path) -> Iterator[dict[int, Any]]:
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack("<Q", data[at : at + 8])
        parts = (data[at : at + 8], data[at + 12 : at + 12 + length])
        sums = struct.unpack("<I", data[at + 8 : at + 12]) + struct.unpack("<I", data[at + 12 + length :][:4])
        for part, masked in zip(parts, sums, strict=True):
            rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
            assert (rotated >> 17 | rotated << 15) & 0xFFFFFFFF == slow_crc32c(part)
        yield dict(read_message(parts[1]))
        at += 16 + length


def test_crc32c_is_the_standard_one() -> None:
    assert tensorboard.crc32c(b"123456789") == 0xE3069283  # RFC 3720's check value


def test_metrics_become_events(tmp_path: Path) -> None:
    run = run_folder.create(tmp_path / "run", CONFIG)
    run.log({"step": 300, "loss": 0.25, "won": {"first": [1, 0.5]}, "name": "x", "none": None, "sure": True})
    run.log({"loss": 1e300, "n" * 200: -3})
    path = tensorboard.write_events(run.path / run_info.METRICS, tmp_path / "logs" / "run")
    assert "tfevents" in path.name
    head, *events = read_events(path)
    assert head == {3: b"brain.Event:2"}
    curves = [(event[2], {tag.decode(): number for tag, number in values(event[5])}) for event in events]
    assert curves == [
        (300, {"loss": 0.25, "won/first/0": 1.0, "won/first/1": 0.5, "sure": 1.0}),
        (1, {"loss": float("inf"), "n" * 200: -3.0}),
    ]


def test_events_are_there_as_soon_as_they_are_added(tmp_path: Path) -> None:
    events = tensorboard.EventFile(tmp_path / "logs", [{"games": 4, "loss": 1}], "games")
    for games in (8, 12):
        events.add({"games": games, "loss": games / 8})
        *_, last = read_events(events.path)
        assert (last[2], [number for _, number in values(last[5])]) == (games, [games / 8])
    live = events.path.read_bytes()
    # Whoever goes on has the rows so far, and the file is the same.
    more = tensorboard.EventFile(tmp_path / "logs", [{"games": 4, "loss": 1}, {"games": 8, "loss": 1}], "games")
    more.add({"games": 12, "loss": 1.5})
    assert events.path.read_bytes() == live


def values(summary: bytes) -> Iterator[tuple[bytes, float]]:
    for number, value in read_message(summary):
        assert number == 1
        fields = dict(read_message(value))
        yield fields[1], fields[2]


def test_metrics_that_are_none_are_refused(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(lambda: tensorboard.write_events(tmp_path / "no", tmp_path / "logs"))
    (tmp_path / "bad").write_text('{"a": 1}\n[]\n')
    assert "not a JSON object" in refusal(lambda: tensorboard.write_events(tmp_path / "bad", tmp_path / "logs"))
    assert not (tmp_path / "logs").exists()
