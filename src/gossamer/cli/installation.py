"""What `gossamer doctor` looks at besides the index: Python, packages, extras, the terminal, models and servers."""

from __future__ import annotations

import os
import platform
import re
import socket
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gossamer.cli.info import EXTRAS, base_packages, installed

if TYPE_CHECKING:
    from gossamer.index.verify import Check
    from gossamer.settings import Settings

_PATIENCE = 1.0
_ELSEWHERE = {"callable", "vectors", "none"}
_OLLAMA = "http://127.0.0.1:11434"
_EXTRA_MARK = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


def installation_checks(index: str | None = None) -> list[Check]:
    """Checks of the installation, and of the model that an index needs for its questions."""
    found = [_python(), _packages(), _extras(), _terminal(), *_servers()]
    return [*found, *(_model(index) if index is not None else [])]


def extras() -> tuple[str, ...]:
    """Names of the extras, by name.

    >>> "onnx" in extras()
    True
    """
    return tuple(sorted(EXTRAS))


def extra_requirements(extra: str) -> list[str]:
    """What pip is to install for an extra, as the package declares it; nothing for a name that is no extra.

    >>> extra_requirements("magic")
    []
    """
    if extra not in EXTRAS:
        return []
    try:
        declared = metadata.requires("gossamer") or []
    except metadata.PackageNotFoundError:
        declared = []
    found = []
    for line in declared:
        mark = _EXTRA_MARK.search(line)
        if mark is not None and mark.group(1) == extra:
            found.append(line.partition(";")[0].strip())
    return found or list(EXTRAS[extra])


def _check(name: str, ok: bool, detail: str, advice: str = "") -> Check:
    from gossamer.index.verify import Check

    return Check(name, ok, detail, advice)


def _python() -> Check:
    return _check("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def _packages() -> Check:
    """The packages of the base install."""
    found = base_packages()
    missing = [name for name, version in found.items() if version is None]
    if missing:
        return _check("packages", False, f"missing: {', '.join(missing)}", "pip install --force-reinstall gossamer")
    return _check("packages", True, ", ".join(f"{name} {version}" for name, version in found.items()))


def _extras() -> Check:
    """Which extras are there; one of which a package is missing while another is there is a fault."""
    whole: list[str] = []
    half: list[str] = []
    absent: list[str] = []
    for extra in extras():
        versions = [installed(name) for name in EXTRAS[extra]]
        if all(versions):
            whole.append(extra)
        else:
            (half if any(versions) else absent).append(extra)
    detail = f"installed: {', '.join(whole) or 'none'}; not installed: {', '.join(absent) or 'none'}"
    if half:
        names = ",".join(half)
        return _check("extras", False, f"{detail}; in part: {', '.join(half)}", f"pip install 'gossamer[{names}]'")
    return _check("extras", True, f"{detail} (pip install 'gossamer[NAME]')" if absent else detail)


def _terminal() -> Check:
    stream = sys.__stdout__  # sys.stdout may be captured, as by the monitor
    encoding = (stream.encoding if stream is not None else "utf-8").lower()
    if encoding.replace("-", "") == "utf8":
        return _check("terminal", True, "UTF-8")
    return _check("terminal", True, f"{encoding}, no UTF-8: PYTHONUTF8=1 shows every character, --ascii needs none")


def _servers() -> list[Check]:
    """Servers that the environment names must answer; Ollama on this machine may."""
    found = []
    for name in sorted(os.environ):
        if name.endswith(("BASE_URL", "LLM_URL")) and name.startswith(("GOSSAMER_", "OPENAI_")) and os.environ[name]:
            url = _shown(os.environ[name])
            if _listens(os.environ[name]):
                found.append(_check("server", True, f"{url} answers ({name})"))
            else:
                found.append(_check("server", False, f"{url} does not answer", f"Start the server, or change {name}."))
    state = "answers" if _listens(_OLLAMA) else "not running, which matters for ollama:MODEL alone"
    return [*found, _check("ollama", True, f"{_OLLAMA} {state}")]


def _listens(url: str) -> bool:
    """Whether something accepts a connection where the URL points; nothing is sent."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        with socket.create_connection((parts.hostname or "", port), timeout=_PATIENCE):
            return True
    except (OSError, ValueError):
        return False


def _shown(url: str) -> str:
    """The URL without user, password and query.

    >>> _shown("http://me:secret@host:8000/v1?key=x")
    'http://host:8000/v1'
    """
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the address"
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"


def _model(index: str) -> list[Check]:
    """Whether the embedder of an index loads and gives a vector of the right size for one word."""
    from gossamer.errors import IndexFolderError
    from gossamer.index.local import LocalStore
    from gossamer.settings import Settings

    try:
        info = LocalStore(index).manifest().info
    except IndexFolderError:
        return []  # the checks of the index say what is wrong with it
    settings = Settings.from_dict(info["settings"])
    kind = settings.embedder.partition(":")[0]
    if kind in _ELSEWHERE:
        return [_check("model", True, f"{kind}: the index asks no model")]
    return [_embeds(settings, info)]


def _embeds(settings: Settings, info: Any) -> Check:
    from gossamer.embedders.choose import embedder_for
    from gossamer.embedders.identity import require_same_embedder
    from gossamer.embedders.protocol import embed_query
    from gossamer.errors import GossamerError

    embedder: Any = None
    try:
        embedder = embedder_for(settings.replace(**{"embedding.retries": 0, "embedding.timeout": 10.0}), None)
        require_same_embedder(dict(info["embedder"]), embedder)
        vector = embed_query(embedder, "gossamer")
    except GossamerError as problem:
        what, _, advice = str(problem).rpartition(". ")
        return _check("model", False, what or advice, advice)
    finally:
        if hasattr(embedder, "close"):
            embedder.close()
    size = 0 if vector is None else len(vector)
    return _check("model", True, f"{settings.embedder} gives {size} numbers for a text")
