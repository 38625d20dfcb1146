"""arXiv's Atom feeds, as its API answers: https://info.arxiv.org/help/api/user-manual.html. Authors have names only."""

import re
from xml.etree.ElementTree import Element

from panelist.corpus.readers.catalogues.xml import text_of, texts_of, xml_reader, year_in
from panelist.corpus.readers.fields import check_text, identifier
from panelist.corpus.readers.people import distinct_authors, make_author
from panelist.corpus.readers.report import ReadReport
from panelist.records import Authorship, Institution, Paper

_ID = re.compile(r"arxiv\.org/abs/(.+?)(?:v\d+)?$")


def _to_paper(entry: Element, report: ReadReport) -> Paper:
    match = _ID.search(text_of(entry, "id"))
    title, abstract = text_of(entry, "title"), text_of(entry, "summary")
    check_text(title, abstract)
    return Paper(
        identifier(f"arxiv:{match[1]}" if match else None),
        title,
        abstract,
        year_in(text_of(entry, "published")),
        distinct_authors(map(_author, entry.iterfind("author")), report),
        text_of(entry, "journal_ref") or "arXiv",
        text_of(entry, "doi") or None,
        topics=tuple(dict.fromkeys(node.get("term", "") for node in entry.iterfind("category"))),
    )


def _author(element: Element) -> Authorship | None:
    author = make_author(text_of(element, "name"))
    places = texts_of(element.iterfind("affiliation"))
    return Authorship(author, tuple(map(Institution, places))) if author else None


READER = xml_reader(("entry",), _to_paper, (".xml", ".atom", ".xml.gz"))
