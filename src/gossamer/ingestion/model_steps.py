"""Index-time steps that use a language model, all optional: utility questions, concepts, propositions.

Each asks one call a passage. Replies are kept by content hash, so a run that was killed or refused goes on where it
stopped. A reply that cannot be read is asked for once more, then left out and counted: it never ends a build.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gossamer.errors import (
    ArgumentTypeError,
    LLMCacheError,
    LLMError,
    LLMOutputError,
    LLMRefusedError,
    LLMServerError,
    UsageError,
)
from gossamer.ingestion.annotate import Note, TextsHook, hook_strings
from gossamer.ingestion.clock import Clock
from gossamer.ingestion.model_tasks import TASKS, Task
from gossamer.ingestion.previous import Key
from gossamer.llm.base import LLM
from gossamer.llm.function import LLMLike, as_llm
from gossamer.llm.reply import Estimate, Reply
from gossamer.text.clean import one_line

REPLIES = "replies.sqlite"
"""The file of an index folder that keeps replies."""

Announce = Callable[[str, Estimate], None]

# Refusals that every other passage would meet too: key, credit, rights, model.
_HOPELESS = (401, 402, 403, 404, 429)
# A build goes on without the replies of so many passages, as when a server fails on some of them for good.
_BEARABLE = 0.05


@dataclass(frozen=True, slots=True)
class ModelSteps:
    """Which steps run and who answers. `propositions` may be a function `text -> sentences` that needs no model.

    `announce(step, estimate)` is called before a step with what it will cost at most.
    """

    llm: LLM | None = None
    questions: bool = False
    concepts: bool = False
    propositions: bool | TextsHook = False
    announce: Announce | None = None

    def __post_init__(self) -> None:
        for name in ("questions", "concepts", "propositions"):
            value = getattr(self, name)
            if not isinstance(value, bool) and not (name == "propositions" and callable(value)):
                raise ArgumentTypeError(f"{name} is a {type(value).__name__}. Pass True or False.")
        if self.tasks and self.llm is None:
            raise UsageError(
                f"{self.tasks[0].name} needs a language model. Pass llm=Client(url, model) or a function, or --llm-url and "
                "--llm-model on the command line."
            )

    @classmethod
    def of(cls, llm: LLMLike | None, **steps: Any) -> ModelSteps:
        """The steps with a client or a plain function."""
        return cls(None if llm is None else as_llm(llm), **steps)

    @property
    def tasks(self) -> list[Task]:
        """What the model is asked, in the order in which it is."""
        return [task for task in TASKS if getattr(self, task.name) is True]

    def keeping(self, path: Path) -> ModelSteps:
        """The same steps; a client without a cache of its own keeps its replies in a file."""
        if self.llm is None or not self.tasks:
            return self
        return replace(self, llm=self.llm.with_default_cache(path))

    def estimates(self, keys: Sequence[Key]) -> dict[str, Estimate]:
        """What each step would cost at most for these chunks, by name."""
        return {} if self.llm is None else {task.name: estimate(task, self.llm, keys) for task in self.tasks}

    @property
    def names(self) -> list[str]:
        """Names of all steps that run, with or without a model."""
        return [task.name for task in TASKS if getattr(self, task.name) is not False]

    @property
    def info(self) -> dict[str, Any]:
        """What the index says about the steps that made it; {} for none."""
        if not self.tasks or self.llm is None:
            return {}
        return {"llm": {"model": self.llm.model, "steps": [task.name for task in self.tasks]}}


def add_model_notes(
    steps: ModelSteps, keys: Sequence[Key], notes: list[Note], known: Sequence[bool], clock: Clock
) -> tuple[list[Note], dict[str, Any], list[str]]:
    """The notes of all chunks with what the steps add, what that cost, and warnings.

    A chunk that was there before (`known`) and has items of a step is not asked again. Raises LLMRefusedError where the
    server takes no request at all, LLMServerError where it is gone for good; a reply that makes no sense only costs its
    chunk the items.
    """
    warnings: list[str] = []
    notes = list(notes)
    before = steps.llm.spent if steps.llm is not None else None
    for task in TASKS:
        if task.name not in steps.names:
            continue
        places = [place for place, note in enumerate(notes) if not (known[place] and getattr(note, task.name))]
        with clock.step(task.name, len(places)):
            found, said = _items(steps, task, [keys[place] for place in places], clock)
        warnings += said
        for place, items in zip(places, found, strict=True):
            own = getattr(notes[place], task.name) if not known[place] else []
            notes[place] = replace(notes[place], **{task.name: [*own, *items]})
    if steps.llm is None or before is None or not steps.tasks:
        return notes, {}, warnings
    return notes, {"model": steps.llm.model, **asdict(steps.llm.spent - before)}, warnings


def estimate(task: Task, llm: LLM, keys: Sequence[Key]) -> Estimate:
    """What a step would cost at most; nothing is sent."""
    prompts = [task.messages(text, name) for _, name, text in keys]
    return llm.estimate(prompts, schema=task.schema, max_tokens=task.max_tokens)


def _items(steps: ModelSteps, task: Task, keys: Sequence[Key], clock: Clock) -> tuple[list[list[str]], list[str]]:
    """What a step finds in each chunk, and what to say about those that have none for a bad reason."""
    if task.name == "propositions" and callable(steps.propositions):
        function = steps.propositions
        return [_tidy(hook_strings(function(text), "propositions")) for _, _, text in keys], []
    if steps.llm is None or not keys:
        return [[] for _ in keys], []
    if steps.announce is not None:
        steps.announce(task.name, estimate(task, steps.llm, keys))
    asking = _Asking(task, steps.llm, keys)
    everywhere = list(range(len(keys)))
    asking.run(everywhere, [task.messages(text, name) for _, name, text in keys], clock)
    if unread := dict(asking.unread):
        asking.run(
            list(unread), [task.again(keys[place][2], keys[place][1], said) for place, said in unread.items()], None
        )
    asking.raise_hopeless()
    warning = asking.warning()
    return [asking.found.get(place, []) for place in everywhere], [warning] if warning else []


def _tidy(texts: Sequence[str]) -> list[str]:
    """Texts on one line each, without blank and repeated ones."""
    return list(dict.fromkeys(text for raw in texts if (text := one_line(raw))))


class _Asking:
    """One step over all passages: what was read, what could not be read, what failed."""

    def __init__(self, task: Task, llm: LLM, keys: Sequence[Key]) -> None:
        self.found: dict[int, list[str]] = {}
        self.unread: dict[int, str] = {}
        self._failed: dict[int, LLMError] = {}
        self._task = task
        self._llm = llm
        self._keys = keys

    def run(self, places: list[int], prompts: list[list[dict[str, str]]], clock: Clock | None) -> None:
        """Ask about passages and read what comes back."""
        done = 0

        def count(number: int, outcome: object) -> None:
            nonlocal done
            done += 1
            if clock is not None:
                clock.tell(self._task.name, done, len(places))

        task = self._task
        outcomes = self._llm.complete_many(prompts, count, schema=task.schema, max_tokens=task.max_tokens)
        for place, outcome in zip(places, outcomes, strict=True):
            self.unread.pop(place, None)
            self._failed.pop(place, None)
            if isinstance(outcome, Reply):
                self._read(place, outcome.text)
            else:
                self._failed[place] = outcome

    def raise_hopeless(self) -> None:
        """Raise what makes the whole step fail."""
        errors = list(self._failed.values())
        lost = [error for error in errors if isinstance(error, LLMServerError)]
        refused = [error for error in errors if isinstance(error, LLMRefusedError) and error.status in _HOPELESS]
        broken = [error for error in errors if isinstance(error, LLMCacheError)]
        if broken:
            raise broken[0]
        answered = len(self._keys) - len(errors)
        kept = "" if self._llm.cache is None else " What was answered is kept: run the same again to go on."
        where = f" ({self._task.name}: {answered} of {len(self._keys)} passages were answered.{kept})"
        if refused:
            raise LLMRefusedError(f"{refused[0]}{where}", refused[0].status)
        if len(lost) > _BEARABLE * len(self._keys):
            raise LLMServerError(f"{lost[0]}{where}")

    def warning(self) -> str | None:
        """How many passages are left without items because of bad replies or failed calls."""
        bad = len(self.unread) + len(self._failed)
        if not bad:
            return None
        example = next(iter(self._failed.values()), None)
        why = str(example) if example is not None else "The model's replies were not of the form that was asked for."
        return f"{bad} of {len(self._keys)} passages have no {self._task.name}: {why}"

    def _read(self, place: int, said: str) -> None:
        try:
            _, name, text = self._keys[place]
            self.found[place] = self._task.read(said, text, name)
        except LLMOutputError:
            self.unread[place] = said
