"""Packages of other people's that bring a game, installed by hand as pip would."""

from __future__ import annotations

import shutil
from pathlib import Path

GROUP = "ludus.games"
NOUGHTS = Path(__file__).parents[1] / "cli" / "plugin" / "noughts"


def metadata(site: Path, package: str, point: str) -> None:
    """What pip leaves of a package beside its code."""
    folder = site / f"{package}-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text(f"[{GROUP}]\n{point}\n")


def install_noughts(site: Path) -> None:
    shutil.copytree(NOUGHTS, site / "noughts", ignore=shutil.ignore_patterns("__pycache__"))
    metadata(site, "noughts", "noughts = noughts:ENTRY")
