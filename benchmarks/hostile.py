"""Seconds and peak memory of indexing text that breaks tools which read it.

    python benchmarks/hostile.py [--megabytes 50] [--kind NAME]... [--embedder hash] [--json OUT]

Every kind is written to a file of that size and indexed in a process of its own. A run fails where a process dies, a
chunk is over the limit, or a kind takes more than --seconds or --memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))


def measure(kind: str, size: int, embedder: str) -> dict[str, Any]:
    """Index one kind: as a file, or as a document where a file of it is refused as binary."""
    from gossamer import Settings, build_index, open_index
    from gossamer.model import Document
    from hostile import KINDS

    make, ending = KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        docs, index = Path(folder, "docs"), Path(folder, "index")
        docs.mkdir()
        data = make(size).encode("utf-8", "surrogatepass")[:size]
        Path(docs, f"hostile.{ending}").write_bytes(data)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        started = time.perf_counter()
        report = build_index(docs, index, Settings(embedder=embedder))
        way = "file"
        if any("binary" in skipped.reason for skipped in report.skipped):
            way = "document"
            report = build_index([Document("hostile", make(size)[:size])], index, Settings(embedder=embedder))
        seconds = time.perf_counter() - started
        with open_index(index) as retrieval:
            snapshot = retrieval.snapshot
            longest = max(map(int, snapshot.chunk_tokens), default=0)
            retrieval.search("Where is Helix Labs?")
    return {
        "kind": kind,
        "way": way,
        "chunks": report.chunks,
        "longest": longest,
        "limit": Settings().chunking.chunk_tokens,
        "seconds": round(seconds, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "before_mb": round(before),
        "warnings": [*report.warnings, *(skipped.reason for skipped in report.skipped)][:3],
    }


def main() -> int:
    """Measure every kind asked for; 1 where one of them breaks a limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=50.0)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--embedder", default="hash")
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of one kind")
    parser.add_argument("--memory", type=float, default=4000.0, help="limit of one kind in MB")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    size = int(args.megabytes * 1e6)
    if args.only:
        print(json.dumps(measure(args.only, size, args.embedder)))
        return 0
    from hostile import KINDS

    rows: list[dict[str, Any]] = []
    broken = 0
    for kind in args.kind or KINDS:
        command = [sys.executable, __file__, "--only", kind, "--megabytes", str(args.megabytes)]
        try:
            done = subprocess.run(
                [*command, "--embedder", args.embedder], capture_output=True, text=True, encoding="utf-8",
                timeout=args.seconds, env={**os.environ, "PYTHONIOENCODING": "utf-8"}, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            row: dict[str, Any] = {"kind": kind, "failed": f"more than {args.seconds:.0f} s"}
        else:
            lines = done.stdout.splitlines()
            row = (
                json.loads(lines[-1]) if lines and not done.returncode else {"kind": kind, "failed": done.stderr[-400:]}
            )
        is_broken = "failed" in row or row["longest"] > row["limit"] or row["peak_mb"] > args.memory
        broken += is_broken
        rows.append(row)
        print("BROKEN" if is_broken else "ok", json.dumps(row, ensure_ascii=False), flush=True)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
