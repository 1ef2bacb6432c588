"""The full-screen app: a transcript, a prompt, a status bar. It shows frames and runs commands; it computes nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.events import Resize
from textual.widgets import Static
from textual.worker import Worker, WorkerState

from gossamer.cli.info import installed
from gossamer.errors import GossamerError
from gossamer.monitor.actions import ACTIONS
from gossamer.monitor.commands import COMMANDS, complete, read_line
from gossamer.monitor.desk import Desk
from gossamer.monitor.entry import Draw, Entry, Play
from gossamer.monitor.follow import Follower
from gossamer.monitor.frames import manual
from gossamer.monitor.frames.cells import wrap
from gossamer.monitor.frames.hints import hints
from gossamer.monitor.frames.look import ACCENT, STRONG
from gossamer.monitor.frames.status import status
from gossamer.monitor.frames.table import message
from gossamer.monitor.frames.welcome import welcome
from gossamer.monitor.jobs import Jobs
from gossamer.monitor.prompt import History, Prompt
from gossamer.monitor.record import Record
from gossamer.monitor.suggestions import choices

_TWICE = 2.0
_FOLLOW_EVERY = 1.0
_MOST_ENTRIES = 200
_USAGES = {f"/{command.name}": (command.usage, command.does) for command in COMMANDS}


class MonitorApp(App[None]):
    """The monitor on one desk."""

    TITLE = "Gossamer"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { background: #12151c; color: #e6e9f0; }
    #transcript { height: 1fr; padding: 0 1; scrollbar-size: 1 1; scrollbar-color: #3b455c; scrollbar-background: #12151c; }
    #hints { height: auto; max-height: 6; padding: 0 1; display: none; background: #1a1f2b; }
    Prompt, Prompt:focus { height: 3; border: none; border-top: solid #3b455c; border-bottom: solid #3b455c;
        background: #12151c; padding: 0 1; }
    Prompt > .input--placeholder { color: #8b95aa; }
    #status { height: 1; background: #1a1f2b; }
    .echo { margin: 0; }
    .ascii Prompt, .ascii Prompt:focus { border-top: ascii #3b455c; border-bottom: ascii #3b455c; }
    .ascii #transcript { scrollbar-size: 0 0; }
    """
    BINDINGS = [  # noqa: RUF012 - the way Textual declares them
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("ctrl+q", "quit", show=False),
        Binding("ctrl+l", "clear", show=False),
        Binding("escape", "skip", show=False),
        Binding("pageup", "scroll(-1)", show=False, priority=True),
        Binding("pagedown", "scroll(1)", show=False, priority=True),
    ]

    def __init__(
        self,
        desk: Desk,
        *,
        ascii_only: bool = False,
        history: History | None = None,
        folder: str | None = None,
        follow: str = ".",
    ) -> None:
        super().__init__()
        self.desk = desk
        self.ascii_only = ascii_only
        self.jobs = Jobs(self._jobs_changed)
        self.history = history or History()
        self.follower = Follower(follow)
        self.pending: Callable[[], Awaitable[None]] | None = None
        self._folder = folder
        self._interrupted = 0.0

    def compose(self) -> ComposeResult:
        """The three parts, top to bottom; hints between the first two."""
        yield VerticalScroll(id="transcript", can_focus=False)
        yield Static(id="hints")
        yield Prompt(self.history, self.completions)
        yield Static(id="status")

    def on_mount(self) -> None:
        """Welcome, open what was asked for, and start to look for traces."""
        self.set_class(self.ascii_only, "ascii")
        self.query_one(Prompt).focus()
        self.set_interval(_FOLLOW_EVERY, self._follow)
        self.set_interval(1.0, self.show_status)
        self.run_worker(self._start(), group="line", exit_on_error=False)

    async def _start(self) -> None:
        problem: GossamerError | None = None
        if self._folder is not None:
            try:
                await asyncio.to_thread(self.desk.open, self._folder)
            except GossamerError as found:
                problem = found
        known = await asyncio.to_thread(self.desk.indexes)
        version, index = installed("gossamer") or "", self.desk.index
        self.say(lambda width, _: welcome(version, index, known, width, ascii_only=self.ascii_only))
        if problem is not None:
            self.say_text(str(problem), tone="error", name="error")
        self.show_status()

    # What commands use.

    def say(self, draw: Draw) -> Entry:
        """Add a block to the transcript and scroll to it."""
        entry = Entry(draw)
        self._add(entry)
        return entry

    def say_text(self, text: str, *, tone: str = "", name: str = "") -> Entry:
        """Add a sentence."""
        return self.say(lambda width, _: message(text, width, tone=tone, name=name))

    def play(self, record: Record) -> None:
        """Keep a record and play it."""
        self.desk.records.append(record)
        self._play(record)

    def ask_first(self, text: str, then: Callable[[], Awaitable[None]]) -> None:
        """Ask for a yes before something is done."""
        self.pending = then
        self.say_text(f"{text} Type yes to go on; anything else leaves it.", tone="warning", name="?")
        self.query_one(Prompt).placeholder = "yes or no"

    def clear(self) -> None:
        """Empty the transcript."""
        self.query_one("#transcript").remove_children()

    def completions(self, line: str) -> list[str]:
        """Lines that this one can become."""
        return complete(line, choices(self.desk, self.jobs))

    # Lines.

    def on_input_submitted(self, event: Prompt.Submitted) -> None:
        """A question, a command, or a shell command."""
        line = event.value.strip()
        event.input.value = ""
        if self.pending is not None:
            self.run_worker(self._answered(line), group="line", exit_on_error=False)
        elif line:
            self.history.add(line)
            self.run_worker(self._run_line(line), group="line", exit_on_error=False)

    async def _answered(self, line: str) -> None:
        then, self.pending = self.pending, None
        self.query_one(Prompt).placeholder = "Ask a question, or type / for commands"
        if line.lower() in {"y", "yes"} and then is not None:
            await then()
        else:
            self.say_text("Left as it is.", tone="muted")

    async def _run_line(self, line: str) -> None:
        if line[0] in "/!":
            self.say(lambda width, _: wrap(f"> {line}", width, style=ACCENT)[:3]).add_class("echo")
        try:
            if line.startswith("/"):
                name, argument = read_line(line)
                await ACTIONS[name](self, argument)
            elif line.startswith("!"):
                await ACTIONS["!"](self, line[1:].strip())
            else:
                await self.ask(line)
        except (GossamerError, OSError) as problem:
            self.say_text(str(problem), tone="error", name="error")
        self.show_status()

    async def ask(self, question: str, *, budget: int | None = None) -> None:
        """Ask in a thread and play the answer."""
        self.desk.require()
        waiting = self.say(lambda width, _: wrap(f"> {question}", width, style=STRONG)[:3])
        try:
            record = await asyncio.to_thread(self.desk.ask, question, budget=budget)
        finally:
            await waiting.remove()
        self.play(record)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A fault in the program itself: say so and go on."""
        if event.state is WorkerState.ERROR:
            fault = event.worker.error
            self.say_text(
                f"{type(fault).__name__}: {fault}. This is a fault in Gossamer; please report it.",
                tone="error",
                name="fault",
            )
        elif event.state is WorkerState.CANCELLED:
            self.say_text("Stopped.", tone="muted")

    # Keys.

    def action_interrupt(self) -> None:
        """Ctrl-C: stop what runs, else clear the line, else leave at the second time."""
        prompt = self.query_one(Prompt)
        busy = [worker for worker in self.workers if worker.group == "line" and worker.is_running]
        if busy:
            busy[-1].cancel()
        elif self.pending is not None:
            self.run_worker(self._answered("no"), group="line", exit_on_error=False)
        elif prompt.value:
            prompt.value = ""
        elif time.monotonic() - self._interrupted < _TWICE:
            self.exit()
        else:
            self._interrupted = time.monotonic()
            jobs = f" {len(self.jobs.running)} jobs stop with it." if self.jobs.running else ""
            self.notify(f"Press Ctrl-C again to leave.{jobs}", timeout=_TWICE)

    def action_skip(self) -> None:
        """Esc: the whole answer at once; where nothing plays, clear the line."""
        playing = [entry for entry in self.query(Play) if entry.playing]
        for entry in playing:
            entry.finish()
        if not playing:
            self.query_one(Prompt).value = ""

    def action_clear(self) -> None:
        """Ctrl-L."""
        self.clear()

    def action_scroll(self, pages: int) -> None:
        """PgUp and PgDn move the transcript while the prompt keeps the keys."""
        transcript = self.query_one("#transcript")
        transcript.scroll_relative(y=pages * max(transcript.size.height - 2, 1), animate=False)

    def on_prompt_keys(self) -> None:
        """A question mark on the empty line."""
        self.say(lambda width, _: manual.keys(width))

    def on_prompt_pasted(self) -> None:
        """A paste that was cut."""
        self.notify("The paste was longer than a question may be and was cut.", severity="warning")

    def on_input_changed(self, event: Prompt.Changed) -> None:
        """Show what the line can become."""
        bar = self.query_one("#hints", Static)
        found = self.completions(event.value)
        bar.display = bool(found)
        shown = hints(found, _USAGES, self.size.width - 2, ascii_only=self.ascii_only)
        bar.update(Text("\n").join(shown))

    def on_resize(self, event: Resize) -> None:
        """The status bar is drawn for a width; entries draw themselves."""
        self.show_status(event.size.width)

    def show_status(self, width: int = 0) -> None:
        """Draw the status bar."""
        line = status(
            Path(self.desk.index).name,
            self.desk.facts(),
            self.jobs.summary(),
            width or self.size.width,
            following=self.follower.active,
            ascii_only=self.ascii_only,
        )
        # A timer may tick once more while the screen is being taken down: then there is no bar.
        for bar in self.query("#status").results(Static):
            bar.update(line)

    async def on_unmount(self) -> None:
        """Nothing stays behind: no process, no scratch folder."""
        self.jobs.kill_all()
        self.desk.end()

    # Inside.

    def _play(self, record: Record) -> None:
        speed = self.desk.speed if self.is_running else 0.0
        entry = Play(record, self.ascii_only, speed, lambda: self._to_top(entry))
        self._add(entry)
        self._to_top(entry)

    def _to_top(self, entry: Entry) -> None:
        for transcript in self.query("#transcript").results(VerticalScroll):
            transcript.anchor(False)
            self.call_after_refresh(transcript.scroll_to_widget, entry, top=True, animate=False)

    def _add(self, entry: Entry) -> None:
        for transcript in self.query("#transcript").results(VerticalScroll):
            for old in list(transcript.children)[: max(len(transcript.children) - _MOST_ENTRIES, 0)]:
                old.remove()
            transcript.mount(entry)
            transcript.anchor()

    def _follow(self) -> None:
        for record in self.follower.poll():
            self.play(record)

    def _jobs_changed(self) -> None:
        if self.is_running:
            self.show_status()


def run_app(folder: str | None, *, ascii_only: bool, history: Path | None) -> None:
    """Run the monitor to its end."""
    MonitorApp(Desk(), ascii_only=ascii_only, history=History(history), folder=folder).run()
