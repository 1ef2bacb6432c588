"""What the monitor works on: the open index, how questions are asked, and what was answered. No screen, no clock."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gossamer.errors import IndexNotFoundError, UsageError
from gossamer.insight.trace import TraceConfig
from gossamer.monitor.compare import Comparison, compare_question
from gossamer.monitor.finder import find_indexes, is_index
from gossamer.monitor.record import Record
from gossamer.monitor.recorder import Asking, record_question
from gossamer.retrieval.pipeline import SpectRAGRetrieval, open_index

_NO_INDEX = "No index is open. Type /demo, or open one with /index FOLDER."


class Desk:
    """One person's work. Methods that read an index block: the app calls them in a thread."""

    def __init__(self, root: str = ".") -> None:
        self.root = root
        self.asking = Asking()
        self.settings_changes: dict[str, Any] = {}
        self.records: list[Record] = []
        self.opened: list[str] = []
        self.retrieval: SpectRAGRetrieval | None = None
        self.speed = 0.35
        self._scratch: list[tempfile.TemporaryDirectory[str]] = []

    @property
    def index(self) -> str:
        """The folder of the open index, "" without one."""
        return str(self.retrieval.folder) if self.retrieval is not None else ""

    @property
    def last(self) -> Record:
        """The last answer; UsageError before the first."""
        if not self.records:
            raise UsageError("Nothing was asked yet. Type a question first.")
        return self.records[-1]

    def indexes(self) -> list[str]:
        """Index folders that are known: opened ones, then those under the working directory."""
        found = [str(Path(name)) for name in find_indexes(self.root)]
        return list(dict.fromkeys([*(name for name in self.opened if is_index(name)), *found]))

    def open(self, folder: str) -> None:
        """Open an index in place of the one that is open; that one stays where this fails."""
        if not is_index(folder):
            raise IndexNotFoundError(f"There is no index in {folder}. Build one: /index DOCS {folder}")
        opened = open_index(folder, trace=TraceConfig(size=0))
        self.close()
        self.retrieval = opened
        self.settings_changes = {}
        self.asking = replace(self.asking, parts=())
        if folder not in self.opened:
            self.opened.append(folder)

    def require(self) -> SpectRAGRetrieval:
        """The open index with the tuned settings; UsageError says how to open one."""
        if self.retrieval is None:
            raise UsageError(_NO_INDEX)
        changes = self.settings_changes
        return self.retrieval.with_settings(self.retrieval.settings.replace(**changes)) if changes else self.retrieval

    def ask(self, question: str, *, budget: int | None = None) -> Record:
        """Ask the open index and keep the record; the parts serve one question."""
        asking = self.asking if budget is None else replace(self.asking, budget=budget)
        record = record_question(self.require(), question, asking)
        self.asking = replace(self.asking, parts=())
        return record

    def compare(self, question: str) -> Comparison:
        """The question three ways at the budget."""
        return compare_question(self.require(), question, self.asking)

    def tune(self, changes: Mapping[str, Any]) -> None:
        """Change options of spreading (`damping`) or settings of the search (`selection.pool`), all or none."""
        from gossamer.retrieval.spread_config import make_config

        spreading = {name: value for name, value in changes.items() if "." not in name}
        settings = {name: value for name, value in changes.items() if "." in name}
        options = {**self.asking.options, **spreading}
        make_config(None, options)
        wanted = {**self.settings_changes, **settings}
        if settings:
            self.require().settings.replace(**wanted)
        self.asking = replace(self.asking, options=options)
        self.settings_changes = wanted

    def untune(self) -> None:
        """Back to the settings of the index."""
        self.asking = replace(self.asking, options={})
        self.settings_changes = {}

    def scratch(self) -> str:
        """A folder that goes with the program."""
        folder = tempfile.TemporaryDirectory(prefix="gossamer-demo-")
        self._scratch.append(folder)
        return folder.name

    def facts(self) -> list[str]:
        """How questions are asked, for the status bar."""
        asking = self.asking
        found = [str(asking.options.get("profile", "standard")), f"{asking.budget} tokens"]
        tuned = len(set(asking.options) - {"profile"}) + len(self.settings_changes)
        found += [f"tuned {tuned}"] if tuned else []
        found += [f"without {', '.join(asking.without)}"] if asking.without else []
        return found + ([f"{len(asking.parts)} parts"] if asking.parts else [])

    def close(self) -> None:
        """Release the open index."""
        if self.retrieval is not None:
            self.retrieval.close()
            self.retrieval = None

    def end(self) -> None:
        """Release everything and remove the scratch folders."""
        self.close()
        for folder in self._scratch:
            folder.cleanup()
        self._scratch.clear()
