"""Strict numerics for every test, hypothesis the same on every machine, and little compiled twice."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import helpers.flags
import helpers.shapes  # noqa: F401  both before anything of Ludus
import jax
import pytest
from helpers.clock import Clock
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

from ludus.core import cache

# A shell's script starts what it runs in the background deaf to interrupts; here they are heard, however it began.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# And under nohup: the tests themselves stay deaf, the processes that they start are not.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")
# Most of the time goes into compiling: the tests' own process compiles for that, not for speed. The commands that they
# start as processes of their own compile as everybody's do.
jax.config.update("jax_disable_most_optimizations", True)
# What was compiled once on this machine is not compiled again, in this checkout or another: kept beside the user's own
# cache. Processes that tests start find it by the variable. Most programs take less than JAX's least time to be kept.
if "LUDUS_CACHE" not in os.environ and (kept := cache.folder()) is not None:
    os.environ["LUDUS_CACHE"] = str(kept.with_name("ludus-tests"))
jax.config.update("jax_compilation_cache_dir", os.fspath(cache.place("jax", "tests") or ""))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)

# Compilation makes single examples slow; examples that depend on luck would make a red build hard to repeat.
settings.register_profile("ludus", deadline=None, derandomize=True, database=None, max_examples=200)
settings.load_profile("ludus")


#: Files by how long they take, as a run says at its end; the others follow as they come.
LONGEST: tuple[str, ...] = (
    "browser/test_page.py",
    "browser/test_playing.py",
    "browser/test_puzzles.py",
    "browser/test_understanding.py",
    "cli/test_engines.py",
    "cli/test_plugin.py",
    "training/test_train_searching.py",
    "learners/test_td.py",
    "browser/test_games.py",
    "learners/test_alphazero.py",
    "games/abalone/test_paper_games.py",
    "web/test_fuzz.py",
    "games/test_perft.py",
    "cli/test_solve.py",
    "training/test_train_full.py",
    "cli/test_htp.py",
    "search/alphabeta/test_search.py",
    "learners/test_learner.py",
    "games/test_laws.py",
    "cli/test_background.py",
    "games/solitaire_chess/test_levels.py",
    "learners/test_batch.py",
    "training/test_train.py",
    "cli/test_ladder_command.py",
    "play/test_host_batch.py",
    "study/test_reproduce.py",
    "cli/test_main.py",
    "search/test_compiled.py",
    "agents/test_alphabeta.py",
    "agents/test_tree_search.py",
    "learners/test_afterstate.py",
)


class ByCase(LoadScopeScheduling):
    """With -n, a file goes to one process, where its tests share compiled code; what is parametrised over games goes
    by game (the id up to a colon).
    """

    def _split_scope(self, nodeid: str) -> str:
        path, _, case = nodeid.partition("[")
        shared = path.startswith(("tests/games/test_laws.py", "tests/games/test_perft.py"))
        file = path.partition("::")[0]
        return f"{file}[{case.rstrip(']').partition(':')[0]}]" if shared else file


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByCase:
    return ByCase(config, log)


MORE = 4 << 30  # bytes by which a process of the tests may grow before it forgets what it has compiled
least = [0]  # bytes that it took when it had forgotten


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What JAX has compiled stays in memory for good: 8 GB a process by the end. The next file rarely needs it."""
    if nextitem is not None and nextitem.path != item.path and memory() > least[0] + MORE:
        jax.clear_caches()
        least[0] = memory()


def memory() -> int:
    """Bytes of this process in memory; none where that cannot be read."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clock())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that none is begun last, when the other process has nothing left to do."""
    place = {name: order for order, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0].removeprefix("tests/"), len(place)))
