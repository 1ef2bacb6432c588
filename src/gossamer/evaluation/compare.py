"""Two reports side by side: the same system on the same questions, then and now."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from gossamer.errors import UsageError
from gossamer.evaluation.bootstrap import RESAMPLES, paired_differences
from gossamer.evaluation.tables import Table, interval, number


def compare_reports(
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    *,
    systems: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Any]:
    """Differences second - first of every data set and system that both reports hold.

    Args:
        first: a report as `report.read_report` gives it.
        second: another one.
        systems: only these, each `name`, or `name:other` to put a system of the first against another of the second.
        resamples: bootstrap samples.
        seed: seed of the bootstrap.

    Returns:
        `pairs`, each with `dataset`, `first`, `second`, `questions`, `before` and `after` (means by metric, over the
        shared questions), `delta` (intervals) and `changed` (ids by change of `R@5`, the largest first); and `notices`.

    Raises:
        UsageError: the reports share no data set, system and question.
    """
    before = {dataset["name"]: dataset for dataset in first["datasets"]}
    pairs: list[dict[str, Any]] = []
    notices: list[str] = []
    for dataset in second["datasets"]:
        other = before.get(dataset["name"])
        if other is None:
            continue
        if other["corpus"] != dataset["corpus"]:
            notices.append(f"{dataset['name']}: the two runs saw different corpora.")
        for old, new in _matches(other, dataset, systems):
            pair = _pair(old, new, resamples, seed)
            if pair is not None:
                pairs.append({"dataset": dataset["name"], **pair})
    if not pairs:
        raise UsageError("The two reports share no data set, system and question. Compare runs on the same data.")
    return {"pairs": pairs, "notices": notices}


def comparison_tables(comparison: Mapping[str, Any], metrics: Sequence[str] = ()) -> list[Table]:
    """One table per pair: before, after, difference, how many questions rose and fell."""
    tables = []
    for pair in comparison["pairs"]:
        names = [name for name in metrics or pair["delta"] if name in pair["delta"]]
        title = pair["first"] if pair["first"] == pair["second"] else f"{pair['first']} then {pair['second']}"
        rows = tuple(
            (
                name,
                number(pair["before"][name]),
                number(pair["after"][name]),
                interval(pair["delta"][name]),
                str(pair["delta"][name]["better"]),
                str(pair["delta"][name]["worse"]),
            )
            for name in names
        )
        columns = ("metric", "before", "after", "difference", "better", "worse")
        tables.append(Table(f"{pair['dataset']}: {title}, {pair['questions']} questions", columns, rows))
    return tables


def _matches(
    first: Mapping[str, Any], second: Mapping[str, Any], systems: Sequence[str]
) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    old = {system["name"]: system for system in first["systems"]}
    new = {system["name"]: system for system in second["systems"]}
    wanted = [(name, name) for name in new] if not systems else [_split_pair(name, old, new) for name in systems]
    return [(old[a], new[b]) for a, b in wanted if a in old and b in new]


def _split_pair(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, str]:
    """`a:b` as a pair, unless a system has that very name (a user's `module:function`)."""
    if name in old and name in new:
        return name, name
    left, colon, right = name.rpartition(":")
    return (left, right) if colon else (name, name)


def _pair(old: Mapping[str, Any], new: Mapping[str, Any], resamples: int, seed: int) -> dict[str, Any] | None:
    rows = {row["id"]: row["metrics"] for row in old["questions"]}
    shared = [row for row in new["questions"] if row["id"] in rows]
    if not shared:
        return None
    before, after = [rows[row["id"]] for row in shared], [row["metrics"] for row in shared]
    delta = paired_differences(before, after, resamples=resamples, seed=seed)
    both = {
        name: [(b[name], a[name]) for b, a in zip(before, after, strict=True) if name in b and name in a]
        for name in delta
    }
    moved = [(row["metrics"].get("R@5", 0.0) - rows[row["id"]].get("R@5", 0.0), row["id"]) for row in shared]
    return {
        "first": old["name"],
        "second": new["name"],
        "questions": len(shared),
        "before": {name: sum(b for b, _ in values) / len(values) for name, values in both.items()},
        "after": {name: sum(a for _, a in values) / len(values) for name, values in both.items()},
        "delta": {name: dataclasses.asdict(value) for name, value in delta.items()},
        "changed": [
            {"id": one, "change": change} for change, one in sorted(moved, key=lambda m: (-abs(m[0]), m[1])) if change
        ],
    }
