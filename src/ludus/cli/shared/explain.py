"""Errors of the command line parser, each as one sentence that says what is wrong and what would be right."""

from __future__ import annotations

from collections.abc import Sequence

from cyclopts import CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from ludus.core.text import shown
from ludus.errors import BadInput

KINDS = {bool: "true or false", float: "a number", int: "a whole number"}


def explain(error: CycloptsError, commands: Sequence[str]) -> str:
    """The sentence for an error of the parser."""
    command = " ".join(["ludus", *(error.command_chain or ())])
    unused = (error.unused_tokens or [""])[0]
    match error:
        case UnknownCommandError():
            what = "option" if unused.startswith("-") else "command"
            return f"there is no {what} '{unused}'; the commands are {', '.join(commands)}."
        case UnknownOptionError():
            known = [argument.name for argument in error.argument_collection if argument.name.startswith("--")]
            name = error.token.keyword or error.token.value
            return f"'{command}' has no option '{name}'; its options are {', '.join(known)}."
        case MissingArgumentError() if error.argument:
            name = error.keyword or error.argument.name
            what = f"{name} needs a value" if name.startswith("-") else f"'{command}' needs {name}"
            return f"{what}; see '{command} --help'."
        case CoercionError() if error.argument:
            name = error.argument.name
            if isinstance(error.__cause__, BadInput):  # from a converter of ours
                return f"{name} {error.__cause__}."
            value = error.token.value if error.token else ""
            return f"{name} '{value}' is not {KINDS.get(error.target_type, 'of the right kind')}."  # pyright: ignore[reportArgumentType, reportCallIssue]
        case RepeatArgumentError():
            return f"{error.token.keyword} can be given only once."
        case UnusedCliTokensError():
            return f"'{command}' has no use for '{unused}'; see '{command} --help'."
    error.verbose = False
    return str(error)


def one_line(text: str, limit: int = 600) -> str:
    """A message on one line, without control characters and not too long, whatever was typed into it."""
    flat = shown(" ".join(text.split()))
    return flat if len(flat) <= limit else f"{flat[: limit // 2]} ... {flat[-limit // 2 :]}"
