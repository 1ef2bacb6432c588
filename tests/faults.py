"""Kill −9 at the steps by which a writer changes files, and look at what is left.

    python tests/faults.py FOLDER build|sync|again [EVERY]

The steps are the functions of `gossamer.index.files`, each before it acts and, where it writes or deletes, half done.
A writer is stopped at all of them and the index looked at; at each EVERY-th (1: at all) it is also killed for good, and
the index brought up to date by the next one. Prints one JSON line: how many steps there were, and what was found that
must not be.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from gossamer import Document, Settings, sync_index
from gossamer.errors import GossamerError, IndexNotFoundError
from gossamer.index import embeddings, files
from gossamer.index.local import LocalStore
from gossamer.index.verify import check_index

OLD = [
    Document("a", "Project Orion's research is done by Helix Labs. It began in 2019."),
    Document("b", "Helix Labs has its head office in Pune. Forty people work there."),
    Document("c", "The budget was approved in May. It covers two years."),
]
NEW = [OLD[0], Document("b", "Helix Labs has moved to Oslo."), Document("d", "Ada Bly leads it.")]


def embed(texts: list[str]) -> np.ndarray:
    """Vectors of letters: the same on every machine and in every batch."""
    rows = np.zeros((len(texts), 16))
    for row, text in zip(rows, texts, strict=True):
        for place, letter in enumerate(text):
            row[(ord(letter) + place % 3) % 16] += 1
    return rows


def sync(documents: list[Document], folder: Path) -> str:
    """One sync, a batch a text."""
    chosen = Settings().replace(**{"embedding.batch_size": 1})
    return sync_index(documents, folder, chosen, embed_fn=embed).snapshot


Half = Callable[[], Any] | None


def wrap_steps(point: Callable[[Half], None]) -> None:
    """Let `point(half)` be called at every step of this process; `half` does half of the step."""
    original = {name: getattr(files, name) for name in ("make_folder", "write_array", "write_bytes", "move", "remove")}

    def write_half(path: Path, raw: bytes) -> None:
        path.write_bytes(raw[: len(raw) // 2])

    def write_bytes(path: Path, data: bytes | memoryview) -> None:
        point(None)
        point(lambda: write_half(path, bytes(data)))
        original["write_bytes"](path, data)

    def write_array(path: Path, array: np.ndarray) -> None:
        buffer = io.BytesIO()
        np.save(buffer, array)
        point(None)
        point(lambda: write_half(path, buffer.getvalue()))
        original["write_array"](path, array)

    def remove(path: Path) -> None:
        inside = sorted(path.rglob("*"))[::2] if path.is_dir() else []
        if path.exists():
            point(None)
        if inside:
            point(lambda: [each.unlink() for each in inside if each.is_file()])
        original["remove"](path)

    def move(source: Path, target: Path) -> None:
        point(None)
        original["move"](source, target)

    def make_folder(path: Path) -> None:
        if not path.is_dir():
            point(None)
        original["make_folder"](path)

    for name, step in (
        ("write_bytes", write_bytes), ("write_array", write_array), ("remove", remove), ("move", move),
        ("make_folder", make_folder),
    ):  # fmt: skip
        setattr(files, name, step)


def in_child(act: Callable[[], Any]) -> bool:
    """Do it in a child process; whether that lived."""
    child = os.fork()
    if not child:
        # The page cache outlives the process: waiting for the disk would change nothing here.
        os.fsync = lambda handle: None
        embeddings._FLUSH_SECONDS = embeddings._FLUSH_SHARE = 0.0
        act()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def faults_of(folder: Path, allowed: set[str], *, content: bool = True) -> list[str]:
    """What is wrong with an index that a stopped writer left: unreadable, neither old nor new, a byte not right."""
    store = LocalStore(folder)
    try:
        store.load()
        current = store.current().name
    except IndexNotFoundError:
        return [] if "" in allowed else ["the index is lost"]
    except GossamerError as problem:
        return [str(problem)]
    found = [] if current in allowed else [f"{current} is neither the old nor the new snapshot"]
    return found + ([each.detail for each in check_index(folder) if not each.ok] if content else store.verify())


def die_at(number: int) -> None:
    """Let this process kill itself at step `number`, counted from 1."""
    passed = 0

    def point(half: Half) -> None:
        nonlocal passed
        passed += 1
        if passed == number:
            if half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)

    wrap_steps(point)


class Scenario:
    """An index that is built, synced, or synced with nothing new; `old` and `new` are names of its snapshots."""

    def __init__(self, scratch: Path, name: str) -> None:
        self.start, self.work = scratch / "start", scratch / "work"
        self.documents = OLD if name == "again" else NEW
        self.old = "" if name == "build" else sync(OLD, self.start)
        self.new = sync(self.documents, scratch / "whole")
        self.found: list[str] = []

    def reset(self) -> None:
        """The index as it was before."""
        shutil.rmtree(self.work, ignore_errors=True)
        if self.old:
            shutil.copytree(self.start, self.work)

    def look_at_every_step(self) -> Counter[str]:
        """One whole run, looked at after each step; counts what a reader finds there."""
        self.reset()
        seen: Counter[str] = Counter()
        allowed = {self.old, self.new}

        def point(half: Half) -> None:
            if half is not None:
                half()
            number = seen.total() + 1
            self.found += [f"step {number}: {fault}" for fault in faults_of(self.work, allowed, content=False)]
            store = LocalStore(self.work)
            seen["new" if store.exists() and store.current().name == self.new else "old"] += 1

        wrap_steps(point)
        sync(self.documents, self.work)
        return seen

    def kill_at(self, number: int) -> None:
        """Kill a writer at one step; the next one must find all it needs and leave nothing behind."""
        self.reset()

        def die() -> None:
            die_at(number)
            sync(self.documents, self.work)

        if in_child(die):
            self.found.append(f"step {number}: was not reached")
        faults = faults_of(self.work, {self.old, self.new})
        if not in_child(lambda: sync(self.documents, self.work)):
            faults.append("the next sync failed")
        faults += faults_of(self.work, {self.new})
        left = {path.name for path in self.work.iterdir()} - {"CURRENT", self.new, "write.lock"}
        if left:
            faults.append(f"left behind: {sorted(left)}")
        self.found += [f"killed at step {number}: {fault}" for fault in faults]


def main(scratch: Path, name: str, every: int) -> dict[str, Any]:
    """Run one scenario."""
    scenario = Scenario(scratch, name)
    read, write = os.pipe()

    def look() -> None:
        seen = scenario.look_at_every_step()
        os.write(write, json.dumps([dict(seen), scenario.found[:9]]).encode())

    if not in_child(look):
        return {"found": ["the run that was looked at failed"]}
    seen, scenario.found = json.loads(os.read(read, 1 << 16))
    steps = sum(seen.values())
    for number in range(1 + steps // 2 % every, steps + 1, every):
        scenario.kill_at(number)
    return {"steps": steps, "seen": seen, "found": scenario.found}


if __name__ == "__main__":
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print(json.dumps(main(Path(sys.argv[1]), sys.argv[2], every)))  # noqa: T201
