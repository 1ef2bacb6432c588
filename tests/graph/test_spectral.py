from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import block_diag, coo_array, csr_array

from gossamer.errors import UsageError
from gossamer.graph import spectral
from gossamer.graph.laplacian import laplacian, multiplex_adjacency, normalised_adjacency
from gossamer.graph.spectral import spectral_coordinates


def path(n: int) -> csr_array:
    ends = np.arange(n - 1)
    upper = coo_array((np.ones(n - 1), (ends, ends + 1)), shape=(n, n))
    return csr_array(upper + upper.T)


def clique(n: int) -> csr_array:
    return csr_array(np.ones((n, n)) - np.eye(n))


def star(n: int) -> csr_array:
    upper = coo_array((np.ones(n - 1), (np.zeros(n - 1, int), np.arange(1, n))), shape=(n, n))
    return csr_array(upper + upper.T)


def communities(count: int, size: int, seed: int = 0, between: float = 0.002) -> csr_array:
    rng = np.random.default_rng(seed)
    n = count * size
    group = np.arange(n) // size
    chance = np.where(group[:, None] == group, 0.3, between)
    upper = np.triu((rng.random((n, n)) < chance) * rng.uniform(0.5, 1, (n, n)), 1)
    return csr_array(upper + upper.T)


def eigenvalues(graph: csr_array, coordinates: np.ndarray) -> np.ndarray:
    """Rayleigh quotients of L_sym at the columns."""
    columns = coordinates.astype(float)
    return np.sum(columns * (laplacian(graph) @ columns), axis=0) / np.sum(columns**2, axis=0)


def cosines(rows: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(rows, axis=1)
    unit = rows / np.where(lengths, lengths, 1)[:, None]
    return unit @ unit.T


@pytest.mark.parametrize("n", [8, 150, 400])
def test_path_has_the_known_spectrum(n: int) -> None:
    coordinates, warnings = spectral_coordinates(path(n), dimensions=6)
    assert np.allclose(eigenvalues(path(n), coordinates), 1 - np.cos(np.pi * np.arange(1, 7) / (n - 1)), atol=1e-5)
    assert np.allclose(coordinates.T @ coordinates, np.eye(6), atol=1e-5)
    assert (np.diff(np.sign(coordinates[:, 0])[coordinates[:, 0] != 0]) != 0).sum() == 1
    assert warnings == []


@pytest.mark.parametrize("n", range(41))
def test_small_cliques_and_paths_fill_what_they_have_and_pad_the_rest(n: int) -> None:
    for graph in (clique(n), path(max(n, 1))) if n else (csr_array((0, 0)),):
        coordinates, warnings = spectral_coordinates(graph)
        size = graph.shape[0]
        assert coordinates.shape == (size, 32)
        assert coordinates.dtype == np.float32
        used = max(min(size - 1, 32), 0)
        assert np.allclose(np.linalg.norm(coordinates[:, :used], axis=0), 1, atol=1e-6)
        assert not coordinates[:, used:].any()
        assert warnings == []


def test_clique_spectrum() -> None:
    coordinates, _ = spectral_coordinates(clique(250), dimensions=5)
    assert np.allclose(eigenvalues(clique(250), coordinates), 250 / 249)


def test_two_communities_are_told_apart_by_the_first_column() -> None:
    graph = communities(2, 150)
    first = spectral_coordinates(graph, dimensions=3)[0][:, 0]
    assert np.array_equal(first[:150] > 0, np.full(150, first[0] > 0))
    assert np.array_equal(first[150:] > 0, np.full(150, first[0] < 0))


@pytest.mark.parametrize("size", [5, 60, 260])
def test_equal_components_get_equal_coordinates_whatever_the_seed(size: int) -> None:
    part = communities(2, size // 2, seed=3, between=0.1)
    graph = csr_array(block_diag([part] * 4))
    coordinates = spectral_coordinates(graph, dimensions=4)[0]
    alone = spectral_coordinates(part, dimensions=4)[0]
    width = part.shape[0]
    for number in range(4):
        assert np.allclose(coordinates[number * width : (number + 1) * width], alone, atol=1e-5)
    assert np.allclose(coordinates, spectral_coordinates(graph, dimensions=4, seed=9)[0], atol=1e-4)


def test_isolated_nodes_are_zero_and_change_nothing_else() -> None:
    graph = communities(2, 40)
    with_gaps = csr_array(block_diag([csr_array((3, 3)), graph, csr_array((2, 2))]))
    coordinates, _ = spectral_coordinates(with_gaps)
    assert not coordinates[:3].any()
    assert not coordinates[-2:].any()
    assert np.array_equal(coordinates[3:-2], spectral_coordinates(graph)[0])


def test_edgeless_graph_is_a_valid_graph() -> None:
    coordinates, warnings = spectral_coordinates(csr_array((20_000, 20_000)))
    assert not coordinates.any()
    assert warnings == []


def test_star_of_two_thousand_is_solved_and_repeats_to_the_byte() -> None:
    first, warnings = spectral_coordinates(star(2000))
    assert warnings == []
    assert np.isfinite(first).all()
    assert np.allclose(eigenvalues(star(2000), first), 1, atol=1e-6)
    assert np.allclose(first.T @ first, np.eye(32), atol=1e-5)
    assert first.tobytes() == spectral_coordinates(star(2000))[0].tobytes()


def test_same_input_same_bytes() -> None:
    graph = communities(4, 80)
    assert spectral_coordinates(graph)[0].tobytes() == spectral_coordinates(graph)[0].tobytes()


@pytest.mark.parametrize("size", [30, 120])
def test_permuted_chunks_give_permuted_coordinates(size: int) -> None:
    graph = communities(4, size, seed=1, between=0.02)
    order = np.random.default_rng(1).permutation(4 * size)
    plain = spectral_coordinates(graph, dimensions=3)[0]
    moved = spectral_coordinates(csr_array(graph[order][:, order]), dimensions=3)[0]
    assert np.allclose(np.abs(np.sum(plain[order] * moved, axis=0)), 1, atol=1e-4)
    assert np.allclose(cosines(plain[order]), cosines(moved), atol=1e-3)


def test_the_largest_entry_of_each_column_is_positive() -> None:
    coordinates = spectral_coordinates(communities(3, 100))[0]
    largest = np.abs(coordinates).argmax(axis=0)
    assert (coordinates[largest, np.arange(32)] > 0).all()


def test_multiplex_operator_is_used_as_given() -> None:
    layers = {"a": communities(2, 60, seed=1), "b": communities(2, 60, seed=2)}
    operator = multiplex_adjacency(layers, {"a": 0.7, "b": 0.3})
    coordinates = spectral_coordinates(operator, dimensions=4, normalised=True)[0].astype(float)
    expected = np.linalg.eigvalsh(operator.toarray())[::-1][1:5]
    assert np.allclose(np.sum(coordinates * (operator @ coordinates), axis=0), expected, atol=1e-6)
    one = spectral_coordinates(normalised_adjacency(layers["a"]), normalised=True)[0]
    assert np.array_equal(one, spectral_coordinates(layers["a"])[0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(1, 40), st.floats(0, 0.3))
def test_any_small_graph_gives_finite_coordinates(seed: int, n: int, dimensions: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    coordinates, warnings = spectral_coordinates(csr_array(upper + upper.T), dimensions=dimensions)
    assert coordinates.shape == (n, dimensions)
    assert np.isfinite(coordinates).all()
    assert (np.abs(coordinates) <= 1 + 1e-6).all()
    assert warnings == []


def refuse(*_: Any, **__: Any) -> Any:
    raise scipy.sparse.linalg.ArpackNoConvergence("no", np.zeros(0), np.zeros((0, 0)))


def test_a_larger_basis_is_tried_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    real, bases = scipy.sparse.linalg.eigsh, []

    def first_fails(*arguments: Any, **options: Any) -> Any:
        bases.append(options["ncv"])
        return refuse() if len(bases) == 1 else real(*arguments, **options)

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", first_fails)
    graph = communities(3, 100)
    coordinates, warnings = spectral_coordinates(graph, dimensions=2)
    assert bases == sorted(set(bases))
    assert len(bases) == 2
    assert warnings == []
    monkeypatch.undo()
    assert np.allclose(coordinates, spectral_coordinates(graph, dimensions=2)[0], atol=1e-3)


def test_block_power_iteration_finds_the_communities_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = communities(3, 100)
    exact = spectral_coordinates(graph, dimensions=2)[0]
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", refuse)
    coordinates, warnings = spectral_coordinates(graph, dimensions=2)
    assert np.allclose(coordinates, exact, atol=1e-3)
    assert len(warnings) == 1
    assert "300 chunks" in warnings[0]
    assert "block power iteration" in warnings[0]


def test_when_everything_fails_coordinates_are_zero_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", refuse)
    monkeypatch.setattr(spectral, "_block_power", lambda *_: None)
    coordinates, warnings = spectral_coordinates(csr_array(block_diag([communities(3, 100), path(9)])))
    assert not coordinates[:300].any()
    assert coordinates[300:].any()
    assert len(warnings) == 1
    assert "0" in warnings[0]


def test_a_failing_dense_solver_is_a_warning_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Any) -> Any:
        raise np.linalg.LinAlgError

    monkeypatch.setattr(np.linalg, "eigh", fail)
    coordinates, warnings = spectral_coordinates(path(9))
    assert not coordinates.any()
    assert len(warnings) == 1


def test_more_dimensions_than_a_large_component_can_give() -> None:
    coordinates, warnings = spectral_coordinates(path(230), dimensions=300)
    assert coordinates[:, :229].any(axis=0).all()
    assert not coordinates[:, 229:].any()
    assert warnings == []


def test_float32_path_for_large_components(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectral, "_LARGE_NODES", 250)
    graph = communities(3, 100)
    single = spectral_coordinates(graph, dimensions=2)[0]
    monkeypatch.undo()
    assert np.allclose(single, spectral_coordinates(graph, dimensions=2)[0], atol=2e-3)


@pytest.mark.parametrize("graph", [csr_array([[0, -1.0], [-1.0, 0]]), csr_array([[0, np.nan], [1, 0]])])
def test_unusable_input_is_refused(graph: csr_array) -> None:
    with pytest.raises(UsageError):
        spectral_coordinates(graph)
    with pytest.raises(UsageError):
        spectral_coordinates(csr_array((2, 2)), dimensions=0)
