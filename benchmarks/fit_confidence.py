"""Fit the weights of `insight/confidence.py` and judge them on data sets that the weights never saw.

    python benchmarks/fit_confidence.py DATA_FOLDER … --index FOLDER [--questions 150] [--cut NAME …]

DATA_FOLDER holds corpus.jsonl[.gz], questions.jsonl[.gz] and, where there are vectors, minilm.npz: such a set is used
twice, without a model and with the vectors. FOLDER holds one index per use, `NAME_hash` and `NAME_vec`; what is
missing is built there. Sets named by --cut are used once more with the gold of QUESTIONS questions taken out of the
corpus: those have no answer any more, as many others keep theirs.

Every question is searched with two budgets; its label says whether the context holds all gold, and is 0 for a question
without an answer. Each set and budget has its own level in the fit and weighs the same, so that the weights tell good
from bad results of one set and not easy sets from hard ones; a measure whose weight would be negative is left out. The
fitted logits are shrunk by 0.85, the best of five factors over the left-out sets.

The report sets the probability of each set, by weights from the sets of other names, beside the best hybrid relevance
and the best BM25 alone; then how often a stated probability was right, over all sets, each by the weights of the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from gossamer import Settings, build_index, open_index
from gossamer.evaluation.abstention import Abstention, abstention
from gossamer.evaluation.datasets import Dataset, Question, load_dataset
from gossamer.evaluation.vectors import load_vectors
from gossamer.insight.confidence import Evidence
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.retrieval.scoring import score_chunks
from gossamer.retrieval.sufficiency import search_evidence

SEED = 0
BUDGETS = (1000, 4000)
LEVEL_SCALE = 3.0
SHRINK = 0.85
NAMES = [item.name for item in fields(Evidence)]


@dataclass(frozen=True)
class Row:
    """One search: what it measured, the best hybrid and BM25 scores, and how it ended."""

    measures: tuple[float, ...]
    hybrid: float
    bm25: float
    null: bool
    complete: bool
    budget: int


@dataclass(frozen=True)
class Model:
    weights: np.ndarray
    intercept: float

    def __call__(self, rows: Sequence[Row]) -> np.ndarray:
        return 1.0 / (1.0 + np.exp(-(table(rows) @ self.weights + self.intercept)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--index", type=Path, required=True, help="folder of the indexes")
    parser.add_argument("--questions", type=int, default=150, help="so many of each kind")
    parser.add_argument("--cut", nargs="*", default=[], help="sets to use also without their evidence")
    options = parser.parse_args()
    rows: dict[tuple[str, str], list[Row]] = {}
    for folder in options.folders:
        dataset = load_dataset(folder)
        for use in ("hash", "vec") if (folder / "minilm.npz").is_file() else ("hash",):
            rows[dataset.name, use] = read_rows(dataset, folder, use, options.index, options.questions)
            if dataset.name in options.cut:
                without = without_evidence(dataset, options.questions)
                rows[dataset.name, f"{use}-cut"] = read_rows(without, folder, use, options.index, options.questions)
    report(rows)
    whole = fit(list(rows.values()))
    print("\nweights of all sets")
    for name, weight in zip(NAMES, whole.weights, strict=True):
        print(f"{name:<12} {weight:>7.3f}")
    print(f"{'intercept':<12} {whole.intercept:>7.3f}")


def without_evidence(dataset: Dataset, count: int) -> Dataset:
    """The corpus without the gold of `count` questions, which have none then, beside those that keep all theirs."""
    answerable = [question for question in dataset.questions if not question.null]
    order = np.random.default_rng(SEED).permutation(len(answerable)).tolist()
    lost = [answerable[place] for place in order[:count]]
    gone = frozenset(document for question in lost for piece in question.gold for document in piece)
    names = {question.id for question in lost}
    kept = [q for q in answerable if q.id not in names and not any(gone & set(piece) for piece in q.gold)]
    questions = (*(replace(question, gold=()) for question in lost), *kept)
    documents = tuple(document for document in dataset.documents if document.id not in gone)
    return replace(dataset, name=f"{dataset.name}_cut", documents=documents, questions=questions)


def read_rows(dataset: Dataset, folder: Path, use: str, indexes: Path, count: int) -> list[Row]:
    """Rows of at most `count` random questions of each kind."""
    place = indexes / f"{dataset.name}_{use}"
    vectors = load_vectors([folder / "minilm.npz"]).questions if use == "vec" else {}
    if not (place / "CURRENT").exists():
        build_index(dataset.documents, place, Settings(f"vectors:{folder / 'minilm.npz'}" if use == "vec" else "hash"))
    rng = np.random.default_rng(SEED)
    rows = []
    with open_index(place) as retrieval:
        for null in (False, True):
            kind = [question for question in dataset.questions if question.null == null]
            for number in rng.permutation(len(kind))[:count].tolist():
                rows += read_searches(retrieval, kind[number], vectors.get(kind[number].id))
    return rows


def read_searches(retrieval: SpectRAGRetrieval, question: Question, vector: np.ndarray | None) -> list[Row]:
    """One row for each budget."""
    snapshot = retrieval.snapshot
    channels = retrieval.channels(question.text, vector)
    scored = score_chunks(snapshot, channels, retrieval.settings, semantic=bool(snapshot.info["semantic"]))
    best = float(scored.relevance.max()), float(channels.bm25.max())
    numbers = {snapshot.chunk_id(chunk): chunk for chunk in np.flatnonzero(scored.reached).tolist()}
    rows = []
    for budget in BUDGETS:
        result = retrieval.search(question.text, budget, query_vector=vector)
        chunks = [numbers[passage.id] for passage in result.passages]
        if chunks:
            documents = {passage.document for passage in result.passages}
            complete = not question.null and all(documents.intersection(piece) for piece in question.gold)
            measures = astuple(search_evidence(snapshot, result.question, chunks, scored))
            rows.append(Row(measures, *best, question.null, complete, budget))
    return rows


def fit(sets: Sequence[Sequence[Row]]) -> Model:
    """Logistic regression with a level per set and budget, given back with the one level that keeps the mean label."""
    groups = [[row for row in rows if row.budget == budget] for rows in sets for budget in BUDGETS]
    groups = [group for group in groups if len({row.complete for row in group}) == 2]
    x = np.concatenate([table(group) for group in groups])
    y = np.concatenate([[float(row.complete) for row in group] for group in groups])
    weight = np.concatenate([np.full(len(group), 1 / len(group)) for group in groups])
    weight *= len(y) / weight.sum()
    levels = LEVEL_SCALE * np.repeat(np.eye(len(groups)), [len(group) for group in groups], axis=0)
    scale = np.maximum(x.std(axis=0), 1e-9)
    kept = list(range(x.shape[1]))
    while True:
        model = LogisticRegression(C=0.3, max_iter=2000, random_state=SEED)
        model.fit(np.hstack([x[:, kept] / scale[kept], levels]), y, sample_weight=weight)
        found = model.coef_[0][: len(kept)]
        if (found >= 0).all():
            break
        kept.pop(int(np.argmin(found)))
    weights = np.zeros(x.shape[1])
    weights[kept] = SHRINK * found / scale[kept]
    return Model(weights, level(x @ weights, y, weight))


def level(logits: np.ndarray, y: np.ndarray, weight: np.ndarray) -> float:
    """The intercept at which the mean probability is the mean label, by bisection."""
    low, high = -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        mean = np.average(1.0 / (1.0 + np.exp(-(logits + middle))), weights=weight)
        low, high = (middle, high) if mean < np.average(y, weights=weight) else (low, middle)
    return (low + high) / 2


def report(rows: dict[tuple[str, str], list[Row]]) -> None:
    """AUROC of nulls and of sufficiency, risk at part coverage, area under the risk-coverage curve, and calibration."""
    print(
        f"{'data':<17}{'use':<9}{'budget':>6}  {'by':<11}{'null':>6}{'suff.':>7}{'AURC':>7}{'r@.4':>6}{'r@1':>6}{'mean':>6}"
    )
    stated, truth, weight = [], [], []
    for (name, use), found in rows.items():
        others = fit([part for (other, _), part in rows.items() if other != name])
        for budget in BUDGETS:
            judged = [row for row in found if row.budget == budget]
            sure = others(judged)
            plain = {"hybrid top": [row.hybrid for row in judged], "BM25 top": [row.bm25 for row in judged]}
            for label, scores in {**plain, "confidence": sure}.items():
                measured = abstention(list(scores), [row.null for row in judged], [row.complete for row in judged])
                mean = "" if label in plain else f"{sure.mean():.2f}"
                print(f"{name:<17}{use:<9}{budget:>6}  {label:<11}{line(measured)}{mean:>6}", flush=True)
            stated.append(sure)
            truth.append(np.array([row.complete for row in judged], dtype=float))
            weight.append(np.full(len(judged), 1 / len(judged)))
    reliability(np.concatenate(stated), np.concatenate(truth), np.concatenate(weight))


def reliability(stated: np.ndarray, truth: np.ndarray, weight: np.ndarray) -> None:
    """How often results of a stated probability were complete, every set and budget weighing the same."""
    print("\nstated     searches  mean   complete")
    for low in np.arange(10) / 10:
        part = (stated >= low) & (stated < low + 0.1)
        if part.any():
            said, was = np.average(stated[part], weights=weight[part]), np.average(truth[part], weights=weight[part])
            print(f"{low:.1f}-{low + 0.1:.1f}    {part.sum():>8}  {said:.2f}   {was:.2f}")
    always = np.average(truth, weights=weight)
    errors = [np.average((guess - truth) ** 2, weights=weight) for guess in (stated, always)]
    print(f"Brier score {errors[0]:.3f}; of always saying {always:.2f}: {errors[1]:.3f}")


def line(measured: Abstention) -> str:
    aurocs = ["-" if value is None else f"{value:.3f}" for value in (measured.null_auroc, measured.failure_auroc)]
    risks = f"{measured.risk['0.4']:>6.2f}{measured.risk['1.0']:>6.2f}"
    return f"{aurocs[0]:>6}{aurocs[1]:>7}{measured.aurc:>7.3f}{risks}"


def table(rows: Sequence[Row]) -> np.ndarray:
    return np.array([row.measures for row in rows])


if __name__ == "__main__":
    main()
