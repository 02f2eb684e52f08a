"""What comes of a command line."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

#: What a command says now and then on a machine that is slow or busy.
WAITING = re.compile(r" \(\d+ s so far\)$")


class Result(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; anything besides it is an error here."""
        assert (self.status, self.out.count("\n")) == (0, 1), self
        return json.loads(self.out)

    @property
    def refusal(self) -> str:
        """The one sentence on stderr of a command that was refused."""
        assert (self.status, self.out) == (2, ""), self
        said = [line for line in self.err.splitlines(keepends=True) if not WAITING.search(line)]
        assert len(said) == 1, self
        assert said[0].startswith("ludus: "), self
        assert said[0].endswith(".\n"), self
        return said[0].removeprefix("ludus: ").rstrip()
