"""What a lint found: findings, worst first, as plain data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from gossamer.errors import UsageError
from gossamer.model import to_plain

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of problem: how bad, how often, a few ids (or pairs of ids, as "a | b") and what to do.

    `share` is the part of what was looked at, 0 … 1; `note` says what was looked at where that is not everything.
    """

    kind: str
    severity: Severity
    count: int
    share: float
    examples: tuple[str, ...]
    advice: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LintReport:
    """Findings about an index, worst first: by severity, then count, then kind."""

    chunks: int
    documents: int
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Severity | None:
        """The severity of the first finding, None without one."""
        return self.findings[0].severity if self.findings else None

    def fails(self, level: str) -> bool:
        """Whether a finding is as bad as `level` or worse. Raises UsageError for an unknown level.

        >>> LintReport(1, 1, (Finding("hubs", "warning", 1, 1.0, ("a#0",), "Split it."),)).fails("error")
        False
        """
        if level not in SEVERITIES:
            raise UsageError(f"fail-on = {level!r} is not possible. Choose one of {', '.join(SEVERITIES)}.")
        return self.worst is not None and SEVERITIES.index(self.worst) <= SEVERITIES.index(level)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**to_plain(self), "worst": self.worst}

    def __repr__(self) -> str:
        head = f"{self.chunks} passages of {self.documents} documents: "
        if not self.findings:
            return f"{head}nothing found."
        lines = [f"{head}{len(self.findings)} findings, worst first."]
        for found in self.findings:
            lines.append(f"  {found.severity:<8} {found.kind}: {found.count} ({100 * found.share:.1f} %)")
            lines += [f"           {example}" for example in found.examples]
            lines.append(f"           {found.advice}")
            if found.note:
                lines.append(f"           {found.note}")
        return "\n".join(lines)


def sorted_report(chunks: int, documents: int, findings: list[Finding]) -> LintReport:
    """The report with the findings in their order."""
    ranked = sorted(findings, key=lambda found: (SEVERITIES.index(found.severity), -found.count, found.kind))
    return LintReport(chunks, documents, tuple(ranked))
