"""The command: what it refuses, and with what it begins."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.cli import main
from ludus.web.serve import _listen


def test_a_port_that_is_taken_is_a_clear_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--no-open", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"ludus: port {port} cannot be had")
    assert f"http://127.0.0.1:{port}/" in said
    assert f"--port {port + 1 if port < 65535 else port - 1}" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--port", "70000"], "--port goes from 0 to 65535"),
        (["--port", "x"], "--port"),
        (["--patience", "0"], "--patience goes from 1 to 1000"),
        (["--patience", "nan"], "--patience goes from 1 to 1000"),
        (["--runs", __file__], "is a file; name a folder of runs."),
        (["--play", "nobody"], "--play 'nobody' is no run in 'runs'"),
        (["--play", "random"], "--play 'random' is no run"),
        (["--play", "/etc"], "--play '/etc' is no run"),
    ],
)
def test_what_cannot_be_served_is_refused(argv: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--no-open", *argv]) == 2
    assert sentence in capsys.readouterr().err


def test_an_agent_can_wait_at_the_table(tmp_path: Path) -> None:
    from ludus.web.serve import _address

    assert _address("hex/best-5", tmp_path) == "?view=play&game=hex&o.size=5&o.swap=False&p1=hex%2Fbest-5"
    run = tmp_path / "deep" / "mine"
    run.mkdir(parents=True)
    (run / "config.json").write_text('{"game": "lgame", "options": {"cap": 100}, "recipe": {}}')
    assert _address(str(run), tmp_path) == "?view=play&game=lgame&o.cap=100&p1=run%3Adeep%2Fmine"


def test_the_help_and_the_page_itself_need_no_jax() -> None:
    code = "import sys; import ludus.web.app, ludus.web.serve; print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_no_answer_waits_for_the_network_to_fill_a_packet() -> None:
    """Head and body are sent apart, each at once: otherwise the second waits 40 ms for the first to be acknowledged."""
    found: list[int] = []

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            taken = transport.get_extra_info("socket")
            found.append(taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            transport.close()

    async def connect() -> None:
        with _listen(0) as listener:
            server = await asyncio.get_running_loop().create_server(Server, sock=listener)
            async with server:
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                await reader.read()
                writer.close()

    asyncio.run(connect())
    assert found == [1]
