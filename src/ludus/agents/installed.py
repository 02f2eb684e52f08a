"""Whether what others wrote is there: programs that are started, modules that are imported. Neither is done here."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from ludus import games as registry
from ludus.errors import BadInput, shorten


def refuse_program(name: str, program: str, game: str | None) -> None:
    """Refuse a program that is not installed, or any program if the game has no text protocol."""
    if game is not None and registry.entry(game).protocol is None:
        raise BadInput(f"there is no text protocol for {game}, so '{shorten(name)}' cannot play it.")
    if "\0" in name or shutil.which(program) is None:
        raise BadInput(f"there is no program '{shorten(program)}' to start for '{shorten(name)}'.")


def refuse_module(name: str, module: str) -> None:
    """Refuse a module that is neither in the working folder nor installed."""
    package, here = module.partition(".")[0], os.getcwd()
    importlib.invalidate_caches()  # the file may be new
    sys.path.insert(0, here)  # as `python -m` looks for it
    try:
        found = package in sys.modules or importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        found = False
    finally:
        sys.path.remove(here)
    if not found:
        where = "here or among the installed packages"
        raise BadInput(f"there is no module '{shorten(package)}' for '{shorten(name)}', {where}.")
