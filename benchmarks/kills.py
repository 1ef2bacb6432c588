"""Kill −9 at random moments of random updates, and look at the index after each.

    python benchmarks/kills.py [--kills 200] [--documents 40] [--seed 0]

Each round changes some documents, starts a process that brings the index up to date, and kills it after a random part
of the time such an update takes. Then every byte is checked, the index must hold the documents from before or after
the change, and the next round goes on from what is there. At the end the index must equal a fresh build, byte for byte.
Needs a system with fork.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from gossamer import Document, build_index, sync_index
from gossamer.index.local import LocalStore
from gossamer.index.snapshot import Snapshot
from gossamer.index.verify import check_index
from synthetic import documents, edited

Corpus = dict[str, Document]


def changed(corpus: Corpus, source: random.Random, turn: int) -> Corpus:
    """The corpus with one document edited, one renamed, and now and then one less or more."""
    after = dict(corpus)
    one, two = source.sample(sorted(after), 2)
    after[one] = edited(after[one], f"seen {turn}")
    moved = after.pop(two)
    after[f"r{turn:05}.md"] = Document(f"r{turn:05}.md", moved.text, moved.title)
    if turn % 5 == 0:
        del after[source.choice(sorted(after))]
        after[f"n{turn:05}.md"] = Document(f"n{turn:05}.md", f"Project {turn} is done by Helix Labs.")
    return after


def killed_after(seconds: float, corpus: Corpus, folder: Path) -> bool:
    """Sync in a child process and kill it; whether it was still at work."""
    child = os.fork()
    if not child:
        sync_index(corpus.values(), folder)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1] != 0


def texts_of(folder: Path) -> dict[str, str]:
    """Id and text of every document of an index."""
    snapshot = Snapshot(LocalStore(folder).load())
    return dict(zip(snapshot.document_ids, snapshot.tables["document_texts"], strict=True))


def main() -> None:
    """Run the loop, print counts, exit with 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    source = random.Random(options.seed)
    left: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        corpus = {document.id: document for document in documents(options.documents)}
        build_index(corpus.values(), folder)
        longest, turn = 0.0, 0
        for turn in range(3):
            corpus = changed(corpus, source, turn)
            started = time.perf_counter()
            sync_index(corpus.values(), folder)
            longest = max(longest, time.perf_counter() - started)
        while left["killed"] < options.kills:
            turn += 1
            after = changed(corpus, source, turn)
            was_killed = killed_after(source.uniform(0, 1.5 * longest), after, folder)
            left["killed" if was_killed else "ended before"] += 1
            wrong += [f"round {turn}: {check.detail}" for check in check_index(folder) if not check.ok]
            found = texts_of(folder)
            if found == {name: document.text for name, document in after.items()}:
                left["new"] += was_killed
                corpus = after
            elif found == {name: document.text for name, document in corpus.items()} and was_killed:
                left["old"] += 1
            else:
                wrong.append(f"round {turn}: neither the old nor the new documents")
        report = sync_index(corpus.values(), folder)
        if report.snapshot != build_index(corpus.values(), Path(scratch) / "fresh").snapshot:
            wrong.append("the index differs from a fresh build")
        extra = {path.name for path in folder.iterdir()} - {"CURRENT", "write.lock", report.snapshot}
        wrong += [f"left behind: {sorted(extra)}"] if extra else []
    print(
        f"{left['killed']} killed within {1.5 * longest:.2f} s ({left['old']} left the old index, {left['new']} the new one), "
        f"{left['ended before']} ended before; {len(wrong)} faults"
    )
    for fault in wrong:
        print(fault)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
