"""A program of others as a process: what it is asked, and how it ends."""

from __future__ import annotations

import sys
import threading

import pytest

from ludus.play import gtp_client
from ludus.play.gtp_client import Ended, NotStarted, Program

#: Answers with its arguments, one a command; then it ends.
ANSWERS = "import sys\nfor word in sys.argv[1:]:\n    input()\n    print(f'= {word}\\n', flush=True)"


def saying(*words: str) -> Program:
    return Program([sys.executable, "-c", ANSWERS, *words], 300)


def test_one_that_has_ended_is_started_anew_when_it_is_asked_again() -> None:
    made = saying("one")
    assert made.ask("name") == "one"
    with pytest.raises(Ended, match="ended with status 0 and did not answer 'version'"):
        made.ask("version")
    assert not made.runs
    assert made.ask("name") == "one"
    made.kill()


def test_what_cannot_be_started_says_so() -> None:
    with pytest.raises(NotStarted, match="cannot be started: No such file or directory"):
        Program(["/no/such/program"], 300).ask("name")


def test_when_this_process_is_about_to_end_no_program_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread may wait for an answer just then: it is not to take the end for a failure, and go on."""
    monkeypatch.setattr(gtp_client, "_starting", threading.Lock())
    asleep, heard = Program([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"], 300), []

    def ask() -> None:
        try:
            heard.append(asleep.ask("name"))
        except gtp_client.Trouble as trouble:
            heard.append(trouble)

    waits = threading.Thread(target=ask, daemon=True)
    waits.start()
    while not asleep.runs:
        assert waits.is_alive()
    gtp_client.kill_all()
    other = saying("one")
    barred = threading.Thread(target=lambda: heard.append(other.ask("name")), daemon=True)
    barred.start()
    for thread in (waits, barred):
        thread.join(1.0)
        assert (thread.is_alive(), heard) == (True, [])
    assert not other.runs
