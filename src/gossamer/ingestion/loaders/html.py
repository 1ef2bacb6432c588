"""HTML to Markdown-like text: headings, paragraphs, lists, tables, code and links; scripts and navigation go."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from gossamer.ingestion.loaders.base import Parsed, decoded, fenced, table_row
from gossamer.ingestion.sections import slug
from gossamer.text.clean import clean_text, is_blank, one_line

_DROPPED_LIST = (
    "script style noscript template svg nav iframe object canvas select button input textarea audio video map dialog "
    "head math"
)
_DROPPED = frozenset(_DROPPED_LIST.split())
_OUTSIDE_CONTENT = frozenset({"footer", "aside"})
_DROPPED_ROLES = frozenset({"navigation", "search", "contentinfo", "complementary", "dialog", "menu", "menubar"})
_BLOCK_LIST = (
    "address article blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr li "
    "main ol p section summary table tbody td tfoot th thead tr ul aside caption h1 h2 h3 h4 h5 h6 pre"
)
_BLOCKS = frozenset(_BLOCK_LIST.split())
_DECLARED = re.compile(rb"<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PAGE_LINK = re.compile(r"(?![a-z][a-z0-9+.-]*:|//)(?:[^/]|/.*(?:/|\.\w{1,5})(?:#.*)?$)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s()\[\]]")
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|highlight)-([\w+#]+)")
_SPACE = re.compile(r"\s+")
_ITEM_START = re.compile(r"\n\s*- ")
_LONGEST_CELL = 1000
_ANY_TAG = re.compile(r"<[^<>]*>")
# Elements without an end tag, or whose end tag may be left out, do not nest.
_ANY_NESTING = re.compile(
    r"<(/?)(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|d[dt]|t[dhr]|tbody|thead|tfoot|"
    r"option|optgroup|html|body|head|colgroup|rp|rt)\b)[a-z]",
    re.IGNORECASE,
)
_DEEPEST = 2000
_MAIN_SHARE = 0.3


def load_html(data: bytes, name: str) -> Parsed:
    """The content of a page under its title; the only heading of level 1 is the title where the page's own holds it."""
    from selectolax.lexbor import LexborHTMLParser

    declared = _DECLARED.search(data[:4096])
    text, warnings = decoded(data, declared=declared[1].decode("ascii") if declared else None)
    if _is_too_deep(text):
        plain = clean_text(unescape(_ANY_TAG.sub("\n", text)))
        return Parsed(plain, warnings=(*warnings, "nested too deeply, its tags were cut out"))
    tree = LexborHTMLParser(text)
    if tree.body is None:
        return Parsed("", warnings=warnings)
    body = clean_text("\n\n".join(_Writer().render(_main(tree.body)))) + "\n"
    element = tree.css_first("head title")
    title = one_line(element.text()) if element is not None else ""
    tops = [one_line(top.text()) for top in tree.css("h1")]
    if len(tops) == 1 and tops[0] and (not title or tops[0] in title):
        title = tops[0]
    return Parsed("" if is_blank(body) else body, title, warnings=warnings)


def to_markdown(html: str) -> str:
    """Markdown-like text of a piece of HTML.

    >>> to_markdown("<h2>Staff</h2><p>Forty <b>people</b>.</p><ul><li>One<li>Two</ul>")
    '## Staff\\n\\nForty people.\\n\\n- One\\n- Two'
    """
    from selectolax.lexbor import LexborHTMLParser

    body = None if _is_too_deep(html) else LexborHTMLParser(html).body
    return "" if body is None else "\n\n".join(_Writer().render(body))


def _is_too_deep(text: str) -> bool:
    """Whether elements are nested so deeply that parsing them, quadratic in the depth, would take minutes."""
    depth = 0
    for tag in _ANY_NESTING.finditer(text):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > _DEEPEST:
            return True
    return False


def _main(body: Any) -> Any:
    """The element that holds the content, where the page marks one that has a fair share of the text."""
    total = len(body.text())
    for selector in ("main", "[role=main]", "article"):
        found = body.css(selector)
        if len(found) == 1 and len(found[0].text()) > _MAIN_SHARE * total:
            return found[0]
    return body


def _children(node: Any) -> Iterator[Any]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _is_dropped(node: Any, root: Any) -> bool:
    if node.tag in _DROPPED or node.tag == "-comment":
        return True
    attributes = node.attributes
    if not attributes:
        return bool(node.tag in _OUTSIDE_CONTENT and root.tag == "body")
    return bool(
        "hidden" in attributes
        or (node.tag == "a" and "hreflang" in attributes)
        or (attributes.get("role") or "") in _DROPPED_ROLES
        or (node.tag in _OUTSIDE_CONTENT and root.tag == "body")
        or _HIDDEN.search(attributes.get("style") or "")
    )


class _Writer:
    """Walks a tree without recursion, so that nesting has no limit, and collects blocks of text."""

    def __init__(self) -> None:
        self._blocks: list[list[str]] = []
        self._inline: list[str] = []
        self._lists: list[int | None] = []
        self._marker: str | None = None
        self._in_item = False
        self._link_start: int | None = None

    def render(self, root: Any) -> list[str]:
        """Blocks of text under a node; items of one list are one block."""
        stack: list[tuple[Any, bool]] = [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node)
            elif node.tag == "-text":
                self._inline.append(_SPACE.sub(" ", node.text_content or ""))
            elif not _is_dropped(node, root) and not self._write_whole(node):
                self._enter(node)
                stack.append((node, True))
                stack += [(child, False) for child in reversed(list(_children(node)))]
        self._flush()
        return ["\n".join(block) for block in self._blocks]

    def _write_whole(self, node: Any) -> bool:
        """Write a node that is not walked into: code, or a table of data."""
        if node.tag == "pre":
            self._flush()
            classes = " ".join(filter(None, [node.attributes.get("class"), _code_class(node)]))
            language = _LANGUAGE.search(classes)
            code = node.text().strip("\n")
            if code.strip():
                self._blocks.append([fenced(code, language[1] if language else "")])
            return True
        if node.tag == "table":
            rows = _data_rows(node)
            if rows:
                self._flush()
                self._blocks.append(rows)
            return bool(rows)
        return False

    def _enter(self, node: Any) -> None:
        tag = node.tag
        if tag == "br":
            self._inline.append("\n")
        if tag not in _BLOCKS:
            if tag == "a":
                self._link_start = len(self._inline)
            return
        self._flush()
        if tag in {"ul", "ol"}:
            self._lists.append(1 if tag == "ol" else None)
        elif tag == "li":
            number = self._lists[-1] if self._lists else None
            if number is not None:
                self._lists[-1] = number + 1
            indent = "  " * max(0, len(self._lists) - 1)
            self._marker = indent + ("- " if number is None else f"{number}. ")

    def _leave(self, node: Any) -> None:
        tag = node.tag
        if tag == "a":
            self._link(node)
        if tag not in _BLOCKS:
            return
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._heading(node, int(tag[1]))
        self._flush()
        if tag in {"ul", "ol"} and self._lists:
            self._lists.pop()
            self._in_item = self._in_item and bool(self._lists)
        if tag == "li":
            self._marker = None

    def _link(self, node: Any) -> None:
        """Put the target of a link to another page or section behind its text."""
        start, self._link_start = self._link_start, None
        if start is None:
            return
        raw = "".join(self._inline[start:])
        text = " ".join(raw.split())
        target = (node.attributes.get("href") or "").strip()
        if "[" in text or sum(map(str.isalpha, text)) < 2 or not _PAGE_LINK.match(target) or _UNSAFE.search(target):
            return
        lead, trail = raw[: len(raw) - len(raw.lstrip())], raw[len(raw.rstrip()) :]
        self._inline[start:] = [f"{lead}[{text}]({target}){trail}"]

    def _heading(self, node: Any, level: int) -> None:
        text = one_line("".join(self._inline))
        self._inline = []
        anchor = node.attributes.get("id") or ""
        if text:
            useful = level > 1 and re.fullmatch(r"[^\s{}]+", anchor) and not _same(anchor, text)
            explicit = f" {{#{anchor}}}" if useful else ""
            self._blocks.append([f"{'#' * level} {text}{explicit}"])
            self._in_item = False

    def _flush(self) -> None:
        """Write the collected inline text as a paragraph or list item."""
        raw = "".join(self._inline)
        self._inline, self._link_start = [], None
        lines = [" ".join(line.split()) for line in raw.split("\n")]
        text = "\n".join(line for line in lines if line)
        if not text:
            return
        if self._marker is not None:
            item = self._marker + text.replace("\n", " ")
            if self._in_item and self._blocks:
                self._blocks[-1].append(item)
            else:
                self._blocks.append([item])
            self._marker, self._in_item = None, True
        else:
            self._blocks.append([text])
            self._in_item = False


def _same(anchor: str, title: str) -> bool:
    return slug(anchor.replace("_", "-")) == slug(title)


def _code_class(node: Any) -> str | None:
    inner = node.css_first("code")
    return inner.attributes.get("class") if inner is not None else None


def _data_rows(table: Any) -> list[str]:
    """Rows of a table that holds data; none for one that only places things on the page."""
    if table.css_first("table table, h1, h2, h3, h4, h5, h6, pre, form") is not None:
        return []
    rows: list[list[str]] = []
    named = False
    for row in table.css("tr"):
        cells = [child for child in _children(row) if child.tag in {"td", "th"}]
        if cells:
            named = named or (not rows and all(cell.tag == "th" for cell in cells))
            rows.append([_cell_text(cell) for cell in cells])
    width = max(map(len, rows), default=0)
    if len(rows) < 2 or width < 2 or max(len(cell) for row in rows for cell in row) > _LONGEST_CELL:
        return []
    lines = [table_row(row + [""] * (width - len(row))) for row in rows]
    if named or table.css_first("th") is None:
        lines.insert(1, "|" + " --- |" * width)
    return lines


def _cell_text(cell: Any) -> str:
    """The text of a table cell on one line; list items are set apart by semicolons."""
    return _ITEM_START.sub("; ", "\n".join(_Writer().render(cell))).removeprefix("- ")
