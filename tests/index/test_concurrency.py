"""Readers and writers of one index at the same time, in threads, processes, forks and an event loop."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corpora import Bridge
from gossamer import Document, SpectRAGIngestion, build_index, open_index, sync_index
from gossamer.errors import IndexLockedError
from gossamer.index.local import LocalStore
from gossamer.index.verify import check_index

WORDS = ["amber", "basalt", "cobalt", "damson", "ebony", "fawn", "garnet", "hazel", "indigo", "jade"]


@pytest.fixture(autouse=True)
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def corpus(version: int) -> list[Document]:
    """Three documents that all name their version: a reader that mixes snapshots would see two."""
    return [Document(name, f"Helix Labs has version v{version} of {name}.") for name in ("lens", "mirror", "tube")]


def test_readers_see_old_or_new_while_a_writer_syncs_twenty_times(tmp_path: Path) -> None:
    build_index(corpus(0), tmp_path)
    ended = threading.Event()
    seen: list[int] = []

    def read() -> None:
        last = 0
        while not ended.is_set():
            with open_index(tmp_path) as retrieval:
                result = retrieval.search("Which version does Helix Labs have?", token_budget=400)
            versions = {int(found) for found in re.findall(r"\bv(\d+) of", result.context)}
            assert len(result.passages) == 3 and len(versions) == 1
            (version,) = versions
            assert version >= last
            last = version
            seen.append(version)

    with ThreadPoolExecutor(3) as pool, open_index(tmp_path) as early:
        readers = [pool.submit(read) for _ in range(3)]
        try:
            for version in range(1, 21):
                sync_index(corpus(version), tmp_path)
        finally:
            ended.set()
        for reader in readers:
            reader.result()
        assert " v0 " in early.search("Which version?", token_budget=400).context
    assert len(set(seen)) > 1
    assert all(check.ok for check in check_index(tmp_path))
    assert LocalStore(tmp_path).leftovers() == []


def test_two_writers_in_one_process(tmp_path: Path) -> None:
    build_index(corpus(0), tmp_path)
    started, go_on = threading.Event(), threading.Event()

    def slow(stage: str, done: int, total: int) -> None:
        if stage == "annotate":
            started.set()
            assert go_on.wait(30)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(SpectRAGIngestion(tmp_path, progress=slow).sync, corpus(1))
        assert started.wait(30)
        with pytest.raises(IndexLockedError, match=f"locked by pid {os.getpid()}"):
            sync_index(corpus(2), tmp_path)
        go_on.set()
        assert first.result().snapshot == LocalStore(tmp_path).current().name
    assert sync_index(corpus(2), tmp_path).changes["documents"]["changed"] == 3


def test_writers_in_many_processes_all_end_whole(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom gossamer import Document, sync_index\nfrom gossamer.errors import IndexLockedError\n"
        "done = 0\n"
        "while done < 3:\n"
        "    try:\n"
        "        sync_index([Document('a', f'Helix Labs {sys.argv[2]} {done}.')], sys.argv[1])\n"
        "        done += 1\n"
        "    except IndexLockedError as problem:\n"
        "        assert 'locked by' in str(problem)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(number)]) for number in range(2)]
    assert [writer.wait(120) for writer in writers] == [0, 0]
    assert all(check.ok for check in check_index(tmp_path))


def test_eight_threads_share_one_reader(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path)
    with open_index(tmp_path) as retrieval:
        questions = [f"{bridge.question} {word}" for word in WORDS]
        expected = [retrieval.search(question, token_budget=120).context for question in questions]

        def ask(thread: int) -> None:
            for turn in range(100):
                number = (turn + thread) % len(questions)
                assert retrieval.search(questions[number], token_budget=120).context == expected[number]

        with ThreadPoolExecutor(8) as pool:
            for asked in [pool.submit(ask, thread) for thread in range(8)]:
                asked.result(timeout=120)


def test_inside_a_running_event_loop(tmp_path: Path, bridge: Bridge) -> None:
    async def use() -> tuple[str, str, int]:
        report = await asyncio.to_thread(build_index, bridge.documents(), tmp_path)
        synced = sync_index(bridge.documents(), tmp_path)
        assert synced.snapshot == report.snapshot
        with open_index(tmp_path) as retrieval:
            direct = retrieval.search(bridge.question, token_budget=80).context
            inside = [asyncio.to_thread(retrieval.search, bridge.question, 80) for _ in range(4)]
            contexts = {result.context for result in await asyncio.gather(*inside)}
        return direct, contexts.pop(), len(contexts)

    direct, threaded, others = asyncio.run(use())
    assert (direct, others) == (threaded, 0)


FORKING = """
import json, os, sys
from gossamer import Document, open_index, sync_index
folder = sys.argv[1]
sync_index([Document("a", "Helix Labs is in Pune."), Document("b", "It began in 2019.")], folder)
with open_index(folder) as retrieval:
    before = retrieval.search("Where is Helix Labs?", token_budget=50).context
    read, write = os.pipe()
    children = []
    for child in range(3):
        pid = os.fork()
        if not pid:
            same = retrieval.search("Where is Helix Labs?", token_budget=50).context == before
            with open_index(folder) as own:
                same = same and own.search("Where is Helix Labs?", token_budget=50).context == before
            os.write(write, b"1" if same else b"0")
            os._exit(0)
        children.append(pid)
    states = [os.waitpid(pid, 0)[1] for pid in children]
    sync_index([Document("a", "Helix Labs is in Oslo.")], folder)
    same = retrieval.search("Where is Helix Labs?", token_budget=50).context == before
print(json.dumps([states, os.read(read, 9).decode(), same]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_fork_after_open(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", FORKING, str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    )
    assert json.loads(run.stdout) == [[0, 0, 0], "111", True]
