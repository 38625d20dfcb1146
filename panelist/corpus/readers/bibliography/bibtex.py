"""BibTeX, read by bibtexparser and pylatexenc: strings, nested braces, accents and commands become plain text."""

import logging
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from panelist.corpus.readers.bibliography.printed import read_entry, reference_of, year_of
from panelist.records import Reference

_log = logging.getLogger(__name__)
_FIELD = re.compile(
    r"\b(title|author|year|date|doi)\s*=\s*(?:\{(.*?)\}\s*[,}\n]|\"(.*?)\"\s*[,}\n]|([^\s,}\"{]+))", re.I | re.S
)
_NOT_ENTRIES = ("comment", "string", "preamble")


def read_bibtex(text: str) -> Iterator[Reference]:
    """The entries, in order; of an entry that is not BibTeX, the fields that can be told."""
    import bibtexparser
    from bibtexparser.model import Entry, ParsingFailedBlock

    # It would print several lines of its own about each entry that fails.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = bibtexparser.parse_string(text, parse_stack=[])
    strings = {string.key.lower(): str(string.value) for string in library.strings}
    failed = 0
    for block in library.blocks:
        if isinstance(block, ParsingFailedBlock):
            if isinstance(entry := block.ignore_error_block, Entry):  # a key or a field that comes twice
                yield from _reference(_fields(entry, strings))
            elif (kind := re.match(r"@(\w+)", block.raw or "")) and kind[1].lower() not in _NOT_ENTRIES:
                failed += 1
                matches = _FIELD.finditer(block.raw)
                fields = {match[1].lower(): next(filter(None, match.groups()[1:]), "") for match in matches}
                yield from _reference(fields)
        elif isinstance(block, Entry):
            yield from _reference(_fields(block, strings))
    if failed:
        _log.warning("%d BibTeX entries have an open brace or quotation mark: only parts of them were read", failed)


def _fields(entry: Any, strings: dict[str, str]) -> dict[str, str]:
    fields = reversed(entry.fields)  # the first of two counts
    return {field.key.lower(): "".join(_pieces(str(field.value), strings)) for field in fields}


def _pieces(value: str, strings: dict[str, str]) -> Iterator[str]:
    """The pieces of a value `"one" # name # {two}`, names replaced by the strings that they stand for."""
    for piece in map(str.strip, _divide(value) if "#" in value else (value,)):
        if piece.startswith(("{", '"')):
            yield piece[1:-1]
        elif piece.lower() in strings:
            yield from _pieces(strings[piece.lower()], {})
        else:
            yield piece


def _divide(value: str) -> Iterator[str]:
    """What stands between the signs `#` outside of braces and quotation marks."""
    depth, quoted, start = 0, False, 0
    for position, character in enumerate(value):
        depth += (character == "{") - (character == "}")
        quoted ^= character == '"' and depth == 0
        if character == "#" and depth == 0 and not quoted:
            yield value[start:position]
            start = position + 1
    yield value[start:]


def _reference(fields: dict[str, str]) -> Iterator[Reference]:
    title, doi = plain_latex(fields.get("title", "")), plain_latex(fields.get("doi", ""))
    year = year_of(fields.get("year", "") or fields.get("date", ""))
    yield reference_of(title, _names(fields.get("author", "")), year, doi)


def _names(people: str) -> Iterable[str]:
    from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

    for person in split_multiple_persons_names(people) if people.strip() else ():
        parts = parse_single_name_into_parts(person, strict=False)
        name = plain_latex(" ".join([*parts.first, *parts.von, *parts.last, *parts.jr]))
        if name and name != "others":
            yield name


def read_bbl(text: str) -> Iterator[Reference]:
    r"""The entries of a `.bbl` file: what follows each `\bibitem`."""
    text = re.sub(r"(?<!\\)%.*", "", text).partition(r"\end{thebibliography}")[0]
    for entry in re.split(r"\\bibitem\s*", text)[1:]:
        body = re.sub(
            r"^(?:\[(?:[^\[\]{}]|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*\])?\s*\{[^{}]*\}", "", entry.strip(), count=1
        )
        yield read_entry(plain_latex(re.sub(r"\\(?:newblock|bibinfo\s*\{\w+\}|href\s*\{[^{}]*\}|natexlab)", " ", body)))


def plain_latex(latex: str) -> str:
    r"""LaTeX as plain text in one line: `Poincar{\'e}` is Poincaré, `\emph{E.~coli}` is E. coli."""
    if any(character in latex for character in "\\{}$~`'-"):
        # Outside of tables an ampersand is itself, also where somebody forgot the backslash.
        latex = _latex().latex_to_text(re.sub(r"(?<!\\)&", r"\\&", latex))
    return " ".join(latex.split())


@cache
def _latex() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("pylatexenc").setLevel(logging.ERROR)
    return LatexNodes2Text(math_mode="text", keep_comments=True)
