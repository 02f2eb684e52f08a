"""A real browser, if there is one: Debian's Chromium, driven by Playwright; and a server in a process of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

MISSING = "no Chromium is here, so the browser tests are left out; 'apt-get install chromium' brings one"
PATIENCE = 300  # seconds for Debian's packages to come
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """The one that is here. As root under CI, Debian's is installed first."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    asked = os.environ.get("CI") == "true" and hasattr(os, "geteuid") and os.geteuid() == 0
    if found is None and asked and shutil.which("apt-get"):
        quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"]):
            with contextlib.suppress(subprocess.TimeoutExpired):  # no packages to be had: left out, and said
                null = subprocess.DEVNULL
                subprocess.run(["apt-get", *words], env=quiet, check=False, stdout=null, timeout=PATIENCE)
        found = shutil.which("chromium")
    return found


def tell() -> None:
    """For `make test`, before the tests: has one installed where it may be, and says so where there is none."""
    if chromium() is None:
        print(f"Note: {MISSING}.", file=sys.stderr)


class Served:
    """`ludus serve` on a port of its own; it can be killed and started again."""

    def __init__(self, folder: Path, **environment: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.url = folder, f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | environment
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "ludus", "serve", "--no-open", "--port", str(self.port), "--patience", "20"]
        self.log = open(self.folder / "server.log", "ab")  # noqa: SIM115, it is closed with the server
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=self.log, stderr=self.log, env=self.environment
        )
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(self.said())

    def kill(self) -> None:
        """As a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.log.close()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.log.close()

    def said(self) -> str:
        return (self.folder / "server.log").read_text(errors="replace")


if __name__ == "__main__":
    tell()
