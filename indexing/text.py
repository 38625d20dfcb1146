"""The text of an indexed unit or of a query, before any engine's own rendering of it."""

from typing import NamedTuple, Protocol, Self


class HasText(Protocol):
    """A paper, a submission, or any other record with a title and an abstract."""

    @property
    def title(self) -> str:
        """Its title, perhaps empty."""

    @property
    def abstract(self) -> str:
        """Its abstract, perhaps empty."""


class Text(NamedTuple):
    """Title and abstract, apart because encoders join them differently. Either may be empty, not both."""

    title: str
    abstract: str = ""

    @classmethod
    def of(cls, record: HasText) -> Self:
        """The text of a record, without the space around title and abstract."""
        return cls(record.title.strip(), record.abstract.strip())

    def plain(self) -> str:
        """Title and abstract on separate lines: what lexical engines index and most encoders read."""
        return f"{self.title}\n{self.abstract}" if self.title and self.abstract else self.title or self.abstract


def encodable(text: str) -> str:
    """The text with question marks for lone surrogates, which neither UTF-8 nor Java nor a tokeniser can take."""
    return text.encode("utf-8", "replace").decode()
