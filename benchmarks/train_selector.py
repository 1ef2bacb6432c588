"""Train the weights of `retrieval/learned_selector.py` and judge them with one data set left out at a time.

    python benchmarks/train_selector.py DATA_FOLDER … --index FOLDER [--questions 120] [--held-out DATA_FOLDER …]

DATA_FOLDER holds corpus.jsonl[.gz], questions.jsonl[.gz] and, where there are vectors, minilm.npz: such a set is used
twice, without a model and with the vectors. FOLDER holds one index per use, `NAME_hash` and `NAME_vec`; what is
missing is built there. Sets given with --held-out are never trained on.

Every greedy step of a choice is a state: its rows are the candidates left, labelled by whether they bring gold that
is not chosen yet. The first round learns from the states that the default selector runs into, the second also from
those of the first round's weights. Every set
weighs the same, and within it every question. The report shows R@5 of documents in the order of `rank`
for the default and for weights that never saw the set (both uses left out), with paired bootstrap intervals.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from gossamer import Settings, build_index, open_index
from gossamer.evaluation.bootstrap import Interval, paired_differences
from gossamer.evaluation.datasets import Dataset, Question, load_dataset
from gossamer.evaluation.vectors import load_vectors
from gossamer.retrieval.choose import best_hits, choose, gather
from gossamer.retrieval.learned_selector import FEATURES, choose_learned, features
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.retrieval.scoring import score_chunks
from gossamer.retrieval.selectors import Pool, SelectorOptions

SEED = 0
STEPS = 4
RANKED = 20
NEGATIVES = 1 / 3


@dataclass(frozen=True)
class Case:
    """A question: its free pool, which of its g pieces of gold each candidate brings, and what the default picks."""

    pool: Pool
    documents: np.ndarray
    brings: np.ndarray
    default: list[int]


@dataclass(frozen=True)
class Model:
    weights: np.ndarray
    intercept: float


Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="folder of the indexes")
    parser.add_argument("--held-out", nargs="*", type=Path, default=[], help="sets to judge on, never trained on")
    parser.add_argument(
        "--also", action="append", type=Path, default=[], help="one more corpus file of its folder's set"
    )
    parser.add_argument("--questions", type=int, default=120, help="so many questions of each set, drawn at random")
    options = parser.parse_args()
    cases: dict[tuple[str, str], list[Case]] = {}
    for folder in (*options.folders, *options.held_out):
        also = [path.name for path in options.also if path.parent.resolve() == folder.resolve()]
        for use in ("hash", "vec") if (folder / "minilm.npz").is_file() else ("hash",):
            dataset = load_dataset(folder, also=also)
            cases[dataset.name, use] = read_cases(dataset, folder, use, options.index, options.questions)
            print(f"read {dataset.name} {use}: {len(cases[dataset.name, use])} questions", flush=True)
    held_out = {folder.resolve().name for folder in options.held_out}
    judge(cases, held_out)
    model = train({key: value for key, value in cases.items() if key[0] not in held_out})
    print("\nweights of all sets")
    print(f"INTERCEPT = {model.intercept:.3f}")
    for name, weight in zip(FEATURES, model.weights, strict=True):
        print(f"{name:<18} {weight:>8.3f}")


def read_cases(dataset: Dataset, folder: Path, use: str, indexes: Path, count: int) -> list[Case]:
    """Cases of at most `count` random questions with gold; builds the index where it is missing."""
    place = indexes / f"{dataset.name}_{use}"
    vectors = load_vectors([folder / "minilm.npz"]).questions if use == "vec" else {}
    if not (place / "CURRENT").exists():
        embedder = f"vectors:{folder / 'minilm.npz'}" if use == "vec" else "hash"
        build_index(dataset.shuffled(7).documents, place, Settings(embedder))
    asked = [question for question in dataset.questions if question.gold]
    order = np.random.default_rng(SEED).permutation(len(asked))[:count]
    with open_index(place) as retrieval:
        return [read_case(retrieval, asked[i], vectors.get(asked[i].id)) for i in order.tolist()]


def read_case(retrieval: SpectRAGRetrieval, question: Question, vector: np.ndarray | None) -> Case:
    snapshot, default = retrieval.snapshot, Settings()
    channels = retrieval.channels(question.text, vector)
    scored = score_chunks(snapshot, channels, default, semantic=bool(snapshot.info["semantic"]))
    chunks = best_hits(scored, default.selection.pool)
    pool, _ = gather(snapshot, question.text, scored, chunks, Settings.learned())
    picks = choose(snapshot, question.text, scored, default, count=RANKED).picks
    place = {chunk: i for i, chunk in enumerate(chunks.tolist())}
    names = [snapshot.document_ids[document] for document in snapshot.chunk_document[chunks].tolist()]
    brings = np.array([[name in piece for piece in question.gold] for name in names]).reshape(-1, len(question.gold))
    free = replace(pool, similarity=None, graph=None, count=RANKED)
    return Case(free, snapshot.chunk_document[chunks], brings, [place[pick.place] for pick in picks])


def judge(cases: dict[tuple[str, str], list[Case]], held_out: set[str]) -> None:
    """Print R@5 of the default and of weights that never saw the set."""
    models: dict[frozenset[str], Model] = {}
    print(f"\n{'data':<20} {'use':<5} {'default':>8} {'learned':>8}  difference")
    for (name, use), judged in cases.items():
        unseen = frozenset({name, *held_out})
        if unseen not in models:
            models[unseen] = train({key: value for key, value in cases.items() if key[0] not in unseen})
        before = [recall(case, case.default) for case in judged]
        after = [recall(case, picked(case, models[unseen])) for case in judged]
        rows = [[{"R@5": value} for value in values] for values in (before, after)]
        change: Interval = paired_differences(*rows, seed=SEED)["R@5"]
        print(
            f"{name:<20} {use:<5} {100 * np.mean(before):>8.1f} {100 * np.mean(after):>8.1f}  {100 * change.mean:+.1f} "
            f"[{100 * change.low:+.1f}, {100 * change.high:+.1f}] {change.better} better, {change.worse} worse",
            flush=True,
        )


def recall(case: Case, places: Sequence[int], *, depth: int = 5) -> float:
    """Share of the pieces of gold in the first documents of a ranking."""
    documents = list(dict.fromkeys(case.documents[list(places)].tolist()))[:depth]
    return float(case.brings[np.isin(case.documents, documents)].any(axis=0).mean())


def picked(case: Case, model: Model) -> list[int]:
    """Places in the order of the learned selector."""
    pool = replace(case.pool, terms=[copy.copy(term) for term in case.pool.terms])
    picks = choose_learned(pool, SelectorOptions(backfill=False), weights=model.weights, intercept=model.intercept)
    return [pick.place for pick in picks]


def train(cases: dict[tuple[str, str], list[Case]]) -> Model:
    """Weights after two rounds, the second on the states of the default and of the first."""
    rng = np.random.default_rng(SEED)
    first = [set_rows(members, [case.default for case in members], rng) for members in cases.values()]
    model = fit(first)
    second = [set_rows(members, [picked(case, model) for case in members], rng) for members in cases.values()]
    return fit(first + second)


def set_rows(cases: Sequence[Case], orders: Sequence[Sequence[int]], rng: np.random.Generator) -> Rows:
    """Rows, labels and weights of a set's states; the weights sum to 1."""
    parts = [state_rows(case, order, rng) for case, order in zip(cases, orders, strict=True)]
    x, y, weight = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return x, y, weight / weight.sum()


def state_rows(case: Case, order: Sequence[int], rng: np.random.Generator) -> Rows:
    """Rows of the states along an order, after its first pick and while gold is left in the pool; a drawn share of
    the candidates without gold stands for all of them."""
    terms = [copy.copy(term) for term in case.pool.terms]
    left = np.ones(len(case.pool.score), dtype=bool)
    wanted = case.brings.any(axis=0)
    rows, labels, weights = [np.zeros((0, len(FEATURES)))], [np.zeros(0)], [np.zeros(0)]
    for place in order[:STEPS]:
        left[place] = False
        wanted = wanted & ~case.brings[case.documents == case.documents[place]].any(axis=0)
        for term in terms:
            term.take(place)
        if not wanted.any():
            break
        gold = left & case.brings[:, wanted].any(axis=1)
        kept = gold | (left & (rng.random(len(left)) < NEGATIVES))
        rows.append(features(terms, len(left))[kept])
        labels.append(gold[kept].astype(np.float64))
        weights.append(np.where(gold[kept], 1.0, 1.0 / NEGATIVES))
    weight = np.concatenate(weights)
    return np.concatenate(rows), np.concatenate(labels), weight / max(weight.sum(), 1.0)


def fit(sets: Sequence[Rows]) -> Model:
    """Logistic regression on features scaled to unit deviation, given back for raw features."""
    x, y, weight = (np.concatenate([rows[i] for rows in sets]) for i in range(3))
    scale = np.maximum(x.std(axis=0), 1e-9)
    model = LogisticRegression(C=1.0, max_iter=500, random_state=SEED)
    model.fit(x / scale, y, sample_weight=weight * len(y) / weight.sum())
    return Model(model.coef_[0] / scale, float(model.intercept_[0]))


if __name__ == "__main__":
    main()
