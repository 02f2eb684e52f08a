"""Files that are put in place whole or not at all, and manifests that vouch for them. Here is no JAX: a list of runs
needs none.

A file is written beside its place, forced to disk and renamed into it. After a power cut an entry of a folder may be
there only if the folder was forced to disk too, so that is done wherever an entry is made. A manifest vouches for the
tensors beside it by their length and SHA-256, and a seal vouches for the manifest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ludus.errors import BadInput

FORMAT = 1


def write_file(path: Path, data: bytes) -> None:
    """Put a file in place whole or not at all, and on the disk before this returns."""
    beside = path.with_name(f".{path.name}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):  # on a full disk, half a file takes the room of others
            beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened, and a rename is left to the system
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def make_folder(path: Path) -> None:
    """A folder and what is missing above it, each on the disk as an entry of the one above before this returns."""
    missing = [at for at in (path, *path.parents) if not at.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for at in missing or [path]:  # one that is there already may have been made by a process that was killed
        with contextlib.suppress(PermissionError):  # to make an entry there one need not be allowed to look
            sync_folder(at.parent)


def sync_file(path: Path) -> None:
    """What was added to a file is on the disk before this returns; it is made if it is not there."""
    with open(path, "ab") as file:
        os.fsync(file.fileno())


def remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"'{path}' cannot be read: {error.strerror}.") from error


def read_object(path: Path) -> dict[str, Any]:
    data = read_bytes(path)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:  # the latter of brackets in brackets in brackets
        raise BadInput(f"'{path}' is damaged: it is not JSON.") from error
    if not isinstance(value, dict):
        raise BadInput(f"'{path}' is damaged: it is not a JSON object.")
    return value


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file, each an object; a last line without an end is still being written, and left out."""
    *lines, _ = read_bytes(path).split(b"\n")
    try:
        rows = [json.loads(line) for line in lines]
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError
    except (ValueError, RecursionError) as error:
        raise BadInput(f"'{path}' is damaged: a line of it is not a JSON object.") from error
    return rows


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pretty_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, default=_plain, allow_nan=False) + "\n").encode()


def _plain(value: Any) -> Any:
    """Arrays and their scalars as lists and numbers, for JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be written as JSON")


# --- manifests ------------------------------------------------------------------------------------------------


def manifest_of(path: Path) -> Path:
    return path.with_suffix(".json")


def seal_of(manifest: dict[str, Any]) -> str:
    """A hash of all that a manifest says, so that an edit shows whatever it touched."""
    return sha256(json.dumps(manifest, sort_keys=True).encode())


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a tensor file, once it is known to be as it was written; the tensors are not looked at."""
    at = manifest_of(path)
    manifest = read_object(at)
    seal = manifest.pop("seal", None)
    if manifest.get("format") != FORMAT:
        raise BadInput(f"'{at}' has format {manifest.get('format')}, and this version of ludus reads {FORMAT}.")
    if seal != seal_of(manifest):
        raise BadInput(f"'{at}' was changed after it was written: its seal does not fit.")
    return manifest


def check_length(path: Path, manifest: dict[str, Any], length: int) -> None:
    if length != manifest["bytes"]:
        raise BadInput(f"'{path}' has {length} bytes where its manifest says {manifest['bytes']}.")
