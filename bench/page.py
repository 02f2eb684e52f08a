"""The page under load: so many simulated players for so long, and the figures of docs/page.md.

    python bench/page.py                        # starts a server of its own; 100 players, 120 s
    python bench/page.py --players 20 --seconds 30

They come one after the other in the first five seconds. Each plays at one of five tables by chance: asks whether its
move is legal (a position with all its legal moves), then lets an agent answer; a person thinks between moves, here a
second and a half on average. One player in ten sits opposite a search of half a second. A refusal, a failure or a
status other than 200 is an error. `load` is how many processes wanted a processor in the last 1, 5 and 15 minutes:
figures are for a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

TABLES: list[tuple[str, dict[str, Any], str]] = [
    ("lgame", {}, "lgame/best"),
    ("hex", {"size": 5}, "hex/best-5"),
    ("abalone", {}, "abalone/best"),
    ("solitaire-chess", {}, ""),
    ("hex", {"size": 11}, "random"),
]
SEARCH = ("abalone", {}, "alphabeta:0.5s")
DRAWN = {"start": "/", "play": "/?view=play&game=hex&o.size=5&moves=c3"}  # what is looked at in a browser
BOARD = "svg.board .stone"
SHIFTS = """window.shifted = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
THINKS = 1.5  # seconds, on average
ARRIVE = 5.0  # seconds over which the players come


class Player(threading.Thread):
    """One person and a browser."""

    def __init__(self, port: int, number: int, until: float, thinks: float) -> None:
        super().__init__(daemon=True)
        self.table = SEARCH if number % 10 == 9 else TABLES[number % len(TABLES)]
        self.chance, self.port, self.until, self.thinks = random.Random(number), port, until, thinks
        self.took: dict[str, list[float]] = {"validation": [], "network": [], "search": []}
        self.errors: list[str] = []

    def run(self) -> None:
        while time.monotonic() < self.until:
            try:
                self._game()
            except Exception as error:
                self.errors.append(repr(error))
                time.sleep(1)

    def _game(self) -> None:
        game, options, agent = self.table
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        said: dict[str, Any] = {"game": game, "options": options, "seed": self.chance.randrange(2**32), "moves": []}
        position = self._ask(link, "position", said, "validation")
        said["start"] = position["start"]
        while time.monotonic() < self.until and not position["over"]:
            time.sleep(self.chance.expovariate(1 / self.thinks))
            said["moves"] = [*said["moves"], self.chance.choice(position["legal"])]
            position = self._ask(link, "position", said, "validation")
            if agent and not position["over"]:
                kind = "search" if agent.startswith("alphabeta") else "network"
                said["moves"] = [*said["moves"], self._ask(link, "move", said | {"agent": agent}, kind)["move"]]
                position = self._ask(link, "position", said, "validation")
        link.close()

    def _ask(self, link: http.client.HTTPConnection, name: str, said: dict[str, Any], kind: str) -> Any:
        begun = time.perf_counter()
        link.request("POST", f"/api/{name}", json.dumps(said), {"content-type": "application/json"})
        answer = link.getresponse()
        document = json.loads(answer.read())
        self.took[kind].append(time.perf_counter() - begun)
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {document}")
        return document


def memory(pid: int) -> float:
    """Resident megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def warm(port: int) -> None:
    """One game at each table, so that programs are compiled before anything is measured."""
    for number in (*range(len(TABLES)), 9):
        player = Player(port, number, time.monotonic() + 8, 0.01)
        player.run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=120.0)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that its server is ended too
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        server, port = serve(folder)
        try:
            first = first_move(port, begun)
            warm(port)
            found = measure(port, server.pid, given.players, given.seconds)
        finally:
            server.terminate()
            server.wait(20)
    seen, drawn = in_browser() or (None, None)
    found["first_move_s"] = {"server": round(first, 2), "browser": seen and round(seen, 2)}
    found["drawn"] = drawn
    report(found | {"load": [round(load, 1) for load in os.getloadavg()]})


def first_move(port: int, begun: float) -> float:
    """Seconds from the command to a first move that was found legal, without a browser."""
    while True:
        try:
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            link.connect()
            break
        except OSError:
            time.sleep(0.02)
    player = Player(port, 0, 0, 0)
    player._ask(link, "position", {"game": "lgame", "options": {}, "moves": ["b4c4d3d4"]}, "validation")
    return time.perf_counter() - begun


def in_browser() -> tuple[float, dict[str, Any]] | None:
    """Seconds from the command to a first move on the board of a browser that is open already, and what `drawn` finds
    then; None without a browser.
    """
    path = shutil.which("chromium")
    if path is None:
        return None
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page, begun = browser.new_page(), time.perf_counter()
        server, port = serve(folder)
        try:
            while True:
                try:
                    page.goto(f"http://127.0.0.1:{port}/?view=play&game=hex&o.size=5")
                    break
                except Error:
                    time.sleep(0.02)
            page.click("[data-cell=c3][aria-disabled=false]")
            page.wait_for_selector("ol.moves li")
            took = time.perf_counter() - begun
            return took, {name: drawn(browser, port, address) for name, address in DRAWN.items()}
        finally:
            browser.close()
            server.terminate()
            server.wait(20)


def drawn(browser: Any, port: int, address: str) -> dict[str, Any]:
    """Of a warm server: milliseconds to the first board, with all its pieces, and how much of the page moved by itself
    (the cumulative layout shift). The second of two visits counts: by then the browser knows the scripts.
    """
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    took, shift = 0.0, 0.0
    for _ in range(2):
        page = context.new_page()
        page.add_init_script(SHIFTS)
        begun = time.perf_counter()
        page.goto(f"http://127.0.0.1:{port}{address}")
        page.wait_for_selector(BOARD, state="attached")
        took = time.perf_counter() - begun
        page.wait_for_timeout(1000)
        shift = page.evaluate("window.shifted")
        page.close()
    context.close()
    return {"first_board_ms": round(1000 * took), "layout_shift": round(shift, 4)}


def serve(folder: str) -> tuple[subprocess.Popen[bytes], int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ludus", "serve", "--no-open", "--port", str(port)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL), port


def measure(port: int, pid: int, count: int, seconds: float) -> dict[str, Any]:
    until = time.monotonic() + seconds
    players = [Player(port, number, until, THINKS) for number in range(count)]
    before, grown = memory(pid), []
    for player in players:
        player.start()
        time.sleep(ARRIVE / count)
    while time.monotonic() < until:
        time.sleep(seconds / 12)
        grown.append(round(memory(pid)))
    for player in players:
        player.join(70)
    found: dict[str, Any] = {"players": count, "seconds": seconds, "memory_mb": [round(before), *grown]}
    found["errors"] = [error for player in players for error in player.errors]
    for kind in ("validation", "network", "search"):
        took = sorted(took for player in players for took in player.took[kind])
        if took:
            p99 = took[min(len(took) - 1, int(0.99 * len(took)))]
            found[kind] = {
                "asked": len(took),
                "median_ms": round(1000 * statistics.median(took), 1),
                "p99_ms": round(1000 * p99, 1),
                "most_ms": round(1000 * took[-1], 1),
            }
    return found


def report(found: dict[str, Any]) -> None:
    errors = found.pop("errors")
    print(json.dumps(found | {"errors": len(errors), "first_errors": errors[:3]}, indent=1))
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
