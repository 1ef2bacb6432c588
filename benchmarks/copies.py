"""How much retrieval loses when 40 % of a corpus are injected copies: python benchmarks/copies.py DATA_FOLDER …

Copies are exact, or paraphrased by the order of their sentences and clauses; each gets an id and a place of its own. A copy
that is found counts as the passage it copies. Near-duplicates become votes or are left alone ("no dedup"), in `retrieve` and
in `rank`; the time is that of a `retrieve` with votes, the median over the questions.
DATA_FOLDER holds corpus.jsonl[.gz], questions.jsonl[.gz] (with `gold`) and, where there are vectors, minilm.npz.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gossamer import Document, Settings, build_index, open_index
from gossamer.evaluation.jsonl import find_file, read_jsonl

_CLAUSE = re.compile(r"(?<=[.;!?])\s+")
_MARK = "~copy"


@dataclass(frozen=True)
class Data:
    """Documents, questions with gold, and given vectors by id (empty where there are none)."""

    documents: list[Document]
    questions: list[dict[str, Any]]
    passages: dict[str, np.ndarray]
    asked: dict[str, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--share", type=float, default=0.4, help="share of copies in the corpus")
    parser.add_argument("--also", action="append", default=[], help="one more corpus file of every folder")
    parser.add_argument("--step", type=int, default=1, help="ask every n-th question")
    parser.add_argument("--engine", default="flow")
    options = parser.parse_args()
    print(f"{'':<30} {'retrieve':>9} {'no dedup':>9} {'rank':>9} {'no dedup':>9} {'ms':>7} {'no dedup':>9}")
    for folder in options.folders:
        data = load(folder, options.also)
        for kind in ("clean", "exact", "word order"):
            found = measure(data, kind, options.share, options.step, options.engine)
            recalls = " ".join(f"{value:>9.4f}" for value in found[:4])
            print(f"{folder.name:<17} {kind:<12} {recalls} {found[4]:>7.1f} {found[5]:>9.1f}", flush=True)


def load(folder: Path, also: Iterable[str]) -> Data:
    rows = [row for name in ("corpus.jsonl", *also) for row in read_rows(folder / name)]
    documents = [Document(row["id"], row["text"], title=row.get("title") or "") for row in rows]
    questions = [row for row in read_rows(folder / "questions.jsonl") if row.get("gold")]
    vectors = folder / "minilm.npz"
    if not vectors.is_file():
        return Data(documents, questions, {}, {})
    with np.load(vectors) as stored:
        passages = dict(zip(stored["ids"].tolist(), stored["vectors"].astype(np.float32), strict=True))
        asked = dict(zip(stored["question_ids"].tolist(), stored["question_vectors"].astype(np.float32), strict=True))
    return Data(documents, questions, passages, asked)


def read_rows(path: Path) -> list[dict[str, Any]]:
    return [row for _, row in read_jsonl(find_file(path.parent, path.name))]


def with_copies(documents: Sequence[Document], kind: str, share: float) -> list[Document]:
    """The documents with so many copies that they are `share` of all, shuffled."""
    rng = random.Random(7)
    copies = []
    if kind != "clean":
        count = round(share / (1 - share) * len(documents))
        for number, original in enumerate(rng.choices(documents, k=count)):
            text = original.text if kind == "exact" else reordered(original.text, rng)
            copies.append(Document(f"{original.id}{_MARK}{number}", text, title=original.title))
    mixed = [*documents, *copies]
    rng.shuffle(mixed)
    return mixed


def reordered(text: str, rng: random.Random) -> str:
    """The same words with sentences shuffled, and each sentence turned around at a comma where it has one."""
    sentences = []
    for sentence in _CLAUSE.split(text):
        head, comma, tail = sentence.rstrip(".").partition(", ")
        sentences.append(f"{tail}, {head}." if comma else sentence)
    rng.shuffle(sentences)
    return " ".join(sentences)


def measure(data: Data, kind: str, share: float, step: int, engine: str) -> list[float]:
    """Mean R@5 of retrieve and rank, each with near-duplicates as votes and left alone; the two medians in ms of retrieve."""
    documents = with_copies(data.documents, kind, share)
    with tempfile.TemporaryDirectory() as folder:
        chosen = Settings()
        if data.passages:
            path = Path(folder) / "vectors.npz"
            ids = [document.id for document in documents]
            np.savez(path, ids=ids, vectors=np.stack([vector_of(data, name, kind) for name in ids]))
            chosen = Settings(embedder=f"vectors:{path}")
        build_index(documents, Path(folder) / "index", chosen)
        with open_index(Path(folder) / "index") as index:
            rows = [recall(index, data, row, engine) for row in data.questions[::step]]
    table = np.array(rows)
    return [*table[:, :4].mean(axis=0).tolist(), *np.median(table[:, 4:], axis=0).tolist()]


def vector_of(data: Data, name: str, kind: str) -> np.ndarray:
    """The vector of a passage; that of a reordered copy is a little off, at a cosine of about .98."""
    original, _, copy = name.partition(_MARK)
    vector = data.passages[original]
    if not copy or kind == "exact":
        return vector
    noise = np.random.default_rng(int(copy)).normal(size=vector.size).astype(np.float32)
    return vector / np.linalg.norm(vector) + 0.2 * noise / np.linalg.norm(noise)


def recall(index: Any, data: Data, row: dict[str, Any], engine: str) -> list[float]:
    question, vector, gold = row["question"], data.asked.get(row["id"]), set(row["gold"])

    def share(passages: Sequence[Any]) -> float:
        return len({passage.document.partition(_MARK)[0] for passage in passages[:5]} & gold) / len(gold)

    shares, times = [], []
    index.retrieve(question, query_vector=vector, engine=engine)
    for duplicates in (True, False):
        started = time.perf_counter()
        answer = index.retrieve(question, query_vector=vector, engine=engine, duplicates=duplicates)
        times.append(1e3 * (time.perf_counter() - started))
        shares.append(share(answer.passages))
    for duplicates in (True, False):
        asked = index.with_settings(index.settings.replace(**{"retrieval.duplicates": duplicates}))
        shares.append(share(asked.rank(question, 5, query_vector=vector).passages))
    return [*shares, *times]


if __name__ == "__main__":
    main()
