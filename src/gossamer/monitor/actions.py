"""Command name -> what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from gossamer.monitor import actions_adjust as adjust
from gossamer.monitor import actions_ask as ask
from gossamer.monitor import actions_index as index
from gossamer.monitor import actions_system as system

if TYPE_CHECKING:
    from gossamer.monitor.app import MonitorApp

Action = Callable[["MonitorApp", str], Awaitable[None]]

ACTIONS: dict[str, Action] = {
    "demo": index.demo,
    "index": index.index,
    "indexes": index.indexes,
    "find": index.find,
    "lint": index.lint,
    "show": ask.show,
    "why": ask.why,
    "compare": ask.compare,
    "replay": ask.replay,
    "save": ask.save,
    "budget": adjust.budget,
    "tune": adjust.tune,
    "without": adjust.without,
    "parts": adjust.parts,
    "config": adjust.config,
    "doctor": system.doctor,
    "install": system.install,
    "jobs": system.jobs,
    "kill": system.kill,
    "clear": system.clear,
    "help": system.show_help,
    "quit": system.leave,
    "!": system.shell,
}
