"""An entailment model as a judge of contradictions, from the sentence-transformers package (extra of that name)."""

from __future__ import annotations

from typing import Any

from gossamer.errors import MissingExtraError, ModelError, UsageError

_CLASSES = ("entailment", "neutral", "contradiction")


class CrossEncoderEntailment:
    """A cross-encoder trained on natural language inference, as `find_conflicts(…, nli=…)` wants it.

    The model is loaded at the first call. Its configuration must name the classes entailment, neutral and
    contradiction; their order is read from it. Raises MissingExtraError without the package, ModelError when the
    model cannot be loaded, UsageError for a model without these classes.

    >>> CrossEncoderEntailment("some/nli-model")
    CrossEncoderEntailment('some/nli-model')
    """

    def __init__(self, model: str, *, batch_size: int = 16) -> None:
        if batch_size < 1:
            raise UsageError(f"batch_size = {batch_size!r} is not possible. Give a whole number of at least 1.")
        self.name = model
        self._batch_size = batch_size
        self._model: Any = None
        self._order: tuple[int, ...] = ()

    def __repr__(self) -> str:
        return f"CrossEncoderEntailment({self.name!r})"

    def __call__(self, pairs: list[tuple[str, str]]) -> list[tuple[float, float, float]]:
        """Probabilities of entailment, neutral and contradiction for each pair (premise, hypothesis)."""
        import numpy as np

        if not pairs:
            return []
        self._load()
        logits = np.asarray(
            self._model.predict([list(pair) for pair in pairs], batch_size=self._batch_size, apply_softmax=False,
                                show_progress_bar=False),
            dtype=np.float64,
        )[:, self._order]  # fmt: skip
        powers = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = powers / powers.sum(axis=1, keepdims=True)
        return [(float(a), float(b), float(c)) for a, b, c in shares]

    def _load(self) -> None:
        if self._model is not None:
            return
        try:
            from sentence_transformers import CrossEncoder
        except ImportError as problem:
            raise MissingExtraError(
                "sentence-transformers", "sentence-transformers", "An entailment model"
            ) from problem
        try:
            model = CrossEncoder(self.name)
        except (OSError, ValueError, RuntimeError) as problem:
            raise ModelError(
                f"Cannot load {self.name!r}: {str(problem).rstrip('.')}. Give a model name of the hub, or a folder."
            ) from problem
        names = {str(label).lower(): int(number) for number, label in model.model.config.id2label.items()}
        if not set(_CLASSES) <= names.keys():
            raise UsageError(
                f"{self.name!r} has the classes {sorted(names)}. Choose a model with {', '.join(_CLASSES)}."
            )
        self._order = tuple(names[label] for label in _CLASSES)
        self._model = model
