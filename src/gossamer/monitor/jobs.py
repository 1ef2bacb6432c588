"""Background work in processes of their own: indexing, installing, shell commands."""

from __future__ import annotations

import asyncio
import codecs
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from gossamer.errors import UsageError
from gossamer.monitor.frames.progress import duration

_GRACE = 2.0
_CHUNK = 8192


@dataclass(slots=True, eq=False)
class Job:
    """One piece of background work. `state` is running, done, failed or killed."""

    number: int
    title: str
    kind: str
    started: float
    stage: str = ""
    done: int = 0
    total: int = 0
    stage_started: float = 0.0
    state: str = "running"
    ended: float | None = None
    process: asyncio.subprocess.Process | None = field(default=None, repr=False)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Where it stands."""
        if stage != self.stage:
            self.stage, self.stage_started = stage, time.monotonic()
        self.done, self.total = done, total

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return (self.ended if self.ended is not None else time.monotonic()) - self.started

    @property
    def left(self) -> float | None:
        """Seconds left of the stage, None where that cannot be told yet."""
        if not self.total or not self.done:
            return None
        return (time.monotonic() - self.stage_started) / self.done * (self.total - self.done)


class Jobs:
    """All jobs of a monitor; `changed` is called when one starts, moves or ends."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self.all: list[Job] = []
        self._changed = changed

    @property
    def running(self) -> list[Job]:
        """Those that are not over."""
        return [job for job in self.all if job.state == "running"]

    def summary(self) -> str:
        """The newest running job in a few words, "" where none runs."""
        if not self.running:
            return ""
        job = self.running[-1]
        share = f" {100 * job.done // job.total}%" if job.total else ""
        left = f", {duration(job.left)} left" if job.left is not None else ""
        more = f" (+{len(self.running) - 1})" if len(self.running) > 1 else ""
        return f"job {job.number}: {job.stage}{share}{left}{more}"

    def get(self, number: str) -> Job:
        """The running job of a number; UsageError names those that run."""
        for job in self.running:
            if str(job.number) == number:
                return job
        have = ", ".join(str(job.number) for job in self.running) or "none"
        raise UsageError(f"No job {number!r} is running. Running: {have}. /jobs shows all.")

    async def run(self, title: str, kind: str, command: Sequence[str] | str, line: Callable[[Job, str], None]) -> Job:
        """Run a command (a string goes to the shell) to its end; `line` gets each line it writes."""
        job = Job(len(self.all) + 1, title, kind, time.monotonic(), stage=kind)
        self.all.append(job)
        self._changed()
        try:
            job.process = await _start(command)
            await _lines(job, line)
            code = await job.process.wait()
            if job.state == "running":
                job.state = "done" if code == 0 else "failed"
        except OSError as problem:
            job.state = "failed"
            line(job, f"It cannot be started ({problem.strerror}). Check the command.")
        except asyncio.CancelledError:
            self.kill(job)
            raise
        finally:
            job.ended = time.monotonic()
            self._changed()
        return job

    def kill(self, job: Job) -> None:
        """Stop a job and all it started: asked first, then made to."""
        if job.state != "running":
            return
        job.state = "killed"
        if job.process is not None and job.process.returncode is None:
            _signal(job.process, hard=False)
            with suppress(RuntimeError):
                asyncio.get_running_loop().call_later(_GRACE, _signal_if_alive, job.process)

    def kill_all(self) -> None:
        """Stop everything, at once: for the end of the program."""
        for job in self.running:
            job.state = "killed"
            if job.process is not None and job.process.returncode is None:
                _signal(job.process, hard=True)


async def _start(command: Sequence[str] | str) -> asyncio.subprocess.Process:
    pipes = {
        "stdin": asyncio.subprocess.DEVNULL,
        "stdout": asyncio.subprocess.PIPE,
        "stderr": asyncio.subprocess.STDOUT,
    }
    if isinstance(command, str):
        return await asyncio.create_subprocess_shell(command, start_new_session=True, **pipes)  # type: ignore[arg-type]
    return await asyncio.create_subprocess_exec(*command, start_new_session=True, **pipes)  # type: ignore[arg-type]


async def _lines(job: Job, line: Callable[[Job, str], None]) -> None:
    """Lines of any length in any bytes; a carriage return ends a line too."""
    stream = job.process.stdout if job.process is not None else None
    if stream is None:
        return
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    while data := await stream.read(_CHUNK):
        *whole, rest = (rest + decoder.decode(data)).replace("\r", "\n").split("\n")
        for text in whole:
            if text:
                line(job, text)
    if rest:
        line(job, rest)


def _signal_if_alive(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        _signal(process, hard=True)


def _signal(process: asyncio.subprocess.Process, *, hard: bool) -> None:
    """To the whole group where there are groups, so that a shell's children end with it."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
        elif hard:
            process.kill()
        else:
            process.terminate()
