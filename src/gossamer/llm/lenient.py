"""A reader of JSON as models write it: trailing commas, comments, single quotes, Python constants, a cut end."""

from __future__ import annotations

import re
from typing import Any

from gossamer.text.clean import join_surrogates

_DEEPEST = 40
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|\#[^\n]*)*", re.DOTALL)
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?(?:[eE][+-]?\d{1,3})?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None, "NaN": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
# Opening mark of a string to what ends it or escapes within it.
_STOPS = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]"), "\u201c": re.compile("[\u201d\\\\]")}


class Broken(Exception):
    """What stands here is no value."""


def read_value(text: str, place: int) -> tuple[Any, int]:
    """The object or list that opens at `place`, and where it ends. A cut end closes all; a cut last item is left out.

    Raises Broken where no value can be read.

    >>> read_value("{'a': [1, 2,], b: True", 0)
    ({'a': [1, 2], 'b': True}, 23)
    """
    reader = _Reader(text, place)
    value = reader.value(0)
    return value, reader.place


class _Cut(Exception):
    """The text ended within a string, number or key."""


class _Reader:
    def __init__(self, text: str, place: int) -> None:
        self.text = text
        self.place = place

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise Broken
        mark = self._peek()
        if mark == "{":
            return self._object(depth)
        if mark == "[":
            return self._list(depth)
        if mark in _STOPS:
            return self._string(mark)
        return self._plain()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.place += 1
        while True:
            mark = self._peek(end="}")
            if mark == "}":
                self.place += 1
                return found
            if mark == ",":
                self.place += 1
                continue
            try:
                key = self._string(mark) if mark in _STOPS else self._word()
                if self._peek() != ":":
                    raise Broken
                self.place += 1
                found[key] = self.value(depth + 1)
            except _Cut:
                return found

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.place += 1
        while True:
            mark = self._peek(end="]")
            if mark == "]":
                self.place += 1
                return found
            if mark == ",":
                self.place += 1
                continue
            try:
                found.append(self.value(depth + 1))
            except _Cut:
                return found

    def _peek(self, end: str | None = None) -> str:
        """The next character that is no space; at the end of the text `end`, or _Cut where none is given."""
        match = _SPACE.match(self.text, self.place)
        self.place = match.end() if match else self.place
        if self.place < len(self.text):
            return self.text[self.place]
        if end is None:
            raise _Cut
        return end

    def _string(self, mark: str) -> str:
        said: list[str] = []
        at = self.place + 1
        while match := _STOPS[mark].search(self.text, at):
            said.append(self.text[at : match.start()])
            if match[0] != "\\":
                self.place = match.end()
                return join_surrogates("".join(said))
            piece, at = self._escaped(match.end())
            said.append(piece)
        self.place = len(self.text)
        raise _Cut

    def _escaped(self, at: int) -> tuple[str, int]:
        code = self.text[at : at + 1]
        if code == "u" and (match := _HEX.match(self.text, at + 1)):
            return chr(int(match[0], 16)), at + 5
        return _ESCAPES.get(code, code), at + 1

    def _plain(self) -> Any:
        if match := _NUMBER.match(self.text, self.place):
            if match.end() == len(self.text):
                self.place = match.end()
                raise _Cut
            self.place = match.end()
            number = match[0]
            return int(number) if number.lstrip("-").isdigit() else float(number)
        word = self._word()
        if word not in _WORDS:
            raise Broken
        return _WORDS[word]

    def _word(self) -> str:
        match = _WORD.match(self.text, self.place)
        if match is None:
            raise Broken
        self.place = match.end()
        if match.end() == len(self.text) and match[0] not in _WORDS:
            raise _Cut
        return match[0]
