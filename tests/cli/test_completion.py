"""`ludus completion`: scripts that shells take, and that know the commands and their options."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ludus.cli import COMMANDS
from ludus.cli.completion import SHELLS


@pytest.mark.parametrize("shell", SHELLS)
def test_it_knows_every_command(ludus, shell: str) -> None:
    script = ludus("completion", shell).out
    for word in (*COMMANDS, "openings", "recipe", "layout"):
        assert word in script
    assert script.endswith("\n")


def test_what_is_refused(ludus) -> None:
    assert "there is no completion for 'csh'; there is for bash, zsh" in ludus("completion", "csh").refusal
    assert "SHELL" in ludus("completion").refusal


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["ludus", "tour"], ["tournament"]),
        (["ludus", "match", "random", "random", "--open"], ["--openings"]),
        (["ludus", "solve", "lgame", "--mo"], ["--moves"]),
    ],
)
def test_bash_completes_with_it(ludus, tmp_path: Path, words: list[str], wanted: list[str]) -> None:
    script = tmp_path / "ludus.bash"
    script.write_text(ludus("completion", "bash").out)
    typed = " ".join(words)
    asked = f"source {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _ludus; echo ${{COMPREPLY[@]}}"
    process = subprocess.run(["bash", "--norc", "-c", asked], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.split() == wanted


@pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
def test_zsh_takes_it(ludus, tmp_path: Path) -> None:
    script = tmp_path / "ludus.zsh"
    script.write_text(ludus("completion", "zsh").out)
    asked = f"autoload -U compinit && compinit -D && source {script} && print $_comps[ludus]"
    process = subprocess.run(["zsh", "-f", "-c", asked], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (0, "_cyclopts_ludus\n")
