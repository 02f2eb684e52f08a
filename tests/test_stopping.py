"""The laws of leaving by a signal, in processes that have loaded nothing else: status, silence, and nobody left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does it")

LIMIT = 120  # seconds, on a machine however busy
#: A process that says when it listens, and is then deaf to all that is raised in its main thread.
DEAF = """
import os, signal, sys, time
from ludus import stopping

def say():
    {words}

class Taken(stopping.Handler):
    def handle(self, number):
        print("taken", number, flush=True)
        return True

stopping.at_last(lambda: print("last", flush=True))
{before}
stopping.listen()
with {answer}:
    print("now", flush=True)
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass
"""


class Begun:
    """A process, up to its line "now"."""

    def __init__(self, answer: str = "stopping.Handler()", words: str = "pass", before: str = "", **options) -> None:
        script = DEAF.format(answer=answer, words=words, before=before)
        self.process = subprocess.Popen(
            [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        assert self.line() == "now\n"

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def tell(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out, err


@pytest.fixture
def begin() -> Iterator[type[Begun]]:
    made: list[Begun] = []

    class Kept(Begun):
        def __init__(self, *arguments: str, **options) -> None:
            super().__init__(*arguments, **options)
            made.append(self)

    yield Kept
    for each in made:
        each.process.kill()
        each.process.communicate()


@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_each_signal_ends_it_with_the_status_that_a_shell_reports(begin: type[Begun], name: str, status: int) -> None:
    process = begin()
    process.tell(getattr(signal, name))
    assert process.end() == (status, "last\n", "")


@pytest.mark.parametrize(("words", "said"), [("print('bye')", "bye\nlast\n"), ("1 / 0", "last\n")])
def test_the_innermost_answer_that_has_words_says_them(begin: type[Begun], words: str, said: str) -> None:
    process = begin("stopping.Handler(lambda: print('outer')), stopping.Handler(say), stopping.Handler()", words)
    process.tell(signal.SIGTERM)
    assert process.end() == (143, said, "")


def test_who_asks_twice_does_not_wait_for_the_last_words(begin: type[Begun]) -> None:
    """But what would be left running is ended all the same."""
    process = begin("stopping.Handler(say)", "print('stuck', flush=True); time.sleep(600)")
    process.tell(signal.SIGINT)
    assert process.line() == "stuck\n"
    process.tell(signal.SIGINT)
    assert process.end() == (130, "last\n", "")


def test_last_words_that_never_end_are_waited_for_a_while(begin: type[Begun]) -> None:
    """SIGTERM comes only once."""
    process = begin("stopping.Handler(say)", "time.sleep(600)", "stopping.PATIENCE = 0.1")
    process.tell(signal.SIGTERM)
    assert process.end() == (143, "last\n", "")


def test_work_that_takes_it_goes_on_and_is_not_asked_twice(begin: type[Begun]) -> None:
    process = begin("Taken()")
    process.tell(signal.SIGINT)
    assert process.line() == f"taken {int(signal.SIGINT)}\n"
    assert process.process.poll() is None
    process.tell(signal.SIGTERM)
    assert process.end() == (143, "last\n", "")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_what_was_ignored_from_the_beginning_stays_ignored(begin: type[Begun], name: str) -> None:
    """As by nohup, and in the background of a shell's script; the others are heard."""
    number = getattr(signal, name)
    process = begin(before=f"signal.signal(signal.{name}, signal.SIG_IGN)")
    process.tell(number)
    other = signal.SIGTERM if number != signal.SIGTERM else signal.SIGINT
    process.tell(other)
    assert process.end() == (128 + other, "last\n", "")


def test_where_a_person_is_waited_for_it_is_raised_once() -> None:
    """And again heard by the thread afterwards: a second one ends the process."""
    script = """
import os, signal, time
from ludus import stopping
stopping.listen()
try:
    with stopping.Raised():
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(600)
except KeyboardInterrupt as told:
    print(told.number, flush=True)
with stopping.Raised():
    pass
os.kill(os.getpid(), signal.SIGHUP)
while True:
    time.sleep(600)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (129, "15\n", "")


def test_when_the_work_is_done_nothing_changes_how_it_ended() -> None:
    script = """
import os, signal, time
from ludus import stopping
stopping.listen()
stopping.done()
for number in stopping.SIGNALS:
    os.kill(os.getpid(), number)
time.sleep(0.2)  # a thread that listened still would have ended it
print("whole")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")


def test_nothing_is_loaded_before_it_is_listened() -> None:
    """Until then Ctrl-C is Python's, which prints a traceback: that is to be short."""
    script = """
import os, signal, sys, time
before = set(sys.modules)
import ludus.__main__
print(*sorted(set(sys.modules) - before))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["__future__", "ludus", "ludus.__main__", "ludus.stopping", "ludus.version"]


#: At this import the process sends itself a signal, and waits for its end there.
AT_AN_IMPORT = """
import os, signal, sys, time

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{signal})
            time.sleep(600)

sys.meta_path.insert(0, Finder())
from ludus.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("module", "name", "status"),
    [
        ("ludus.cli", "SIGINT", 130),
        ("cyclopts", "SIGTERM", 143),
        ("ludus.games.lgame", "SIGINT", 130),  # what fails there is a refusal
        ("numpy", "SIGHUP", 129),
        ("jax._src.core", "SIGINT", 130),
        ("numba", "SIGINT", 130),
    ],
)
def test_a_signal_while_something_is_imported(module: str, name: str, status: int) -> None:
    """Whatever is half imported, nobody takes it for a module that is missing, and nobody prints where it was."""
    script = AT_AN_IMPORT.format(module=module, signal=name)
    argv = [sys.executable, "-c", script, "solve", "hex", "--size", "6"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=LIMIT)
    assert (done.returncode, done.stdout, done.stderr) == (status, "", "")
