"""What bringing an index up to date costs, as a share of building it, in one run.

    python benchmarks/updates.py [FOLDER] [--embedder hash] [--chunks 10000] [--json OUT]

FOLDER (or a .jsonl file) is read as `gossamer index` reads it; without one, documents of invented words are made. After
the build come single changes, each against the index the one before it left: nothing, one document edited, one added,
one renamed, one removed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from gossamer import Document, Report, Settings, SpectRAGIngestion
from gossamer.ingestion.load import load_sources
from synthetic import documents, edited


def steps(corpus: dict[str, Document]) -> list[tuple[str, Callable[[], None]]]:
    """Changes of one document in the middle of the corpus."""
    target = sorted(corpus)[len(corpus) // 2]

    def edit() -> None:
        corpus[target] = edited(corpus[target], "Orion")

    def add() -> None:
        corpus["new.md"] = Document("new.md", "Project Orion is done by Helix Labs.", "Orion")

    def rename() -> None:
        moved = corpus.pop("new.md")
        corpus["renamed.md"] = Document("renamed.md", moved.text, moved.title)

    def remove() -> None:
        del corpus["renamed.md"]

    return [
        ("nothing changed", lambda: None),
        ("one edited", edit),
        ("one added", add),
        ("one renamed", rename),
        ("one removed", remove),
    ]


class Timed(NamedTuple):
    """What a run reported, its seconds and the seconds of processor time; the latter is steadier on a busy machine."""

    report: Report
    seconds: float
    cpu: float


def timed(run: Callable[[], Report]) -> Timed:
    """Run and measure."""
    started, used = time.perf_counter(), time.process_time()
    report = run()
    return Timed(report, time.perf_counter() - started, time.process_time() - used)


def row(name: str, done: Timed, build: Timed) -> dict[str, Any]:
    """One line of the table."""
    top = sorted(done.report.seconds.items(), key=lambda item: -item[1])[:4]
    return {
        "step": name,
        "chunks": done.report.chunks,
        "embedded": done.report.changes["chunks"]["embedded"],
        "seconds": round(done.seconds, 2),
        "share": round(done.seconds / build.seconds, 3),
        "CPU s": round(done.cpu, 2),
        "CPU share": round(done.cpu / build.cpu, 3),
        "longest steps": ", ".join(f"{stage} {value:.1f}" for stage, value in top),
    }


def main() -> None:
    """Build, change, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", help="A folder or .jsonl file; default: invented text.")
    parser.add_argument("--embedder", default="hash")
    parser.add_argument("--chunks", type=int, default=10_000, help="About how many chunks of invented text.")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    given = (
        [loaded.document for loaded in load_sources(options.source).documents]
        if options.source
        else documents(options.chunks // 5)
    )
    corpus = {document.id: document for document in given}
    with tempfile.TemporaryDirectory() as folder:
        index = SpectRAGIngestion(folder, Settings(embedder=options.embedder))
        build = done = timed(lambda: index.ingest(corpus.values()))
        rows = [row("build", build, build)]
        for name, change in steps(corpus):
            change()
            done = timed(lambda: index.sync(corpus.values()))
            rows.append(row(name, done, build))
        fresh = SpectRAGIngestion(Path(folder) / "fresh", Settings(embedder=options.embedder))
        same = options.embedder != "hash" or fresh.ingest(corpus.values()).snapshot == done.report.snapshot
    print(f"| {' | '.join(rows[0])} |\n{'|---' * len(rows[0])}|")
    for each in rows:
        print(f"| {' | '.join(str(value) for value in each.values())} |")
    if not same:
        raise SystemExit("The index differs from a fresh build.")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
