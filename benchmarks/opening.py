"""Seconds and memory of opening a large index, and of the first question to it.

    python benchmarks/opening.py [--chunks 100000] [--keep FOLDER]

An index of some thousand chunks of invented text is built and then laid side by side with itself until it has the
wanted number of chunks. It is opened in a process of its own, once with cold and five times with warm imports.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer import build_index
from gossamer.index.local import LocalStore
from gossamer.index.store import SnapshotData
from synthetic import documents

_BASE = 5000
_CHILD = """
import json, sys, time
from pathlib import Path
def resident():
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()
    return (int(pages[1]) - int(pages[2])) * 4096 / 1e6
from gossamer import open_index
import numpy, scipy.sparse, gossamer.retrieval.pipeline, gossamer.embedders.registry
before, seconds = resident(), []
for _ in range(6):
    started = time.perf_counter()
    retrieval = open_index(sys.argv[1])
    seconds.append(time.perf_counter() - started)
opened = resident()
started = time.perf_counter()
retrieval.search("Who saw Orion in the part of Kalo Miren?", token_budget=2000)
asked = time.perf_counter() - started
print(json.dumps({"first": seconds[0], "again": min(seconds), "memory_mb": opened - before, "question": asked}))
"""


def repeated(data: SnapshotData, times: int) -> SnapshotData:
    """The snapshot `times` over, as if its documents had that many copies under other ids."""
    arrays: dict[str, NDArray[Any]] = {}
    n, m = len(data.arrays["chunk_document"]), len(data.strings["document_ids"])
    for name, array in data.arrays.items():
        if name.endswith(("__indptr", "_offsets")):
            arrays[name] = np.concatenate([array[:1], *(array[1:] + turn * int(array[-1]) for turn in range(times))])
        elif name.endswith("__indices"):
            shift = 0 if name == "entities__indices" else n
            arrays[name] = np.concatenate([array + turn * shift for turn in range(times)])
        elif name == "chunk_document":
            arrays[name] = np.concatenate([array + turn * m for turn in range(times)])
        elif name in ("lexical_indptr", "lexical_indices", "lexical_data"):
            continue
        else:
            arrays[name] = np.concatenate([array] * times)
    arrays |= _columns(data, n, times)
    strings = {
        name: list(table) * (times if name.startswith(("chunk_", "document_")) else 1)
        for name, table in data.strings.items()
    }
    strings["document_ids"] = [f"{turn:03}/{name}" for turn in range(times) for name in data.strings["document_ids"]]
    columns = {name: count * (1 if name == "entities" else times) for name, count in data.info["columns"].items()}
    counts = {name: count * (1 if name == "entities" else times) for name, count in data.info["counts"].items()}
    return SnapshotData(arrays, strings, {**data.info, "columns": columns, "counts": counts})


def _columns(data: SnapshotData, n: int, times: int) -> dict[str, NDArray[Any]]:
    """BM25 columns of the repeated passages."""
    from scipy.sparse import csr_array, hstack

    parts = tuple(data.arrays[f"lexical_{part}"] for part in ("data", "indices", "indptr"))
    one = csr_array(parts, shape=(len(parts[2]) - 1, n))
    many = hstack([one] * times, format="csr")
    return {
        "lexical_data": many.data.astype(np.float32),
        "lexical_indices": many.indices.astype(np.int32),
        "lexical_indptr": many.indptr.astype(np.int64),
    }


def main() -> None:
    """Make the index, open it, print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="Keep the index in this folder.")
    options = parser.parse_args()
    base = min(_BASE, options.chunks)
    with tempfile.TemporaryDirectory() as scratch:
        small, large = Path(scratch) / "small", options.keep or Path(scratch) / "large"
        build_index(documents(base // 5), small)
        store = LocalStore(large)
        store.save(repeated(LocalStore(small).load(), max(1, options.chunks // base)))
        run = subprocess.run([sys.executable, "-c", _CHILD, str(large)], capture_output=True, text=True, check=True)
        measured = json.loads(run.stdout)
        print(
            "| chunks | index MB | first open s | open s | memory of opening MB | first question s |\n"
            + "|---" * 6
            + "|"
        )
        print(
            f"| {base * max(1, options.chunks // base)} | {store.size_bytes() / 1e6:.0f} | {measured['first']:.3f} | "
            f"{measured['again']:.3f} | {measured['memory_mb']:.1f} | {measured['question']:.3f} |"
        )


if __name__ == "__main__":
    main()
