"""What comes of a command line."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


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
        assert self.err.startswith("ludus: "), self
        assert self.err.endswith(".\n"), self
        assert len(self.err.splitlines()) == 1, self
        return self.err.removeprefix("ludus: ").rstrip()
