"""The wheel holds all of the page: what the browser loads, the papers' figures, and nothing to be fetched elsewhere."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASK = """
import json
from pathlib import Path
from starlette.testclient import TestClient
from ludus.web import papers
from ludus.web.app import files, make_app
from ludus.web.guard import hosts_of

with TestClient(make_app(Path("runs"), hosts_of("127.0.0.1", 8320)), base_url="http://127.0.0.1:8320") as client:
    pages = ["/", *(f"/static/{name}" for name in files()), *(f"/papers/{name}.svg" for name in papers.pictures())]
    found = {page: client.get(page).status_code for page in pages}
    move = client.post("/api/move", json={"game": "hex", "options": {"size": 3}, "agent": "hex/best-3"}).json()
    print(json.dumps({"from": papers.__file__, "found": found, "move": move["move"]}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this tree, unpacked where nothing else is."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
def test_the_page_is_served_from_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(done.stdout)
    assert said["from"].startswith(str(installed))
    assert set(said["found"].values()) == {200}
    tracked = subprocess.run(["git", "ls-files", "docs/papers/*.svg"], cwd=ROOT, capture_output=True, text=True)
    there = {f"/papers/{line.removeprefix('docs/papers/')}" for line in tracked.stdout.split()}
    assert there <= said["found"].keys()
    assert {"/static/main.js", "/static/shell.css", "/static/boards/lay.js"} <= said["found"].keys()
    assert said["move"] == "b2"


def test_nothing_is_fetched_from_elsewhere() -> None:
    """No module, style or page names another host; the one address is SVG's name for itself."""
    for path in (ROOT / "src" / "ludus" / "web" / "static").rglob("*"):
        if path.is_file():
            addresses = set(re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"')]*", path.read_text()))
            assert addresses <= {"http://www.w3.org/2000/svg"}, path.name
