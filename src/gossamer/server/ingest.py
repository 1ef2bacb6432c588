"""Uploads: files of a request become documents of the index; their names are labels and never paths."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gossamer.errors import GossamerError, NoDocumentsError, UsageError
from gossamer.ingestion.decode import UnreadableFileError
from gossamer.ingestion.load import name_title
from gossamer.ingestion.loaders import parse_file
from gossamer.ingestion.pipeline import SpectRAGIngestion
from gossamer.model import Document, to_plain
from gossamer.reports import Skipped
from gossamer.server.reply import error_response, json_response
from gossamer.text.clean import is_blank, one_line

if TYPE_CHECKING:
    from gossamer.server.served import Served

MOST_FILES = 500
_MOST_CHARACTERS = 200
_SLASHES = re.compile(r"[/\\]")


@dataclass(slots=True)
class Parsed:
    """Documents of an upload, and what had no text."""

    documents: list[Document] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def upload(served: Served) -> Callable[[Request], Awaitable[Response]]:
    """The handler of uploads: multipart field `files`; documents of the same label are replaced."""

    async def handle(request: Request) -> Response:
        try:
            given = await _files(request)
            report = await run_in_threadpool(_add, served, given)
        except GossamerError as problem:
            return error_response(problem)
        return json_response("index", report)

    return handle


async def _files(request: Request) -> list[tuple[str, bytes]]:
    """Label and content of every file."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise UsageError("The request holds no files. Send multipart/form-data with the field 'files'.")
    try:
        async with request.form(max_files=MOST_FILES, max_fields=10) as form:
            files = [each for each in form.getlist("files") if isinstance(each, UploadFile)]
            return [
                (label(each.filename or "", number), await each.read()) for number, each in enumerate(files, start=1)
            ]
    except HTTPException as problem:
        raise UsageError(
            f"The files cannot be read ({problem.detail}). Send at most {MOST_FILES} at once."
        ) from problem


def label(name: str, number: int) -> str:
    r"""What a file is called in the index: the last part of its name on one line, at most 200 characters.

    >>> label("../../etc/passwd", 1), label("C:\\notes\\orion.md", 2), label("..", 3), label("", 4)
    ('passwd', 'orion.md', 'document 3', 'document 4')
    """
    last = one_line(_SLASHES.split(name)[-1])[-_MOST_CHARACTERS:]
    return f"document {number}" if is_blank(last) or set(last) <= {"."} else last


def parse(files: Sequence[tuple[str, bytes]]) -> Parsed:
    r"""Documents from labels and contents, by the loaders of `gossamer index`.

    >>> parsed = parse([("orion.md", b"# Orion\nHelix Labs."), ("a.png", b"\x89PNG")])
    >>> [document.title for document in parsed.documents], parsed.skipped
    (['Orion'], [Skipped(source='a.png', reason='no text: an image')])
    """
    found = Parsed()
    for name, data in files:
        try:
            if is_blank(data.decode("latin-1")):
                raise UnreadableFileError("empty file")
            parsed = parse_file(data, name)
        except UnreadableFileError as problem:
            found.skipped.append(Skipped(name, str(problem)))
            continue
        title = parsed.title or (name_title(name) if parsed.named else "")
        found.documents.append(Document(name, parsed.text, title, parsed.metadata, path=name))
        found.warnings += [f"{name}: {warning}." for warning in parsed.warnings]
    return found


def _add(served: Served, files: Sequence[tuple[str, bytes]]) -> dict[str, Any]:
    """The report of the index with the files in it, in the shape of `gossamer index --json`."""
    parsed = parse(files)
    if not parsed.documents:
        why = "; ".join(f"{each.source}: {each.reason}" for each in parsed.skipped[:5])
        raise NoDocumentsError(f"None of the files holds text{f' ({why})' if why else ''}. Send files with text.")
    report = SpectRAGIngestion(served.folder).update(parsed.documents).to_dict()
    report["skipped"] = [*to_plain(parsed.skipped), *report["skipped"]]
    report["warnings"] = [*parsed.warnings, *report["warnings"]]
    return report
