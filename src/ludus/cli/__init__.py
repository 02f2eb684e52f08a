"""The command line. Each command is a module or package of its own here, loaded when it is called; what commands share
is in `shared`. To add a command, add its name to `COMMANDS`.

A command prints text for people, or with `--json` exactly one JSON document on stdout. A fault in what was typed is one
sentence on stderr and exit status 2. JAX is not imported before a command needs it, so that `ludus --help` is instant.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from ludus import stopping
from ludus.cli.shared.explain import explain, one_line
from ludus.core.cache import keep_jax_programs  # not the module: the command `cache` has its name
from ludus.core.text import PLAIN
from ludus.errors import BadInput
from ludus.version import __version__

COMMANDS = (
    "games",
    "rules",
    "play",
    "serve",
    "htp",
    "solve",
    "puzzles",
    "train",
    "runs",
    "eval",
    "match",
    "tournament",
    "ladder",
    "reproduce",
    "perft",
    "bench",
    "demo",
    "cache",
    "completion",
)
#: The command that is another package's: named here, and not imported.
SHELLS = {"serve": "ludus.web.serve:serve"}
#: Exit statuses. The last is what a shell reports for SIGPIPE.
BAD_INPUT, CLOSED_PIPE = 2, 141

app = App(
    name="ludus",
    help="Board-game agents that learn by playing themselves, graded against the truth.\n\nStart with: ludus demo",
    version=f"ludus {__version__}",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)
for place, command in enumerate(COMMANDS):
    app.command(SHELLS.get(command, f"ludus.cli.{command}:{command}"), name=command, sort_key=place)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit status."""
    if argv is None:  # under a shell, and not in a test
        stopping.listen()
    argv = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show a character gets a plain one
            stream.reconfigure(errors="replace" if stream is sys.stdin else PLAIN)
    keep_jax_programs()
    try:
        if not argv or argv[0].startswith("-"):
            app.resolved_commands()  # the list of commands shows the first line of each docstring
        app(argv, print_error=False, exit_on_error=False, result_action="return_value")
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where the error of a closed pipe is caught
        stopping.done()
    except (BadInput, CycloptsError) as error:
        message = explain(error, COMMANDS) if isinstance(error, CycloptsError) else str(error)
        print(f"ludus: {one_line(message)}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt as told:
        status = stopping.status_of(getattr(told, "number", signal.SIGINT))
        if stopping.listens():
            stopping.leave(status)  # without unwinding, as XLA may still be at work
        return status
    except SystemExit as left:  # Rich ends the help so when the pipe is closed, and has redirected stdout
        return CLOSED_PIPE if left.code else 0
    except BrokenPipeError:
        # Python flushes stdout once more at its end, which would fail again: redirect it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return CLOSED_PIPE
    except MemoryError:
        print("ludus: there is not enough memory for this; ask for less, or end other programs.", file=sys.stderr)
        return BAD_INPUT
    except OSError as error:  # a full disk, a deleted folder: what a command could not foresee
        with contextlib.suppress(OSError):  # do not try again to print what stdout did not take
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        where = f" '{error.filename}'" if error.filename else " what was to be printed"
        print(f"ludus: {one_line(f'cannot write or read{where}: {error.strerror or error}.')}", file=sys.stderr)
        return BAD_INPUT
    return 0
