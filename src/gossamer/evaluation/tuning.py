"""A small seeded search over named settings, honest about what it fitted.

The questions are split in two; questions that share a gold passage stay on one side. Settings are chosen on the tuning
side alone, one name after the other in a seeded order (coordinate ascent); a value replaces the present one only when
the mean of the metric over the data sets is higher. The other side is looked at twice: before and after.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.errors import UsageError
from gossamer.evaluation.bootstrap import Interval, paired_differences
from gossamer.evaluation.datasets import Dataset, Question
from gossamer.evaluation.options import BenchOptions
from gossamer.evaluation.runner import REFERENCE, fitting_vectors, gold_unit
from gossamer.evaluation.scoring import Progress, Row, Scorer
from gossamer.evaluation.systems import load_factory
from gossamer.evaluation.systems.pipelines import PipelineSystem
from gossamer.evaluation.workbench import Workbench

if TYPE_CHECKING:
    from gossamer.evaluation.vectors import GivenVectors
    from gossamer.settings import Settings

SPACE: dict[str, tuple[Any, ...]] = {
    "retrieval.bm25_weight": (0.2, 0.35, 0.5, 0.65),
    "retrieval.flow_weight": (0.0, 0.3, 0.5, 0.8, 1.2),
    "retrieval.seed_count": (5, 10, 20),
    "selection.pool": (30, 50, 100),
    "utility.coverage": (2.0, 4.0, 6.0, 8.0, 12.0),
    "utility.tie": (0.0, 0.5, 1.0),
    "utility.redundancy": (0.0, 0.15, 0.3, 0.6),
    "utility.link": (0.0, 0.25, 0.5, 1.0),
    "utility.new_link": (0.0, 0.25, 0.5, 1.0),
    "utility.named_by_chosen": (0.0, 0.25, 0.5, 1.0),
    "utility.named_by_question": (0.0, 0.15, 0.3, 0.6),
}
"""What is searched when nothing is named: settings of the search alone, so that no trial builds an index."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One tried change and the mean of the metric on the tuning side."""

    name: str
    value: Any
    score: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One side of one data set: the metric before and after, and the paired difference."""

    dataset: str
    side: str
    before: float
    after: float
    change: Interval


@dataclass(frozen=True, slots=True)
class Tuned:
    """The settings found, every trial in order, and both sides of every data set."""

    settings: Settings
    metric: str
    trials: tuple[Trial, ...]
    sides: tuple[Side, ...]


def tune_settings(
    datasets: Sequence[Dataset],
    settings: Settings,
    *,
    space: Mapping[str, Sequence[Any]] | None = None,
    metric: str = "R@5",
    trials: int = 40,
    seed: int = 0,
    vectors: Sequence[GivenVectors | None] | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Search settings on one side of the questions, and measure both sides before and after.

    Args:
        datasets: one or several data sets; each counts the same.
        settings: where to start.
        space: setting name -> values to try; `SPACE` by default.
        metric: a name of `metrics` or `budgeted`, such as `R@5` or `gold@1000t`; higher is better.
        trials: most changes to try.
        seed: seed of the split and of the order.
        vectors: given vectors of each data set.
        progress: called with a stage, done and total.

    Raises:
        UsageError: the metric is unknown or never defined here, or a side is left without questions.
        SettingsError: a name or value of the space is not possible.
    """
    chosen = dict(space if space is not None else SPACE)
    for name, values in chosen.items():
        for value in values:
            settings.replace(**{name: value})
    with ExitStack() as stack:
        fields = [
            stack.enter_context(_Field(dataset, settings, metric, seed, given))
            for dataset, given in zip(datasets, vectors or [None] * len(datasets), strict=True)
        ]
        best, tried = _ascend(fields, settings, chosen, metric, trials, seed, progress)
        sides = tuple(side for field in fields for side in field.sides(settings, best, metric))
    return Tuned(best, metric, tuple(tried), sides)


def split_questions(questions: Sequence[Question], *, seed: int) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """Two halves in seeded order, questions that share gold on the same side; null questions are left out.

    >>> asked = [Question(str(i), "what?", ((f"d{i // 2}",),)) for i in range(8)]
    >>> tune, test = split_questions(asked, seed=0)
    >>> len(tune), len(test), {q.gold for q in tune} & {q.gold for q in test}
    (4, 4, set())
    """
    asked = [question for question in questions if question.gold]
    root = list(range(len(asked)))

    def find(one: int) -> int:
        while root[one] != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    owner: dict[str, int] = {}
    for number, question in enumerate(asked):
        for one in sorted({one for piece in question.gold for one in piece}):
            root[find(number)] = find(owner.setdefault(one, number))
    families: dict[int, list[Question]] = {}
    for number, question in enumerate(asked):
        families.setdefault(find(number), []).append(question)
    order = np.random.default_rng(seed).permutation(len(families))
    members = list(families.values())
    tune: list[Question] = []
    test: list[Question] = []
    # large families first, so that one of them cannot tip the balance at the end
    for spot in sorted(order.tolist(), key=lambda i: -len(members[i])):
        (tune if len(tune) <= len(test) else test).extend(members[spot])
    return tuple(tune), tuple(test)


class _Field:
    """One data set with its index, ready to score settings on either side."""

    def __init__(
        self, dataset: Dataset, settings: Settings, metric: str, seed: int, vectors: GivenVectors | None
    ) -> None:
        self._dataset = dataset
        self._tune, self._test = split_questions(dataset.questions, seed=seed)
        if not self._tune or not self._test:
            raise UsageError(f"{dataset.name} has too few questions with gold to split. Give more questions.")
        given, _ = fitting_vectors(dataset, vectors)
        self._folder = tempfile.TemporaryDirectory(prefix="gossamer-tune-")
        self._bench = Workbench(dataset.shuffled(seed).documents, Path(self._folder.name), settings, given)
        options = _options(metric)
        unit = gold_unit(dataset)
        self._scorers = {
            side: Scorer(self._bench, questions, unit, options, given)
            for side, questions in (("tune", self._tune), ("test", self._test))
        }
        if metric.startswith(("S@", "Novelty@")):
            for scorer in self._scorers.values():
                scorer.set_reference(load_factory(REFERENCE)(self._bench))

    def __enter__(self) -> _Field:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.close()
        self._folder.cleanup()

    def rows(self, settings: Settings, side: str) -> list[Row]:
        """One row per question of that side."""
        changed = settings.replace(embedder=self._bench.settings.embedder)
        return self._scorers[side].rows(PipelineSystem(self._bench.index(changed), changed), side, None)

    def score(self, settings: Settings, metric: str) -> float:
        """Mean of the metric on the tuning side."""
        return _mean(self.rows(settings, "tune"), metric, self._dataset.name)

    def sides(self, before: Settings, after: Settings, metric: str) -> list[Side]:
        """Both sides before and after."""
        made = []
        for side in ("tune", "test"):
            old, new = self.rows(before, side), self.rows(after, side)
            change = paired_differences([row.metrics for row in old], [row.metrics for row in new])[metric]
            name = self._dataset.name
            made.append(Side(name, side, _mean(old, metric, name), _mean(new, metric, name), change))
        return made


def _ascend(
    fields: Sequence[_Field],
    settings: Settings,
    space: Mapping[str, Sequence[Any]],
    metric: str,
    trials: int,
    seed: int,
    progress: Progress | None,
) -> tuple[Settings, list[Trial]]:
    names = sorted(space)
    order = [names[int(i)] for i in np.random.default_rng(seed).permutation(len(names))]
    best = settings
    tried: list[Trial] = []
    top = float(np.mean([field.score(settings, metric) for field in fields]))
    for name in order:
        for value in space[name]:
            candidate = best.replace(**{name: value})
            if candidate == best or len(tried) >= trials:
                continue
            score = float(np.mean([field.score(candidate, metric) for field in fields]))
            tried.append(Trial(name, value, score, score > top + 1e-9))
            if tried[-1].kept:
                best, top = candidate, score
            if progress:
                progress(f"tune {metric} {top:.3f}", len(tried), trials)
    return best, tried


def _options(metric: str) -> BenchOptions:
    """Only the cuts that the metric needs."""
    _, _, cut = metric.partition("@")
    number = int(cut.removesuffix("t")) if cut.removesuffix("t").isdigit() else 0
    options = BenchOptions(ks=(number,) if number and not cut.endswith("t") else (5,), budgets=())
    return replace(options, budgets=(number,)) if number and cut.endswith("t") else options


def _mean(rows: Sequence[Row], metric: str, name: str) -> float:
    values = [row.metrics[metric] for row in rows if metric in row.metrics]
    if not values:
        known = ", ".join(sorted({key for row in rows for key in row.metrics}))
        raise UsageError(f"{metric!r} is not defined for {name}. Use one such as {known}.")
    return float(np.mean(values))
