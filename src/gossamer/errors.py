"""Every error that Gossamer raises on purpose, as one tree.

    GossamerError
    ├── SettingsError (ValueError)        a setting is unknown or impossible
    ├── UsageError (ValueError)           an argument has an impossible value
    ├── ArgumentTypeError (TypeError)     an argument has the wrong type
    ├── DocumentError (ValueError)        the given documents cannot be indexed
    │   └── NoDocumentsError              nothing to index where documents were expected
    ├── EmbeddingError (RuntimeError)     an embedder failed or returned unusable vectors
    │   └── EmbedderMismatchError         index and embedder do not belong together
    ├── IndexFolderError (RuntimeError)   something about the index folder
    │   ├── IndexNotFoundError            there is no index in that folder
    │   ├── IndexDamagedError             a file is missing, cut or altered
    │   ├── IndexVersionError             written by another format version
    │   └── IndexLockedError              another process is writing
    ├── MissingExtraError (ImportError)   an optional dependency is not installed
    └── ModelError (RuntimeError)         a model failed
        └── LLMError                      a language model or its server failed
            ├── LLMServerError            the server cannot be reached, or kept failing through every retry
            ├── LLMRefusedError           the server refuses the request: asking again does not help
            ├── LLMOutputError            the reply is not what was asked for (ValueError)
            └── LLMCacheError             the file of kept replies cannot be used

Each message says what happened and ends with what to do about it.
"""

from __future__ import annotations


class GossamerError(Exception):
    """Base of all errors raised on purpose by Gossamer."""


class SettingsError(GossamerError, ValueError):
    """A setting is unknown or has an impossible value; names key, value and allowed range."""


class UsageError(GossamerError, ValueError):
    """An argument has an impossible value, such as a negative budget."""


class ArgumentTypeError(GossamerError, TypeError):
    """An argument has the wrong type."""


class DocumentError(GossamerError, ValueError):
    """The given documents cannot be indexed as they are."""


class NoDocumentsError(DocumentError):
    """Documents were expected and none were found."""


class EmbeddingError(GossamerError, RuntimeError):
    """An embedder failed, or returned vectors that cannot be used."""


class EmbedderMismatchError(EmbeddingError):
    """The index was built with another embedder, dimension or prefix."""


class IndexFolderError(GossamerError, RuntimeError):
    """Base of the errors about an index folder."""


class IndexNotFoundError(IndexFolderError, FileNotFoundError):
    """There is no index in that folder."""


class IndexDamagedError(IndexFolderError):
    """A file of the index is missing, cut short or altered."""


class IndexVersionError(IndexFolderError):
    """The index was written in a format this version does not read."""


class IndexLockedError(IndexFolderError):
    """Another process is writing to this index."""


class MissingExtraError(GossamerError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}. Install it: pip install 'gossamer[{extra}]'")
        self.package = package
        self.extra = extra


class ModelError(GossamerError, RuntimeError):
    """A model failed."""


class LLMError(ModelError):
    """A language model, or the server in front of it, failed."""


class LLMServerError(LLMError):
    """The server cannot be reached, or kept failing through every retry."""


class LLMRefusedError(LLMError):
    """The server refuses the request; `status` is its HTTP status."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class LLMOutputError(LLMError, ValueError):
    """The model's reply is not what was asked for."""


class LLMCacheError(LLMError):
    """The file of kept replies cannot be used."""
