"""The app driven as a person would: every command, the keys, and what goes wrong."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from gossamer import open_index
from gossamer.insight.trace import MARKER
from gossamer.monitor import actions_system
from gossamer.monitor.app import MonitorApp
from gossamer.monitor.desk import Desk
from gossamer.monitor.entry import Entry, Play
from gossamer.monitor.prompt import History, Prompt
from monitor.conftest import QUESTION

PATIENCE = 30.0


class Driver:
    """Types lines and reads what is on the transcript."""

    def __init__(self, app: MonitorApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        """The whole transcript."""
        return "\n".join(entry.render().plain for entry in self.app.query(Entry))

    @property
    def unwrapped(self) -> str:
        """The whole transcript as one line: where a line breaks depends on the length of a path."""
        return " ".join(self.text.split())

    @property
    def status(self) -> str:
        return str(self.app.query_one("#status", Static).render())

    async def until(self, true: Callable[[], object]) -> None:
        """Wait for something to come true."""
        end = time.monotonic() + PATIENCE
        while not true():
            assert time.monotonic() < end, self.text
            await self.pilot.pause(0.02)

    async def type(self, line: str, *expected: str) -> None:
        """Enter a line and wait until all that is expected stands there."""
        prompt = self.app.query_one(Prompt)
        prompt.value = line
        await self.pilot.press("enter")
        await self.until(lambda: all(word in self.text or word in self.unwrapped for word in expected))
        await self.until(lambda: not any(w.is_running and w.group == "line" for w in self.app.workers))


def drive(
    does: Callable[[Driver], Awaitable[None]],
    *,
    size: tuple[int, int] = (100, 40),
    speed: float = 0.0,
    ready: str = "Gossamer",
    **options: Any,
) -> MonitorApp:
    """Run an app, wait for its welcome, and do something with it."""
    desk = Desk()
    desk.speed = speed
    app = MonitorApp(desk, **options)

    async def go() -> None:
        async with app.run_test(size=size) as pilot:
            driver = Driver(app, pilot)
            await driver.until(lambda: ready in driver.text)
            await does(driver)

    asyncio.run(go())
    return app


def test_show_why_save_replay_and_compare(demo_index: str, tmp_path: Path) -> None:
    async def does(driver: Driver) -> None:
        await driver.type("/show 1", "error", "Nothing was asked yet. Type a question first.")
        await driver.type("/budget 200", "200 tokens now")
        await driver.type(QUESTION, "stopped: threshold", "injected 10.000", "of 200 tokens")
        await driver.type("/show 1", "tokens", "project-lantern.md#")
        await driver.type("/why 1", "after hop 0", "the question touches it")
        await driver.type("/show 99", "There is no passage '99'")
        await driver.type("/save answer.json", "Saved as answer.json")
        await driver.type("/save", "/save needs a file name")
        await driver.type("/save answer.json", "exists already")
        await driver.type("/replay", "stopped")
        await driver.type("/replay answer.json")
        assert len(driver.app.query(Play)) == 3
        await driver.type("/replay nothing.json", "cannot be read")
        await driver.type("/compare", "plain top-k", "hybrid (RRF)", "only this way")
        await driver.type("/compare Who is the captain of the ferry?", "is the captain of")

    drive(does, folder=demo_index)
    assert json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))["gossamer"] == "record"


def test_budget_tune_without_parts_config(demo_index: str) -> None:
    async def does(driver: Driver) -> None:
        desk = driver.app.desk
        await driver.type("/budget", "may fill 4000")
        for bad in ("x", "-1", "0", "1.5"):
            await driver.type(f"/budget {bad}", f"budget = '{bad}' is not possible")
        await driver.type("/tune", "damping", "0.4")
        await driver.type("/tune damping=0.5 profile=explore selection.pool=80", "selection.pool")
        assert (desk.asking.options, desk.settings_changes) == (
            {"damping": 0.5, "profile": "explore"},
            {"selection.pool": 80},
        )
        assert "explore" in driver.status
        assert "tuned 2" in driver.status
        await driver.type("/tune damping=7", "damping = 7 is not possible")
        await driver.type("/tune dumping=.7", "no spreading option 'dumping'")
        await driver.type("/tune damping", "has no '='")
        assert desk.asking.options["damping"] == 0.5
        await driver.type("/tune off", "settings of the index again")
        await driver.type("/without turbine, sea cable", "Left out of every answer: turbine, sea cable")
        await driver.type(QUESTION, "stopped")
        assert not any("turbine" in shown.text.lower() for shown in desk.last.passages)
        await driver.type("/without off", "Nothing is left out")
        await driver.type("/parts one", "two or more different parts")
        await driver.type("/parts who founded the workshop | turbine of Project Lantern", "spreads in parts")
        assert "2 parts" in driver.status
        await driver.type(QUESTION, "bridge")
        assert desk.asking.parts == ()
        await driver.type("/config speed=0.1 ascii=on", "0.1 s a hop")
        assert driver.app.ascii_only
        await driver.type("/config speed=fast", "'speed=fast' is not possible")
        await driver.type("/config colour=red", "'colour=red' is not possible")

    drive(does, folder=demo_index)


def test_demo_builds_in_the_background_and_asks() -> None:
    async def does(driver: Driver) -> None:
        await driver.type("Where?", "No index is open")
        await driver.type("/demo", "passages of 14 documents", "stopped: threshold", "Ask on:")
        await driver.type("/jobs", "done")
        await driver.type("/indexes", "demo_index", "14", "hash")

    app = drive(does)
    assert app.desk.retrieval is None
    assert not any(Path(folder).exists() for folder in app.desk.opened)


def test_index_opens_and_builds(demo_index: str, tmp_path: Path) -> None:
    (tmp_path / "my docs").mkdir()
    (tmp_path / "my docs" / "a.md").write_text("Helix Labs is in Pune.", encoding="utf-8")
    (tmp_path / "my docs" / "empty.md").write_text("", encoding="utf-8")

    async def does(driver: Driver) -> None:
        await driver.type("/index", "/index needs a folder")
        await driver.type("/index a b c", "takes documents and an index folder")
        await driver.type("/index nowhere", "There is no index in nowhere")
        await driver.type("/indexes", "No index is known here")
        await driver.type("/index nowhere elsewhere", "error", "nowhere")
        await driver.type("/index 'my docs' my_index", "skipped", "empty.md", "my_index is open: 1 passages")
        await driver.type("/index 'my docs'", "my docs_index is open")
        await driver.type(f"/index {demo_index}", "passages of 14 documents")
        await driver.type("/index 1", "is open")
        assert driver.app.desk.index == "my_index"
        await driver.type("/lint", "passages of 1 documents")
        await driver.type("/doctor", "python", "packages", "every checksum right")

    drive(does)


def test_find_names_the_file_and_its_index(demo_index: str, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("from gossamer import open_index\nopen_index('my_index')\n", encoding="utf-8")

    async def does(driver: Driver) -> None:
        await driver.type("/find", "app.py:2", "my_index", "missing")
        await driver.type("/find nowhere", "There is no folder nowhere")

    drive(does, folder=demo_index, ready="open")


def test_install_asks_first(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []

    async def record_command(app: MonitorApp, title: str, kind: str, command: object) -> Any:
        ran.append(command)
        return await app.jobs.run(title, kind, "true", lambda job, text: None)

    monkeypatch.setattr(actions_system, "_show_output", record_command)

    async def does(driver: Driver) -> None:
        await driver.type("/install magic", "There is no extra 'magic'")
        await driver.type("/install onnx", "Install onnxruntime", "Type yes")
        await driver.type("no", "Left as it is")
        assert ran == []
        await driver.type("/install onnx", "Type yes")
        await driver.pilot.press("ctrl+c")
        await driver.until(lambda: driver.text.count("Left as it is") == 2)
        await driver.type("/install onnx", "Type yes")
        await driver.type("yes", "The extra onnx is installed")

    drive(does)
    ((_, *arguments),) = ran  # type: ignore[misc]
    assert arguments[:3] == ["-m", "pip", "install"]
    assert arguments[3].startswith("onnxruntime")


def test_shell_jobs_and_kill() -> None:
    async def does(driver: Driver) -> None:
        await driver.type("!", "! needs a command")
        await driver.type("!printf 'a\\033[31mb\\n'; exit 3", "ab", "failed, exit code 3")
        await driver.type("/kill 9", "No job '9' is running. Running: none")
        driver.app.query_one(Prompt).value = "!echo begun; sleep 60"
        await driver.pilot.press("enter")
        await driver.until(lambda: "begun" in driver.text and "job 2" in driver.status)
        driver.app.query_one(Prompt).value = "/kill 2"
        await driver.pilot.press("enter")
        await driver.until(lambda: "Job 2 is stopped" in driver.text and not driver.app.jobs.running)
        driver.app.query_one(Prompt).value = "!echo again; sleep 60"
        await driver.pilot.press("enter")
        await driver.until(lambda: "again" in driver.text.replace("echo again", "") and driver.app.jobs.running)
        await driver.pilot.press("ctrl+c")
        await driver.until(lambda: "Stopped." in driver.text and not driver.app.jobs.running)
        await driver.type("/jobs", "killed")

    drive(does)


def test_help_keys_clear_and_quit() -> None:
    async def does(driver: Driver) -> None:
        await driver.type("/help", "Look after", "/compare", "Ctrl-C")
        await driver.type("/help compare", "example", "/compare Who pays for Orion?")
        await driver.type("/help magic", "There is no command /magic")
        await driver.type("/nonsense", "There is no command /nonsense")
        await driver.type("/clear")
        await driver.until(lambda: driver.text == "")
        await driver.pilot.press("?")
        await driver.until(lambda: "Keys" in driver.text)
        assert driver.app.query_one(Prompt).value == ""
        await driver.type("/quit")
        assert driver.app._exit

    drive(does)


def test_typing_completion_history_and_paste(tmp_path: Path) -> None:
    async def does(driver: Driver) -> None:
        prompt, press = driver.app.query_one(Prompt), driver.pilot.press
        await press("/", "c", "o")
        await driver.pilot.pause()
        assert driver.app.query_one("#hints").display
        await press("tab")
        assert prompt.value == "/compare "
        await press("tab")
        assert prompt.value == "/config "
        await press("escape")
        assert prompt.value == ""
        await driver.type("/jobs", "Nothing ran")
        await press("up")
        assert prompt.value == "/jobs"
        await press("down")
        assert prompt.value == ""
        prompt.post_message(events.Paste("  two\nlines\t of 港口 "))
        await driver.until(lambda: prompt.value == "two lines of 港口")
        prompt.post_message(events.Paste("x" * 200_000))
        await driver.until(lambda: len(prompt.value) == 20_000)
        await press("ctrl+c")
        assert prompt.value == ""
        await press("ctrl+c")
        assert not driver.app._exit
        await press("ctrl+c")
        await driver.pilot.pause()
        assert driver.app._exit

    drive(does, history=History(tmp_path / "history"))
    assert (tmp_path / "history").read_text(encoding="utf-8") == "/jobs\n"


def test_a_question_plays_hop_by_hop_and_can_be_skipped(demo_index: str) -> None:
    async def does(driver: Driver) -> None:
        driver.app.query_one(Prompt).value = QUESTION
        await driver.pilot.press("enter")
        await driver.until(lambda: driver.app.query(Play))
        play = driver.app.query_one(Play)
        assert play.hop == 0
        assert "spreading" in driver.text
        await driver.until(lambda: play.hop == 1)
        await driver.pilot.press("escape")
        await driver.until(lambda: not play.playing and "stopped: threshold" in driver.text)

    drive(does, folder=demo_index, ready="open", speed=0.3)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_resize_draws_everything_anew(demo_index: str, size: tuple[int, int]) -> None:
    async def does(driver: Driver) -> None:
        await driver.type(QUESTION, "stopped")
        for width, height in ((30, 10), (120, 40), size):
            await driver.pilot.resize_terminal(width, height)
            await driver.pilot.pause()
            room = width - 2
            assert all(len(line) <= room + 1 for line in driver.text.splitlines())

    drive(does, folder=demo_index, ready="open", size=size)


def test_an_index_that_is_not_there_is_said_and_the_screen_stays() -> None:
    async def does(driver: Driver) -> None:
        await driver.until(lambda: "There is no index in nowhere" in driver.text)
        await driver.type("/jobs", "Nothing ran")

    drive(does, folder="nowhere")


def test_traces_of_another_process_are_followed(demo_index: str, tmp_path: Path) -> None:
    (tmp_path / MARKER).mkdir(parents=True)

    async def does(driver: Driver) -> None:
        driver.app.follower.poll()
        with open_index(demo_index) as index:
            await asyncio.to_thread(index.retrieve, "Who asked from elsewhere about the turbine?")
        await driver.until(lambda: "asked in process" in driver.text)
        assert "following" in driver.status
        await driver.type("/show 1", "The trace holds no text")

    drive(does)


def test_a_fault_of_the_program_does_not_end_it(demo_index: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    async def does(driver: Driver) -> None:
        monkeypatch.setattr(driver.app.desk, "ask", broken)
        await driver.type("Why?", "ZeroDivisionError: by zero", "please report it")
        await driver.type("/jobs", "Nothing ran")

    drive(does, folder=demo_index, ready="open")
