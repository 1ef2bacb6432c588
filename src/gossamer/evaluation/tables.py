"""Reports as tables: one form for Markdown files and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table of strings; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """The table in Markdown, numbers right-aligned.

        >>> print(Table("R", ("system", "R@5"), (("a|b", ".50"),)).markdown())
        ### R
        <BLANKLINE>
        | system | R@5 |
        | :-- | --: |
        | a\\|b | .50 |
        """
        lines = [self.columns, (":--", *("--:" for _ in self.columns[1:]))]
        cells = [[cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in self.rows]
        body = "\n".join(f"| {' | '.join(row)} |" for row in [*lines, *cells])
        return f"### {self.title}\n\n{body}"


def number(value: float | None) -> str:
    """Three decimals without the leading zero; a dash where there is nothing.

    >>> number(0.5), number(-0.0301), number(1.0), number(None)
    ('.500', '-.030', '1.000', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.3f}".replace("-0.000", "0.000")
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def interval(value: Mapping[str, Any] | None) -> str:
    """A difference with its interval, a star where the interval leaves out zero.

    >>> interval({"mean": 0.0312, "low": 0.01, "high": 0.05})
    '+.031 [+.010, +.050] *'
    """
    if value is None:
        return "–"
    mean, low, high = (("+" if value[key] > 0 else "") + number(value[key]) for key in ("mean", "low", "high"))
    return f"{mean} [{low}, {high}]{' *' if value['low'] > 0 or value['high'] < 0 else ''}"


def dataset_tables(dataset: Mapping[str, Any], options: Mapping[str, Any], *, full: bool = True) -> list[Table]:
    """The tables of one data set; `full` adds precision, every difference, types, hops and abstention."""
    name = dataset["name"]
    ks, budgets = options["k"], options["budgets"]
    systems = dataset["systems"]
    middle = 5 if 5 in ks else ks[0]
    ranking = [f"R@{k}" for k in ks] + [
        f"all@{middle}",
        f"bridge@{middle}",
        "MRR",
        "nDCG@10",
        "Hits@4",
        "S@5",
        "Novelty@5",
    ]
    context = [f"{what}@{budget}t" for budget in budgets for what in ("gold", "answer")]
    main = [f"R@{middle}", f"all@{middle}", "nDCG@10", *([f"gold@{max(budgets)}t"] if budgets else [])]
    tables = [
        _metric_table(f"{name}: ranking", systems, ranking),
        *([_metric_table(f"{name}: inside a context of so many tokens", systems, context)] if budgets else []),
        _delta_table(f"{name}: against {options['baseline']}, 95 % paired bootstrap", systems, main),
        _cost_table(f"{name}: cost", systems),
    ]
    if full:
        wide = [f"{what}@{k}" for k in ks for what in ("P", "F1", "all", "bridge")]
        tables.append(_metric_table(f"{name}: precision, F1, all gold, bridges", systems, wide))
        tables.append(_split_table(f"{name}: R@{middle} by type", systems, "by_type", f"R@{middle}"))
        tables.append(_split_table(f"{name}: R@{middle} by hops", systems, "by_hops", f"R@{middle}"))
    asked = _abstention_table(f"{name}: refusing ({dataset['null_questions']} null questions)", systems)
    return [table for table in [*tables, asked] if table.rows]


def report_markdown(report: Mapping[str, Any]) -> str:
    """The whole report as Markdown: what was run, notices, tables."""
    options = report["options"]
    parts = ["# Retrieval benchmark", _run_line(report)]
    for dataset in report["datasets"]:
        parts.append(f"## {dataset['name']}\n\n{dataset_line(dataset)}")
        parts += [f"- {notice['name']} ({notice['count']}): {notice['message']}" for notice in dataset["notices"]]
        parts += [table.markdown() for table in dataset_tables(dataset, options)]
    names = {system["name"]: system["description"] for dataset in report["datasets"] for system in dataset["systems"]}
    parts.append("## Systems\n\n" + "\n".join(f"- {name}: {text}" for name, text in names.items()))
    return "\n\n".join(parts) + "\n"


def dataset_line(dataset: Mapping[str, Any]) -> str:
    """One line about a data set."""
    return (
        f"{dataset['documents']} documents, {dataset['chunks']} chunks, {dataset['questions']} questions "
        f"({dataset['null_questions']} null), gold names a {dataset['unit']}, embedder {dataset['embedder']}"
    )


def _run_line(report: Mapping[str, Any]) -> str:
    options = report["options"]
    marks = [f"gossamer {report['gossamer']}", f"seed {options['seed']}", f"baseline {options['baseline']}"]
    marks += [
        text for key, text in (("title_free", "titles removed"), ("within_group", "within groups")) if options[key]
    ]
    return ", ".join(marks) + "."


def _metric_table(title: str, systems: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Table:
    """Means of metrics; a metric that only some of the questions have says how many in its heading."""
    counts = {name: found["n"] for system in systems for name, found in system["metrics"].items()}
    present = [name for name in names if name in counts]
    most = max(counts.values(), default=0)
    headings = (name if counts[name] == most else f"{name} (n={counts[name]})" for name in present)
    rows = (
        (system["name"], *(number(system["metrics"].get(name, {}).get("mean")) for name in present))
        for system in systems
    )
    return Table(title, ("system", *headings), tuple(rows) if present else ())


def _delta_table(title: str, systems: Iterable[Mapping[str, Any]], names: Sequence[str]) -> Table:
    rows = ((s["name"], *(interval(s["delta"].get(name)) for name in names)) for s in systems if s["delta"])
    return Table(title, ("system", *names), tuple(rows))


def _cost_table(title: str, systems: Iterable[Mapping[str, Any]]) -> Table:
    rows = []
    for system in systems:
        index = system["index"]
        built = (f"{index['seconds']:.1f}", f"{index['bytes'] / 1e6:.1f}") if index else ("–", "–")
        times = (f"{1000 * system['seconds'][key]:.1f}" for key in ("p50", "p95"))
        rows.append((system["name"], *times, *built))
    return Table(title, ("system", "p50 ms", "p95 ms", "index s", "index MB"), tuple(rows))


def _split_table(title: str, systems: Sequence[Mapping[str, Any]], key: str, metric: str) -> Table:
    values = list(dict.fromkeys(value for system in systems for value in system[key]))
    if len(values) < 2:
        return Table(title, (), ())
    counts = {value: split["questions"] for system in systems for value, split in system[key].items()}
    rows = (
        (s["name"], *(number(s[key].get(value, {}).get("metrics", {}).get(metric)) for value in values))
        for s in systems
    )
    return Table(title, ("system", *(f"{value or '(none)'} ({counts[value]})" for value in values)), tuple(rows))


def _abstention_table(title: str, systems: Iterable[Mapping[str, Any]]) -> Table:
    rows = []
    for system in systems:
        found = system["abstention"]
        if found and (found["null_questions"] or found["failure_auroc"] is not None):
            shares = (number(found["risk"][share]) for share in ("0.2", "0.4", "0.6", "0.8", "1.0"))
            rows.append(
                (
                    system["name"],
                    number(found["null_auroc"]),
                    number(found["failure_auroc"]),
                    number(found["aurc"]),
                    *shares,
                )
            )
    columns = ("system", "AUROC null", "AUROC failure", "AURC", *(f"risk at {p} %" for p in (20, 40, 60, 80, 100)))
    return Table(title, columns, tuple(rows))
