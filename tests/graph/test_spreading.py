"""The dictionary and the array engines side by side: known values, and agreement on random graphs."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.graph.colours import propagate_colored
from gossamer.graph.colours_arrays import spread_colored
from gossamer.graph.flow import flow
from gossamer.graph.spread_arrays import Matrix, Mechanisms, Spread
from gossamer.graph.wave import Graph, PropagationResult, propagate
from gossamer.graph.wave_arrays import wave

EXACT = {"rel": 1e-9, "abs": 1e-9}
ENGINES = {"wave": wave, "flow": flow}
SEEDS = {"A": 0.9, "C": 0.7}


def canonical(twin: float = 0.0) -> Graph:
    return Graph.from_edges(
        [("A", "A'", twin), ("A", "B", 0.8), ("A", "D", 0.4), ("C", "D", 0.6), ("C", "E", 0.3), ("D", "F", 0.5)]
    )


def to_matrix(names: tuple[str, ...], pairs: Any) -> Matrix:
    """Symmetric matrix of (node, node, value) triples."""
    place = {name: i for i, name in enumerate(names)}
    dense = np.zeros((len(names), len(names)))
    for one, other, value in pairs:
        dense[place[one], place[other]] = dense[place[other], place[one]] = value
    return csr_array(dense)


def to_vector(names: tuple[str, ...], values: Mapping[str, float] | None, default: float) -> Any:
    return None if values is None else np.array([values.get(name, default) for name in names])


def to_arrays(graph: Graph, options: dict[str, Any]) -> tuple[Matrix, dict[str, Any]]:
    """The same graph and options for the array engines."""
    names, options = graph.nodes, dict(options)
    polarity = to_vector(names, options.pop("polarity", graph.polarity or None), 1)
    source_of = options.pop("sources", None)
    labels = sorted(set(source_of.values())) if source_of else []
    vectors = np.array([graph.vectors[name] for name in names]) if graph.vectors else None
    mechanisms = Mechanisms(
        duplicates=to_matrix(names, options.pop("duplicates")) if options.get("duplicates") else None,
        duplicate_floor=options.pop("duplicate_floor", 0.95),
        vectors=vectors,
        sources=np.array([labels.index(source_of[name]) for name in names]) if source_of else None,
        exclusion=to_vector(names, options.pop("exclusion", None), 0.0),
        exclusion_coefficient=options.pop("exclusion_coefficient", 1.0),
        contradictions=to_matrix(names, options.pop("contradictions")) if options.get("contradictions") else None,
        destroy_contradictions=options.pop("destroy_contradictions", False),
        polarity=None if polarity is None else polarity.astype(np.int8),
        polarity_absorption=options.pop("polarity_absorption", 1.0),
    )
    for unused in ("duplicates", "contradictions"):
        options.pop(unused, None)
    for name, default in (("prior", 0.0), ("guidance", 1.0)):
        options[name] = to_vector(names, options.get(name), default)
    matrix = csr_array(np.array([[graph.weight(u, v) for v in names] for u in names]))
    return matrix, options | {"mechanisms": mechanisms}


def both(graph: Graph, seeds: Mapping[str, float], **options: Any) -> PropagationResult:
    """Result of the dictionary engine, after checking that the array engine says the same."""
    expected = propagate(graph, seeds, **options)
    engine = options.pop("engine", "wave")
    matrix, array_options = to_arrays(graph, options)
    ids = [graph.nodes.index(node) for node in seeds]
    check_same(ENGINES[engine](matrix, ids, list(seeds.values()), **array_options), expected, graph.nodes)
    return expected


def check_same(found: Spread, expected: PropagationResult, names: tuple[str, ...]) -> None:
    active = expected.activations
    assert [names[i] for i in found.nodes] == list(active)
    assert found.energies == pytest.approx([item.energy for item in active.values()], **EXACT)
    assert found.hops.tolist() == [item.hop for item in active.values()]
    assert found.votes.tolist() == [item.votes for item in active.values()]
    assert found.stop_reason == expected.stop_reason
    assert found.threshold == pytest.approx(expected.threshold)
    assert [names[i] for i, _ in found.ranked()] == [node for node, _ in expected.ranked()]
    for name in ("injected", "held", "dissipated", "polarity", "exclusion", "contradiction"):
        assert getattr(found.ledger, name) == pytest.approx(getattr(expected.ledger, name), **EXACT), name
    assert {names[twin]: names[node] for twin, node in found.duplicates} == expected.duplicates
    opposed = [(item.first, item.second, item.lost) for item in expected.contradictions]
    assert [(names[u], names[v]) for u, v in found.contradictions] == [pair[:2] for pair in opposed]
    assert found.contradiction_losses == pytest.approx([pair[2] for pair in opposed], **EXACT)
    for ids, losses, table in (
        (found.disputed, found.disputed_losses, expected.disputed),
        (found.excluded, found.excluded_losses, expected.excluded),
    ):
        assert [names[i] for i in ids] == list(table)
        assert losses == pytest.approx(list(table.values()), **EXACT)
    for place, item in zip(found.nodes, active.values(), strict=True):
        assert tuple(names[i] for i in found.contributors(place)) == item.contributors
        received = found.received[[place]].data
        assert received == pytest.approx(item.received, **EXACT)
        assert tuple(names[i] for i in found.path(int(place))) == expected.path(names[place])


def energies(result: PropagationResult) -> dict[str, float]:
    return dict(result.ranked())


def test_canonical_example_gives_its_known_values() -> None:
    result = both(canonical(), SEEDS)
    assert energies(result) == pytest.approx({"A": 5.625, "C": 4.375, "D": 2.875, "B": 2.25, "F": 1.725})
    assert [node for node, _ in result.ranked()] == ["A", "C", "D", "B", "F"]
    assert result.activations["D"].contributors == ("A", "C")
    assert result.activations["D"].received == pytest.approx((1.125, 1.75))
    assert [result.activations[node].hop for node in "ACDBF"] == [0, 0, 1, 1, 2]
    assert result.stop_reason == "threshold"
    assert result.threshold == pytest.approx(1.5)
    assert result.path("F") == ("A", "D", "F")
    assert result.votes == {}
    assert result.ledger.held == pytest.approx(9.125)
    assert result.ledger.dissipated == pytest.approx(0.875)
    assert result.ledger.destroyed == 0.0


def test_a_near_duplicate_becomes_a_vote_and_changes_no_energy() -> None:
    result = both(canonical(0.95), SEEDS, duplicates=[("A", "A'", 0.95)])
    assert energies(result) == pytest.approx({"A": 5.625, "C": 4.375, "D": 2.875, "B": 2.25, "F": 1.725})
    assert result.votes == {"A": 2}
    assert result.duplicates == {"A'": "A"}


@pytest.mark.parametrize(
    ("twin", "options", "expected", "stop"),
    [
        (0.95, {}, {"A": 5.625, "C": 4.375, "D": 2.37791}, "threshold"),
        (0.0, {"exponent": 3.0}, {"A": 5.625, "C": 4.375, "B": 3.0, "D": 2.708333, "F": 1.625}, "threshold"),
        (
            0.0,
            {"damping": 0.75, "threshold": 0.01},
            {"A": 5.625, "C": 4.375, "D": 3.59375, "B": 2.8125, "F": 2.6953125, "E": 1.09375},
            "exhausted",
        ),
        (
            0.0,
            {"damping": 0.45, "threshold": 0.01},
            {"A": 5.625, "C": 4.375, "D": 2.15625, "B": 1.6875, "F": 0.9703125, "E": 0.65625},
            "exhausted",
        ),
        (
            0.0,
            {"contradictions": [("B", "D", 0.9)], "destroy_contradictions": True},
            {"A": 5.625, "C": 4.375, "D": 0.85, "B": 0.225},
            "threshold",
        ),
    ],
)
def test_variants_of_the_canonical_example(
    twin: float, options: dict[str, Any], expected: dict[str, float], stop: str
) -> None:
    result = both(canonical(twin), SEEDS, **options)
    assert energies(result) == pytest.approx(expected, abs=5e-6)
    assert [node for node, _ in result.ranked()] == list(expected)
    assert result.stop_reason == stop
    assert result.ledger.balance == pytest.approx(0.0, abs=1e-9)


def test_triangle() -> None:
    graph = Graph.from_edges([("A", "B", 1.0), ("B", "C", 1.0), ("A", "C", 0.1)])
    result = both(graph, {"A": 1.0}, threshold=0.0)
    assert energies(result) == pytest.approx({"A": 10.0, "B": 5.454545, "C": 0.545455}, abs=1e-6)


def test_two_colours_meet_at_a_bridge() -> None:
    graph = canonical()
    result = propagate_colored(graph, {"one": {"A": 0.9}, "two": {"C": 0.7}})
    assert dict(result.ranked()) == pytest.approx({"A": 5.0, "C": 5.0, "D": 3.0, "B": 2.0, "E": 1.0})
    assert [part.threshold for part in result.parts.values()] == pytest.approx([0.75, 0.75])
    [bridge] = result.bridges
    assert (bridge.node, bridge.colors) == ("D", ("one", "two"))
    assert bridge.strength == pytest.approx(1 / 3)
    assert result.path("D") == ("C", "D")
    assert result.ledger.injected == pytest.approx(10.0)
    assert result.ledger.balance == pytest.approx(0.0, abs=1e-9)

    matrix, _ = to_arrays(graph, {})
    arrays = spread_colored(matrix, [([graph.nodes.index("A")], [0.9]), ([graph.nodes.index("C")], [0.7])])
    nodes, strengths = arrays.bridges()
    assert [graph.nodes[i] for i in nodes] == ["D"]
    assert strengths == pytest.approx([1 / 3])
    assert [(graph.nodes[i], round(e, 9)) for i, e in arrays.ranked()] == [(n, round(e, 9)) for n, e in result.ranked()]
    assert [graph.nodes[i] for i in arrays.path(int(nodes[0]))] == ["C", "D"]
    assert arrays.ledger.held == pytest.approx(result.ledger.held)


def test_stop_reasons() -> None:
    chain = Graph.from_edges([(f"n{i:02}", f"n{i + 1:02}", 1.0) for i in range(12)])
    assert both(chain, {"n00": 1.0}, threshold=0.2).stop_reason == "threshold"
    assert both(chain, {"n00": 1.0}, damping=1.0, threshold=0.0, max_hops=50).stop_reason == "exhausted"
    stopped = both(chain, {"n00": 1.0}, damping=0.9, threshold=0.01)
    assert (stopped.stop_reason, max(item.hop for item in stopped.activations.values())) == ("max_hop", 8)
    assert both(chain, {"n00": 1.0}, engine="flow", threshold=0.0).stop_reason == "converged"
    assert both(chain, {"n00": 1.0}, engine="flow", threshold=1e-3).stop_reason == "threshold"
    assert both(chain, {"n00": 1.0}, engine="flow", threshold=0.0, max_hops=3).stop_reason == "max_hop"
    alone = Graph.from_edges([], nodes=["A"])
    assert both(alone, {"A": 1.0}, engine="flow").stop_reason == "exhausted"
    assert both(alone, {"A": 1.0}).stop_reason == "exhausted"


@pytest.mark.parametrize("engine", ["wave", "flow"])
def test_a_cap_keeps_the_strongest_then_the_lowest_ids(engine: str) -> None:
    star = Graph.from_edges([("c", f"leaf{i}", 1.0 if i != 4 else 2.0) for i in range(6)])
    result = both(star, {"c": 1.0}, engine=engine, threshold=0.001, max_nodes=3)
    assert set(result.activations) == {"c", "leaf0", "leaf4"}
    assert result.stop_reason == "max_nodes"
    assert result.ledger.dissipated > 0.0
    assert result.ledger.balance == pytest.approx(0.0, abs=1e-9)
    assert both(star, {"c": 1.0}, engine=engine, threshold=0.001, max_nodes=7).stop_reason != "max_nodes"
    assert both(star, {"leaf0": 1.0, "leaf1": 1.0}, engine=engine, max_nodes=1).activations.keys() == {"leaf0"}
    empty = both(star, {"c": 1.0}, engine=engine, max_nodes=0)
    assert (empty.activations, empty.stop_reason, empty.ledger.dissipated) == ({}, "max_nodes", 10.0)


def test_seeds_are_not_tested_against_the_threshold() -> None:
    graph = Graph.from_edges([(f"s{i}", "T", 1.0) for i in range(10)])
    result = both(graph, dict.fromkeys((f"s{i}" for i in range(10)), 1.0))
    assert result.activations["T"].energy == pytest.approx(6.0)


@pytest.mark.parametrize("engine", ["wave", "flow"])
def test_a_duplicate_seed_frees_its_slot_for_the_next_idea(engine: str) -> None:
    seeds = {"A": 0.9, "A'": 0.9, "C": 0.7, "E": 0.1}
    plain = both(canonical(), seeds, engine=engine, width=2, max_hops=0)
    assert set(plain.activations) == {"A", "A'"}
    result = both(canonical(), seeds, engine=engine, width=2, duplicates=[("A", "A'", 0.97)], max_hops=0)
    assert energies(result) == pytest.approx({"A": 5.625, "C": 4.375})
    assert result.votes == {"A": 2}


def test_votes_count_distinct_other_sources() -> None:
    graph = Graph.from_edges([("A", "B", 1.0)], nodes=["A1", "A2", "A3", "A4"])
    pairs = [("A", f"A{i}", 0.99) for i in range(1, 5)]
    sources = {"A": "own", "A1": "own", "A2": "wiki", "A3": "wiki", "A4": "news", "B": "own"}
    assert both(graph, {"A": 1.0}, duplicates=pairs, sources=sources).votes == {"A": 3}
    assert both(graph, {"A": 1.0}, duplicates=pairs).votes == {"A": 5}


@pytest.mark.parametrize("engine", ["wave", "flow"])
def test_copies_that_would_arrive_together_share_one_slot(engine: str) -> None:
    graph = Graph.from_edges([("A", "B", 0.5), ("A", "B'", 0.6), ("A", "C", 0.4)])
    result = both(graph, {"A": 1.0}, engine=engine, threshold=0.01, duplicates=[("B", "B'", 1.0)])
    assert "B" not in result.activations
    assert result.votes == {"B'": 2}
    alone = both(Graph.from_edges([("A", "B'", 0.6), ("A", "C", 0.4)]), {"A": 1.0}, engine=engine, threshold=0.01)
    assert energies(result) == pytest.approx(energies(alone))


def test_a_weaker_pair_is_no_duplicate() -> None:
    result = both(canonical(0.9), SEEDS, duplicates=[("A", "A'", 0.94)], threshold=0.01)
    assert result.duplicates == {}
    assert "A'" in result.activations


def test_the_duplicate_bar_rises_with_the_active_set_but_never_over_an_exact_copy() -> None:
    def at(degrees: float) -> list[float]:
        return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees)), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    seeds = [f"s{i}" for i in range(6)]
    edges = [(seed, node, 1.0) for seed in seeds for node in ("x", "y")]
    nodes = ["x", "x'", "y", "y'"]
    twins = {"x": at(0), "x'": at(15), "y": at(40), "y'": at(40)}  # cosines .966 and 1
    pairs = [("x", "x'", math.cos(math.radians(15))), ("y", "y'", 1.0)]

    def suppressed(directions: list[list[float]]) -> Mapping[str, str]:
        vectors = twins | dict(zip(seeds, directions, strict=True))
        graph = Graph.from_edges(edges, nodes=nodes, vectors=vectors)
        return both(graph, dict.fromkeys(seeds, 1.0), duplicates=pairs).duplicates

    unrelated = np.eye(8)[2:].tolist()
    alike = [at(30.0 + i) for i in range(6)]
    scattered = [at(60.0 * i) for i in range(6)]  # mean + 2·std is over 1
    assert suppressed(unrelated) == {"x'": "x", "y'": "y"}
    assert suppressed(alike) == {"y'": "y"}
    assert suppressed(scattered) == {"y'": "y"}


def test_exclusion_absorbs_up_to_the_field_and_stops_the_way_on() -> None:
    partly = both(canonical(), SEEDS, exclusion={"D": 1.0})
    assert partly.activations["D"].energy == pytest.approx(1.875)
    assert partly.excluded == {"D": 1.0}
    stopped = both(canonical(), SEEDS, exclusion={"D": 1.0}, exclusion_coefficient=1.5)
    assert stopped.activations["D"].energy == pytest.approx(1.375)
    assert "F" not in stopped.activations
    assert stopped.ledger.held == pytest.approx(2.25 + 1.75 + 1.375 + 2.25)
    gone = both(canonical(), SEEDS, exclusion={"D": float("inf")})
    assert "D" not in energies(gone)
    assert gone.ledger.exclusion == pytest.approx(2.875)


def test_negative_knowledge_absorbs_and_is_named() -> None:
    result = both(canonical(), SEEDS, polarity={"D": -1})
    assert result.disputed == pytest.approx({"D": 2.875})
    assert "D" not in energies(result)
    assert "F" not in result.activations
    half = both(canonical(), SEEDS, polarity={"D": -1}, polarity_absorption=0.4)
    assert half.activations["D"].energy == pytest.approx(1.725)
    edges = [("A", "B", 1.0)]
    assert both(Graph.from_edges(edges, polarity={"B": -1}), {"A": 1.0}).disputed == pytest.approx({"B": 6.0})


def test_contradictions_are_only_flagged_unless_asked_to_destroy() -> None:
    result = both(canonical(), SEEDS, contradictions=[("B", "D", 0.9), ("A", "E", 0.5)])
    assert [(item.first, item.second, item.strength, item.lost) for item in result.contradictions] == [
        ("B", "D", 0.9, 0.0)
    ]
    assert energies(result) == pytest.approx(energies(propagate(canonical(), SEEDS)))


def test_chained_contradictions_are_handled_in_the_order_of_their_ids() -> None:
    graph = Graph.from_edges([("A", name, 1.0) for name in "BCD"])
    pairs = [("B", "C", 1.0), ("C", "D", 1.0), ("B", "D", 0.5)]
    result = both(graph, {"A": 1.0}, contradictions=pairs, destroy_contradictions=True, threshold=0.0)
    assert energies(result) == pytest.approx({"A": 10.0, "D": 2.0})


def test_a_prior_warms_seeds_and_activates_nothing_else() -> None:
    result = both(canonical(), SEEDS, prior={"A": 1.0, "D": 3.0})
    assert result.ledger.injected == pytest.approx(11.0)
    assert result.activations["A"].energy == pytest.approx(6.625)
    assert result.activations["D"].hop == 1
    assert result.threshold == pytest.approx(1.65)


@pytest.mark.parametrize("engine", ["wave", "flow"])
def test_guidance_prefers_neighbours(engine: str) -> None:
    graph = Graph.from_edges([("A", "B", 1.0), ("A", "C", 1.0), ("A", "D", 1.0)])
    result = both(graph, {"A": 1.0}, engine=engine, guidance={"B": 3.0, "D": 0.0}, threshold=0.01)
    received = {node: result.activations[node].received[0] for node in ("B", "C")}
    assert received["B"] == pytest.approx(3.0 * received["C"])
    assert "D" not in result.activations


names = st.integers(2, 9)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[tuple[str, str, float]], dict[str, Any], dict[str, float], dict[str, Any]]:
    """Edges, further arguments of the graph, seeds and options: every mechanism, each of them now and then off."""
    nodes = tuple(f"v{i}" for i in range(draw(names)))
    node = st.sampled_from(nodes)
    weight = st.sampled_from([0.0, 0.05, 0.1, 0.3, 0.5, 1 / 3, 0.7, 0.9, 1.0])
    pair = st.tuples(node, node).filter(lambda ends: ends[0] < ends[1])
    edges = [(*ends, draw(weight)) for ends in draw(st.lists(pair, max_size=20, unique=True))]
    seeds = draw(st.dictionaries(node, st.sampled_from([0.2, 0.5, 0.7, 1.0]), min_size=1, max_size=4))
    values = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0])
    options: dict[str, Any] = {
        "engine": draw(st.sampled_from(["wave", "flow"])),
        "damping": draw(st.sampled_from([0.2, 0.4, 0.6, 0.75, 0.9])),
        "threshold": draw(st.sampled_from([0.0, 1e-6, 0.01, 0.05, 0.15])),
        "exponent": draw(st.sampled_from([0.5, 1.0, 1.0, 3.0])),
        "max_hops": draw(st.sampled_from([0, 1, 3, 8, 40])),
        "max_nodes": draw(st.sampled_from([1, 2, 4, 512])),
        "width": draw(st.sampled_from([None, 1, 2, 3])),
        "prior": draw(st.none() | st.dictionaries(node, values)),
        "guidance": draw(st.none() | st.dictionaries(node, values)),
        "exclusion": draw(st.none() | st.dictionaries(node, values)),
        "exclusion_coefficient": draw(st.sampled_from([0.5, 1.0])),
        "polarity": draw(st.none() | st.dictionaries(node, st.sampled_from([-1, 1]))),
        "polarity_absorption": draw(st.sampled_from([0.3, 1.0])),
        "destroy_contradictions": draw(st.booleans()),
        "sources": draw(st.none() | st.fixed_dictionaries({name: st.sampled_from("xyz") for name in nodes})),
    }
    for name, value in (("duplicates", st.sampled_from([0.9, 0.95, 0.97, 1.0])), ("contradictions", values)):
        strengths = st.lists(pair, max_size=6, unique=True)
        options[name] = [(*ends, min(draw(value), 1.0)) for ends in draw(strengths)]
    vector = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), min_size=2, max_size=2)
    vectors = draw(st.none() | st.fixed_dictionaries(dict.fromkeys(nodes, vector)))
    return edges, {"nodes": nodes, "vectors": vectors}, seeds, options


@settings(max_examples=100, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_both_engines_agree_and_the_books_balance_in_any_order(case: Any, shuffle: random.Random) -> None:
    edges, more, seeds, options = case
    result = both(Graph.from_edges(edges, **more), seeds, **options)
    assert result.ledger.balance == pytest.approx(0.0, abs=1e-9)
    total = sum(item.energy for item in result.activations.values())
    if options["engine"] == "flow":
        assert result.ledger.held == pytest.approx(total, abs=1e-9)
    assert min((item.energy for item in result.activations.values()), default=0.0) >= 0.0
    assert len(result.activations) <= options["max_nodes"]

    mixed = [edge if shuffle.random() < 0.5 else (edge[1], edge[0], edge[2]) for edge in edges]
    shuffle.shuffle(mixed)
    order = list(seeds)
    shuffle.shuffle(order)
    again = propagate(Graph.from_edges(mixed, **more), {node: seeds[node] for node in order}, **options)
    assert again == result


@settings(max_examples=40, deadline=None)
@given(cases())
def test_directed_graphs_agree_too(case: Any) -> None:
    edges, more, seeds, options = case
    both(Graph.from_edges(edges, undirected=False, **more), seeds, **options)
