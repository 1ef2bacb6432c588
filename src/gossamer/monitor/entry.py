"""One block of the transcript: a frame that is drawn again for every size, and played where it has hops."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual.geometry import Size
from textual.timer import Timer
from textual.widget import Widget

from gossamer.monitor.frames.answer import answer
from gossamer.monitor.frames.cells import Lines
from gossamer.monitor.record import Record

Draw = Callable[[int, int], Lines]


class Entry(Widget):
    """Shows what `draw(width, height)` returns; height is that of the transcript."""

    DEFAULT_CSS = "Entry { height: auto; margin: 0 0 1 0; }"

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self._draw = draw
        self._lines: Lines = []

    def redraw(self, draw: Draw | None = None) -> None:
        """Draw again, with another frame where one is given."""
        self._draw = draw or self._draw
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the frame has at this width."""
        self._lines = self._draw(max(width, 20), max(viewport.height, 6))
        return max(len(self._lines), 1)

    def render(self) -> Text:
        """The lines as one text."""
        return Text("\n", no_wrap=True, overflow="crop").join(self._lines)


class Play(Entry):
    """An answer that plays hop by hop; `done` is called when the last hop is on the screen."""

    def __init__(self, record: Record, ascii_only: bool, speed: float, done: Callable[[], None]) -> None:
        super().__init__(self._frame)
        self.record = record
        self.hop = 0 if speed > 0 else record.hops
        self._ascii = ascii_only
        self._speed = speed
        self._done = done
        self._timer: Timer | None = None

    @property
    def playing(self) -> bool:
        """Whether hops are still to come."""
        return self.hop < self.record.hops

    def on_mount(self) -> None:
        """Start the clock."""
        if self.playing:
            self._timer = self.set_interval(self._speed, self._step)
        else:
            self._done()

    def finish(self) -> None:
        """Show the whole answer at once."""
        if self.playing:
            self.hop = self.record.hops - 1
            self._step()

    def _step(self) -> None:
        self.hop += 1
        if not self.playing and self._timer is not None:
            self._timer.stop()
        self.redraw()
        if not self.playing:
            self._done()

    def _frame(self, width: int, height: int) -> Lines:
        return answer(self.record, self.hop, width, height, ascii_only=self._ascii)
