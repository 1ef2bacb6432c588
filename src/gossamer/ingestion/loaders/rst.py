"""reStructuredText to Markdown-like text: headings, tables, literal blocks, links and roles; comments go."""

from __future__ import annotations

import re

from gossamer.ingestion.loaders.base import Parsed, decoded, fenced, heading_title
from gossamer.ingestion.loaders.rst_tables import read_table

_ADORNMENT = re.compile(r"([!-/:-@[-`{-~])\1{1,}\s*$")
_TARGET = re.compile(r"\.\. _(?P<name>`[^`]+`|[^:]+):\s*(?P<url>\S*)\s*$")
_DIRECTIVE = re.compile(r"\.\. (?:\|[^|]+\| )?(?P<name>[\w:.-]+)::\s*(?P<argument>.*)$")
_COMMENT = re.compile(r"\.\.(?:\s|$)")
_FOOTNOTE = re.compile(r"\.\. \[(?P<label>[^\]]+)\]\s+(?P<text>.*)$")
_OPTION = re.compile(r":[\w-]+:(?:\s|$)")
_CODE = frozenset({"code", "code-block", "sourcecode", "highlight", "literalinclude", "parsed-literal", "doctest",
                   "testcode", "productionlist", "math"})  # fmt: skip
_SILENT = frozenset({"image", "figure", "index", "contents", "highlight", "module", "sectionauthor", "moduleauthor",
                     "role", "default-role", "raw", "meta", "currentmodule", "tabularcolumns", "include",
                     "testsetup", "testcleanup", "only-latex", "title"})  # fmt: skip
_ROLE_LINK = re.compile(r":(?P<role>[\w:.+-]+):`(?P<text>[^`<]+?)\s*<(?P<target>[^`>]+)>`")
_ROLE = re.compile(r":(?P<role>[\w:.+-]+):`[~!]?(?P<text>[^`]+)`")
_LINK = re.compile(r"`(?P<text>[^`<]+?)\s*<(?P<target>[^`>]+)>`__?")
_NAMED_LINK = re.compile(r"`(?P<text>[^`<>]+)`__?(?!\w)")
_LITERAL = re.compile(r"``(.+?)``")
_DEEPEST = 20
_PAGE_ROLES = frozenset({"doc"})
_ANCHOR_ROLES = frozenset({"ref", "numref"})


def load_rst(data: bytes, name: str) -> Parsed:
    """A reStructuredText document; heading levels follow the order in which its adornments appear."""
    text, warnings = decoded(data)
    body = rst_to_markdown(text)
    return Parsed(body, heading_title(body), warnings=warnings)


def rst_to_markdown(text: str) -> str:
    """Markdown-like text of reStructuredText.

    >>> print(rst_to_markdown("Orion\\n=====\\n\\nSee :ref:`the lens <lens>`::\\n\\n   x = 1\\n"))
    # Orion
    <BLANKLINE>
    See [the lens](#lens):
    <BLANKLINE>
    ```
    x = 1
    ```
    """
    return _Converter(text).convert()


class _Converter:
    """Reads line by line; a block that is indented under its first line is taken whole."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self._depth = depth
        self._lines = text.expandtabs(8).split("\n")
        self._styles: list[str] = []
        self._out: list[str] = []
        self._anchor = ""
        self._urls = {
            match["name"].strip("`").lower(): match["url"]
            for line in self._lines
            if (match := _TARGET.match(line)) and match["url"]
        }

    def convert(self) -> str:
        position = 0
        while position < len(self._lines):
            position = (
                self._table(position) or self._heading(position) or self._explicit(position) or self._line(position)
            )
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._out)).strip("\n") + "\n"

    def _table(self, at: int) -> int:
        """Write the table that begins on a line as Markdown; 0 where there is none."""
        rows, end = read_table(self._lines, at)
        if rows:
            self._out += ["", *(self._inline(row) for row in rows), ""]
        return end if rows else 0

    def _heading(self, at: int) -> int:
        """Write the heading that begins on a line, with or without a line above it; 0 where there is none."""
        over = 1 if self._is_adornment(at) and at + 2 < len(self._lines) and self._is_adornment(at + 2) else 0
        title, under = at + over, at + over + 1
        if under >= len(self._lines) or not self._is_adornment(under) or (over == 0 and self._is_adornment(at)):
            return 0
        line, rule = self._lines[title].strip(), self._lines[under].rstrip()
        blank_before = at == 0 or not self._lines[at - 1].strip() or self._lines[at - 1].startswith(".. ")
        if not line or not blank_before or len(rule) < min(len(line), 3) or (over and self._lines[at].rstrip() != rule):
            return 0
        if not over and self._lines[title].startswith((" ", "..")):
            return 0
        style = rule[0] + str(over)
        if style not in self._styles:
            self._styles.append(style)
        level = min(6, self._styles.index(style) + 1)
        anchor = f" {{#{self._anchor}}}" if self._anchor else ""
        self._anchor = ""
        self._out += ["", f"{'#' * level} {self._inline(line)}{anchor}", ""]
        return under + 1

    def _is_adornment(self, at: int) -> bool:
        return bool(_ADORNMENT.match(self._lines[at]))

    def _explicit(self, at: int) -> int:
        """Handle markup that begins with two dots; 0 where the line has none."""
        line = self._lines[at].lstrip()
        if not _COMMENT.match(line):
            return 0
        indent = len(self._lines[at]) - len(line)
        block, end = self._block(at + 1, indent)
        target, directive, note = _TARGET.match(line), _DIRECTIVE.match(line), _FOOTNOTE.match(line)
        if target:
            if not target["url"]:
                self._anchor = _anchor_name(target["name"].strip("`"))
            return at + 1
        if directive:
            self._directive(directive["name"].lower(), directive["argument"], block)
        elif note:
            self._out += ["", f"[{note['label']}] " + self._inline(" ".join([note["text"], *map(str.strip, block)]))]
        return end

    def _directive(self, name: str, argument: str, block: list[str]) -> None:
        while block and (not block[0].strip() or _OPTION.match(block[0].strip())):
            block = block[1:]
        if name in _CODE:
            code = "\n".join(block).strip("\n")
            if code:
                self._out += ["", fenced(code, argument.strip() if name != "math" else "math"), ""]
        elif name == "toctree":
            entries = [entry.strip() for entry in block if entry.strip()]
            self._out += ["", *(f"- {_page_link(entry)}" for entry in entries), ""]
        elif name not in _SILENT:
            title = "" if name.rsplit(":", 1)[-1] in {"only", "container", "rst-class", "class"} else name
            lead = f"{title}: {argument}".strip(": ") if title or argument else ""
            inner = "\n".join(block)
            if self._depth < _DEEPEST:
                inner = _Converter(inner, self._depth + 1).convert().strip("\n")
            self._out += ["", self._inline(lead), "", inner, ""]

    def _line(self, at: int) -> int:
        """Write a line of text; after one that ends in `::` the indented block is code."""
        line = self._lines[at]
        if self._is_adornment(at) and len(line.rstrip()) >= 4 and not line[0].isalnum():
            self._out.append("" if "=" not in line else line)
            return at + 1
        if not line.rstrip().endswith("::"):
            self._out.append(self._inline(line))
            return at + 1
        indent = len(line) - len(line.lstrip())
        block, end = self._block(at + 1, indent)
        text = line.rstrip()[:-1].rstrip()
        self._out.append(self._inline(text[:-1].rstrip() if text.endswith(" :") else text) if text.strip(": ") else "")
        if any(block):
            self._out += ["", fenced("\n".join(block).strip("\n")), ""]
        return end

    def _block(self, start: int, indent: int) -> tuple[list[str], int]:
        """Lines indented deeper than `indent`, dedented, and where they end."""
        end = last = start
        while end < len(self._lines):
            line = self._lines[end]
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                last = end + 1
            end += 1
        lines = self._lines[start:last]
        margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return [line[margin:].rstrip() for line in lines], last

    def _inline(self, line: str) -> str:
        if "`" not in line:
            return line
        line = _ROLE_LINK.sub(lambda match: _role_link(match["role"], match["text"], match["target"]), line)
        line = _ROLE.sub(lambda match: _role_link(match["role"], match["text"], ""), line)
        line = _LINK.sub(lambda match: f"[{match['text']}]({match['target'].strip()})", line)
        line = _LITERAL.sub(r"`\1`", line)
        return _NAMED_LINK.sub(self._named_link, line)

    def _named_link(self, match: re.Match[str]) -> str:
        if not match[0].endswith("_"):
            return match[0]
        url = self._urls.get(match["text"].lower())
        return f"[{match['text']}]({url})" if url else match["text"]


def _role_link(role: str, text: str, target: str) -> str:
    kind = role.rsplit(":", 1)[-1]
    if kind in _PAGE_ROLES:
        page = (target or text).strip()
        return f"[{text}]({page}.rst)"
    if kind in _ANCHOR_ROLES:
        return f"[{text}](#{_anchor_name(target or text)})"
    return text


def _anchor_name(label: str) -> str:
    return re.sub(r"\s+", "-", label.strip().lower())


def _page_link(entry: str) -> str:
    """A table of contents entry, `path` or `Title <path>`, as a link to the file."""
    named = re.fullmatch(r"(.+?)\s*<([^<>]+)>", entry)
    text, page = (named[1], named[2]) if named else (entry, entry)
    return f"[{text}]({page if re.search(r'[:.*]', page) else page + '.rst'})"
