"""The commands by name: what each does, an example, its task, and how a line is read and completed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gossamer.errors import UsageError


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the prompt."""

    name: str
    usage: str
    does: str
    example: str
    group: str


COMMANDS = (
    Command("demo", "/demo", "Index the example documents and ask them a question.", "/demo", "Start"),
    Command("index", "/index [DOCS] INDEX", "Open an index; with DOCS build it, or bring it up to date, in the "
            "background.", "/index docs my_index", "Start"),
    Command("indexes", "/indexes", "List the indexes that are known; /index N opens one.", "/indexes", "Start"),
    Command("find", "/find [FOLDER]", "Find the files of a project that use the library, and their index.",
            "/find src", "Start"),
    Command("show", "/show N", "Read passage N of the last answer in full.", "/show 2", "Ask"),
    Command("why", "/why N", "Say why passage N is there: its path, ranks, edges and votes.", "/why 2", "Ask"),
    Command("compare", "/compare [QUESTION]", "Ask plain top-k and hybrid search too, at the same budget.",
            "/compare Who pays for Orion?", "Ask"),
    Command("replay", "/replay [FILE]", "Play the last answer again, or a saved one, or the last of a trace.",
            "/replay answer.json", "Ask"),
    Command("save", "/save FILE", "Save the last answer as JSON, or as Markdown where FILE ends with .md.",
            "/save answer.json", "Ask"),
    Command("budget", "/budget N", "Tokens that the passages may fill.", "/budget 2000", "Adjust"),
    Command("tune", "/tune [NAME=VALUE …]", "Change how energy spreads (damping) or a setting of the search "
            "(selection.pool); /tune off undoes it.", "/tune profile=explore damping=0.5", "Adjust"),
    Command("without", "/without TEXT, …", "Leave out passages that name this, until /without off.",
            "/without turbine, sea cable", "Adjust"),
    Command("parts", "/parts A | B", "Let the parts of the next question spread apart and show the bridges between them.",
            "/parts who built it | where it stands", "Adjust"),
    Command("config", "/config [NAME=VALUE …]", "Show the index and the monitor's own options: speed, ascii.",
            "/config speed=0.2", "Adjust"),
    Command("lint", "/lint", "What is wrong with the open index, worst first.", "/lint", "Look after"),
    Command("doctor", "/doctor", "Check the installation and every byte of the open index.", "/doctor", "Look after"),
    Command("install", "/install EXTRA", "Install the packages of an extra; asks first.", "/install onnx", "Look after"),
    Command("jobs", "/jobs", "What runs in the background, and what ran.", "/jobs", "Look after"),
    Command("kill", "/kill N", "Stop job N.", "/kill 1", "Look after"),
    Command("clear", "/clear", "Empty the transcript.", "/clear", "Screen"),
    Command("help", "/help [COMMAND]", "The commands, or one of them.", "/help compare", "Screen"),
    Command("quit", "/quit", "Leave.", "/quit", "Screen"),
)  # fmt: skip

BY_NAME = {command.name: command for command in COMMANDS}


@dataclass(frozen=True, slots=True)
class Choices:
    """What can stand after a command, by command; `paths` lists files that begin with a text."""

    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    paths: Callable[[str], Sequence[str]] = lambda _: ()


_OF_PATHS = {"index", "find", "save", "replay"}


def read_line(line: str) -> tuple[str, str]:
    """Name and argument of a command line; UsageError for a name that is none, with the nearest one.

    >>> read_line("/show  2 ")
    ('show', '2')
    """
    name, _, argument = line[1:].strip().partition(" ")
    if name in BY_NAME:
        return name, argument.strip()
    starts = [known for known in BY_NAME if name and known.startswith(name)]
    if len(starts) == 1:
        return starts[0], argument.strip()
    near = starts or _near(name)
    advice = f"Did you mean {' or '.join('/' + one for one in near[:3])}?" if near else "/help lists all."
    raise UsageError(f"There is no command /{name}. {advice}")


def split_words(argument: str) -> list[str]:
    """Words as a shell splits them, so that a path with blanks can stand in quotes."""
    try:
        return shlex.split(argument)
    except ValueError:
        raise UsageError(f"A quote in {argument!r} has no end. Close it, or leave it out.") from None


def complete(line: str, choices: Choices) -> list[str]:
    """Whole lines that this one can become, best first; none for a question.

    >>> complete("/com", Choices()), complete("/show ", Choices({"show": ["1", "2"]}))
    (['/compare '], ['/show 1', '/show 2'])
    """
    if not line.startswith("/"):
        return []
    name, blank, argument = line[1:].partition(" ")
    if not blank:
        return [f"/{known}{' ' * _takes(known)}" for known in BY_NAME if known.startswith(name)]
    before, last = _last_word(argument)
    words = [word for word in choices.words.get(name, ()) if word.startswith(last) and word != last]
    if name in _OF_PATHS:
        words += [path for path in choices.paths(last) if path not in words]
    return [f"/{name} {before}{_quoted(word)}" for word in words]


def _takes(name: str) -> bool:
    return " " in BY_NAME[name].usage


def _last_word(argument: str) -> tuple[str, str]:
    head, blank, last = argument.rpartition(" ")
    return head + blank, last.lstrip("'\"")


def _quoted(word: str) -> str:
    return shlex.quote(word) if any(char in word for char in " '\"") else word


def _near(name: str) -> list[str]:
    import difflib

    return difflib.get_close_matches(name, BY_NAME, n=2, cutoff=0.5)
