"""Where the tests' time goes: what JAX takes to make programs, what started processes take, which files cost most."""

from __future__ import annotations

import collections
import resource
from collections.abc import Generator
from typing import Any, NamedTuple

import pytest
from jax import monitoring
from numba.core import event

#: JAX's events, and what they are called here. Reading the cache is a part of compiling.
EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compiling",
}
NUMBA = "Numba"
SHOWN = 10  # files


class Cost(NamedTuple):
    """Processor seconds of a test process, of the processes that its tests started, and XLA programs made."""

    own: float
    started: float
    programs: int

    def less(self, before: Cost) -> Cost:
        return Cost(self.own - before.own, self.started - before.started, self.programs - before.programs)

    def and_(self, more: Cost) -> Cost:
        return Cost(self.own + more.own, self.started + more.started, self.programs + more.programs)


NOTHING = Cost(0.0, 0.0, 0)


class Clock:
    """A pytest plugin: each process counts for itself, the first one adds up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys((*EVENTS.values(), NUMBA), 0.0)
        self.programs = 0
        self.files: dict[str, Cost] = {}
        self.of_others: list[dict[str, Any]] = []
        monitoring.register_event_duration_secs_listener(self.heard)
        self.numba = event.TimingListener()  # adds up what begins when nothing else is being compiled
        event.register("numba:compile", self.numba)

    def heard(self, event: str, duration_secs: float, **_: Any) -> None:
        if part := EVENTS.get(event):
            self.seconds[part] += duration_secs
            self.programs += part == "compiling"

    def cost(self) -> Cost:
        own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return Cost(own.ru_utime + own.ru_stime, started.ru_utime + started.ru_stime, self.programs)

    def spent(self) -> dict[str, Any]:
        """As plain values, which one process can send to another."""
        files = {name: tuple(cost) for name, cost in self.files.items()}
        self.seconds[NUMBA] = self.numba.duration if self.numba.done else 0.0
        return {"seconds": dict(self.seconds), "all": tuple(self.cost()), "files": files}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = self.cost()
        try:
            return (yield)
        finally:
            file = item.nodeid.partition("::")[0]
            self.files[file] = self.files.get(file, NOTHING).and_(self.cost().less(before))

    @pytest.hookimpl
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["spent"] = self.spent()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        if spent := getattr(node, "workeroutput", {}).get("spent"):  # one that crashed has nothing to say
            self.of_others.append(spent)

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        rows = self.of_others or [self.spent()]
        parts, files = collections.Counter[str](), dict[str, Cost]()
        total = NOTHING
        for row in rows:
            parts.update(row["seconds"])
            total = total.and_(Cost(*row["all"]))
            for name, cost in row["files"].items():
                files[name] = files.get(name, NOTHING).and_(Cost(*cost))
        costly = sorted(files.items(), key=lambda entry: -(entry[1].own + entry[1].started))
        shown = SHOWN if terminalreporter.config.option.durations is None else len(costly)
        terminalreporter.write_line("processor time by file (of processes that it started; XLA programs):")
        for name, cost in costly[:shown]:
            seconds = f"{cost.own + cost.started:7.1f} s ({cost.started:.1f}; {cost.programs:,})"
            terminalreporter.write_line(f"{seconds:>26} {name}")
        numba = parts.pop(NUMBA)
        told = ", ".join(f"{part} {parts[part]:.0f} s" for part in EVENTS.values())
        terminalreporter.write_line(
            f"processes {len(rows)}: {total.own:.0f} s of processor time, of which XLA programs ({total.programs:,}): "
            f"{told} ({sum(parts.values()):.0f} s by the clock), {NUMBA} {numba:.0f} s; "
            f"processes that tests started: {total.started:.0f} s"
        )
