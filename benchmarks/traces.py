"""What a trace of 500 passages costs: python benchmarks/traces.py [--passages 5000] [--repeats 50]

Questions on the invented corpus of benchmarks/lint.py, each spread until it holds 500 passages. Reported are the medians of
gathering the columns, of the line of JSON, and of both with the line appended to a file; and its size.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gossamer import TraceConfig, build_index, open_index
from gossamer.insight.trace import Traces, trace_line
from gossamer.retrieval.spread_trace import trace_of
from lint import corpus


def milliseconds(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - started))
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--passages", type=int, default=5000)
    parser.add_argument("--repeats", type=int, default=50)
    options = parser.parse_args()
    documents = list(corpus(options.passages))
    with tempfile.TemporaryDirectory() as made:
        build_index(documents, Path(made) / "index")
        with open_index(Path(made) / "index", trace=TraceConfig(size=0)) as index:
            question = " ".join(" ".join(document.text.split()[:2]) for document in documents[:30])
            answer = index.retrieve(question, damping=0.9, threshold=1e-9, width=400, max_nodes=500)
        traces = Traces(TraceConfig(path=Path(made) / "traces.jsonl"))
        trace = trace_of(answer)
        columns = milliseconds(lambda: trace_of(answer), options.repeats)
        line = milliseconds(lambda: trace_line(trace), options.repeats)
        whole = milliseconds(lambda: traces.record(trace_of(answer)), options.repeats)
    size = len(trace_line(trace))
    print(f"{len(answer.passages)} passages, {size} bytes")
    print(f"columns {columns:.2f} ms, line {line:.2f} ms, both with the file {whole:.2f} ms")


if __name__ == "__main__":
    main()
