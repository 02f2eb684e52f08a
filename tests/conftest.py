"""Strict numerics for every test, hypothesis the same on every machine, and little compiled twice."""

from __future__ import annotations

from typing import Any

import jax
import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_numpy_dtype_promotion", "strict")

# Compilation makes single examples slow; examples that depend on luck would make a red build hard to repeat.
settings.register_profile("ludus", deadline=None, derandomize=True, database=None, max_examples=200)
settings.load_profile("ludus")


class ByCase(LoadScopeScheduling):
    """With -n, what is parametrised over games goes to one process by game (the id up to a colon), where it shares
    compiled code.
    """

    def _split_scope(self, nodeid: str) -> str:
        path, _, case = nodeid.partition("[")
        shared = path.startswith(("tests/test_laws.py", "tests/test_perft.py"))
        return f"{path.partition('::')[0]}[{case.rstrip(']').partition(':')[0]}]" if shared else nodeid


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByCase:
    return ByCase(config, log)
