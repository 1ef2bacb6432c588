"""Seconds per step, peak memory, index size and query time of real corpora.

    python benchmarks/indexing.py DATA... [--embedder hash] [--queries FILE.jsonl.gz] [--json OUT]

Each DATA is a .jsonl(.gz) file or a folder of documents. Every corpus is indexed in a process of its own, so that its
peak memory is its own. Questions come from questions.jsonl.gz beside a corpus, else from the titles of its documents.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def measure(data: Path, embedder: str) -> dict[str, Any]:
    """One build and up to 200 queries of one corpus."""
    from gossamer import Settings, build_index, open_index

    with tempfile.TemporaryDirectory() as folder:
        report = build_index(str(data), folder, Settings(embedder=embedder))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        started = time.perf_counter()
        with open_index(folder) as retrieval:
            opened = time.perf_counter() - started
            asked = questions(data) or [title for title in retrieval.snapshot.document_titles if title][:200]
            retrieval.search(asked[0])
            seconds = []
            for question in asked:
                before = time.perf_counter()
                retrieval.search(question, token_budget=2000)
                seconds.append(time.perf_counter() - before)
    return {
        "corpus": data.parent.name if data.name.startswith("corpus") else data.name,
        "documents": report.documents,
        "chunks": report.chunks,
        "seconds": {name: round(value, 2) for name, value in report.seconds.items()},
        "total": round(sum(report.seconds.values()), 1),
        "without_embedding": round(sum(report.seconds.values()) - report.seconds["embed"], 1),
        "peak_mb": round(peak),
        "index_mb": round(report.size_bytes / 1e6, 1),
        "open_ms": round(opened * 1e3, 1),
        "query_ms": round(statistics.median(seconds) * 1e3, 1),
        "query_p95_ms": round(sorted(seconds)[int(0.95 * (len(seconds) - 1))] * 1e3, 1),
        "warnings": len(report.warnings),
    }


def questions(data: Path) -> list[str]:
    """Up to 200 questions beside a corpus."""
    path = data.parent / "questions.jsonl.gz"
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as handle:
        return [json.loads(line)["question"] for line in handle][:200]


def main() -> None:
    """Measure each corpus in its own process and print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--embedder", default="hash")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.data[0], options.embedder)))
        return
    rows = []
    for data in options.data:
        command = [sys.executable, __file__, str(data), "--embedder", options.embedder, "--child"]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    steps = list(rows[0]["seconds"])
    print("| corpus | chunks | " + " | ".join(steps) + " | total s | peak MB | index MB | open ms | query ms (p95) |")
    print("|---" * (len(steps) + 7) + "|")
    for row in rows:
        cells = [f"{row['seconds'].get(step, 0):.2f}" for step in steps]
        tail = [
            row["total"],
            row["peak_mb"],
            row["index_mb"],
            row["open_ms"],
            f"{row['query_ms']} ({row['query_p95_ms']})",
        ]
        print(f"| {row['corpus']} | {row['chunks']} | {' | '.join(cells)} | {' | '.join(map(str, tail))} |")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
