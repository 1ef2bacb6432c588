"""What dividing a question gains: gold within a budget for the plain search, for the data's own parts side by side, and for
the same parts in a chain with the data's intermediate answers (what a perfect reader would give).

    python benchmarks/parts.py DATA_FOLDER --index FOLDER [--questions 150] [--budgets 500,1000,2000]

DATA_FOLDER holds corpus and questions of which some have a `decomposition`: a list of {"question", "answer"}. A given
answer is used only where a passage found for its part holds it, as in the product.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from gossamer import build_index, open_index
from gossamer.evaluation.datasets import load_dataset
from gossamer.evaluation.jsonl import find_file, read_jsonl
from gossamer.retrieval.parts import search_parts

SEED = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="where the index is, or is built")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--budgets", default="500,1000,2000")
    options = parser.parse_args()
    budgets = [int(budget) for budget in options.budgets.split(",")]
    if not (options.index / "CURRENT").exists():
        build_index(load_dataset(options.folder).documents, options.index)
    divided = [row for row in rows(options.folder) if row.get("decomposition")]
    order = np.random.default_rng(SEED).permutation(len(divided))[: options.questions].tolist()
    found: dict[str, list[list[float]]] = {"plain": [], "side by side": [], "chained": []}
    with open_index(options.index) as retrieval:
        for place in order:
            row = divided[place]
            steps, gold = row["decomposition"], set(row["gold"])
            parts = [step["question"].replace(">>", " ") for step in steps]
            answers = {number: step["answer"] for number, step in enumerate(steps, start=1)}
            ways = {
                "plain": lambda b, row=row: retrieval.search(row["question"], b),
                "side by side": lambda b, row=row, p=parts: search_parts(retrieval, row["question"], b, parts=p).result,
                "chained": lambda b, row=row, p=parts, a=answers: (
                    search_parts(retrieval, row["question"], b, parts=p, answers=a).result
                ),
            }
            for name, search in ways.items():
                sets = [{passage.document for passage in search(budget).passages} for budget in budgets]
                found[name].append([len(gold & documents) / len(gold) for documents in sets])
    print(f"{len(order)} questions; share of the gold inside {', '.join(map(str, budgets))} tokens")
    plain = np.array(found["plain"])
    for name, values in found.items():
        gain = np.array(values) - plain
        error = 1.96 * gain.std(axis=0) / np.sqrt(len(order))
        shown = "  ".join(
            f"{mean:.3f} ({more:+.3f} ±{wide:.3f})"
            for mean, more, wide in zip(np.mean(values, axis=0), gain.mean(axis=0), error, strict=True)
        )
        print(f"{name:<13} {shown}")


def rows(folder: Path) -> list[dict[str, Any]]:
    """Questions as the file has them."""
    return [row for _, row in read_jsonl(find_file(folder, "questions.jsonl"))]


if __name__ == "__main__":
    main()
