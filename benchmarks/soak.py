"""Many updates and questions in one process: memory, open files and the folder must stay as they are.

    python benchmarks/soak.py [--updates 1000] [--questions 10000] [--documents 60]

Updates add, edit and remove single documents; after each the index is opened again and asked. Prints a line every tenth
of the way and ends with exit code 1 where memory grew by more than a tenth after the first fifth, a handle leaked, a
file was left behind, or the index differs from a fresh build. Memory and handles are read from /proc (Linux).
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import tempfile
import time
from pathlib import Path

from gossamer import Document, SpectRAGIngestion, build_index, open_index
from gossamer.index.verify import check_index
from synthetic import documents, edited


def resident_mb() -> float:
    """Private memory of this process in MB: what it holds without the mapped files."""
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()
    return (int(pages[1]) - int(pages[2])) * 4096 / 1e6


def handles() -> int:
    """Open file descriptors and memory maps of index files."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return len(list(Path("/proc/self/fd").iterdir())) + sum("/s-" in line for line in maps.splitlines())


def change(index: SpectRAGIngestion, corpus: dict[str, Document], source: random.Random, turn: int) -> None:
    """Add, edit or remove one document; the corpus stays about as large as it is."""
    kind = source.choice(["add", "edit", "edit", "remove"]) if len(corpus) > 20 else "add"
    name = source.choice(sorted(corpus))
    if kind == "remove":
        index.remove(name)
        del corpus[name]
    elif kind == "edit":
        # The same few edits again and again, so that the index does not grow.
        original = corpus[name].text.partition(" It was seen again as ")[0]
        corpus[name] = edited(Document(name, original, corpus[name].title), f"number {turn % 7}")
        index.update(corpus[name])
    else:
        added = Document(f"n{turn % 40:03}.md", f"Project {turn % 40} is done by Helix Labs. It began in 2019.")
        corpus[added.id] = added
        index.update(added)


def main() -> None:
    """Run the soak."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--documents", type=int, default=60)
    options = parser.parse_args()
    source = random.Random(0)
    corpus = {document.id: document for document in documents(options.documents)}
    wrong: list[str] = []
    memory: list[float] = []
    counts: list[int] = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "index"
        index = SpectRAGIngestion(folder)
        index.ingest(corpus.values())
        questions = [f"Who saw {document.title}?" for document in corpus.values()]
        for turn in range(1, options.updates + 1):
            change(index, corpus, source, turn)
            with open_index(folder) as retrieval:
                for number in range(options.questions // options.updates):
                    retrieval.search(questions[(turn + number) % len(questions)], token_budget=500)
            if turn % max(1, options.updates // 10) == 0:
                gc.collect()
                memory.append(resident_mb())
                counts.append(handles())
                print(
                    f"{turn:>6} updates  {time.perf_counter() - started:7.1f} s  {memory[-1]:6.1f} MB  "
                    f"{counts[-1]} handles  {sum(1 for _ in folder.rglob('*'))} files",
                    flush=True,
                )
        wrong += [check.detail for check in check_index(folder) if not check.ok]
        left = {path.name for path in folder.iterdir() if not path.name.startswith("s-")} - {"CURRENT", "write.lock"}
        wrong += [f"left behind: {sorted(left)}"] if left or len(list(folder.glob("s-*"))) != 1 else []
        last = index.sync(corpus.values())
        if last.snapshot != build_index(corpus.values(), Path(scratch) / "fresh").snapshot:
            wrong.append("the index differs from a fresh build")
    if max(memory[2:], default=0) > 1.1 * max(memory[:2]):
        wrong.append(f"memory grew from {max(memory[:2]):.1f} to {max(memory[2:]):.1f} MB")
    if counts and max(counts) > counts[0]:
        wrong.append(f"handles grew from {counts[0]} to {max(counts)}")
    for fault in wrong:
        print(fault)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
