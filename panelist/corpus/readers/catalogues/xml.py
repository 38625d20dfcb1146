"""Records of an XML file, one at a time, however long the file is: plain or gzipped, without entities of its own.

A file that declares entities is refused, since a few lines of them can stand for gigabytes, or for other files. HTML's
named characters, which DBLP's external DTD declares, are known without it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html.entities import html5
from pathlib import Path
from typing import Any, TypeVar
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from panelist.corpus.readers.lines import MAX_LINE, read_blocks
from panelist.corpus.readers.reader import Reader
from panelist.corpus.readers.report import ReadReport

T = TypeVar("T")


def xml_reader(
    tags: tuple[str, ...], convert: Callable[[Element, ReadReport], T], suffixes: tuple[str, ...] = (".xml", ".xml.gz")
) -> Reader[Element, T]:
    """A reader of files in which elements of these names are records."""
    return Reader(suffixes, lambda path, report: _read_elements(path, tags, report), convert)


def _read_elements(path: Path, tags: Collection[str], report: ReadReport) -> Iterator[tuple[int, Element]]:
    """The elements of these names, with the line each begins on. Names come without prefixes."""
    records, damage = _Records(tags), list[str]()
    try:
        for block in read_blocks(path, report, damage):
            records.parser.Parse(block)
            yield from records.take()
        if not damage:
            records.parser.Parse(b"", True)
    except expat.ExpatError as error:
        yield from records.take()
        damage.append(f"not XML ({expat.ErrorString(error.code)})")
    except ValueError as error:  # it is not safe to read
        damage.append(str(error))
    if damage:
        line = records.parser.CurrentLineNumber
        report.reject(path, line, f"{damage[0]}; all whole records before it were read", important=True)
    elif not records.count:
        report.reject(path, 0, f"holds no element {' or '.join(f'<{tag}>' for tag in tags)}")


def elements_of(content: bytes, tags: Collection[str]) -> list[Element]:
    """The elements of these names in a whole document; `ValueError` where it is not XML, or not safe to read."""
    records = _Records(tags)
    try:
        records.parser.Parse(content, True)
    except (expat.ExpatError, ValueError) as error:
        raise ValueError(f"not XML: {error}") from error
    return [element for _, element in records.take()]


class _Records:
    """Builds the elements of some names while a parser is fed, and nothing of the rest."""

    def __init__(self, tags: Collection[str]) -> None:
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.UseForeignDTD(True)  # entities that are not declared are reported instead of being an error
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._data
        parser.SkippedEntityHandler = self._entity
        parser.EntityDeclHandler = self._refuse
        parser.ExternalEntityRefHandler = lambda *_: 1  # a DTD elsewhere is never read
        self._tags = frozenset(tags)
        self._builder: TreeBuilder | None = None
        self._line, self._depth, self._size, self.count = 0, 0, 0, 0
        self._done: list[tuple[int, Element]] = []

    def take(self) -> list[tuple[int, Element]]:
        """The records that are complete since the last call."""
        done, self._done = self._done, []
        return done

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = tag.rpartition(":")[2]
        if self._builder is None and tag in self._tags:
            self._builder, self._size, self._line = TreeBuilder(), 0, self.parser.CurrentLineNumber
        if self._builder is not None:
            self._depth += 1
            self._builder.start(tag, attributes)

    def _end(self, tag: str) -> None:
        if self._builder is not None:
            self._depth -= 1
            self._builder.end(tag.rpartition(":")[2])
            if self._depth == 0:
                self._done.append((self._line, self._builder.close()))
                self._builder = None
                self.count += 1

    def _data(self, text: str) -> None:
        if self._builder is not None:
            self._size += len(text)
            if self._size > MAX_LINE:
                raise ValueError(f"a record is longer than {MAX_LINE >> 20} MB")
            self._builder.data(text)

    def _entity(self, name: str, is_parameter: bool) -> None:
        if not is_parameter:
            self._data(html5.get(f"{name};", ""))

    def _refuse(self, *_: Any) -> None:
        raise ValueError("it declares entities, which may hide other files or gigabytes: remove its DOCTYPE")


def text_of(element: Element | None, *paths: str) -> str:
    """The text of an element, or of the first below it that one of these paths leads to, in one line."""
    if element is None:
        return ""
    elements = [element] if not paths else [child for path in paths if (child := element.find(path)) is not None]
    return " ".join("".join(elements[0].itertext()).split()) if elements else ""


def texts_of(elements: Iterable[Element]) -> list[str]:
    """The texts of elements that have some."""
    return list(filter(None, map(text_of, elements)))


def year_in(text: str) -> int | None:
    """The first year of a text; None where it has none."""
    match = re.search(r"[1-9]\d{3}", text)
    return int(match[0]) if match else None
