"""The report of a benchmark as plain JSON values, written and read back.

Schema "gossamer-bench", version 1:

    schema, version, gossamer       name and version of this layout; version of the package
    options                         systems, baseline, k, budgets, seed, resamples, title_free, within_group, settings;
                                    variants: changed settings by system of an ablation, else null
    datasets[]                      one entry per data set
      name, documents, chunks       sizes; chunks of the shared index
      questions, null_questions     how many were asked; how many of them should be refused
      unit, embedder, corpus        "document" or "chunk"; the embedder; SHA-256 of the corpus
      notices[]                     name, count, message
      systems[]
        name, description
        metrics{name}               mean, n                (names as in `metrics` and `budgeted`)
        delta{name}                 mean, low, high, n, better, worse   against the baseline, 95 % paired bootstrap
        by_type{type}, by_hops{h}   questions, metrics{name: mean}
        seconds                     p50, p95, mean of one ranking
        index                       seconds, bytes, or null
        abstention                  see `abstention.Abstention`, or null without confidences
        questions[]                 id, type, hops, null, metrics, ranked, contexts{budget}, seconds, confidence
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.errors import UsageError
from gossamer.evaluation.abstention import abstention
from gossamer.evaluation.bootstrap import RESAMPLES, paired_differences
from gossamer.evaluation.datasets import Notice
from gossamer.evaluation.metrics import means
from gossamer.evaluation.systems import PLAIN, describe

if TYPE_CHECKING:
    from gossamer.evaluation.options import BenchOptions
    from gossamer.evaluation.runner import DatasetRun, SystemRun
    from gossamer.evaluation.scoring import Row
    from gossamer.settings import Settings

SCHEMA = "gossamer-bench"
VERSION = 1


def build_report(
    runs: Sequence[DatasetRun],
    options: BenchOptions,
    settings: Settings,
    *,
    title_free: bool = False,
    resamples: int = RESAMPLES,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """The whole report; see the module for its layout. `variants` are the changed settings of an ablation."""
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "gossamer": version("gossamer"),
        "options": {
            "systems": list(options.all_systems),
            "baseline": options.baseline,
            "k": list(options.ks),
            "budgets": list(options.budgets),
            "seed": options.seed,
            "resamples": resamples,
            "title_free": title_free,
            "within_group": options.within_group,
            "settings": settings.to_dict(),
            "variants": dict(variants) if variants is not None else None,
        },
        "datasets": [_dataset(run, options, resamples, variants) for run in runs],
    }


def write_report(report: dict[str, Any], path: Path) -> None:
    """Write a report as UTF-8 JSON."""
    path.write_text(json.dumps(report, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def read_report(path: Path) -> dict[str, Any]:
    """Read a report back.

    Raises:
        UsageError: the file is missing, or is not such a report of a version that this code reads.
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UsageError(f"{path} cannot be read as a report ({problem}). Write one with --json.") from problem
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise UsageError(
            f"{path} is not a benchmark report. Write one with `gossamer bench retrieval DATA --json OUT`."
        )
    if report.get("version") != VERSION:
        raise UsageError(
            f"{path} has report version {report.get('version')}, this code reads {VERSION}. Run the benchmark again."
        )
    return report


def _dataset(
    run: DatasetRun, options: BenchOptions, resamples: int, variants: Mapping[str, Mapping[str, Any]] | None
) -> dict[str, Any]:
    baseline = next(system for system in run.systems if system.name == options.baseline)
    notices = [*run.notices, *_stronger(run.systems, baseline, options, resamples)]
    return {
        "name": run.dataset.name,
        "documents": run.documents,
        "chunks": run.chunks,
        "questions": len(run.dataset.questions),
        "null_questions": sum(question.null for question in run.dataset.questions),
        "unit": run.unit,
        "embedder": run.embedder,
        "corpus": run.dataset.fingerprint,
        "notices": [dataclasses.asdict(notice) for notice in notices],
        "systems": [
            _system(system, baseline, _description(system.name, run.embedder, variants), options, resamples)
            for system in run.systems
        ],
    }


def _stronger(systems: Sequence[SystemRun], baseline: SystemRun, options: BenchOptions, resamples: int) -> list[Notice]:
    """A notice when a plain system clearly beats the named baseline: differences then flatter everything else."""
    metric = f"R@{5 if 5 in options.ks else options.ks[0]}"
    base = [row.metrics for row in baseline.rows]
    leads = {}
    for run in systems:
        if run.name in PLAIN and baseline.name in PLAIN:
            rows = [row.metrics for row in run.rows]
            lead = paired_differences(base, rows, resamples=resamples, seed=options.seed).get(metric)
            if lead is not None and lead.low > 0.0:
                leads[run.name] = lead.mean
    if not leads:
        return []
    best = max(sorted(leads), key=leads.__getitem__)
    text = (
        f"{best} beats the baseline {baseline.name} by {leads[best]:.3f} {metric}; "
        f"run with --baseline {best} for differences against it."
    )
    return [Notice("stronger-baseline", 1, text)]


def _system(
    run: SystemRun, baseline: SystemRun, description: str, options: BenchOptions, resamples: int
) -> dict[str, Any]:
    rows = [row.metrics for row in run.rows]
    delta = {}
    if run is not baseline:
        base = [row.metrics for row in baseline.rows]
        delta = paired_differences(base, rows, resamples=resamples, seed=options.seed)
    index = None
    if run.index_seconds is not None:
        index = {"seconds": round(run.index_seconds, 3), "bytes": run.index_bytes}
    return {
        "name": run.name,
        "description": description,
        "metrics": {name: {"mean": mean, "n": n} for name, (mean, n) in means(rows).items()},
        "delta": {name: dataclasses.asdict(interval) for name, interval in delta.items()},
        "by_type": _split(run.rows, "kind"),
        "by_hops": _split(run.rows, "hops"),
        "seconds": _seconds([row.seconds for row in run.rows]),
        "index": index,
        "abstention": _abstention(run.rows),
        "questions": [_row(row) for row in run.rows],
    }


def _description(name: str, embedder: str, variants: Mapping[str, Mapping[str, Any]] | None) -> str:
    if variants is not None:
        return ", ".join(f"{key} = {value}" for key, value in variants.get(name, {}).items()) or "the settings as given"
    note = " (here the hash channel: words and their pieces, no model)"
    return describe(name) + (note if name == "dense" and embedder == "hash" else "")


def _split(rows: Sequence[Row], key: str) -> dict[str, Any]:
    """Means of each group of rows that have metrics, groups in sorted order."""
    groups: dict[Any, list[dict[str, float]]] = {}
    for row in rows:
        if row.metrics:
            groups.setdefault(getattr(row, key), []).append(row.metrics)
    return {
        str(value): {
            "questions": len(groups[value]),
            "metrics": {name: mean for name, (mean, _) in means(groups[value]).items()},
        }
        for value in sorted(groups)
    }


def _seconds(values: Sequence[float]) -> dict[str, float]:
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": float(p50), "p95": float(p95), "mean": float(np.mean(values))}


def _abstention(rows: Sequence[Row]) -> dict[str, Any] | None:
    sure = [row for row in rows if row.confidence is not None]
    if len(sure) < len(rows) or not sure:
        return None
    measured = abstention(
        [row.confidence or 0.0 for row in sure], [row.null for row in sure], [row.complete for row in sure]
    )
    return dataclasses.asdict(measured)


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "type": row.kind,
        "hops": row.hops,
        "null": row.null,
        "metrics": row.metrics,
        "ranked": row.ranked,
        "contexts": row.contexts,
        "seconds": round(row.seconds, 6),
        "confidence": row.confidence,
    }
