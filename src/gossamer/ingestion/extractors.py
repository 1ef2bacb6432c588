"""Entity extractors by name: rules in the base install, spaCy and GLiNER by extra."""

from __future__ import annotations

from gossamer.errors import SettingsError
from gossamer.ingestion.annotate import Extractor, TextsHook, hooked_entities, rule_entities
from gossamer.ingestion.entities import extract_entities

_GLINER_LABELS = ("person", "organization", "location", "event", "product", "work of art", "date")
_SPACY_WEAK = frozenset({"CARDINAL", "ORDINAL", "PERCENT", "QUANTITY", "TIME", "MONEY"})


def make_extractor(name: str, entity_fn: TextsHook | None = None) -> Extractor | None:
    """The extractor of a setting such as "rules", "none", "spacy:en_core_web_sm" or "gliner:NAME"; a hook wins.

    Raises MissingExtraError where the package is not installed, SettingsError where its model is not.

    >>> make_extractor("none") is None
    True
    """
    if entity_fn is not None:
        return hooked_entities(entity_fn)
    kind, _, model = name.partition(":")
    if kind == "none":
        return None
    if kind == "spacy":
        return _spacy(model)
    if kind == "gliner":
        return _gliner(model)
    return rule_entities


def _spacy(model: str) -> Extractor:
    from gossamer.errors import MissingExtraError

    try:
        import spacy
    except ImportError as problem:
        raise MissingExtraError("spacy", "spacy", f"signals.entities = 'spacy:{model}'") from problem
    try:
        pipeline = spacy.load(model, disable=["lemmatizer", "textcat"])
    except OSError as problem:
        raise SettingsError(
            f"spaCy has no model {model!r} installed. Get it with: python -m spacy download {model}"
        ) from problem
    names = hooked_entities(lambda text: [e.text for e in pipeline(text).ents if e.label_ not in _SPACY_WEAK])
    return _with_title(names)


def _gliner(model: str) -> Extractor:
    from gossamer.errors import MissingExtraError

    try:
        from gliner import GLiNER
    except ImportError as problem:
        raise MissingExtraError("gliner", "gliner", f"signals.entities = 'gliner:{model}'") from problem
    try:
        loaded = GLiNER.from_pretrained(model, local_files_only=True)
    except (OSError, ValueError) as problem:
        raise SettingsError(
            f"GLiNER has no model {model!r} on this machine. Download it once, or give the path of its folder."
        ) from problem
    return _with_title(
        hooked_entities(lambda text: [found["text"] for found in loaded.predict_entities(text, list(_GLINER_LABELS))])
    )


def _with_title(names: Extractor) -> Extractor:
    """A model sees only the passage: the title's own name is added by rule."""

    def extract(text: str, title: str) -> list[str]:
        return list(dict.fromkeys([*extract_entities("", title), *names(text, title)]))

    return extract
