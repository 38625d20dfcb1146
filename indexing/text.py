"""The text of an indexed unit or of a query, before any engine's own rendering of it."""

from __future__ import annotations

from typing import NamedTuple


class Text(NamedTuple):
    """Title and abstract, kept apart because encoders join them differently. Either may be empty, not both."""

    title: str
    abstract: str = ""

    def plain(self) -> str:
        """Both on lines of their own: what lexical engines index and most encoders read."""
        return f"{self.title}\n{self.abstract}" if self.title and self.abstract else self.title or self.abstract
