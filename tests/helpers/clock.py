"""Where the tests' time goes: what JAX takes to make programs, what started processes take, what the rest is."""

from __future__ import annotations

import collections
import resource
from typing import Any

import pytest
from jax import monitoring

#: JAX's events, and what they are called here. Reading the cache is a part of compiling.
EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "tracing",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lowering",
    "/jax/core/compile/backend_compile_duration": "compiling",
}


class Clock:
    """A pytest plugin: each process counts for itself, the first one adds up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys(EVENTS.values(), 0.0)
        self.programs = 0
        self.of_others: list[dict[str, Any]] = []
        monitoring.register_event_duration_secs_listener(self.heard)

    def heard(self, event: str, duration_secs: float, **_: Any) -> None:
        if part := EVENTS.get(event):
            self.seconds[part] += duration_secs
            self.programs += part == "compiling"

    def spent(self) -> dict[str, Any]:
        own, started = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return {
            "seconds": dict(self.seconds),
            "programs": self.programs,
            "processor": own.ru_utime + own.ru_stime,
            "started": started.ru_utime + started.ru_stime,
        }

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
        parts = collections.Counter[str]()
        for row in rows:
            parts.update(row["seconds"])
        made = sum(parts.values())
        own, started = (sum(row[name] for row in rows) for name in ("processor", "started"))
        told = ", ".join(f"{part} {parts[part]:.0f} s" for part in EVENTS.values())
        programs = sum(row["programs"] for row in rows)
        terminalreporter.write_line(
            f"processes {len(rows)}: {own:.0f} s of processor time, of which XLA programs ({programs:,}): {told} "
            f"({made:.0f} s by the clock); processes that tests started: {started:.0f} s"
        )
