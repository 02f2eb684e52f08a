"""`ludus completion`."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from ludus.errors import BadInput, shorten

SHELLS = ("bash", "zsh", "fish", "powershell")


def completion(shell: Annotated[str, Parameter(help=f"Yours: {', '.join(SHELLS)}.")], /) -> None:
    """Print a script that makes your shell complete commands and options.

    For example, in the file that your shell reads when it starts:

        source <(ludus completion bash)
        source <(ludus completion zsh)
        ludus completion fish | source
    """
    from ludus.cli import app

    if shell not in SHELLS:
        raise BadInput(f"there is no completion for '{shorten(shell)}'; there is for {', '.join(SHELLS)}.")
    known: Any = shell
    script = app.generate_completion(shell=known)
    if shell == "zsh" and "\ncompdef " not in script:  # else it only works as a file of zsh's function folder
        script = f"{script.rstrip()}\n\ncompdef _cyclopts_ludus ludus\n"
    print(script, end="")
