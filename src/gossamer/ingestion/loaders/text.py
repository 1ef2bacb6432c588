"""Plain text and source code."""

from __future__ import annotations

from gossamer.ingestion.loaders.base import Parsed, decoded, extension, fenced, heading_title

LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "jsx": "jsx",
    "ts": "typescript", "tsx": "tsx", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "go": "go",
    "rs": "rust", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp",
    "cs": "csharp", "swift": "swift", "m": "objectivec", "rb": "ruby", "php": "php", "pl": "perl", "pm": "perl",
    "lua": "lua", "r": "r", "jl": "julia", "hs": "haskell", "ml": "ocaml", "ex": "elixir", "exs": "elixir",
    "erl": "erlang", "clj": "clojure", "dart": "dart", "sh": "bash", "bash": "bash", "zsh": "bash", "fish": "fish",
    "ps1": "powershell", "bat": "batch", "sql": "sql", "graphql": "graphql", "proto": "protobuf", "css": "css",
    "scss": "scss", "less": "less", "vue": "vue", "svelte": "svelte", "yaml": "yaml", "yml": "yaml", "toml": "toml",
    "ini": "ini", "cfg": "ini", "conf": "ini", "properties": "properties", "xml": "xml", "xsd": "xml", "svg": "xml",
    "cmake": "cmake", "gradle": "gradle", "tf": "hcl", "nix": "nix", "dockerfile": "dockerfile",
    "makefile": "makefile", "mk": "makefile", "tcl": "tcl", "f90": "fortran", "f": "fortran", "asm": "asm",
    "s": "asm", "v": "verilog", "vhd": "vhdl", "zig": "zig", "nim": "nim", "sol": "solidity", "groovy": "groovy",
    "lisp": "lisp", "el": "lisp", "scm": "scheme", "diff": "diff", "patch": "diff",
}  # fmt: skip


def load_text(data: bytes, name: str) -> Parsed:
    """A text as it is; Markdown headings in it count."""
    text, warnings = decoded(data)
    return Parsed(text, heading_title(text), warnings=warnings)


def load_code(data: bytes, name: str) -> Parsed:
    """Source code as one code block, so that its comments are not taken for headings."""
    text, warnings = decoded(data)
    language = LANGUAGES.get(extension(name)) or LANGUAGES.get(name.rsplit("/", 1)[-1].lower(), "")
    if not text.strip():
        return Parsed("", named=False)
    return Parsed(fenced(text, language), metadata={"language": language}, warnings=warnings, named=False)
