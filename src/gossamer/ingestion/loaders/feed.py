"""XML: RSS and Atom feeds as articles, anything else as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from gossamer.ingestion.loaders.base import Parsed, decoded
from gossamer.ingestion.loaders.html import to_markdown
from gossamer.ingestion.loaders.text import load_code
from gossamer.text.clean import clean_text, one_line

_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]")
_ENTITY = re.compile(rb"<!(?:ENTITY|DOCTYPE)", re.IGNORECASE)
_BODIES = ("encoded", "content", "description", "summary")


def load_xml(data: bytes, name: str) -> Parsed:
    """The articles of a feed under their titles; other XML as a code block."""
    if not _FEED.search(data[:4096]) or _ENTITY.search(data[:4096]):
        return load_code(data, name)
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        text, warnings = decoded(data)
        return Parsed(to_markdown(text), warnings=(*warnings, "not valid XML, read as HTML"))
    channel = next((node for node in root if _tag(node) == "channel"), root)
    title = one_line(_child_text(channel, "title"))
    parts = [f"# {title}"] if title else []
    parts += [to_markdown(_child_text(channel, "description")), *_articles(root)]
    return Parsed(clean_text("\n\n".join(part for part in parts if part.strip())), title)


def _articles(root: ElementTree.Element) -> Iterator[str]:
    for node in root.iter():
        if _tag(node) not in {"item", "entry"}:
            continue
        title = one_line(_child_text(node, "title"))
        if title:
            yield f"## {title}"
        body = max((to_markdown(_child_text(node, name)) for name in _BODIES), key=len)
        # Headings inside an article belong under its own.
        yield re.sub(r"^(#{1,4})(?= )", r"##\1", body, flags=re.MULTILINE)


def _tag(node: ElementTree.Element) -> str:
    return node.tag.rsplit("}", 1)[-1] if isinstance(node.tag, str) else ""


def _child_text(node: ElementTree.Element, name: str) -> str:
    return next(("".join(child.itertext()) for child in node if _tag(child) == name), "")
