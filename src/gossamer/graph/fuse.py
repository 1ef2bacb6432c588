"""From edge signals to one weighted graph W: weights of the signals, their sum, and the strongest edges."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, triu

from gossamer.errors import MissingExtraError, UsageError
from gossamer.graph.laplacian import check_weights
from gossamer.graph.sparse import rows_of, strongest


class FittedWeights(NamedTuple):
    """Weights from `fit_weights`: `auc` on held-out pairs, None where `fell_back` to the priors for `reason`."""

    weights: dict[str, float]
    auc: float | None
    fell_back: bool
    reason: str
    positives: int


def redistribute(weights: Mapping[str, float], live: Collection[str]) -> dict[str, float]:
    """Weights where absent signals give theirs to the live ones in proportion: α_r · Σα / Σ_live α.

    The sum stays. With no live signal of positive weight all weights are 0. Raises UsageError for a negative or
    infinite weight.

    >>> redistribute({"semantic": .5, "entity": .25, "utility": .25}, ["semantic", "entity"])
    {'semantic': 0.6666666666666666, 'entity': 0.3333333333333333, 'utility': 0.0}
    """
    if not all(0 <= value < np.inf for value in weights.values()):
        raise UsageError(f"Signal weights {dict(weights)} are not possible. Give finite weights of at least 0.")
    total = sum(weights.values())
    alive = sum(value for name, value in weights.items() if name in live)
    return {name: value / alive * total if name in live and alive else 0.0 for name, value in weights.items()}


def calibrate_weights(
    signals: Mapping[str, csr_array],
    prior: Mapping[str, float],
    *,
    keep: Sequence[str] = ("adjacency",),
    floor: float = 0.01,
) -> dict[str, float]:
    """Weights from the data: α_r ∝ sqrt(edges_r) · std(w_r / max w_r), signals in `keep` at their prior.

    Live signals (those with edges) get at least `floor`, the others 0; the sum is 1. Signals that do not vary, all
    together, share by their priors. Source: SpectRAG section 3.3.

    >>> ring = csr_array([[0, .2, .8], [.2, 0, 0], [.8, 0, 0]])
    >>> calibrate_weights({"adjacency": ring, "semantic": ring}, {"adjacency": .1, "semantic": .3, "entity": .6})
    {'adjacency': 0.1, 'semantic': 0.9, 'entity': 0.0}
    """
    live = [name for name in prior if name in signals and signals[name].nnz]
    based = redistribute(prior, prior)
    total = sum(based.values())
    fixed = {name: based[name] / total for name in live if name in keep and total}
    free = [name for name in live if name not in fixed]
    if not free:
        return _to_one(redistribute(prior, live))
    importance = np.array([_importance(signals[name]) for name in free])
    if not importance.any():
        importance = np.array([based[name] for name in free])
    shares = _share(1 - sum(fixed.values()), importance, floor)
    chosen = {**fixed, **dict(zip(free, shares.tolist(), strict=True))}
    return _to_one({name: chosen.get(name, 0.0) for name in prior})


def _importance(signal: csr_array) -> float:
    data = np.asarray(signal.data, dtype=np.float64)
    return float(np.sqrt(len(data) / 2) * np.std(data / data.max()))


def _share(total: float, importance: NDArray[np.float64], floor: float) -> NDArray[np.float64]:
    """Split `total` in proportion to `importance`, nobody below `floor` (or an equal share, where that is less)."""
    floor = min(floor, total / len(importance))
    if not importance.any():
        importance = np.ones_like(importance)
    low = np.zeros(len(importance), dtype=bool)
    while True:
        shares = np.full(len(importance), floor)
        shares[~low] = (total - floor * low.sum()) * importance[~low] / max(importance[~low].sum(), 1e-300)
        below = low | (shares < floor)
        if (below == low).all():
            return shares
        low = below


def _to_one(weights: dict[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    return {name: value / total for name, value in weights.items()} if total else weights


def fit_weights(
    signals: Mapping[str, csr_array],
    prior: Mapping[str, float],
    *,
    targets: Sequence[str] = ("adjacency", "section"),
    samples: int = 20_000,
    held_out: float = 0.3,
    seed: int = 0,
) -> FittedWeights:
    """Weights by logistic regression of "adjacent or same section" on the other signals, against random pairs.

    Positives are pairs whose weight is 1 in a signal of `targets`, at most `samples` of them; as many random pairs are
    negatives. Coefficients are clipped at 0 and share what the targets' priors leave; the weights sum to 1. The
    AUC is measured on the `held_out` share of pairs. With under 20 positives or negatives, no live signal besides
    the targets, or no positive coefficient, the priors are returned and `fell_back` is true.
    Raises MissingExtraError without scikit-learn. Source: SpectRAG section 3.3.
    """
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.metrics import roc_auc_score
    except ImportError as missing:
        raise MissingExtraError("scikit-learn", "fit", 'weights="fit"') from missing
    live = [name for name in prior if name in signals and signals[name].nnz]
    features = [name for name in live if name not in targets]
    priors = _to_one(redistribute(prior, live))
    rng = np.random.default_rng(seed)
    positive = _positives([signals[name] for name in targets if name in live])
    count = len(positive)
    if not features or count < 20:
        reason = "no signal besides the targets has edges" if not features else "under 20 positives"
        return FittedWeights(priors, None, True, reason, count)
    n = signals[features[0]].shape[0]
    chosen = rng.permutation(positive)[:samples]
    negative = _random_pairs(n, len(chosen), positive, rng)
    if len(negative) < 20:
        return FittedWeights(priors, None, True, "under 20 negatives", count)
    keys = np.concatenate([chosen, negative])
    label = np.concatenate([np.ones(len(chosen)), np.zeros(len(negative))])
    values = np.column_stack([_values_at(signals[name], keys) for name in features])
    test = np.concatenate([np.arange(len(part)) < held_out * len(part) for part in (chosen, negative)])
    model = LogisticRegression(max_iter=1000).fit(values[~test], label[~test])
    auc = float(roc_auc_score(label[test], model.decision_function(values[test])))
    gain = np.maximum(model.coef_[0], 0)
    if not gain.any():
        return FittedWeights(priors, auc, True, "no signal predicts the targets", count)
    rest = 1 - sum(priors[name] for name in live if name in targets)
    fitted = {**priors, **dict(zip(features, (rest * gain / gain.sum()).tolist(), strict=True))}
    return FittedWeights(_to_one(fitted), auc, False, "", count)


def _positives(targets: Sequence[csr_array]) -> NDArray[np.int64]:
    """Sorted keys i·n + j, i < j, of the pairs with weight 1 in any of `targets`."""
    found = [np.zeros(0, dtype=np.int64)]
    for matrix in targets:
        upper = triu(matrix, k=1, format="coo")
        full = upper.data >= 1
        found.append(upper.row[full].astype(np.int64) * matrix.shape[1] + upper.col[full])
    return np.unique(np.concatenate(found))


def _random_pairs(n: int, count: int, excluded: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """At most `count` distinct random pairs outside `excluded`, as keys in random order."""
    pairs = np.sort(rng.integers(n, size=(3 * count + 100, 2)), axis=1)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    keys = np.setdiff1d(pairs[:, 0] * n + pairs[:, 1], excluded)
    return rng.permutation(keys)[:count]


def _values_at(matrix: csr_array, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """Entries of an n × n matrix at keys i·n + j."""
    ordered = matrix.copy()
    ordered.sort_indices()
    stored = rows_of(ordered) * matrix.shape[1] + ordered.indices
    place = np.minimum(np.searchsorted(stored, keys), len(stored) - 1)
    return np.where(stored[place] == keys, ordered.data[place], 0).astype(np.float64)


def fuse(signals: Mapping[str, csr_array], weights: Mapping[str, float]) -> csr_array:
    """w_ij = Σ_r α_r w_ij^(r), float32 with a zero diagonal; summed in the order of the names.

    Give weights from `redistribute`: a positive weight for a signal that is not given raises UsageError, as does a
    signal without a weight and signals of different shapes. Source: SpectRAG section 3.3.

    >>> edge = csr_array([[0, .5], [.5, 0]])
    >>> fuse({"semantic": edge, "entity": edge}, {"semantic": .5, "entity": .25}).toarray().tolist()
    [[0.0, 0.375], [0.375, 0.0]]
    """
    unweighted = sorted(set(signals) - set(weights))
    unknown = sorted(name for name, value in weights.items() if value and name not in signals)
    if unweighted or unknown or len({matrix.shape for matrix in signals.values()}) != 1:
        raise UsageError(
            f"Signals and weights do not match (no weight: {unweighted}, no signal: {unknown}). "
            "Pass signals of one shape and weights from redistribute()."
        )
    parts = [check_weights(signals[name]).astype(np.float64) * weights[name] for name in sorted(signals)]
    total = csr_array(sum(parts[1:], start=parts[0])).astype(np.float32)
    rows = rows_of(total)
    total.data[rows == total.indices] = 0
    total.eliminate_zeros()
    total.sort_indices()
    return total


def sparsify(weights: csr_array, *, tau: float, k: int) -> csr_array:
    """The graph W: edges of at least τ that are among the `k` strongest of either end, symmetric.

    Ties go to the lower chunk number. Raises UsageError for a negative or NaN τ and for k below 0.

    >>> sparsify(csr_array([[0, .9, .5], [.9, 0, .8], [.5, .8, 0]]), tau=.1, k=1).toarray().tolist()
    [[0.0, 0.9, 0.0], [0.9, 0.0, 0.8], [0.0, 0.8, 0.0]]
    """
    if not 0 <= tau < np.inf or k < 0:
        raise UsageError(f"tau = {tau!r} and k = {k!r} are not possible. Give a finite tau and k of at least 0.")
    matrix = check_weights(weights).copy()
    matrix.data[matrix.data < tau] = 0
    kept = strongest(matrix, k)
    graph = csr_array(kept.maximum(kept.T))
    graph.sort_indices()
    return graph
