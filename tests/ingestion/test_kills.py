from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import faults

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed")


@pytest.mark.parametrize("scenario", ["build", "sync", "again"])
def test_a_writer_that_is_killed_anywhere(tmp_path: Path, scenario: str) -> None:
    """At every step a reader finds the old or the new snapshot, whole; after a kill the next writer does its work."""
    run = subprocess.run(
        [sys.executable, faults.__file__, str(tmp_path), scenario, "40"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    outcome = json.loads(run.stdout)
    assert outcome["found"] == []
    assert outcome["steps"] > 100
    assert set(outcome["seen"]) == ({"new"} if scenario == "again" else {"old", "new"})


BUILD = """
import os, signal, sys
from gossamer import Document, Settings, build_index
from gossamer.index import embeddings
embeddings._FLUSH_SECONDS = embeddings._FLUSH_SHARE = 0.0
sys.path.insert(0, {tests!r})
from faults import embed
texts = []
def dying(batch):
    texts.extend(batch)
    if len(texts) > {limit}:
        print(len(texts), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return embed(batch)
docs = [Document(f"d{{n:02}}", f"Helix Labs lens {{n}} was cut in Pune.") for n in range(40)]
report = build_index(docs, {folder!r}, Settings().replace(**{{"embedding.batch_size": 4}}), embed_fn=dying)
print(report.changes["chunks"]["embedded"])
"""


def test_finished_embeddings_survive_a_kill(tmp_path: Path) -> None:
    def build(limit: int) -> subprocess.CompletedProcess[str]:
        code = BUILD.format(tests=str(Path(faults.__file__).parent), limit=limit, folder=str(tmp_path))
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    killed = build(40)
    assert killed.returncode == -9
    assert not (tmp_path / "CURRENT").exists()
    done = 40 - int(build(10**6).stdout)
    # Eleven texts of the first run were embedded to see whether the embedder is reproducible.
    assert 16 <= done <= int(killed.stdout) - 11
    assert not (tmp_path / "next.embeddings").exists()
