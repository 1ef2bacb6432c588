from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.errors import MissingExtraError, UsageError
from gossamer.graph.fuse import calibrate_weights, fit_weights, fuse, redistribute, sparsify

PRIOR = {"semantic": 0.3, "section": 0.25, "entity": 0.2, "adjacency": 0.084, "utility": 0.083, "citation": 0.083}


def random_signal(seed: int, n: int = 12, share: float = 0.3, *, steps: int = 5) -> csr_array:
    rng = np.random.default_rng(seed)
    upper = np.triu(np.ceil(rng.random((n, n)) * steps) / steps * (rng.random((n, n)) < share), 1)
    return csr_array((upper + upper.T).astype(np.float32))


@given(
    st.dictionaries(st.sampled_from(sorted(PRIOR)), st.floats(0, 1), min_size=1),
    st.sets(st.sampled_from(sorted(PRIOR))),
)
def test_redistributed_weights_keep_sum_and_proportion(weights: dict[str, float], live: set[str]) -> None:
    result = redistribute(weights, live)
    alive = {name: value for name, value in weights.items() if name in live and value > 1e-9}
    assert all(result[name] == 0 for name in weights if name not in live)
    if alive:
        assert sum(result.values()) == pytest.approx(sum(weights.values()))
        names = sorted(alive)
        for name in names:
            assert result[name] * alive[names[0]] == pytest.approx(result[names[0]] * alive[name])


def test_redistribute_published_weights_without_utility_and_citation() -> None:
    result = redistribute(PRIOR, ["semantic", "section", "entity", "adjacency"])
    assert result["semantic"] == pytest.approx(0.3 / 0.834)
    assert result["adjacency"] == pytest.approx(0.084 / 0.834)
    assert redistribute(PRIOR, []) == dict.fromkeys(PRIOR, 0.0)
    with pytest.raises(UsageError):
        redistribute({"semantic": -0.1}, ["semantic"])


def test_calibration_follows_edges_and_spread() -> None:
    even = csr_array([[0, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]])
    spread = csr_array([[0, 0.25, 0.5], [0.25, 0, 0], [0.5, 0, 0]])
    weights = calibrate_weights({"semantic": spread, "entity": even, "adjacency": even}, PRIOR)
    assert weights["adjacency"] == pytest.approx(0.084)
    assert weights["entity"] == pytest.approx(0.01)
    assert weights["semantic"] == pytest.approx(1 - 0.094)
    assert weights["utility"] == 0


def test_calibration_by_hand() -> None:
    two = csr_array([[0, 0.5, 1.0], [0.5, 0, 0], [1.0, 0, 0]])
    one = csr_array([[0, 0.2, 0.8], [0.2, 0, 0], [0.8, 0, 0]])
    # sqrt(2) · std(.5, 1) = .3536 and sqrt(2) · std(.25, 1) = .5303: shares 2/5 and 3/5
    weights = calibrate_weights({"semantic": two, "entity": one}, PRIOR, keep=())
    assert weights["semantic"] == pytest.approx(0.4)
    assert weights["entity"] == pytest.approx(0.6)


@given(st.integers(0, 1000), st.sets(st.sampled_from(sorted(PRIOR)), min_size=1))
def test_calibrated_weights_sum_to_one_with_a_floor(seed: int, names: set[str]) -> None:
    signals = {name: random_signal(seed + place, steps=1 + place) for place, name in enumerate(sorted(names))}
    live = [name for name in signals if signals[name].nnz]
    weights = calibrate_weights(signals, PRIOR)
    assert set(weights) == set(PRIOR)
    if live:
        assert sum(weights.values()) == pytest.approx(1)
        assert all(weights[name] >= 0.01 - 1e-12 for name in live)
    assert all(weights[name] == 0 for name in PRIOR if name not in live)


def test_calibration_without_any_edge_is_all_zero() -> None:
    assert calibrate_weights({"semantic": csr_array((4, 4), dtype=np.float32)}, PRIOR) == dict.fromkeys(PRIOR, 0.0)


def chain(n: int) -> csr_array:
    dense = np.diag(np.ones(n - 1), 1)
    return csr_array((dense + dense.T).astype(np.float32))


def test_fit_prefers_the_signal_that_predicts_neighbourhood() -> None:
    n = 200
    telling = chain(n) * np.float32(0.8)
    noise = random_signal(1, n, 0.05)
    fitted = fit_weights({"adjacency": chain(n), "semantic": telling, "entity": noise}, PRIOR)
    assert not fitted.fell_back
    assert fitted.positives == n - 1
    assert fitted.auc is not None
    assert fitted.auc > 0.99
    assert fitted.weights["semantic"] > 10 * fitted.weights["entity"]
    assert sum(fitted.weights.values()) == pytest.approx(1)
    assert fitted.weights["adjacency"] == pytest.approx(0.084 / 0.584)
    assert fitted == fit_weights({"adjacency": chain(n), "semantic": telling, "entity": noise}, PRIOR)


def test_fit_counts_only_full_section_weights_as_same_section() -> None:
    section = csr_array(chain(60) * np.float32(0.5))
    fitted = fit_weights({"section": section, "semantic": chain(60)}, PRIOR)
    assert (fitted.positives, fitted.fell_back, fitted.auc) == (0, True, None)


def test_fit_falls_back_with_few_positives_or_nothing_to_learn_from() -> None:
    few = fit_weights({"adjacency": chain(20), "semantic": random_signal(0, 20)}, PRIOR)
    assert (few.fell_back, few.positives, few.auc) == (True, 19, None)
    assert few.weights == pytest.approx(
        redistribute({"semantic": 0.3, "adjacency": 0.084}, PRIOR)
        | {"semantic": 0.3 / 0.384, "adjacency": 0.084 / 0.384, "section": 0, "entity": 0, "utility": 0, "citation": 0}
    )
    assert fit_weights({"adjacency": chain(50)}, PRIOR).fell_back
    opposite = csr_array((chain(200).toarray() == 0).astype(np.float32) - np.eye(200, dtype=np.float32))
    assert fit_weights({"adjacency": chain(200), "semantic": opposite}, PRIOR).reason.startswith("no signal predicts")


def test_fit_without_scikit_learn_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def refuse(name: str, *rest: Any, **options: Any) -> Any:
        if name.startswith("sklearn"):
            raise ImportError(name)
        return load(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"gossamer\[fit\]"):
        fit_weights({"adjacency": chain(50)}, PRIOR)


@settings(max_examples=50)
@given(st.integers(0, 1000), st.floats(0, 0.5), st.integers(0, 6))
def test_fused_graph_is_symmetric_and_in_range(seed: int, tau: float, k: int) -> None:
    signals = {name: random_signal(seed + place) for place, name in enumerate(sorted(PRIOR))}
    fused = fuse(signals, PRIOR)
    expected = sum(PRIOR[name] * signals[name].toarray().astype(float) for name in PRIOR)
    assert np.allclose(fused.toarray(), expected, atol=1e-6)
    assert fused.dtype == np.float32
    assert fused.data.max() <= 1
    graph = sparsify(fused, tau=tau, k=k).toarray()
    assert np.array_equal(graph, graph.T)
    assert np.array_equal(graph, expected_graph(fused.toarray(), tau, k))


def expected_graph(dense: np.ndarray, tau: float, k: int) -> np.ndarray:
    kept = np.zeros(dense.shape, dtype=bool)
    for row, values in enumerate(dense):
        strong = [j for j in range(len(values)) if values[j] > 0 and values[j] >= np.float32(tau)]
        kept[row, sorted(strong, key=lambda j: (-values[j], j))[:k]] = True
    return np.where(kept | kept.T, dense, 0)


def test_fuse_does_not_depend_on_the_order_of_signals() -> None:
    signals = {name: random_signal(place, 40) for place, name in enumerate(PRIOR)}
    backwards = dict(reversed(signals.items()))
    assert fuse(signals, PRIOR).data.tobytes() == fuse(backwards, PRIOR).data.tobytes()


def test_fuse_drops_self_edges_and_refuses_mismatches() -> None:
    looped = csr_array([[1.0, 0.5], [0.5, 0]])
    assert fuse({"semantic": looped}, {"semantic": 1.0, "entity": 0.0}).toarray().tolist() == [[0, 0.5], [0.5, 0]]
    for signals, weights in (
        ({"semantic": looped}, {}),
        ({"semantic": looped}, {"semantic": 0.5, "entity": 0.5}),
        ({"semantic": looped, "entity": csr_array((3, 3))}, {"semantic": 0.5, "entity": 0.5}),
        ({}, {}),
    ):
        with pytest.raises(UsageError, match="redistribute"):
            fuse(signals, weights)


def test_a_hub_keeps_the_edges_its_leaves_need() -> None:
    leaves = np.zeros((31, 31), dtype=np.float32)
    leaves[0, 1:] = leaves[1:, 0] = np.linspace(0.1, 0.9, 30)
    assert sparsify(csr_array(leaves), tau=0.05, k=2).nnz == 60
    with pytest.raises(UsageError):
        sparsify(csr_array(leaves), tau=float("nan"), k=2)
    with pytest.raises(UsageError):
        sparsify(csr_array(leaves), tau=0.1, k=-1)
