"""Runs that commands begin: their folders, and how they go on after they were stopped."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from ludus.core.text import shown
from ludus.runs.run_info import CONFIG


def resume_command(folder: Path) -> str:
    return shlex.join(["ludus", "train", "--resume", str(folder)])


def say_stopped(folder: Path) -> None:
    """Say on stderr how a run goes on, if it has begun."""
    if (folder / CONFIG).exists():
        print(f"\nStopped. Go on with: {shown(resume_command(folder))}", file=sys.stderr, flush=True)
