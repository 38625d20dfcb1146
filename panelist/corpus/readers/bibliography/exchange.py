"""References as reference managers exchange them: CSL-JSON, EndNote's XML, Zotero's RDF."""

from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element

import orjson

from panelist.corpus.names import first_name_first
from panelist.corpus.readers.bibliography.printed import doi_in, reference_of, year_of
from panelist.corpus.readers.catalogues.xml import elements_of, text_of, texts_of
from panelist.records import Reference

_ITEMS = (
    "Article", "Book", "BookSection", "Report", "Thesis", "Manuscript", "Document", "Recording", "Description",
    "Patent", "Letter", "Interview", "Legislation",
)  # fmt: skip
_NO_ITEMS = ("attachment", "note")


def read_csl(text: str) -> Iterator[Reference]:
    """CSL-JSON, as Zotero, Mendeley and Crossref give it: a list of items, or an object that has one under `items`."""
    data = orjson.loads(text)
    items = data.get("items", [data]) if isinstance(data, dict) else data
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            people = item.get("author")
            names = (_csl_name(person) for person in people) if isinstance(people, list) else ()
            title = item.get("title")
            title = title[0] if isinstance(title, list) and title else title
            year = year_of(orjson.dumps(item.get("issued")).decode().replace("[", " ").replace(",", " "))
            yield reference_of(_word(title), names, year, _word(item.get("DOI")))


def _csl_name(person: Any) -> str:
    if not isinstance(person, dict):
        return ""
    fields = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    return _word(person.get("literal")) or " ".join(filter(None, (_word(person.get(field)) for field in fields)))


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_endnote(text: str) -> Iterator[Reference]:
    """EndNote's XML: `<records><record>`."""
    for record in elements_of(text.encode(), ("record",)):
        names = map(first_name_first, texts_of(record.iterfind("contributors/authors/author")))
        doi = text_of(record, "electronic-resource-num") or doi_in(" ".join(texts_of(record.iter("url")))) or ""
        yield reference_of(text_of(record, "titles/title"), names, year_of(text_of(record, "dates/year")), doi)


def read_zotero(text: str) -> Iterator[Reference]:
    """Zotero's RDF; its journals, attachments and notes are no items."""
    for item in elements_of(text.encode(), _ITEMS):
        kind = text_of(item, "itemType")
        if kind and kind not in _NO_ITEMS:
            stated = " ".join(texts_of(item.iter("identifier")))
            yield reference_of(
                text_of(item, "title"), _people(item), year_of(text_of(item, "date")), doi_in(stated) or ""
            )


def _people(item: Element) -> Iterable[str]:
    for person in item.iterfind("authors/Seq/li/Person"):
        yield f"{text_of(person, 'givenName', 'givenname')} {text_of(person, 'surname')}"
