"""The class of every mistake that analysis finds."""

from __future__ import annotations

from dataclasses import field

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.syntax.position import line_and_column


class AnalysisError(SpannerError):
    """A statement parses and means nothing.

    Raised with `at`, the offset of what is wrong; `locate` adds the line and column once the
    text is at hand.
    """

    code = Code.INVALID_ARGUMENT
    at: int = field(default=-1, kw_only=True)
    line: int = field(default=0, kw_only=True)
    column_number: int = field(default=0, kw_only=True)

    def __str__(self) -> str:
        sentence = self.sentence()
        return f"{sentence} [at {self.line}:{self.column_number}]" if self.line else sentence

    def sentence(self) -> str:
        """The message without its place."""
        return self.prose.format_map(vars(self))

    def locate(self, text: str) -> None:
        """Work out line and column in `text`, unless they are known or there is no place."""
        if self.at >= 0 and not self.line:
            self.line, self.column_number = line_and_column(text, self.at)


def did_you_mean(suggestion: str | None) -> str:
    """What is appended to a message about an unknown name."""
    return f"; Did you mean {suggestion}?" if suggestion else ""
