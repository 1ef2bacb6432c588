"""The line at the foot: history, completion, and pasted text of any length."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

_LONGEST = 20_000
_REMEMBERED = 500


class History:
    """Lines that were entered, oldest first; kept in a file where one is given, readable by its owner alone."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self.lines: list[str] = []
        self._place = 0
        if path is not None:
            with suppress(OSError):
                self.lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[-_REMEMBERED:]
        self._place = len(self.lines)

    def add(self, line: str) -> None:
        """Remember a line; one that repeats the last stands once. Without a place to write it lasts for the session."""
        if not self.lines or self.lines[-1] != line:
            self.lines.append(line)
            if self._path is not None:
                with suppress(OSError):
                    self._write()
        self._place = len(self.lines)

    def move(self, by: int) -> str:
        """The line so many places away; past the newest it is empty."""
        self._place = min(max(self._place + by, 0), len(self.lines))
        return self.lines[self._place] if self._place < len(self.lines) else ""

    def _write(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as handle:  # noqa: PTH123 - a descriptor, for its mode
            handle.write("\n".join(self.lines[-_REMEMBERED:]) + "\n")


class Prompt(Input):
    """The input line. Posts `Keys` for a question mark on the empty line and `Pasted` where a paste was cut."""

    BINDINGS = [  # noqa: RUF012 - the way Textual declares them
        Binding("tab", "complete", show=False),
        Binding("up", "earlier", show=False),
        Binding("down", "later", show=False),
        Binding("ctrl+d", "leave_or_delete", show=False),
    ]

    class Keys(Message):
        """Someone asks for the keys."""

    class Pasted(Message):
        """A paste was longer than a line may be."""

    def __init__(self, history: History, completions: Callable[[str], list[str]]) -> None:
        super().__init__(id="prompt", placeholder="Ask a question, or type / for commands")
        self.history = history
        self._completions = completions
        self._cycle: list[str] = []

    def action_complete(self) -> None:
        """Take the next of the lines that this one can become."""
        if self.value in self._cycle:
            place = (self._cycle.index(self.value) + 1) % len(self._cycle)
        else:
            self._cycle, place = self._completions(self.value), 0
        if self._cycle:
            self._show(self._cycle[place])

    def action_earlier(self) -> None:
        """The line before."""
        self._show(self.history.move(-1))

    def action_later(self) -> None:
        """The line after."""
        self._show(self.history.move(1))

    def action_leave_or_delete(self) -> None:
        """As in a shell: leave on the empty line, else delete a character."""
        if self.value:
            self.action_delete_right()
        else:
            self.app.exit()

    def _show(self, line: str) -> None:
        self.value = line
        self.cursor_position = len(line)

    async def _on_key(self, event: events.Key) -> None:
        if event.character == "?" and not self.value:
            event.stop()
            event.prevent_default()
            self.post_message(self.Keys())
            return
        if event.key != "tab":
            self._cycle = []
        await super()._on_key(event)

    def _on_paste(self, event: events.Paste) -> None:
        """All lines of the paste as one; the base class would keep the first line only."""
        event.stop()
        event.prevent_default()
        text = " ".join(event.text.split())
        room = _LONGEST - len(self.value)
        if len(text) > room:
            self.post_message(self.Pasted())
        self.insert_text_at_cursor(text[: max(room, 0)])
