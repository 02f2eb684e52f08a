"""Listeners are told what is compiled; of JAX's programs, those that were not in the cache."""

from __future__ import annotations

from ludus.core import compiling


def test_whoever_listens_is_told() -> None:
    one: list[str] = []
    two: list[str] = []
    with compiling.told(one.append):
        compiling.tell("a")
        with compiling.told(two.append):
            compiling.tell("b")
        compiling.tell("c")
    compiling.tell("d")
    assert (one, two) == (["a", "b", "c"], ["b"])


def test_programs_are_counted_that_were_not_kept() -> None:
    programs, told = compiling.Programs(), []
    with compiling.told(told.append):
        programs("/jax/compilation_cache/cache_hits")
        programs(compiling.MISSED)
        programs(compiling.MISSED, fun_name="jit(step)")
    assert told == ["1 program so far", compiling.OVER, "2 programs so far", compiling.OVER]
