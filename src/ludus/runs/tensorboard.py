"""Metrics for TensorBoard, without TensorBoard: its event files are simple enough to write by hand.

A file is a sequence of records. A record is a length, its checksum, a protocol-buffer message and its checksum.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ludus.runs.files import read_rows, write_file

#: TensorBoard looks for this in the name of a file.
FILE_NAME = "events.out.tfevents.0000000000.ludus"


class EventFile:
    """An event file in the folder `out`, for `tensorboard --logdir OUT`: it begins with the given rows, and takes more.

    Every number of a row is a curve; those in objects and lists are called `outer/inner`. A row's entry `step` is its
    place on the axis, or else its line number, from 0. Like the metrics, the events have no time.
    """

    def __init__(self, out: Path, rows: Iterable[dict[str, Any]], step: str = "step") -> None:
        self.path, self._step, self._rows = out / FILE_NAME, step, 0
        out.mkdir(parents=True, exist_ok=True)
        write_file(self.path, b"".join([_framed(_field(3, b"brain.Event:2")), *map(self._event, rows)]))

    def add(self, row: dict[str, Any]) -> None:
        """Append a row; TensorBoard can see it when this returns."""
        with open(self.path, "ab") as file:
            file.write(self._event(row))

    def _event(self, row: dict[str, Any]) -> bytes:
        summary = b"".join(
            _field(1, _field(1, tag.encode()) + b"\x15" + _float(value))  # Value: tag = 1, simple_value = 2
            for tag, value in _numbers(row)
            if tag != self._step
        )
        at = row.get(self._step)
        at = int(at) if isinstance(at, int | float) else self._rows
        self._rows += 1
        return _framed(b"\x10" + _varint(at) + _field(5, summary))  # Event: step = 2, summary = 5


def write_events(metrics_jsonl: Path, out: Path, step: str = "step") -> Path:
    """Turn a run's metrics into an event file."""
    return EventFile(out, read_rows(metrics_jsonl), step).path


def _numbers(value: Any, tag: str = "") -> Iterator[tuple[str, float]]:
    """Every number inside a row, with the path to it."""
    if isinstance(value, bool | int | float):
        yield tag, float(value)
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers(item, f"{tag}/{key}" if tag else str(key))


# --- protocol buffers and their framing ---------------------------------------------------------------------


def _varint(number: int) -> bytes:
    """Seven bits per byte, the lowest first; the high bit is set in all bytes but the last."""
    number &= (1 << 64) - 1
    groups = []
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])


def _float(number: float) -> bytes:
    with np.errstate(over="ignore"):  # a number too large for 32 bits becomes infinite
        return np.array(number, "<f4").tobytes()


def _field(number: int, content: bytes) -> bytes:
    """A string or a message inside a message: wire type 2."""
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _framed(message: bytes) -> bytes:
    length = struct.pack("<Q", len(message))
    return length + _checksum(length) + message + _checksum(message)


def _checksum(data: bytes) -> bytes:
    """Masked CRC-32C (rotated, plus a constant), as the format wants: the data may itself hold checksums."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


@functools.cache
def _crc_table() -> tuple[int, ...]:
    table = list(range(256))
    for _ in range(8):
        table = [crc >> 1 ^ (0x82F63B78 if crc & 1 else 0) for crc in table]
    return tuple(table)


def crc32c(data: bytes) -> int:
    table, crc = _crc_table(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
