"""Markdown: front matter becomes metadata, comments go, everything else stays as written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from gossamer.ingestion.loaders.base import Parsed, decoded, heading_title
from gossamer.text.clean import one_line

_FRONT_MATTER = re.compile(
    r"\s*(?P<mark>---|\+\+\+)[^\S\n]*\n(?P<body>.*?)^(?P=mark)[^\S\n]*$\n?", re.DOTALL | re.MULTILINE
)
_PAIR = re.compile(r"(?P<key>[\w.-]+)[^\S\n]*:(?:[^\S\n]+(?P<value>[^\n]*))?$")
_ITEM = re.compile(r"[^\S\n]*-[^\S\n]+(?P<value>[^\n]*)$")
_CODE_OR_COMMENT = re.compile(
    r"^(?P<fence>[^\S\n]{0,3}(?P<mark>`{3,}|~{3,}))[^\n]*$|(?P<code>`[^`\n]*`)|(?P<comment><!--)", re.MULTILINE
)
_LINK_TAG = re.compile(r"<a\s[^<>]*?href=[\"']([^\"'<>\s]+)[\"'][^<>]*>([^<>\[\]]+)</a>", re.IGNORECASE)
_LINE_TAG = re.compile(r"<br[^\S\n]*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:font|span|center|div|p|a|sup|sub|u|b|i|em|strong|small|big|kbd|details|summary|img)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_DATA_IMAGE = re.compile(r"!\[([^\[\]]*)\]\(data:[^()\s]*\)")
_INDENTED_HEADING = re.compile(r"^ {1,3}(#{1,6}[^\S\n])", re.MULTILINE)
_LONGEST_FRONT_MATTER = 50_000


def load_markdown(data: bytes, name: str) -> Parsed:
    """Markdown text without front matter and comments; the title is the front matter's or a heading."""
    text, warnings = decoded(data)
    metadata, text = split_front_matter(text)
    text = tidy_markdown(text).strip("\n")
    title = metadata.get("title")
    return Parsed(text, one_line(title) if isinstance(title, str) else heading_title(text), metadata, warnings=warnings)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter as values, and the text after it. YAML is read for plain values and lists, TOML in full.

    >>> split_front_matter("---\\ntitle: Orion\\ntags: [mars, lens]\\n---\\nText.")
    ({'title': 'Orion', 'tags': ['mars', 'lens']}, 'Text.')
    """
    match = _FRONT_MATTER.match(text)
    if match is None or len(match["body"]) > _LONGEST_FRONT_MATTER:
        return {}, text
    if match["mark"] == "---":
        values = _yaml_values(match["body"])
    else:
        try:
            values = _plain(tomllib.loads(match["body"]))
        except tomllib.TOMLDecodeError:
            values = {}
    return (values, text[match.end() :]) if values or not match["body"].strip() else ({}, text)


def tidy_markdown(text: str) -> str:
    """Markdown without what only a renderer needs: comments, tags, embedded images. Code stays as it is.

    >>> tidy_markdown('a <!-- b --><font size="1">c</font> `<!-- d -->` <a href="e.md">f</a>')
    'a c `<!-- d -->` [f](e.md)'
    """
    kept: list[str] = []
    position = 0
    while (match := _CODE_OR_COMMENT.search(text, position)) is not None:
        comment_end = text.find("-->", match.end()) if match["comment"] else 0
        if comment_end < 0:
            break
        kept.append(_tidy_prose(text[position : match.start()]))
        if match["comment"]:
            position = comment_end + 3
        else:
            position = _fence_end(text, match) if match["fence"] else match.end()
            kept.append(text[match.start() : position])
    kept.append(_tidy_prose(text[position:]))
    return "".join(kept)


def _tidy_prose(text: str) -> str:
    text = _INDENTED_HEADING.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub("", _LINE_TAG.sub("\n", _LINK_TAG.sub(r"[\2](\1)", text)))
    return _DATA_IMAGE.sub(r"\1", text)


def _fence_end(text: str, opening: re.Match[str]) -> int:
    mark = opening["mark"]
    closing = re.compile(rf"^[^\S\n]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[^\S\n]*$", re.MULTILINE)
    match = closing.search(text, opening.end())
    return match.end() if match else len(text)


def _yaml_values(body: str) -> dict[str, Any]:
    """Top-level `key: value` pairs and lists; deeper structure is kept as its text."""
    values: dict[str, Any] = {}
    key = ""
    for line in body.split("\n"):
        pair, item = _PAIR.match(line), _ITEM.match(line)
        if pair:
            key = pair["key"]
            values[key] = _yaml_scalar((pair["value"] or "").strip())
        elif (key and item and values[key] in ("", None)) or (key and item and isinstance(values[key], list)):
            values[key] = [*(values[key] or []), _yaml_scalar(item["value"].strip())]
        elif key and line[:1].isspace() and line.strip() and isinstance(values[key], str):
            before = "" if values[key] in {"|", ">", "|-", ">-"} else values[key]
            values[key] = f"{before}\n{line.strip()}".strip()
    return values


def _yaml_scalar(value: str) -> Any:
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    if value.startswith("[") and value.endswith("]"):
        return [_yaml_scalar(item.strip()) for item in value[1:-1].split(",") if item.strip()]
    return {"true": True, "false": False}.get(value, value)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """TOML values with dates as text, so that they can be written as JSON."""
    simple = (str, int, float, bool, list)
    return {
        key: _plain(value) if isinstance(value, dict) else value if isinstance(value, simple) else str(value)
        for key, value in values.items()
    }
