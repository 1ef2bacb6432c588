"""The pictures of docs/server.md, made from the bundled corpus: python web/screenshots.py

Needs Playwright for Python and a Chromium of the system.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import sync_playwright

from gossamer import build_index
from gossamer.demo import CORPUS, QUESTIONS
from gossamer.server.app import create_app
from gossamer.server.config import ServeConfig

OUT = Path(__file__).parent.parent / "docs" / "images"
DRAWING = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
QUESTION = QUESTIONS[1][0]


def ask(page: Any) -> None:
    page.fill("#question", QUESTION)
    page.fill(".ask-options input.value", "200")
    page.click("button.primary")
    page.wait_for_selector(".summary-line")


def play(page: Any) -> None:
    page.wait_for_selector(".groups li")
    page.fill(".player input", QUESTION)
    page.click(".player button.primary")
    page.wait_for_selector(".step")
    page.click(".step >> nth=-1")


def walk(page: Any) -> None:
    page.wait_for_selector(".picks")
    page.eval_on_selector(
        "[name='graph.tau']", "e => { e.value = 0.12; e.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    page.wait_for_selector("#stage-graph .badge:visible")
    page.locator("#stage-graph .wire:not(.dashed)").first.dispatch_event("click")
    page.locator("#stage-graph").scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#stage-graph').scrollIntoView()")


VIEWS = {"ask": ask, "web": play, "walkthrough": walk, "review": lambda page: page.wait_for_selector(".finding")}


def main() -> None:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as started:
        build_index(CORPUS, Path(scratch) / "islands")
        server = uvicorn.Server(
            uvicorn.Config(create_app(ServeConfig(Path(scratch) / "islands")), port=0, log_level="error")
        )
        threading.Thread(target=server.run, daemon=True).start()
        while not server.started:
            time.sleep(0.01)
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
        browser = started.chromium.launch(executable_path=found, args=DRAWING)
        for view, prepare in VIEWS.items():
            theme = "dark" if view == "web" else "light"
            page = browser.new_page(
                viewport={"width": 1200, "height": 750}, color_scheme=theme, reduced_motion="reduce"
            )
            page.goto(f"{address}#{view}")
            prepare(page)
            page.wait_for_timeout(1200)
            page.screenshot(path=OUT / f"{view}.jpg", type="jpeg", quality=70)
            page.close()
        browser.close()
        server.should_exit = True


if __name__ == "__main__":
    main()
