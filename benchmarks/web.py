"""Frames of the web view on a large index, and what its parts cost on the server.

    python benchmarks/web.py [--chunks 20000] [--seconds 3] [--budget 50] [--keep FOLDER]

Builds an index of short made-up documents that share names, serves it, opens the web view in headless Chromium
(Playwright and a Chromium of the system; software drawing where there is no graphics card) and pans, zooms, hovers and
opens neighbourhoods while it measures the time between frames, and the time that the page's own script takes of it.
The same is done with a web of twelve chunks first: that is what this machine can draw at all. Exits with 1 where a mean
frame is over the budget (milliseconds; 50 by default, twenty frames a second without any graphics card) and over
twice that of the twelve chunks. Software drawing shares the processors with everything else: run it on an idle machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from playwright.sync_api import sync_playwright

from gossamer import Document, build_index
from gossamer.server.app import create_app
from gossamer.server.config import ServeConfig
from gossamer.server.served import Served
from gossamer.server.web import around, overview

PER_DOCUMENT = 4
DRAWING = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
FRAMES = """seconds => new Promise(done => {
    const times = [];
    let last = performance.now();
    const start = last;
    const step = now => {
        times.push(now - last);
        last = now;
        if (now - start > 1000 * seconds) done(times.slice(1)); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""


def corpus(chunks: int, seed: int = 0) -> Iterator[Document]:
    """Documents of four sections; every section names two of some thousand made-up people, near ones more often."""
    rng = np.random.default_rng(seed)
    parts = [
        "Bel",
        "Cor",
        "Dal",
        "Fen",
        "Gar",
        "Hol",
        "Ist",
        "Kar",
        "Lun",
        "Mor",
        "Nor",
        "Pel",
        "Ros",
        "Sul",
        "Tam",
        "Var",
    ]
    people = [f"{a}{b.lower()} {c}{d.lower()}" for a in parts for b in parts for c in parts for d in parts[:2]]
    words = [
        "harbour",
        "record",
        "survey",
        "bridge",
        "lamp",
        "winter",
        "council",
        "archive",
        "signal",
        "meadow",
        "copper",
        "letter",
    ]
    for number in range(-(-chunks // PER_DOCUMENT)):
        sections = []
        for section in range(PER_DOCUMENT):
            near = (number * 3 + rng.integers(-40, 40, 2)) % len(people)
            said = " ".join(rng.choice(words, 18).tolist())
            sections.append(f"## Part {section + 1}\n\n{people[near[0]]} wrote to {people[near[1]]} about the {said}.")
        yield Document(
            f"letters/{number:06}.md", f"# Letters {number}\n\n" + "\n\n".join(sections), f"Letters {number}"
        )


def serve(folder: Path) -> tuple[uvicorn.Server, str]:
    server = uvicorn.Server(uvicorn.Config(create_app(ServeConfig(folder)), port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"


def row(name: str, milliseconds: list[float]) -> float:
    ordered = sorted(milliseconds)
    middle = statistics.mean(ordered)
    high = ordered[int(0.95 * (len(ordered) - 1))]
    print(f"{name:<34} {middle:8.1f} {high:8.1f} {ordered[-1]:8.1f} {len(ordered):6}")
    return middle


def server_times(folder: Path) -> None:
    opened = Served(folder).current()
    started = time.perf_counter()
    opened.places()
    row("layout, once", [1000 * (time.perf_counter() - started)])
    for name, work in (
        ("overview, 1500 drawn", lambda: overview(opened, 1500)),
        (
            "neighbourhood, 60 drawn",
            lambda: around(opened, [opened.snapshot.chunk_id(len(opened.snapshot) // 2)], 1, 60),
        ),
    ):
        times = []
        for _ in range(5):
            started = time.perf_counter()
            work()
            times.append(1000 * (time.perf_counter() - started))
        row(name, times)


def page_times(address: str, seconds: float) -> list[float]:
    with sync_playwright() as started:
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = started.chromium.launch(executable_path=found, args=DRAWING)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        begun = time.perf_counter()
        page.goto(f"{address}#web")
        page.wait_for_selector(".groups li", timeout=120_000)
        row("first drawing", [1000 * (time.perf_counter() - begun)])
        page.wait_for_timeout(500)
        meter = Meter(page, seconds)
        means = [
            meter("frames while panning", lambda at: page.mouse.move(700 + 150 * np.sin(at), 420), drag=True),
            meter("frames while hovering", lambda at: page.mouse.move(700 + 250 * np.sin(at), 420)),
            meter("frames while zooming", lambda at: page.mouse.wheel(0, 120 * np.sign(np.sin(at)))),
        ]
        begun = time.perf_counter()
        page.fill("input[type=search]", "Letters 1")
        page.locator(".found [role=option]").first.click()
        page.wait_for_selector(".panel-title")
        row("find and open a chunk", [1000 * (time.perf_counter() - begun)])
        page.wait_for_timeout(1000)
        means.append(
            meter("frames with a neighbourhood", lambda at: page.mouse.move(600 + 90 * np.sin(at), 420), drag=True)
        )
        browser.close()
    return means


class Meter:
    """Times between frames, and of the page's own script in them, while the mouse moves."""

    def __init__(self, page: Any, seconds: float) -> None:
        self.page, self.seconds = page, seconds
        self.tools = page.context.new_cdp_session(page)
        self.tools.send("Performance.enable")

    def __call__(self, name: str, move: Callable[[float], None], *, drag: bool = False) -> float:
        page, before = self.page, self._script()
        page.evaluate(f"seconds => {{ window.frames_ = ({FRAMES})(seconds); }}", self.seconds)
        page.mouse.move(700, 420)
        if drag:
            page.mouse.down()
        end = time.perf_counter() + self.seconds
        while time.perf_counter() < end:
            move(3 * time.perf_counter())
        if drag:
            page.mouse.up()
        times = page.evaluate("() => window.frames_")
        mean = row(name, times)
        row("  of it script", [1000 * (self._script() - before) / len(times)])
        return mean

    def _script(self) -> float:
        metrics = self.tools.send("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) for each in metrics if each["name"] == "ScriptDuration")


def measured(folder: Path, seconds: float) -> float:
    """The slowest of the mean frames of an index."""
    server, address = serve(folder)
    means = page_times(address, seconds)
    server.should_exit = True
    return max(means)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--budget", type=float, default=50.0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch) / "index"
        if not (folder / "CURRENT").exists():
            print(build_index(corpus(options.chunks), folder))
        print(f"{'milliseconds':<34} {'mean':>8} {'p95':>8} {'most':>8} {'n':>6}")
        build_index(corpus(12), Path(scratch) / "twelve")
        print("twelve chunks")
        reference = measured(Path(scratch) / "twelve", options.seconds)
        print(f"{options.chunks:,} chunks")
        server_times(folder)
        worst = measured(folder, options.seconds)
    print(f"slowest mean frame {worst:.1f} ms, with twelve chunks {reference:.1f} ms, budget {options.budget:g} ms")
    return int(worst > max(options.budget, 2 * reference))


if __name__ == "__main__":
    sys.exit(main())
