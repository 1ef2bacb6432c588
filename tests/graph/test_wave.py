"""What is particular to the dictionary engine: its imports, its graph and its errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.colours import propagate_colored
from gossamer.graph.wave import Graph, propagate

PAIR = Graph.from_edges([("A", "B", 0.5)])


def test_it_runs_with_the_standard_library_alone() -> None:
    source = str(Path(gossamer.__path__[0]).parent)
    code = (
        f"import sys; sys.path.insert(0, {source!r})\n"
        "from gossamer.graph.wave import Graph, propagate\n"
        "from gossamer.graph.colours import propagate_colored\n"
        "graph = Graph.from_edges([('A', 'B', 0.8)])\n"
        "propagate_colored(graph, {'one': {'A': 1.0}}, engine='flow')\n"
        "known = {*sys.stdlib_module_names, 'gossamer', '__main__'}\n"
        "outside = {name.split('.')[0] for name in sys.modules} - known\n"
        "print(propagate(graph, {'A': 1.0}).stop_reason, sorted(outside))\n"
    )
    # -I -S: no site-packages and no environment, so that nothing but the standard library can be found
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("exhausted []\n", "")


def test_graph_keeps_the_larger_weight_of_an_edge_given_twice() -> None:
    graph = Graph.from_edges([("A", "B", 0.4), ("B", "A", 0.9), ("A", "B", 0.2)], nodes=["Z"])
    assert graph.weight("A", "B") == graph.weight("B", "A") == 0.9
    assert graph.neighbours("Z") == {}
    assert (graph.nodes, len(graph), "B" in graph, "Q" in graph) == (("A", "B", "Z"), 3, True, False)


def test_directed_edges_point_one_way() -> None:
    graph = Graph.from_edges([("A", "B", 0.4)], undirected=False)
    assert (graph.neighbours("A"), graph.neighbours("B")) == ({"B": 0.4}, {})


def test_near_duplicates_need_vectors_of_one_dimension() -> None:
    vectors = {"A": [3.0, 4.0], "B": [0.6, 0.8], "C": [0.0, 0.0]}
    graph = Graph.from_edges([("A", "B", 1.0), ("B", "C", 1.0)], vectors=vectors)
    [(one, other, cosine)] = graph.near_duplicates()
    assert (one, other, cosine) == ("A", "B", pytest.approx(1.0))
    with pytest.raises(UsageError, match="vectors of 'B' has 1 numbers"):
        Graph.from_edges([("A", "B", 1.0)], vectors={"A": [1.0, 0.0], "B": [1.0]})
    with pytest.raises(UsageError, match="not finite"):
        Graph.from_edges([("A", "B", 1.0)], vectors={"A": [float("nan"), 0.0]})


@pytest.mark.parametrize(
    ("edges", "error", "message"),
    [
        ([("A", "B", -0.1)], UsageError, "weight of the edge 'A'–'B' is -0.1. Choose a value from 0 to 1e\\+09"),
        ([("A", "B", float("nan"))], UsageError, "is nan. Choose"),
        ([("A", "B", "x")], ArgumentTypeError, "is a str, not a number"),
        ([("A", "B")], ArgumentTypeError, "Pass every edge as"),
        (["ABC"], ArgumentTypeError, "Pass every edge as"),
        ([("A", 7, 0.5)], ArgumentTypeError, "Use strings as node ids"),
    ],
)
def test_bad_edges_are_named(edges: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Graph.from_edges(edges)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "tide"}, "engine is 'tide'. Choose one of: wave, flow"),
        ({"energy": 0.0}, "energy is 0.0. Choose a value above 0"),
        ({"damping": 1.2}, "damping is 1.2. Choose a value from 0 to 1"),
        ({"threshold": -0.1}, "threshold is -0.1. Choose a value from 0 to 1"),
        ({"exponent": 0.0}, "exponent is 0.0. Choose a value above 0 and up to 16"),
        ({"max_hops": -1}, "max_hops is -1. Choose a whole number of at least 0"),
        ({"max_nodes": -5}, "max_nodes is -5. Choose a whole number of at least 0"),
        ({"width": 0}, "width is 0. Choose a whole number of at least 1"),
        ({"duplicate_floor": 2.0}, "duplicate_floor is 2.0. Choose a value from 0 to 1"),
        ({"duplicates": [("A", "A", 1.0)]}, "duplicates pairs 'A' with itself"),
        ({"duplicates": [("A", "B", 1.5)]}, "duplicates of 'A'–'B' is 1.5. Choose a value from 0 to 1"),
        ({"contradictions": [("A", "B", -1)]}, "contradictions of 'A'–'B' is -1. Choose a value from 0 to 1"),
        ({"exclusion": {"A": -1.0}}, "exclusion of 'A' is -1.0. Choose a value from 0 to inf"),
        ({"exclusion_coefficient": 0.0}, "exclusion_coefficient is 0.0. Choose a value above 0"),
        ({"polarity": {"A": 3}}, "polarity of 'A' is 3. Choose -1"),
        ({"polarity_absorption": 1.1}, "polarity_absorption is 1.1. Choose a value from 0 to 1"),
        ({"prior": {"A": float("nan")}}, "prior of 'A' is nan"),
        ({"guidance": {"A": float("inf")}}, "guidance of 'A' is inf"),
    ],
)
def test_impossible_options_are_named_with_their_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        propagate(PAIR, {"A": 1.0}, **options)


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ({}, "seeds is empty"),
        ({"A": 0.0}, "no node with a positive weight"),
        ({"A": -0.5}, "seeds of 'A' is -0.5. Choose a value from 0"),
        ({"Q": 1.0}, "seeds has the node 'Q', which the graph has not"),
    ],
)
def test_impossible_seeds_are_named(seeds: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        propagate(PAIR, seeds)


def test_wrong_types_are_named() -> None:
    with pytest.raises(ArgumentTypeError, match="graph is a dict"):
        propagate({}, {"A": 1.0})  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="seeds is a list"):
        propagate(PAIR, ["A"])  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="max_hops is a float"):
        propagate(PAIR, {"A": 1.0}, max_hops=2.0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="damping is a bool"):
        propagate(PAIR, {"A": 1.0}, damping=True)
    with pytest.raises(ArgumentTypeError, match="duplicates has 'AB'"):
        propagate(PAIR, {"A": 1.0}, duplicates=["AB"])  # type: ignore[list-item]


def test_paths_and_colours_of_nodes_not_reached_are_refused() -> None:
    result = propagate(PAIR, {"A": 1.0}, max_hops=0)
    with pytest.raises(UsageError, match="'B' was not reached"):
        result.path("B")
    with pytest.raises(UsageError, match="parts is empty"):
        propagate_colored(PAIR, {})
    with pytest.raises(UsageError, match="'B' was not reached by any colour"):
        propagate_colored(PAIR, {"one": {"A": 1.0}}, max_hops=0).path("B")
    with pytest.raises(UsageError, match="seeds is empty"):
        propagate_colored(PAIR, {"one": {"A": 1.0}, "two": {}})


def test_a_copy_outside_the_graph_still_votes() -> None:
    assert propagate(PAIR, {"A": 1.0}, duplicates=[("A", "elsewhere")]).votes == {"A": 2}
