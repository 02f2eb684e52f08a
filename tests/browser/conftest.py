"""One browser and one server a file: a loop runs in its thread as long as the browser is open. What the page's console
or the server complains of is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.browser import MISSING, Served, chromium

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = chromium()
    if path is None:
        pytest.skip(MISSING)
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test installs it")
    with sync_api.sync_playwright() as playwright:
        # Its sandbox wants rights that a container does not give; what is loaded here is our own page.
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def served(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("served"))
    yield made
    made.stop()
    assert "Traceback" not in made.said(), made.said()


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Iterator[Open]:
    """`visit("/?view=play", width=360)` is a page there, with all that it loaded; `at` is another server than ours."""
    contexts, complaints = [], []

    def go(
        path: str,
        width: int = 1280,
        height: int = 900,
        scheme: str = "light",
        touch: bool = False,
        at: Served | None = None,
    ) -> Any:
        served: Served = at or request.getfixturevalue("served")
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=touch, is_mobile=touch
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(240_000)  # a first move compiles
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Content Security" in said.text else None)
        page.on(
            "request",
            lambda asked: complaints.append(asked.url) if not asked.url.startswith((served.url, "blob:")) else None,
        )
        page.goto(served.url + path)
        page.wait_for_selector("h1")
        return page

    yield go
    for context in contexts:
        context.close()
    assert not complaints
