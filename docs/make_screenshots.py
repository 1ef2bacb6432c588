"""Write the screenshots of docs/monitor.md: python docs/make_screenshots.py (needs the extra `monitor`)."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from pathlib import Path

from gossamer import build_index
from gossamer.demo import CORPUS, QUESTIONS
from gossamer.monitor.app import MonitorApp
from gossamer.monitor.desk import Desk
from gossamer.monitor.prompt import Prompt

HERE = Path(__file__).resolve().parent / "screenshots"
QUESTION, BUDGET = QUESTIONS[0]
SHOTS: dict[str, tuple[tuple[int, int], bool, list[str]]] = {
    "welcome": ((80, 24), False, []),
    "question": ((110, 36), False, [f"/budget {BUDGET}", QUESTION]),
    "compare": ((100, 24), False, [f"/budget {BUDGET}", QUESTION, "/clear", "/compare"]),
    "ascii": ((80, 24), True, [f"/budget {BUDGET}", QUESTION]),
}


async def shoot(index: str, name: str) -> None:
    """Run the lines of one shot and save what is on the screen."""
    size, ascii_only, lines = SHOTS[name]
    desk = Desk()
    desk.speed = 0.0
    app = MonitorApp(desk, ascii_only=ascii_only, folder=index)
    async with app.run_test(size=size) as pilot:
        await settle(app, pilot)
        for line in lines:
            app.query_one(Prompt).value = line
            await pilot.press("enter")
            await settle(app, pilot)
        svg = app.export_screenshot(title="gossamer")
    # Without the font that the export would fetch from elsewhere.
    svg = re.sub(r"@font-face\s*\{.*?\}", "", svg, flags=re.DOTALL)
    (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")


async def settle(app: MonitorApp, pilot: object) -> None:
    """Wait until no line is worked on."""
    await pilot.pause(0.3)  # type: ignore[attr-defined]
    while any(worker.is_running and worker.group == "line" for worker in app.workers):
        await pilot.pause(0.1)  # type: ignore[attr-defined]
    await pilot.pause(0.3)  # type: ignore[attr-defined]


def main() -> None:
    """All shots, of the bundled documents."""
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        build_index(str(CORPUS), "demo_index")
        for name in SHOTS:
            asyncio.run(shoot("demo_index", name))
        os.chdir(HERE)


if __name__ == "__main__":
    main()
